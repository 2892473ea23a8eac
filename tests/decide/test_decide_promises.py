"""The promises of decisions, on thousands of comparisons whose truth is known, under every simulated trouble."""

import json
import math
import random
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from arrayspeed.cli import simulate as command
from arrayspeed.cli.main import main
from arrayspeed.decide import Decision, Observed, judge, simulate
from arrayspeed.decide.looks import SPENDING
from arrayspeed.decide.simulate import SCENARIOS, Scenario, draw, fixed, runs, sequential, summarise
from arrayspeed.model import thresholds
from support import schema
from tests.conftest import ROOT

COMPARISONS = 2000

#: Where the figures stand, and the page that has the worst of them.
PAGE, METHOD = ROOT / "docs" / "lab" / "2026-11-simulation.md", ROOT / "docs" / "method.md"

QUIET = Scenario("quiet", simulate.normal, noise=(0.02, 0.05))


def outcomes(truths, rule=sequential, **options):
    return [one for truth in truths for one in rule(truth, **options)]


@cache
def judged_in(scenario):
    """A scenario, its data, and what became of them."""
    truths = list(runs(scenario, COMPARISONS))
    return SimpleNamespace(scenario=scenario, truths=truths, outcomes=outcomes(truths))


def careless(truth, rounds=10):
    """A rule that takes every ratio for true."""
    shifts = np.log(truth.subject[:, :rounds]).mean(axis=1) - np.log(truth.reference[:, :rounds]).mean(axis=1)
    found = []
    for true, ratio in zip(truth.ratios, np.exp(shifts), strict=True):
        word = "slower" if ratio > 1.05 else "faster" if ratio < 1 / 1.05 else "same"
        found.append(simulate.Outcome(true, Decision(word, ratio, ratio, ratio, rounds, 0, 0, rounds, rounds), rounds))
    return found


#: `make check` has one scenario, `make test` has all.
PARAMETERS = [SCENARIOS[0], *(pytest.param(scenario, marks=pytest.mark.seconds) for scenario in SCENARIOS[1:])]


@pytest.fixture(params=PARAMETERS, ids=lambda scenario: scenario.name)
def judged(request):
    return judged_in(request.param)


def test_what_is_said_is_true(judged):
    found = summarise(judged.outcomes)
    assert found.comparisons >= 2000
    assert found.changed > 100
    assert found.called_same > 200
    assert found.false_changed <= 0.05
    assert found.false_same <= 0.05
    assert found.not_slower > 20
    assert found.false_not_slower <= 0.05
    assert found.bounded > 1000
    assert found.false_bounded <= 0.05


def test_what_a_gate_says_is_true_and_costs_less(judged):
    found = summarise(outcomes(judged.truths, until="limit"))
    words = summarise(judged.outcomes)
    assert found.bounded > 1000
    assert found.false_bounded <= 0.05
    assert found.false_changed <= 0.05
    assert found.open <= words.open + 0.02
    assert found.pairs < 0.75 * words.pairs
    for one in judged.outcomes:
        if one.decision.bounded:
            assert one.decision.bound <= 1.25


LONE = [
    *(pytest.param(SCENARIOS[0], until, marks=pytest.mark.seconds) for until in ("words", "limit")),
    *(pytest.param(scenario, "limit", marks=pytest.mark.long) for scenario in SCENARIOS[1:]),
    *(pytest.param(scenario, "words", marks=pytest.mark.rest) for scenario in SCENARIOS[1:]),
]


@pytest.mark.parametrize(("judged", "until"), LONE, indirect=["judged"])
def test_a_lone_slowdown_among_equals_is_not_lost(judged, until):
    """By just the limit, where hundreds of others are equal: a rule that believes what is usual would lose it."""
    missed = round(60 * simulate.lone(judged.scenario, 60, until=until))
    assert missed <= binom.ppf(0.999, 60, 0.05)


class Few(simulate.Truth):
    """A file of few functions, whose noise is judged with what is usual of times."""

    def observed(self, place, rounds):
        return replace(super().observed(place, rounds), group=None, usual=thresholds.CALLS.noise)


