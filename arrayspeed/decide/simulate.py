"""What becomes of comparisons whose truth is known: the promises of `arrayspeed.decide`, checked.

Each scenario is a way in which measurements on real machines are worse than those of textbooks. True ratios are 80 %
equal and the rest from 1.02 to 1.5, either way. The noise of one pair's ratio is from 2 to 20 %: comparisons come in
groups (backends), each of a level of its own, around which its comparisons (kernels) differ by a third or so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from arrayspeed.decide.judge import Decision, judge
from arrayspeed.decide.looks import LOOKS, Looks
from arrayspeed.decide.means import geometric_mean
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.words import BROKEN, FACTOR, FAILS, FASTER, MOST_A_LOOK, SAME, SLOWER, SOMETIMES, UNCLEAR, WORKS

#: The most rounds of a comparison.
ROUNDS = LOOKS[-1]

#: Comparisons in a run: as many as an upgrade of one library has.
RUN = 100

#: Groups of comparisons in a run, and the standard deviation of the logarithm of noise within one.
GROUPS, WITHIN = 5, 0.3

#: The true ratios of what is not equal.
CHANGED = (1.02, 1.05, 1.10, 1.20, 1.50)

#: Noise of one pair's ratio, lowest and highest.
NOISE = (0.02, 0.20)


@dataclass(frozen=True)
class Scenario:
    """One kind of trouble. ``draw(rng, shape)`` gives noise of one process with a standard deviation of about 1;
    ``noise`` is the lowest and the highest of a pair; ``grouped`` is false where no two comparisons are alike; ``drift`` and ``shared`` are standard deviations of what a
    round's pairs, and all comparisons of a round, have in common; ``failing`` is the share of processes that fail.
    """

    name: str
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    noise: tuple[float, float] = NOISE
    grouped: bool = True
    drift: float = 0.0
    shared: float = 0.0
    failing: float = 0.0
    bad_spells: float = 0.0


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Normal noise."""
    return rng.standard_normal(shape)


def heavy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Student's t with 3 degrees of freedom, of standard deviation 1."""
    return rng.standard_t(3, shape) / math.sqrt(3)


