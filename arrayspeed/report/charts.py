"""Charts of results: backends compared on one kernel, and what all charts share. Made with Altair, saved without a
browser; `arrayspeed.report.heatmap` has all kernels by backend.

The function that chooses rows (`backend_rows`) is apart from the one that draws them (`backends_chart`), so that a
page can draw the same rows with its own options.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import altair as alt
import polars as pl
import vl_convert

from arrayspeed.model import measures
from arrayspeed.model.measures import Measure
from arrayspeed.model.text import printable
from arrayspeed.model.units import BYTES, TIMES, human
from arrayspeed.report.backends import COLOURS
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.kernel import Kernel

INK, FAINT, PALE = "#20262b", "#7a858d", "#e3e7ea"

#: Above this ratio of the largest value to the smallest, bars from 0 would hide the small ones; then the axis is
#: logarithmic, which has no 0, and values are dots.
LOGARITHMIC = 25

WIDTH, ROW = 560, 30

#: Resolution of the PNG files, in pixels to a point of the chart.
SCALE = 2

#: The sign of a backend that computes in another way than the kernel says.
OTHER_WAY = "≠"


@dataclass(frozen=True)
class Bar:
    """One backend's value with its interval. ``note`` says why there is none, ``other_way`` how it computes in another
    way than the kernel says.
    """

    backend: str
    device: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    other_way: str | None = None

    def named(self, several_devices: bool) -> str:
        """Return the backend, with its device where there are several."""
        return f"{self.backend}, {self.device}" if several_devices else self.backend


def finite(value: float | None) -> float | None:
    """Return a number, or None for what is none."""
    return value if value is not None and math.isfinite(value) else None


def places(devices: Sequence[str]) -> list[tuple[str, str]]:
    """Backends and devices in their fixed order: each chart has the same rows."""
    return [(b.name, device) for device in devices for b in BACKENDS.values() if device in b.devices]


def backend_rows(table: pl.DataFrame, devices: Sequence[str]) -> list[Bar]:
    """Return a row for each backend on each device, measured or not.

    Parameters
    ----------
    table
        Results of one machine, environment, kernel, size, dtype and measure, with the intervals of
        `arrayspeed.records.levels.with_intervals`.
    devices
        The devices to show, in their order.
    """
    found = {(entry["backend"], entry["device"]): entry for entry in table.iter_rows(named=True)}
    kernel = CATALOGUE.get(table["kernel"][0]) if len(table) else None
    return [bar(backend, device, found.get((backend, device)), kernel) for backend, device in places(devices)]


def bar(backend: str, device: str, entry: dict[str, Any] | None, kernel: Kernel | None) -> Bar:
    """One row, from what was measured."""
    value = finite(entry["value"]) if entry else None
    if entry is None or value is None:
        why = kernel.why_not(backend, BACKENDS[backend].library) if kernel else None
        return Bar(
            backend, device, None, note="failed" if entry and entry["failed"] else f"n/a: {why}" if why else "n/a"
        )
    way = kernel.other_way(backend, BACKENDS[backend].library) if kernel else None
    return Bar(backend, device, value, entry["low"], entry["high"], other_way=way)


def other_ways_line(bars: Iterable[Bar]) -> list[str]:
    """Return what the sign of another way means in a chart, as a line; no line where there is none."""
    ways: dict[str, list[str]] = {}
    for b in bars:
        if b.other_way and b.value is not None:
            ways.setdefault(b.other_way, []).append(b.backend)
    told = "; ".join(f"{', '.join(dict.fromkeys(names))}: {way}" for way, names in ways.items())
    return [f"{OTHER_WAY} computes in a different way; {told}"] if told else []


def versions_line(table: pl.DataFrame) -> str:
    """Return the libraries' versions, as a line; several of one library where a table is of several environments."""
    held = table.select("library", "version").drop_nulls().unique().sort("version").group_by("library").agg("version")
    known = dict(held.iter_rows())
    return " · ".join(f"{name} {' and '.join(known[name])}" for name in LIBRARIES if name in known)


def said(value: float, measure: Measure) -> str:
    """Return a value as text; an error of exactly 0 is not worth an exponent."""
    return "0" if value == 0 and measure.unit == measures.ERROR else human(value, measure.name)


