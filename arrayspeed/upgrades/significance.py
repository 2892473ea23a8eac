"""Which of many differences are real: the statistics of an upgrade.

One process gives one sample, the median of its own (Kalibera and Jones, "Rigorous benchmarking in reasonable time",
2013): what differs between processes is the noise. Differences are of logarithms, so they are ratios.

Few processes say little about their own noise, many comparisons together say what noise is usual: each variance is
moved towards the usual one as far as the comparisons resemble each other, after Smyth, "Linear models and empirical
Bayes methods for assessing differential expression in microarray experiments", 2004, sections 3 and 6.2. The
moderated t then has the degrees of freedom of both.

Of many comparisons some would look different by chance: Benjamini and Hochberg, "Controlling the false discovery
rate", 1995, over all comparisons of an upgrade.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

#: Fewer comparisons than this do not say what noise is usual.
ENOUGH = 5

#: Confidence of the intervals.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """How two sets of logarithms differ, before their noise is known better.

    Attributes
    ----------
    shift
        Mean of the second less mean of the first.
    variance, freedom
        Of one difference of two processes: what was seen, and from how many degrees of freedom.
    count
        The variance of ``shift`` is ``variance / count``.
    noise
        Standard deviation between the processes of one side.
    """

    shift: float
    variance: float
    freedom: int
    count: float
    noise: float


@dataclass(frozen=True)
class Estimate:
    """A ratio with its confidence interval, the chance of it where nothing differs, and the noise between processes
    as a standard deviation of logarithms.
    """

    ratio: float
    low: float
    high: float
    chance: float
    noise: float


def differ(old: Sequence[float], new: Sequence[float], paired: bool) -> Difference:
    """The difference of two sets of at least two logarithms each.

    ``paired``: the n-th of both were measured one after the other, and drift of the machine that both saw cancels.
    """
    noise = math.sqrt((variance(old) * (len(old) - 1) + variance(new) * (len(new) - 1)) / (len(old) + len(new) - 2))
    shift = fmean(new) - fmean(old)
    if paired:
        return Difference(
            shift, variance([b - a for a, b in zip(old, new, strict=True)]), len(old) - 1, len(old), noise
        )
    harmonic = 2 / (1 / len(old) + 1 / len(new))
    return Difference(shift, 2 * noise**2, len(old) + len(new) - 2, harmonic, noise)


def usual_variance(differences: Sequence[Difference]) -> tuple[float, float]:
    """The usual variance of comparisons, and the degrees of freedom that it is worth.

    Zero degrees where there are too few comparisons to tell, infinitely many where all resemble each other.
    """
    import numpy as np
    from scipy.special import digamma, polygamma

    known = [one for one in differences if one.variance > 0]
    if len(known) < ENOUGH:
        return 0.0, 0.0
    half = np.array([one.freedom / 2 for one in known])
    logs = np.log([one.variance for one in known]) - digamma(half) + np.log(half)
    spread = float(logs.var(ddof=1) - polygamma(1, half).mean())
    if spread <= 0:
        return float(np.exp(logs.mean())), math.inf
    freedom = 2 * inverse_trigamma(spread)
    return float(np.exp(logs.mean() + digamma(freedom / 2) - np.log(freedom / 2))), freedom


def inverse_trigamma(value: float) -> float:
    """The number whose trigamma is ``value``, above 0."""
    from scipy.optimize import brentq
    from scipy.special import polygamma

    # trigamma(x) is between 1/x and 1/x + 1/x² for x > 0.
    return float(brentq(lambda x: polygamma(1, x) - value, 0.5 / (value + math.sqrt(value)), 2 * (1 / value + 1)))


def estimate(differences: Sequence[Difference]) -> list[Estimate]:
    """A ratio with its interval and chance for each of the comparisons, which tell each other what noise is usual."""
    usual, worth = usual_variance(differences)
    return [estimate_one(one, usual, worth) for one in differences]


def estimate_one(one: Difference, usual: float, worth: float) -> Estimate:
    """A ratio with its interval and chance, its variance moved towards the usual one."""
    from scipy.stats import norm, t

    if math.isinf(worth):
        moderated, distribution = usual, norm
    else:
        freedom = worth + one.freedom
        moderated, distribution = (worth * usual + one.freedom * one.variance) / freedom, t(freedom)
    error = math.sqrt(moderated / one.count)
    if error == 0:  # whatever differs is no noise: all processes agree
        return Estimate(*[math.exp(one.shift)] * 3, float(one.shift == 0), 0.0)
    margin = float(distribution.ppf((1 + CONFIDENCE) / 2)) * error
    chance = 2 * float(distribution.sf(abs(one.shift) / error))
    low, high = math.exp(one.shift - margin), math.exp(one.shift + margin)
    return Estimate(math.exp(one.shift), low, high, chance, one.noise)


def false_discovery(chances: Sequence[float]) -> list[float]:
    """Each chance adjusted for the number of comparisons: reporting those below q, a share q of them is false."""
    from scipy.stats import false_discovery_control

    return [float(chance) for chance in false_discovery_control(list(chances))] if chances else []


def geometric_mean(estimates: Sequence[Estimate]) -> tuple[float, float, float]:
    """Geometric mean of ratios, and its confidence interval from the noise of each."""
    logs = [math.log(one.ratio) for one in estimates]
    # Half an interval is about two standard errors, a little more with few processes: never too narrow.
    errors = [math.log(one.high / one.low) / 2 for one in estimates]
    margin = math.sqrt(sum(error**2 for error in errors)) / len(errors)
    mean = fmean(logs)
    return math.exp(mean), math.exp(mean - margin), math.exp(mean + margin)
