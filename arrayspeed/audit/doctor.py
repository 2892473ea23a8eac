"""What this machine is good for: its state, whether instruments work, and how small a slowdown it shows in a minute.

Three small programs take turns with copies of themselves, in new processes each round, as the sides of any comparison
do. What `arrayspeed.decide` says of an exact copy is false where it is a change; how much copies differ from round to
round is what a slowdown has to stand out from.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, field
from math import floor
from pathlib import Path
from typing import Any

import threadpoolctl

from arrayspeed.audit.worker import copies
from arrayspeed.decide import LOOKS, Decision, Observed
from arrayspeed.decide.judge import judge
from arrayspeed.decide.observed import Value
from arrayspeed.decide.power import FEWEST, smallest_slowdown
from arrayspeed.decide.words import FASTER, LIMIT, MOST_A_LOOK, SLOWER
from arrayspeed.environments.machine import describe
from arrayspeed.measure.players import Interleaving, Spawned, interleave
from arrayspeed.system import instruments
from arrayspeed.system.instruments import Instrument
from arrayspeed.system.pools import pools
from arrayspeed.system.state import CHANGING, OWN_SCALING, State

#: Seconds of the copies' turns without an option: what a minute shows is known well enough then.
SECONDS = 40.0

#: A minute, for which it is said what is shown.
MINUTE = 60.0

#: The programs: what `arrayspeed.audit.worker.copies` calls them, and what they are.
PROGRAMS = {
    "loop": "a loop of Python",
    "addition": "an addition of 1,000 numbers",
    "product": "a product of matrices of 256 by 256",
}

REFERENCE, COPY = "reference", "copy"


@dataclass(frozen=True)
class Program:
    """What copies of one program showed.

    Attributes
    ----------
    name, what
        The program.
    seconds
        Of a call, the median of the reference's processes.
    rounds, each
        How many rounds there were, and the seconds that one took.
    noise
        Standard deviation of the logarithm of a round's ratio; None of fewer than two rounds.
    verdict
        What the copy was called: a change is false.
    shown
        The smallest slowdown that a minute shows, as a ratio; None where none up to ×3 is, or too little is known.
    """

    name: str
    what: str
    seconds: float | None
    rounds: int
    each: float
    noise: float | None
    verdict: str
    shown: float | None

    @property
    def known(self) -> bool:
        """Whether there were rounds enough to say what is shown."""
        return self.rounds >= FEWEST

    @property
    def is_wrong(self) -> bool:
        """Whether a copy was called slower or faster than its reference."""
        return self.verdict in (SLOWER, FASTER)


@dataclass(frozen=True)
class Examination:
    """What was found of a machine.

    Attributes
    ----------
    machine
        asv's description of it.
    state
        As it was when the examination began.
    advice
        What could be turned off, or done, so that times vary less.
    instruments
        Whether they work.
    libraries
        Which BLAS and OpenMP this Python loads, and the threads of each.
    programs
        What copies showed.
    took
        Seconds of all of it.
    """

    machine: dict[str, str]
    state: State
    advice: list[str]
    instruments: list[Instrument]
    libraries: list[dict[str, Any]]
    programs: list[Program]
    took: float

    @property
    def status(self) -> int:
        """0 where a slowdown by the limit is shown of every program in a minute; 1 where a copy was called another, or
        the clock does not work; 2 where neither.
        """
        clock = next(one for one in self.instruments if one.name == "clock")
        if any(one.is_wrong for one in self.programs) or clock.works is False:
            return 1
        return 0 if self.programs and all(enough(one.shown) for one in self.programs) else 2

    def data(self) -> dict[str, Any]:
        """As programs read it."""
        return {
            "machine": self.machine,
            "state": self.state.data(),
            "warnings": self.state.warnings(),
            "advice": self.advice,
            "instruments": [asdict(one) for one in self.instruments],
            "libraries": self.libraries,
            "programs": [asdict(one) for one in self.programs],
            "seconds": round(self.took, 1),
            "exit_status": self.status,
        }


def enough(shown: float | None) -> bool:
    """Return whether a slowdown by the limit, which a gate must exclude, would be shown."""
    return shown is not None and shown <= LIMIT


@dataclass
class Turns:
    """What a program and its copy gave, round by round, and the seconds that the rounds took."""

    values: dict[str, dict[Hashable, Value]] = field(default_factory=lambda: defaultdict(dict))
    took: list[float] = field(default_factory=list)

    def observed(self, group: str) -> Observed:
        """As `arrayspeed.decide` takes it."""
        return Observed(dict(self.values[REFERENCE]), dict(self.values[COPY]), group=group)


def examine(state: State, seconds: float = SECONDS, doing: Callable[[str], None] = lambda text: None) -> Examination:
    """Examine this machine; ``seconds`` of copies' turns, and ``doing`` is told what goes on."""
    started = time.monotonic()
    found = instruments.check()
    turns = take_turns(seconds, doing)
    doing("what a minute shows")
    programs = [of_program(name, each) for name, each in turns.items() if each.took]
    copies.product()()
    libraries = pools(str(threadpoolctl.__file__)) or []
    took = time.monotonic() - started
    return Examination(describe(), state, advice(state), found, libraries, programs, took)


