"""Measure what more cores bring, kernel by kernel and by backend.

For each kernel and backend, a process on each number of cores takes turns with the others, round after round, until
every speed-up is decided against the fewest cores. Libraries start as many threads as they see cores. What is measured
is kept in results/, and the report's Scaling page shows it; started again, it goes on.

Exit status: 0, 1 if anything fails, 2 after an error.

Examples:
    arrayspeed scaling              # ten kernels, all backends: an hour or two
    arrayspeed scaling --minutes 20 --backend torch --kernel matmul
    arrayspeed scaling --cores 1,2,4
"""

from __future__ import annotations

import argparse
from typing import Any

from arrayspeed.cli import options
from arrayspeed.cli.options.cores import check_cores, numbers
from arrayspeed.cli.own.arguments import add_minutes
from arrayspeed.decide import LOOKS
from arrayspeed.decide.words import FAILURES
from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.formats.data import as_lines
from arrayspeed.formats.tables import markdown_table, table
from arrayspeed.formats.terminal import console
from arrayspeed.formats.verdicts import interval_text
from arrayspeed.measure import scaling
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import OWN, Selection
from arrayspeed.measure.session import newest_of_all
from arrayspeed.measure.speedups import Speedup
from arrayspeed.measure.tiers import add_tier, kernels_of
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.model.names import check as check_names
from arrayspeed.model.units import human_time
from arrayspeed.records.scaling import Case
from arrayspeed.system.processes import affinity
from kernels import BACKENDS, CATALOGUE
from kernels.kernel import TIERS

HEADINGS = ("kernel", "backend", "cores", "time of a call", "speed-up (95 % interval)", "in a word")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed scaling``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument(
        "--cores", type=numbers, default=[], metavar="N,N…", help="numbers of cores (default 1, 2, 4, … and all)"
    )
    add_tier(parser, TIERS[0])
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--size", type=options.size, **several, help="small, large or a number (default: large)")
    parser.add_argument("--environment", **several, help="an environment's name (default: the one with most libraries)")
    parser.add_argument(
        "--rounds",
        type=options.whole(2, "one says nothing about noise"),
        default=LOOKS[-1],
        metavar="N",
        help=f"at most N rounds (default {LOOKS[-1]})",
    )
    add_minutes(parser)
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed scaling``."""
    check_names("kernel", args.kernel, CATALOGUE)
    check_names("backend", args.backend, BACKENDS)
    cores = sorted(args.cores or every_number(len(affinity())))
    check_cores(cores)
    if len(cores) < 2:
        raise UserError("scaling needs two numbers of cores, and this machine has one core")
    config, environments = existing.take(load_config(), args.environment)
    chosen = Selection(
        environments=environments or [newest_of_all(config)],
        kernels=kernels_of(args.tier or (None if args.kernel else TIERS[0]), args.kernel),
        backends=args.backend,
        sizes=args.size or ["large"],
        devices=["cpu"],
        dtypes=[OWN],
        measures=[CALL.name],
    )
    found = scaling.measure(config, chosen, cores, Limits(args.rounds, args.minutes), args.wait)
    rows = [row for case, ones in found.items() for row in rows_of(case, ones)]
    if args.format == "json":
        print(as_lines("scaling", map(data_of, found.items())))
    elif args.format == "markdown":
        print("\n".join(markdown_table(HEADINGS, rows)))
    else:
        console().print(table(HEADINGS, rows, [""] * len(rows)))
    decisions = [one.decision for ones in found.values() for one in ones if one.decision]
    return 1 if any(one.verdict in FAILURES for one in decisions) else 0


def every_number(most: int) -> list[int]:
    """Return 1, 2, 4, … and all."""
    found = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return found if found[-1] == most else [*found, most]


def rows_of(case: Case, ones: list[Speedup]) -> list[tuple[str, ...]]:
    """Return the lines of one case."""
    return [
        (
            f"{case.kernel} {case.size:,}" if place == 0 else "",
            case.backend if place == 0 else "",
            str(one.cores),
            "fails" if one.seconds is None else human_time(one.seconds),
            interval_text(*one.times) if one.times else "",
            one.why or (one.decision.verdict if one.decision else ""),
        )
        for place, one in enumerate(ones)
    ]


def data_of(pair: tuple[Case, list[Speedup]]) -> dict[str, Any]:
    """Return one case as programs read it."""
    case, ones = pair
    return {
        "environment": case.environment,
        "kernel": case.kernel,
        "dtype": case.dtype,
        "backend": case.backend,
        "size": case.size,
        "device": case.device,
        "cores": [
            {
                "cores": one.cores,
                "seconds": one.seconds,
                "speedup": list(one.times) if one.times else None,
                "verdict": one.decision.verdict if one.decision else None,
                "rounds": one.decision.rounds if one.decision else None,
                "why": one.why,
            }
            for one in ones
        ],
    }
