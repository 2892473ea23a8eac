"""Keeps asv from what is no result, as an asv plugin: a truncated, foreign or hostile file is left out with a line.

asv reads every ``.json`` file beside a ``machine.json`` and takes what it finds; one that is not its own ends its
commands with a traceback, so that one bad file hides all good ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from asv import util
from asv.commands import publish
from asv.console import log
from asv.results import Results

from arrayspeed.model.errors import UserError
from arrayspeed.records import results

#: Files found good in this process, which itself writes only good ones.
_good: set[str] = set()

_load = Results.load.__func__
_load_json = util.load_json
_machine_files = publish.iter_machine_files


def load(cls: type[Results], /, path: str, machine_name: str | None = None) -> Results:
    """Stands in for asv's ``Results.load``: what is no result file is an error that asv's commands pass over."""
    path = os.path.abspath(path)
    if path not in _good:
        try:
            results.read(Path(path))
        except UserError as error:
            raise util.UserError(f"left out: {error}") from error
        _good.add(path)
    return _load(cls, path, machine_name)


def load_json(path: str, *args: Any, **kwargs: Any) -> Any:
    """Stands in for asv's own, to which JSON that is nested too deeply is no error of the file."""
    try:
        return _load_json(path, *args, **kwargs)
    except RecursionError as error:
        raise util.UserError(f"Error parsing JSON in file '{path}': nested too deeply") from error


def machine_files(folder: str) -> Iterator[str]:
    """Stands in for what `asv publish` lists: the descriptions of machines that are such."""
    for path in _machine_files(folder):
        with suppress(util.UserError):
            data = load_json(path)
            if isinstance(data, dict) and isinstance(data.get("machine"), str):
                yield path
                continue
        log.warning(f"left out: {path} describes no machine")


def setup() -> None:
    """asv calls this when it loads the plugin."""
    Results.load = classmethod(load)
    util.load_json = load_json
    publish.iter_machine_files = machine_files