SCENARIOS = (
    Scenario("normal noise", normal),
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
        sides = (
            {n: None if math.isnan(value) else float(value) for n, value in enumerate(side[place, :rounds])}
            for side in (self.reference, self.subject)
        )
        return Observed(*sides, group=place % GROUPS)


def noises(scenario: Scenario, rng: np.random.Generator, comparisons: int) -> np.ndarray:
    """Standard deviations of pairs, one a comparison."""
    low, high = scenario.noise
    if not scenario.grouped:
        return np.exp(rng.uniform(math.log(low), math.log(high), comparisons))
    usual = np.exp(rng.uniform(math.log(low), math.log(high), GROUPS))[np.arange(comparisons) % GROUPS]
    return np.clip(usual * np.exp(WITHIN * rng.standard_normal(comparisons)), low, high)


def draw(scenario: Scenario, rng: np.random.Generator, comparisons: int = RUN, ratios: np.ndarray | None = None) -> Truth:
    """A run of comparisons with known ratios."""
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


def sequential(truth: Truth, factor: float = FACTOR, rounds: int = ROUNDS) -> list[Outcome]:
    """Looks after 4, 8, 16 and 32 rounds."""
    looks = Looks(rounds, factor)
    spent = dict.fromkeys(range(len(truth.ratios)), 0)
    found = {}
    for look in looks.plan:
        for place in looks.undecided(spent):
            spent[place] = look
        found = looks.look({place: truth.observed(place, spent[place]) for place in spent})
        if not looks.undecided(spent):
            break
    return [Outcome(float(truth.ratios[place]), found[place], spent[place]) for place in spent]


def fixed(truth: Truth, rounds: int, factor: float = FACTOR, level: float = MOST_A_LOOK) -> list[Outcome]:
    """One look after a number of rounds that is the same for all."""
    found = judge([truth.observed(place, rounds) for place in range(len(truth.ratios))], factor, level)
    return [Outcome(float(ratio), one, rounds) for ratio, one in zip(truth.ratios, found, strict=True)]


def former(truth: Truth, rounds: int = 10, factor: float = FACTOR) -> list[Outcome]:
    """The rule that this project had before, for contrast: a difference from 1 at 5 % after Benjamini and Hochberg, as
    large as the factor and larger than the spread of one side; "unchanged" where the interval ends below ×1.25.
    """
    from scipy.stats import false_discovery_control
    from scipy.stats import t as student

    rows = []
    for place in range(len(truth.ratios)):
        old, new = (side[place, :rounds] for side in (np.log(truth.reference), np.log(truth.subject)))
        old, new = old[~np.isnan(old)], new[~np.isnan(new)]
        count = min(len(old), len(new))
        if count < 2:
            rows.append((0.0, 1.0, 1.0, math.inf))
            continue
        steps = new[:count] - old[:count]  # by position: one failure shifts all later pairs
        error = steps.std(ddof=1) / math.sqrt(count)
        spread = math.sqrt((old.var(ddof=1) + new.var(ddof=1)) / 2)
        shift = float(new.mean() - old.mean())
        rows.append((shift, error, spread, 2 * float(student.sf(abs(shift) / error, count - 1))))
    chances = false_discovery_control([min(1.0, row[3]) for row in rows])
    outcomes = []
    for ratio, (shift, error, spread, _), chance in zip(truth.ratios, rows, chances, strict=True):
        margin = float(student.isf(0.025, rounds - 1)) * error
        word = SAME if math.exp(shift + margin) <= 1.25 else UNCLEAR
        if chance <= 0.05 and abs(shift) >= math.log(factor) and abs(shift) > spread:
            word = SLOWER if shift > 0 else FASTER
        interval = math.exp(shift - margin), math.exp(shift + margin)
        decision = Decision(word, math.exp(shift), *interval, rounds, 0, 0, rounds, rounds)
        outcomes.append(Outcome(float(ratio), decision, rounds))
    return outcomes


@dataclass(frozen=True)
class Summary:
    """Shares of a scenario. ``false_changed`` and ``false_same`` are of what was called so; ``covered`` of all
    intervals, and of those of what was called changed; ``found`` by true ratio.
    """

    comparisons: int
    false_changed: float
    false_same: float
    covered: float
    covered_chosen: float
    found: dict[float, float]
    unclear: float
    pairs: float


def summarise(outcomes: list[Outcome], factor: float = FACTOR) -> Summary:
    """What became of comparisons. A ratio of exactly the factor is neither beyond it nor within it."""
    edge = math.log(factor)
    failing = (FAILS, SOMETIMES, WORKS, BROKEN)
    judged = [one for one in outcomes if one.decision.verdict not in failing and one.decision.low is not None]
    changed = [one for one in outcomes if one.decision.verdict in (SLOWER, FASTER)]
    same = [one for one in outcomes if one.decision.verdict == SAME]

    def true_change(one: Outcome) -> bool:
        sign = 1 if one.decision.verdict == SLOWER else -1
        return sign * math.log(one.ratio) > edge + 1e-9

    def covers(one: Outcome) -> bool:
        return one.decision.low <= one.ratio <= one.decision.high

    def says_same(one: Outcome) -> bool:
        return one.decision.verdict == SAME

    def says_changed(one: Outcome) -> bool:
        return one.decision.verdict in (SLOWER, FASTER)

    sizes = {size: [one for one in outcomes if math.isclose(max(one.ratio, 1 / one.ratio), size)] for size in (1.0, *CHANGED)}
    return Summary(
        len(outcomes),
        share(changed, lambda one: not true_change(one)),
        share(same, lambda one: abs(math.log(one.ratio)) >= edge - 1e-9),
        share(judged, covers),
        share([one for one in changed if one.decision.low is not None], covers),
        {
            size: share(ones, says_same if size <= factor else says_changed)
            for size, ones in sizes.items()
        },
        share(outcomes, lambda one: one.decision.verdict == UNCLEAR),
        sum(one.pairs for one in outcomes) / len(outcomes),
    )


def share(ones: list[Outcome], condition: Callable[[Outcome], bool]) -> float:
    """The share of outcomes that meet a condition; not a number where there are none."""
    return sum(map(condition, ones)) / len(ones) if ones else math.nan


def runs(scenario: Scenario, comparisons: int, seed: int = 0) -> Iterator[Truth]:
    """So many comparisons of a scenario, in runs as large as those of an upgrade."""
    rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
    for _ in range(math.ceil(comparisons / RUN)):
        yield draw(scenario, rng)


def boundary(scenario: Scenario, comparisons: int, factor: float = FACTOR, seed: int = 1) -> Summary:
    """The worst case: every true ratio lies exactly at the factor, so that every word but "unclear" is wrong."""
    rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
    found = []
    for _ in range(math.ceil(comparisons / RUN)):
        found += sequential(draw(scenario, rng, ratios=np.full(RUN, factor)), factor)
    return summarise(found, factor)


def coverage_of_means(scenario: Scenario, count: int, seed: int = 2, comparisons: int = 20, rounds: int = 10) -> float:
    """The share of intervals of geometric means over comparisons that hold the true mean."""
    rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
    hits = 0
    for _ in range(count):
        truth = draw(scenario, rng, comparisons)
        mean = geometric_mean([truth.observed(place, rounds) for place in range(comparisons)])
        hits += mean.low <= math.exp(np.log(truth.ratios).mean()) <= mean.high
    return hits / count


def fixed_rounds_needed(scenario: Scenario, comparisons: int, decided: float, level: float, seed: int = 0) -> int | None:
    """The fewest rounds, the same for all, that decide as large a share; None where not even all rounds do."""
    truths = list(runs(scenario, comparisons, seed))
    for rounds in range(2, ROUNDS + 1):
        found = [one for truth in truths for one in fixed(truth, rounds, level=level)]
        if 1 - summarise(found).unclear >= decided:
            return rounds
    return None