class Alone(simulate.Truth):
    """The same without."""

    def observed(self, place, rounds):
        return replace(super().observed(place, rounds), group=None)


@pytest.mark.seconds
@pytest.mark.parametrize("noise", [(0.01, 0.03), (0.02, 0.20), (0.08, 0.20)], ids=["quiet", "any", "busy"])
def test_what_is_usual_saves_rounds_of_few_comparisons_and_hides_nothing(noise):
    """Also on a machine with several times the usual noise."""
    few = replace(SCENARIOS[0], noise=noise)
    count, number = 120, 2

    def ended(ratio, kind, until="limit"):
        rng, ratios = np.random.default_rng(9), np.array([ratio] + [1.0] * (number - 1))
        truths = (draw(few, rng, number, ratios) for _ in range(count))
        return [sequential(kind(one.ratios, one.reference, one.subject), until=until) for one in truths]

    def rounds(kind):
        return fmean(max(one.pairs for one in found) for found in ended(1.0, kind))

    most = binom.ppf(0.999, count, 0.05)
    for until in ("limit", "words"):
        missed = [found[0].decision for found in ended(simulate.LONE, Few, until)]
        assert sum(one.bounded or one.verdict in ("same", "not slower") for one in missed) <= most
    at_the_factor = [found[0].decision.verdict for found in ended(1.05, Few, "words")]
    assert at_the_factor.count("slower") <= most
    assert at_the_factor.count("same") <= most
    assert rounds(Few) < 0.93 * rounds(Alone)


def test_intervals_hold_what_they_promise(judged):
    """Of all comparisons, and of what was chosen for being changed; the simulation itself is good to 0.5 %."""
    found = summarise(judged.outcomes)
    assert 0.93 <= found.covered <= 0.985
    assert found.covered_chosen >= 0.93
    once = summarise(outcomes(judged.truths, fixed, rounds=10))
    assert 0.93 <= once.covered <= 0.98


def test_words_and_intervals_agree(judged):
    for one in judged.outcomes:
        decision = one.decision
        if decision.verdict == "same":
            assert 1 / 1.05 < decision.low <= decision.high < 1.05
        if decision.verdict == "slower":
            assert decision.low > 1.05
        if decision.verdict == "faster":
            assert decision.high < 1 / 1.05


#: Runs in which every ratio is the factor: how many, and in how many of them a word may come by chance where it comes
#: in as many as the looks spend.
AT_THE_FACTOR = 40
MOST_AT_THE_FACTOR = binom.ppf(0.999, AT_THE_FACTOR, sum(SPENDING))


def says_little(found):
    assert found.runs == AT_THE_FACTOR
    return max(found.changed, found.same) * found.runs <= MOST_AT_THE_FACTOR + 1e-9


#: What takes long: `make test` has the scenario in which most runs say something, `make test-all` has all.
MOST = "a round's effect on all comparisons"
FEW = [scenario if scenario.name == MOST else pytest.param(scenario, marks=pytest.mark.rest) for scenario in SCENARIOS]


@pytest.mark.seconds
@pytest.mark.parametrize("scenario", FEW, ids=lambda scenario: scenario.name)
def test_at_the_factor_few_runs_say_anything(scenario):
    """The worst case: each word is wrong, and all of those of its run."""
    assert says_little(simulate.boundary(scenario, AT_THE_FACTOR))
    assert says_little(simulate.boundary(scenario, AT_THE_FACTOR, late=simulate.LATE))


@pytest.mark.seconds
@pytest.mark.parametrize("scenario", FEW, ids=lambda scenario: scenario.name)
def test_few_runs_say_anything_where_nothing_differs(scenario):
    assert simulate.alarms(scenario, AT_THE_FACTOR) * AT_THE_FACTOR <= binom.ppf(0.999, AT_THE_FACTOR, 0.01)


