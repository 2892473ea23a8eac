"""What somebody's own code may be: how each kind is asked for, and read.

A worker loads a kind by the same name (`arrayspeed.own.worker.serving`). CONTRIBUTING.md says how one is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from arrayspeed.own import script
from arrayspeed.own.script import COMMAND, IMPORT, Script


@dataclass(frozen=True)
class Kind:
    """A kind of code.

    Attributes
    ----------
    metavar, help
        Of the option that asks for it, whose name is that of the kind.
    read
        Its value -> what is measured; raises `UserError` where that cannot be.
    several
        Whether it takes several values.
    """

    metavar: str
    help: str
    read: Callable[[Any], Script]
    several: bool = False


KINDS = {
    "file": Kind("FILE", "a file of yours with bench_* functions, see docs/own-code.md", script.read),
    "asv": Kind(
        "DIR",
        "instead of --file: asv benchmarks: their folder, or that of asv.conf.json",
        script.of_asv,
    ),
    "pytest": Kind(
        "PATH",
        "instead of --file: tests that use pytest-benchmark, or with --whole all tests",
        partial(script.suite, kind="pytest", needs=("pytest>=7",)),
    ),
    COMMAND: Kind("COMMAND", "instead of --file: a shell command", script.of_command),
    IMPORT: Kind(
        "MODULE",
        "instead of --file: only the imports of these modules, in new processes, with warm and cold bytecode",
        script.of_modules,
        several=True,
    ),
}
