"""A verdict in the form that somebody asked for."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

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
    if form == "json":
        print(as_json(verdict))
    elif form == "markdown":
        print(as_markdown(verdict))
    else:
        console().print(as_table(verdict, every))
    if page:
        try:
            Path(page).write_text(as_page(verdict), encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write --html {page}: {error.strerror}") from error
