"""``arrayspeed decide``: what it prints, for whom, and what it exits with."""

import json
import random

import pytest

from arrayspeed.cli import decide
from arrayspeed.cli.options import Parser
from arrayspeed.decide import Decision
from arrayspeed.formats import verdicts
from support import schema

KEYS = [
    "comparison",
    "verdict",
    "worse",
    "ratio",
    "low",
    "high",
    "rounds",
    "failed_reference",
    "failed_subject",
    "bounded",
    "bound",
]


def lines(name, ratio, count=8, noise=0.005, failing=()):
    """A comparison as JSON lines, with drift that both sides share."""
    rng = random.Random(name)
    for n in range(count):
        drift = rng.uniform(1, 2)
        for side, times in (("reference", 1.0), ("subject", ratio)):
            value = None if side == "subject" and n in failing else drift * times * rng.gauss(1, noise)
            yield {"comparison": name, "side": side, "round": n, "value": value}


@pytest.fixture
def decided(tmp_path, capsys):
    """Runs the command on comparisons, and returns its exit status and what it printed."""

    def run(*comparisons, options=()):
        path = tmp_path / "samples.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for rows in comparisons for row in rows))
        parser = Parser()
        decide.add_arguments(parser)
        status = decide.main(parser.parse_args([str(path), *options]))
        return status, capsys.readouterr()

    return run


EQUALS = [list(lines(f"equal {n}", 1.0)) for n in range(20)]


def test_equals_pass(decided):
    status, printed = decided(*EQUALS)
    assert status == 0
    assert printed.out.startswith("nothing worse: 20 same.")


def test_something_slower_fails(decided):
    status, printed = decided(*EQUALS, lines("slow", 1.3))
    assert status == 1
    rows = [line.split() for line in printed.out.splitlines()]
    first = next(row for row in rows if row[:1] == ["slow"])
    assert first[1] == "slower"
    assert first[2].startswith("×1.298")


def test_a_factor_of_what_somebody_would_act_on(decided):
    assert decided(*EQUALS, lines("slow", 1.3), options=["--factor", "1.5"])[0] == 0
    assert decided(lines("slow", 1.04), options=["--factor", "1.01"])[0] == 1


def test_a_process_that_fails(decided):
    status, printed = decided(*EQUALS, lines("broken", 1.0, failing=range(8)))
    assert status == 1
    assert "fails" in printed.out
    assert "8 of 8 against 0 of 8" in printed.out


def test_every_undecided_comparison_is_listed_and_counts(decided):
    noisy = [list(lines(f"noisy {n}", 1.0, count=4, noise=0.3)) for n in range(2)]
    status, printed = decided(*EQUALS, *noisy)
    assert status == 2
    assert all(f"noisy {n}" in printed.out for n in range(2))
    assert "not decided (2 of 22 comparisons have no bound)" in printed.out
    assert decided(*EQUALS, *noisy, options=["--max-unclear", "0.1"])[0] == 0
    assert decided(*EQUALS, noisy[0])[0] == 0
    assert decided(*EQUALS, noisy[0], options=["--max-unclear", "0"])[0] == 2


def test_json_for_programs(decided):
    lone = [{"comparison": "lone", "side": "reference", "round": 0, "value": 1}]
    status, printed = decided(
        lines("slow", 1.3),
        lines("same", 1.0),
        lone,
        lines("broken", 1.0, failing=range(8)),
        options=["--format", "json"],
    )
    data = schema.read("decide", printed.out)
    assert list(data) == ["format", "comparisons", "verdict_counts", "exit_status"]
    assert [list(row) for row in data["comparisons"]] == [KEYS] * 4
    assert [(row["comparison"], row["verdict"], row["worse"]) for row in data["comparisons"]] == [
        ("slow", "slower", True),
        ("same", "same", False),
        ("lone", "unclear", False),
        ("broken", "fails", True),
    ]
    slow, _, lone, broken = data["comparisons"]
    assert slow["low"] < 1.3 < slow["high"]
    assert (lone["ratio"], lone["low"], lone["high"], lone["rounds"]) == (None, None, None, 0)
    assert (broken["failed_reference"], broken["failed_subject"]) == (0, 8)
    assert data["verdict_counts"] == {"fails": 1, "slower": 1, "unclear": 1, "same": 1}
    assert data["exit_status"] == status == 1
    assert "No sample of the subject: lone." in printed.err


