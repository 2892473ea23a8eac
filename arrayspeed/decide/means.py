"""Geometric means over comparisons that met in the same rounds.

What a round's processes have in common, the servers that forked them and the machine's spell, moves all comparisons of
the round together. Their intervals therefore cannot be added as if they were independent. The mean over comparisons is
formed within each round first, and its interval comes from how these means differ between rounds.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayspeed.decide.effects import ratio_of
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.student import quantile
from arrayspeed.decide.words import ERROR_RATE, FASTER, SAME, SLOWER, UNCLEAR

#: The share of comparisons that a round must have to count: later rounds have only what was not decided before.
COMPLETE = 0.9


@dataclass(frozen=True)
class Mean:
    """Geometric mean of ratios and its 95 % interval; ``low`` and ``high`` are None where fewer than two rounds hold
    nearly all comparisons.
    """

    ratio: float
    low: float | None
    high: float | None
    comparisons: int
    rounds: int


def geometric_mean(observed: Sequence[Observed]) -> Mean | None:
    """Return the mean of comparisons that have pairs at all; None where none has."""
    return mean_of_rounds([dict(zip(one.rounds, one.differences(), strict=True)) for one in observed])


def mean_of_rounds(every: Sequence[Mapping[Hashable, float]]) -> Mean | None:
    """Return the same of logarithms of ratios by round, a table for each comparison."""
    tables = [table for table in every if table]
    if not tables:
        return None
    names = list(dict.fromkeys(key for table in tables for key in table))
    whole = np.array([[table.get(name, np.nan) for name in names] for table in tables])
    kept = whole[:, np.mean(~np.isnan(whole), axis=0) >= COMPLETE]
    if kept.shape[1] == 0 or np.isnan(kept).all(axis=1).any():
        kept = whole
    rounds = filled(kept).mean(axis=0)
    middle = float(rounds.mean())
    count = len(rounds)
    if count < 2 or (kept is whole and np.isnan(whole).mean() > 1 - COMPLETE):
        return Mean(ratio_of(middle), None, None, len(tables), count)
    margin = quantile(ERROR_RATE / 2, count - 1) * float(rounds.std(ddof=1)) / math.sqrt(count)
    return Mean(ratio_of(middle), ratio_of(middle - margin), ratio_of(middle + margin), len(tables), count)


def shown(mean: Mean, factor: float) -> str:
    """Return whether a mean is shown to be beyond the factor or within it: its whole interval is."""
    if mean.low is None or mean.high is None:
        return UNCLEAR
    if mean.low > factor:
        return SLOWER
    if mean.high < 1 / factor:
        return FASTER
    return SAME if 1 / factor < mean.low and mean.high < factor else UNCLEAR


def filled(table: np.ndarray) -> np.ndarray:
    """Comparisons by rounds, with what is missing as the comparison's own mean and the round's effect make it."""
    own = np.nanmean(table, axis=1, keepdims=True)
    effect = np.nanmean(table - own, axis=0, keepdims=True)
    return np.where(np.isnan(table), own + effect, table)
