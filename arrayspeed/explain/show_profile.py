"""Profiles of both sides for people at a terminal, for a pull request, for programs, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.decide.growth import GREW, NOT_SHOWN, SHRANK, Growth
from arrayspeed.decide.words import lacks_bound
from arrayspeed.explain.flame import graph, signed
from arrayspeed.explain.instructions import CALLGRIND
from arrayspeed.explain.profiled import Profile
from arrayspeed.explain.stacks import Function
from arrayspeed.formats import pages
from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.tables import markdown_table, markdown_text, table
from arrayspeed.formats.verdicts import decision_data, ratio_text
from arrayspeed.model.text import printable
from arrayspeed.model.units import human_time, significant

STYLES = {GREW: "red", SHRANK: "green", NOT_SHOWN: ""}
TONES = {GREW: "bad", SHRANK: "good", NOT_SHOWN: ""}

#: Rows of a table that are shown at a terminal, and letters of a name.
MOST, LONGEST = 8, 90

#: What is shown of the functions themselves, of these with what they call, and of libraries: a name and a heading.
VIEWS = (("libraries", "library"), ("whole", "function, with what it calls"), ("own", "function alone"))

#: Functions of the C library in which a thread waits for others.
WAITS = ("syscall", "futex", "cond_wait", "cond_timedwait", "cond_clockwait", "sem_wait", "pthread_join", "poll")

HEADINGS = ("old → new, a call", "difference (interval)", "samples")


@dataclass(frozen=True)
class Report:
    """What is compared, its sides, where, the packages that differ, and what was found."""

    library: str
    old: str
    new: str
    machine: str
    others: Mapping[str, tuple[str | None, str | None]]
    found: Sequence[Profile]
    rounds: int

    @property
    def title(self) -> str:
        """The sides."""
        return " ".join(filter(None, [self.library, f"{self.old} → {self.new}"]))

    @property
    def status(self) -> int:
        """The exit status: 1 where a call is shown to be slower, 2 where that is not known, and else 0. Parts alone do
        not make a call slower: others may have shrunk.
        """
        decisions = [each.decision for each in self.found]
        if any(each is not None and each.worse for each in decisions):
            return 1
        return 2 if any(each is None or lacks_bound(each) for each in decisions) else 0


def parts(profile: Profile, view: str) -> list[tuple[str, Growth]]:
    """Return what is shown in a view: what grew first, then what shrank; the largest differences first."""
    of_view: Mapping[Any, Growth] = getattr(profile, view)
    shown = [(title_of(part), each) for part, each in of_view.items() if each.verdict != NOT_SHOWN]
    return sorted(shown, key=lambda pair: (pair[1].verdict != GREW, -abs(pair[1].difference), pair[0]))


def title_of(part: Function | str) -> str:
    """Return the name of a part."""
    return part if isinstance(part, str) else part.title


def headline(profile: Profile) -> str:
    """Return the time of a call on both sides, and the instructions."""
    if profile.decision is None or profile.observed is None:
        return f"{profile.name}: {profile.failed}"
    old, new = (
        profile.observed.geometric_mean(side) for side in (profile.observed.reference, profile.observed.subject)
    )
    times = f"{human_time(old or 0.0)} → {human_time(new or 0.0)}" if old and new else ""
    said = f"{profile.name}: {profile.decision.verdict}, a call {times}, {ratio_text(profile.decision)}"
    counted = instructions(profile)
    return f"{said}; {counted}" if counted else said


def instructions(profile: Profile) -> str:
    """Return the instructions of a call, or why they are not known."""
    one = profile.instructions
    if one is None:
        return ""
    if one.known is None:
        return f"instructions were not counted: {one.why}"
    old, new = one.known
    ratio = f", ×{significant(new / old)}" if old > 0 and new > 0 else ""
    return f"instructions {scaled(old)} → {scaled(new)}{ratio} ({one.how})"


def scaled(number: float) -> str:
    """Return a count in thousands, millions or milliards."""
    for size, sign in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{significant(number / size)}{sign}"
    return significant(number)


def cells(name: str, growth: Growth) -> list[str]:
    """Return a row: what it is, both sides, the difference with its interval, and the samples behind it."""
    shown = printable(name)
    ends = f"{signed(growth.low)} to {signed(growth.high)}"
    return [
        shown if len(shown) <= LONGEST else f"{shown[: LONGEST // 2]}…{shown[-LONGEST // 2 :]}",
        f"{human_time(growth.old)} → {human_time(growth.new)}",
        f"{signed(growth.difference)} ({ends})",
        " → ".join(f"{count:,}" for count in growth.samples),
    ]


def notes(report: Report) -> list[str]:
    """Return what a reader must know."""
    lines = [
        f"py-spy sampled {report.rounds} processes of each side, in turn, while they called the function: imports and "
        "the making of inputs are left out. The time of a part is its share of the samples, times a call of the same "
        "process that nobody sampled.",
        "Listed is what differs by more than chance does from process to process (of all that is listed, 5 % are wrong "
        "on average), and by 1 % of a call or more. Work of other threads is seen as waiting for them; with --cores 1 "
        "most libraries have none.",
    ]
    if any(each.instructions and each.instructions.how == CALLGRIND for each in report.found):
        lines.append(
            "Callgrind's processor is emulated, without AVX-512: libraries may choose other code there than here."
        )
    lines += filter(None, map(waiting, report.found))
    if report.others:
        text = ", ".join(f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in report.others.items())
        lines.append(f"Other packages that differ: {text}.")
    return [printable(line) for line in lines]


def waiting(profile: Profile) -> str:
    """Return that a function waits longer for other threads, whose work py-spy does not see; "" where it does not."""
    waits = [
        each
        for function, each in profile.own.items()
        if each.verdict == GREW and function.file.startswith("libc.") and any(one in function.name for one in WAITS)
    ]
    if not waits:
        return ""
    old, new = (sum(getattr(each, side) for each in waits) for side in ("old", "new"))
    return (
        f"{profile.name} waits longer for other threads, {human_time(old)} → {human_time(new)} a call. What they do "
        "meanwhile is not in these samples: `perf record -g` shows it where the system allows."
    )


def nothing(profile: Profile) -> str:
    """Return what is said where no part is shown to differ."""
    return f"No function and no library is shown to take another time, of {sum(profile.samples):,} samples."


def as_table(report: Report) -> RenderableType:
    """For a terminal."""
    shown: list[RenderableType] = [Text(report.title, style="bold")]
    for profile in report.found:
        shown.append(Text(printable(headline(profile)), style="bold"))
        if not profile.failed and not any(parts(profile, view) for view, _ in VIEWS):
            shown.append(Text(nothing(profile)))
        for view, heading in VIEWS:
            if found := parts(profile, view):
                rows = [cells(*each) for each in found[:MOST]]
                styles = [STYLES[each.verdict] for _, each in found[:MOST]]
                shown.append(table((heading, *HEADINGS), rows, styles, right=[1, 2, 3]))
                if len(found) > MOST:
                    shown.append(Text(f"{len(found) - MOST} more: --html shows them all.", style="dim"))
    return Group(*shown, *(Text(line, style="dim") for line in notes(report)))


def as_markdown(report: Report) -> str:
    """For a pull request."""
    lines = [f"**{markdown_text(report.title)}**", ""]
    for profile in report.found:
        lines += [markdown_text(headline(profile)), ""]
        if not profile.failed and not any(parts(profile, view) for view, _ in VIEWS):
            lines += [nothing(profile), ""]
        for view, heading in VIEWS:
            if found := parts(profile, view):
                lines += markdown_table((heading, *HEADINGS), [cells(*each) for each in found[:MOST]])
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in notes(report))])


def as_json(report: Report) -> str:
    """For programs: everything but the stacks."""
    return dump(
        {
            "library": report.library,
            "old": report.old,
            "new": report.new,
            "machine": report.machine,
            "other_packages": {name: {"old": old, "new": new} for name, (old, new) in report.others.items()},
            "rounds": report.rounds,
            "functions": [profile_data(each) for each in report.found],
            "exit_status": report.status,
        }
    )


def profile_data(profile: Profile) -> dict[str, Any]:
    """Return one function's profile as plain data."""
    function, size = profile.item
    data: dict[str, Any] = {"function": function, "size": size, "failed": profile.failed or None}
    data["time"] = decision_data(profile.name, profile.decision) if profile.decision else None
    data["samples"] = list(profile.samples)
    data["instructions"] = asdict(profile.instructions) if profile.instructions else None
    for view, _ in VIEWS:
        data[view] = [{"name": name, **asdict(each)} for name, each in parts(profile, view)]
    return data


