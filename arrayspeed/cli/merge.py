"""Bring results of other machines and clones into this project.

Process records are added line by line, except those already there. Of asv's values, each is the one that was
measured last. Audits are taken where there is none or an older one. Merging twice changes nothing, and where anything
cannot be read, nothing is changed.

Examples:
    arrayspeed merge ../other/results
    arrayspeed merge /media/*/results --machine amd-epyc-f25m1-2cpu
    arrayspeed merge ../other/results --format json
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from arrayspeed.cli import options
from arrayspeed.environments.project import load_config
from arrayspeed.formats.fitting import Shown, show
from arrayspeed.formats.progress import say
from arrayspeed.measure.host import locked
from arrayspeed.records.merge import merge


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed merge``."""
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="a folder of results of another machine or clone")
    parser.add_argument("--machine", action="append", metavar="NAME", help="only this machine; can be repeated")
    options.add_format(parser)
    parser.add_argument("--wait", action="store_true", help="wait for a run that is writing results to end")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed merge``."""
    folders = [Path(folder).absolute() for folder in args.folders]
    results = Path(load_config().results_dir)
    results.mkdir(parents=True, exist_ok=True)
    with locked(results / ".lock", f"writing {results}", args.wait):
        added = merge(results, folders, args.machine)
    for note in (note for each in added for note in each.notes):
        say(f"note: {note}")
    data = {"machines": list(map(asdict, added))}
    show(Shown([], data, list(map(str, added))), args.format)
    return 0
