"""Tiers of kernels, as an option of commands: the few that say most, those that most people ask for, or all."""

from __future__ import annotations

from argparse import ArgumentParser

from arrayspeed.model.errors import UserError
from kernels.catalogue import in_tier
from kernels.kernel import TIERS

#: What is measured where nobody says otherwise.
DEFAULT = "core"


def add_tier(parser: ArgumentParser, default: str = DEFAULT) -> None:
    """Add the option ``--tier``; ``default`` is the tier of a command that is given no filter."""
    said = f"default {default}" + ("" if default == TIERS[-1] else f", or {TIERS[-1]} with filters that name kernels")
    parser.add_argument("--tier", choices=TIERS, help=f"the kernels of a tier, which holds those before it ({said})")


def kernels_of(tier: str | None, chosen: list[str], narrowed: bool = False) -> list[str]:
    """Return the kernels that were asked for, at least one.

    Parameters
    ----------
    tier
        The tier that was asked for; None for none.
    chosen
        Kernels that were named.
    narrowed
        Whether another filter names kernels, which may be of any tier.

    Raises
    ------
    UserError
        The tier holds none of the kernels that were named.
    """
    if tier is None:
        tier = TIERS[-1] if narrowed or chosen else DEFAULT
    kernels = in_tier(tier)
    if not chosen:
        return kernels
    found = [name for name in chosen if name in kernels]
    if not found:
        raise UserError(f"the tier {tier} does not hold {', '.join(chosen)}: name a later tier, or none")
    return found
