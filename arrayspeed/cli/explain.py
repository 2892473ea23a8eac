"""Say whether an upgrade changes the compiled programs.

What the library's compiler makes of each kernel is compared in two versions. Each program is shown by a process in the
environment of its version: the optimised HLO of XLA, the code that torch.compile generates, Numba's instructions; of
eager code, the functions that Python's profiler sees. Names, source locations, paths and addresses are stripped.
What is left is the same program, or it differs: then it says how many operations, fusions and calls into libraries
there are on each side, and --diff shows the lines.

With --file, the functions bench_* of a file of yours are compared, and LIBRARY is any package; docs/own-code.md
explains such files. Each function is called once in a process of its own, and what XLA, Inductor or Numba compile
meanwhile is its program; where nothing is compiled, it is profiled.

With --profile, both sides of a file are sampled in turn while they call its functions, and what takes longer is named:
functions, native ones too, and shared libraries, each with an interval over several processes; instructions are counted
where the system or Callgrind can. --html writes a page with flame graphs. Exit status 1 then says that a call is
slower, 2 that this is not known.

Without --profile it times nothing. What is found of kernels is stored beside the results, and the page of versions
shows it beside the step.

Exit status: 0 if all programs are the same, 1 if one differs, 2 if one cannot be shown and none differs, or after an
error.

Examples:
    arrayspeed explain jax 0.9.2 0.10.2
    arrayspeed explain jax 0.9.2 0.10.2 --bench 'matmul.*jax-jit' --diff
    arrayspeed explain jax 0.9.2 0.10.2 --file mine.py --format markdown
"""

from __future__ import annotations

import argparse

from asv.environment import get_environments

from arrayspeed.cli import options
from arrayspeed.cli.options import cores
from arrayspeed.cli.own import profile
from arrayspeed.cli.own.arguments import add_code, add_commits, add_side, is_own
from arrayspeed.cli.own.run import commits_of, script_of, wanted_of
from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.environments import unused
from arrayspeed.environments.machine import describe
from arrayspeed.environments.project import load_config
from arrayspeed.explain import show
from arrayspeed.explain.compare import explained
from arrayspeed.explain.own import explanations
from arrayspeed.explain.programs import Shower, chosen
from arrayspeed.explain.stored import store
from arrayspeed.formats.progress import say
from arrayspeed.formats.terminal import console
from arrayspeed.measure.host import only_run
from arrayspeed.measure.session import create
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.own.compared import begun
from arrayspeed.own.kinds import KINDS
from arrayspeed.own.script import WITHOUT_FILE, Script
from arrayspeed.own.sides import Side, of_library, of_text, with_pythons, with_unique_labels
from arrayspeed.subjects.kernels import Kernels
from arrayspeed.upgrades import pair
from kernels import LIBRARIES

#: Seconds that a program may take to be made.
TIMEOUT = 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed explain``."""
    parser.add_argument(
        "library", metavar="LIBRARY", nargs="?", help=f"one of {', '.join(LIBRARIES)}; with --file, any package"
    )
    parser.add_argument("old", metavar="OLD", nargs="?", help="one version")
    parser.add_argument("new", metavar="NEW", nargs="?", help="another version, or OLD again to test the tool itself")
    add_selected(parser)
    group = parser.add_argument_group("your own code")
    add_code(group, [name for name in KINDS if name not in WITHOUT_FILE])
    add_commits(group)
    add_side(group)
    profile.add_arguments(group)
    cores.add_cores(parser)
    parser.add_argument("--python", nargs="+", metavar="X.Y", help="the Python of both sides, or one each")
    parser.add_argument("--diff", action="store_true", help="show the lines that differ, in a table too")
    options.add_format(parser)
    parser.add_argument("--again", action="store_true", help="rebuild programs kept from an earlier run")
    parser.add_argument(
        "--timeout",
        type=options.whole(1, "a second"),
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"for each program (default {TIMEOUT})",
    )


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed explain``."""
    cores.use_cores(args.cores)
    if args.commits or args.side:
        option = "commits" if args.commits else "side"
        if args.library is not None:
            raise UserError(f"--{option} takes no LIBRARY: {args.library!r} is left over")
    elif args.new is None:
        raise UserError("LIBRARY OLD NEW are needed: arrayspeed explain jax 0.9.2 0.10.2")
    own = is_own(args) or bool(args.commits)
    if not own and (args.profile or args.side):
        raise UserError(f"--{'profile' if args.profile else 'side'} goes with --file")
    profile.check(args)
    if own:
        what, sides, labels, library = sides_of(args)
        if args.profile:
            return profile.profile(what, sides, labels, library, args)
        outcome = own_code(what, sides, labels, library, args)
    else:
        outcome = kernels(args)
    if args.format == "table":
        console().print(show.as_table(outcome, args.diff))
    else:
        print(show.as_json(outcome) if args.format == "json" else show.as_markdown(outcome))
    return outcome.status


