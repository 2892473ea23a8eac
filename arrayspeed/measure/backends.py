"""Backends in turn: one kernel, precision, size and device on all backends of an environment.

The processes of all backends are alive at once and take turns, as those of releases do (`arrayspeed.measure.blocks`).
The first that is there, NumPy, is the anchor. Backends that do not fit into memory together are in several blocks, each
of which holds the anchor, so that all can be compared (`arrayspeed.records.backends`). On a card, the anchor is NumPy
on the CPU: what a card is compared with.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from asv.config import Config

from arrayspeed.formats.progress import clear, clock
from arrayspeed.measure import asv_processes, interrupts
from arrayspeed.measure.block_results import ByBlock, in_both_states, resumed, stored, write_results
from arrayspeed.measure.blocks import Block, group_by_process, rounds
from arrayspeed.measure.host import only_run
from arrayspeed.measure.plan import Selection, combinations, nothing, side_by_side
from arrayspeed.measure.players import Interleaving
from arrayspeed.measure.progress import Progress
from arrayspeed.measure.session import Session, open_session
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import measure_of
from arrayspeed.model.units import human
from arrayspeed.records import processes
from arrayspeed.records.processes import Process
from kernels import BACKENDS, CATALOGUE
from kernels.backends import BASELINE, BASELINE_DEVICE
from kernels.backends.hardware import all_memory
from kernels.limits import memory_needed

#: The ratio of two backends differs by 8 % between rounds (docs/lab, "Backends in turn"), and not by 3 % as that of two
#: releases of one: further rounds tell more than further turns.
TURNS = Interleaving(between=0.08)

#: Bytes that a process takes besides the arrays of its kernel, and the share of the memory that processes get.
OF_A_PROCESS, SHARE = 2**29, 0.6


def blocks_of_backends(ones: Iterable[Combination], alike: int = 1) -> list[Block]:
    """Return blocks of what backends of one environment can be compared in, in the order in which it comes.

    ``alike``: processes of each backend, which must fit into memory together.
    """
    groups: dict[tuple[object, ...], list[Combination]] = defaultdict(list)
    for one in dict.fromkeys(ones):
        if in_turn(one):
            groups[one.environment, one.benchmark, one.size, one.device].append(one)
    found = []
    memory = all_memory()
    if memory is not None:
        memory //= alike
    for (environment, benchmark, size, device), sides in groups.items():
        sides.sort(key=lambda one: list(BACKENDS).index(one.backend))
        baseline = groups.get((environment, benchmark, size, BASELINE_DEVICE), [])
        if device != BASELINE_DEVICE and baseline and baseline[0].backend == BASELINE:
            sides = [baseline[0], *sides]
        if len(sides) > 1:
            found += [block_of(group) for group in that_fit(sides, memory)]
    return found


def in_turn(one: Combination) -> bool:
    """Return whether backends can take turns in this: times of calls, and what a process measures while it prepares."""
    measure = measure_of(one.measure)
    return one.backend in BACKENDS and (measure.batched or measure.prepares is not None)


def block_of(sides: Sequence[Combination]) -> Block:
    """Return the block of some backends."""
    one = sides[0]
    names = tuple(side.backend for side in sides)
    what = [one.environment, one.benchmark, one.size, [[side.backend, side.device] for side in sides]]
    name = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:12]
    return Block(f".{name}", tuple(sides), names=names).with_first(measure_of(one.measure).rounds)


def that_fit(sides: Sequence[Combination], memory: int | None) -> Iterator[list[Combination]]:
    """Yield groups of sides whose processes fit into memory at once, the anchor in each."""
    anchor, *others = sides
    room = math.inf if memory is None else SHARE * memory - needed(anchor)
    group, left = [anchor], room
    for one in others:
        if needed(one) > left and len(group) > 1:
            yield group
            group, left = [anchor], room
        group.append(one)
        left -= needed(one)
    yield group


def needed(one: Combination) -> int:
    """Bytes that the process of a combination takes, roughly."""
    assert one.size is not None and one.dtype is not None  # as of everything in the catalogue
    return OF_A_PROCESS + memory_needed(CATALOGUE[one.kernel], one.size, one.dtype)


def add_rounds(
    session: Session,
    blocks: Sequence[Block],
    count: int,
    append: bool = False,
    until: float = math.inf,
) -> tuple[int, int]:
    """Measure rounds of blocks, and write asv's results; return how many values were measured, and how many failed.

    Each block gets ``count`` more rounds with ``append``, otherwise those that it lacks of so many; the earliest come
    first. What a round gave is saved when a block is finished, so that what is interrupted keeps it. Nothing is begun
    that would last beyond ``until``, of `time.monotonic`.
    """
    found = stored(session, {block.name: block for block in blocks})
    going = [resumed(block, found[block.name]) for block in blocks]
    blocks = [block for block, _ in going]
    lacking = {block.name: range(done, done + count if append else count) for block, done in going}
    # What has all its rounds may lack asv's results: a run can be killed between the two.
    write_results(session, {name: ones for name, ones in found.items() if not lacking[name]})
    rounds_left = [
        (number, group_by_process(block for block in blocks if number in lacking[block.name]))
        for number in sorted({number for numbers in lacking.values() for number in numbers})
    ]
    chunks = [sides_of(gang) for _, gangs in rounds_left for gang in gangs]
    progress = Progress(chunks, lambda _: 1)
    measured = failures = 0
    with rounds(session, TURNS, in_both_states(found)) as next_round:
        for number, gangs in rounds_left:
            now = next_round(number)
            for gang in gangs:
                interrupts.check()
                sides = sides_of(gang)
                if time.monotonic() + progress.expected(sides) >= until:
                    clear()
                    return measured, failures
                progress.start(sides)
                played = now.play(gang)
                store(session, gang, played, found)
                measured += len(sides)
                failures += asv_processes.say_what_failed(session, list(itertools.chain(*played)))
                progress.finish(sides, said(gang[0], played[0]))
    clear()
    return measured, failures


def sides_of(gang: Iterable[Block]) -> list[Combination]:
    """Return what is measured of some blocks in a round."""
    return [side for block in gang for side in block.sides]


def store(session: Session, gang: Sequence[Block], played: Sequence[list[Process]], found: ByBlock) -> None:
    """Store what the sides of some blocks gave in a round, and asv's results from all rounds of these."""
    for block, ones in zip(gang, played, strict=True):
        # In one piece: a round of which a kill left half would count as measured.
        processes.store(session, block.one.environment, ones, session.home(block.name))
        found[block.name] += ones
    write_results(session, {block.name: found[block.name] for block in gang})


