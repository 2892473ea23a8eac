"""When a claim holds: the kinds of claim, each with one rule.

Two measurements are compared by their intervals (`arrayspeed.evidence.interval`): one is faster than the other
where its interval lies wholly below, and otherwise they are a tie. The rule of each kind is its class's docstring.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arrayspeed.evidence import Case, Evidence, Found, Measurement
from arrayspeed.units import human, significant

#: How far a measured ratio may be from the one reported: hardware and versions differ.
FACTOR = 2

#: What "tied" means where an article gives no number: the fastest takes at most a quarter less than the slowest.
TIED = 0.25

#: Comparisons shown one by one; of more, only those that are unlike the claim.
SHOWN = 5

FIELDS = ("kernel", "backend", "device", "dtype", "measure", "size")

WORDS = {"time_call": "call", "track_first_call": "first call", "time_round_trip": "round trip"}

Measurements = Mapping[Case, Measurement]


@dataclass(frozen=True)
class Pair:
    """A comparison: ``fast`` is what the claim says is faster."""

    fast: Case
    slow: Case


@dataclass(frozen=True)
class Comparison:
    """What was measured of a pair. ``ratio``: how many times the time of ``fast`` the time of ``slow`` is."""

    pair: Pair
    ratio: float
    order: int

    def __str__(self) -> str:
        if self.order == 0:
            return f"a tie ({significant(self.ratio, 2)}×)"
        if self.order > 0:
            return f"{significant(self.ratio, 2)}× faster"
        return f"{significant(1 / self.ratio, 2)}× slower"


@dataclass(frozen=True)
class Outcome:
    """Whether a claim holds, what was measured in words, and the comparisons that it was decided by."""

    holds: bool
    text: str
    comparisons: list[Comparison] = field(default_factory=list)


def compare(pair: Pair, measurements: Measurements) -> Comparison:
    """A pair's ratio and order: 1 where ``fast`` is faster, -1 where it is slower, 0 where it is a tie."""
    fast, slow = measurements[pair.fast], measurements[pair.slow]
    order = 1 if fast.high < slow.low else -1 if slow.high < fast.low else 0
    return Comparison(pair, slow.value / fast.value, order)


def varying(cases: list[Case]) -> list[str]:
    """The fields in which cases differ."""
    return [name for name in FIELDS if len({getattr(case, name) for case in cases}) > 1]


def labels(cases: list[Case]) -> list[str]:
    """Each case named by its backend, and by what it does not share with the others."""
    told = {"backend", *varying(cases)}
    return [" ".join(word(case, name) for name in FIELDS if name in told) for case in cases]


def word(case: Case, name: str) -> str:
    """A field as text reads it."""
    value = getattr(case, name)
    if name == "size":
        return f"at {value:,}"
    if name == "measure":
        return {"time_call": "call", "track_first_call": "first call", "time_round_trip": "round trip"}.get(
            value, value
        )
    return value


def times(cases: Iterable[Case], measurements: Measurements) -> str:
    """Every case once with its time."""
    cases = list(dict.fromkeys(cases))
    return ", ".join(
        f"{label} {human(measurements[case].value, case.measure)}"
        for case, label in zip(cases, labels(cases), strict=True)
    )


def single(comparison: Comparison, measurements: Measurements) -> str:
    """One comparison with its times: ``jax 1.2 ms, numpy 2.4 ms: jax 2.0× faster``."""
    pair = [comparison.pair.fast, comparison.pair.slow]
    subject = "" if comparison.order == 0 else labels(pair)[0] + " "
    return f"{times(pair, measurements)}: {subject}{comparison}"


def several(comparisons: list[Comparison], unlike: list[Comparison]) -> str:
    """Many comparisons in a line: all where they are few, else those that are unlike the claim."""
    pairs = [comparison.pair for comparison in comparisons]
    if len(comparisons) <= SHOWN:
        return "; ".join(one_of(comparison, pairs) for comparison in comparisons)
    count = f"{len(comparisons) - len(unlike)} of {len(comparisons)} comparisons agree"
    if not unlike:
        return count
    rest = f"; and {len(unlike) - SHOWN} more" if len(unlike) > SHOWN else ""
    return f"{count}; not: " + "; ".join(one_of(comparison, pairs) for comparison in unlike[:SHOWN]) + rest