def sides_of(args: argparse.Namespace) -> tuple[Script, list[Side], tuple[str, str], str]:
    """Return somebody's own code, its two sides, what these are called, and the library that differs.

    Raises
    ------
    UserError
        The arguments name something else.
    """
    if args.bench or args.tier:
        raise UserError("--bench and --tier are for arrayspeed's own kernels; with --file, -k chooses functions")
    if args.commits:
        subject = commits_of(args, args.commits[-1])
        what, sides, library = subject.script, with_unique_labels(subject.own.sides(args.commits)), subject.name
    elif args.side:
        if len(args.side) != 2:
            raise UserError("--side is given twice")
        what, library = script_of(args), ""
        sides = with_unique_labels(with_pythons([of_text(text) for text in args.side], args.python or []))
    else:
        what, library = script_of(args), args.library
        sides = with_unique_labels(of_library(library, [args.old, args.new], args.python or []))
    labels = (args.old, args.new) if args.new is not None else (sides[0].label, sides[1].label)
    return what, sides, labels, library


def own_code(
    what: Script, sides: list[Side], labels: tuple[str, str], library: str, args: argparse.Namespace
) -> show.Report:
    """Return the programs of somebody's own functions.

    Raises
    ------
    UserError
        The file, the versions or the functions that are asked for are not there; the message says which.
    """
    wanted = wanted_of(what, args)
    with begun(what, sides, wanted, say) as ((old, new), _, items):
        found = [one for item in items for one in explanations(what, (old, new), item, args.timeout, say)]
    others = profile.packages_that_differ(old, new, library)
    return show.Report(library, *labels, describe()["machine"], others, found, show.OWN_HEADINGS)


def kernels(args: argparse.Namespace) -> show.Report:
    """Return the programs of kernels.

    Raises
    ------
    UserError
        Nothing that is chosen runs here, or a version is none.
    """
    for option in ("function", "results"):
        if getattr(args, option):
            raise UserError(f"--{option} goes with --file")
    pair.check_versions(args.library, args.old, args.new)
    check_selected(args)
    config = load_config()
    subject = Kernels(config, args.library, [], args.companions, args.python or [], say=say)
    both = subject.two(args.old, args.new)
    environments = list(get_environments(both, None))
    wanted = chosen(
        args.library,
        kernels_of(args.tier, [], bool(args.bench)),
        args.bench,
        args.size or ["small", "large"],
        args.device,
    )
    machine = describe()["machine"]
    with only_run(both.results_dir, args.wait):
        create(environments)
        showers = [Shower(env, unused.programs(both.env_dir), args.timeout, args.again) for env in environments]
        old, new = (one.programs(wanted, report) for one in showers)
        found = [explained(one, old[one], new[one]) for one in wanted]
        store(both.results_dir, machine, args.library, args.old, args.new, found)
    others = pair.packages_that_differ(args.library, [one.packages for one in showers], subject.chosen)
    return show.Report(args.library, args.old, args.new, machine, others, found)


def report(environment: str, combination: Combination) -> None:
    """Progress."""
    say(f"{environment}: {combination.kernel} {combination.size} {combination.backend}")
