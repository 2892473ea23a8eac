"""asv's figures against an independent clock: other processes, another loop, another wait.

Each combination is measured by both in turn, A B B A, a process each: a machine that changes its speed meanwhile does
so for both. Whether they differ is decided as for an upgrade (`arrayspeed.upgrades.significance`): beyond chance over
all comparisons, beyond a factor that matters, and beyond the noise between processes.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean, median, variance

from arrayspeed import run
from arrayspeed.audit.check import Check, Report
from arrayspeed.errors import UserError
from arrayspeed.plan import Combination
from arrayspeed.processes import Noise
from arrayspeed.servers import serving
from arrayspeed.session import Session
from arrayspeed.units import human_time
from arrayspeed.upgrades.compare import FALSE_DISCOVERY, UNSEEN
from arrayspeed.upgrades.significance import Estimate, differ, estimate, false_discovery, geometric_mean

#: What two right clocks may differ by: a tenth, or the cost of asv's own call of a method, in seconds.
FACTOR, ABSOLUTE = 1.10, 0.3e-6

#: Clocks that are wrong (that do not wait, do not batch, or compile) are so by more than this: a comparison whose
#: interval reaches so far says nothing.
WRONG = 1.5

#: How often the processes of what cannot be said yet are doubled.
DOUBLINGS = 2

#: Seconds below which a call must not be timed alone.
SHORT = 1e-3


@dataclass(frozen=True)
class Timing:
    """One combination by both clocks: seconds a call, one figure a process; those of a plain loop beside the second
    clock; and asv's calls a sample.
    """

    one: Combination
    asv: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @property
    def logarithms(self) -> tuple[list[float], list[float]]:
        """Of the clock's figures and of asv's."""
        return [math.log(value) for value in self.clock], [math.log(value) for value in self.asv]


class Clock:
    """A process in a measuring environment that answers for one backend: `arrayspeed.audit.inside.clock`."""

    def __init__(self, python: str, backend: str, device: str) -> None:
        self.backend = backend
        self.process = subprocess.Popen(
            [python, "-m", "arrayspeed.audit.inside.clock", backend, device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.answer()

    def answer(self) -> dict:
        """Its next line.

        Raises
        ------
        UserError
            It has ended.
        """
        for line in self.process.stdout:
            if line.startswith("@"):
                return json.loads(line[1:])
        raise UserError(f"the independent clock of {self.backend} ended with status {self.process.wait()}")

    def seconds(self, kernel: str, size: int) -> tuple[float, float]:
        """Seconds a call and of a plain loop, measured now.

        Raises
        ------
        UserError
            It cannot be measured.
        """
        print(kernel, size, file=self.process.stdin, flush=True)
        answer = self.answer()
        if "seconds" not in answer:
            raise UserError(
                f"the independent clock cannot measure {kernel} {size} on {self.backend}: {answer['problem']}"
            )
        return answer["seconds"], answer["plain"]


@contextmanager
def clock_of(python: str, backend: str, device: str) -> Iterator[Clock]:
    """A clock, ended afterwards."""
    clock = Clock(python, backend, device)
    try:
        yield clock
    finally:
        clock.process.stdin.close()
        clock.process.terminate()
        clock.process.wait()


def by_asv(session: Session, one: Combination) -> tuple[float, int]:
    """asv's figure from one process, measured now, and the calls that each of its samples is the mean of.

    Raises
    ------
    UserError
        asv cannot measure it.
    """
    results = session.no_results(one.environment)
    (process,) = run.run_once(session, [one], results)
    if process.value is None:
        raise UserError(f"asv cannot measure {one.kernel} {one.size} on {one.backend}: {process.why}")
    number = results.get_result_stats(one.benchmark, session.benchmarks[one.benchmark]["params"])[one.index]["number"]
    return process.value, number


def measure(session: Session, timings: list[Timing], rounds: int) -> tuple[list[Timing], list[Check]]:
    """Give combinations of one backend more figures of both clocks; those that have them all, and a failed check for
    each of the others.

    Round by round, with a new server and a new clock for each: processes forked from one share its memory layout.
    """
    first = timings[0].one
    python = session.environments[first.environment].find_executable("python")
    left, failed = list(timings), []
    for number in range(rounds):
        with serving(session), clock_of(python, first.backend, first.device) as clock:
            for timing in list(left):
                try:
                    take(session, clock, timing, asv_first=number % 2 == 0)
                except UserError as error:
                    left.remove(timing)
                    failed.append(Check("clock", timing.one.backend, timing.one.kernel, False, str(error)))
    return left, failed


def settle(session: Session, timings: list[Timing], rounds: int, report: Report) -> tuple[list[Timing], list[Check]]:
    """All timings, with more processes of those on which the clocks are not known to agree: twice as many, and twice as
    many again of what is still open. What cannot be measured any more is a failed check instead.
    """
    checks = []
    for doubling in range(DOUBLINGS):
        rows = judge_each(timings)[1]
        unclear = [timing for timing, row in zip(timings, rows, strict=True) if row.passed is not True]
        for backend in dict.fromkeys(timing.one.backend for timing in unclear):
            again = [timing for timing in unclear if timing.one.backend == backend]
            kept, failed = measure(session, again, rounds * 2**doubling)
            timings = [timing for timing in timings if timing not in again or timing in kept]
            checks += failed
            report(f"{backend}: clock, {len(again)} unclear kernels measured again", failed)
    return timings, checks


def take(session: Session, clock: Clock, timing: Timing, asv_first: bool) -> None:
    """One figure more of each clock.

    Raises
    ------
    UserError
        One of them cannot measure it.
    """
    for by in (True, False) if asv_first else (False, True):
        if by:
            seconds, number = by_asv(session, timing.one)
            timing.asv.append(seconds)
            timing.numbers.append(number)
        else:
            seconds, plain = clock.seconds(timing.one.kernel, timing.one.size)
            timing.clock.append(seconds)
            timing.plain.append(plain)


def judge_each(timings: list[Timing]) -> tuple[list[Estimate], list[Check]]:
    """How asv's figure of each combination compares with the clock's, and whether they agree, decided over all."""
    estimates = estimate([differ(*timing.logarithms, paired=True) for timing in timings])
    chances = false_discovery([one.chance for one in estimates])
    return estimates, [judge_one(*each) for each in zip(timings, estimates, chances, strict=True)]


def judge(timings: list[Timing]) -> list[Check]:
    """Whether the two clocks agree on each combination and on each backend, and whether calls are batched."""
    estimates, rows = judge_each(timings)
    by_backend = defaultdict(list)
    for timing, found in zip(timings, estimates, strict=True):
        if min(timing.clock) > 10 * ABSOLUTE:
            by_backend[timing.one.backend].append(found)
    return rows + [judge_backend(*each) for each in by_backend.items()] + [judge_batches(one) for one in timings]


def judge_backend(backend: str, estimates: list[Estimate]) -> Check:
    """Whether asv is off on a backend as a whole: what is too noisy to say of one kernel shows in the mean of all."""
    mean, low, high = geometric_mean(estimates)
    detail = f"asv reads ×{mean:.3f} ({low:.2f}–{high:.2f}) of the clock, geometric mean of {len(estimates)} kernels"
    return Check("clock", backend, None, low <= FACTOR and high >= 1 / FACTOR, detail)


def judge_batches(timing: Timing) -> Check:
    """Whether asv times short calls in batches. A spell of the machine may make it take one for long."""
    alone = all(number == 1 for number in timing.numbers)
    detail = f"{', '.join(map(str, timing.numbers))} calls a sample of {human_time(median(timing.asv))} each"
    return Check("batching", timing.one.backend, timing.one.kernel, not alone or median(timing.asv) >= SHORT, detail)


def judge_one(timing: Timing, found: Estimate, chance: float) -> Check:
    """Whether the clocks agree on one combination."""
    asv, clock = (math.exp(fmean(logs)) for logs in reversed(timing.logarithms))
    shift = abs(math.log(found.ratio))
    detail = (
        f"{human_time(asv)} by asv, {human_time(clock)} by the clock at {timing.one.size:,}: "
        f"×{found.ratio:.2f} ({found.low:.2f}–{found.high:.2f}), {len(timing.asv)} processes of each"
    )
    differs = chance <= FALSE_DISCOVERY and shift > max(math.log(FACTOR), found.noise) and abs(asv - clock) > ABSOLUTE
    hidden = not differs and max(found.high, 1 / found.low) > WRONG and abs(asv - clock) > ABSOLUTE
    if hidden:
        detail += ", too noisy to say more"
    return Check("clock", timing.one.backend, timing.one.kernel, None if hidden else not differs, detail)


def noise_of(timings: list[Timing], figures: Callable[[Timing], list[float]] = lambda one: one.asv) -> dict[str, Noise]:
    """How much figures of one combination differ between processes, by backend: A/A, measured side by side."""
    variances = defaultdict(list)
    for timing in timings:
        variances[timing.one.backend].append(variance([math.log(value) for value in figures(timing)]))
    return {backend: Noise(len(each), math.sqrt(fmean(each))) for backend, each in variances.items()}


def judge_noise(timings: list[Timing]) -> list[Check]:
    """Whether two figures of one process each would show a slowdown of ×1.25; the plain loop says what is the machine's
    own doing.
    """
    limit = math.log(UNSEEN)
    machine = noise_of(timings, lambda one: one.plain)
    return [
        Check(
            "noise",
            backend,
            None,
            one.between <= limit,
            f"{one.between:.1%} between processes, of {one.combinations} kernels; "
            f"a loop of plain Python meanwhile {machine[backend].between:.1%}",
        )
        for backend, one in noise_of(timings).items()
    ]
