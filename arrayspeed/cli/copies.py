"""Compare benchmarks with copies of themselves, to see the noise.

The output says how noisy this machine is, and what slowdown it would show. In each block an exact copy takes turns with
its reference, and so do copies that do other work for a share of each call's time (--busy). Every difference reported
for an exact copy is false. The slower copies show how far "same" and "slower" can be trusted here: such a copy is found
only where it is called slower and its ratio reads what was planted, that is where the ratio's interval, widened by 3 %
on both sides, holds it. A ratio that does not is wrong, whatever the copy is called. Of exact copies with a noise above
5 %, a table says what goes along with it: page faults, context switches, CPU time or fewer busy cores, and whether it
is lasting: a process keeps its speed.

With --together, all backends of a kernel are in one block, as where they are compared with one another, and each takes
turns with an exact copy of itself.

Nothing is stored in results/; --format json prints all that was found, and --read shows that.

Exit status: 0 if no verdict was wrong and at most 5 % are unclear, 1 if one was wrong, 2 if too many are unclear: a
machine that is too noisy to show anything has not passed.

Examples:
    arrayspeed copies --tier bench --together
    arrayspeed copies --kernel add --backend numpy --busy 10
    arrayspeed copies --read noise.json --format markdown
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter, defaultdict
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Group
from rich.text import Text

from arrayspeed.audit import copies
from arrayspeed.audit.copies import Copy
from arrayspeed.cli import options
from arrayspeed.cli.options.cores import add_cores, use_cores
from arrayspeed.cli.own.arguments import add_minutes
from arrayspeed.decide import LOOKS, Decision, exit_status
from arrayspeed.decide.along import along
from arrayspeed.decide.words import (
    ALIKE,
    FACTOR,
    FAILS,
    FASTER,
    OPEN,
    ORDER,
    SAME,
    SLOWER,
    SOMETIMES,
    TIMES,
    UNCLEAR,
    Word,
)
from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.formats.data import as_lines
from arrayspeed.formats.fitting import Fitting
from arrayspeed.formats.tables import markdown_table
from arrayspeed.formats.terminal import console
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import OWN, Selection
from arrayspeed.measure.session import newest_of_all, open_session
from arrayspeed.measure.tiers import add_tier, kernels_of
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.model.names import check as check_names
from kernels import BACKENDS, CATALOGUE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed copies``."""
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    add_tier(parser)
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`; may be repeated")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}; may be repeated")
    parser.add_argument("--size", type=options.size, **several, help="small, large or a number (default: both)")
    parser.add_argument("--environment", **several, help="an environment's name (default: the one with most libraries)")
    parser.add_argument(
        "--busy",
        action="append",
        type=options.number(float, lambda value: 0 < value <= 1000, "above 0; 10 makes a copy 10 % slower"),
        default=[],
        metavar="PERCENT",
        help="add a copy that is slower by this percentage",
    )
    parser.add_argument(
        "--failing",
        type=options.number(int, lambda value: value == 0 or value > 1, "2 or more calls, of which one fails"),
        default=0,
        metavar="N",
        help="add a copy that fails once in N calls",
    )
    parser.add_argument(
        "--together",
        action="store_true",
        help="let all backends of a kernel take turns in one block, each with a copy; not with --busy or --failing",
    )
    parser.add_argument(
        "--rounds",
        type=options.whole(2, "one says nothing about noise"),
        default=LOOKS[-1],
        metavar="N",
        help=f"at most N rounds (default {LOOKS[-1]})",
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
    options.add_format(parser)


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
    with only_run(config.results_dir, args.wait), TemporaryDirectory() as scratch:
        session = open_session(config, [chosen], scratch)
        limits = Limits(args.rounds, args.minutes, once=args.all_rounds)
        busy = [percent / 100 for percent in args.busy]
        found = copies.compare(session, chosen, limits, busy, args.failing, args.all_rounds, args.together)
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
    if args.together and (args.busy or args.failing):
        raise UserError("--together compares exact copies alone: leave out --busy and --failing")
    if args.together and len(args.backend) == 1:
        raise UserError(f"--together needs two backends or more, not {args.backend[0]} alone")


def read(path: Path) -> list[Copy]:
    """Return what an earlier run printed with ``--format json``.

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    try:
        data = json.loads(path.read_bytes())
        return [parse(row) for row in (data["copies"] if isinstance(data, dict) else data)]
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


def status(copies: list[Copy]) -> int:
    """Return the exit status. Nothing measured is nothing shown."""
    if any(map(wrong, copies)):
        return 1
    # What a copy was rightly said to be is nothing worse; only what is unclear counts.
    return exit_status([Word(UNCLEAR if one.decision.verdict in OPEN else SAME) for one in copies])


def wrong(copy: Copy) -> bool:
    """Return whether its word is false, or its ratio."""
    return falsely_called(copy) or misread(copy)


def falsely_called(copy: Copy) -> bool:
    """Return whether a word is false: a change of an exact copy, or "same" of one that is slower by more than the
    factor.
    """
    if copy.failing:
        return copy.decision.verdict in ALIKE
    if copy.busy == 0:
        return copy.decision.verdict in (SLOWER, FASTER, FAILS, SOMETIMES)
    return copy.decision.verdict in ((*ALIKE, TIMES.not_more) if 1 + copy.busy > FACTOR else (FASTER,))


def misread(copy: Copy) -> bool:
    """Return whether the ratio of a slower copy is wrong. Of exact copies the words tell."""
    return bool(copy.busy) and copies.reads(copy) is False


def found_as_planted(copy: Copy) -> bool:
    """Return whether a slower copy is found: it is called slower, by a ratio that reads what was planted."""
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

#: How many cells name a row of each table.
NAMES = {WORDS: 2, LEVELS: 1, NOISE: 2, CAUSES: 2}


def show(group: list[Copy], form: str) -> None:
    """Print what was found."""
    if form == "json":
        rows = [
            asdict(one)
            | {"planted": copies.planted(one), "ratio": one.decision.ratio, "reads_planted": copies.reads(one)}
            | {"noise_in_turn": copies.noise(one.in_turn), "noise_apart": copies.noise(one.apart)}
            for one in group
        ]
        print(as_lines("copies", rows))
        return
    parts = [(WORDS, words(group)), (LEVELS, levels(group)), (NOISE, noises(group)), (CAUSES, causes(group))]
    if form == "markdown":
        print("\n".join(line for headings, rows in parts if rows for line in markdown_table(headings, rows)))
        return
    console().print(
        Group(
            *(Fitting(headings, rows, NAMES[headings], prose=headings == CAUSES) for headings, rows in parts if rows),
            Text(
                f"{sum(map(wrong, group))} of {len(group)} verdicts are wrong, "
                f"{sum(map(misread, group))} by a ratio that does not read what was planted"
            ),
        )
    )


def label(copy: Copy) -> str:
    """Return what a copy is."""
    return f"fails once in {copy.failing} calls" if copy.failing else f"{copy.busy:+.0%}" if copy.busy else "exact"


def words(group: list[Copy]) -> list[list[str]]:
    """Return how many copies of each kind and backend were given each word, and the rounds that it took."""
    groups = defaultdict(list)
    for one in group:
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


def levels(given: list[Copy]) -> list[list[str]]:
    """Return how well ratios read what was planted, over all backends."""
    groups = defaultdict(list)
    for copy in given:
        if (much := copies.planted(copy)) is not None:
            groups[much].append(copy)
    return [[f"×{much:g}", str(len(group)), *read_of(group)] for much, group in sorted(groups.items())]


def read_of(group: list[Copy]) -> list[str]:
    """Return the cells of `READ` for copies in which the same was planted; what has no ratio is not within 3 % of
    anything.
    """
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


def by_size(copies: list[Copy]) -> dict[tuple[str, str], list[Copy]]:
    """Exact copies with enough rounds to see noise, by backend and size."""
    groups = defaultdict(list)
    for one in copies:
        if not one.busy and not one.failing and len(one.in_turn) > 2:
            kernel = CATALOGUE[one.one.kernel]
            labels: dict[int | None, str] = {kernel.small: "small", kernel.large: "large"}
            groups[one.one.backend, labels.get(one.one.size, "other")].append(one)
    return groups


def noises(group: list[Copy]) -> list[list[str]]:
    """Return the standard deviation between rounds of an exact copy's ratio, by backend and size."""
    rows = []
    for (backend, size), ones in by_size(group).items():
        turns = [value for one in ones if (value := copies.noise(one.in_turn)) is not None]
        apart = [value for one in ones if (value := copies.noise(one.apart)) is not None]
        quiet = sum(value <= QUIET for value in turns)
        after = [f"{median(apart):.1%}", f"{median(turns) / median(apart):.2f}"] if apart else ["", ""]
        rows.append([backend, size, str(len(ones)), f"{median(turns):.1%}", f"{quiet} of {len(turns)}", *after])
    return rows


def causes(group: list[Copy]) -> list[list[str]]:
    """Return what goes along with the noise of exact copies that have more than `QUIET`, where anything was counted of
    them, and whether processes keep their speed.
    """
    places = [
        (place, one)
        for place, ones in by_size(group).items()
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
