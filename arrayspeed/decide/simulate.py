"""What becomes of comparisons whose truth is known: the promises of `arrayspeed.decide`, checked.

Each scenario is a way in which measurements on real machines are worse than those of textbooks. True ratios are 80 %
equal and the rest from 1.02 to 1.5, either way. The noise of one pair's ratio is from 2 to 20 %: comparisons come in
groups (backends), each of a level of its own, around which its comparisons (kernels) differ by a third or so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from arrayspeed.decide.judge import Decision, judge
from arrayspeed.decide.looks import LOOKS, SPENDING, Looks
from arrayspeed.decide.means import geometric_mean
from arrayspeed.decide.observed import Observed, Value
from arrayspeed.decide.words import (
    BROKEN,
    ERROR_RATE,
    FACTOR,
    FAILS,
    FASTER,
    LIMIT,
    LIMITS,
    MOST_A_LOOK,
    OPEN,
    SAME,
    SLOWER,
    SOMETIMES,
    TIMES,
    WORDS,
    WORKS,
)

#: The most rounds of a comparison.
ROUNDS = LOOKS[-1]

#: Comparisons in a run: as many as an upgrade of one library has.
RUN = 200

#: Groups of comparisons in a run (a backend's kernels, small and large: forty each), and the standard deviation of the
#: logarithm of noise within one.
GROUPS, WITHIN = 5, 0.3

#: The rounds of geometric means.
MEANS_ROUNDS = 10

#: The rounds after which a time limit is simulated: of so few, degrees of freedom are known worst.
LATE = 5

#: The true ratios of what is not equal.
CHANGED = (1.02, 1.05, 1.10, 1.20, 1.50)

#: The one that differs among equals, by just the limit.
LONE = LIMIT

#: Noise of one pair's ratio, lowest and highest.
NOISE = (0.02, 0.20)

#: The share of 95 % intervals that may miss: their degrees of freedom are approximations.
MISSING = 0.07

#: The share of runs that may say anything where every ratio is the factor: each look says something in as many as it
#: spends, and different looks do so of different comparisons.
AT_THE_FACTOR = sum(SPENDING)

#: A rate is above what was promised where chance alone would show it so rarely.
CHANCE = 0.01


@dataclass(frozen=True)
class Scenario:
    """One kind of trouble.

    Attributes
    ----------
    draw
        ``draw(rng, shape)``: noise of one process with a standard deviation of about 1.
    noise
        Standard deviations of a pair's logarithm, lowest and highest.
    even
        Whether groups have noise evenly from lowest to highest, and not evenly in its logarithm.
    grouped
        Whether comparisons of one group have similar noise.
    drift, shared
        Standard deviations of what a round's pairs, and all comparisons of a round, have in common.
    failing, bad_spells
        Shares of processes that fail, and that take ×1.5.
    """

    name: str
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    noise: tuple[float, float] = NOISE
    even: bool = False
    grouped: bool = True
    drift: float = 0.0
    shared: float = 0.0
    failing: float = 0.0
    bad_spells: float = 0.0


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return normal noise."""
    return rng.standard_normal(shape)


def heavy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Student's t with 3 degrees of freedom, of standard deviation 1."""
    return rng.standard_t(3, shape) / math.sqrt(3)


SCENARIOS = (
    Scenario("normal noise", normal),
    Scenario("normal noise, more of it large", normal, even=True),
    Scenario("heavy tails (t with 3 degrees of freedom)", heavy),
    Scenario("5 % of processes ×1.5", normal, bad_spells=0.05),
    Scenario("drift by ×2 that pairs share", normal, drift=math.log(2) / 2),
    Scenario("a round's effect on all comparisons", normal, shared=0.02),
    Scenario("variances that differ tenfold", normal, noise=(0.04, 0.04 * math.sqrt(10)), grouped=False),
    Scenario("5 % of processes fail", normal, failing=0.05),
)


