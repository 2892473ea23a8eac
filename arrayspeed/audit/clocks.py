"""asv's figures, and those of blocks, against an independent clock, decided as everything else is: `arrayspeed.decide`.

Each combination is timed by all sides in turn, by batches, in new processes each round. They are shown to agree, shown
to differ, or neither: then more rounds follow, whichever way it leans. What stays open has not passed.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from arrayspeed.audit.check import Check, Report
from arrayspeed.audit.sides import ASV, CLOCK, PYPERF, TURNS, Sides
from arrayspeed.decide import Decision, Looks, Observed
from arrayspeed.decide.means import geometric_mean, shown
from arrayspeed.decide.observed import Value
from arrayspeed.decide.words import ALIKE, BROKEN, FAILS, FASTER, SAME, SLOWER, SOMETIMES, UNCLEAR, WORKS
from arrayspeed.formats.progress import clock as as_clock
from arrayspeed.formats.verdicts import interval_text, ratio_text
from arrayspeed.measure.looking import Clock, look_by_look
from arrayspeed.measure.players import Failed, Interleaving, Player, Samples, interleave
from arrayspeed.model.combination import Combination
from arrayspeed.model.units import human_time, plural
from arrayspeed.records.processes import Noise
from kernels import BACKENDS

#: What two right clocks may differ by: a tenth, or the cost of asv's own call of a method, in seconds.
FACTOR, ABSOLUTE = 1.10, 0.3e-6

#: The most rounds, where nobody says otherwise. They are looked at after 3, 4, 6, 8, 12 and 16.
ROUNDS = 16

#: What is compared with the clock -> the check that it is.
CHECK = {ASV: "clock", TURNS: "turns", PYPERF: "pyperf"}

#: Why a process gave no time, where that is a check of its own: a short call that asv would time alone.
TIMED_ALONE = "timed alone"
NOT_AVAILABLE = "not available"

#: Whether a verdict passes; what is in neither list is open.
PASSES, FAILURES = ALIKE, (SLOWER, FASTER, FAILS, SOMETIMES, WORKS, BROKEN)


@dataclass
class Timing:
    """One combination: what each side gave, round by round, and why where it gave nothing."""

    one: Combination
    values: dict[str, dict[Hashable, Value]] = field(default_factory=lambda: defaultdict(dict))
    whys: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def add(self, side: str, number: int, taken: Samples) -> None:
        """Keep what a side gave in a round."""
        self.values[side][number] = taken.batches if taken.value is not None else None
        if taken.why is not None:
            self.whys[side], self.kinds[side] = taken.why, taken.kind or "error"

    @property
    def subjects(self) -> list[str]:
        """What is compared with the clock."""
        return [side for side in self.values if side != CLOCK]

    def observed(self, subject: str) -> Observed:
        """Return a side against the clock."""
        return Observed(self.values[CLOCK], self.values[subject], group=(self.one.backend, subject), least=ABSOLUTE)


Key = tuple[Combination, str]


def measure(
    sides: Sides, ones: list[Combination], rounds: int, report: Report, clock: Clock
) -> tuple[list[Timing], dict[Key, Decision], bool]:
    """Time combinations until it is decided of each whether all sides agree with the clock, or until ``rounds``.

    Ctrl-C and the end of the clock's minutes end it with what there is.

    Returns
    -------
    timings, decisions, complete
        ``decisions``: combination and subject -> `Decision`. ``complete`` is false where it ended before the first
        look at all of them.
    """
    looks = Looks(rounds, FACTOR)
    timings = [Timing(one) for one in ones]
    todo, played = list(timings), []
    progress = Progress(timings, looks.plan, report)

    def play(number: int) -> None:
        play_round(sides, todo, number, progress, clock)
        played.append(number)

    def go_on(done: int, undecided: set[Key]) -> bool:
        left = {one for one, _ in undecided}
        todo[:] = [timing for timing in timings if timing.one in left]
        progress.look(done, looks, todo)
        return bool(todo)

    found = look_by_look(looks, play, lambda _: observed(timings), go_on, progress)
    return timings, found.decisions, not found.stopped or len(played) >= looks.plan[0]


def observed(timings: Iterable[Timing]) -> dict[Key, Observed]:
    """Return everything that is compared."""
    return {(timing.one, subject): timing.observed(subject) for timing in timings for subject in timing.subjects}


def play_round(sides: Sides, timings: list[Timing], number: int, progress: Progress, clock: Clock) -> None:
    """Play a round of combinations, backend by backend, each with a server of its own.

    Raises
    ------
    KeyboardInterrupt, OutOfTime
        As the clock says.
    """
    by_backend = defaultdict(list)
    for timing in timings:
        by_backend[timing.one.backend].append(timing)
    for backend, group in by_backend.items():
        progress.start(number, backend, group)
        try:
            for timing in group:
                clock.check()
                play(sides, timing, number)
                progress.finish(timing)
        finally:
            sides.end_servers()


def play(sides: Sides, timing: Timing, number: int) -> None:
    """One process of each side, taking turns."""
    rng = random.Random(f"{timing.one.benchmark} {timing.one.backend} {timing.one.size} {number}")
    names = sides.names(timing.one)
    taken: dict[str, Samples] = {}
    players: list[Player] = []
    order = rng.sample(names, len(names))
    sides.serve(order, timing.one)
    try:
        for name in order:
            try:
                players.append(sides.start(name, timing.one))
            except (Failed, OSError) as error:
                taken[name] = Samples(why=str(error), kind="crashed")
                sides.end_servers()
        taken |= interleave(players, Interleaving(), rng)
    finally:
        for player in players:
            player.end()
    for name in names:
        timing.add(name, number, taken[name])


class Progress:
    """Says what is being timed, how much of it is decided, and how long the rest takes at most."""

    def __init__(self, timings: list[Timing], plan: tuple[int, ...], report: Report) -> None:
        self.report = report
        self.plan = plan
        self.timings = timings
        self.guessed = self.spent = 0.0
        self.latest = time.monotonic()
        first, last = (sum(map(self.guess, timings)) * rounds for rounds in (plan[0], plan[-1]))
        self.say(
            f"{len(timings)} calls by {len(CHECK)} clocks in turn, judged after {', '.join(map(str, plan))} rounds: "
            f"about {as_clock(first)} to the first look, {as_clock(last)} at most"
        )

    def say(self, what: str) -> None:
        """One line."""
        self.report(what, [])

    def guess(self, timing: Timing) -> float:
        """Seconds of a round, until it is known."""
        return BACKENDS[timing.one.backend].audit_cost

    def pace(self) -> float:
        """Return how much longer it takes than was guessed; the guess counts for a minute of experience."""
        return (self.spent + 60.0) / (self.guessed + 60.0)

    def start(self, number: int, backend: str, group: list[Timing]) -> None:
        """Note that a backend's part of a round begins."""
        self.latest = time.monotonic()
        left = sum(map(self.guess, group)) * self.pace()
        what = plural(len(group), "call")
        self.say(f"round {number + 1} of {self.plan[-1]} at most: {backend}, {what}, about {as_clock(left)}")

    def finish(self, timing: Timing) -> None:
        """Note that a combination's part of it has ended."""
        now = time.monotonic()
        self.spent += now - self.latest
        self.guessed += self.guess(timing)
        self.latest = now

    def end(self, why: str | None = None) -> None:
        """Why it ended early."""
        if why:
            self.say(why)

    def look(self, rounds: int, looks: Looks, todo: list[Timing]) -> None:
        """Say what is decided, and what is left."""
        count = sum(len(timing.subjects) for timing in self.timings)
        text = f"after {rounds} rounds: {len(looks.decisions)} of {count} comparisons decided"
        if rounds < self.plan[-1]:
            most = sum(map(self.guess, todo)) * (self.plan[-1] - rounds) * self.pace()
            text += f"; {len(todo)} calls continue, {as_clock(most)} at most" if todo else ""
            text += f"; {len(looks.given_up)} too noisy for {self.plan[-1]} rounds to decide" if looks.given_up else ""
        self.say(text)


