"""What four articles report, claim by claim, and whether the results of a machine agree.

``claims.toml`` holds the claims, and says how they are written down. Nothing measured by us is there; `Claim.judge`
looks it up.

What is compared
----------------
Times of one machine, from one environment that holds all the libraries compared: the one with most libraries,
then the newest versions. Absolute times on the articles' hardware cannot be repeated on another, so those claims
are put as ratios of the article's own figures. Where a size was not measured, the nearest that was stands in,
at most 4 times smaller or larger, and is named.

When a claim holds
------------------
Direction and size are judged apart, by the one rule of `arrayspeed.decide`: "JAX is 6.9 times faster" may hold in its
direction, but by less. Each kind of claim has one rule, in `arrayspeed.claims.criteria`.

    holds           as the article says
    holds, by less  (or by more) faster, but the ratio is shown to be beyond a factor of 2 from the one reported
    does not hold   the contrary is shown
    not shown       neither is: the interval of the ratio is too wide
    not measured    there are no such results here

A library that computes a result in another way than the kernel says (finite differences for a gradient) is named.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from arrayspeed.claims.comparison import FAILS, HOLDS, LESS, MORE, OPEN, Pair
from arrayspeed.claims.criteria import RULES, Criterion, Outcome
from arrayspeed.claims.evidence import Evidence, Found
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import MEASURES
from arrayspeed.records.levels import Case
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.catalogue import choose

PATH = Path(__file__).with_name("claims.toml")

UNMEASURED = "not measured"

#: All verdicts, the best first.
VERDICTS = (HOLDS, f"{HOLDS}, {LESS}", f"{HOLDS}, {MORE}", FAILS, OPEN, UNMEASURED)

#: A case's field -> the words that stand for it; a number is a size.
WORDS: dict[str, Collection[str]] = {
    "kernel": CATALOGUE,
    "backend": BACKENDS,
    "device": DEVICES,
    "dtype": ("float64", "float32"),
    "measure": MEASURES,
}


@dataclass(frozen=True)
class Article:
    """An article: its number and title, and what it was measured on, as far as it says."""

    number: str
    title: str
    measured_on: str


@dataclass(frozen=True)
class Verdict:
    """What the results say about a claim. ``found`` and ``outcome`` are None where they say nothing; ``why`` is the
    reason where it does not hold, as far as it was looked into.
    """

    word: str
    text: str
    found: Found | None = None
    outcome: Outcome | None = None
    why: str = ""

    @property
    def description(self) -> str:
        """What was measured, and the reason."""
        return f"{self.text}. {self.why}" if self.why else self.text


@dataclass(frozen=True)
class Statement:
    """A sentence, and the comparisons that it is about."""

    text: str
    criterion: Criterion = field(repr=False)

    @property
    def device(self) -> str:
        """The rarest device that it is about."""
        devices = {case.device for case in self.criterion.cases}
        return next(device for device in reversed(DEVICES) if device in devices)

    @property
    def other_ways(self) -> list[str]:
        """What it counts that computes in another way than the kernel says, and how."""
        ways = ((case, case.other_way) for case in self.criterion.cases)
        return list(dict.fromkeys(f"{case.backend}'s {case.kernel} by {way}" for case, way in ways if way))

    def judge(self, evidence: Evidence) -> Verdict:
        """Return whether it holds on a machine."""
        found = self.criterion.find(evidence)
        if found is None:
            return Verdict(UNMEASURED, evidence.missing(self.criterion.cases))
        outcome = self.criterion.judge(found.measurements)
        note = f" (at {found.size:,}, the nearest size measured)" if found.size else ""
        ways = f" (not the same computation: {'; '.join(self.other_ways)})" if self.other_ways else ""
        return Verdict(outcome.word, outcome.text + note + ways, found, outcome)


@dataclass(frozen=True)
class Claim(Statement):
    """One claim of an article. ``why`` is the reason where it does not hold."""

    article: Article
    reported: str
    why: str = ""

    def judge(self, evidence: Evidence) -> Verdict:
        """As every statement, with the reason where it does not hold."""
        verdict = super().judge(evidence)
        return replace(verdict, why=self.why) if verdict.word == FAILS else verdict


@cache
def claims() -> tuple[Claim, ...]:
    """Return all claims of all articles.

    Raises
    ------
    UserError
        ``claims.toml`` has a mistake; the message names the entry.
    """
    return read(PATH.read_text(encoding="utf-8"))


def read(text: str) -> tuple[Claim, ...]:
    """Return the claims of a text in the form of ``claims.toml``.

    Raises
    ------
    UserError
        It has a mistake; the message names the entry.
    """
    found = []
    with mistakes(PATH.name) as where:
        for entry in tomllib.loads(text)["articles"]:
            where[1:] = [f"article {entry.get('number')}"]
            article = Article(*(entry[key] for key in ("number", "title", "measured_on")))
            for number, claim in enumerate(entry["claims"], 1):
                where[2:] = [f"claim {number} ({claim.get('text', 'no text')})"]
                why = claim.pop("why", "")
                found.append(Claim(claim["text"], criterion(claim), article, claim["reported"], why))
    return tuple(found)


@contextmanager
def mistakes(name: str) -> Iterator[list[str]]:
    """Read a file of statements; the list that it gives is for what is being read: the file, and then the entry.

    Raises
    ------
    UserError
        Reading found a mistake; the message begins with that list.
    """
    where = [name]
    try:
        yield where
    except KeyError as error:
        raise UserError(f"{', '.join(where)}: {error} is missing") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{', '.join(where)}: {error}") from error


def criterion(entry: dict[str, Any]) -> Criterion:
    """When the claim of an entry holds.

    Raises
    ------
    ValueError, KeyError
        A key or a word is not known, is missing, or does not go with the rest.
    """
    rule = RULES[choose("rule", entry["rule"], RULES)]
    keys = ["text", "reported", "rule", "of", "sizes", *(["cases"] if rule.among_all else ["fast", "slow"])]
    keys += (["ratio", "took"] if rule.reported else []) + (["within"] if rule.within else [])
    for key in entry:
        choose("key", key, keys)
    ratio = ratio_of(entry) if rule.reported else None
    sizes = [str(size) for size in entry.get("sizes", [""])]
    pairs: list[tuple[Case, Case]] = []
    for place, size in itertools.product(entry.get("of", [""]), sizes):
        if rule.among_all:
            pairs += itertools.combinations([case(place, size, words) for words in entry["cases"]], 2)
        else:
            fast, slow = ([case(place, size, words) for words in entry[side]] for side in ("fast", "slow"))
            pairs += itertools.product(fast, slow)
    within = entry.get("within", rule.within)
    return Criterion(rule, tuple(Pair(*two) for two in pairs), ratio, within, "sizes" in entry)


def ratio_of(entry: dict[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest ratio reported, or that of the times that each took."""
    if "took" in entry:
        fast, slow = entry["took"]
        return slow / fast, slow / fast
    lowest, highest = entry["ratio"] if isinstance(entry["ratio"], list) else [entry["ratio"]] * 2
    return lowest, highest


