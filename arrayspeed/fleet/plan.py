"""What a fleet measures, as text: every host makes the same list of blocks from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from asv.config import Config

from arrayspeed.environments.project import MEASURED, importable
from arrayspeed.environments.suite import listing, name_of
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.session import Session
from arrayspeed.model.combination import Combination
from arrayspeed.model.measures import measure_of
from arrayspeed.upgrades.pair import pair_config
from arrayspeed.versions.releases import all_blocks


@dataclass(frozen=True)
class Plan:
    """Selections; of an upgrade also library, old, new, companions and Pythons. Without ``pair``, all releases of
    libraries.
    """

    selections: Sequence[Selection]
    pair: tuple[str, str, str, Sequence[str], Sequence[str]] | None = None

    def text(self) -> str:
        """As it travels."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Plan:
        """From its text."""
        data = json.loads(text)
        return cls([Selection(**each) for each in data["selections"]], data["pair"])

    def configured(self, config: Config) -> Config:
        """asv's configuration for it."""
        return pair_config(config, *self.pair) if self.pair else config

    def blocks(self, session: Session) -> list[Block]:
        """Its blocks, the reference of each first. Their names are the same on every host and in every run."""
        if not self.pair:
            return all_blocks(session, self.selections)
        every = dict.fromkeys(one for selection in self.selections for one in combinations(session, selection))
        found = blocks_of(every, list(session.environments))
        return [one.with_first(measure_of(one.one.measure).rounds) for one in found]


def block_of(data: dict[str, Any]) -> Block:
    """Return a block from its fields."""
    return Block(data["name"], tuple(Combination(**side) for side in data["sides"]), data["seed"], data["first"])


def code() -> str:
    """Return what tells whether two folders measure the same, whatever is committed there."""
    return name_of(listing(importable(), MEASURED))
