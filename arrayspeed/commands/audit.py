"""Check that this machine's numbers are what they claim to be: what `make audit` does.

Every kernel on every backend: asv's time against an independent clock, no compilation and no transfer in timed calls,
the right result in the right dtype on the right device, the same cores and precision for all, programs that still do
the work, and the noise between processes. Takes a quarter of an hour on a quiet machine, and longer where it takes more
processes to be sure. The result is kept beside the machine's results, and the report shows it. Exit status: 0 where
nothing failed, 1 where something did.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import asdict

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arrayspeed import existing
from arrayspeed.audit.check import CHECKS, Audit, Check, save
from arrayspeed.audit.machine import audit, without_a_row
from arrayspeed.errors import UserError
from arrayspeed.project import load_config
from arrayspeed.run import only_run
from arrayspeed.session import newest_of_all
from arrayspeed.terminal import console
from arrayspeed.text import printable
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.backends.hardware import missing
from kernels.catalogue import choose

MARKS = {True: ("pass", "green"), False: ("FAIL", "bold red"), None: ("cannot say", "yellow")}


def add_arguments(parser) -> None:
    """The options of ``arrayspeed audit``."""
    several = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--size", **several, help="small, large or a number, for the clocks (default small)")
    parser.add_argument(
        "--environment",
        **several,
        help="an environment's name, or existing[:PYTHON], an interpreter as it is (default: the one with most)",
    )
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="default cpu")
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        metavar="N",
        help="processes of each clock, in turn, and up to four times as many of what is unclear (default 3)",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def main(args) -> int:
    """Run ``arrayspeed audit``."""
    check(args)
    config, environments = existing.take(load_config(), args.environment)
    folder = config.results_dir
    started = time.monotonic()

    def report(what: str, found: list[Check]) -> None:
        seconds = round(time.monotonic() - started)
        bad = sum(one.passed is False for one in found)
        counts = (
            f": {sum(one.passed is True for one in found)} pass" + (f", {bad} FAIL" if bad else "") if found else ""
        )
        print(f"[{seconds // 60}:{seconds % 60:02d}] {what}{counts}", file=sys.stderr, flush=True)

    with only_run(folder):
        found = audit(
            config,
            environments[0] if environments else newest_of_all(config),
            args.device,
            args.backend,
            args.kernel,
            args.size or ["small"],
            args.rounds,
            report,
        )
        lost = without_a_row(found, args.kernel)
        if not (args.kernel or args.backend):
            save(folder, found)
    if args.json:
        print(json.dumps(asdict(found), indent=1))
    else:
        console().print(shown(found))
    for each in lost:
        print(f"arrayspeed: not checked: {each}", file=sys.stderr)
    return 1 if found.failed or lost else 0


def check(args) -> None:
    """Whether the arguments make sense.

    Raises
    ------
    UserError
        They do not.
    """
    try:
        for kind, names, valid in (("kernel", args.kernel, CATALOGUE), ("backend", args.backend, BACKENDS)):
            for name in names:
                choose(kind, name, valid)
    except ValueError as error:
        raise UserError(str(error)) from error
    for size in args.size:
        if size not in ("small", "large") and not size.isdigit():
            raise UserError(f"size {size!r} is not valid: small, large or a number")
    if args.rounds < 2:
        raise UserError(f"--rounds {args.rounds} is not valid: 2 or more, for a spread between processes")
    if why := missing(args.device):
        raise UserError(why)


def shown(found: Audit) -> Group:
    """Counts of each check and backend, then every row that did not pass, and the noise."""
    backends = list(dict.fromkeys(one.backend for one in found.checks))
    counts = Counter((one.check, one.backend, one.passed) for one in found.checks)
    table = Table(box=box.SIMPLE_HEAD, title=f"{found.machine}, {found.device}: {found.environment}")
    table.add_column("check")
    table.add_column("it says")
    for backend in backends:
        table.add_column(backend, justify="right")
    made = {one.check for one in found.checks}
    for name, meaning in [(name, meaning) for name, meaning in CHECKS.items() if name in made]:
        table.add_row(name, meaning, *(cell(counts, name, backend) for backend in backends))
    rest = [one for one in found.checks if one.passed is not True]
    details = Table(box=box.SIMPLE_HEAD)
    for heading in ("", "check", "backend", "kernel", "what was found"):
        details.add_column(heading)
    for one in sorted(rest, key=lambda one: one.passed is None):
        details.add_row(Text(*MARKS[one.passed]), one.check, one.backend, one.kernel or "", Text(printable(one.detail)))
    parts = [table] + ([details] if rest else [])
    total = Counter(one.passed for one in found.checks)
    return Group(*parts, f"{total[True]} pass, {total[False]} fail, {total[None]} cannot be said")


def cell(counts: Counter, check: str, backend: str) -> Text:
    """How many of a backend's rows passed."""
    good, bad, open_ = (counts[check, backend, passed] for passed in (True, False, None))
    if not good + bad + open_:
        return Text("")
    text = f"{good}" + (f", {bad} FAIL" if bad else "") + (f", {open_} ?" if open_ else "")
    return Text(text, style=MARKS[False][1] if bad else MARKS[None][1] if open_ else MARKS[True][1])