def take_turns(seconds: float, doing: Callable[[str], None]) -> dict[str, Turns]:
    """Return what the programs gave in so many seconds, in rounds of all of them; at least two rounds."""
    found = {name: Turns() for name in PROGRAMS}
    until, number = time.monotonic() + seconds, 0
    while number < 2 or time.monotonic() < until:
        for name, each in found.items():
            doing(f"round {number + 1}: {PROGRAMS[name]}")
            begun = time.monotonic()
            for side, value in one_round(name, number).items():
                each.values[side][number] = value
            each.took.append(time.monotonic() - begun)
        number += 1
    return found


def one_round(name: str, number: int) -> dict[str, Value]:
    """Return what new processes of a program and its copy gave."""
    command = [sys.executable, str(Path(str(copies.__file__))), name]
    players = [Spawned(side, command) for side in (REFERENCE, COPY)]
    taken = interleave(players, Interleaving(timeout=60.0), random.Random(f"{name} {number}"))
    return {side: one.batches if one.value is not None else None for side, one in taken.items()}


def of_program(name: str, turns: Turns) -> Program:
    """Return what copies of a program showed."""
    seen = turns.observed(name)
    (decision,) = judge([seen], level=MOST_A_LOOK)
    differences = seen.differences()
    each = sum(turns.took) / len(turns.took)
    rounds = min(floor(MINUTE / each), LOOKS[-1])
    return Program(
        name,
        PROGRAMS[name],
        seen.geometric_mean(seen.reference),
        len(differences),
        round(each, 2),
        noise_of(decision),
        decision.verdict,
        smallest_slowdown(differences, rounds),
    )


def noise_of(decision: Decision) -> float | None:
    """Return the noise of a round with three digits."""
    return None if decision.noise is None else float(f"{decision.noise:.3g}")


def advice(state: State) -> list[str]:
    """Return what could be turned off, or done, so that times vary less; each names how."""
    found = []
    if state.governor and any(name in state.governor for name in CHANGING) and state.driver not in OWN_SCALING:
        found.append(f"the governor is {state.governor}: `cpupower frequency-set --governor performance`, as root")
    elif state.governor == CHANGING[0]:
        found.append(
            f"{state.driver} chooses the speed by what there is to do: `cpupower frequency-set --governor performance`"
        )
    if state.boost:
        found.append(
            "processors run faster for as long as heat allows: `echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo`"
            if state.driver == OWN_SCALING[0]
            else "processors run faster for as long as heat allows: `echo 0 > /sys/devices/system/cpu/cpufreq/boost`"
        )
    if state.physical and state.physical < state.processors:
        found.append(
            f"{state.processors} processors are threads of {state.physical} cores: --cores {state.physical}, or "
            "`echo off > /sys/devices/system/cpu/smt/control`"
        )
    if state.nodes and state.nodes > 1:
        found.append(f"memory is on {state.nodes} NUMA nodes: `numactl --cpunodebind=0 --membind=0` keeps to one")
    if state.throttles:
        found.append(f"heat has slowed processors down {state.throttles} times since the system started: cool them")
    if state.stops:
        found.append(f"the quota has stopped this container {state.stops} times: raise it, or use fewer cores")
    return found
