"""Changes that somebody has accepted: used, grown, expired, gone, malformed."""

import json
from dataclasses import replace
from datetime import date

import pytest

from arrayspeed.cli.main import main
from arrayspeed.decide import Decision, Observed
from arrayspeed.model.errors import UserError
from arrayspeed.model.units import human_time
from arrayspeed.verdict.accepted import Accepted, apply, read, written
from arrayspeed.verdict.data import as_json
from arrayspeed.verdict.rows import Quantity, Row
from arrayspeed.verdict.text import as_markdown
from arrayspeed.verdict.verdict import Side, Verdict
from support import schema

TIME = Quantity("time_call", "time", "Time", human_time, carries=True)
TODAY = date(2027, 1, 15)
ONE = Accepted("sort(10) time", "fixed in 2.6", date(2027, 3, 1), 1.4)


def row(name="sort(10) time_call", word="slower", ratio=1.3, high=1.35):
    decided = Decision(word, ratio, 1.25, high, 8, 0, 0, 8, 8, bounded=False, bound=high)
    rounds = range(8)
    seen = Observed(dict.fromkeys(rounds, 0.001), dict.fromkeys(rounds, ratio * 0.001))
    return Row(name, name.partition(" ")[0], TIME, "numpy 2.5.5", word, decided, seen, processes=((), ()))


def verdict(*rows):
    sides = [Side(f"numpy {version}", "3.12.1", {"NumPy": version}) for version in ("2.4.6", "2.5.5")]
    return Verdict("numpy 2.4.6 → 2.5.5", sides, rows, [], 1.05)


def judged(*accepted, rows=None):
    return apply(verdict(*(rows or [row()])), accepted, TODAY)


def test_what_is_accepted_is_shown_and_does_not_fail():
    assert verdict(row()).status == 1
    found = judged(ONE)
    assert found.status == 0
    assert found.rows[0].verdict == "accepted"
    text = as_markdown(found)
    assert "| accepted | time | sort(10) |" in text
    assert "slower, accepted up to ×1.40 until 2027-03-01: fixed in 2.6" in text
    data = schema.read("upgrade", as_json(found))
    assert data["comparisons"][0]["accepted"] == "slower"
    assert data["comparisons"][0]["worse"] is False
    assert judged(ONE, rows=[row(), row("other time_call")]).status == 1


def test_a_change_is_called_as_the_table_has_it_or_as_json_does():
    assert judged(replace(ONE, comparison="sort(10) time_call")).status == 0
    kernel = replace(row("linalg.solve_float64.time_call(numpy, 1000)"), item="solve 1,000", backend="numpy")
    for name in (kernel.name, "solve 1,000 numpy time"):
        assert judged(replace(ONE, comparison=name), rows=[kernel]).status == 0
    assert judged(replace(ONE, comparison="solve 1,000 time"), rows=[kernel]).status == 1


@pytest.mark.parametrize(
    ("accepted", "note"),
    [
        (replace(ONE, most=1.34), "Not shown to be within what is accepted: sort(10) time, accepted up to ×1.34"),
        (replace(ONE, most=None), "Not shown to be within what is accepted"),
        (replace(ONE, expires=date(2027, 1, 14)), "No longer accepted since 2027-01-14: sort(10) time."),
        (replace(ONE, comparison="gone time"), "Accepted, and not among what was compared: gone time."),
    ],
)
def test_what_is_not_covered_fails_again_and_a_note_says_why(accepted, note):
    found = judged(accepted)
    assert found.status == 1
    assert any(each.startswith(note) for each in found.notes)


def test_the_last_day_counts():
    assert judged(replace(ONE, expires=TODAY)).status == 0


def test_more_noise_accepts_nothing():
    assert judged(ONE, rows=[row(high=1.5)]).status == 1


def test_what_is_no_longer_worse_is_said():
    found = judged(ONE, rows=[row(word="same", ratio=1.0, high=1.01)])
    assert found.status == 0
    assert found.notes == ["Accepted, and no longer worse: sort(10) time (same)."]


def test_a_failure_is_accepted_without_a_ratio():
    failing = replace(row(), verdict="fails", decision=Decision("fails", None, None, None, 0, 0, 8, 8, 8))
    assert judged(replace(ONE, most=None), rows=[failing]).rows[0].verdict == "accepted"
    assert judged(ONE, rows=[failing]).status == 1


