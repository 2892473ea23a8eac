"""What a search or a watch asks of kernels, in both states of the allocator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arrayspeed.decide import Decision, Observed
from arrayspeed.decide.states import agreed
from arrayspeed.model.retention import RETAINED
from arrayspeed.records.processes import moved_by_faults, takes_two_times
from arrayspeed.subjects.found import Asked, Found, What, of_row
from arrayspeed.upgrades.compare import Collected, Key, Pair, Row
from arrayspeed.upgrades.verdict import row_of
from arrayspeed.verdict.verdict import Side

#: A combination, the allocator's state, a release or two, between which it is the middle, and a later one.
Question = tuple[Key, str, str | tuple[str, str], str]


def split(what: What) -> tuple[Key, str]:
    """Return what tells a combination apart, and the allocator's state, from what tells a comparison apart."""
    benchmark, backend, size, device, *state = what
    return (benchmark, backend, size, device), "".join(state)


@dataclass(frozen=True)
class Questions:
    """Which releases are compared, in both states of the allocator where a call takes two times; ``names``: of their
    environments.
    """

    asked: Mapping[Asked, float | None]
    collected: Collected
    names: Mapping[str, str]

    def pair(self, question: Question) -> Pair:
        """Return a question with environments in place of releases."""
        where, _, old, new = question
        first = self.names[old] if isinstance(old, str) else (self.names[old[0]], self.names[old[1]])
        return where, first, self.names[new]

    def ratios(self) -> dict[Question, float | None]:
        """Return the ratio that each is judged by. Of a call that takes two times, the other state is looked at too,
        but where the question is which end a release is nearer to: ends that are the same there give no answer.
        """
        found = {}
        for (what, old, new), beyond in self.asked.items():
            where, state = split(what)
            if where not in self.collected.blocks:
                continue
            two = any(takes_two_times(self.collected.of(where, name)) for name in self.names.values())
            if two or not state:
                found[where, state, old, new] = beyond
            if two and isinstance(old, str):
                found.setdefault((where, "" if state else RETAINED, old, new), beyond)
        return found

    def observed(self, factor: float) -> dict[Question, Observed]:
        """Return what was measured so far, as `arrayspeed.decide` takes it."""
        seen = {
            each: self.collected.observed(self.pair(each), factor, by, each[1]) for each, by in self.ratios().items()
        }
        return {each: one for each, one in seen.items() if one}

    def moved(self, question: Question) -> bool:
        """Return whether page faults may be what differs from whatever a release is compared with."""
        references, subject = self.collected.met(self.pair(question), question[1])
        return all(moved_by_faults(reference, subject) for reference in references)

    def found(self, decisions: Mapping[Question, Decision], factor: float) -> dict[Asked, Found]:
        """Return what was decided. A time that changed in one state alone, with other page faults, is unclear."""
        both = [
            (each, other)
            for each in decisions
            if not each[1] and (other := (each[0], RETAINED, *each[2:])) in decisions
        ]
        moved = {each for pair in both for each in pair if self.moved(each)}
        seen, made = self.observed(factor), {}
        for each, decision in agreed(decisions, both, moved).items():
            where, state, old, new = each
            first = old if isinstance(old, str) else old[0]
            (before,), after = self.collected.met((where, self.names[first], self.names[new]), state)
            row = Row((before or after)[0].one, seen[each], decision, before, after, state)
            what = (*where, state) if state else where
            made[what, old, new] = of_row(what, row_of(row, (Side(first), Side(new))))
        return made
