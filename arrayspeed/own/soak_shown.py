"""What long processes showed, for people at a terminal, for a pull request, for programs, and as a page with plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from arrayspeed.decide.soak import COUNTED, LEAKS, MARGIN, SLOWER, UNCLEAR, Memory
from arrayspeed.formats import pages
from arrayspeed.formats.data import as_json as dump
from arrayspeed.formats.tables import markdown_table, markdown_text, table
from arrayspeed.formats.verdicts import interval_text
from arrayspeed.model.text import printable
from arrayspeed.model.units import human_bytes, human_time
from arrayspeed.own.soak import Soak

HEADINGS = ("function", "of", "old", "new", "new against old")
FAILS = "fails"

#: Width and height of a plot, and its margins: left, top, right, bottom.
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 240, 80, 10, 10, 30


@dataclass(frozen=True)
class Report:
    """What is compared, the two sides, for how long, by which factor, where, and what was found."""

    title: str
    labels: tuple[str, str]
    seconds: float
    factor: float
    machine: str
    found: Sequence[Soak]

    @property
    def status(self) -> int:
        """The exit status: 1 where the new side is shown to leak more, to become slower or to fail, 2 where something
        could not be shown, and else 0.
        """
        if any(each.worse(self.factor) for each in self.found):
            return 1
        return 2 if any(each.is_open(self.factor) for each in self.found) else 0

    @property
    def headline(self) -> str:
        """The outcome in a sentence."""
        said = []
        for place, label in enumerate(self.labels):
            leaking = [each.name for each in self.found if each.leaks[place]]
            if leaking:
                said.append(f"{label} leaks in {', '.join(leaking)}")
        slower = [each.name for each in self.found if each.drift and each.drift.verdict == SLOWER]
        said += [f"{', '.join(slower)} becomes slower with {self.labels[1]}"] if slower else []
        missing = [each.name for each in self.found if each.is_open(self.factor)]
        said += [f"undecided: {', '.join(missing)}"] if missing else []
        return f"{self.title}: {'; '.join(said) or 'no leak, and no call becomes slower'}."


def growth_text(memory: Memory) -> str:
    """Return a slope with its interval, and the word for it."""
    if memory.slope is None:
        return f"{memory.verdict}: the system does not report it"
    one = memory.slope
    low, high = (("−" if each < 0 else "") + human_bytes(abs(each)) for each in (one.low, one.high))
    return f"{memory.verdict}: {human_bytes(abs(one.value))} a call ({low} to {high})"


def ends(seconds: Sequence[float]) -> str:
    """Return a call's time at the beginning and at the end: medians of a tenth of the readings."""
    some = max(1, len(seconds) // 10)
    first, last = (sorted(each)[len(each) // 2] for each in (seconds[:some], seconds[-some:]))
    return f"{human_time(first)} → {human_time(last)}"


def rows(report: Report) -> list[tuple[str, ...]]:
    """Return a row for each function and what was looked at."""
    found: list[tuple[str, ...]] = []
    for one in report.found:
        if one.failed:
            found.append((one.name, FAILS, "", "", one.failed))
        if one.memories is not None:
            said = "more" if one.worse(report.factor) and one.leaks[1] else ""
            found.append((one.name, "memory growth", *map(growth_text, one.memories), said))
        if one.drift is not None:
            ratio = interval_text(one.drift.ratio, one.drift.low, one.drift.high)
            times = (ends(each.seconds) for each in one.taken)
            found.append((one.name, "time, first → last calls", *times, f"{one.drift.verdict}: {ratio}"))
    return found


def notes(report: Report) -> list[str]:
    """Return what a reader must know."""
    calls = ", ".join(
        f"{each.name} {' and '.join(f'{side.calls[-1]:,}' for side in each.taken if side.calls)}"
        for each in report.found
    )
    return [
        f"Each function was called for {report.seconds:g} s in one process of each side, in turn: {calls} calls.",
        f"A leak is growth in every part of the later half of the calls: of what allocators have handed out, beyond "
        f"{human_bytes(COUNTED)} in all, or of the process's own resident memory, beyond {human_bytes(MARGIN)}. That "
        "much, caches take.",
        "The ratio of times is by how much more a call of the new side slowed down from the first call to the last "
        "than a call of the old side. Slower is said only where new processes of both sides confirm it.",
    ]


def style(row: Sequence[str]) -> str:
    """Return how a terminal shows a row."""
    if row[1] == FAILS or row[4] == "more" or row[4].startswith(SLOWER):
        return "red"
    return "yellow" if UNCLEAR in row[4] or any(cell.startswith((UNCLEAR, LEAKS)) for cell in row[2:4]) else ""


def as_table(report: Report) -> RenderableType:
    """For a terminal."""
    every = rows(report)
    head = Text(printable(report.headline), style="bold")
    return Group(
        head, table(HEADINGS, every, map(style, every)), *(Text(printable(line), style="dim") for line in notes(report))
    )


def as_markdown(report: Report) -> str:
    """For a pull request."""
    lines = [f"**{markdown_text(report.headline)}**", "", *markdown_table(HEADINGS, rows(report))]
    return "\n".join([*lines, *(f"<sub>{markdown_text(line)}</sub>  " for line in notes(report))])


def as_json(report: Report) -> str:
    """For programs: everything, with all readings."""
    data: dict[str, Any] = {
        "old": report.labels[0],
        "new": report.labels[1],
        "seconds": report.seconds,
        "factor": report.factor,
        "machine": report.machine,
        "conclusion": report.headline,
        "functions": [
            {
                "function": one.item[0],
                "size": one.item[1],
                "worse": one.worse(report.factor),
                "failed": one.failed or None,
                "memory": [asdict(each) for each in one.memories] if one.memories else None,
                "drift": asdict(one.drift) if one.drift else None,
                "readings": [asdict(each) for each in one.taken],
            }
            for one in report.found
        ],
        "exit_status": report.status,
    }
    return dump(data)


def as_page(report: Report) -> str:
    """Return a page with plots."""
    tone = ("", "bad", "open")[report.status]
    body = [f"<h1>{pages.text(report.title)}</h1>", f'<p class="status {tone}">{pages.text(report.headline)}</p>']
    body += pages.table(HEADINGS, [(list(map(pages.text, row)), "") for row in rows(report)])
    for one in report.found:
        body.append(f"<h2>{pages.text(one.name)}</h2>")
        held = [(each.calls, [value for value in each.resident if value is not None]) for each in one.taken]
        times = [(each.calls, each.seconds) for each in one.taken]
        body += plot(f"{one.name}: the process's own memory over calls", held, human_bytes, report.labels)
        body += plot(f"{one.name}: time of a call over calls", times, human_time, report.labels)
    body += ["<h2>How it was measured</h2>", *(f"<p>{pages.text(note)}</p>" for note in notes(report))]
    return pages.document(report.title, body)


def plot(title: str, lines: Sequence[tuple[Sequence[int], Sequence[float]]], shown: Any, labels: Any) -> list[str]:
    """Return a plot of two lines, old and new, over the calls; nothing where a side has no readings."""
    if any(len(calls) < 2 or len(calls) != len(values) for calls, values in lines):
        return []
    most = max(calls[-1] for calls, _ in lines)
    every = [value for _, values in lines for value in values]
    bottom, top = min(every), max(every)
    span = top - bottom or 1.0
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(calls: int, value: float) -> str:
        return f"{LEFT + wide * calls / most:.1f},{TOP + high * (1 - (value - bottom) / span):.1f}"

    said = "; ".join(
        f"{label} from {shown(values[0])} to {shown(values[-1])}"
        for label, (_, values) in zip(labels, lines, strict=True)
    )
    drawn = [
        f"<h3>{pages.text(title)}</h3>",
        f'<div class="scroll"><svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'font-size="12" fill="currentColor"><title>{pages.text(f"{title}: {said}")}</title>',
        f'<path d="M{LEFT} {TOP}V{TOP + high}H{LEFT + wide}" fill="none" stroke="var(--faint)"/>',
        f'<text x="{LEFT - 6}" y="{TOP + 12}" text-anchor="end">{pages.text(shown(top))}</text>',
        f'<text x="{LEFT - 6}" y="{TOP + high}" text-anchor="end">{pages.text(shown(bottom))}</text>',
        f'<text x="{LEFT + wide}" y="{HEIGHT - 8}" text-anchor="end">{most:,} calls</text>',
    ]
    for (calls, values), colour, dash, label, number in zip(
        lines, ("better", "worse"), ("6 3", ""), labels, (0, 1), strict=True
    ):
        points = " ".join(map(place, calls, values))
        stroke = f'stroke="rgb(var(--{colour}))"' + (f' stroke-dasharray="{dash}"' if dash else "")
        drawn.append(f'<polyline points="{points}" fill="none" stroke-width="2" {stroke}/>')
        left = LEFT + 12 + number * wide / 2
        drawn.append(f'<path d="M{left} {HEIGHT - 12}h24" stroke-width="2" {stroke}/>')
        drawn.append(f'<text x="{left + 30}" y="{HEIGHT - 8}">{pages.text(label[:30])}</text>')
    return [*drawn, "</svg></div>"]
