"""What goes along with noise: which counts rise with a comparison's ratio from round to round.

Kendall's rank correlation, one-sided, so that one far-off round decides nothing. Of many pairs some would go along by
chance: Benjamini and Hochberg over all of them. What goes along with a ratio need not be its cause.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arrayspeed.decide.discovery import adjusted
from arrayspeed.decide.words import ERROR_RATE


def along(cases: Sequence[tuple[Sequence[float], Mapping[str, Sequence[float]]]]) -> list[list[str]]:
    """Return the names of the counts that are shown to rise with the ratio, case by case.

    Parameters
    ----------
    cases
        Logarithms of ratios, round by round, and for each name the difference of a count in the same rounds.

    Raises
    ------
    ValueError
        A count has not as many rounds as the ratio.
    """
    places = [(n, name) for n, (_, counts) in enumerate(cases) for name in counts]
    chances = [chance(cases[n][0], cases[n][1][name]) for n, name in places]
    found: list[list[str]] = [[] for _ in cases]
    for (n, name), each in zip(places, adjusted(chances), strict=True):
        if each <= ERROR_RATE:
            found[n].append(name)
    return found


def chance(ratios: Sequence[float], differences: Sequence[float]) -> float:
    """Return the chance of ranks that agree at least so well where nothing goes along; 1 where one side
    never differs.
    """
    if len(ratios) != len(differences):
        raise ValueError(f"{len(ratios)} ratios and {len(differences)} differences")
    if len(ratios) < 2:
        return 1.0
    from scipy.stats import kendalltau  # seldom asked for, and long to import

    p = float(kendalltau(ratios, differences, alternative="greater").pvalue)
    return 1.0 if math.isnan(p) else p
