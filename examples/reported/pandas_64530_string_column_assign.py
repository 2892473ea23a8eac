"""Assigning into a column of strings: pandas 3.0.0 checks each value in a loop of Python.

Issue:    https://github.com/pandas-dev/pandas/pull/64530 ("Fixed performance regression" in the notes of 3.0.2)
Versions: pandas 2.3.3 -> 3.0.1 (-> 3.0.2)
Reported: 24x (4.69 ms, and 0.195 ms with the correction), 30,000 rows
Old:      pandas==2.3.3 numpy==2.2.6 pyarrow==21.0.0
New:      pandas==3.0.1 numpy==2.2.6 pyarrow==21.0.0
Fixed:    pandas==3.0.2 numpy==2.2.6 pyarrow==21.0.0
Kind:     steady
"""

import numpy as np
import pandas as pd

sizes = (1_000, 30_000)


def inputs(rng, size):
    words = [("a", "b", "c")[i] for i in rng.integers(0, 3, size).tolist()]
    frame = pd.DataFrame({"name": words, "number": np.arange(size)})
    return frame, np.asarray(frame["name"], dtype=object)


def bench_assign_column(frame, values):
    frame.loc[:, "name"] = frame["name"]
    return len(frame)


def bench_assign_objects(frame, values):
    frame.loc[:, "name"] = values
    return len(frame)