@dataclass(frozen=True)
class Truth:
    """Comparisons of one run with their data, all rounds of them; ``ratios`` are the true ones."""

    ratios: np.ndarray
    reference: np.ndarray
    subject: np.ndarray

    def observed(self, place: int, rounds: int) -> Observed:
        """One comparison after so many rounds."""

        def side(values: np.ndarray) -> dict[Hashable, Value]:
            return {n: None if math.isnan(value) else float(value) for n, value in enumerate(values[place, :rounds])}

        return Observed(side(self.reference), side(self.subject), group=place % GROUPS)


def noises(scenario: Scenario, rng: np.random.Generator, comparisons: int) -> np.ndarray:
    """Return the standard deviations of pairs, one a comparison."""
    low, high = scenario.noise
    if not scenario.grouped:
        return np.exp(rng.uniform(math.log(low), math.log(high), comparisons))
    levels = (
        rng.uniform(low, high, GROUPS) if scenario.even else np.exp(rng.uniform(math.log(low), math.log(high), GROUPS))
    )
    usual = levels[np.arange(comparisons) % GROUPS]
    return np.clip(usual * np.exp(WITHIN * rng.standard_normal(comparisons)), low, high)


def draw(
    scenario: Scenario, rng: np.random.Generator, comparisons: int = RUN, ratios: np.ndarray | None = None
) -> Truth:
    """Return a run of comparisons with known ratios."""
    if ratios is None:
        changed = np.array(CHANGED)
        ratios = np.where(rng.random(comparisons) < 0.8, 1.0, rng.choice(np.r_[changed, 1 / changed], comparisons))
    shape = comparisons, ROUNDS
    noise = noises(scenario, rng, comparisons)[:, None] / math.sqrt(2)
    common = scenario.drift * rng.standard_normal(shape)
    sides = [
        common + noise * scenario.draw(rng, shape) + math.log(1.5) * (rng.random(shape) < scenario.bad_spells)
        for _ in range(2)
    ]
    sides[1] = sides[1] + np.log(ratios)[:, None] + scenario.shared * rng.standard_normal(ROUNDS)
    values = [np.exp(side) for side in sides]
    for side in values:
        side[rng.random(shape) < scenario.failing] = np.nan
    return Truth(ratios, *values)


@dataclass(frozen=True)
class Outcome:
    """What one comparison ended with, and the pairs of processes that it took."""

    ratio: float
    decision: Decision
    pairs: int


def sequential(
    truth: Truth, factor: float = FACTOR, rounds: int = ROUNDS, late: int | None = None, until: str = WORDS
) -> list[Outcome]:
    """Judge by looks after 3, 4, 6, … 32 rounds; time is up after ``late``; ``until``: as of `Looks`."""
    looks = Looks(rounds, factor, until=until)
    spent = dict.fromkeys(range(len(truth.ratios)), 0)
    found: dict[int, Decision] = {}
    observed: dict[int, Observed] = {}
    for planned in looks.plan:
        look = min(planned, late or planned)
        for place in looks.undecided(spent):
            spent[place], observed[place] = look, truth.observed(place, look)
        found = looks.look(observed, last=look == late)
        if look == late or not looks.undecided(spent):
            break
    return [Outcome(float(truth.ratios[place]), found[place], spent[place]) for place in spent]


def fixed(truth: Truth, rounds: int, factor: float = FACTOR, level: float = MOST_A_LOOK) -> list[Outcome]:
    """One look after a number of rounds that is the same for all."""
    found = judge([truth.observed(place, rounds) for place in range(len(truth.ratios))], factor, level)
    return [Outcome(float(ratio), one, rounds) for ratio, one in zip(truth.ratios, found, strict=True)]