def said(block: Block, played: Iterable[Process]) -> str:
    """Return what the backends of a block gave."""
    return ", ".join(f"{process.one.backend} {human(process.value, block.one.measure)}" for process in played)


def run(
    config: Config,
    selections: Sequence[Selection],
    count: int = 1,
    timeout: float | None = None,
    minutes: float = math.inf,
    wait: bool = False,
    append: bool = True,
) -> int:
    """Measure rounds of all that is selected, backends in turn where there are several; return the exit status.

    ``count``, ``append``: as of `add_rounds`; with ``append``, what needs processes of asv's own is measured again.
    ``timeout``, ``minutes``, ``wait``: as of `arrayspeed.measure.asv_processes.run`.

    Raises
    ------
    UserError
        Nothing that is selected can run.
    """
    started = time.monotonic()
    until = started + 60 * minutes
    with only_run(config.results_dir, wait):
        session = open_session(config, list(selections))
        if timeout is not None:
            for benchmark in session.benchmarks.values():
                benchmark["timeout"] = timeout
        plan = planned(session, selections)
        blocks = blocks_of_backends(plan)
        together = set(sides_of(blocks))
        alone = [one for one in plan if one not in together]
        done = set() if append else asv_processes.finished(session, alone)
        alone = [one for one in alone if one not in done]
        # A round of everything before more of anything: time may run out.
        outcomes = [add_rounds(session, blocks, 1, append, until)]
        if alone:
            outcomes.append(asv_processes.measure(session, alone, count, append, until))
        if count > 1:
            outcomes.append(add_rounds(session, blocks, count - 1 if append else count, append, until))
    measured, failures = (sum(each) for each in zip(*outcomes, strict=True))
    failed = f", {failures} failed" if failures else ""
    print(f"{measured} measured in {clock(time.monotonic() - started)}{failed}")
    return 1 if failures else 0


def planned(session: Session, selections: Iterable[Selection]) -> list[Combination]:
    """Return everything that is selected and can run, once.

    Raises
    ------
    UserError
        There is nothing.
    """
    parts = (side_by_side(session, combinations(session, selection)) for selection in selections)
    plan = list(dict.fromkeys(one for part in parts for one in part))
    if not plan:
        raise UserError(nothing(selections))
    return plan
