"""Environments with exact packages, made by uv, kept under a name that follows from what is in them."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.requirements import InvalidRequirement, Requirement

from arrayspeed.environments import interpreters, pythons
from arrayspeed.environments.failures import why
from arrayspeed.environments.plugin import LIST_PACKAGES
from arrayspeed.environments.requirements import name_of
from arrayspeed.environments.resolve import Requested, resolve
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.own import remembered
from arrayspeed.own.locks import packages_of
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready, Side

#: Written last: what lacks it is not complete.
COMPLETE = "arrayspeed.json"

#: The folder beside them with wheels that an index may no longer have.
WHEELS = "wheels"


def ready(
    sides: Sequence[Side], script: Script, companions: Sequence[str], folder: Path, say: Callable[[str], None]
) -> list[Ready]:
    """Return every side with an environment: those that are there already, or made now.

    Parameters
    ----------
    sides, script
        What is compared, and the file whose dependencies all of them get.
    companions
        Further requirements of all sides, which go before those of the file.
    folder
        Where environments are kept.
    say
        Is told what takes long.

    Raises
    ------
    UserError
        An interpreter is not there, a version does not exist, or something cannot be installed.
    """
    check_companions(companions, sides)
    named = {name_of(text) for text in companions}
    wanted = [*companions, *(text for text in script.dependencies if name_of(text) not in named)]
    made = [side for side in sides if not side.as_is]
    found: dict[Side, Ready] = {}
    if made:
        uv = Uv(folder.with_name(WHEELS))
        programs, pins = settled(uv, made, script, wanted, folder, say)
        for side, python, each in zip(made, programs, pins, strict=True):
            found[side] = environment(uv, side, python, [*each, *side.bare], folder, say)
    return [found[side] if side in found else as_it_is(side) for side in sides]


def settled(
    uv: Uv, sides: Sequence[Side], script: Script, dependencies: Sequence[str], folder: Path, say: Callable[[str], None]
) -> tuple[list[str], list[list[str]]]:
    """Return the interpreter of each side, and its exact packages: those of the last run that asked for the same, while
    their environments are there. What has to be installed is asked for anew.

    Raises
    ------
    UserError
        As `ready`.
    """
    requested = [requested_of(uv, side, dependencies) for side in sides]
    asked = remembered.question(uv, requested, [side.python for side in sides], script.python)
    answer = remembered.recall(folder, asked)
    if answer is not None:
        each = zip(sides, answer.programs, answer.pins, strict=True)
        if all((place_of(python, [*pins, *side.bare], folder) / COMPLETE).exists() for side, python, pins in each):
            for text in answer.said:
                say(text)
            return answer.programs, answer.pins
    said: list[str] = []

    def tell(text: str) -> None:
        said.append(text)
        say(text)

    programs = interpreters_of(uv, sides, script, dependencies, tell)
    found = resolve(uv, requested, programs)
    folder.mkdir(parents=True, exist_ok=True)
    remembered.keep(folder, asked, remembered.Answer(programs, found, said, time.time()))
    return programs, found


def check_companions(companions: Sequence[str], sides: Sequence[Side]) -> None:
    """Whether further requirements are some, and can be installed on all sides.

    Raises
    ------
    UserError
        They cannot.
    """
    for text in companions:
        if used := next((side.python for side in sides if side.as_is), None):
            raise UserError(f"--with {text}: nothing is installed in {used}, which is used as it is")
        try:
            Requirement(text)
        except InvalidRequirement as error:
            if not re.search(r"[/@]", text):  # an address alone
                said = f"--with {text!r} is not a requirement such as packaging==24.0; of several, each has a --with"
                raise UserError(said) from error


def requested_of(uv: Uv, side: Side, dependencies: Iterable[str]) -> Requested:
    """Return everything that a side asks for: its own requirements, its lock file's, and the file's dependencies that
    neither names.
    """
    own = [*side.wanted, *(packages_of(uv, side.lock) if side.lock else ())]
    named = {name_of(text) for text in own}
    every = [*own, *(text for text in dependencies if name_of(text) not in named)]
    return Requested(side.label, side.wanted, tuple(every))


def interpreters_of(
    uv: Uv, sides: Sequence[Side], script: Script, dependencies: Sequence[str], say: Callable[[str], None]
) -> list[str]:
    """Return each side's interpreter: of the version that it names, and one for all sides that name none.

    Raises
    ------
    UserError
        There is none for all of them, or one cannot be had.
    """
    free = {
        side.label or f"the file with {', '.join(dependencies)}": requested_of(uv, side, dependencies).every
        for side in sides
        if side.python is None
    }
    common = pythons.choose(free, uv, say, script.python).path if free else ""
    return [interpreters.get(side.python, say, uv).path if side.python else common for side in sides]


def environment(
    uv: Uv, side: Side, python: str, pins: Sequence[str], folder: Path, say: Callable[[str], None]
) -> Ready:
    """Return a side's environment, made where it is not there.

    Raises
    ------
    UserError
        It cannot be made.
    """
    for pin in pins:
        check_unchanging(pin)
    place = place_of(python, pins, folder)
    executable = str(place / "bin" / "python")
    try:
        known = json.loads((place / COMPLETE).read_text())
        if Path(executable).exists():
            return Ready(side, executable, known["packages"], known["python"])
    except (OSError, ValueError, KeyError):
        shutil.rmtree(place, ignore_errors=True)
    what = f": {', '.join(pins[:4])}{' …' * (len(pins) > 4)}" if pins else ""
    say(f"making the environment of {side.label or 'Python ' + version_of(python)}{what}")
    started = time.monotonic()
    place.parent.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    status, _, messages = uv.run("venv", "--no-project", "--quiet", "--python", python, str(place))
    if status:
        raise UserError(f"cannot make an environment of {python}: {why(messages)}")
    if pins:
        arguments = ["pip", "install", "--no-deps", "--quiet", "--python", executable, *uv.flags, "--requirements", "-"]
        status, _, messages = uv.run(*arguments, given="\n".join(pins) + "\n")
        if status:
            shutil.rmtree(place, ignore_errors=True)
            raise UserError(f"cannot install {', '.join(side.wanted) or side.label}: {why(messages)}")
    known = look(executable)
    (place / COMPLETE).write_text(json.dumps(known, indent=1))
    say(f"made in {time.monotonic() - started:.0f} s")
    return Ready(side, executable, known["packages"], known["python"])


def place_of(python: str, pins: Sequence[str], folder: Path) -> Path:
    """Return the folder of an environment, by its interpreter and packages.

    Raises
    ------
    UserError
        The interpreter does not run.
    """
    known = [python, version_of(python), sorted(pins)]
    return folder / hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


def check_unchanging(pin: str) -> None:
    """Whether what a requirement names stays what it is: environments, and uv's wheels, are kept by its name.

    Raises
    ------
    UserError
        It is a folder.
    """
    address = urlsplit(pin.rpartition(" @ ")[2].strip())
    if address.scheme in ("", "file") and re.search(r"[/.]", address.path) and Path(unquote(address.path)).is_dir():
        raise UserError(f"{pin} is a folder, which changes and keeps its name: --project {address.path} builds it")


def as_it_is(side: Side) -> Ready:
    """Return an interpreter with what is installed there.

    Raises
    ------
    UserError
        It does not run.
    """
    assert side.python is not None  # of a side that is used as it is
    executable = shutil.which(side.python)
    if executable is None:
        raise UserError(f"--python {side.python}: there is no such program")
    known = look(executable)
    return Ready(side, str(Path(executable).absolute()), known["packages"], known["python"])


@functools.cache
def version_of(python: str) -> str:
    """Return the version of an interpreter.

    Raises
    ------
    UserError
        It does not run.
    """
    found: str = look(python)["python"]
    return found


def look(executable: str) -> dict[str, Any]:
    """Return the packages and the version of an interpreter.

    Raises
    ------
    UserError
        It does not run.
    """
    try:
        command = [executable, "-I", "-c", LIST_PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise UserError(f"{executable} is no Python that runs") from error
