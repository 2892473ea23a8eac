"""Print what was found in the form that somebody asked for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

from rich.console import RenderableType

from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError
from arrayspeed.verdict.accepted import FILE, apply, read
from arrayspeed.verdict.data import as_json
from arrayspeed.verdict.page import as_page
from arrayspeed.verdict.text import as_markdown, as_table
from arrayspeed.verdict.verdict import Verdict


def add_accepted(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the changes that are accepted."""
    parser.add_argument(
        "--accepted", metavar="FILE", help=f"changes that are accepted (default {FILE} in this folder, if it is there)"
    )


def finish(verdict: Verdict, args: argparse.Namespace) -> int:
    """Print a verdict, with what somebody has accepted, and return its exit status."""
    if verdict.best is None:
        named = getattr(args, "accepted", None)
        given = Path(named or FILE)
        if named or given.exists():
            verdict = apply(verdict, read(given), date.today())
    show(verdict, args.format, args.html, args.all)
    return verdict.status


def show(verdict: Verdict, form: str, page: str | None = None, every: bool = False) -> None:
    """Print a verdict as a table, in Markdown or as JSON; ``page``: also write it to this file of HTML; ``every``: with
    what is the same.

    Raises
    ------
    UserError
        The page cannot be written.
    """
    in_form(
        form,
        table=lambda: as_table(verdict, every),
        markdown=lambda: as_markdown(verdict),
        json=lambda: as_json(verdict),
    )
    if page:
        write_page(page, as_page(verdict))


def in_form(
    form: str, table: Callable[[], RenderableType], markdown: Callable[[], str], json: Callable[[], str]
) -> None:
    """Print one of three forms; only that one is made."""
    if form == "json":
        print(json())
    elif form == "markdown":
        print(markdown())
    else:
        console().print(table())


def write_page(path: str | Path, text: str) -> None:
    """Write the page of ``--html``.

    Raises
    ------
    UserError
        It cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write --html {path}: {error.strerror}") from error
