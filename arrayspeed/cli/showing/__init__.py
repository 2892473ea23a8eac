"""A verdict in the form that somebody asked for."""

from __future__ import annotations

from pathlib import Path

from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError
from arrayspeed.verdict.data import as_json
from arrayspeed.verdict.page import as_page
from arrayspeed.verdict.text import as_markdown, as_table
from arrayspeed.verdict.verdict import Verdict


def show(verdict: Verdict, form: str, page: str | None = None) -> None:
    """Print a verdict as a table, in Markdown or as JSON; ``page``: also write it to this file of HTML.

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
        console().print(as_table(verdict))
    if page:
        try:
            Path(page).write_text(as_page(verdict), encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write --html {page}: {error.strerror}") from error
