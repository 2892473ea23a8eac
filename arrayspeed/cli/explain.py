"""Say whether upgrading a library changes its programs: what its compiler makes of each kernel in two versions.

Each program is shown by a process in the environment of its version: the optimised HLO of XLA, the code that
torch.compile generates, Numba's instructions; of eager code, the functions that Python's profiler sees. Names, places
in sources, paths and addresses are taken away. What is left is the same program, or it differs: then it says how many
operations, fusions and calls into libraries there are on each side, and --diff shows the lines.

It times nothing. What is found is stored beside the results, and the page of versions shows it beside the step.

Exit status: 0 if all programs are the same, 1 if one differs, 2 if one cannot be shown and none differs, or after an
error.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from asv.environment import get_environments

from arrayspeed.cli.selected import add_selected, check_selected
from arrayspeed.environments import unused
from arrayspeed.environments.machine import describe
from arrayspeed.environments.project import load_config
from arrayspeed.explain import show
from arrayspeed.explain.compare import explained
from arrayspeed.explain.programs import Shower, chosen
from arrayspeed.explain.stored import store
from arrayspeed.formats.terminal import console
from arrayspeed.measure.host import only_run
from arrayspeed.measure.session import create
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.upgrade import pair
from kernels import LIBRARIES

#: Seconds that a program may take to be made.
TIMEOUT = 120


def add_arguments(parser) -> None:
    """The options of ``arrayspeed explain``."""
    parser.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}")
    parser.add_argument("old", metavar="OLD", help="one version")
    parser.add_argument("new", metavar="NEW", help="another version, or OLD again to test the tool itself")
    add_selected(parser)
    parser.add_argument("--diff", action="store_true", help="show the lines that differ, in a table too")
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="default table")
    parser.add_argument("--again", action="store_true", help="make programs again that were kept from an earlier run")
    parser.add_argument(
        "--timeout", type=int, default=TIMEOUT, metavar="SECONDS", help=f"for each program (default {TIMEOUT})"
    )


def main(args) -> int:
    """Run ``arrayspeed explain``."""
    pair.check_versions(args.library, args.old, args.new)
    check_selected(args)
    if args.timeout < 1:
        raise UserError(f"--timeout {args.timeout} is not valid: a second or more")
    config = load_config()
    both = pair.pair_config(config, args.library, args.old, args.new, args.companions)
    environments = list(get_environments(both, None))
    kernels = kernels_of(args.tier, [], bool(args.bench))
    wanted = chosen(args.library, kernels, args.bench, args.size or ["small", "large"], args.device)
    machine = describe()["machine"]
    # What is printed meanwhile is no part of the outcome, which programs read.
    with redirect_stdout(sys.stderr), only_run(both.results_dir, args.wait):
        create(environments)
        showers = [Shower(env, unused.programs(both.env_dir), args.timeout, args.again) for env in environments]
        old, new = (one.programs(wanted, report) for one in showers)
        found = [explained(one, old[one], new[one]) for one in wanted]
        store(both.results_dir, machine, args.library, args.old, args.new, found)
    others = pair.packages_that_differ(args.library, *(one.packages for one in showers))
    outcome = show.Report(args.library, args.old, args.new, machine, others, found)
    if args.format == "table":
        console().print(show.as_table(outcome, args.diff))
    else:
        print(show.as_json(outcome) if args.format == "json" else show.as_markdown(outcome))
    return outcome.status


def report(environment: str, one: Combination) -> None:
    """Progress."""
    print(f"{environment}: {one.kernel} {one.size} {one.backend}", flush=True)
