"""What people read of own code: the page, and the terminal. From records that are made here, so nothing is measured."""

from pathlib import Path

import pytest
from rich.console import Console

from arrayspeed.decide.looks import Looks
from arrayspeed.measure.looking import Limits
from arrayspeed.own.measures import observed
from arrayspeed.own.records import Record, Records
from arrayspeed.own.script import Script
from arrayspeed.own.sides import Ready, Side
from arrayspeed.own.verdict import verdict
from arrayspeed.verdict.page import as_page
from arrayspeed.verdict.text import as_markdown, as_table

WHY = "ValueError: a long sentence about shapes that do not fit <together> (mine.py:17)"

VALUE = "--a_long_setting_of_a_compiler=false --and_another_one=/in/a/folder"


def records_of(folder, labels, rounds=6):
    """Functions of which one is slower, one fails, one fails everywhere, and one begins to keep what it made."""
    verdict_found = Records(folder / "mine.jsonl", "run", labels)
    for number in range(rounds):
        for function in (
            "bench_a_function_with_a_name_that_is_longer_than_most",
            "bench_leak",
            "bench_bad",
            "bench_both",
        ):
            for place, label in enumerate(labels):
                one = Record(number, label, function, 1000)
                if function == "bench_both" or (function == "bench_bad" and place):
                    one.why, one.kind = WHY, "error"
                else:
                    slow = 2.0 if place and function != "bench_leak" else 1.0
                    one.batches = [1e-3 * slow * (1 + 0.001 * number)] * 5
                    one.kept = 200.0 if place and function == "bench_leak" else 0.0
                verdict_found.add([one])
    return verdict_found


@pytest.fixture(params=[2, 3])
def verdict_found(request, tmp_path):
    """A verdict on so many sides."""
    sides = [
        Ready(
            Side(f"numpy {number}.0" + f" FLAGS={VALUE}" * (number > 2), variables=(("FLAGS", VALUE),) * (number > 2)),
            "python",
            {"numpy": f"{number}.0", "scipy": "1.13.1"},
            "3.11.7",
        )
        for number in range(1, request.param + 1)
    ]
    records = records_of(tmp_path, [one.label for one in sides])
    items = list(dict.fromkeys(key[:2] for key in records.found))
    looks = Looks(records.rounds, 1.05)
    every_pair = len(sides) > 2
    for look in looks.plan:
        seen = observed(records, items, look, 1.05, every_pair)
        decisions = looks.look(seen)
    return verdict(Script(Path("mine.py"), ""), sides, records, seen, decisions, Limits(), 0.05, (), every_pair)


def test_why_something_fails_is_said_once(verdict_found):
    both = " and ".join(one.label for one in verdict_found.sides[:2])
    page = as_page(verdict_found)
    assert f"fails in {both}: {WHY}".replace("<", "&lt;").replace(">", "&gt;") in page
    assert "<together>" not in page
    assert "failed: " not in page, "how often is said only where it is not every time"
    markdown = as_markdown(verdict_found)
    assert "- bad(1000), time" in markdown
    console = Console(width=100)
    with console.capture() as printed:
        console.print(as_table(verdict_found))
    assert f"fails in {both}: ValueError" in " ".join(printed.get().split())


def test_a_ratio_to_next_to_nothing_is_a_bound(verdict_found):
    (row, *_) = (row for row in verdict_found.rows if row.item == "leak(1000)" and row.quantity.name == "kept")
    assert row.verdict == "larger"
    assert row.change.startswith("at least ×3.1")
    (row, *_) = (row for row in verdict_found.rows if row.item == "leak(1000)" and row.quantity.name == "time_call")
    assert row.change.startswith("×1.0")


def test_packages_that_are_alike_are_folded_away(verdict_found):
    shown, folded = as_page(verdict_found).split("<details>")
    assert "numpy" in shown.split("Packages and variables")[1]
    assert "scipy" not in shown
    assert "scipy" in folded


@pytest.mark.parametrize("width", [390, 1280])
def test_only_tables_are_wider_than_the_screen(verdict_found, open_page, tmp_path, width):
    path = tmp_path / "page.html"
    path.write_text(as_page(verdict_found), encoding="utf-8")
    with open_page() as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").inner_text().startswith("mine.py, numpy 1.0")
        assert page.locator("p.status").inner_text().endswith("Exit status 1.")
