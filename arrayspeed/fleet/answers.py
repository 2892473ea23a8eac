"""What a host sent: taken only where it is exactly what was asked for, and merged into the results as one.

An answer is first written to a folder of its own in the results, whole, and then merged. A kill in between leaves that
folder, and the next run merges it; merging twice changes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from asv.results import get_filename

from arrayspeed.environments.plugin import PACKAGES
from arrayspeed.measure.blocks import Block
from arrayspeed.measure.session import save_atomically
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.records import processes
from arrayspeed.records.merge import BENCHMARKS, DESCRIPTION, merge
from arrayspeed.records.processes import Process

#: Where answers wait to be merged.
INCOMING = ".incoming-"


class Garbage(UserError):
    """A host sent what it was not asked for."""


def merge_left(results: Path) -> None:
    """Merge what a run that was killed had received, and drop what it had not received whole."""
    for folder in sorted(results.glob(f"{INCOMING}*")):
        if (folder / "whole").exists():
            merge(results, [folder])
        shutil.rmtree(folder)


def store(results: Path, machine: str, files: Mapping[str, str]) -> None:
    """Merge files of a machine into the results.

    Raises
    ------
    UserError
        They are no results, or of another machine of that name. Nothing is changed then.
    """
    folder = results / f"{INCOMING}{os.getpid()}"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "whole").touch()
    try:
        merge(results, [folder], [machine])
    finally:
        shutil.rmtree(folder)


def named(machine: str, commit: str, environment: str, ending: str) -> str:
    """Return the name of a file of an environment's results."""
    name: str = get_filename(machine, commit, environment)
    return name.removesuffix(".json") + ending


def check_packages(results: Path, machine: str, commit: str, environments: set[str], files: Mapping[str, str]) -> None:
    """Nothing, if a host's environments hold the packages that the results of its kind name.

    Raises
    ------
    UserError
        They do not.
    """
    for name in (named(machine, commit, environment, PACKAGES) for environment in sorted(environments)):
        if (results / name).exists() and (results / name).read_text() != files.get(name):
            raise UserError(
                f"its packages are not those of {results / name}: remove its environment, which is then made anew"
            )


def of_environments(files: object, machine: str, commit: str, environments: set[str]) -> dict[str, str]:
    """Return the files that may be of these environments; what has another name is never written.

    Raises
    ------
    Garbage
        They are no files, or not those of a machine.
    """
    endings = (".json", PACKAGES, processes.SUFFIX)
    known = {named(machine, commit, environment, end) for environment in environments for end in endings}
    known |= {f"{machine}/{DESCRIPTION}", BENCHMARKS}
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise Garbage("it sent no files")
    if f"{machine}/{DESCRIPTION}" not in files:
        raise Garbage("it sent no description of its machine")
    return {name: files[name] for name in known & files.keys()}


def played(
    files: dict[str, str], machine: str, commit: str, asked: Mapping[str, tuple[Block, list[int]]]
) -> dict[str, list[Process]]:
    """Return the processes of the blocks and rounds that were asked for. ``files`` keeps their lines and no others.

    Raises
    ------
    Garbage
        One is missing, there twice or no process.
    """
    found: dict[str, list[Process]] = {name: [] for name in asked}
    wanted = Counter(
        (name, side.environment, number)
        for name, (block, numbers) in asked.items()
        for side in block.sides
        for number in numbers
    )
    for environment in {environment for _, environment, _ in wanted}:
        name = named(machine, commit, environment, processes.SUFFIX)
        kept = []
        for line in processes.lines_of(files.get(name, "").encode()):
            if (parsed := processes.record(line, environment)) is None:
                raise Garbage("it sent a line that is no record of a process")
            _, process = parsed
            if process.block is not None and (process.block, environment, process.round) in wanted:
                side = next(one for one in asked[process.block][0].sides if one.environment == environment)
                if not same(process, side) or (process.value or 0) < 0:
                    raise Garbage(f"it sent a record of {process.one.benchmark} that is of something else")
                found[process.block].append(replace(process, one=side))
                kept.append(line.decode())
        files[name] = "".join(f"{line}\n" for line in kept)
        check_values(
            files.get(named(machine, commit, environment, ".json")),
            {block.one.benchmark for block, _ in asked.values()},
        )
    if Counter((one.block, one.one.environment, one.round) for ones in found.values() for one in ones) != wanted:
        raise Garbage("it did not send one record of each process that it was asked for")
    return found


def check_values(text: str | None, benchmarks: set[str]) -> None:
    """Nothing, if asv's values are of these benchmarks; whether they are values is seen when they are merged.

    Raises
    ------
    Garbage
        They are not.
    """
    try:
        if text is None or json.loads(text)["results"].keys() <= benchmarks:
            return
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    raise Garbage("it sent values that it was not asked for")


def same(process: Process, side: Combination) -> bool:
    """Return whether a process is of a side, whichever index asv gave it."""
    return replace(process.one, index=side.index) == side


def save_state(results: Path, text: str) -> None:
    """Save what `arrayspeed fleet status` tells; nothing else reads it."""
    save_atomically(results, lambda folder: Path(folder, STATE).write_text(text))


STATE = ".fleet.json"
