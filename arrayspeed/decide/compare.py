"""Values of one environment: their ratios, the best of them, and where one overtakes another.

Two that took turns in rounds are compared round by round, as the sides of an upgrade are. Others have a few processes
of their own each, measured one after the other; what differs between such processes is all noise, so that their
intervals are wider.

A call may take one time in a process that gives freed memory back to the system, and another in one that retains it
(`arrayspeed.model.retention`). Where that is so of either of two, their ratio's interval encloses what both states
give, and the word needs both.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from arrayspeed.decide.effects import Effect, centre, ratio_of, worth
from arrayspeed.decide.prior import Prior, prior
from arrayspeed.decide.student import quantile
from arrayspeed.decide.words import ERROR_RATE, FACTOR, FASTER, SAME, SLOWER, UNCLEAR

#: Standard deviation of the logarithm between processes, where nothing measured says better. 1 to 10 % is usual on a
#: quiet machine.
PROCESS_NOISE = 0.10

#: The same of the ratio of two that took turns, of one round.
ROUND_NOISE = 0.15

#: Standard deviation of the logarithm of the ratio of two figures that were measured minutes apart, on top of what
#: differs between processes: two of three differ by less than a quarter on a shared machine. The tail is longer than a
#: normal one: one of twenty differs by ×1.5 to ×2.5, so what was not measured side by side is always marked.
APART = 0.20


#: The logarithms of the batches of a round, None where one failed.
Batches = tuple[float | None, ...]


@dataclass(frozen=True)
class Level:
    """The logarithm of a value.

    Attributes
    ----------
    shift, variance, freedom
        The logarithm, its variance, and the degrees of freedom of that.
    processes
        How many it is from.
    rounds
        The logarithm of what each process gave, in the order in which they ran; empty where one of them gave nothing.
    met
        Round -> the logarithms of the batches that it took in turn with others in that round, None where one failed;
        empty where it took turns with nobody.
    usual
        How noisy its ratios to others of the same round usually are.
    retained
        As ``met``, in the further turns of rounds in which processes retained freed memory.
    two_times
        Whether it takes another time there.
    """

    shift: float
    variance: float
    freedom: float
    processes: int
    rounds: tuple[float, ...] = ()
    met: Mapping[Hashable, Batches] = field(default_factory=dict)
    usual: Prior = field(default_factory=Prior)
    retained: Mapping[Hashable, Batches] = field(default_factory=dict)
    two_times: bool = False

    @property
    def value(self) -> float:
        """The value itself."""
        return math.exp(self.shift)

    @property
    def value_retained(self) -> float | None:
        """The value where freed memory is retained, if that is another one."""
        return math.exp(fmean(map(middle_of, self.retained.values()))) if self.two_times and self.retained else None

    def times(self, number: float) -> Level:
        """Return the level of the value times a number that is known exactly."""
        more = math.log(number)
        rounds = tuple(one + more for one in self.rounds)
        met, retained = (plus(batches, more) for batches in (self.met, self.retained))
        return replace(self, shift=self.shift + more, rounds=rounds, met=met, retained=retained)


def plus(batches: Mapping[Hashable, Batches], more: float) -> dict[Hashable, Batches]:
    """Return batches of rounds, each logarithm larger by so much."""
    return {key: tuple(None if one is None else one + more for one in ones) for key, ones in batches.items()}


@dataclass(frozen=True)
class Ratio:
    """A ratio with its interval, and the word for it. ``low`` and ``high`` enclose it with 95 % confidence;
    ``in_turn``: the two took turns; ``retained``: the ratio where processes retain freed memory, which the interval
    encloses too, where one of the two takes another time there.
    """

    ratio: float
    low: float
    high: float
    verdict: str
    in_turn: bool = False
    retained: Ratio | None = None


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


def level(logs: Sequence[float], usual: Prior, rounds: tuple[float, ...] = (), noise: float = PROCESS_NOISE) -> Level:
    """One level, its variance moved towards the usual one; ``noise`` where nothing measured says better."""
    if len(logs) == 1:
        variance, freedom = (usual.variance, usual.worth) if usual.worth else (noise**2, math.inf)
        return Level(logs[0], variance, freedom, 1, rounds)
    middle, variance, freedom = centre(logs)
    if not variance and not usual.worth:  # processes that agree exactly by chance are not without noise
        return Level(middle, noise**2 / len(logs), math.inf, len(logs), rounds)
    own = worth(len(logs))
    pooled = (usual.worth * usual.variance + own * variance) / (usual.worth + own)
    return Level(middle, pooled / len(logs), freedom + usual.worth, len(logs), rounds)


def levels_in_turn(
    batches: Mapping[Hashable, Mapping[Hashable, Sequence[float | None]]],
    anchors: Mapping[Hashable, Hashable],
    groups: Mapping[Hashable, Hashable],
    retained: Mapping[Hashable, Mapping[Hashable, Sequence[float | None]]] | None = None,
    two_times: Collection[Hashable] = (),
) -> dict[Hashable, Level]:
    """Return the levels of values that took turns, from their batches in each round, all above 0 or None.

    ``anchors``: key -> the key that its noise is taken against, itself where it is the anchor. ``groups``: as of
    `levels`. ``retained``: as ``batches``, where processes retained freed memory; ``two_times``: the keys of those that
    take another time there.
    """
    met, again = logarithms_by_round(batches), logarithms_by_round(retained or {})
    usual = defaultdict(list)
    for key, rounds in met.items():
        found = differences(rounds, met.get(anchors[key], {})) if anchors[key] != key else []
        if len(found) > 1:
            middle, variance, freedom = centre(found)
            usual[groups[key]].append(Effect(middle, variance, len(found), freedom, worth(len(found))))
    priors = {kind: prior(ones) for kind, ones in usual.items()}
    values = {key: [math.exp(middle_of(ones)) for ones in rounds.values()] for key, rounds in met.items()}
    return {
        key: replace(
            one,
            met=met[key],
            usual=priors.get(groups[key], Prior()) if anchors[key] != key else Prior(),
            retained=again.get(key, {}),
            two_times=key in two_times,
        )
        for key, one in levels(values, groups).items()
    }


def logarithms_by_round(
    batches: Mapping[Hashable, Mapping[Hashable, Sequence[float | None]]],
) -> dict[Hashable, dict[Hashable, Batches]]:
    """Return the logarithms of batches, without rounds that gave nothing, and keys that have no round."""
    found = {
        key: {number: logarithms(ones) for number, ones in rounds.items() if any(ones)}
        for key, rounds in batches.items()
    }
    return {key: rounds for key, rounds in found.items() if rounds}


def logarithms(batches: Sequence[float | None]) -> Batches:
    """Return the logarithms of batches."""
    return tuple(math.log(one) if one else None for one in batches)


def middle_of(batches: Batches) -> float:
    """Return the median of the batches that gave something."""
    return median(one for one in batches if one is not None)


def differences(subject: Mapping[Hashable, Batches], reference: Mapping[Hashable, Batches]) -> list[float]:
    """Return the logarithm of subject over reference, one a round that both have: the median of neighbouring batches,
    where there are any.
    """
    found = []
    for number, ones in subject.items():
        if number in reference:
            pairs = zip(ones, reference[number], strict=False)
            near = [one - other for one, other in pairs if one is not None and other is not None]
            found.append(median(near) if near else middle_of(ones) - middle_of(reference[number]))
    return found


def in_turn(subject: Level, reference: Level) -> Level | None:
    """Return the ratio of two that met, as a level; None where they did not meet."""
    found = differences(subject.met, reference.met)
    if not found:
        return None
    known = [one.usual for one in (subject, reference) if one.usual.worth]
    return level(found, max(known, key=lambda one: one.variance, default=Prior()), noise=ROUND_NOISE)


def compare(subject: Level, reference: Level, factor: float = FACTOR, apart: float = 0.0, among: int = 1) -> Ratio:
    """Return the ratio of two levels, and whether it is shown to be beyond the factor or within it.

    Parameters
    ----------
    subject, reference
        The levels, of values where less is better.
    factor
        The ratio that somebody would act on.
    apart
        Standard deviation to add where the two did not take turns: `APART` where they were not measured within seconds
        of each other.
    among
        The number of comparisons of which this is one; the word is Bonferroni's, the interval that of one comparison.
    """
    shift, error, freedom = difference(subject, reference, apart)
    margin, strict = margins(error, freedom, among)
    ratio, low, high = (ratio_of(shift + side * margin) for side in (0, -1, 1))
    found = Ratio(ratio, low, high, word(shift - strict, shift + strict, factor), have_met(subject, reference))
    return (
        with_both(found, compare(*again, factor, apart, among)) if (again := retaining(subject, reference)) else found
    )


def have_met(subject: Level, reference: Level) -> bool:
    """Return whether two took turns in some round."""
    return not subject.met.keys().isdisjoint(reference.met.keys())


def retaining(subject: Level, reference: Level) -> tuple[Level, Level] | None:
    """Return two as they are where processes retain freed memory; None where neither takes another time there, or they
    did not meet in that state.

    Their ratio's noise is taken from their rounds in both states, as if it were the same in both.
    """
    if not (subject.two_times or reference.two_times) or subject.retained.keys().isdisjoint(reference.retained.keys()):
        return None
    known = in_turn(subject, reference)
    usual = Prior()
    if known and math.isfinite(known.freedom):
        usual = Prior(known.variance * known.processes, known.freedom)
    return as_retained(subject, usual), as_retained(reference, usual)


def as_retained(one: Level, usual: Prior) -> Level:
    """Return a level of what was met where memory is retained alone."""
    return replace(one, rounds=(), met=one.retained, usual=usual, retained={}, two_times=False)


def with_both(usual: Ratio, retained: Ratio) -> Ratio:
    """Return a ratio whose interval encloses both states, and whose word both show."""
    low, high = min(usual.low, retained.low), max(usual.high, retained.high)
    verdict = usual.verdict if usual.verdict == retained.verdict else UNCLEAR
    return replace(usual, low=low, high=high, verdict=verdict, retained=retained)


def stays_within(high: float, most: float) -> bool:
    """Return whether an interval that ends at ``high`` is below a ratio as a whole."""
    return high <= most


def exceeds(ratio: Ratio, factor: float) -> bool:
    """Return whether a ratio is above a factor, shown or not: what is to be looked into."""
    return ratio.ratio > factor


def difference(subject: Level, reference: Level, apart: float = 0.0) -> tuple[float, float, float]:
    """Return the logarithm of the ratio, its standard error, and the degrees of freedom of that."""
    if pair := in_turn(subject, reference):
        shift, parts, apart = pair.shift, [(pair.variance, pair.freedom)], 0.0
    else:
        shift = subject.shift - reference.shift
        parts = [(one.variance, one.freedom) for one in (subject, reference)]
        # One that took turns and one that did not were measured at other times, unless one is a number.
        if (subject.met or reference.met) and subject.variance and reference.variance:
            apart = max(apart, APART)
    total = sum(variance for variance, _ in parts) + apart**2
    below = sum(variance**2 / freedom for variance, freedom in parts if math.isfinite(freedom))
    return shift, math.sqrt(total), total**2 / below if below else math.inf


def margins(error: float, freedom: float, among: int = 1) -> tuple[float, float]:
    """Return half the width of a 95 % interval, and of the interval that the word of one of so many needs."""
    return quantile(ERROR_RATE / 2, freedom) * error, quantile(ERROR_RATE / 2 / among, freedom) * error


def word(low: float, high: float, factor: float) -> str:
    """Return what an interval of a logarithm shows: that it lies beyond the factor, within it, or neither."""
    edge = math.log(factor)
    if low > edge or high < -edge:
        return SLOWER if low > edge else FASTER
    return SAME if -edge < low and high < edge else UNCLEAR


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
