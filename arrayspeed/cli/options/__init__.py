"""Types of options, which argparse checks as it reads them, and a parser that says in one line what is wrong."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """argparse's, without the usage before each mistake."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with 2."""
        match = re.fullmatch(r"argument (?:-\w/)?([^:/]+)(?:/[^:]+)?: (.*)", message, re.DOTALL)
        said = f"{match[1]} {match[2]}" if match else message
        self.exit(2, f"arrayspeed: {said}; see `{self.prog} --help`\n")


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
