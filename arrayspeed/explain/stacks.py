"""Stacks of functions as py-spy writes them, and the names under which both sides of a comparison are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from arrayspeed.model.moved import moved as places

#: The last frame of ours, and the end of its file: what it calls is what is measured, and nothing else is.
LOOP, LOOP_FILE = "loop", "worker/measuring.py"

#: A frame: ``sort (numpy/_core/fromnumeric.py:939)``, without the line in machine code. Both may hold brackets.
FRAME = re.compile(r"^(?P<function>.+) \((?P<file>(?:[^()]|\([^()]*\))*?)(?::\d+)?\)$")

#: What compilers add to a function that they have split or cloned, and the hash that ends a name of Rust.
CLONE = re.compile(r"\.(?:isra|constprop|part|cold|lto_priv|llvm)(?:\.\d+)*|\.cold$|::h[0-9a-f]{16}$")

#: Where an environment's packages are, and the standard library.
PACKAGES = re.compile(r".*/(?:site|dist)-packages/")
STANDARD = re.compile(r".*/lib/python\d+\.\d+/(?:lib-dynload/)?")

#: In the name of a shared library: the interpreter that it was built for, a hash, a version.
BUILT_FOR = re.compile(r"\.(?:cpython-\d+[\w-]*|abi3)(?=\.so)")
HASH = re.compile(r"-[0-9a-f]{8}(?=\.so|\.\d|$)")
VERSION = re.compile(r"(\.so)(?:\.\d+)+$")

#: A function without a name.
UNKNOWN = "unnamed functions"


@dataclass(frozen=True, order=True)
class Function:
    """A function: its name, and the file or the shared library that has it, without what differs between
    environments.
    """

    name: str
    file: str

    @property
    def native(self) -> bool:
        """Whether it is machine code."""
        return not self.file.endswith((".py", ">"))

    @property
    def library(self) -> str:
        """The shared library; of Python code, the package or module."""
        return self.file if self.native else f"{PurePath(self.file).parts[0] if self.file else ''} (Python)"

    @property
    def title(self) -> str:
        """Both in a line."""
        return f"{self.name} ({self.file})"


#: A call within calls, the outermost first.
Stack = tuple[Function, ...]


def read(text: str, folder: str) -> Counter[Stack]:
    """Return how often each stack above the timing loop was seen; all else is no part of a call.

    Parameters
    ----------
    text
        What ``py-spy record --format raw`` writes: a line for each stack, frames with ``;`` between them, and a number.
    folder
        The folder of the user's file, whose modules are named from there.
    """
    found: Counter[Stack] = Counter()
    for line in text.splitlines():
        frames, _, number = line.rpartition(" ")
        if not number.isdecimal():
            continue
        every = split(frames)
        start = next((n for n, frame in enumerate(every) if is_loop(*frame)), None)
        if start is not None:
            stack = tuple(Function(called(name), short(file, folder)) for name, file in every[start + 1 :])
            found[stack] += int(number)
    return found


def is_loop(name: str, file: str) -> bool:
    """Return whether a frame is the timing loop; from Python 3.11 on names have that of their class before them."""
    return name.rpartition(".")[2] == LOOP and file.endswith(LOOP_FILE)


def split(frames: str) -> list[tuple[str, str]]:
    """Return function and file of every frame. A name of C++ may hold the sign between frames only within brackets,
    which no demangler writes.
    """
    parts = []
    for text in frames.split(";"):
        match = FRAME.match(text)
        parts.append((match["function"], match["file"]) if match else (text, ""))
    return parts


def called(name: str) -> str:
    """Return a function's name without what a compiler added; one name for all addresses."""
    return UNKNOWN if name.startswith("0x") or not name else CLONE.sub("", name)


def short(file: str, folder: str) -> str:
    """Return a file without the place of its environment, and without hash and version where it is a library."""
    for pattern in (PACKAGES, STANDARD):
        if pattern.match(file):
            file = pattern.sub("", file, count=1)
            break
    else:
        file = file.removeprefix(folder.rstrip("/") + "/")
    if ".so" in file:
        file = VERSION.sub(r"\1", HASH.sub("", BUILT_FOR.sub("", file)))
    return PurePath(file).name if file.startswith("/") else file


def moved(old: Iterable[Stack], new: Iterable[Stack]) -> dict[str, str]:
    """Return the files that have another place on the new side: old -> new."""
    return places(files(old), files(new), "/")


def files(stacks: Iterable[Stack]) -> set[str]:
    """Return the files of all functions."""
    return {function.file for stack in stacks for function in stack}


def renamed(stacks: Mapping[Stack, int], now: Mapping[str, str], bare: bool) -> Counter[Stack]:
    """Return stacks whose files are named as on the other side.

    ``bare``: Python's functions without the class before their names, which Python knows from 3.11 on.
    """
    found: Counter[Stack] = Counter()
    for stack, value in stacks.items():
        found[
            tuple(
                Function(
                    each.name.rpartition(".")[2] if bare and not each.native else each.name,
                    now.get(each.file, each.file),
                )
                for each in stack
            )
        ] += value
    return found


def own_time(stacks: Mapping[Stack, float], root: Function) -> dict[Function, float]:
    """Return the time of each function itself; ``root`` stands for the loop."""
    found: dict[Function, float] = {}
    for stack, value in stacks.items():
        function = stack[-1] if stack else root
        found[function] = found.get(function, 0.0) + value
    return found


def whole_time(stacks: Mapping[Stack, float]) -> dict[Function, float]:
    """Return the time of each function with all that it calls; once, where it calls itself."""
    found: dict[Function, float] = {}
    for stack, value in stacks.items():
        for function in dict.fromkeys(stack):
            found[function] = found.get(function, 0.0) + value
    return found


def by_library(own: Mapping[Function, float]) -> dict[str, float]:
    """Return own time by shared library, and by package of Python code."""
    found: dict[str, float] = {}
    for function, value in own.items():
        found[function.library] = found.get(function.library, 0.0) + value
    return found


def total(stacks: Sequence[Mapping[Stack, float]]) -> dict[Stack, float]:
    """Return the mean of several processes."""
    found: dict[Stack, float] = {}
    for each in stacks:
        for stack, value in each.items():
            found[stack] = found.get(stack, 0.0) + value / len(stacks)
    return found
