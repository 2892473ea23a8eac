"""Tiers of kernels, as an option of commands: the few that say most, those that most people ask for, or all."""

from __future__ import annotations

from kernels.catalogue import in_tier
from kernels.kernel import TIERS

#: What is measured where nobody says otherwise.
DEFAULT = "core"


def add_tier(parser) -> None:
    """The option ``--tier``."""
    parser.add_argument(
        "--tier",
        choices=TIERS,
        help=f"kernels of a tier: {', '.join(TIERS)} (default {DEFAULT}, or full with filters that name kernels)",
    )


def kernels_of(tier: str | None, chosen: list[str], narrowed: bool = False) -> list[str]:
    """The kernels that were asked for.

    Parameters
    ----------
    tier
        The tier that was asked for; None for none.
    chosen
        Kernels that were named.
    narrowed
        Whether another filter names kernels, which may be of any tier.
    """
    if tier is None:
        tier = TIERS[-1] if narrowed or chosen else DEFAULT
    kernels = in_tier(tier)
    return [name for name in chosen if name in kernels] if chosen else kernels
