"""The text of a syntax tree, the same in every Python: `ast.unparse` quotes f-strings in another way from 3.12 on."""

from __future__ import annotations

import ast
import copy
import re
import sys

#: Before an f-string is written, this name stands in its place.
HELD = "_f_string_{}_"

QUOTES = ("'", '"', '"""', "'''")


def unparse(node: ast.AST, newer: bool = False) -> str:
    """Return the text, as `ast.unparse` of Python 3.11 writes it; with ``newer``, as that of Python 3.12 does."""
    return ast.unparse(node) if sys.version_info < (3, 12) and not newer else written(node, newer)


def written(node: ast.AST, newer: bool = False) -> str:
    """`unparse`, by whichever Python runs this."""
    held = FStrings(newer)
    text = ast.unparse(held.visit(copy.deepcopy(node)))
    return re.sub(HELD.format(r"(\d+)"), lambda item: held.texts[int(item[1])], text)


class FStrings(ast.NodeTransformer):
    """Takes f-strings out of a tree, and keeps their texts."""

    def __init__(self, newer: bool) -> None:
        self.newer = newer
        self.texts: list[str] = []

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Name:
        """Return a name in place of an f-string."""
        self.texts.append(self.f_string(node))
        return ast.Name(HELD.format(len(self.texts) - 1), ast.Load())

    def f_string(self, node: ast.JoinedStr) -> str:
        """Return an f-string in the first quotes that its text leaves free; from Python 3.12 on, fields may use them
        again.
        """
        quotes = list(QUOTES)
        text = ""
        for part in node.values:
            shown = escaped(part) if isinstance(part, ast.Constant) else self.field(part)
            text += shown
            if isinstance(part, ast.Constant) or not self.newer:
                quotes = [quote for quote in quotes if quote not in shown]
                quotes.sort(key=lambda quote: quote[0] == shown[-1:])
        quote = next(iter(quotes), QUOTES[-1])  # where none is free, it is no Python, but the same text each time
        return f"f{quote}{text}{quote}"

    def field(self, node: ast.expr) -> str:
        """Return what is in braces."""
        assert isinstance(node, ast.FormattedValue)
        text = unparse(node.value, self.newer)
        if isinstance(node.value, (ast.IfExp, ast.Lambda)):
            text = f"({text})"
        if text.startswith("{"):
            text = f" {text}"
        conversion = "" if node.conversion == -1 else f"!{chr(node.conversion)}"
        spec = ""
        if isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            spec = ":" + "".join(escaped(one) if isinstance(one, ast.Constant) else self.field(one) for one in parts)
        return f"{{{text}{conversion}{spec}}}"


def escaped(node: ast.Constant) -> str:
    """Return a literal part of an f-string."""
    text = str(node.value).replace("{", "{{").replace("}", "}}")
    return "".join(
        one.encode("unicode_escape").decode("ascii") if one == "\\" or not one.isprintable() else one for one in text
    )
