"""Measure the five operations on all backends, publish the site, and print a summary: what `make bench` does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asv import util
from asv.commands.publish import Publish

from arrayspeed import run, selections
from arrayspeed.commands import summary
from arrayspeed.errors import UserError
from arrayspeed.project import load_config
from arrayspeed.session import newest_of_all, quiet


def add_arguments(parser) -> None:
    """The options of ``arrayspeed bench``."""
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="processes for each time (default 1)")


def main(args) -> int:
    """Run ``arrayspeed bench``."""
    if args.rounds < 1:
        raise UserError(f"--rounds {args.rounds} is not valid: 1 or more")
    config = load_config()
    environment = newest_of_all(config)
    parts = [replace(part, environments=[environment]) for part in selections.BENCH]
    status = run.run(config, parts, rounds=args.rounds, append=True)
    print("\nPublishing the site …", flush=True)
    publish(config)
    summary.show(config.results_dir)
    print(f"\nThe site is in {config.html_dir}/. To open it: make preview  (or: .venv/bin/asv preview)")
    return status


def publish(config) -> None:
    """asv's own publishing, quietly.

    Raises
    ------
    UserError
        There is nothing to publish, or asv cannot.
    """
    if not Path(config.results_dir, "benchmarks.json").exists():
        raise UserError("there are no results: run `make bench` or `arrayspeed run` first")
    try:
        with quiet():
            Publish.run(config, pull=False)
    except util.UserError as error:
        raise UserError(f"the site cannot be published: {str(error).splitlines()[0]}") from error