def case(*texts: str) -> Case:
    """Return the case that some words stand for.

    Raises
    ------
    ValueError
        A word is not known, or they do not name one case that can be measured.
    """
    found: dict[str, Any] = dict(itertools.chain.from_iterable(map(fields, texts)))
    if sum(len(text.split()) for text in texts) > len(found):
        raise ValueError(f"{' '.join(texts)!r} says something twice")
    missing: dict[str, Any] = {"kernel": None, "size": None, "backend": None}
    one = Case(**missing | found)
    kernel = CATALOGUE[choose("kernel", one.kernel, CATALOGUE)]
    backend = BACKENDS[choose("backend", one.backend, BACKENDS)]
    choose("size", str(one.size), [str(size) for size in kernel.sizes])
    choose("dtype", one.dtype, kernel.dtypes)
    choose("device", one.device, backend.devices)
    if why := kernel.why_not(backend.name, backend.library):
        raise ValueError(f"{one.kernel} on {one.backend}: {why}")
    return one


def fields(text: str) -> Iterator[tuple[str, str | int]]:
    """Yield the field that each word of a text stands for, and its value."""
    for word in text.split():
        if word[0].isdecimal():
            yield "size", int(word)
        else:
            yield next((name for name, words in WORDS.items() if word in words), "kernel"), word
