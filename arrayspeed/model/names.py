"""Names that users give, checked in one way."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from arrayspeed.model.errors import UserError
from kernels.catalogue import choose


def check(kind: str, names: Iterable[str | None], valid: Collection[str]) -> None:
    """Whether names are among those that are valid; None is no name, and needs no check.

    Raises
    ------
    UserError
        One is not; the message says what would be.
    """
    try:
        for name in names:
            if name is not None:
                choose(kind, name, valid)
    except ValueError as error:
        raise UserError(str(error)) from error
