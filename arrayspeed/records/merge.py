"""Brings results of other folders into one: what other machines and clones measured.

Processes are united line by line, of asv's result files each combination keeps the value that was measured last.
Everything is read and checked before anything is written, and a merge that is repeated changes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from asv.results import get_filename

from arrayspeed.environments.plugin import PACKAGES
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.model.units import plural
from arrayspeed.records import loaded, peaks, processes, results, states
from arrayspeed.records.combined import Key, Side, check, combine
from arrayspeed.records.files import SCALING

#: What asv calls the description of a machine.
DESCRIPTION = "machine.json"

#: What `arrayspeed audit` leaves beside a machine's results.
AUDIT = "audit.jsonl"

#: What `arrayspeed explain` leaves there.
EXPLANATIONS = "explanations.jsonl"

#: asv's list of benchmarks, beside the machines.
BENCHMARKS = "benchmarks.json"

#: What a machine is; the rest of its description changes with updates of its system.
HARDWARE = ("arch", "cpu", "num_cpu", "ram", "gpu")


@dataclass
class Added:
    """What came to one machine. ``newer``: values that replace older ones."""

    machine: str
    unknown: bool = False
    processes: int = 0
    values: int = 0
    newer: int = 0
    audit: bool = False
    peaks: bool = False
    explanations: int = 0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [plural(self.processes, "process", "processes")] if self.processes else []
        parts += [plural(self.values, "new value")] if self.values else []
        parts += [plural(self.newer, "newer value")] if self.newer else []
        parts += ["its audit"] if self.audit else []
        parts += ["its rates"] if self.peaks else []
        parts += [plural(self.explanations, "explanation")] if self.explanations else []
        return f"{printable(self.machine)}{' (new)' if self.unknown else ''}: {', '.join(parts) or 'nothing new'}"


def merge(target: Path, folders: Sequence[Path], machines: Sequence[str] | None = None) -> list[Added]:
    """Bring results of other folders into one; what came, by machine.

    Parameters
    ----------
    target
        The folder of results that is added to. Nobody else may write to it meanwhile.
    folders
        Other folders of results.
    machines
        Take only these machines.

    Raises
    ------
    UserError
        A folder is none of results, a file is none of those that belong there, or one name means two machines. Nothing
        is changed then.
    """
    places = [place for folder in folders for place in machine_folders(target, folder)]
    names = dict.fromkeys(place.name for place in places)
    if unknown := [name for name in machines or () if name not in names]:
        raise UserError(f"no results of machine {unknown[0]!r} there; there are results of {', '.join(names)}")
    files: dict[Path, bytes] = {}
    found = [
        merge_machine(target / name, [place for place in places if place.name == name], files)
        for name in sorted(names)
        if not machines or name in machines
    ]
    for folder in folders:
        if (folder / BENCHMARKS).exists() and not (target / BENCHMARKS).exists():
            text = read(folder / BENCHMARKS)
            parsed(text, folder / BENCHMARKS)
            files.setdefault(target / BENCHMARKS, text)
    write(target, files)
    return found


def machine_folders(target: Path, folder: Path) -> list[Path]:
    """Return the machines' folders of a folder of results.

    Raises
    ------
    UserError
        It has none, or is the one to add to.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder")
    if target.exists() and folder.samefile(target):
        raise UserError(f"{folder} holds this project's own results: name the folder of others")
    found = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}") if not path.parent.name.startswith("."))
    if not found:
        inside = folder / "results"
        hint = f": did you mean {inside}?" if any(inside.glob(f"*/{DESCRIPTION}")) else ""
        raise UserError(f"{folder} is not a folder of results: no folder in it has a {DESCRIPTION}{hint}")
    return found


def merge_machine(here: Path, others: Sequence[Path], files: dict[Path, bytes]) -> Added:
    """Add what is to be written of one machine to ``files``, in an order in which a merge that is killed can be
    repeated: a value's processes, by which its age is known, come after it.
    """
    added = Added(here.name, unknown=not (here / DESCRIPTION).exists())
    for other in others:
        theirs = read(other / DESCRIPTION)
        described = description(theirs, other / DESCRIPTION)
        ours = files.setdefault(here / DESCRIPTION, theirs) if added.unknown else read(here / DESCRIPTION)
        same_machine(description(ours, here / DESCRIPTION), described, here, other)
    for ending, bring in BRING.items():
        for name in sorted({path.name for other in others for path in other.glob(f"*{ending}")} - {DESCRIPTION}):
            if not name.startswith("."):
                bring(here / name, [other / name for other in others if os.path.lexists(other / name)], files, added)
    return added


