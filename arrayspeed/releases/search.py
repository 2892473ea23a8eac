"""Between which releases a change lies: the middle is asked for, and what decides nothing is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Search:
    """The search for one change.

    Attributes
    ----------
    versions
        The releases, the old end first; the change is in one after the first, and not after the last.
    old, new
        Places of the last release that is like the old end, and of the first that is like the new one.
    skipped
        Releases that said nothing.
    """

    versions: Sequence[str]
    old: int = 0
    new: int = -1
    skipped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.new < 0:
            self.new = len(self.versions) - 1

    @property
    def left(self) -> list[str]:
        """The releases that could still say more."""
        return [one for one in self.versions[self.old + 1 : self.new] if one not in self.skipped]

    @property
    def next(self) -> str | None:
        """The release to measure: of those left the one nearest to the middle; None at the end."""
        middle = (self.old + self.new) / 2
        return min(self.left, key=lambda item: (abs(self.versions.index(item) - middle), item), default=None)

    def tell(self, version: str, new: bool | None) -> None:
        """Take what was found of a release: whether it is like the new end; None where nothing was."""
        place = self.versions.index(version)
        if not self.old < place < self.new:
            return
        if new is None:
            self.skipped.add(version)
        elif new:
            self.new = place
        else:
            self.old = place

    @property
    def before(self) -> str:
        """The last release that is like the old end."""
        return self.versions[self.old]

    @property
    def after(self) -> str:
        """The first that is like the new one."""
        return self.versions[self.new]

    @property
    def between(self) -> list[str]:
        """Releases of which nothing is known, and that may have the change; empty where one release did it."""
        return list(self.versions[self.old + 1 : self.new])
