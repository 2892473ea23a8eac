"""List environments that are no longer needed; --yes removes them.

Lists those that no line of asv.conf.json names, with their sizes. `arrayspeed upgrade` makes such environments for
versions that asv.conf.json does not list, and `arrayspeed explain` keeps their compiled programs. What is needed again
is made again. An environment that a running process uses is never removed, and neither is anything else: results stay,
and so does every environment of asv.conf.json with its programs.

Size is what the files of an environment hold. Less is freed where files are shared with uv's cache.

Examples:
    arrayspeed clean
    arrayspeed clean --format json
    arrayspeed clean --yes
"""

from __future__ import annotations

import argparse
from typing import Any

from arrayspeed.cli import options
from arrayspeed.environments.project import load_config
from arrayspeed.environments.unused import Unused, remove, unused, users
from arrayspeed.formats.fitting import Fitting, Shown, show
from arrayspeed.model.units import human_bytes, plural

HEADINGS = ("environment", "made from", "size", "")

#: What removes what is listed.
COMMAND = "arrayspeed clean --yes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed clean``."""
    parser.add_argument("--yes", action="store_true", help="remove what is listed")
    options.add_format(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed clean``."""
    config = load_config()
    found = unused(config)
    used = users([each.path for each in found], config.env_dir)
    going = [each for each in found if each.path.name not in used]
    if args.yes:
        for each in going:
            remove(each.path)
    rows = [cells(each, used) for each in found]
    tables = [Fitting(HEADINGS, rows, right=[2])] if found else []
    data = {"environments": [as_data(each, used, args.yes) for each in found]}
    show(Shown(tables, data, [outcome(config.env_dir, found, going, args.yes)]), args.format)
    return 0


def outcome(folder: str, found: list[Unused], going: list[Unused], removed: bool) -> str:
    """Return what was removed, or how to remove it."""
    if not found:
        return f"asv.conf.json names every environment in {folder}: nothing to remove"
    if not going:
        return "Nothing can be removed while these processes run."
    what = f"{plural(len(going), 'folder')}, {human_bytes(sum(each.size for each in going))}"
    freed = human_bytes(sum(each.freed for each in going))
    return f"Removed {what} ({freed} freed)." if removed else f"To remove {what} ({freed} would be freed): {COMMAND}"


def cells(unused: Unused, used: dict[str, int]) -> list[str]:
    """Return the row of an environment."""
    name = unused.path.name
    note = f"in use by process {used[name]}" if name in used else ""
    return [name, unused.holds, human_bytes(unused.size), note]


def as_data(unused: Unused, used: dict[str, int], removed: bool) -> dict[str, Any]:
    """Return an environment as plain data; ``size`` and ``freed`` are bytes."""
    name = unused.path.name
    return {
        "environment": name,
        "holds": unused.holds,
        "size": unused.size,
        "freed": unused.freed,
        "used_by": used.get(name),
        "removed": removed and name not in used,
    }
