"""Compare benchmarks with copies of themselves: how noisy is this machine, and what slowdown would it show?

In each block an exact copy takes turns with its reference, and so do copies that do other work for a share of each
call's time (--busy). Every difference reported for an exact copy is false. The slower copies show how far "same" and
"slower" can be trusted here: such a copy is found only where it is called slower and its ratio reads what was planted,
that is where the ratio's interval, widened by 3 % on both sides, holds it. A ratio that does not is wrong, whatever the
copy is called. Of exact copies with a noise above 5 %, a table says what goes along with it: page faults, context
switches, CPU time or fewer busy cores, and whether it is lasting: a process keeps its speed.

Nothing is stored in results/; --format json prints all that was found, and --read shows that.

Exit status: 0 if no verdict was wrong and at most 5 % are unclear, 1 if one was wrong, 2 if too many are unclear: a
machine that is too noisy to show anything has not passed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections import Counter, defaultdict
from contextlib import redirect_stdout
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Group
from rich.text import Text

from arrayspeed.audit import copies
from arrayspeed.audit.copies import Copy
from arrayspeed.cli.own.arguments import add_cores, add_minutes, check_minutes, use_cores
from arrayspeed.decide import LOOKS, Decision, exit_status
from arrayspeed.decide.along import along
from arrayspeed.decide.words import FACTOR, FAILS, FASTER, ORDER, SAME, SLOWER, SOMETIMES, UNCLEAR
from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.formats.terminal import console
from arrayspeed.formats.verdicts import markdown_table, table
from arrayspeed.measure.host import only_run
from arrayspeed.measure.plan import OWN, Selection
from arrayspeed.measure.session import newest_of_all, open_session
from arrayspeed.measure.tiers import add_tier, kernels_of
from arrayspeed.measure.until_decided import Limits
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.model.names import check as check_names
from kernels import BACKENDS, CATALOGUE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``arrayspeed copies``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    add_tier(parser)
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--size", **several, help="small, large or a number (default: small and large)")
    parser.add_argument("--environment", **several, help="an environment's name (default: the one with most libraries)")
    parser.add_argument(
        "--busy",
        action="append",
        type=float,
        default=[],
        metavar="PERCENT",
        help="add a copy that is slower by this percentage",
    )
    parser.add_argument("--failing", type=int, default=0, metavar="N", help="add a copy that fails once in N calls")
    parser.add_argument(
        "--rounds", type=int, default=LOOKS[-1], metavar="N", help=f"at most N rounds (default {LOOKS[-1]})"
    )
    parser.add_argument(
        "--all-rounds",
        action="store_true",
        help="run all rounds, decided or not, and also measure one after the other, to compare the noise",
    )
    add_minutes(parser)
    add_cores(parser)
    parser.add_argument(
        "--read",
        type=Path,
        metavar="FILE",
        help="measure nothing: show what --format json printed into this file; no other option but --format counts",
    )
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="default table")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed copies``."""
    if args.read:
        found = read(args.read)
        show(found, args.format)
        return status(found)
    check(args)
    use_cores(args.cores)
    config, environments = existing.take(load_config(), args.environment)
    chosen = Selection(
        environments=environments or [newest_of_all(config)],
        kernels=kernels_of(args.tier, args.kernel),
        backends=args.backend,
        sizes=args.size or ["small", "large"],
        devices=["cpu"],
        dtypes=[OWN],
        measures=[CALL.name],
    )
    with redirect_stdout(sys.stderr), only_run(config.results_dir, args.wait), TemporaryDirectory() as scratch:
        session = open_session(config, [chosen], scratch)
        limits = Limits(args.rounds, args.minutes, once=args.all_rounds)
        found = copies.compare(
            session, chosen, limits, [percent / 100 for percent in args.busy], args.failing, args.all_rounds
        )
    show(found, args.format)
    return status(found)


def check(args: argparse.Namespace) -> None:
    """Whether the arguments make sense.

    Raises
    ------
    UserError
        They do not.
    """
    check_names("kernel", args.kernel, CATALOGUE)
    check_names("backend", args.backend, BACKENDS)
    for size in args.size:
        if size not in ("small", "large") and not (size.isdigit() and int(size)):
            raise UserError(f"size {size!r} is not valid: small, large or a number")
    for percent in args.busy:
        if not 0 < percent <= 1000:
            raise UserError(f"--busy {percent:g} is not valid: a percentage above 0; 10 makes a copy 10 % slower")
    if args.failing < 0 or args.failing == 1:
        raise UserError(f"--failing {args.failing} is not valid: 2 or more calls, of which one fails")
    if args.rounds < 2:
        raise UserError(f"--rounds {args.rounds} is not valid: 2 or more; one says nothing about noise")
    check_minutes(args)


