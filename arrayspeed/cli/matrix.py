"""List the versions in asv.conf.json beside those of the index.

Each library's newest releases, what is behind and what could go are shown. What belongs there is in
arrayspeed/releases/matrix.toml: the last patch of each minor release of two years, and a few anchors. --update writes
asv.conf.json, and leaves its comments and everything else as they are.

Exit status: 0 if the matrix is as the rule wants it, or was updated; 1 if it is behind; 2 after an error.

Examples:
    arrayspeed matrix
    arrayspeed matrix --update
    arrayspeed matrix --format json
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from arrayspeed.cli import options
from arrayspeed.environments import suite
from arrayspeed.environments.plugin import wheels
from arrayspeed.environments.project import CONFIG, load_config
from arrayspeed.environments.uv import Uv
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from arrayspeed.releases.matrix import Library, Matrix, Rule, asking, matrix

HEADINGS = ("library", "newest release", "lines", "missing", "could go", "Python")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed matrix``."""
    parser.add_argument("--update", action="store_true", help="write asv.conf.json")
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed matrix``."""
    config = load_config()
    if args.update and suite.carried():
        raise UserError("--update writes asv.conf.json of a clone, and this is an installed arrayspeed")
    path = (suite.SUITE if suite.carried() else Path()) / CONFIG
    text = path.read_text(encoding="utf-8")
    uv = Uv(wheels(config.env_dir))
    found = matrix(text, asking(say, uv), uv, Rule.read(), datetime.now(UTC).date())
    rows = [cells(one, found) for one in found.libraries]
    show(Shown([Fitting(HEADINGS, rows)], as_data(found), remarks(found)), args.format)
    if found.text == text:
        return 0
    if not args.update:
        say(f"{CONFIG} is behind: arrayspeed matrix --update writes it")
        return 1
    path.write_text(found.text, encoding="utf-8")
    say(f"{CONFIG} was written")
    return 0


def cells(library: Library, matrix: Matrix) -> list[str]:
    """Return a library's lines in words."""
    before, after = matrix.pythons[library.name]
    return [
        library.name,
        f"{library.newest.version} ({library.newest.date or 'no date'})",
        " ".join(library.lines),
        " ".join(library.missing),
        " ".join(library.dropped),
        after if before == after else f"{before} → {after}",
    ]


def remarks(matrix: Matrix) -> list[str]:
    """Return what the table has no room for."""
    lines = [f"{one.name} {version} {why}" for one in matrix.libraries for version, why in one.left_out.items()]
    changed = [f"{name} {old} → {new}" for name, (old, new) in matrix.newest.items() if old != new]
    return [*lines, f"The newest releases together: {', '.join(changed) or 'all are there'}."]


def as_data(matrix: Matrix) -> dict[str, object]:
    """For programs."""
    return {
        "libraries": {
            one.name: {
                "newest": one.newest.version,
                "date": one.newest.date,
                "lines": list(one.lines),
                "missing": one.missing,
                "could_go": one.dropped,
                "left_out": one.left_out,
                "python": dict(zip(("now", "wanted"), matrix.pythons[one.name], strict=True)),
            }
            for one in matrix.libraries
        },
        "newest_together": {name: {"now": old, "wanted": new} for name, (old, new) in matrix.newest.items()},
    }
