"""The options that choose comparisons of our kernels, for the commands that put two releases side by side."""

from __future__ import annotations

import argparse
import re
from typing import Any

from arrayspeed.measure.tiers import add_tier
from arrayspeed.model.errors import UserError
from kernels import DEVICES
from kernels.backends.hardware import missing


def add_selected(parser: argparse.ArgumentParser) -> None:
    """Benchmarks, sizes, tier and device, and what else the environments hold."""
    several: dict[str, Any] = {"action": "append", "default": []}
    add_bench(parser)
    parser.add_argument("--size", **several, metavar="SIZE", help="a number, small or large (default: both)")
    add_tier(parser)
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="of kernels; default cpu")
    parser.add_argument(
        "--with",
        dest="companions",
        **several,
        metavar="PACKAGE==VERSION",
        help="another requirement for all environments, where those in asv.conf.json or in the file do not fit",
    )


def add_bench(parser: argparse.ArgumentParser) -> None:
    """The option ``--bench``."""
    parser.add_argument(
        "--bench",
        action="append",
        default=[],
        metavar="REGEX",
        help="kernels: regular expression on `family.kernel_dtype.measure(parameters)`",
    )


def check_selected(args: argparse.Namespace, here: bool = True) -> None:
    """Whether --device, --size and --bench make sense; ``here``: on this machine.

    Raises
    ------
    UserError
        They do not; the message says why.
    """
    if here and (why := missing(args.device)):
        raise UserError(f"--device {args.device}: {why}")
    for size in args.size:
        if size not in ("small", "large") and not re.fullmatch("[1-9][0-9]*", size):
            raise UserError(f"--size {size!r} is not valid: a whole number from 1 up, small or large")
    check_patterns(args.bench)


def check_patterns(patterns: list[str]) -> None:
    """Nothing, if all of ``--bench`` are regular expressions.

    Raises
    ------
    UserError
        One is not.
    """
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UserError(f"--bench {pattern!r} is not a regular expression: {error}") from error