def one_of(comparison: Comparison, pairs: list[Pair]) -> str:
    """A comparison, and of its pair what it does not share with the other pairs: ``at 50: 1.2× slower than numba``."""
    pair = comparison.pair
    fast = set(varying([p.fast for p in pairs]))
    slow = set(varying([p.slow for p in pairs]))
    shared = {name for name in fast & slow if getattr(pair.fast, name) == getattr(pair.slow, name)}
    where = [word(pair.fast, name) for name in FIELDS if name in fast]
    against = [word(pair.slow, name) for name in FIELDS if name in slow - shared]
    preposition = "with" if comparison.order == 0 else "than"
    tail = f" {preposition} {' '.join(against)}" if against else ""
    return f"{' '.join(where)}: {comparison}{tail}" if where else f"{comparison}{tail}"


@dataclass(frozen=True)
class Criterion:
    """When a claim about pairs holds. ``each_size``: decided by those sizes at which everything was measured."""

    pairs: tuple[Pair, ...]
    each_size: bool = False
    sizes_needed: ClassVar[int] = 1

    @property
    def cases(self) -> list[Case]:
        """Everything that has to be measured."""
        return list(dict.fromkeys(case for pair in self.pairs for case in (pair.fast, pair.slow)))

    def find(self, evidence: Evidence) -> Found | None:
        """The measurements that decide it, or None."""
        if self.each_size:
            return evidence.find_each_size(self.cases, self.sizes_needed)
        return evidence.find(self.cases)

    def judge(self, measurements: Measurements) -> Outcome:
        """Whether it holds."""
        found = [compare(pair, measurements) for pair in self.pairs if {pair.fast, pair.slow} <= measurements.keys()]
        unlike = [comparison for comparison in found if not self.agrees(comparison)]
        return Outcome(self.decide(found, unlike), self.describe(found, unlike, measurements), found)

    def decide(self, found: list[Comparison], unlike: list[Comparison]) -> bool:
        """All comparisons agree with the claim."""
        return not unlike

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """What was measured, in words."""
        return single(found[0], measurements) if len(found) == 1 else several(found, unlike)

    def agrees(self, comparison: Comparison) -> bool:
        """Whether one comparison is as the claim says."""
        raise NotImplementedError


class Faster(Criterion):
    """Each is faster than what it is compared with; a tie is not enough."""

    def agrees(self, comparison: Comparison) -> bool:
        """Faster, beyond the noise."""
        return comparison.order > 0


class NotFaster(Criterion):
    """None is faster than what it is compared with; a tie is enough."""

    def agrees(self, comparison: Comparison) -> bool:
        """Not faster, beyond the noise."""
        return comparison.order <= 0


@dataclass(frozen=True)
class TimesFaster(Criterion):
    """Each is faster, and the ratio is within a factor of 2 of the one reported (of the range, where it is one)."""

    ratio: tuple[float, float] = (1, 1)

    def agrees(self, comparison: Comparison) -> bool:
        """Faster beyond the noise, by a ratio that is near."""
        lowest, highest = self.ratio
        return comparison.order > 0 and lowest / FACTOR <= comparison.ratio <= highest * FACTOR


