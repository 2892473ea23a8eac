"""What backends gave that took turns in the rounds of a block (`arrayspeed.measure.backends`), from their processes.

Backends that do not fit into memory at once are in several blocks, each of which holds the anchor. What the later ones
gave in a round is put beside the first one's by the anchor's batches, which both have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from arrayspeed.records.measures import run_of
from arrayspeed.records.processes import Process
from kernels import BACKENDS

#: A backend on a device.
Side = tuple[str, str | None]

#: What a side gave in each round: a round is a block and a number.
Rounds = dict[Hashable, list[float | None]]


def rounds_of_backends(processes: Iterable[Process]) -> dict[tuple[str, int | None], dict[Side, Rounds]]:
    """Return the rounds of each benchmark and size in which backends of one environment took turns, side by side.

    The first side of each is the anchor.
    """
    blocks: dict[str, list[Process]] = defaultdict(list)
    for process in processes:
        if process.block is not None:
            blocks[process.block].append(process)
    competing: dict[tuple[str, str, int | None], list[list[Process]]] = defaultdict(list)
    for name, ones in blocks.items():
        # In a block of releases, an environment has one backend.
        if len({side_of(process) for process in ones}) > 1:
            competing[run_of(name), ones[0].one.benchmark, ones[0].one.size].append(ones)
    found: dict[tuple[str, int | None], dict[Side, Rounds]] = {}
    for (_, benchmark, size), several in competing.items():
        sides = found.setdefault((benchmark, size), {})
        for side, rounds in beside(several).items():
            sides.setdefault(side, {}).update(rounds)
    return {where: dict(sorted(sides.items(), key=lambda each: place(each[0]))) for where, sides in found.items()}


def side_of(process: Process) -> Side:
    """Return what a process is of."""
    return process.one.backend, process.one.device


def place(side: Side) -> int:
    """Return a side's place in the order of backends, of which the first that is there is the anchor."""
    return list(BACKENDS).index(side[0]) if side[0] in BACKENDS else len(BACKENDS)


def beside(blocks: Sequence[Sequence[Process]]) -> dict[Side, Rounds]:
    """Return the rounds of blocks of one benchmark and size, those of later blocks beside those of the first."""
    found: dict[Side, Rounds] = defaultdict(dict)
    first, *later = [by_round(ones) for ones in blocks]
    names = [ones[0].block for ones in blocks]
    for number, sides in first.items():
        for side, batches in sides.items():
            found[side][names[0], number] = batches
    known = {side for sides in first.values() for side in sides}
    for name, block in zip(names[1:], later, strict=True):
        for number, sides in block.items():
            anchor = min((side for side in sides if side in first.get(number, {})), key=place, default=None)
            for side, batches in sides.items():
                if side in known or anchor is None:
                    found[side][name, number] = batches
                else:
                    found[side][names[0], number] = moved(batches, sides[anchor], first[number][anchor])
    return dict(found)


def by_round(processes: Iterable[Process]) -> dict[int | None, dict[Side, list[float | None]]]:
    """Return what each side of one block gave in each round: its batches, or its one figure."""
    found: dict[int | None, dict[Side, list[float | None]]] = defaultdict(dict)
    for process in processes:
        batches = process.batches or [process.value]
        found[process.round][side_of(process)] = [one if one and one > 0 else None for one in batches]
    return found


def moved(
    batches: Sequence[float | None], anchor: Sequence[float | None], other: Sequence[float | None]
) -> list[float | None]:
    """Return batches as they would stand beside the anchor's in another block, each moved as the anchor's were."""
    return [
        one / here * there if one and here and there else None
        for one, here, there in zip(batches, anchor, other, strict=False)
    ]
