"""Write a first file to measure, and a workflow for pull requests.

The file has a function of each kind and runs as it is: keep what you need and delete the rest. Nothing that is there is
overwritten. docs/own-code.md describes the form of the file.

Exit status: 0, or 2 after a mistake.

Examples:
    arrayspeed init                     # benchmarks/mine.py and a workflow
    arrayspeed init perf/mine.py --no-workflow
    arrayspeed upgrade --commits main . --file benchmarks/mine.py
"""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

from arrayspeed.model.errors import UserError
from arrayspeed.own import starter

#: Where people keep their benchmarks, apart from the package: Python would import that from beside the file.
FILE = "benchmarks/mine.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed init``."""
    parser.add_argument("file", nargs="?", default=FILE, metavar="FILE", help=f"the file to write (default {FILE})")
    parser.add_argument("--no-workflow", action="store_true", help="write no workflow")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed init``."""
    path = Path(args.file)
    if path.suffix != ".py":
        raise UserError(f"{path} is no Python file: give a name that ends with .py")
    if not args.no_workflow and (path.is_absolute() or ".." in path.parts):
        raise UserError(f"{path} is outside this folder, and a workflow would not find it: add --no-workflow")
    wanted = {path: starter.example(path)}
    if not args.no_workflow:
        wanted[starter.WORKFLOW] = starter.workflow(path)
    for each in wanted:  # all or nothing
        if each.exists():
            raise UserError(f"{each} is there already, and stays as it is: name another file, or add --no-workflow")
    for each, text in wanted.items():
        starter.write(each, text)
        print(f"wrote {each}")
    print(f"Now: arrayspeed upgrade --commits main . --file {quote(str(path))}")
    return 0
