"""Types of options, which argparse checks as it reads them, options that many commands have, and a parser that says in
one line what is wrong.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

#: How results are printed, on standard output.
FORMATS = ("table", "markdown", "json")

#: What divides a command's docstring: before it is its description, after it are examples.
EXAMPLES = "\nExamples:\n"


class Parser(argparse.ArgumentParser):
    """argparse's, without the usage before each mistake."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with 2."""
        match = re.fullmatch(r"argument (?:-\w/)?([^:/]+)(?:/[^:]+)?: (.*)", message, re.DOTALL)
        said = f"{match[1]} {match[2]}" if match else message
        self.exit(2, f"arrayspeed: {said}; see `{self.prog} --help`\n")


class Help(argparse.RawDescriptionHelpFormatter):
    """Paragraphs filled to the width of the terminal; indented lines, such as examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Return a description or an epilog."""
        paragraphs = re.split(r"\n\s*\n", text.strip("\n"))
        return "\n\n".join(each if each.startswith(" ") else filled(each, width) for each in paragraphs)


def filled(paragraph: str, width: int) -> str:
    """Return a paragraph in lines of at most this width; indented lines after its first are left as they are."""
    head, *rest = re.split(r"\n(?= )", paragraph, maxsplit=1)
    return "\n".join([textwrap.fill(head, width, break_on_hyphens=False, break_long_words=False), *rest])


def add_format(
    parser: argparse._ActionsContainer,
    json_flag: bool = False,
    values: Mapping[str, str] = MappingProxyType({}),
    what: str = "",
) -> None:
    """Add ``--format``; ``json_flag``: the command had ``--json`` before; ``values``: what forms were called before;
    ``what``: of what it is the form, where that is not all that the command prints.
    """

    def read(text: str) -> str:
        if text in values:
            deprecate(f"--format {text}", f"--format {values[text]}")
        return values.get(text, text)

    said = f"{what}default {FORMATS[0]}"
    made = parser.add_argument("--format", type=read, choices=FORMATS, default=FORMATS[0], help=said)
    if json_flag:
        add_old_name(parser, "--json", made, value="json")


def add_old_name(parser: argparse._ActionsContainer, name: str, action: argparse.Action, value: object = None) -> None:
    """Add the name that an option had in the release before; it is not in the help, and works until the next major one.

    ``value``: what the old option, which takes none, says by the new one.
    """
    more: dict[str, Any] = {"nargs": 0} if value is not None else {"type": action.type, "metavar": action.metavar}
    parser.add_argument(
        name,
        action=OldName,
        successor=action,
        value=value,
        dest=action.dest,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
        **more,
    )


class OldName(argparse.Action):
    """Does what its successor does, and says once which that is."""

    def __init__(self, *args: Any, successor: argparse.Action, value: object, **options: Any) -> None:
        super().__init__(*args, **options)
        self.successor, self.value, self.said = successor, value, False

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Set what the successor sets."""
        new = self.successor.option_strings[-1]
        if not self.said:
            deprecate(str(option), new if self.value is None else f"{new} {self.value}")
            self.said = True
        given: Any = values if self.value is None else self.value
        self.successor(parser, namespace, given, new)


def deprecate(old: str, new: str) -> None:
    """Say what takes the place of something that goes."""
    print(f"arrayspeed: {old} is deprecated and will be removed in 2.0: use {new}", file=sys.stderr)


def add_max_unclear(parser: argparse._ActionsContainer, default: float, what: str) -> None:
    """Add ``--max-unclear``, which was ``--unclear``; ``what``: of what it is the share."""
    made = parser.add_argument(
        "--max-unclear",
        dest="unclear",
        type=share,
        default=default,
        metavar="SHARE",
        help=f"the share of comparisons that may {what} (default {default:g})",
    )
    add_old_name(parser, "--unclear", made)


def number(kind: type[int] | type[float], allowed: Callable[[float], bool], rule: str) -> Callable[[str], float]:
    """Return a type of numbers; ``rule``: what is allowed, in words."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError as error:
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from error
        if math.isnan(value) or not allowed(value):
            raise argparse.ArgumentTypeError(f"{text} is not valid: {rule}")
        return value

    return read


def whole(least: int, why: str = "", most: float = math.inf) -> Callable[[str], float]:
    """Return a type of whole numbers from ``least`` to ``most``; ``why``: the reason."""
    span = f"{least:,} or more" if math.isinf(most) else f"from {least:,} to {most:,.0f}"
    return number(int, lambda value: least <= value <= most, "; ".join(filter(None, [span, why])))


#: How many calls run at once: more than any machine of today has cores for is a slip of the keyboard.
at_once = whole(2, most=256)

#: A share, a positive number that may be infinite, one that may not, and one that may be 0.
share = number(float, lambda value: 0 <= value <= 1, "a share from 0 to 1")
positive = number(float, lambda value: value > 0, "more than 0")
finite = number(float, lambda value: 0 < value < math.inf, "more than 0")
not_negative = number(float, lambda value: 0 <= value < math.inf, "0 or more")

#: A ratio above 1.
ratio = number(float, lambda value: 1 < value < math.inf, "above 1")

#: The ratio that somebody would act on.
factor = number(float, lambda value: 1 < value < 100, "above 1; 1.05 reports changes of more than 5 %")


def regex(text: str) -> str:
    """Return a text that is a regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from error
    return text


def size(text: str) -> str:
    """Return a size of kernels: small, large, or a number, whose digits may be grouped."""
    if text in ("small", "large"):
        return text
    if not re.fullmatch("[1-9][0-9_,]*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not valid: a whole number from 1 up, small or large")
    return text.replace("_", "").replace(",", "")


def new_file(text: str) -> str:
    """Return a path at which a file can be written."""
    if not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: its folder does not exist")
    if Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder")
    return text