@dataclass(frozen=True)
class Summary:
    """Shares of a scenario; not a number where there is nothing to take a share of.

    Attributes
    ----------
    false_changed, false_same, false_not_slower, false_bounded
        Of what was called slower or faster, the same, or not slower, and of what was said to be below the limit.
    covered, covered_chosen
        Intervals that hold the true ratio: of all, and of what was called slower or faster.
    found
        True ratio, either way -> the share called slower or faster.
    worse
        True ratio above 1 -> the share called slower.
    same
        The share of equals that was called the same.
    unclear, open
        The share that has no word but "not slower", and the share whose change beyond the limit is not excluded.
    pairs
        Pairs of processes spent on one comparison.
    """

    comparisons: int
    changed: int
    called_same: int
    not_slower: int
    bounded: int
    judged: int
    false_changed: float
    false_same: float
    false_not_slower: float
    false_bounded: float
    covered: float
    covered_chosen: float
    found: dict[float, float]
    worse: dict[float, float]
    same: float
    unclear: float
    open: float
    pairs: float


def summarise(outcomes: list[Outcome], factor: float = FACTOR) -> Summary:
    """Return what became of comparisons. A ratio of exactly the factor is neither beyond it nor within it."""
    edge = math.log(factor)
    failing = (FAILS, SOMETIMES, WORKS, BROKEN)
    judged = [one for one in outcomes if one.decision.verdict not in failing and one.decision.low is not None]
    changed = [one for one in outcomes if says_changed(one)]
    same = [one for one in outcomes if says_same(one)]
    not_slower = [one for one in outcomes if one.decision.verdict == TIMES.not_more]
    bounded = [one for one in outcomes if one.decision.bounded]

    def false_change(outcome: Outcome) -> bool:
        sign = 1 if outcome.decision.verdict == SLOWER else -1
        return sign * math.log(outcome.ratio) <= edge + 1e-9

    def of(size: float) -> list[Outcome]:
        return [one for one in outcomes if math.isclose(max(one.ratio, 1 / one.ratio), size)]

    return Summary(
        comparisons=len(outcomes),
        changed=len(changed),
        called_same=len(same),
        not_slower=len(not_slower),
        bounded=len(bounded),
        judged=len(judged),
        false_changed=share(changed, false_change),
        false_same=share(same, lambda item: abs(math.log(item.ratio)) >= edge - 1e-9),
        false_not_slower=share(not_slower, lambda item: math.log(item.ratio) >= edge - 1e-9),
        false_bounded=share(bounded, lambda item: math.log(item.ratio) >= math.log(LIMIT) - 1e-9),
        covered=share(judged, covers),
        covered_chosen=share([one for one in changed if one.decision.low is not None], covers),
        found={size: share(of(size), says_changed) for size in CHANGED},
        worse={
            size: share([one for one in of(size) if one.ratio > 1], lambda item: item.decision.verdict == SLOWER)
            for size in CHANGED
        },
        same=share(of(1.0), says_same),
        unclear=share(outcomes, lambda item: item.decision.verdict in OPEN),
        open=share(judged, lambda item: not item.decision.bounded and item.decision.verdict != SLOWER),
        pairs=sum(one.pairs for one in outcomes) / len(outcomes),
    )


def covers(outcome: Outcome) -> bool:
    """Return whether the interval holds the true ratio."""
    low, high = outcome.decision.low, outcome.decision.high
    assert low is not None and high is not None
    return low <= outcome.ratio <= high


def says_same(outcome: Outcome) -> bool:
    """Return whether it was called the same."""
    return outcome.decision.verdict == SAME


def says_changed(outcome: Outcome) -> bool:
    """Return whether it was called slower or faster."""
    return outcome.decision.verdict in (SLOWER, FASTER)


def share(ones: list[Outcome], condition: Callable[[Outcome], bool]) -> float:
    """Return the share of outcomes that meet a condition; not a number where there are none."""
    return sum(map(condition, ones)) / len(ones) if ones else math.nan


