"""asv's figures against an independent clock, pyperf: other processes, another loop, another wait.

Each combination is measured by both in turn, a process each, several times over: a machine that changes its speed
meanwhile does so for both, and the spread between the clock's own processes shows it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from math import exp, log, sqrt
from pathlib import Path
from statistics import mean, median, stdev

from arrayspeed import run
from arrayspeed.errors import UserError
from arrayspeed.plan import Selection, combinations
from arrayspeed.session import Session, open_session
from kernels import BACKENDS, CATALOGUE

OPERATIONS = ("add", "matmul", "fft", "gradient")

#: What two right clocks may differ by: a tenth, or the cost of asv's own call of a method, in seconds.
RELATIVE, ABSOLUTE = 0.10, 0.3e-6

#: The share of the sample that must be within that, and how far a backend may be off as a whole.
SHARE, SYSTEMATIC = 0.90, 0.10


@dataclass(frozen=True)
class Pair:
    """One combination by both clocks, in seconds. The clock's own processes: their least and greatest median."""

    kernel: str
    backend: str
    size: int
    asv: float
    clock: float
    lowest: float
    highest: float

    @property
    def ratio(self) -> float:
        """asv's figure over the clock's."""
        return self.asv / self.clock

    @property
    def spread(self) -> float:
        """Between the clock's own processes."""
        return self.highest - self.lowest

    @property
    def agrees(self) -> bool:
        """Whether the two differ by no more than they may, or than the clock differs from itself."""
        return abs(self.asv - self.clock) <= max(RELATIVE * self.clock, ABSOLUTE, self.spread)


def sample() -> list[tuple[str, str, int]]:
    """About half of the operations' backends at small and large size, every backend with every size class."""
    every = [
        (kernel.name, backend.name, size)
        for kernel in (CATALOGUE[name] for name in OPERATIONS)
        for backend in BACKENDS.values()
        for size in (kernel.small, kernel.large)
    ]
    return [
        (kernel, backend, size)
        for number, (kernel, backend, size) in enumerate(every)
        if (number // 2 + number // 16) % 2 == 0
        and CATALOGUE[kernel].why_not(backend, BACKENDS[backend].library) is None
    ]


def by_asv(session: Session, environment: str, kernel: str, backend: str, size: int) -> float:
    """asv's figure for one combination from one process, measured now."""
    selection = Selection(
        kernels=[kernel],
        backends=[backend],
        sizes=[str(size)],
        devices=["cpu"],
        measures=["time_call"],
        dtypes=["float64"],
    )
    (one,) = (one for one in combinations(session, selection) if one.environment == environment)
    value = run.run_chunk(session, [one], rounds=1, append=False)[one]
    if value is None:
        raise UserError(f"asv could not measure {kernel} {size} on {backend}; its message is above")
    return value


def by_clock(python: str, kernel: str, backend: str, size: int, loops: int) -> float:
    """pyperf's figure for one combination from one process, measured now: the median of its values."""
    import pyperf

    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "clock.json"
        command = [
            python,
            str(Path(__file__).with_name("pyperf_worker.py")),
            *(kernel, backend, str(size), "float64", str(Path(pyperf.__file__).parent.parent)),
            *("--processes", "1", "--values", "10", "--warmups", "5", "--loops", str(loops)),
            *("--inherit-environ", ",".join(os.environ), "--quiet", "--output", str(output)),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not output.exists():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise UserError(f"pyperf could not measure {kernel} {size} on {backend}: {last}")
        (only,) = json.loads(output.read_text())["benchmarks"][0]["runs"]
    return median(only["values"])


def by_both(session, environment: str, kernel: str, backend: str, size: int, processes: int) -> Pair:
    """Both figures, each the median of its processes, which took turns."""
    python = session.environments[environment].find_executable("python")
    asv, clock = [], []
    for _ in range(processes):
        asv.append(by_asv(session, environment, kernel, backend, size))
        # About as long a sample as asv's, in calls.
        loops = max(1, round(0.02 / asv[0]))
        clock.append(by_clock(python, kernel, backend, size, loops))
    return Pair(kernel, backend, size, median(asv), median(clock), min(clock), max(clock))


def compare(config, environment: str, processes: int = 5, report=print) -> list[Pair]:
    """Measure the sample by both clocks; ``report`` is given each pair as it comes."""
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        config.results_dir = folder
        session = open_session(config, [Selection(environments=[environment])])
        combinations = sample()
        for number, (kernel, backend, size) in enumerate(combinations, 1):
            pair = by_both(session, environment, kernel, backend, size, processes)
            pairs.append(pair)
            report(f"[{number}/{len(combinations)}]", pair)
    return pairs


def offsets(pairs: list[Pair]) -> dict[str, tuple[float, float]]:
    """Backend -> geometric mean of its ratios, and the factor of its standard error.

    Over the combinations long enough for a ratio to mean something.
    """
    found = {}
    for backend in BACKENDS:
        logs = [log(pair.ratio) for pair in pairs if pair.backend == backend and pair.clock > 10 * ABSOLUTE]
        if len(logs) > 1:
            found[backend] = exp(mean(logs)), exp(stdev(logs) / sqrt(len(logs)))
    return found


def is_off(offset: float, error: float) -> bool:
    """Whether a backend is off by more than it may, beyond two standard errors of its mean."""
    return abs(log(offset)) - 2 * log(error) > log(1 + SYSTEMATIC)


def verdict(pairs: list[Pair]) -> tuple[bool, str]:
    """Whether the clocks agree, and why in a sentence."""
    share = sum(pair.agrees for pair in pairs) / len(pairs)
    off = {name: offset for name, (offset, error) in offsets(pairs).items() if is_off(offset, error)}
    text = f"{share:.0%} of {len(pairs)} agree ({SHARE:.0%} needed)"
    text += f"; off as a whole: {', '.join(f'{k} ×{v:.2f}' for k, v in off.items())}" if off else "; no backend is off"
    return share >= SHARE and not off, text


def as_data(pairs: list[Pair]) -> list[dict]:
    """The pairs as plain data."""
    return [asdict(pair) | {"ratio": pair.ratio, "agrees": pair.agrees} for pair in pairs]
