"""Compare our kernels with another suite's, side by side.

Its own programs and ours run on its inputs. PATH is a checkout of the other suite:
https://github.com/dionhaefner/pyhpc-benchmarks or https://github.com/spcl/npbench, of which ten programs are measured
by its presets S and M. Ratios are our time over theirs. Both sides run in one environment, on as many cores as --cores
says; results are compared too.

Exit status: as that of `arrayspeed upgrade`, the other suite being the old side.

Examples:
    arrayspeed peers pyhpc --path ../pyhpc-benchmarks
    arrayspeed peers npbench --path ../npbench
    arrayspeed peers npbench --path ../npbench -k gemm --size S
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from asv import environment

import kernels
from arrayspeed.cli import options
from arrayspeed.cli.options import cores
from arrayspeed.cli.own import arguments
from arrayspeed.cli.own.run import run
from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.measure.session import newest_of_all
from arrayspeed.model.errors import UserError
from arrayspeed.own import peers, script
from arrayspeed.own.sides import Side

#: Suite -> a file that a checkout of it has.
PEERS = {"pyhpc": "benchmarks/equation_of_state/__init__.py", "npbench": "bench_info/gramschmidt.json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed peers``."""
    parser.add_argument("peer", choices=tuple(PEERS), help="the other suite")
    parser.add_argument("--path", required=True, metavar="CHECKOUT", help="where it is checked out")
    cores.add_cores(parser, default=1)  # as the other suites measure
    parser.add_argument(
        "--environment", action="append", default=[], metavar="NAME", help="default: the one with most libraries"
    )
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument(
        "-k", "--function", type=options.regex, **several, metavar="REGEX", help="only these: kernel_backend"
    )
    parser.add_argument("--size", **several, metavar="SIZE", help="only these of its sizes")
    parser.add_argument("--results", metavar="DIR", help="default .arrayspeed")
    parser.add_argument("--again", action="store_true", help="measure again what was measured before")
    arguments.add_page(parser)
    arguments.add_limits(parser)
    # What the peers themselves ask of each other's results (numpy.allclose).
    parser.set_defaults(companions=[], timeout=600.0, tolerance=1e-5)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed peers``."""
    path = Path(args.path).absolute()
    if not (path / PEERS[args.peer]).is_file():
        raise UserError(f"--path {args.path} is no checkout of {args.peer}: it has no {PEERS[args.peer]}")
    cores.use_cores(args.cores)
    args.results = args.results or ".arrayspeed"
    python = interpreter(args.environment)
    own = Path(kernels.__file__).parent
    known = (("ARRAYSPEED_PEER_PATH", str(path)), ("ARRAYSPEED_PEER_ROOT", str(own.parent)))
    sides = [
        Side(
            label,
            python=python,
            # Variables are part of what decides whether an earlier measurement counts, and the code that the script
            # calls is not.
            variables=(*known, ("ARRAYSPEED_PEER_SIDE", side), ("ARRAYSPEED_PEER_CODE", script.digest_of(folder))),
        )
        for label, side, folder in ((args.peer, "theirs", path), ("arrayspeed", "ours", own))
    ]
    return run(script.read(Path(peers.__path__[0], f"{args.peer}.py")), sides, args)


def interpreter(names: list[str]) -> str:
    """Return the interpreter of an environment, which is made where it is missing.

    Raises
    ------
    UserError
        No environment, or several, have such a name.
    """
    config, names = existing.take(load_config(), names)
    names = names or [newest_of_all(config)]
    found = [env for env in environment.get_environments(config, None) if any(name in env.name for name in names)]
    if len(found) != 1:
        raise UserError(f"--environment {names[0]}: {len(found)} environments have such a name, and one is needed")
    found[0].create()
    return str(found[0].find_executable("python"))