@pytest.mark.seconds
@pytest.mark.parametrize(("late", "least"), [(3, 50), (4, 100), (simulate.LATE, 100), (7, 100)])
def test_what_is_said_when_time_is_up_is_true(judged, late, least):
    """The last look, wherever it comes, says no more than it may."""
    quiet = replace(judged.scenario, noise=(0.01, 0.03))
    rng = np.random.default_rng(6)
    found = summarise(outcomes([*judged.truths, *(draw(quiet, rng) for _ in range(5))], late=late))
    assert found.changed > least
    assert found.called_same > 2 * least
    assert found.false_changed <= 0.05
    assert found.false_same <= 0.05


@pytest.mark.seconds
def test_the_page_has_what_is_false_when_time_is_up():
    late = [summarise(outcomes(judged_in(scenario).truths, late=simulate.LATE)) for scenario in SCENARIOS]
    shares = [
        [one.false_changed for one in late if one.changed],
        [one.false_same for one in late if one.called_same],
    ]
    (said,) = re.findall(
        r"Where time is up after five rounds.*?at most ([\d.]+) %.*?and\s+([\d.]+) %",
        PAGE.read_text(),
        re.DOTALL,
    )
    assert list(map(float, said)) == pytest.approx([100 * max(each) for each in shares], abs=0.06)