def runs(scenario: Scenario, comparisons: int, seed: int = 0) -> Iterator[Truth]:
    """So many comparisons of a scenario or a few more, in runs as large as those of an upgrade."""
    rng = generator(scenario, seed)
    for _ in range(math.ceil(comparisons / RUN)):
        yield draw(scenario, rng)


def generator(scenario: Scenario, seed: int) -> np.random.Generator:
    """Random numbers of a scenario, always the same."""
    return np.random.default_rng([seed, SCENARIOS.index(scenario)])


@dataclass(frozen=True)
class Boundary:
    """The worst case: every true ratio lies exactly at the factor, so that all of what is called slower or faster is
    wrong, and all of what is called the same.

    What is promised of such a word is the share that is wrong on average over runs. That share is 1 in each run that
    has the word at all, so it is the share of these runs, and not of comparisons.

    Attributes
    ----------
    runs
        How many were simulated.
    changed, same
        The shares of them in which anything is called slower or faster, and the same.
    """

    runs: int
    changed: float
    same: float


def boundary(
    scenario: Scenario, count: int, factor: float = FACTOR, seed: int = 1, late: int | None = None
) -> Boundary:
    """Return what so many runs say where every true ratio lies exactly at the factor. ``late``: as of `sequential`."""
    rng = generator(scenario, seed)
    changed = same = 0
    for _ in range(count):
        found = sequential(draw(scenario, rng, ratios=np.full(RUN, factor)), factor, late=late)
        changed += any(map(says_changed, found))
        same += any(map(says_same, found))
    return Boundary(count, changed / count, same / count)


def alarms(scenario: Scenario, count: int, seed: int = 4) -> float:
    """Return the share of runs that call anything slower or faster where nothing differs."""
    rng = generator(scenario, seed)
    ratios = np.ones(RUN)
    return sum(any(map(says_changed, sequential(draw(scenario, rng, ratios=ratios)))) for _ in range(count)) / count


def lone(scenario: Scenario, runs: int, seed: int = 3, until: str = WORDS) -> float:
    """Return the share of runs in which the one comparison that is slower by just the limit, among equals, is called
    the same or not slower, or is said to stay below the limit.
    """
    rng = generator(scenario, seed)
    ratios = np.ones(RUN)
    ratios[0] = LONE
    found = [sequential(draw(scenario, rng, ratios=ratios), until=until)[0] for _ in range(runs)]
    return share(found, lambda item: item.decision.bounded or item.decision.verdict in (SAME, TIMES.not_more))


@dataclass(frozen=True)
class Means:
    """The share of intervals of geometric means over comparisons that hold the true mean."""

    count: int
    covered: float


def coverage_of_means(
    scenario: Scenario, count: int, seed: int = 2, comparisons: int = 20, rounds: int = MEANS_ROUNDS
) -> Means:
    """Means over comparisons, of so many runs."""
    rng = generator(scenario, seed)
    hits = 0
    for _ in range(count):
        truth = draw(scenario, rng, comparisons)
        true = float(np.log(truth.ratios).mean())
        mean = geometric_mean([truth.observed(place, rounds) for place in range(comparisons)])
        assert mean is not None
        if mean.low is not None and mean.high is not None:
            hits += math.log(mean.low) <= true <= math.log(mean.high)
    return Means(count, hits / count)


def fixed_rounds_needed(truths: list[Truth], decided: float, level: float = MOST_A_LOOK) -> int | None:
    """Return the fewest rounds, the same for all, that decide as large a share; None where not even all rounds do."""

    def enough(rounds: int) -> bool:
        return 1 - summarise([one for truth in truths for one in fixed(truth, rounds, level=level)]).unclear >= decided

    found = bisect_left(range(2, ROUNDS + 1), True, key=enough) + 2
    return found if found <= ROUNDS else None