@pytest.mark.parametrize(("old", "new", "used"), [("2.4.6", "2.5.5", True), ("2.4.6", "2.6.0", False)])
def test_an_entry_about_other_versions_is_left_alone(old, new, used):
    found = judged(replace(ONE, package="numpy", old=old, new=new))
    assert (found.status == 0) is used
    assert found.notes == []


def test_the_python_is_a_version_too():
    sides = [Side(f"Python {version}", version) for version in ("3.12.1", "3.13.0")]
    about = replace(verdict(row()), sides=sides)
    assert apply(about, [replace(ONE, package="python", old="3.12.1", new="3.13.0")], TODAY).status == 0


MALFORMED = {
    "is not TOML": "[[accepted]\n",
    "holds something else": "accept = 1\n",
    "entry 1: is no table": "accepted = [1]\n",
    "entry 1: 'mosst' is not known": '[[accepted]]\ncomparison = "a"\nreason = "b"\nexpires = 2027-01-01\nmosst = 2\n',
    "entry 1: 'reason' is missing": '[[accepted]]\ncomparison = "a"\nexpires = 2027-01-01\n',
    "entry 1: 'expires' is no date": '[[accepted]]\ncomparison = "a"\nreason = "b"\nexpires = "soon"\n',
    "entry 1: 'most' is no ratio above 1": (
        '[[accepted]]\ncomparison = "a"\nreason = "b"\nexpires = 2027-01-01\nmost = true\n'
    ),
    "entry 1: 'comparison' is no text": "[[accepted]]\ncomparison = 3\nreason = 'b'\nexpires = 2027-01-01\n",
    "'package', 'old' and 'new' belong together": (
        '[[accepted]]\ncomparison = "a"\nreason = "b"\nexpires = 2027-01-01\npackage = "numpy"\n'
    ),
}


@pytest.mark.parametrize("said", MALFORMED)
def test_a_malformed_file_is_named_with_its_mistake(tmp_path, said):
    path = tmp_path / "accepted.toml"
    path.write_text(MALFORMED[said])
    with pytest.raises(UserError) as error:
        read(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_written_is_what_is_read(tmp_path):
    path = tmp_path / "accepted.toml"
    ones = [ONE, Accepted('a "b" \\ ü', "line\nbreak", date(2028, 1, 1), package="x", old="1", new="2")]
    path.write_text("".join(map(written, ones)))
    assert read(path) == ones


def command(arguments):
    """The exit status of a command."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return end.value.code


def test_the_command_adds_an_entry_and_keeps_what_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "accepted.toml").write_text("# ours\n" + written(ONE))
    given = ["accept", "f time", "--most", "1.2", "--expires", "2027-05-01", "--reason", "known"]
    assert command([*given, "--package", "numpy", "2.4.6", "2.5.5"]) == 0
    text = (tmp_path / "accepted.toml").read_text()
    assert text.startswith("# ours\n")
    assert read(tmp_path / "accepted.toml")[1] == Accepted(
        "f time", "known", date(2027, 5, 1), 1.2, "numpy", "2.4.6", "2.5.5"
    )
    assert "f time is accepted up to ×1.20 until 2027-05-01: known" in capsys.readouterr().err
    assert command([*given, "--package", "numpy", "2.4.6", "2.5.5"]) == 2
    assert "accepts that already" in capsys.readouterr().err
    assert (tmp_path / "accepted.toml").read_text() == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["f time", "--expires", "soon", "--reason", "x"], "--expires 'soon' is not a date such as 2027-03-01"),
        (["f time", "--expires", "2027-01-01", "--reason", " "], "the reason is empty"),
        (["f time", "--expires", "2027-01-01", "--reason", "x", "--most", "0.9"], "--most 0.9 is not valid: above 1"),
        (["f time", "--expires", "2027-01-01", "--reason", "x", "--accepted", "."], "cannot read ."),
    ],
)
def test_a_mistake_gets_one_line(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert command(["accept", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert json.dumps(sorted(path.name for path in tmp_path.iterdir())) == "[]"