def same_machine(data: dict[str, Any], two: dict[str, Any], here: Path, other: Path) -> None:
    """Nothing, if two descriptions are of one machine.

    Raises
    ------
    UserError
        They are not.
    """
    for name in HARDWARE:
        if data.get(name) != two.get(name):
            raise UserError(
                f"{other} is another machine than {here}: {name} is {two.get(name)!r}, not {data.get(name)!r}; keep "
                "its results in a clone of their own, or name the machines to merge with --machine"
            )


def merge_packages(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Merge the packages of an environment, as whoever measured first has them."""
    for other in others:
        theirs = read(other)
        ours = files.get(path) or (read(path) if path.exists() else None)
        if ours is None:
            files[path] = theirs
        elif ours != theirs:
            added.notes.append(f"{other}: its packages differ from those in {path}, which stay")


def merge_values(path: Path, others: Sequence[Path], files: dict[Path, bytes], added: Added) -> None:
    """asv's results of an environment at a commit."""
    sides = [side(each) for each in (path, *others) if each.exists()]
    first = sides[0].data
    for one, other in zip(sides[-len(others) :], others, strict=True):
        for name in ("commit_hash", "env_name", "requirements"):
            if one.data[name] != first[name]:
                raise UserError(
                    f"{other} and {path} are of one name, and their {name} differ: {one.data[name]!r} and "
                    f"{first[name]!r}; move one of them away"
                )
    nothing = [] if path.exists() else [Side(first | {"results": {}})]
    made = combine([*nothing, *sides])
    text = json.dumps(made.data)
    if len(sides) == 1:
        files[path] = read(others[0])
    elif not path.exists() or text != json.dumps(first):
        files[path] = text.encode()
    added.values += made.new
    added.newer += made.newer
    if made.left_out:
        added.notes.append(f"{path}: left out benchmarks of other code than those that are there: {made.left_out}")


def side(path: Path) -> Side:
    """Return a result file, with what its processes tell of when each combination was measured.

    Raises
    ------
    UserError
        It is not a result file of asv, or not the one that its name says.
    """
    regular(path)
    results.read(path)
    data = json.loads(path.read_bytes())
    try:
        name = get_filename(data["params"]["machine"], data["commit_hash"], data["env_name"])
        if name != f"{path.parent.name}/{path.name}":
            raise ValueError(f"its content belongs in {name}")
        check(data)
        return Side(data, dates(path.with_name(path.name.removesuffix(".json") + processes.SUFFIX)))
    except (ValueError, TypeError, LookupError) as error:
        raise UserError(f"{path} is not what its name says: {printable(str(error))}") from error


def dates(path: Path) -> dict[Key, float]:
    """When each combination last had a process that measured alone and gave a value, which asv's value is then of."""
    found: dict[Key, float] = {}
    for text in processes.lines_of(read(path)) if path.exists() else ():
        known = processes.record(text)
        if known and known[1].value is not None and known[1].block is None and (date := date_of(known[0])):
            one = known[1].one
            parameters = tuple(repr(each) for each in (one.backend, one.size, one.device) if each is not None)
            key = one.benchmark, parameters
            found[key] = max(found.get(key, date), date)
    return found


def date_of(row: dict[str, Any]) -> float | None:
    """When something was stored, in milliseconds as asv has them; None where that is not known."""
    with suppress(KeyError, TypeError, ValueError, OverflowError):
        date = datetime.fromisoformat(row["date"])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() * 1000
    return None


def merge_processes(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Merge the lines of a file, and after them those that only others have. A line that is there twice stays so."""
    ours = read(path) if path.exists() else b""
    counts = Counter(filter(None, map(content, processes.lines_of(ours))))
    more = []
    for other in others:
        theirs, bad = Counter[str](), 0
        lines = processes.lines_of(whole := read(other))
        for text in lines:
            if (key := content(text)) is None:
                bad += 1
                continue
            theirs[key] += 1
            if theirs[key] > counts[key]:
                counts[key] += 1
                more.append(text)
        if bad == len(lines) and whole.endswith(b"\n") and bad:
            raise UserError(f"{other} holds no record of a process")
        if bad:
            added.notes.append(f"{other}: left out lines that were cut short or are no records: {bad}")
    if more:
        cut = b"" if ours.endswith(b"\n") or not ours else b"\n"
        files[path] = ours + cut + b"\n".join(more) + b"\n"
    added.processes += len(more)


def content(text: bytes) -> str | None:
    """Return what a line says, however it is written; None where it is no record."""
    found = processes.record(text)
    return json.dumps(found[0], sort_keys=True) if found else None


def merge_audits(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Return the newest audit."""

    def age(text: bytes, source: Path) -> float:
        return date_of(parsed(text, source)) or 0.0

    known = -1.0
    if path.exists():
        with suppress(UserError):  # what is no audit counts as none
            known = age(read(path), path)
    for other in others:
        text = read(other)
        if age(text, other) > known:
            known, files[path], added.audit = age(text, other), text, True


def merge_peaks(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Return the rates that were measured last."""
    known = peaks.of_text(read(path)) if path.exists() else None
    for other in others:
        found = peaks.of_text(text := read(other))
        if found is None:
            raise UserError(f"{other} holds no rate of a machine")
        if known is None or found.date > known.date:
            known, files[path], added.peaks = found, text, True


def merge_explanations(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Bring the lines of all, by their dates: of one pair of versions and combination, the last counts."""
    added.explanations += merge_lines(path, others, files)


def merge_states(path: Path, others: Iterable[Path], files: dict[Path, bytes], added: Added) -> None:
    """Bring what is known of a machine and its environments, by their dates."""
    merge_lines(path, others, files)


def merge_lines(path: Path, others: Iterable[Path], files: dict[Path, bytes]) -> int:
    """Bring the lines of all, by their dates; how many came."""

    def age(text: bytes) -> float | None:
        with suppress(ValueError, RecursionError):
            return date_of(json.loads(text))
        return None

    ours = processes.lines_of(read(path)) if path.exists() else []
    theirs = dict.fromkeys(text for other in others for text in processes.lines_of(read(other)))
    more = [text for text in theirs if text not in ours and age(text) is not None]
    if more:
        lines: list[bytes] = sorted([*ours, *more], key=lambda text: age(text) or 0.0)
        files[path] = b"\n".join(lines) + b"\n"
    return len(more)


#: Ending -> what brings files of that ending, in the order of writing.
BRING = {
    PACKAGES: merge_packages,
    ".json": merge_values,
    processes.SUFFIX: merge_processes,
    AUDIT: merge_audits,
    peaks.FILE: merge_peaks,
    EXPLANATIONS: merge_explanations,
    states.FILE: merge_states,
    loaded.FILE: merge_states,
    SCALING: merge_states,
}


def description(text: bytes, path: Path) -> dict[str, Any]:
    """Return a machine's description.

    Raises
    ------
    UserError
        It is none, or of a machine of another name.
    """
    found = parsed(text, path)
    if found.get("machine") != path.parent.name:
        raise UserError(f"{path} does not describe a machine of that name")
    return found


def parsed(text: bytes, path: Path) -> dict[str, Any]:
    """Return what a file of JSON holds.

    Raises
    ------
    UserError
        It is not a JSON object.
    """
    with suppress(ValueError, RecursionError):
        if isinstance(found := json.loads(text), dict):
            return found
    raise UserError(f"{path} does not hold a JSON object")


def regular(path: Path) -> None:
    """Nothing, if it is a file: what else has a name can keep a reader waiting forever.

    Raises
    ------
    UserError
        It is none.
    """
    if not path.is_file():
        raise UserError(f"{path} is not a file")


def read(path: Path) -> bytes:
    """Return the content of a file.

    Raises
    ------
    UserError
        It cannot be read.
    """
    regular(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def write(target: Path, files: dict[Path, bytes]) -> None:
    """Write all files beside their places, then move each there: a kill leaves each as it was or as it will be."""
    if not files:
        return
    target.mkdir(parents=True, exist_ok=True)
    for left in target.glob(".saving-*"):  # by one that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".saving-") as temporary:
        for number, text in enumerate(files.values()):
            with Path(temporary, str(number)).open("wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for number, path in enumerate(files):
            path.parent.mkdir(exist_ok=True)
            Path(temporary, str(number)).replace(path)
