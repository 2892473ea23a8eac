"""Check this machine's numbers against an independent clock.

`make audit` does this. Every kernel on every backend: no compilation and no transfer in timed calls, the right result
in the right dtype on the right device, the same cores and precision for all, and programs that still do the work. asv's
time of a call, and the time taken in turn, as upgrades are measured, are compared with an independent clock: a plain
script in a fresh interpreter.

All three take turns by batches, in new processes each round, and are judged after 3, 4, 6, 8, 12 and 16 rounds. A row
passes if it is shown to be within ±10 % (or 0.3 µs) of the clock, fails if it is shown to be outside, and is open
otherwise. Rows that are decided, either way, are not measured again. What is undecided when the minutes are over, or
after Ctrl-C, is open. The result is saved beside the machine's results once every row was looked at, and the report
shows it.

Exit status: 0 if nothing failed and at most 5 % (--max-unclear) of the comparisons with the clock are open; each is
listed. 1 if something failed. 2 if too much is open, or after an error.

Examples:
    arrayspeed audit
    arrayspeed audit --tier bench --minutes 30
    arrayspeed audit --backend numpy --kernel matmul --format json
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from arrayspeed.audit.check import CHECKS, WORDS, Audit, Check, save
from arrayspeed.audit.clocks import ROUNDS
from arrayspeed.audit.machine import audit, without_a_row
from arrayspeed.cli import options
from arrayspeed.cli.options.device import TESTED, check_device
from arrayspeed.cli.own.arguments import add_minutes
from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.formats.progress import clock, say
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Clock
from arrayspeed.measure.session import newest_of_all
from arrayspeed.measure.tiers import add_tier, kernels_of
from arrayspeed.model.names import check as check_names
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.kernel import TIERS

#: The width of what is no terminal.
PIPED = 200

STYLES = {True: "green", False: "bold red", None: "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed audit``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    add_tier(parser, TIERS[-1])
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument(
        "--size", type=options.size, **several, help="small, large or a number, for the clocks (default small)"
    )
    parser.add_argument(
        "--environment",
        **several,
        help="an environment's name, or existing[:PYTHON] for an interpreter (default: the one with most libraries)",
    )
    parser.add_argument("--device", choices=DEVICES, default="cpu", help=f"default cpu; {TESTED}")
    parser.add_argument(
        "--rounds",
        type=options.whole(2, "to see the spread between processes"),
        default=ROUNDS,
        metavar="N",
        help=f"at most N processes of each clock, fewer for rows that are decided earlier (default {ROUNDS})",
    )
    add_minutes(parser)
    options.add_max_unclear(parser, UNCLEAR_SHARE, "stay open, of those with the clock")
    options.add_format(parser, json_flag=True)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed audit``."""
    check(args)
    config, environments = existing.take(load_config(), args.environment)
    folder = config.results_dir
    kernels = kernels_of(args.tier or TIERS[-1], args.kernel)
    started = time.monotonic()

    def report(what: str, checks: list[Check]) -> None:
        counts = Counter(one.passed for one in checks)
        said = ", ".join(f"{counts[passed]} {word}" for passed, word in WORDS.items() if counts[passed])
        say(f"[{clock(time.monotonic() - started)}] {what}{said and ': '}{said}")

    with only_run(folder, args.wait):
        found = audit(
            config,
            environments[0] if environments else newest_of_all(config),
            args.device,
            args.backend,
            kernels,
            args.size or ["small"],
            args.rounds,
            report,
            Clock(args.minutes),
        )
        lost = without_a_row(found, kernels)
        if found.complete and not args.backend and set(kernels) == set(CATALOGUE):
            save(folder, found)
    show(shown(found), args.format, PIPED)
    for each in lost:
        say(f"arrayspeed: not checked: {each}")
    return 1 if lost and found.complete else found.status(args.unclear)


def check(args: argparse.Namespace) -> None:
    """Whether the arguments make sense.

    Raises
    ------
    UserError
        They do not.
    """
    check_names("kernel", args.kernel, CATALOGUE)
    check_names("backend", args.backend, BACKENDS)
    check_device(args.device)


def shown(audit: Audit) -> Shown:
    """Return the counts of each check and backend, then every row that failed or is open, and the noise."""
    backends = list(dict.fromkeys(one.backend for one in audit.checks))
    counts = Counter((one.check, one.backend, one.passed) for one in audit.checks)
    made = {one.check for one in audit.checks}
    rows = [
        [name, meaning, *(cell(counts, name, backend) for backend in backends)]
        for name, meaning in CHECKS.items()
        if name in made
    ]
    looks = [STYLES[worst(one.passed for one in audit.checks if one.check == row[0])] for row in rows]
    tables = [Fitting(["check", "what passes", *backends], rows, 2, looks, range(2, 2 + len(backends)))]
    rest = sorted((one for one in audit.checks if one.passed is not True), key=lambda item: item.passed is None)
    details = [[WORDS[one.passed], one.check, one.backend, one.kernel or "", one.detail] for one in rest]
    if details:
        styles = [STYLES[one.passed] for one in rest]
        tables.append(Fitting(("", "check", "backend", "kernel", "what was found"), details, 4, styles, prose=True))
    total = Counter(one.passed for one in audit.checks)
    noise = ", ".join(f"{backend} {one.between:.1%}" for backend, one in audit.noise.items())
    lines = [f"Standard deviation of one round's ratio of asv to the clock: {noise}"] if noise else []
    lines.append(f"{total[True]} pass, {total[False]} fail, {total[None]} are open")
    title = f"{audit.machine}, {audit.device}: {audit.environment}"
    return Shown(tables, asdict(audit), lines, title)


def worst(passed: Iterable[bool | None]) -> bool | None:
    """Return whether all passed; None where none failed and some are open."""
    found = set(passed)
    return False if False in found else None if None in found else True


def cell(counts: Counter[tuple[str, str, bool | None]], check: str, backend: str) -> str:
    """Return how many of a backend's rows passed."""
    good, bad, open_ = (counts[check, backend, passed] for passed in (True, False, None))
    if not good + bad + open_:
        return ""
    return f"{good}" + (f", {bad} FAIL" if bad else "") + (f", {open_} open" if open_ else "")
