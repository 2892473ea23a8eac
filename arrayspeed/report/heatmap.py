"""All kernels by backend as a heat map: the ratio to NumPy as colour and number, its interval and the value beneath.

A ratio has a colour where `arrayspeed.decide` says faster or slower; "=" is shown to be the same, "?" is unclear.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import altair as alt
import polars as pl

from arrayspeed.decide.compare import Ratio
from arrayspeed.decide.words import SAME, UNCLEAR
from arrayspeed.model.measures import Measure
from arrayspeed.model.units import significant
from arrayspeed.records.levels import MEASURED_APART, TWO_TIMES
from arrayspeed.report.backends import BASELINE
from arrayspeed.report.charts import FAINT, INK, LABELS, OTHER_WAY, Bar, said, styled


@dataclass(frozen=True)
class Cell:
    """A backend on a kernel, and how many times less than the baseline's its value is, where that was measured.

    The word of ``ratio`` is that of the backend: faster, slower, same or unclear. ``other_way``: it or the baseline
    computes in another way than the kernel says.
    """

    row: str
    bar: Bar
    ratio: Ratio | None
    other_way: bool = False


def summary_cells(row: str, bars: Sequence[Bar], ratios: Mapping[tuple[str, str | None], Ratio]) -> list[Cell]:
    """Return a row of the summary from the rows of a kernel's chart; ``ratios``: backend and device -> its ratio to
    NumPy.
    """
    baseline = any(b.other_way for b in bars if b.backend == BASELINE)
    return [Cell(row, b, ratios.get((b.backend, b.device)), bool(b.other_way) or baseline) for b in bars]


#: The ratio at which the summary's colours are deepest, either way; one far outlier must not pale the others.
DEEPEST = 30


def summary_chart(cells: Sequence[Cell], measure: Measure, title: str, subtitle: Sequence[str]) -> alt.LayerChart:
    """Return all kernels by backend: the ratio to NumPy as colour and number, and the value beneath."""
    several = len({cell.bar.device for cell in cells}) > 1
    rows = pl.DataFrame([summary_row(cell, measure, several) for cell in cells], infer_schema_length=None)
    x = alt.X("column:N", sort=list(dict.fromkeys(rows["column"])), title=None, axis=heads(several))
    y = alt.Y("row:N", sort=list(dict.fromkeys(rows["row"])), title=None, axis=LABELS)
    compared = alt.Chart(rows.filter(pl.col("shade").is_not_null())).encode(x=x, y=y)
    others = alt.Chart(rows.filter(pl.col("shade").is_null())).encode(x=x, y=y)
    text = alt.Chart(rows).encode(x=x, y=y)
    ink = alt.Color("ink:N", scale=None)
    layers = [
        others.mark_rect(color="#f3f5f6", stroke="white", strokeWidth=3, cornerRadius=5),
        compared.mark_rect(stroke="white", strokeWidth=3, cornerRadius=5).encode(color=shades(measure)),
        text.mark_text(fontSize=13, fontWeight="bold", dy=-15).encode(text="large:N", color=ink),
        text.mark_text(fontSize=10, dy=1).encode(text="interval:N", color=ink),
        text.mark_text(fontSize=10.5, dy=16).encode(text="small:N", color=ink),
        text.mark_text(fontSize=11.5).encode(text="middle:N", color=ink),
    ]
    columns, kernels = rows["column"].n_unique(), rows["row"].n_unique()
    whole = cast("alt.LayerChart", alt.layer(*layers))  # a FacetChart is of facets, and no layer has any
    layered = whole.resolve_scale(color="independent")  # the text's colours are no scale
    return styled(layered.properties(width=96 * columns, height=58 * kernels), title, subtitle)


def heads(several_devices: bool) -> alt.Axis:
    """Return the columns' names; the device is on a line of its own."""
    return alt.Axis(
        orient="top",
        labelExpr="split(datum.label, ', ')",
        labelPadding=20 if several_devices else 6,
        labelAngle=0,
        labelFontSize=12,
        labelColor=INK,
        labelLimit=140,
        ticks=False,
        domain=False,
    )


#: What is put behind a ratio that is neither faster nor slower, for all that was shown.
SIGNS = {SAME: " =", UNCLEAR: " ?"}


def summary_row(cell: Cell, measure: Measure, several_devices: bool) -> dict[str, Any]:
    """Return a cell as it is drawn: three lines of text where there is a ratio, one where there is none."""
    bar, ratio = cell.bar, cell.ratio
    shown = ratio is not None and ratio.verdict not in SIGNS
    shade = max(1 / DEEPEST, min(DEEPEST, ratio.ratio)) if shown and ratio else None
    value = said(bar.value, measure) if bar.value is not None else bar.note.partition(":")[0] or "n/a"
    apart = "" if ratio is None or ratio.in_turn else f" {MEASURED_APART}"
    both = f" {TWO_TIMES}" if ratio and ratio.retained else ""
    mark = f" {OTHER_WAY}" if cell.other_way and bar.value is not None else ""
    deep = shade is not None and abs(math.log(shade)) > 0.68 * math.log(DEEPEST)
    return {
        "row": cell.row,
        "column": bar.named(several_devices),
        "shade": shade,
        "large": f"{ratio_text(ratio.ratio)}{SIGNS.get(ratio.verdict, '')}{apart}{both}{mark}" if ratio else "",
        "interval": f"{ratio_text(ratio.low)} to {ratio_text(ratio.high)}" if ratio else "",
        "small": value if ratio else "",
        "middle": "" if ratio else value + mark,
        "ink": "white" if deep else INK if bar.value is not None and (shown or not ratio) else FAINT,
    }


def ratio_text(ratio: float) -> str:
    """2.4× where it is better than NumPy, and ÷2.4 where it is worse."""
    times = max(ratio, 1 / ratio)
    text = significant(times, 2) if times < 1000 else f"{round(times, 1 - math.floor(math.log10(times))):,.0f}"
    return f"÷{text}" if ratio < 1 and text != "1.0" else f"{text}×"


def shades(measure: Measure) -> alt.Color:
    """Orange where a backend is worse than NumPy, blue where it is better, on a logarithmic scale."""
    better, worse = ("faster", "slower") if measure.is_time else ("less", "more")
    return alt.Color(
        "shade:Q",
        scale=alt.Scale(
            type="log",
            domain=[1 / DEEPEST, 1 / DEEPEST**0.5, 1, DEEPEST**0.5, DEEPEST],
            range=["#b3540a", "#eeb47b", "#f4f4f1", "#8dbde0", "#0b5a94"],
            interpolate="lab",
        ),
        legend=alt.Legend(
            title=f"times {better} than NumPy (÷ is {worse})",
            orient="bottom",
            direction="horizontal",
            gradientLength=260,
            gradientThickness=10,
            titleLimit=400,
            values=[1 / 30, 1 / 10, 1 / 3, 1, 3, 10, 30],
            labelExpr="datum.value < 0.99 ? '÷' + format(1 / datum.value, '.2~r') : format(datum.value, '.2~r') + '×'",
            titleFontWeight="normal",
            titleColor=FAINT,
            labelColor=FAINT,
        ),
    )
