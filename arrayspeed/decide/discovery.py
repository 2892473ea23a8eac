"""Many tests at once: Benjamini and Hochberg, "Controlling the false discovery rate", 1995.

SciPy has the same in `scipy.stats`, whose import takes longer than that of everything else that a command needs; a test
compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def adjusted(chances: Sequence[float]) -> list[float]:
    """Return each chance adjusted for their number: of those at most q, on average a share of q at most is false."""
    if not chances:
        return []
    known = np.clip(chances, 0, 1)
    largest_first = np.argsort(known)[::-1]
    count = len(known)
    found = np.empty(count)
    found[largest_first] = np.minimum.accumulate(known[largest_first] * (count / np.arange(count, 0, -1)))
    return [float(each) for each in found]