def judge(timings: list[Timing], decisions: Mapping[Key, Decision]) -> list[Check]:
    """Return a row of each comparison, of each backend as a whole, and of how asv batches each call."""
    rows = [
        judge_one(timing, subject, decisions[timing.one, subject]) for timing in timings for subject in timing.subjects
    ]
    groups = defaultdict(list)
    for timing in timings:
        for subject in timing.subjects:
            groups[subject, timing.one.backend].append(timing.observed(subject))
    rows += [row for (subject, backend), group in groups.items() if (row := judge_backend(subject, backend, group))]
    return rows + [judge_batches(timing) for timing in timings if ASV in timing.values]


def judge_one(timing: Timing, subject: str, decision: Decision) -> Check:
    """Return whether a side agrees with the clock on one combination."""
    word, one = decision.verdict, timing.one
    passed = True if word in PASSES else False if word in FAILURES else None
    silent = [side for side in (CLOCK, subject) if side in timing.whys]
    if silent and word not in (*ALIKE, SLOWER, FASTER):
        if all(timing.kinds[side] == NOT_AVAILABLE for side in silent):
            passed = None
        detail = "; ".join(f"{side} gives no time: {timing.whys[side]}" for side in silent)
        return Check(CHECK[subject], one.backend, one.kernel, passed, f"{detail}, at {one.size:,}")
    watch = timing.observed(subject)
    mine, other = (watch.geometric_mean(side) for side in (watch.subject, watch.reference))
    assert mine is not None and other is not None
    detail = (
        f"{human_time(mine)} by {subject}, {human_time(other)} by the clock at {one.size:,}: "
        f"{ratio_text(decision)}, {decision.rounds} rounds"
    )
    return Check(CHECK[subject], one.backend, one.kernel, passed, detail)


