"""The newest releases for a Python that this machine has, where that of asv.conf.json cannot be had."""

from __future__ import annotations

import copy
from collections.abc import Callable

from asv.config import Config

from arrayspeed.environments import interpreters
from arrayspeed.environments.plugin import wheels
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.releases.matrix import together


def with_newest_at_hand(config: Config, say: Callable[[str], None]) -> Config:
    """Return the configuration, whose environment of most packages is of a Python that this machine has or could fetch.

    Where its own cannot be had, it holds the newest releases for the newest Python that is there, and what it could
    not take is said.

    Raises
    ------
    UserError
        There is no Python for which they can be installed.
    """
    place = max(range(len(config.include)), key=lambda number: len(config.include[number]["req"]))
    entry = config.include[place]
    try:
        interpreters.get(entry["python"], say)
        return config
    except UserError as error:
        complaint = error
    uv = Uv(wheels(config.env_dir))
    others = [one for one in interpreters.at_hand() if not one.version.is_prerelease and not one.free_threaded]
    for one in sorted(others, key=lambda each: each.version, reverse=True):
        try:
            found = together(uv, entry, one.name)
        except UserError:
            continue
        older = [
            f"{name} {found['req'][name]} and not {version}"
            for name, version in entry["req"].items()
            if found["req"][name] != version
        ]
        say(f"{complaint}: measured with Python {one.name} instead, {', '.join(older) or 'and the same releases'}")
        changed = copy.copy(config)
        changed.include = [*config.include[:place], found, *config.include[place + 1 :]]
        return changed
    raise complaint
