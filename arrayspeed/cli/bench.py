"""Measure ten kernels on all backends and publish the site.

`make bench` does this. The kernels are those of the tier bench. At the end a summary is printed; each further run adds
a round.

Examples:
    arrayspeed bench
    arrayspeed bench --rounds 3
    arrayspeed bench --wait
"""

from __future__ import annotations

import argparse
import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path

from asv import util
from asv.commands.publish import Publish
from asv.config import Config

from arrayspeed.cli import options, summary
from arrayspeed.environments import suite
from arrayspeed.environments.project import load_config
from arrayspeed.formats.progress import say
from arrayspeed.measure import backends, interrupts, peaks, selections
from arrayspeed.measure.session import newest_of_all, quiet
from arrayspeed.model.errors import UserError
from arrayspeed.releases.at_hand import with_newest_at_hand
from arrayspeed.releases.dates import refresh


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed bench``."""
    parser.add_argument(
        "--rounds", type=options.whole(1), default=1, metavar="N", help="further rounds of each time (default 1)"
    )


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed bench``."""
    config = with_newest_at_hand(load_config(), say)
    environment = newest_of_all(config)
    parts = [replace(part, environments=[environment]) for part in selections.BENCH]
    status = backends.run(config, parts, args.rounds, append=True, wait=args.wait)
    if not peaks.known(config):
        say("Measuring what this machine can do …")
        peaks.measure(config, lambda _: None, wait=args.wait)
    say("Publishing the site …")
    refresh(config.results_dir)
    publish(config)
    summary.show(config.results_dir)
    print(f"\nThe site is in {config.html_dir}/. To open it: {opener(config)}")
    return status


def opener(config: Config) -> str:
    """Return the command that shows the site: its pages load data, which browsers refuse to pages that are files."""
    if suite.carried():
        return f"python3 -m http.server --directory {config.html_dir}"
    return "make preview  (or: .venv/bin/asv preview)"


def publish(config: Config) -> None:
    """asv's own publishing, quietly, into a folder that replaces the site when it is complete.

    Raises
    ------
    UserError
        There is nothing to publish, or asv cannot.
    """
    known = measured(config)
    site = Path(config.html_dir)
    new, old = site.with_name(f".{site.name}-new"), site.with_name(f".{site.name}-old")
    staged = copy.copy(config)
    staged.html_dir = str(new)
    try:
        with quiet():
            Publish.run(staged, pull=False)
    except util.UserError as error:
        raise UserError(f"the site cannot be published: {str(error).splitlines()[0]}") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        if is_benchmarks(known):
            raise
        raise UserError(
            f"{known} is not a list of asv's benchmarks: delete it, and `arrayspeed run --tier bench` recreates it"
        ) from error
    interrupts.check()
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        site.rename(old)
    new.rename(site)
    shutil.rmtree(old, ignore_errors=True)


def measured(config: Config) -> Path:
    """Return asv's list of benchmarks, which is there since anything was measured.

    Raises
    ------
    UserError
        Nothing was.
    """
    known = Path(config.results_dir, "benchmarks.json")
    if not known.exists():
        raise UserError("there are no results: run `make bench` or `arrayspeed run --tier bench` first")
    return known


def is_benchmarks(path: Path) -> bool:
    """Return whether a file is asv's list of benchmarks."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return False
    entries = [value for key, value in data.items() if key != "version"] if isinstance(data, dict) else [None]
    return all(isinstance(entry, dict) and {"name", "params", "type"} <= entry.keys() for entry in entries)
