"""How many cores a measurement uses, as an option of commands."""

from __future__ import annotations

import argparse

from arrayspeed.model.errors import UserError
from arrayspeed.system.processes import affinity, bind, can_bind


def add_cores(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """Add the option ``--cores``; ``default`` is how many without it, None for all."""
    parser.add_argument(
        "--cores",
        type=int,
        default=default,
        metavar="N",
        help=f"keep all processes to N cores (default {default or 'all'}); on 1, small calls that a library hands to "
        "another thread vary least",
    )


def use_cores(number: int | None) -> None:
    """Keep this process, and what it will start, to so many of the cores that it may use; None: to all.

    Raises
    ------
    UserError
        There are not so many.
    """
    if number is None:
        return
    if not can_bind():
        raise UserError("--cores needs a system where processes can be kept to cores, which this one is not")
    cores = sorted(affinity())
    if not 1 <= number <= len(cores):
        raise UserError(f"--cores {number} is not valid: from 1 to {len(cores)} here")
    bind(0, cores[:number])