def as_page(report: Report) -> str:
    """Return a page with everything, and a flame graph of each side of each function."""
    body = [f"<h1>{pages.text(report.title)}</h1>"]
    for profile in report.found:
        body += section(profile, report)
    body += ["<h2>How it was measured</h2>", *(f"<p>{pages.text(note)}</p>" for note in notes(report))]
    return pages.document(report.title, body)


def section(profile: Profile, report: Report) -> Iterable[str]:
    """Return the part of a page about one function."""
    slower = profile.decision is not None and profile.decision.worse
    tone = "bad" if slower else "open" if profile.failed else ""
    lines = [f"<h2>{pages.text(profile.name)}</h2>", f'<p class="status {tone}">{pages.text(headline(profile))}</p>']
    if profile.failed:
        return lines
    for view, heading in VIEWS:
        if found := parts(profile, view):
            rows = [
                ([pages.toned(name, TONES[each.verdict]), *map(pages.number, cells(name, each)[1:])], "")
                for name, each in found
            ]
            lines += pages.table((heading, *HEADINGS), rows)
    if not any(parts(profile, view) for view, _ in VIEWS):
        lines.append(f"<p>{pages.text(nothing(profile))}</p>")
    lines.append(
        "<p>Each box is a function, above its caller, as wide as its share of a call. Orange takes longer on the new "
        "side, blue less; the figures are in its title and, of what is shown to differ, in the tables above.</p>"
    )
    old, new = profile.stacks
    lines.append(graph(f"{profile.name} with {report.new}, coloured by growth since {report.old}", old, new))
    other = graph(f"{profile.name} with {report.old}, coloured by growth until {report.new}", old, new, of_new=False)
    return [*lines, *pages.folded(f"The same, as wide as with {report.old}", [other])]