@dataclass(frozen=True)
class Report:
    """Everything about one scenario.

    Attributes
    ----------
    scenario, now
        Its name, and what became of its comparisons.
    at_the_factor
        As of `boundary`.
    alarms
        As of `alarms`, of as many runs.
    means
        Intervals of geometric means.
    needed
        The fixed number of rounds that decides as many comparisons.
    late, late_at_the_factor
        Where time is up after `LATE` rounds.
    gate
        Where comparisons are measured until they are bounded.
    lone, lone_gate, lone_runs
        As of `lone`, until there are words and until bounds, and of how many runs.
    """

    scenario: str
    now: Summary
    at_the_factor: Boundary
    alarms: float
    means: Means
    needed: int | None
    late: Summary
    late_at_the_factor: Boundary
    gate: Summary
    lone: float
    lone_gate: float
    lone_runs: int

    @property
    def spent(self) -> float | None:
        """Processes spent over those that a fixed number of rounds needs to decide as many."""
        return self.now.pairs / self.needed if self.needed else None

    def broken(self) -> list[str]:
        """Return the promises that were not kept, beyond what chance explains."""
        now, late, gate = self.now, self.late, self.gate
        worst, late_worst = self.at_the_factor, self.late_at_the_factor
        wrong = {
            "false slower or faster": (now.false_changed, now.changed, ERROR_RATE),
            "false same": (now.false_same, now.called_same, ERROR_RATE),
            "runs with slower or faster where every ratio is the factor": (worst.changed, worst.runs, AT_THE_FACTOR),
            "runs with same where every ratio is the factor": (worst.same, worst.runs, AT_THE_FACTOR),
            "runs with slower or faster where nothing differs": (self.alarms, worst.runs, ERROR_RATE),
            "intervals that miss": (1 - now.covered, now.judged, MISSING),
            "intervals of slower and faster that miss": (1 - now.covered_chosen, now.changed, MISSING),
            "intervals of means that miss": (1 - self.means.covered, self.means.count, MISSING),
            "false slower or faster, time up": (late.false_changed, late.changed, ERROR_RATE),
            "false same, time up": (late.false_same, late.called_same, ERROR_RATE),
            "runs with slower or faster at the factor, time up": (late_worst.changed, late_worst.runs, AT_THE_FACTOR),
            "runs with same at the factor, time up": (late_worst.same, late_worst.runs, AT_THE_FACTOR),
            "false not slower": (now.false_not_slower, now.not_slower, ERROR_RATE),
            "false bounds": (now.false_bounded, now.bounded, ERROR_RATE),
            "false bounds of a gate": (gate.false_bounded, gate.bounded, ERROR_RATE),
            "false slower or faster of a gate": (gate.false_changed, gate.changed, ERROR_RATE),
            "a lone slowdown that is missed": (self.lone, self.lone_runs, ERROR_RATE),
            "a lone slowdown that a gate misses": (self.lone_gate, self.lone_runs, ERROR_RATE),
        }
        return [
            f"{name}: {rate:.1%}, at most {most:.0%} promised"
            for name, (rate, count, most) in wrong.items()
            if count and binom.sf(round(rate * count) - 1, count, most) < CHANCE
        ]


def report(scenario: Scenario, comparisons: int = 2000) -> Report:
    """Return what becomes of so many comparisons of a scenario."""
    truths = list(runs(scenario, comparisons))
    now = summarise([one for truth in truths for one in sequential(truth)])
    few = max(10, comparisons // 20)
    return Report(
        scenario.name,
        now,
        boundary(scenario, few),
        alarms(scenario, few),
        coverage_of_means(scenario, max(20, comparisons // 4)),
        fixed_rounds_needed(truths, 1 - now.unclear),
        summarise([one for truth in truths for one in sequential(truth, late=LATE)]),
        boundary(scenario, few, late=LATE),
        summarise([one for truth in truths for one in sequential(truth, until=LIMITS)]),
        lone(scenario, few),
        lone(scenario, few, until=LIMITS),
        few,
    )