def label(b: Bar, several_devices: bool) -> str:
    """Return a backend's name, with its device where there are several, and the sign of another way."""
    return b.named(several_devices) + (f" {OTHER_WAY}" if b.other_way else "")


def chart_rows(bars: Iterable[Bar], measure: Measure, several_devices: bool) -> pl.DataFrame:
    """Return what is drawn: a row a bar, with its label and the text beside it."""
    numbers = dict.fromkeys(("value", "low", "high", "end"), pl.Float64)
    return pl.DataFrame(
        [
            {
                **vars(b),
                "label": label(b, several_devices),
                "end": b.high if b.high is not None else b.value,
                "text": said(b.value, measure) if b.value is not None else b.note,
            }
            for b in bars
        ],
        schema={"label": pl.String, "backend": pl.String, **numbers, "text": pl.String},
    )


def backends_chart(bars: Sequence[Bar], measure: Measure, title: str, subtitle: Sequence[str]) -> alt.LayerChart:
    """Backends compared by one measure: bars from 0, or dots on a logarithmic axis where they are far apart.

    Whiskers are the 95 % confidence interval of what differs between processes. What was not measured is said, never
    drawn as 0.
    """
    rows = chart_rows(bars, measure, len({b.device for b in bars}) > 1)
    measured = rows.filter(pl.col("value").is_not_null())
    logarithmic = is_logarithmic(measured)
    scale = scale_of(measured, logarithmic)
    intervals = measured.filter(pl.col("low").is_not_null())
    x = alt.X("value:Q", scale=scale, axis=axis(measure, logarithmic, scale.domain[1], bool(len(intervals))))
    y = alt.Y("label:N", sort=rows["label"].to_list(), title=None, axis=LABELS)
    colour = alt.Color("backend:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None)
    base = alt.Chart(measured).encode(y=y)
    bars_from_zero = base.mark_bar(height={"band": 0.66}).encode(x=x, color=colour)
    layers = [
        *(dots(base, x, colour, scale) if logarithmic else [bars_from_zero]),
        *whiskers(alt.Chart(intervals).encode(y=y), scale),
        base.mark_text(align="left", dx=9, color=INK, fontSize=12).encode(x=alt.X("end:Q", scale=scale), text="text:N"),
        absent(rows.filter(pl.col("value").is_null()), y),
    ]
    whole = cast("alt.LayerChart", alt.layer(*layers))  # a FacetChart is of facets, and no layer has any
    sized = whole.properties(width=WIDTH, height=ROW * max(1, len(rows)))
    return styled(sized, title, subtitle)


LABELS = alt.Axis(labelFontSize=12.5, labelColor=INK, labelPadding=8, labelLimit=220, ticks=False, domain=False)


def is_logarithmic(measured: pl.DataFrame) -> bool:
    """Return whether the values are too far apart for one linear axis."""
    # Polars says of a least and a largest only that they are any of its types.
    positive: Any = measured.filter(pl.col("value") > 0)["value"]
    return len(positive) == len(measured) > 0 and positive.max() / positive.min() > LOGARITHMIC


def scale_of(measured: pl.DataFrame, logarithmic: bool) -> alt.Scale:
    """Return the axis's range, with room for the text beside the largest."""
    if measured.is_empty():
        return alt.Scale(domain=[0, 1])
    # Polars says of a least and a largest only that they are any of its types.
    highest = cast("float | None", measured["end"].max()) or 1.0
    if not logarithmic:
        return alt.Scale(domain=[0, highest * 1.17], nice=False)
    lowest = min(cast("float", measured["value"].min()), cast("float | None", measured["low"].min()) or math.inf)
    span = math.log10(highest / lowest)
    return alt.Scale(type="log", domain=[lowest / 10 ** (span * 0.06), highest * 10 ** (span * 0.17)], nice=False)


def axis(measure: Measure, logarithmic: bool, end: float, with_intervals: bool) -> alt.Axis:
    """Return the axis of values, in the measure's units."""
    title = f"{measure.title}{' (logarithmic axis)' if logarithmic else ''}; lower is better"
    if with_intervals:
        title += "; whiskers are the 95 % confidence interval"
    ticks = binary_ticks(end) if measure.unit == measures.BYTES and not logarithmic else alt.Undefined
    return alt.Axis(title=title, labelExpr=label_expression(measure), tickCount=5, values=ticks, labelOverlap="greedy")


def binary_ticks(end: float) -> list[float]:
    """Round numbers of the binary unit that suits, from 0."""
    unit = next((factor for factor, _ in BYTES if end >= factor), 1)
    steps = (digit * 10**power * unit for power in range(4) for digit in (1, 2, 5))
    step = next(step for step in steps if end / step <= 8)
    return [count * step for count in range(int(end / step) + 1)]


def label_expression(measure: Measure) -> str:
    """Return a Vega expression that writes an axis label in human units."""
    if measure.unit == measures.ERROR:
        return "datum.value == 0 ? '0' : format(datum.value, '.0e')"
    *larger, (least, smallest) = BYTES if measure.unit == measures.BYTES else TIMES
    # A label of exactly one unit is computed with rounding errors.
    choices = [f"datum.value >= {f * 0.9999} ? format(datum.value / {f}, '.4~r') + ' {unit}'" for f, unit in larger]
    smallest_text = f"format(datum.value / {least}, '.4~r') + ' {smallest}'"
    return " : ".join(["datum.value == 0 ? '0'", *choices, smallest_text])


def dots(base: alt.Chart, x: alt.X, colour: alt.Color, scale: alt.Scale) -> list[alt.Chart]:
    """Return a dot a value, with a line to its label."""
    start = alt.datum(scale.domain[0])
    return [
        base.mark_rule(strokeWidth=2.5, opacity=0.35).encode(x=alt.X("value:Q", scale=scale), x2=start, color=colour),
        base.mark_point(filled=True, size=130, opacity=1).encode(x=x, color=colour),
    ]


def whiskers(base: alt.Chart, scale: alt.Scale) -> list[alt.Chart]:
    """Return the confidence interval."""
    low, high = alt.X("low:Q", scale=scale), alt.X("high:Q", scale=scale)
    return [
        base.mark_rule(color=INK, strokeWidth=1.2).encode(x=low, x2="high:Q"),
        base.mark_tick(color=INK, thickness=1.2, height=9).encode(x=low),
        base.mark_tick(color=INK, thickness=1.2, height=9).encode(x=high),
    ]


def absent(rows: pl.DataFrame, y: alt.Y) -> alt.Chart:
    """Return what was not measured, in words."""
    text = alt.Chart(rows).mark_text(align="left", dx=6, color=FAINT, fontStyle="italic", fontSize=11.5, limit=WIDTH)
    words: alt.Chart = text.encode(y=y, x=alt.value(0), text="text:N")
    return words


#: The look of all charts.
LOOK: dict[str, Any] = {
    "font": "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif",
    "background": "white",
    "padding": 18,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "group",
        "offset": 14,
        "fontSize": 16,
        "color": INK,
        "subtitleFontSize": 11.5,
        "subtitleColor": FAINT,
        "subtitleLineHeight": 16,
    },
    "axis": {
        "gridColor": PALE,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelColor": FAINT,
        "labelFontSize": 11,
        "titleColor": FAINT,
        "titleFontWeight": "normal",
        "titleFontSize": 11.5,
        "titlePadding": 10,
    },
}


def styled(chart: alt.LayerChart, title: str, subtitle: Sequence[str]) -> alt.LayerChart:
    """Return a chart with its title, in the look of all charts."""
    # A NUL in a text makes vl-convert abort the process.
    heading = alt.TitleParams(printable(title), subtitle=[printable(line) for line in subtitle])
    dressed: alt.LayerChart = chart.properties(title=heading).configure(**LOOK)
    return dressed


def save(chart: alt.LayerChart, path: Path) -> list[Path]:
    """Write a chart as SVG and PNG beside each other; ``path`` has no suffix."""
    svg, png = path.with_name(path.name + ".svg"), path.with_name(path.name + ".png")
    chart.save(svg)
    png.write_bytes(vl_convert.svg_to_png(svg.read_text(encoding="utf-8"), scale=SCALE))
    return [svg, png]