@pytest.mark.rest
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_page_has_the_runs_that_say_anything_in_the_worst_case(scenario):
    worst, late = (simulate.boundary(scenario, 100, late=late) for late in (None, simulate.LATE))
    shares = [worst.changed, worst.same, late.changed, late.same, simulate.alarms(scenario, 100)]
    (row,) = [
        row
        for row in re.findall(rf"^\| {re.escape(scenario.name)} \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
        if re.fullmatch(r"\d+ %( \| \d+ %){4}", row)
    ]
    assert [float(number) for number in re.findall(r"\d+", row)] == pytest.approx([100 * each for each in shares])


def test_a_time_limit_is_no_reason_to_decide_less_than_a_look(judged):
    """The same rounds, as the last look and as one that others follow."""
    last, one = (summarise(outcomes(judged.truths, **options)) for options in ({"late": 3}, {"rounds": 3}))
    assert last == one


def test_means_hold_what_they_promise(judged):
    """Two hundred means are good to 1.5 %."""
    assert simulate.coverage_of_means(judged.scenario, 200).covered >= 0.91


def test_large_changes_are_found(judged):
    assert summarise(judged.outcomes).found[1.5] >= 0.9


def test_the_page_has_the_figures_that_are_found_here(judged):
    """But for those of means and of fixed rounds."""
    now = summarise(judged.outcomes)
    page = PAGE.read_text()
    rows = re.findall(rf"^\| {re.escape(judged.scenario.name)} \| (.*) \|$", page, re.MULTILINE)
    said = [[float(number) for number in re.findall(r"[\d.]+", row)] for row in rows]
    true = [("false_changed", "false_same", "covered", "covered_chosen"), (1.10, 1.20, "same", "unclear")]
    for numbers, names in zip(said[:2], true, strict=True):
        expected = [100 * (now.found[name] if isinstance(name, float) else getattr(now, name)) for name in names]
        assert numbers[:4] == pytest.approx(expected, abs=0.11)
    assert said[1][4] == pytest.approx(now.pairs, abs=0.06)
    gate = summarise(outcomes(judged.truths, until="limit"))
    expected = [now.false_not_slower, now.false_bounded, now.bounded / now.comparisons, gate.bounded / gate.comparisons]
    expected += [gate.worse[1.20], gate.worse[1.50]]
    assert said[2][:6] == pytest.approx([100 * each for each in expected], abs=0.11)
    assert said[2][6] == pytest.approx(gate.pairs, abs=0.06)


def column(page, name):
    """The numbers of a column of the page's tables, by its head."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    (place, head) = next((cells.index(name), number) for number, cells in enumerate(lines) if name in cells)
    return [float(re.match(r"[\d.]+", cells[place])[0]) for cells in lines[head + 1 : head + 1 + len(SCENARIOS)]]


@pytest.mark.parametrize(
    ("told", "name", "worst"),
    [
        ("called slower or faster, and is not", "false slower/faster", max),
        ("called the same, and is not", "false same", max),
        ("a lone slowdown of ×1.25 among 199 equals is missed by a gate, of 100 runs", "missed by a gate", max),
        ("intervals that hold", "intervals that hold", min),
        ("intervals of what is slower or faster that hold", "of slower/faster", min),
        ("×1.10 called slower", "×1.10 found", min),
        ("×1.20 called slower", "×1.20 found", min),
        ("equals called the same", "equals called same", min),
    ],
)
def test_the_method_has_the_worst_of_the_figures(told, name, worst):
    (said,) = re.findall(rf"^\| {re.escape(told)} \| ([\d.]+) % \|", METHOD.read_text(), re.MULTILINE)
    assert float(said) == worst(column(PAGE.read_text(), name))


@pytest.mark.seconds
def test_power_where_noise_is_small():
    rng = np.random.default_rng(1)
    truths = [draw(QUIET, rng) for _ in range(5)]
    found = summarise(outcomes(truths))
    assert found.found[1.10] >= 0.95
    assert found.found[1.20] == 1.0
    assert found.same >= 0.95
    finer = summarise(outcomes(truths, factor=1.02), factor=1.02)
    assert finer.found[1.05] >= 0.75
    assert finer.false_changed <= 0.05


def test_power_is_never_bought_by_more_noise():
    """The share of equals called the same, and of slowdowns called so, falls as noise grows; what is unclear grows."""
    same, slower, false = [], [], []
    for noise in (0.02, 0.04, 0.08, 0.16, 0.32):
        scenario = replace(QUIET, noise=(noise, noise), grouped=False)
        rng = np.random.default_rng(2)
        ratios = np.tile([1.0, 1.15, 1.06, 1.0], 50)
        found = fixed(draw(scenario, rng, ratios=ratios), 8)
        same.append(np.mean([one.decision.verdict == "same" for one in found if one.ratio == 1.0]))
        slower.append(np.mean([one.decision.verdict == "slower" for one in found if one.ratio == 1.15]))
        false.append(sum(one.decision.verdict == "same" for one in found if one.ratio > 1.05))
    assert same[0] > 0.9 > 0.1 > same[-1]
    assert slower[0] > 0.9 > 0.1 > slower[-1]
    assert all(later <= earlier + 0.02 for shares in (same, slower) for earlier, later in pairwise(shares))
    assert max(false) <= 2


@pytest.mark.seconds
def test_looks_spend_far_fewer_processes_than_a_fixed_number_of_rounds():
    normal = judged_in(SCENARIOS[0])
    found = summarise(normal.outcomes)
    needed = simulate.fixed_rounds_needed(normal.truths, 1 - found.unclear)
    assert found.pairs / needed <= 0.6


def test_a_fixed_number_of_rounds_that_cannot_be_enough():
    assert simulate.fixed_rounds_needed([draw(SCENARIOS[0], np.random.default_rng(3))], 1.0) is None


def test_a_broken_promise_is_named():
    found = summarise(outcomes(judged_in(SCENARIOS[0]).truths, careless))
    means = simulate.Means(100, 0.5)
    half = simulate.Boundary(100, 0.5, 0.5)
    report = simulate.Report("a", found, half, 0.5, means, 10, found, half, found, 0.5, 0.5, 100)
    broken = " ".join(report.broken())
    assert "false slower or faster" in broken
    assert "means that miss: 50.0%" in broken
    assert "runs with slower or faster where every ratio is the factor: 50.0%" in broken
    assert "runs with same where every ratio is the factor: 50.0%" in broken
    assert "slower or faster where nothing differs: 50.0%" in broken
    assert "slower or faster, time up" in broken
    assert "runs with same at the factor, time up: 50.0%" in broken
    assert "lone slowdown that is missed: 50.0%" in broken
    assert "lone slowdown that a gate misses: 50.0%" in broken
    now = summarise(judged_in(SCENARIOS[0]).outcomes)
    none = simulate.Boundary(100, 0.0, 0.0)
    kept = simulate.Report("a", now, none, 0.0, simulate.Means(100, 0.95), None, now, none, now, 0.0, 0.0, 100)
    assert kept.broken() == []
    assert kept.spent is None


# The same with noise that was measured

#: Seconds of twenty processes of NumPy 2.4.6 each, by kernel and size, in their order: from one version compared with
#: itself on two shared cores, which is a noisy place.
RECORDED = json.loads((Path(__file__).parent / "recorded_processes.json").read_text())

ROUNDS = 10


def recorded(rng, noise=None, slowed=None):
    """Every recorded combination split at random into two sides; the ``slowed`` one 10 % slower on the second. With the
    noise that was there, or scaled to another, its distribution kept.
    """
    found = []
    for number, values in enumerate(RECORDED.values()):
        logs = [math.log(value) for value in rng.sample(values, 2 * ROUNDS)]
        scale = noise / stdev(logs) if noise else 1.0
        centred = [scale * (log - fmean(logs)) for log in logs]
        extra = math.log(1.1) if number == slowed else 0.0
        old, new = centred[:ROUNDS], [log + extra for log in centred[ROUNDS:]]
        found.append(Observed(*(dict(enumerate(map(math.exp, side))) for side in (old, new))))
    return found


def test_what_was_recorded_is_enough():
    assert len(RECORDED) >= 20
    assert all(len(values) == 2 * ROUNDS for values in RECORDED.values())


def test_nothing_is_found_in_recorded_noise_where_nothing_differs():
    rng = random.Random(5)
    wrong = sum(
        any(one.verdict not in ("same", "not slower", "unclear") for one in judge(recorded(rng))) for _ in range(200)
    )
    assert wrong / 200 <= 0.05


def test_a_slowdown_of_a_tenth_is_found_where_processes_differ_by_2_percent():
    rng = random.Random(4)
    trials = [number % len(RECORDED) for number in range(100)]
    found = sum(judge(recorded(rng, 0.02, slowed))[slowed].verdict == "slower" for slowed in trials)
    assert found / len(trials) >= 0.9


# The command


def run(capsys, monkeypatch, scenarios=2, **options):
    monkeypatch.setattr(command, "SCENARIOS", SCENARIOS[:scenarios])
    chosen = {"comparisons": 200, "format": "table"} | options
    status = command.main(SimpleNamespace(**chosen))
    return status, capsys.readouterr()


@pytest.mark.seconds
def test_simulate_prints_a_row_a_scenario(capsys, monkeypatch):
    status, printed = run(capsys, monkeypatch, format="markdown")
    rows = [line.split(" | ") for line in printed.out.splitlines() if line.startswith("|")]
    assert status == 0
    # Two tables, each with a line below its headings.
    assert len(rows) == 2 * (2 + 2)
    for table in (rows[:4], rows[4:]):
        assert len({len(row) for row in table}) == 1
    assert "1 of 2: normal noise" in printed.err


@pytest.mark.seconds
def test_simulate_for_a_terminal(capsys, monkeypatch):
    _, printed = run(capsys, monkeypatch, scenarios=1)
    assert "normal noise" in printed.out
    assert "fixed rounds" in printed.out


@pytest.mark.seconds
def test_simulate_for_programs(capsys, monkeypatch):
    _, printed = run(capsys, monkeypatch, scenarios=1, format="json")
    data = schema.read("simulate", printed.out)
    (row,) = data["scenarios"]
    assert row["now"]["comparisons"] == 200
    assert row["now"]["pairs"] / row["needed"] == pytest.approx(row["spent"])
    assert row["broken"] == []


@pytest.mark.seconds
def test_simulate_exits_with_1_where_a_promise_is_broken(capsys, monkeypatch):
    monkeypatch.setattr(simulate, "sequential", lambda truth, *_, **__: careless(truth))
    status, printed = run(capsys, monkeypatch, scenarios=1, comparisons=2000)
    assert status == 1
    assert "broken: normal noise: false slower or faster" in printed.err


@pytest.mark.parametrize("count", [0, -1, 10_000_000])
def test_simulate_refuses_numbers_that_make_no_sense(capsys, count):
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "--comparisons", str(count)])
    assert ended.value.code == 2
    assert f"--comparisons {count} is not valid: from 1 to 1,000,000" in capsys.readouterr().err
