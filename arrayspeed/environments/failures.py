"""Why uv could not install something, in a line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arrayspeed.model.text import printable

UNREACHABLE = "a package index could not be reached"
DISK_FULL = "the disk is full"

#: Reasons that say nothing of the package: later, it may be installed.
PASSING = (UNREACHABLE, DISK_FULL)

#: Pattern -> reason, of the whole output of uv.
OF_MACHINE = [
    (r"No space left on device", DISK_FULL),
    (r"failed to fetch|dns error|error sending request|network was disabled", UNREACHABLE),
]

CONTRADICTION = (r"No solution found", "another requirement or a constraint forbids it")

#: Pattern -> reason, of the part that says what went wrong.
OF_PACKAGES = [
    (r"does not satisfy Python", "it does not support this version of Python"),
    (r"no wheels with a matching|no usable wheels|not a supported wheel", "it has no build for this Python and system"),
    (r"failed to build|failed building|subprocess-exited|metadata-generation", "it could not be built from source"),
    (r"was not found in", "no such package"),
    (r"no versions? of|(?:is|are) available", "no such version"),
    CONTRADICTION,
]

# The package that was sought in vain: it may be one that a requirement needs, not one that was asked for.
SOUGHT = re.compile(
    r"no versions? of ([\w.-]+)|Because ([\w.-]+) was not found|Because only (?:the following versions of )?([\w.-]+)"
)


def why(messages: str) -> str:
    """Return what uv said, in a line, without addresses."""
    if reason := of_machine(messages):
        return reason
    text = error_text(messages) or messages
    for pattern, reason in OF_PACKAGES:
        if re.search(pattern, text, re.IGNORECASE):
            return reason
    said = re.findall(r"^\s*(?:error|Caused by): (.*)", messages, re.MULTILINE)
    return printable(last_line(said[-1] if said else messages)) or "uv failed without a word"


def diagnose(output: str, wanted: Iterable[Requirement]) -> str:
    """Return one line for an install that failed: the requirements at fault, and why.

    uv explains a failure in prose that names the requirements involved, and no others.
    """
    wanted = list(wanted)
    error = error_text(output)
    culprits = [each for each in wanted if mentions(error, each.name)]
    reason = of_machine(output) or of_packages(error, culprits) or last_line(error) or last_line(output)
    if reason == UNREACHABLE:  # whichever was asked for first is named, and none of them is at fault
        culprits = wanted
    named = ", ".join(map(str, culprits or wanted))
    return f"cannot install {named}: {reason or 'uv failed without a word'}"


def of_machine(output: str) -> str:
    """Return a reason that says nothing of the packages, one of `PASSING`; "" where it is none of them."""
    return next((reason for pattern, reason in OF_MACHINE if re.search(pattern, output, re.IGNORECASE)), "")


def of_packages(error: str, culprits: list[Requirement]) -> str:
    """Return a reason that lies in what was asked for; "" where none is known."""
    if len(culprits) > 1 and re.search(CONTRADICTION[0], error):
        return "these contradict each other"
    reason = next((reason for pattern, reason in OF_PACKAGES if re.search(pattern, error, re.IGNORECASE)), "")
    if len(culprits) == 1 and reason.startswith("no such"):
        match = SOUGHT.search(error)
        name = next(filter(None, match.groups()), culprits[0].name) if match else culprits[0].name
        if canonicalize_name(name) != canonicalize_name(culprits[0].name):
            return f"it needs {name}, and there is {reason}"
    return reason


def error_text(output: str) -> str:
    """Return the part of uv's output that says what went wrong, in one line."""
    lines: Iterable[str] = output.splitlines()
    lines = itertools.dropwhile(lambda line: not re.match(r"error:|\s*×", line), lines)
    lines = itertools.takewhile(lambda line: not line.startswith("hint:"), lines)
    return re.sub(r"\s+", " ", " ".join(lines))


def mentions(text: str, name: str) -> bool:
    """Return whether a package is named, in any of the spellings that mean the same, and not as a part of another."""
    spelling = r"[-_.]+".join(map(re.escape, re.split(r"[-_.]+", name)))
    return re.search(rf"(?<![\w.-]){spelling}(?![\w]|[-.]+\w)", text, re.IGNORECASE) is not None


def last_line(text: str) -> str:
    """Return the last line with words in it, without addresses: they may hold passwords."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"\w", line)]
    return re.sub(r"[a-z][a-z+.-]*://[^\s'\"`)>,]+", "an index", lines[-1]) if lines else ""


def unknown_extras(output: str) -> list[str]:
    """Return the complaints about extras that a package does not have: uv goes on without them."""
    lines = (line for line in output.splitlines() if "does not have an extra" in line)
    return [re.sub(r"^\s*warning:\s*", "", line, flags=re.IGNORECASE) for line in lines]
