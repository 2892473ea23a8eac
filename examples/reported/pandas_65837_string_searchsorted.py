"""Series.searchsorted in sorted strings: since pandas 3 every call looks at all rows for missing values.

Issue:    https://github.com/pandas-dev/pandas/issues/65837
Versions: pandas 2.2.2 -> 3.0.3 (-> 3.0.4)
Reported: below 0.1 ms -> 1.33 s, for about 46 million rows
Old:      pandas==2.3.3 numpy==2.2.6
New:      pandas==3.0.3 numpy==2.2.6
Fixed:    pandas==3.0.5 numpy==2.2.6
Kind:     steady
"""

import numpy as np
import pandas as pd

sizes = (10_000, 1_000_000)


def inputs(rng, size):
    groups = np.sort(rng.integers(0, 1_000, size))
    words = [f"A{group:05d}" for group in range(1_000)]
    return (pd.Series([words[group] for group in groups.tolist()]),)


def bench_searchsorted_left(series):
    return int(series.searchsorted("A00456", side="left"))


def bench_searchsorted_many(series):
    return series.searchsorted(["A00012", "A00345", "A00678", "A00901"], side="right").tolist()
