"""Which Python and which packages the sides of a comparison got, for the next run of the same one.

uv and the index take seconds to say what they said an hour ago, as long as the measuring of a short function.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from arrayspeed.environments.interpreters import PLACES
from arrayspeed.environments.resolve import Requested
from arrayspeed.environments.uv import Uv
from arrayspeed.model.text import digest
from arrayspeed.records import files

#: The file beside the environments.
NAME = "resolved.json"

#: Seconds for which an answer is believed: a package that the sides need and nobody pinned may have a new release.
BELIEVED = 24 * 3600.0

#: Changes where the same question gets another answer since packages are chosen in another way.
CHOICE = 2

#: What of the environment decides what uv answers.
SETTINGS = ("UV_", "PIP_")


@dataclass(frozen=True)
class Answer:
    """What was resolved.

    Attributes
    ----------
    programs, pins
        The interpreter of each side, and its exact packages.
    said
        Lines that people were told on the way, such as why it is another Python than the usual one.
    when
        Seconds since 1970.
    """

    programs: list[str]
    pins: list[list[str]]
    said: list[str]
    when: float


def question(uv: Uv, sides: Sequence[Requested], pythons: Sequence[str | None], allowed: str) -> str:
    """Return a digest of all that decides the answer; "" where it is not to be kept, since an address or a folder may
    hold something else by then.

    ``pythons``: those that the sides name; ``allowed``: those that the file does.
    """
    texts = [text for side in sides for text in side.every]
    if any(sign in text for text in texts for sign in "/@"):
        return ""
    settings = {name: value for name, value in uv.environment.items() if name.startswith(SETTINGS)}
    places = [os.environ.get(name) for name in PLACES]
    asked = [[side.label, list(side.every)] for side in sides]
    return digest(CHOICE, asked, pythons, allowed, settings, uv.flags, places)


def recall(folder: Path, asked: str) -> Answer | None:
    """Return the answer to a question; None where it is not known, or no longer believed, or a program has gone."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = Answer(**json.loads((folder / NAME).read_text(encoding="utf-8"))[asked])
        if 0 <= time.time() - found.when < BELIEVED and all(map(os.path.exists, found.programs)):
            return found
    return None


def keep(folder: Path, asked: str, answer: Answer) -> None:
    """Keep an answer, and forget those that are no longer believed. A file that cannot be written keeps nothing."""
    if not asked:
        return
    known = {}
    with suppress(OSError, ValueError, AttributeError):
        known = dict(json.loads((folder / NAME).read_text(encoding="utf-8")).items())
    still = {
        key: each
        for key, each in known.items()
        if isinstance(each, dict) and isinstance(each.get("when"), float) and answer.when - each["when"] < BELIEVED
    }
    with suppress(OSError):
        files.replace(folder / NAME, json.dumps(still | {asked: asdict(answer)}, indent=1))
