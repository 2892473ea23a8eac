"""The options that choose comparisons of our kernels, for the commands that put two releases side by side."""

from __future__ import annotations

import argparse
from typing import Any

from arrayspeed.cli import options
from arrayspeed.cli.options.device import TESTED, check_device
from arrayspeed.measure.tiers import add_tier
from kernels import DEVICES


def add_selected(parser: argparse.ArgumentParser) -> None:
    """Benchmarks, sizes, tier and device, and what else the environments hold."""
    several: dict[str, Any] = {"action": "append", "default": []}
    add_bench(parser)
    parser.add_argument(
        "--size", type=options.size, **several, metavar="SIZE", help="a number, small or large (default: both)"
    )
    add_tier(parser)
    parser.add_argument("--device", choices=DEVICES, default="cpu", help=f"of kernels; default cpu; {TESTED}")
    parser.add_argument(
        "--with",
        dest="companions",
        **several,
        metavar="PACKAGE==VERSION",
        help="another requirement for all environments, where those in asv.conf.json or in the file do not fit",
    )


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--bench``."""
    parser.add_argument(
        "--bench",
        type=options.regex,
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
    check_device(args.device, here)
