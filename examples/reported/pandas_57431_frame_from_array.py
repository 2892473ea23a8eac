"""A DataFrame made of a matrix and summed down its columns: since pandas 3 the constructor copies.

Issue:    https://github.com/pandas-dev/pandas/issues/57431
Versions: pandas 2.2.3 -> 3.0.3
Reported: slower constructor and, from the layout of the copy, slower or faster column sums
Old:      pandas==2.2.3 numpy==2.2.6
New:      pandas==3.0.3 numpy==2.2.6
Kind:     steady
"""

import pandas as pd

sizes = (1_000, 100_000)


def inputs(rng, size):
    values = rng.standard_normal((size, 4))
    return values, pd.DataFrame(values)


def bench_construct(values, frame):
    return pd.DataFrame(values)


def bench_series(values, frame):
    return pd.Series(values[:, 0])


def bench_sum(values, frame):
    return frame.sum(axis=0)


def bench_row_loop(values, frame):
    return sum(frame[0].iloc[i] for i in range(50))
