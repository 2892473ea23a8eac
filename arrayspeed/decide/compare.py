"""Values that never met in a round: their ratios, the best of them, and where one overtakes another.

Most published numbers are of this kind: each backend has a few processes of its own, measured one after the other. What
differs between such processes is all noise, so intervals are wider than those of blocks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from arrayspeed.decide.effects import Effect, centre, ratio_of, worth
from arrayspeed.decide.prior import Prior, prior
from arrayspeed.decide.student import quantile
from arrayspeed.decide.words import ERROR_RATE, FACTOR, FASTER, SAME, SLOWER, UNCLEAR

#: Standard deviation of the logarithm between processes, where nothing measured says better. 1 to 10 % is usual on a
#: quiet machine.
PROCESS_NOISE = 0.10

#: Standard deviation of the logarithm of the ratio of two figures that were measured minutes apart, on top of what
#: differs between processes: two of three differ by less than a quarter on a shared machine. The tail is longer than a
#: normal one: one of twenty differs by ×1.5 to ×2.5, so what was not measured side by side is always marked.
APART = 0.20


@dataclass(frozen=True)
class Level:
    """The logarithm of a value, the variance of that, and the degrees of freedom of the variance. ``rounds``: the
    logarithm of what each process gave, in the order in which they ran; empty where one of them gave nothing.
    """

    shift: float
    variance: float
    freedom: float
    processes: int
    rounds: tuple[float, ...] = ()

    @property
    def value(self) -> float:
        """The value itself."""
        return math.exp(self.shift)


@dataclass(frozen=True)
class Ratio:
    """A ratio with its interval, and the word for it. ``low`` and ``high`` enclose it with 95 % confidence."""

    ratio: float
    low: float
    high: float
    verdict: str


def levels(
    processes: Mapping[Hashable, Sequence[float | None]], groups: Mapping[Hashable, Hashable] | None = None
) -> dict[Hashable, Level]:
    """Return the level of each value from what its processes gave, all above 0; None is a process that failed.

    ``groups``: key -> what says how noisy processes of it usually are, a backend and a measure. A value of one process
    has that noise alone, and `PROCESS_NOISE` where it is unknown.
    """
    every = {key: [None if one is None else math.log(one) for one in values] for key, values in processes.items()}
    logs = {key: found for key, values in every.items() if (found := [one for one in values if one is not None])}
    kinds = {key: (groups or {}).get(key) for key in logs}
    single = defaultdict(list)
    for key, values in logs.items():
        if len(values) > 1:
            middle, variance, freedom = centre(values)
            single[kinds[key]].append(Effect(middle, variance, len(values), freedom, worth(len(values))))
    priors = {kind: prior(ones) for kind, ones in single.items()}
    return {
        # A process that failed would shift all later ones by a round.
        key: level(values, priors.get(kinds[key], Prior()), tuple(values) if len(values) == len(every[key]) else ())
        for key, values in logs.items()
    }


def level(logs: Sequence[float], usual: Prior, rounds: tuple[float, ...] = ()) -> Level:
    """One level, its variance moved towards the usual one."""
    if len(logs) == 1:
        variance, freedom = (usual.variance, usual.worth) if usual.worth else (PROCESS_NOISE**2, math.inf)
        return Level(logs[0], variance, freedom, 1, rounds)
    middle, variance, freedom = centre(logs)
    if not variance and not usual.worth:  # processes that agree exactly by chance are not without noise
        return Level(middle, PROCESS_NOISE**2 / len(logs), math.inf, len(logs), rounds)
    own = worth(len(logs))
    pooled = (usual.worth * usual.variance + own * variance) / (usual.worth + own)
    return Level(middle, pooled / len(logs), freedom + usual.worth, len(logs), rounds)


def compare(subject: Level, reference: Level, factor: float = FACTOR, apart: float = 0.0, among: int = 1) -> Ratio:
    """Return the ratio of two levels, and whether it is shown to be beyond the factor or within it.

    Parameters
    ----------
    subject, reference
        The levels, of values where less is better.
    factor
        The ratio that somebody would act on.
    apart
        Standard deviation to add: `APART` where the two were not measured within seconds of each other.
    among
        The number of comparisons of which this is one; the word is Bonferroni's, the interval that of one comparison.
    """
    shift, margin, strict = difference(subject, reference, apart, among)
    return Ratio(ratio_of(shift), ratio_of(shift - margin), ratio_of(shift + margin), word(shift, strict, factor))


def difference(subject: Level, reference: Level, apart: float = 0.0, among: int = 1) -> tuple[float, float, float]:
    """Return the logarithm of the ratio, half the width of its 95 % interval, and of the interval that the
    word needs.
    """
    shift = subject.shift - reference.shift
    parts = [(one.variance, one.freedom) for one in (subject, reference)]
    total = sum(variance for variance, _ in parts) + apart**2
    error = math.sqrt(total)
    below = sum(variance**2 / freedom for variance, freedom in parts if math.isfinite(freedom))
    freedom = total**2 / below if below else math.inf
    return shift, quantile(ERROR_RATE / 2, freedom) * error, quantile(ERROR_RATE / 2 / among, freedom) * error


def word(shift: float, strict: float, factor: float) -> str:
    """Return what an interval of a logarithm shows: that it lies beyond the factor, within it, or neither."""
    edge = math.log(factor)
    if abs(shift) - strict > edge:
        return SLOWER if shift > 0 else FASTER
    return SAME if abs(shift) + strict < edge else UNCLEAR


def best(levels_of: Mapping[Hashable, Level], factor: float = FACTOR) -> list[Hashable]:
    """Those that are not shown to be slower than the best one by the factor, fastest first.

    Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best", 1984, with Bonferroni's
    bound in place of the multivariate t: the set may be larger than need be, never smaller.
    """
    among = max(1, len(levels_of) - 1)
    ordered = sorted(levels_of, key=lambda key: levels_of[key].shift)
    return [
        key
        for key in ordered
        if all(
            compare(levels_of[key], levels_of[other], factor, among=among).verdict != SLOWER
            for other in ordered
            if other != key
        )
    ]


@dataclass(frozen=True)
class Crossover:
    """One overtakes the other between two sizes: at ``last`` the other is still shown to be faster, at ``first`` the
    one is, and in between nothing is shown or nothing was measured.
    """

    last: int
    first: int


def crossover(levels: Mapping[int, Level], other: Mapping[int, Level], factor: float = FACTOR) -> Crossover | None:
    """Return where ``levels`` overtakes ``other`` as the size grows; None where it is not shown to."""
    sizes = sorted(levels.keys() & other.keys())
    shown = [(size, compare(levels[size], other[size], factor, among=max(1, len(sizes))).verdict) for size in sizes]
    last = None
    for size, word in shown:
        if word == SLOWER:
            last = size
        elif word == FASTER and last is not None:
            return Crossover(last, size)
    return None
