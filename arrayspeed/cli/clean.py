"""List the environments that no line of asv.conf.json names, with their sizes; --yes removes them.

`arrayspeed upgrade` makes such environments for versions that asv.conf.json does not list, and `arrayspeed explain`
keeps their compiled programs. What is needed again is made again. An environment that a running process uses is never
removed, and neither is anything else: results stay, and so does every environment of asv.conf.json with its programs.

Size is what the files of an environment hold. Less is freed where files are shared with uv's cache.
"""

from __future__ import annotations

import argparse

from rich import box
from rich.table import Table
from rich.text import Text

from arrayspeed.environments.project import load_config
from arrayspeed.environments.unused import Unused, remove, unused, users
from arrayspeed.formats.terminal import console
from arrayspeed.model.text import printable
from arrayspeed.model.units import human_bytes, plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed clean``."""
    parser.add_argument("--yes", action="store_true", help="remove what is listed")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed clean``."""
    config = load_config()
    found = unused(config)
    if not found:
        print(f"asv.conf.json names every environment in {config.env_dir}: nothing to remove")
        return 0
    used = users([each.path for each in found], config.env_dir)
    console().print(table(found, used))
    going = [each for each in found if each.path.name not in used]
    what = f"{plural(len(going), 'folder')}, {human_bytes(sum(e.size for e in going))}"
    freed = human_bytes(sum(each.freed for each in going))
    if not going:
        print("Nothing can be removed while these processes run.")
    elif not args.yes:
        print(f"To remove {what} ({freed} would be freed): arrayspeed clean --yes")
    else:
        for each in going:
            remove(each.path)
        print(f"Removed {what} ({freed} freed).")
    return 0


def table(unused: list[Unused], used: dict[str, int]) -> Table:
    """One row an environment."""
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("environment")
    shown.add_column("made from")
    shown.add_column("size", justify="right")
    shown.add_column("")
    for each in unused:
        name = each.path.name
        note = f"in use by process {used[name]}" if name in used else ""
        shown.add_row(Text(printable(name)), Text(printable(each.holds)), human_bytes(each.size), note)
    return shown
