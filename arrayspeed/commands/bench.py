"""Measure the five operations on all backends, publish the site, and print a summary: what `make bench` does."""

from __future__ import annotations

from asv import util
from asv.commands.publish import Publish

from arrayspeed import run
from arrayspeed.commands import summary
from arrayspeed.errors import UserError
from arrayspeed.project import load_config

#: The five operations of the first comparison: elementwise arithmetic, matrix product, gradient, transform, sort.
OPERATIONS = ["elementwise", "matmul", "gradient", "fft", "sort"]


def add_arguments(parser) -> None:
    """The options of ``arrayspeed bench``."""
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="processes for each time (default 1)")


def main(args) -> int:
    """Run ``arrayspeed bench``."""
    if args.rounds < 1:
        raise UserError(f"--rounds {args.rounds} is not valid: 1 or more")
    config = load_config()
    selection = run.Selection(
        environments=[newest_of_all(config)],
        kernels=OPERATIONS,
        sizes=["small", "large"],
        devices=["cpu"],
        dtypes=["float64"],
        measures=["time_call"],
    )
    status = run.run(config, selection, rounds=args.rounds, append=True)
    print("\nPublishing the site …", flush=True)
    publish(config)
    summary.show(config.results_dir)
    print(f"\nThe site is in {config.html_dir}/. To open it: make preview  (or: .venv/bin/asv preview)")
    return status


def newest_of_all(config) -> str:
    """The name of the environment that holds most libraries."""
    from asv.environment import get_environments

    environments = list(get_environments(config, None))
    if not environments:
        raise UserError("asv.conf.json lists no environment")
    return max(environments, key=lambda env: len(env.requirements)).name


def publish(config) -> None:
    """asv's own publishing, quietly."""
    try:
        with run.quiet():
            Publish.run(config, pull=False)
    except util.UserError as error:
        raise UserError(f"the site cannot be published: {error}") from error
