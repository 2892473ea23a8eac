"""What we find ourselves: sentences of ours, each with the comparison that it must follow from.

``findings.toml`` holds them, written like the articles' claims. None has a number: what was measured is told by the
comparison. A finding *follows* where its rule holds on each of its machines, and a test fails when one of them does not
follow any longer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arrayspeed.claims.comparison import HOLDS
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.table import Statement, Verdict, criterion, mistakes

PATH = Path(__file__).with_name("findings.toml")


@dataclass(frozen=True)
class Finding(Statement):
    """A sentence, and the machines whose results must show it; ``why`` is the reason, as far as it was looked into."""

    machines: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True)
class Judged:
    """A finding, and what each of its machines says of it that has results here."""

    finding: Finding
    verdicts: Mapping[str, Verdict]

    @property
    def measured(self) -> bool:
        """Whether all of its machines have results here."""
        return self.verdicts.keys() == set(self.finding.machines)

    @property
    def follows(self) -> bool:
        """Whether it holds on all of them."""
        return self.measured and all(one.word == HOLDS for one in self.verdicts.values())


@cache
def findings() -> tuple[Finding, ...]:
    """Return all findings.

    Raises
    ------
    UserError
        ``findings.toml`` has a mistake; the message names the entry.
    """
    return read(PATH.read_text(encoding="utf-8"))


def read(text: str) -> tuple[Finding, ...]:
    """Return the findings of a text in the form of ``findings.toml``.

    Raises
    ------
    UserError
        It has a mistake; the message names the entry.
    """
    found: dict[str, Finding] = {}
    with mistakes(PATH.name) as where:
        for number, entry in enumerate(tomllib.loads(text)["findings"], 1):
            where[1:] = [f"finding {number} ({entry.get('text', 'no text')})"]
            own = {key: entry.pop(key) for key in ("machines", "why") if key in entry}
            if entry["text"] in found:
                raise ValueError("there is a finding with this text already")
            one = Finding(
                entry["text"], criterion(entry | {"reported": ""}), tuple(own["machines"]), own.get("why", "")
            )
            found[one.text] = one
    return tuple(found.values())


def verdicts(machine: str, evidence: Evidence) -> dict[str, Verdict]:
    """Return what one machine's results say of the findings that are about it, by sentence."""
    return {one.text: one.judge(evidence) for one in findings() if machine in one.machines}


def judged(by_machine: Mapping[str, Mapping[str, Verdict]]) -> list[Judged]:
    """Return all findings, from the `verdicts` of the machines that have results."""
    return [
        Judged(one, {name: by_machine[name][one.text] for name in one.machines if name in by_machine})
        for one in findings()
    ]
