"""asv's figure, turn by turn: ``main("benchmark-index")`` with asv's own name of a combination.

Everything of asv's way is in it: the benchmark is found, made, set up and run by asv_runner, with the changes that
`benchmarks.timing` makes to it. First it is run as asv does, which chooses the number of calls in a sample; then, for
each number that is read, it takes one sample of so many. The lines are those of `arrayspeed.measure.players`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from asv_runner.discovery import get_benchmark_from_name

import benchmarks
from benchmarks.batching import complaint
from benchmarks.timing import TimedAlone

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

#: A call that takes so many seconds is not made untimed before its sample.
LONG = 0.01

#: What asv runs first with: its own way of choosing the number of calls, after its own warm-up, and no more samples
#: than that needs.
FIRST = {"number": 0, "warmup_time": -1, "repeat": (1, 3, 0.0)}


def say(row: dict[str, Any]) -> None:
    """Print one line for the tools."""
    print(json.dumps(row), flush=True)


class Sampler:
    """A benchmark of asv whose settings are set as ``asv run --attribute`` does."""

    def __init__(self, benchmark_id: str) -> None:
        root = str(Path(benchmarks.__file__).parent)
        self.benchmark = get_benchmark_from_name(root, benchmark_id, extra_params=FIRST)
        self.settings = self.benchmark._attr_sources[0]
        self.benchmark.set_cache(None)
        #: Whether it is not available; asv has printed why.
        self.skipped = self.benchmark.do_setup()
        # The audit has checks of its own for results. Here the first sample would be followed by that of values, whose
        # reference frees memory as the clock's script does not.
        self.benchmark.func.__self__.verify = lambda: None

    def run(self, **settings: Any) -> tuple[float, int]:
        """Seconds a call by asv's own run, as the first one or with other settings, and its calls in a sample."""
        for name, value in (FIRST | settings).items():
            setattr(self.settings, name, value)
        self.benchmark._load_vars()
        found = self.benchmark.do_run()
        return median(found["samples"]), found["number"]


def main(benchmark_id: str) -> None:
    """Be ready, then answer each number of calls with the seconds that one of them took."""
    try:
        sampler = Sampler(benchmark_id)
        if sampler.skipped:
            return say({"failed": "asv skips it: it is not available here", "kind": "not available"})
        each, number = sampler.run()
    except TimedAlone as error:
        return say({"failed": str(error), "kind": "timed alone"})
    if why := complaint(each, number):
        return say({"failed": why, "kind": "timed alone"})
    say({"ready": each})
    for line in sys.stdin:
        if each < LONG:
            sampler.run(number=1, warmup_time=0, repeat=1)  # others ran meanwhile
        each, _ = sampler.run(number=int(line), warmup_time=0, repeat=1)
        say({"seconds": each})
    return None


def fail(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say what went wrong instead of writing a traceback that nobody reads."""
    say({"failed": f"{kind.__name__}: {error}".splitlines()[0][:300], "kind": "error"})