def test_markdown_for_a_pull_request(decided):
    _, printed = decided(lines("a|b <script>", 1.3), lines("equal", 1.0), options=["--format", "markdown"])
    rows = [line for line in printed.out.splitlines() if line.startswith("|")]
    assert printed.out.startswith("**worse: 1 slower, 1 same.**")
    assert rows[2].startswith("| a\\|b &lt;script&gt; | slower | ×1.298 (1.288–1.308)")
    assert "<script>" not in printed.out


def test_control_characters_of_names_are_not_obeyed(decided):
    for form in ("table", "markdown"):
        _, printed = decided(lines("a\x1b[31mb\nc [red]", 1.0), options=["--format", form])
        assert "\x1b" not in printed.out
        assert "[red]" in printed.out


def test_too_few_rounds_are_said(decided):
    status, printed = decided(lines("once", 1.2, count=1))
    assert status == 2
    assert "Too few rounds for an interval, which needs at least two: once." in printed.out


@pytest.mark.parametrize(
    "options",
    [
        ["--factor", "0.95"],
        ["--factor", "nan"],
        ["--factor", "inf"],
        ["--max-unclear", "1.5"],
        ["--max-unclear", "-0.1"],
        ["--max-unclear", "nan"],
        ["--session-noise", "-1"],
        ["--session-noise", "nan"],
    ],
)
def test_options_that_make_no_sense(decided, capsys, options):
    with pytest.raises(SystemExit) as ended:
        decided(lines("a", 1.0), options=options)
    (line,) = capsys.readouterr().err.splitlines()
    assert (ended.value.code, line.partition(":")[0]) == (2, "arrayspeed")
    assert f"{options[0]} {options[1]} is not valid: " in line


def test_two_files_of_another_tool(tmp_path, capsys):
    """With the noise of two sessions, large changes are shown and small ones are not."""

    def write(name, **seconds):
        rng = random.Random(name)
        rows = [
            {"command": key, "times": [value * rng.gauss(1, 0.01) for _ in range(20)], "exit_codes": [0] * 20}
            for key, value in seconds.items()
        ]
        path = tmp_path / name
        path.write_text(json.dumps({"results": rows}))
        return str(path)

    parser = Parser()
    decide.add_arguments(parser)
    files = [write("old", a=1.0, b=1.0, c=1.0), write("new", a=1.0, b=1.3, c=1.07)]
    assert decide.main(parser.parse_args([*files, "--format", "json", "--factor", "1.1"])) == 1
    printed = capsys.readouterr()
    found = {row["comparison"]: row["verdict"] for row in schema.read("decide", printed.out)["comparisons"]}
    assert found == {"a": "same", "b": "slower", "c": "unclear"}
    assert "measured one after the other" in printed.err
    decide.main(parser.parse_args([*files, "--format", "json", "--session-noise", "0"]))
    found = {row["comparison"]: row["verdict"] for row in schema.read("decide", capsys.readouterr().out)["comparisons"]}
    assert found == {"a": "same", "b": "slower", "c": "slower"}


# The formats that other commands share


def decision(verdict="same", ratio=1.0, low=0.99, high=1.01, **more):
    counts = {"failed_reference": 0, "failed_subject": 0, "processes_reference": 8, "processes_subject": 8} | more
    return Decision(verdict, ratio, low, high, 8, **counts)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((1.02, 1.01, 1.034), "×1.02 (1.01–1.03)"),
        ((1.0, 0.9951, 1.0049), "×1.000 (0.995–1.005)"),
        ((0.147, 0.1453, 0.149), "×0.147 (0.145–0.149)"),
        ((12.34, 11.0, 14.0), "×12.3 (11.0–14.0)"),
        ((0.0123, 0.01, 0.02), "×0.0123 (0.0100–0.0200)"),
        ((1e-9, 1e-10, 1e12), "×1.00e-09 (1.00e-10–1.00e+12)"),
        ((1.5, None, None), "×1.50"),
        ((None, None, None), ""),
    ],
)
def test_ratios_in_words(values, text):
    assert verdicts.ratio_text(decision("unclear", *values)) == text


def test_failures_in_words():
    assert verdicts.failures_text(decision(failed_subject=1)) == "1 of 8 against 0 of 8"
    assert verdicts.failures_text(decision()) == ""


def test_the_worst_comes_first():
    found = {
        "same": decision(),
        "slower": decision("slower", 1.2, 1.1, 1.3),
        "slowest": decision("slower", 1.5, 1.4, 1.6),
        "fails": decision("fails", None, None, None, failed_subject=8),
        "faster": decision("faster", 0.5, 0.4, 0.6),
    }
    _, rows, styles = verdicts.rows_of(found)
    assert [row[0] for row in rows] == ["fails", "slowest", "slower", "faster", "same"]
    assert styles == ["bold red", "red", "red", "green", ""]
