"""The programs of somebody's own functions on two sides, each made by a process of its own."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from arrayspeed.explain.compare import Explanation, explained
from arrayspeed.explain.programs import Program
from arrayspeed.measure import interrupts
from arrayspeed.measure.players import Failed
from arrayspeed.model.combination import Combination
from arrayspeed.own.notes import name
from arrayspeed.own.process import Worker
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready
from arrayspeed.own.until_decided import Item

#: What is said where one side alone compiles in a language.
NOTHING = "nothing is compiled so"


def explanations(
    script: Script, sides: tuple[Ready, Ready], item: Item, seconds: float, report: Callable[[str], None]
) -> list[Explanation]:
    """Both sides of a function and a size, one for each language in which a side shows it.

    Parameters
    ----------
    script
        The file.
    sides
        Where it runs.
    item
        The function and the size.
    seconds
        The time that the programs of a side may take.
    report
        Is told of each side.
    """
    found = []
    for side in sides:
        found.append(programs(script, side, item, seconds))
        report(f"{side.label}: {name(item)}")
        interrupts.check()
    old, new = found
    failed = [each for each in found if "" in each]
    if failed:
        return [explained(combination(item, ""), *(next(iter(each.values())) for each in found))]
    absent = Program(failed=NOTHING)
    return [
        explained(combination(item, language), old.get(language, absent), new.get(language, absent))
        for language in dict.fromkeys([*old, *new])
    ]


def combination(item: Item, language: str) -> Combination:
    """As kernels are named; in place of the backend is the language."""
    function, size = item
    number = size if isinstance(size, int) else None
    named = item if number is None else (function, None)
    return Combination("", "", 0, "", name(named), None, "", language, number, None)


def programs(script: Script, side: Ready, item: Item, seconds: float) -> dict[str, Program]:
    """Return the programs of a function on one side, by language; under "" why there are none."""
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
        worker = Worker(replace(side, side=replace(side.side, variables=variables(side, folder))), script)
        try:
            worker.load(seconds)
            worker.ask({"function": item[0], "size": item[1], "programs": folder})
            worker.answer(time.monotonic() + seconds)
            found = json.loads(Path(folder, "programs.json").read_text(encoding="utf-8"))
        except Failed as error:
            return {"": Program(failed=str(error))}
        finally:
            worker.end()
    return {language: Program(language, text) for language, text in found.items()}


def variables(side: Ready, folder: str) -> tuple[tuple[str, str], ...]:
    """Return a side's environment variables, with which XLA writes its programs to a folder and no compiler finds an
    earlier one; where a hash decides about an order or a name, it is the same hash.
    """
    own = dict(side.side.variables)
    flags = own.get("XLA_FLAGS", os.environ.get("XLA_FLAGS", ""))
    return tuple(
        {
            **own,
            "XLA_FLAGS": f"{flags} --xla_dump_to={folder} --xla_dump_hlo_as_text".strip(),
            "JAX_ENABLE_COMPILATION_CACHE": "false",
            "NUMBA_CACHE_DIR": folder,
            "TORCHINDUCTOR_CACHE_DIR": folder,
            "TRITON_CACHE_DIR": folder,
            "PYTHONHASHSEED": "0",
        }.items()
    )
