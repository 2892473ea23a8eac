"""The interpreters of this machine: those on PATH, of pyenv, asdf, rye and uv, each run before it is believed.

What version managers put on PATH need not work: pyenv's ``python3.13`` fails wherever 3.13 is not activated. findpython
looks into their folders, too. An interpreter is called as uv and asv call it: ``3.13``, or ``3.13t`` of a free-threaded
build.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from arrayspeed.environments.failures import why
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError

#: A version as people ask for one: 3, 3.13, 3.13.0, 3.13t.
NAME = re.compile(r"(\d+(?:\.\d+){0,2})(t?)")

#: The oldest that the libraries were ever built for with all that is asked of them here.
OLDEST = Version("3.8")

#: What is asked of a program: itself, its version, its implementation, whether it has no global lock.
ABOUT = """
import json, platform, sys, sysconfig
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
print(json.dumps([sys.executable, platform.python_version(), sys.implementation.name, free]))
"""

#: The environment variables that decide what is found.
PLACES = ("PATH", "PYENV_ROOT", "ASDF_DATA_DIR", "UV_PYTHON_INSTALL_DIR", "HOME")

#: uv's own switch. Without it uv fetches what it needs, and so do we.
DOWNLOADS = "UV_PYTHON_DOWNLOADS"


@dataclass(frozen=True)
class Interpreter:
    """One interpreter, which runs.

    Attributes
    ----------
    path
        Its program.
    version
        3.13.0.
    free_threaded
        Whether it has no global lock.
    """

    path: str
    version: Version
    free_threaded: bool = False

    @property
    def name(self) -> str:
        """What environments are named by: 3.13, or 3.13t."""
        return f"{self.version.major}.{self.version.minor}{'t' * self.free_threaded}"

    def is_a(self, wanted: str) -> bool:
        """Return whether it is what somebody asks for; without a ``t`` that is a build with the global lock."""
        found = NAME.fullmatch(wanted)
        if found is None or bool(found[2]) != self.free_threaded:
            return False
        parts = [int(part) for part in found[1].split(".")]
        return [self.version.major, self.version.minor, self.version.micro][: len(parts)] == parts


def this() -> Interpreter:
    """Return the one that runs this."""
    version = Version(sys.version.split()[0].rstrip("+"))
    return Interpreter(sys.executable, version, bool(sysconfig.get_config_var("Py_GIL_DISABLED")))


def at_hand() -> list[Interpreter]:
    """Return this interpreter, then all others of CPython, the newest first; pre-releases come last."""
    return [this(), *found(tuple(os.environ.get(name) for name in PLACES))]


@functools.cache
def found(places: tuple[str | None, ...]) -> list[Interpreter]:
    """Return what there is where these environment variables point, each program once."""
    kept: dict[str, Interpreter] = {}
    for path in programs():
        real = os.path.realpath(path)
        if real not in kept and (one := asked(path)) is not None:
            kept[real] = one
    return sorted(kept.values(), key=lambda item: (not item.version.is_prerelease, item.version), reverse=True)


def programs() -> Iterator[str]:
    """Yield every ``python3`` and ``python3.13`` of version managers and on PATH; most are links to one another."""
    # Here, because a machine to which wheels are carried does without it: it has the one interpreter.
    from findpython.providers.asdf import AsdfProvider
    from findpython.providers.path import PathProvider
    from findpython.providers.pyenv import PyenvProvider
    from findpython.providers.rye import RyeProvider
    from findpython.providers.uv import UvProvider

    # A shim runs what is found in its manager's folder, or fails, and takes a tenth of a second for it.
    shims = {shims_of("PYENV_ROOT", "~/.pyenv"), shims_of("ASDF_DATA_DIR", "~/.asdf")}
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    on_path = PathProvider([Path(folder) for folder in folders if os.path.realpath(folder) not in shims])
    managers = filter(None, (each.create() for each in (PyenvProvider, AsdfProvider, RyeProvider, UvProvider)))
    for provider in (*managers, on_path):
        for one in provider.find_pythons():
            if re.fullmatch(r"python3(\.\d+t?)?", one.executable.name):
                yield str(one.executable)


def asked(path: str) -> Interpreter | None:
    """Return what a program says that it is; None where it does not run, or is no CPython of 3.8 or newer."""
    try:
        done = subprocess.run([path, "-I", "-c", ABOUT], capture_output=True, text=True, timeout=30, check=True)
        program, text, name, free_threaded = json.loads(done.stdout)
        version = Version(text.partition("+")[0])
        return Interpreter(program, version, free_threaded) if name == "cpython" and version >= OLDEST else None
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return None


def shims_of(variable: str, default: str) -> str:
    """Return the folder that a version manager puts on PATH."""
    return os.path.realpath(os.path.join(os.path.expanduser(os.environ.get(variable) or default), "shims"))


def find(wanted: str) -> Interpreter | None:
    """Return the interpreter of a version, this one if it is; None where this machine has none."""
    one = this()
    return one if one.is_a(wanted) else next((one for one in at_hand() if one.is_a(wanted)), None)


def may_fetch() -> bool:
    """Return whether uv may download an interpreter."""
    return os.environ.get(DOWNLOADS, "").lower() not in ("never", "manual", "false", "0")


def check(version: str) -> None:
    """Whether environments can be made with a version of Python, and named by it.

    Raises
    ------
    UserError
        It is not a minor version.
    """
    if re.fullmatch(r"\d+\.\d+t?", version) is None:
        raise UserError(f"{version!r} is not a version of Python such as 3.13, or 3.13t for the free-threaded build")


def get(wanted: str, say: Callable[[str], None], uv: Uv | None = None) -> Interpreter:
    """Return the interpreter of a version, fetched by uv where this machine has none.

    Raises
    ------
    UserError
        It is no version, or there is none and it cannot be fetched; the message says why, and what there is.
    """
    if NAME.fullmatch(wanted) is None:
        raise UserError(f"Python {wanted!r} is not a version such as 3.13, or 3.13t for the free-threaded build")
    known = find(wanted)
    if known is not None:
        return known
    if not may_fetch():
        reason = f"{DOWNLOADS}={os.environ[DOWNLOADS]} forbids fetching it"
    else:
        say(f"fetching Python {wanted}, which is not on this machine")
        one, reason = fetch(uv or Uv(), wanted)
        if one is not None:
            return one
    raise UserError(f"Python {wanted} is not on this machine ({listed()}), and {reason}")


def fetch(uv: Uv, wanted: str) -> tuple[Interpreter | None, str]:
    """Return what uv installs, in its own folder; or None, and why not."""
    request = [wanted.removesuffix("t") + ("+freethreaded" if wanted.endswith("t") else "")]
    status, _, messages = uv.run("python", "install", "--no-bin", *request)
    if status == 0:
        status, output, messages = uv.run("python", "find", "--no-project", "--managed-python", *request)
    if status or not output.strip():
        return None, f"uv could not fetch it: {why(messages)}"
    found.cache_clear()
    one = find(wanted)
    return one, "" if one else "what uv fetched does not run"


def listed() -> str:
    """Return the versions that this machine has, in words."""
    names = dict.fromkeys(one.name for one in at_hand())
    return f"it has {', '.join(sorted(names, key=lambda name: Version(name.rstrip('t')), reverse=True))}"