def judge_backend(subject: str, backend: str, group: list[Observed]) -> Check | None:
    """Return whether a side agrees with the clock on a backend as a whole: what is too noisy to say of one kernel shows
    in the mean of all. Calls so short that `ABSOLUTE` is what counts are left out.
    """
    long = [one for one in group if one.threshold(FACTOR) == math.log(FACTOR)]
    mean = geometric_mean(long)
    if mean is None or len(long) < 2:
        return None
    word = shown(mean, FACTOR)
    interval = f"×{mean.ratio:.3f}"
    if mean.low is not None and mean.high is not None:
        interval = interval_text(mean.ratio, mean.low, mean.high)
    detail = (
        f"{subject} reads {interval} of the clock, geometric mean of {mean.comparisons} kernels, {mean.rounds} rounds"
    )
    return Check(CHECK[subject], backend, None, {SAME: True, UNCLEAR: None}.get(word, False), detail)


def judge_batches(timing: Timing) -> Check:
    """Return whether asv times short calls in batches, in every round."""
    alone = timing.kinds.get(ASV) == TIMED_ALONE
    worked = sum(value is not None for value in timing.values[ASV].values())
    passed = False if alone else True if worked else None
    detail = timing.whys[ASV] if alone or not worked else f"in batches, in {worked} of {len(timing.values[ASV])} rounds"
    return Check("batching", timing.one.backend, timing.one.kernel, passed, detail)


def noise_of(decisions: Mapping[Key, Decision]) -> dict[str, Noise]:
    """Return how much one round's ratio of asv to the clock varies, by backend: a standard deviation of logarithms."""
    found = defaultdict(list)
    for (one, subject), decision in decisions.items():
        if subject == ASV and decision.noise is not None:
            found[one.backend].append(decision.noise**2)
    return {backend: Noise(len(each), math.sqrt(fmean(each))) for backend, each in found.items()}
