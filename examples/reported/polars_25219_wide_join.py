"""A left join of two wide frames with the same column names: quadratic in the columns from polars 1.31 on.

Issue:    https://github.com/pola-rs/polars/issues/25219
Versions: polars 1.30.0 -> 1.35.1 (mended by pull request 25222 of 7 November 2025)
Reported: less than 1 s -> 28 s, for 20,000 columns and 2,000 rows
Old:      polars==1.30.0 numpy==2.2.6
New:      polars==1.35.1 numpy==2.2.6
Fixed:    polars==1.39.3 numpy==2.2.6
Kind:     steady
"""

import polars as pl

sizes = (200, 4_000)  # columns
ROWS = 100


def wide(rng, columns):
    names = [f"col_{i}" for i in range(columns)]
    frame = pl.from_numpy(rng.random((ROWS, columns)), schema=names, orient="row")
    return frame.with_columns(pl.int_range(ROWS).alias("index"))


def inputs(rng, size):
    return wide(rng, size), wide(rng, size)


def bench_left_join(left, right):
    return left.join(right, on="index", how="left", suffix="_right")
