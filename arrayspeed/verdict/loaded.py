"""Which BLAS and OpenMP the sides of a comparison have loaded, in sentences: another one is another program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: What one process has loaded: the rows of `arrayspeed.system.pools`.
Loaded = Sequence[Mapping[str, Any]]

#: Their names as their authors write them.
TITLES = {
    "openblas": "OpenBLAS",
    "mkl": "MKL",
    "blis": "BLIS",
    "flexiblas": "FlexiBLAS",
    "onednn": "oneDNN",
    "libgomp": "GNU's OpenMP",
    "libomp": "LLVM's OpenMP",
    "libiomp": "Intel's OpenMP",
    "vcomp": "Microsoft's OpenMP",
}

#: Who has it, and what it is for.
Place = tuple[str, str, str]


def note(sides: Sequence[Loaded | None]) -> str:
    """Return what differs between the sides, and then what does not; "" where nothing differs, or where it is not known
    of all sides.
    """
    if any(side is None for side in sides):
        return ""
    rows = [by_place(side or ()) for side in sides]
    places = sorted({place for each in rows for place in each})
    differ = [place for place in places if len({identity(each.get(place)) for each in rows}) > 1]
    if not differ:
        return ""
    found = [f"{owner} {change([each.get((owner, api, kind)) for each in rows])}" for owner, api, kind in differ]
    same = [f"{place[0]} {text(rows[0][place])}" for place in places if place not in differ]
    more = f" The same on all sides: {', '.join(same)}." if same else ""
    return f"BLAS and OpenMP that differ: {', '.join(found)}.{more}"


def by_place(side: Loaded) -> dict[Place, Mapping[str, Any]]:
    """Return each library by who has it and what it is for, and oneDNN beside a BLAS."""
    return {(one["owner"], one["api"], "onednn" if one["kind"] == "onednn" else ""): one for one in side}


def identity(one: Mapping[str, Any] | None) -> tuple[Any, ...] | None:
    """Return what makes a library another one: its kind, version, threads and file, whose name has a digest."""
    return None if one is None else (one["kind"], one["version"], one["threads"], one["file"])


def change(ones: Sequence[Mapping[str, Any] | None]) -> str:
    """Return a library on all sides: with the file's name where nothing else differs."""
    texts = ["absent" if one is None else text(one) for one in ones]
    if len(set(texts)) == 1:
        texts = ["absent" if one is None else f"{text(one)} ({one['file']})" for one in ones]
    return " → ".join(texts)


def text(one: Mapping[str, Any]) -> str:
    """Return a library in a few words: ``OpenBLAS 0.3.30, 2 threads``, without a version where it has none."""
    title = TITLES.get(one["kind"], one["kind"])
    version = f" {one['version']}" if one["version"] else ""
    threads = one["threads"]
    return f"{title}{version} with {threads} thread{'s' * (threads != 1)}"
