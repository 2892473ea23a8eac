"""What goes from one side to the other: results that a side must judge, and what one side wrote and the other reads."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arrayspeed.measure.players import Failed
from arrayspeed.own.process import Worker
from arrayspeed.own.results import Compared, compare

#: Questions, by the names of `arrayspeed.own.worker.objects`.
SAME, EQUAL, EXCHANGE = "same", "equal", "exchange"

#: Kinds of functions for which what a function returns is written down whole.
CARRIED = (SAME, EXCHANGE)


def asked(worker: Worker, request: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Return a worker's answer to a question, between what it measures.

    Raises
    ------
    Failed
        It cannot answer.
    """
    if worker.ended:
        raise Failed("its process has ended")
    worker.go()
    try:
        worker.ask(request)
        found = worker.answer(time.monotonic() + timeout)
        worker.learnt(found)
        return found
    finally:
        if not worker.ended:
            worker.stop()


def judged(
    worker: Worker,
    function: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    tolerance: float | None,
    timeout: float,
) -> Compared:
    """Return whether two sides returned the same: by the file's own function, by the class of what they returned, or by
    the numbers. ``worker`` is the new side's; ``old`` and ``new`` are what both sides said when the function was ready.
    """
    by_file = function in (worker.loaded or {}).get(SAME, [])
    if old.get("inputs") != new.get("inputs"):
        return Compared(None, None, "the inputs differ between the sides")
    if by_file:
        if why := old.get("unpicklable") or new.get("unpicklable"):
            return Compared(None, None, f"{name_of(SAME, function)} was not asked, since {why}")
        if not old.get("whole") or not new.get("whole"):
            return Compared(None)
        request = {"across": SAME, "function": function, "old": old["whole"], "new": new["whole"]}
    elif old.get("varies") or new.get("varies"):
        return Compared(None, None, "two calls with the same arguments return different values")
    elif old.get("objects") and new.get("objects"):
        request = {"across": EQUAL, "old": old["objects"], "new": new["objects"]}
    else:
        return compare(old, new, tolerance)
    try:
        answer = asked(worker, request, timeout)
    except Failed as error:
        if error.kind == "mistake":
            raise
        if by_file and "cannot be read" not in str(error):
            return Compared(False, None, f"{name_of(SAME, function)}: {error}")
        return Compared(None, None, str(error))
    if by_file or not answer["same"]:
        return Compared(answer["same"], None, answer["detail"])
    return compare(old, new, tolerance)  # what else there is


def figures_compared(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float | None) -> dict[str, Any]:
    """Return whether two figures are the same of which one at least has no ratio, as a record holds it."""
    sides = [
        {**side, "inputs": None} if side.get("files") else {"summary": f"{side['figure']:g}", "digest": None}
        for side in (old, new)
    ]
    if all(side.get("files") for side in sides):
        judged = compare(sides[0], sides[1], tolerance)
    else:
        judged = Compared(False, None, "{} → {}".format(*(side["summary"] for side in sides)))
    return judged.data() | {
        "summary": [side["summary"] for side in sides],
        "digests": [side["digest"] for side in sides],
    }


def name_of(kind: str, function: str) -> str:
    """Return the name of a function that belongs to another one."""
    return f"{kind}_{function.removeprefix('bench_')}"


def exchanged(
    readers: Mapping[str, Worker],
    function: str,
    made: Mapping[str, Mapping[str, Any]],
    tolerance: float | None,
    timeout: float,
    folder: Path,
) -> dict[tuple[str, str], Compared]:
    """Return what sides made of what others returned: (maker, reader) -> whether the reader works, and reads what the
    maker itself does.

    ``readers``: side -> its worker; ``made``: side -> what its worker said when the function was ready.
    """
    found: dict[tuple[str, str], Compared] = {}
    first, *others = readers
    for maker, reader in [pair for each in others for pair in ((first, each), (each, first))]:
        if why := made[maker].get("unpicklable"):
            found[maker, reader] = Compared(None, None, why)
            continue
        if not made[maker].get("whole"):
            continue
        read = []
        for place, side in enumerate((maker, reader)):
            request = {"across": EXCHANGE, "function": function, "made": made[maker]["whole"]}
            try:
                read.append(asked(readers[side], request | {"values": str(folder / f"read-{place}")}, timeout))
            except Failed as error:
                if side == maker:
                    why = f"{name_of(EXCHANGE, function)} fails for what its own side returned: {error}"
                    found[maker, reader] = Compared(None, None, why)
                else:
                    found[maker, reader] = Compared(False, None, str(error), failed=True)
                break
        else:
            found[maker, reader] = compare(read[0], read[1], tolerance)
    return found