def read(path: Path) -> list[Copy]:
    """What an earlier run printed with ``--format json``.

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    try:
        return [parse(row) for row in json.loads(path.read_bytes())]
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise UserError(f"{path} is not what `arrayspeed copies --format json` prints") from error


def parse(row: dict[str, Any]) -> Copy:
    """One copy, as JSON has it; an error of some kind where it is none."""
    row = {each.name: row[each.name] for each in fields(Copy) if each.default_factory is MISSING or each.name in row}
    made = Copy(**row | {"one": Combination(**row["one"]), "decision": Decision(**row["decision"])})
    if made.decision.verdict not in ORDER or made.one.backend not in BACKENDS or made.one.kernel not in CATALOGUE:
        raise ValueError(made)
    along([(made.in_turn, made.went_along()), made.lasts()])
    if made.halves and len(made.halves) != len(made.in_turn):
        raise ValueError(made)
    return made


def status(found: list[Copy]) -> int:
    """The exit status. Nothing measured is nothing shown."""
    if any(map(wrong, found)):
        return 1
    # What a copy was rightly said to be is nothing worse; only what is unclear counts.
    return exit_status([UNCLEAR if one.decision.verdict == UNCLEAR else SAME for one in found])


def wrong(copy: Copy) -> bool:
    """Whether its word is false, or its ratio."""
    return falsely_called(copy) or misread(copy)


def falsely_called(copy: Copy) -> bool:
    """Whether a word is false: a change of an exact copy, or "same" of one that is slower by more than the factor."""
    if copy.failing:
        return copy.decision.verdict == SAME
    if copy.busy == 0:
        return copy.decision.verdict in (SLOWER, FASTER, FAILS, SOMETIMES)
    return copy.decision.verdict == (SAME if 1 + copy.busy > FACTOR else FASTER)


def misread(copy: Copy) -> bool:
    """Whether the ratio of a slower copy is wrong. Of exact copies the words tell."""
    return bool(copy.busy) and copies.reads(copy) is False


def found_as_planted(copy: Copy) -> bool:
    """Whether a slower copy is found: it is called slower, by a ratio that reads what was planted."""
    return bool(copy.busy) and copy.decision.verdict == SLOWER and copies.reads(copy) is True


#: Noise of a round's ratio with which 10 % can be shown in few rounds.
QUIET = 0.05

NOISE = (
    "backend",
    "size",
    "combinations",
    "in turn, median",
    "in turn, at most 5 %",
    "one after the other, median",
    "ratio of the medians",
)
CAUSES = ("backend", "size", "goes along with the noise", "copies above 5 %")
#: What was planted, and what ratios say of it.
READ = ("ratio, median", "within 3 %", "reads what was planted", "found")
WORDS = (
    "copy",
    "backend",
    "combinations",
    "decided",
    "found, of those with noise of at most 5 %",
    "planted",
    *READ,
    "rounds, mean",
)
LEVELS = ("planted", "copies", *READ)


def show(found: list[Copy], form: str) -> None:
    """Print what was found."""
    if form == "json":
        rows = [
            asdict(one)
            | {"planted": copies.planted(one), "ratio": one.decision.ratio, "reads_planted": copies.reads(one)}
            | {"noise_in_turn": copies.noise(one.in_turn), "noise_apart": copies.noise(one.apart)}
            for one in found
        ]
        print("[" + ",\n ".join(json.dumps(row, allow_nan=False) for row in rows) + "]")
        return
    parts = [(WORDS, words(found)), (LEVELS, levels(found)), (NOISE, noises(found)), (CAUSES, causes(found))]
    if form == "markdown":
        print("\n".join(line for headings, rows in parts if rows for line in markdown_table(headings, rows)))
        return
    console().print(
        Group(
            *(table(headings, rows, [""] * len(rows)) for headings, rows in parts if rows),
            Text(
                f"{sum(map(wrong, found))} of {len(found)} verdicts are wrong, "
                f"{sum(map(misread, found))} by a ratio that does not read what was planted"
            ),
        )
    )


def label(one: Copy) -> str:
    """What a copy is."""
    return f"fails once in {one.failing} calls" if one.failing else f"{one.busy:+.0%}" if one.busy else "exact"


def words(found: list[Copy]) -> list[list[str]]:
    """How many copies of each kind and backend were given each word, and the rounds that it took."""
    groups = defaultdict(list)
    for one in found:
        groups[one.failing, one.busy, list(BACKENDS).index(one.one.backend)].append(one)
    rows = []
    for _, ones in sorted(groups.items()):
        counts = Counter(one.decision.verdict for one in ones)
        said = ", ".join(f"{counts[word]} {word}" for word in ORDER if counts[word])
        quiet = [one for one in ones if (value := copies.noise(one.in_turn)) is not None and value <= QUIET]
        of_quiet = f"{sum(map(found_as_planted, quiet))} of {len(quiet)}" if ones[0].busy else ""
        rounds = sum(one.rounds for one in ones) / len(ones)
        kind, backend = label(ones[0]), ones[0].one.backend
        much = copies.planted(ones[0])
        cells = [str(len(ones)), said, of_quiet, "" if much is None else f"×{much:g}", *read_of(ones)]
        rows.append([kind, backend, *cells, f"{rounds:.1f}"])
    return rows


def levels(found: list[Copy]) -> list[list[str]]:
    """How well ratios read what was planted, over all backends."""
    groups = defaultdict(list)
    for copy in found:
        if (much := copies.planted(copy)) is not None:
            groups[much].append(copy)
    return [[f"×{much:g}", str(len(group)), *read_of(group)] for much, group in sorted(groups.items())]


def read_of(group: list[Copy]) -> list[str]:
    """The cells of `READ` for copies in which the same was planted; what has no ratio is not within 3 % of anything."""
    much = copies.planted(group[0])
    if much is None:
        return [""] * len(READ)
    ratios = [copy.decision.ratio for copy in group if copy.decision.ratio is not None]
    near = sum(copies.within(ratio, much) for ratio in ratios)
    return [
        f"×{median(ratios):.3f}" if ratios else "",
        f"{near} of {len(group)}, {near / len(group):.0%}",
        f"{sum(copies.reads(copy) is True for copy in group)} of {len(group)}",
        f"{sum(map(found_as_planted, group))} of {len(group)}" if group[0].busy else "",
    ]


def by_size(found: list[Copy]) -> dict[tuple[str, str], list[Copy]]:
    """Exact copies with enough rounds to see noise, by backend and size."""
    groups = defaultdict(list)
    for one in found:
        if not one.busy and not one.failing and len(one.in_turn) > 2:
            kernel = CATALOGUE[one.one.kernel]
            labels: dict[int | None, str] = {kernel.small: "small", kernel.large: "large"}
            groups[one.one.backend, labels.get(one.one.size, "other")].append(one)
    return groups


def noises(found: list[Copy]) -> list[list[str]]:
    """Standard deviation between rounds of an exact copy's ratio, by backend and size."""
    rows = []
    for (backend, size), ones in by_size(found).items():
        turns = [value for one in ones if (value := copies.noise(one.in_turn)) is not None]
        apart = [value for one in ones if (value := copies.noise(one.apart)) is not None]
        quiet = sum(value <= QUIET for value in turns)
        after = [f"{median(apart):.1%}", f"{median(turns) / median(apart):.2f}"] if apart else ["", ""]
        rows.append([backend, size, str(len(ones)), f"{median(turns):.1%}", f"{quiet} of {len(turns)}", *after])
    return rows


def causes(found: list[Copy]) -> list[list[str]]:
    """What goes along with the noise of exact copies that have more than `QUIET`, where anything was counted
    of them, and whether processes keep their speed.
    """
    places = [
        (place, one)
        for place, ones in by_size(found).items()
        for one in ones
        if (one.counted or one.halves) and (value := copies.noise(one.in_turn)) is not None and value > QUIET
    ]
    shown = along([(one.in_turn, one.went_along()) for _, one in places] + [one.lasts() for _, one in places])
    groups = defaultdict(list)
    for (place, one), *names in zip(places, shown, shown[len(places) :], strict=False):
        groups[place, ", ".join(itertools.chain(*names)) or "none of these"].append(
            f"{one.one.kernel} {copies.noise(one.in_turn):.0%}"
        )
    return [[*place, names, ", ".join(kernels)] for (place, names), kernels in groups.items()]
