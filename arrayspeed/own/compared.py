"""From sides and a file to a verdict: environments, what there is to measure, rounds, words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.measure.host import keep_state, only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.players import Interleaving
from arrayspeed.model.errors import UserError
from arrayspeed.model.failures import NOT_AVAILABLE
from arrayspeed.own import imports
from arrayspeed.own.commands import metrics
from arrayspeed.own.environments import ready
from arrayspeed.own.measures import observed
from arrayspeed.own.notes import listed, name
from arrayspeed.own.records import Item, Records, run_of
from arrayspeed.own.rounds import Plan, first_look
from arrayspeed.own.script import COMMAND, Script
from arrayspeed.own.sides import Ready, Side
from arrayspeed.own.until_decided import until_decided, works
from arrayspeed.own.verdict import verdict
from arrayspeed.system.missing import sentence
from arrayspeed.verdict.verdict import Verdict

#: What functions are called together that stand for sides.
VARIANTS = "variants"


@dataclass(frozen=True)
class Wanted:
    """What somebody asks for.

    Attributes
    ----------
    folder
        Where results and environments go.
    functions, sizes
        Regular expressions and sizes to choose by; all where there are none.
    companions
        Further requirements of all sides.
    limits, turns, tolerance, unclear
        See `arrayspeed.measure.until_decided`, `arrayspeed.measure.players`, `arrayspeed.own.results`.
    again
        Measure anew.
    every_pair
        Compare every side with every other one, and not only with the first.
    wait
        Wait for another measurement on this machine to end.
    """

    folder: Path
    functions: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    turns: Interleaving = field(default_factory=Interleaving)
    tolerance: float | None = None
    again: bool = False
    every_pair: bool = False
    unclear: float = UNCLEAR_SHARE
    wait: bool = False


def compare(script: Script, sides: Sequence[Side], wanted: Wanted, say: Callable[[str], None]) -> Verdict:
    """Measure the sides of a file and judge them.

    Raises
    ------
    UserError
        Something is wrong with the file, the sides or the machine; the message says what, in a line.
    """
    with begun(script, sides, wanted, say) as (made, answers, items):
        records = records_of(script, made, answers, wanted)
        plan = Plan(wanted.turns, wanted.tolerance)
        decisions = until_decided(made, script, items, records, wanted.limits, plan, wanted.every_pair)
    check_measured(script, records, items)
    seen = observed(records, items, records.rounds, wanted.limits.factor, wanted.every_pair)
    missing = [name(item) for item in items if not records.of(*item, records.rounds)]
    notes = [f"Not measured, since it was stopped before: {listed(missing)}."] if missing else []
    notes += notes_of_sides(answers)
    notes += filter(None, [sentence()])
    return verdict(script, made, records, seen, decisions, wanted.limits, wanted.unclear, notes, wanted.every_pair)


@contextmanager
def begun(
    script: Script, sides: Sequence[Side], wanted: Wanted, say: Callable[[str], None]
) -> Iterator[tuple[list[Ready], dict[str, dict[str, Any]], list[Item]]]:
    """Within, nothing else is measured on this machine: every side's environment, what it says of the file, and the
    functions and sizes that are asked for.

    Raises
    ------
    UserError
        As `compare`.
    """
    try:
        wanted.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"results cannot go to {wanted.folder}: {error.strerror}") from error
    with only_run(wanted.folder, wanted.wait):
        keep_state(wanted.folder)
        made = ready(sides, script, wanted.companions, wanted.folder / "environments", say)
        answers = look(script, made, wanted)
        yield made, answers, chosen(script, made, answers, wanted)


def records_of(
    script: Script, sides: Sequence[Ready], answers: dict[str, dict[str, Any]], wanted: Wanted, **more: object
) -> Records:
    """Return the records of a run, with what is there of it already; ``more`` tells it from others of the
    same sides.
    """
    modules = sorted({tuple(each) for answer in answers.values() for each in answer["modules"].items()})
    settings = {"tolerance": wanted.tolerance, "timeout": wanted.turns.timeout, "modules": modules, **more}
    settings |= {"asked": dict(script.asked)} if script.asked else {}
    path = wanted.folder / f"{script.stem}.jsonl"
    found = Records(path, run_of(script, sides, settings), [one.label for one in sides], wanted.again)
    (wanted.folder / ".gitignore").write_text("*\n")
    return found


def look(script: Script, sides: Sequence[Ready], wanted: Wanted) -> dict[str, dict[str, Any]]:
    """Return what every side says that there is to measure: of a command itself, of functions that stand
    for sides one.
    """
    if script.kind == COMMAND:
        named, _ = metrics(script.metric)
        return {one.label: {"items": [(each, None) for each in named], "notes": [], "modules": {}} for one in sides}
    if script.modules:
        return imports.first_look(sides, script, wanted.turns.timeout)
    answers = first_look(sides, script, wanted.turns.timeout)
    check_loaded(script, sides, answers)
    check_built(script, sides, answers)
    check_used(script, answers)
    known = [name for name, _ in answers[sides[0].label]["items"]]
    for one in sides:
        if one.side.function and one.side.function not in known:
            names = ", ".join(dict.fromkeys(known))
            raise UserError(f"{script.name} has no function {one.side.function}; it has {names}")
    for one in sides:
        if one.side.function:
            answers[one.label]["items"] = [
                (VARIANTS, size) for name, size in answers[one.label]["items"] if name == one.side.function
            ]
    return answers


def check_loaded(script: Script, sides: Sequence[Ready], answers: dict[str, dict[str, Any]]) -> None:
    """Whether every side could load the file.

    Raises
    ------
    UserError
        One could not.
    """
    failed = {label: answer for label, answer in answers.items() if "failed" in answer}
    if not failed:
        return
    label, answer = next(iter(failed.items()))
    everywhere = len(failed) == len(sides)
    where = " on both sides" if everywhere and len(sides) == 2 else f" with {label}" if label else ""
    if answer["kind"] == "mistake":
        raise UserError(f"{script.name}{'' if everywhere else where}: {answer['failed']}")
    commits = any(one.side.build and not one.side.lock for one in sides)
    hint = "; --benchmarks-from names another commit to take it from" if commits else ""
    raise UserError(f"{script.name} cannot be imported{where}: {answer['failed']}{hint}")


def check_built(script: Script, sides: Sequence[Ready], answers: dict[str, dict[str, Any]]) -> None:
    """Whether what was built of a commit is what the file imports.

    Raises
    ------
    UserError
        A module of it was imported from beside the file: the same on all sides, so that nothing would differ.
    """
    for one in sides:
        built = one.side.build.modules if one.side.build else ()
        beside = {path.replace("\\", "/").partition("/")[0].partition(".")[0] for path in answers[one.label]["modules"]}
        if shadowed := sorted(beside.intersection(built)):
            raise UserError(
                f"{script.name} imports {shadowed[0]} from its own folder, and not what was built of the project: "
                "move it to a folder of its own"
            )


def check_used(script: Script, answers: dict[str, dict[str, Any]]) -> None:
    """Whether what a file says of one function is of one that it has, on some side.

    Raises
    ------
    UserError
        It is of none: a name is misspelt.
    """
    unused = set.intersection(*(set(answer.get("unused", ())) for answer in answers.values()))
    if unused:
        name = min(unused)
        raise UserError(f"{script.name} has {name}, and no bench_{name.partition('_')[2]} that it belongs to")


def chosen(script: Script, sides: Sequence[Ready], answers: dict[str, dict[str, Any]], wanted: Wanted) -> list[Item]:
    """Return the functions and sizes that are asked for, of all that any side has.

    Raises
    ------
    UserError
        There are none.
    """
    every = list(dict.fromkeys(tuple(item) for one in sides for item in answers[one.label]["items"]))
    named = [
        item for item in every if not wanted.functions or any(re.search(each, item[0]) for each in wanted.functions)
    ]
    if not named:
        known = ", ".join(dict.fromkeys(name for name, _ in every))
        raise UserError(f"--function matches nothing in {script.name}, which has {known}")
    found = [item for item in named if not wanted.sizes or str(item[1]) in wanted.sizes]
    if not found:
        known = ", ".join(dict.fromkeys(str(size) for _, size in named if size is not None))
        raise UserError(f"--size {wanted.sizes[0]}: {script.name} has {known or 'no sizes'}")
    return found


def notes_of_sides(answers: dict[str, dict[str, Any]]) -> list[str]:
    """Return what the sides say of the file as a whole, and which side says it where not all do."""
    found: dict[str, list[str]] = {}
    for label, answer in answers.items():
        for note in answer["notes"]:
            found.setdefault(note, []).append(label)
    return [
        note if len(labels) == len(answers) else f"In {' and '.join(labels)}: {note}" for note, labels in found.items()
    ]


def check_measured(script: Script, records: Records, items: Sequence[Item]) -> None:
    """Whether anything could be measured, and nothing was a mistake on all sides.

    Raises
    ------
    UserError
        All functions fail on all sides, or one was written in a way that cannot be measured.
    """
    rows = [row for item in items for row in records.of(*item, records.rounds)]
    for row in rows:
        if all(one.kind == "mistake" for one in row.values()):
            raise UserError(f"{script.name}: {next(iter(row.values())).why}")
    ones = [one for row in rows for one in row.values()]
    if ones and all(one.kind == NOT_AVAILABLE for one in ones):
        raise UserError(f"{script.name}: nothing was measured: everything skips itself on all sides")
    if ones and all(one.why and not works(one) for one in ones):
        first = next(iter(rows[0].values()))
        more = f" (and {len(items) - 1} more)" if len(items) > 1 else ""
        raise UserError(f"{script.name}: {first.function} fails on all sides: {first.why}{more}")
