"""Say how small a slowdown this machine shows, and why.

For 40 seconds (--seconds), three small programs take turns with copies of themselves: a loop of Python, an addition of
1,000 numbers, and a product of matrices by as many threads as there are cores. How much copies differ says how small a
slowdown of such a program a minute of measuring shows in four cases of five. The output also has what the system tells
of the machine's state, what could be turned off, and whether the clock, the processor's counters and the profiler work.
Nothing is stored.

Exit status: 0 if a slowdown by ×1.25 is shown of each program in a minute, 1 if a copy was called slower or faster than
its reference or the clock does not work, 2 if the machine is too noisy, or after an error.

Examples:
    arrayspeed doctor               # before you measure on a machine first
    arrayspeed doctor --cores 1     # is it quieter on one core?
    arrayspeed doctor --seconds 120 --format json
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from arrayspeed.audit import doctor
from arrayspeed.audit.doctor import Examination, Program
from arrayspeed.cli import options
from arrayspeed.cli.options.cores import add_cores, use_cores
from arrayspeed.decide.words import LIMIT
from arrayspeed.formats.data import as_json
from arrayspeed.formats.progress import change, clear
from arrayspeed.formats.tables import markdown_table, markdown_text, table
from arrayspeed.formats.terminal import console
from arrayspeed.measure.host import only_run
from arrayspeed.model.units import human_time, plural
from arrayspeed.verdict.loaded import text as library_text

HEADINGS = ("program", "time of a call", "rounds", "noise of a round", "a copy is", "a minute shows")
WORKS = {True: "works", False: "does not work", None: "unknown"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed doctor``."""
    parser.add_argument(
        "--seconds",
        type=options.number(float, lambda value: 1 <= value <= 3600, "from 1 to 3600"),
        default=doctor.SECONDS,
        metavar="N",
        help=f"let copies take turns for N seconds (default {doctor.SECONDS:g}); fewer know noise less well",
    )
    add_cores(parser)
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed doctor``."""
    use_cores(args.cores)
    with tempfile.TemporaryDirectory() as folder, only_run(folder, args.wait) as state:
        found = doctor.examine(state, args.seconds, doing)
    clear()
    if args.format == "json":
        print(as_json(found.data()))
    else:
        show(found, args.format)
    return found.status


def doing(text: str) -> None:
    """Show what goes on, on a terminal."""
    change(text)


def show(found: Examination, form: str = "table") -> None:
    """Print what was found, as a table or in Markdown."""
    rows = [row_of(one) for one in found.programs]
    if form == "markdown":
        lines = [f"- {markdown_text(line)}" for line in about(found)]
        print("\n".join([*lines, "", *markdown_table(HEADINGS, rows), markdown_text(conclusion(found))]))
        return
    console().print(Group(*map(Text, about(found)), table(HEADINGS, rows, [""] * len(rows)), Text(conclusion(found))))


def about(found: Examination) -> Iterator[str]:
    """Yield the machine, its state, its instruments and what to do, a line each."""
    state, machine = found.state, found.machine
    parts = [machine["cpu"], plural(state.processors, "processor")]
    parts += [f"{state.physical} cores"] if state.physical and state.physical != state.processors else []
    parts += [f"a quota of {state.quota:.4g} cores"] if state.limited else []
    parts += [name for name, true in (("a virtual machine", state.virtual), ("a container", state.container)) if true]
    yield f"{machine['machine']}: {', '.join(parts)}"
    if state.governor:
        yield f"speed: governor {state.governor}, driver {state.driver}, boost {on(state.boost)}"
    busy = [f"{state.busy:.1f} cores by other processes"] if state.busy is not None else []
    busy += [f"{state.stolen:.1f} taken by the host"] if state.stolen else []
    yield f"busy at the start: {', '.join(busy) or 'unknown'}"
    yield f"threads: {', '.join(map(library_of, found.libraries)) or 'no BLAS was found'}"
    for one in found.instruments:
        yield f"{one.name}: {WORKS[one.works]}: {one.detail}"
    for title, texts in (
        ("will hurt", state.warnings()),
        ("missing", state.missing),
        ("could be better", found.advice),
    ):
        for text in texts:
            yield f"{title}: {text}"


def on(value: bool | None) -> str:
    """Return whether something is on."""
    return "unknown" if value is None else "on" if value else "off"


def library_of(one: dict[str, object]) -> str:
    """Return a library of this Python and its threads."""
    return f"{one['owner']} {library_text(one)}"


def row_of(one: Program) -> tuple[str, ...]:
    """Return one program's line."""
    noise = "unknown" if one.noise is None else f"{100 * one.noise:.1f} %"
    said = f"wrong: {one.verdict}" if one.is_wrong else one.verdict
    shown = f"×{one.shown:g} and more" if one.shown is not None else "none up to ×3" if one.known else "unknown"
    seconds = "fails" if one.seconds is None else human_time(one.seconds)
    return one.what, seconds, str(one.rounds), noise, said, shown


def conclusion(found: Examination) -> str:
    """Return what the exit status says, in a sentence."""
    took = f"It took {found.took:.0f} s."
    if found.status == 1:
        wrong = [one.what for one in found.programs if one.is_wrong]
        reason = (
            f"{' and '.join(wrong)} differ{'s' * (len(wrong) == 1)} from a copy" if wrong else "the clock is too coarse"
        )
        return f"NOT TO BE TRUSTED: {reason}. {took}"
    if found.status == 2:
        if not all(one.known for one in found.programs):
            return f"UNKNOWN: too few rounds; give more --seconds. {took}"
        noisy = [one.what for one in found.programs if not doctor.enough(one.shown)]
        return f"TOO NOISY: a minute does not show a slowdown by ×{LIMIT:g} of {' or '.join(noisy)}. {took}"
    most = max(one.shown or 0.0 for one in found.programs)
    return f"GOOD: a minute shows a slowdown by ×{most:g}, or less, of each of these. {took}"
