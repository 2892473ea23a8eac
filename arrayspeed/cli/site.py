"""Publish the site from the stored results, without measuring.

`make site` does this.

Examples:
    arrayspeed site                     # results/ as pages in html/
    arrayspeed site --cdn               # asv's scripts from the network
    arrayspeed merge ../other/results   # before it: more results
"""

from __future__ import annotations

import argparse
import os
import time

from arrayspeed.cli.bench import measured, opener, publish
from arrayspeed.environments.project import load_config
from arrayspeed.formats.progress import say
from arrayspeed.releases.dates import refresh
from arrayspeed.report import assets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed site``."""
    parser.add_argument(
        "--cdn", action="store_true", help="let asv's own pages load their scripts from the network, as asv does"
    )


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed site``."""
    config = load_config()
    if args.cdn:
        os.environ[assets.CDN] = "1"
    measured(config)  # before an index is asked for the dates of releases
    started = time.monotonic()
    say("Publishing the site …")
    refresh(config.results_dir)
    publish(config)
    seconds = time.monotonic() - started
    print(f"The site is in {config.html_dir}/, published in {seconds:.0f} s. To open it: {opener(config)}")
    return 0
