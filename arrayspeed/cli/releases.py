"""List the releases of a package that the index has.

Dates, wheels for this platform and Python, and yanked releases are shown. The index is the one that pip or uv is
configured with (UV_DEFAULT_INDEX, PIP_INDEX_URL, pip.conf, folders of wheels). docs/bisect-watch.md explains the
columns.

Exit status: 0, or 2 if the index does not have the package or cannot be read.

Examples:
    arrayspeed releases jax
    arrayspeed releases torch --python 3.12
    arrayspeed releases numpy --pre --format json
"""

from __future__ import annotations

import argparse
import re

from packaging.requirements import InvalidRequirement, Requirement
from rich.text import Text

from arrayspeed.cli import options
from arrayspeed.environments.listed import THIS_PYTHON, Python, releases
from arrayspeed.formats.progress import say
from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError
from arrayspeed.releases import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed releases``."""
    parser.add_argument("name", metavar="NAME", help="any package")
    parser.add_argument("--pre", action="store_true", help="pre-releases and nightly builds too")
    parser.add_argument("--python", metavar="X.Y", help="wheels for this Python (default: the one that runs this)")
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed releases``."""
    check_name(args.name)
    python = python_of(args.python)
    found = releases(args.name, say, args.pre, [python])
    text = f"{python[0]}.{python[1]}"
    if args.format == "json":
        print(show.as_json(args.name, text, found))
    elif args.format == "markdown":
        print(show.as_markdown(args.name, found))
    else:
        console().print(show.as_table(found))
        usable = sum(not one.obstacle for one in found)
        said = f"{len(found)} releases, {usable} of them with wheels for Python {text} on this platform"
        console().print(Text(said))
    return 0


def check_name(name: str) -> None:
    """Whether it is the name of a package, and nothing else.

    Raises
    ------
    UserError
        It is not.
    """
    try:
        found = Requirement(name)
    except InvalidRequirement as error:
        raise UserError(f"{name!r} is not the name of a package") from error
    if found.specifier or found.url or found.marker or found.extras:
        raise UserError(f"{name!r}: give the name of a package alone")


def python_of(text: str | None) -> Python:
    """Return a version of Python.

    Raises
    ------
    UserError
        It is none.
    """
    if text is None:
        return THIS_PYTHON
    found = re.fullmatch(r"(\d+)\.(\d+)", text)
    if found is None:
        raise UserError(f"--python {text!r} is not a version such as 3.12")
    return int(found[1]), int(found[2])