@dataclass(frozen=True)
class BestTimesFaster(TimesFaster):
    """The largest of the ratios is within a factor of 2 of the one reported."""

    def decide(self, found: list[Comparison], unlike: list[Comparison]) -> bool:
        """Only the largest ratio has to agree."""
        return self.agrees(max(found, key=lambda comparison: comparison.ratio))

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The largest."""
        best = max(found, key=lambda comparison: comparison.ratio)
        return f"at best, of {len(found)}: {single(best, measurements)}, size {best.pair.fast.size:,}"


@dataclass(frozen=True)
class Grows(TimesFaster):
    """The time grows by a factor that is within a factor of 2 of the one reported."""

    def agrees(self, comparison: Comparison) -> bool:
        """The ratio is near, in either order: 1.1 is near 0.9."""
        lowest, highest = self.ratio
        return lowest / FACTOR <= comparison.ratio <= highest * FACTOR

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """The factor, and the times at both ends."""
        (growth,) = found
        pair = growth.pair
        return f"{significant(growth.ratio, 2)}×: " + ", ".join(
            f"{case.size:,} {human(measurements[case].value, case.measure)}" for case in (pair.fast, pair.slow)
        )


class Somewhere(Criterion):
    """There is a measured size at which it is faster beyond the noise."""

    def decide(self, found: list[Comparison], unlike: list[Comparison]) -> bool:
        """One is enough."""
        return len(unlike) < len(found)

    def describe(self, found: list[Comparison], unlike: list[Comparison], measurements: Measurements) -> str:
        """Where it is faster, and where it is not."""
        faster = [f"{c.pair.fast.size:,} ({significant(c.ratio, 2)}×)" for c in found if c.order > 0]
        other = [f"{c.pair.fast.size:,}" for c in found if c.order <= 0]
        told = f"faster at {', '.join(faster)}" if faster else "faster at no size"
        return f"{told}; not at {', '.join(other)}" if other and faster else told

    def agrees(self, comparison: Comparison) -> bool:
        """Faster, beyond the noise."""
        return comparison.order > 0


class Overtakes(Somewhere):
    """It is not faster at the smallest measured size, and faster at the largest."""

    sizes_needed = 2

    def decide(self, found: list[Comparison], unlike: list[Comparison]) -> bool:
        """The two ends, in the order of the sizes."""
        return found[0].order <= 0 and found[-1].order > 0


@dataclass(frozen=True)
class Alike(Criterion):
    """The fastest takes at most so much less time than the slowest, or they are a tie.

    So much is the share reported, and 25 % where the article gives none. The pairs are all with the first.
    """

    within: float = TIED

    def judge(self, measurements: Measurements) -> Outcome:
        """By the largest difference, at each size."""
        by_size: dict[int | None, list[Case]] = {}
        for case in self.cases:
            if case in measurements:
                by_size.setdefault(case.size if self.each_size else None, []).append(case)
        groups = list(by_size.values())
        holds = all(difference(group, measurements) <= self.within or tied(group, measurements) for group in groups)
        text = "; ".join(apart(group, measurements, len(groups) > 1) for group in groups)
        found = [compare(pair, measurements) for pair in self.pairs if {pair.fast, pair.slow} <= measurements.keys()]
        return Outcome(holds, text, found)


def difference(cases: list[Case], measurements: Measurements) -> float:
    """The share of the slowest's time that the fastest takes less."""
    values = [measurements[case].value for case in cases]
    return 1 - min(values) / max(values)


def tied(cases: list[Case], measurements: Measurements) -> bool:
    """Whether all intervals overlap."""
    return max(measurements[case].low for case in cases) <= min(measurements[case].high for case in cases)


def apart(cases: list[Case], measurements: Measurements, with_size: bool) -> str:
    """How far a group is apart."""
    share = f"{difference(cases, measurements):.0%} apart"
    return f"{cases[0].size:,}: {share}" if with_size else f"{share}: {times(cases, measurements)}"


@dataclass(frozen=True)
class NoSingleWinner:
    """Of groups, each of cases that compete, no one backend is the fastest (or tied with it) everywhere."""

    groups: tuple[tuple[Case, ...], ...]
    pairs: ClassVar[tuple[Pair, ...]] = ()

    @property
    def cases(self) -> list[Case]:
        """Everything that has to be measured."""
        return [case for group in self.groups for case in group]

    def find(self, evidence: Evidence) -> Found | None:
        """The measurements that decide it, or None."""
        return evidence.find(self.cases)

    def judge(self, measurements: Measurements) -> Outcome:
        """By the backends that nothing beats, group by group."""
        unbeaten = [
            {c.backend for c in group if all(compare(Pair(o, c), measurements).order <= 0 for o in group)}
            for group in self.groups
        ]
        wins: dict[str, int] = {}
        for group in self.groups:
            fastest = min(group, key=lambda case: measurements[case].value).backend
            wins[fastest] = wins.get(fastest, 0) + 1
        ordered = sorted(wins.items(), key=lambda item: -item[1])
        text = "fastest: " + ", ".join(f"{backend} {count} of {len(self.groups)}" for backend, count in ordered)
        return Outcome(not set.intersection(*unbeaten), text)
