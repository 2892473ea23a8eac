"""Backends in turn: from stored processes to rounds, levels and ratios."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from arrayspeed.cli.fleet import rows_of_kind
from arrayspeed.decide import Looks, judge
from arrayspeed.decide.compare import APART, ROUND_NOISE, best, compare, levels, levels_in_turn
from arrayspeed.decide.weighted import part, weighted_mean
from arrayspeed.fleet.kind import Kind
from arrayspeed.measure.backends_until_decided import observed
from arrayspeed.measure.block_results import in_both_states
from arrayspeed.measure.blocks import Block
from arrayspeed.measure.looking import Limits
from arrayspeed.model.combination import Combination
from arrayspeed.model.retention import ALWAYS, NEVER, RETAINED, WHERE_FAULTS, any_differ
from arrayspeed.records.backends import rounds_of_backends
from arrayspeed.records.levels import Case, inverse, rounds_in_turn, with_common_rounds
from arrayspeed.records.processes import Process, Retained, line
from arrayspeed.subjects.questions import Questions
from arrayspeed.upgrades.compare import Collected, Sides, judge_stored, key
from arrayspeed.upgrades.verdict import row_of
from arrayspeed.verdict.verdict import Side
from arrayspeed.versions import releases
from arrayspeed.versions.history import Measured
from arrayspeed.versions.steps import means as steps_means
from arrayspeed.versions.steps import over_versions

BENCHMARK = "elementwise.add_float64.time_call"
LABELS = {"family": "elementwise", "kernel": "add", "dtype": "float64", "measure": "time_call"}


def process(backend, number, batches, block=".block", environment="venv"):
    one = Combination(environment, BENCHMARK, 0, **LABELS, backend=backend, size=1000, device="cpu")
    return Process(one, batches[0] if batches else None, block=block, round=number, batches=list(batches))


def test_backends_of_a_block_have_rounds():
    stored = [process(name, number, [1.0, 2.0]) for number in (0, 1) for name in ("jax", "numpy")]
    (sides,) = rounds_of_backends(stored).values()
    assert list(sides) == [("numpy", "cpu"), ("jax", "cpu")], "the anchor comes first"
    assert sides["jax", "cpu"] == {(".block", 0): [1.0, 2.0], (".block", 1): [1.0, 2.0]}


def test_releases_of_one_backend_are_no_backends_in_turn():
    alone = [process("jax", 0, [1.0], block=None), process("numpy", 0, [1.0], block=None)]
    releases = [process("jax", number, [1.0], block=".releases") for number in (0, 1)]
    assert rounds_of_backends([*alone, *releases]) == {}


def test_a_backend_that_failed_has_no_such_round():
    (sides,) = rounds_of_backends(
        [process("numpy", 0, [1.0]), process("jax", 0, []), process("jax", 1, [2.0])]
    ).values()
    assert sides["jax", "cpu"] == {(".block", 0): [None], (".block", 1): [2.0]}


def test_what_does_not_fit_into_memory_at_once_meets_by_the_anchor():
    """The machine was twice as slow for the second block, and so was the anchor."""
    stored = [process("numpy", 0, [1.0, 1.0], ".first"), process("numba", 0, [3.0, 3.0], ".first")]
    stored += [process("numpy", 0, [2.0, 2.0], ".second"), process("jax", 0, [8.0, 8.0], ".second")]
    (sides,) = rounds_of_backends(stored).values()
    assert sides["jax", "cpu"] == {(".first", 0): [4.0, 4.0]}
    assert sides["numpy", "cpu"] == {(".first", 0): [1.0, 1.0], (".second", 0): [2.0, 2.0]}


def in_rounds(values, spells, noise=0.0, seed=0):
    """Levels of values that take turns in rounds, in each of which the machine is so many times as slow."""
    rng = np.random.default_rng(seed)
    batches = {
        name: {
            number: (value * spell * np.exp(rng.normal(0, noise))).repeat(5).tolist()
            for number, spell in enumerate(spells)
        }
        for name, value in values.items()
    }
    anchor = next(iter(values))
    return levels_in_turn(batches, dict.fromkeys(values, anchor), {name: name for name in values})


def test_spells_of_the_machine_do_not_matter_in_turn():
    spells = (1.0, 3.0, 1.5, 2.0)
    found = in_rounds({"numpy": 1.0, "jax": 1.2}, spells, noise=0.005)
    ratio = compare(found["jax"], found["numpy"])
    assert ratio.verdict == "slower" and ratio.in_turn
    assert ratio.high / ratio.low < 1.1
    alone = levels({"numpy": list(spells), "jax": [1.2 * one for one in reversed(spells)]})
    assert compare(alone["jax"], alone["numpy"]).verdict == "unclear"


def test_one_round_has_the_noise_that_is_assumed():
    found = in_rounds({"numpy": 1.0, "jax": 1.0}, (1.0,))
    ratio = compare(found["jax"], found["numpy"])
    assert math.log(ratio.high) == pytest.approx(1.96 * ROUND_NOISE, rel=0.01)


def test_who_took_no_turns_is_compared_as_measured_apart():
    found = in_rounds({"numpy": 1.0, "jax": 1.0}, (1.0, 1.0, 1.0, 1.0), noise=0.01)
    other = levels({"mlx": [1.0, 1.001, 0.999, 1.0]})["mlx"]
    ratio = compare(other, found["numpy"])
    assert not ratio.in_turn
    assert math.log(ratio.high) > APART


def in_two_states(usual, retained, two_times=(), noise=0.01):
    """Levels of values that take turns in six rounds, with what they are where memory is retained."""
    rng = np.random.default_rng(1)

    def drawn(value):
        return {number: (value * np.exp(rng.normal(0, noise))).repeat(5).tolist() for number in range(6)}

    batches, again = ({name: drawn(value) for name, value in values.items()} for values in (usual, retained))
    anchor = next(iter(usual))
    kinds = {name: name for name in usual}
    return levels_in_turn(batches, dict.fromkeys(usual, anchor), kinds, again, two_times)


def test_an_interval_encloses_both_states_of_the_allocator():
    """NumPy's page faults make it three times as slow: JAX is faster there, and slower where memory is retained."""
    usual, retained = {"numpy": 3.0, "jax": 1.0, "torch": 0.3}, {"numpy": 0.8, "jax": 1.0, "torch": 0.3}
    found = in_two_states(usual, retained, {"numpy"})
    ratio = compare(found["jax"], found["numpy"])
    assert ratio.ratio == pytest.approx(1 / 3, rel=0.05) and ratio.low < 1 / 3
    assert ratio.retained.ratio == pytest.approx(1.25, rel=0.05) and ratio.high == ratio.retained.high > 1.2
    assert ratio.verdict == "unclear" and ratio.retained.verdict == "slower"
    assert inverse(ratio).retained.ratio == pytest.approx(0.8, rel=0.05)
    assert inverse(ratio).low < 0.82 and inverse(ratio).high > 2.9
    assert found["numpy"].value_retained == pytest.approx(0.8, rel=0.05) and found["jax"].value_retained is None
    assert compare(found["torch"], found["numpy"]).verdict == "faster", "in both states"
    assert compare(found["torch"], found["jax"]).retained is None, "neither takes two times"
    assert set(best({name: found[name] for name in ("numpy", "jax")})) == {"numpy", "jax"}
    assert set(best(found)) == {"torch"}
    assert compare(found["jax"].times(2), found["numpy"]).retained.ratio == pytest.approx(2.5, rel=0.05)


def test_a_mean_encloses_both_states_too():
    usual, retained = {"numpy": 3.0, "jax": 1.0}, {"numpy": 0.8, "jax": 1.0}
    found = in_two_states(usual, retained, {"numpy"})
    alone = in_two_states(usual, retained)
    mean = weighted_mean([part(found["jax"], found["numpy"])], [1.0])
    assert mean.verdict == "unclear" and mean.high > 1.2
    assert weighted_mean([part(alone["jax"], alone["numpy"])], [1.0]).verdict == "faster"


def with_retained(backend, number, usual, retained, faults):
    one = process(backend, number, [usual] * 5)
    return replace(one, faults=faults, retained=Retained([retained] * 5, 0.0))


def test_further_turns_are_taken_until_they_were_tried_and_where_they_matter():
    block = Block(".block", tuple(process(name, 0, [1.0]).one for name in ("numpy", "jax")))
    alike = [with_retained("numpy", 0, 1e-3, 1e-3, 1.0), with_retained("jax", 0, 1e-3, 1e-3, 0.0)]
    differing = [with_retained("numpy", 0, 3e-3, 1e-3, 900.0), *alike[1:]]
    for played, expected in (
        ([process("numpy", 0, [1e-3])], WHERE_FAULTS),
        (alike, NEVER),
        (differing, ALWAYS),
        ([process("numpy", 0, [1e-3]), *differing], ALWAYS),
    ):
        assert in_both_states({".block": played})(block) == expected


def test_a_spell_of_the_machine_is_no_other_time():
    """Page faults that go away tell of any process; a ratio of times alone is that of most rounds."""
    slow, usual = (1.0e-3, 20.0, 1.5e-3, 20.0), (1.0e-3, 20.0, 1.0e-3, 20.0)
    assert any_differ([slow]) and any_differ([slow, slow, usual])
    assert not any_differ([slow, usual, usual])
    assert any_differ([usual, usual, (1.0e-3, 200.0, 1.0e-3, 20.0)])
    assert not any_differ([]) and not any_differ([(1.0e-3, 0.0, 1.5e-3, 0.0)]), "without page faults nothing differs"


def test_pairs_are_decided_in_both_states():
    played = [
        each
        for number in range(3)
        for each in (
            with_retained("numpy", number, 3e-3, 1e-3, 900.0),
            with_retained("jax", number, 1e-3, 1e-3, 0.0),
            process("torch", number, [1e-3] * 5),
        )
    ]
    block = Block(".block", tuple(one.one for one in played[:3]), names=("numpy", "jax", "torch"))
    found = observed({".block": block}, {".block": played})
    assert set(found) == {
        (".block", "numpy", "jax", ""),
        (".block", "numpy", "jax", RETAINED),
        (".block", "numpy", "torch", ""),
        (".block", "jax", "torch", ""),
    }
    assert found[".block", "numpy", "jax", RETAINED].differences() == pytest.approx([0.0] * 3)
    assert found[".block", "numpy", "jax", ""].differences() == pytest.approx([-math.log(3)] * 3)


def test_both_states_are_read_from_what_is_stored(tmp_path):
    stored = [with_retained("numpy", 0, 3e-3, 1e-3, 900.0), with_retained("jax", 0, 1e-3, 1e-3, 0.0)]
    stored += [process("numpy", 1, [3e-3] * 5), process("jax", 1, [1e-3] * 5)]
    path = tmp_path / "machine" / "12345678-venv.processes.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line(one)) + "\n" for one in stored))
    found = rounds_in_turn(tmp_path, "machine", "venv", "12345678" + 32 * "0")
    numpy, jax = (found[Case("add", 1000, name)] for name in ("numpy", "jax"))
    assert numpy.two_times and not jax.two_times
    assert len(numpy.rounds) == 2 and numpy.retained == {(".block", 0): [1e-3] * 5}
    assert jax.retained == {(".block", 0): [1e-3] * 5} and jax.anchor.backend == "numpy"


def test_a_level_times_a_number():
    found = in_rounds({"numpy": 1.0, "jax": 2.0}, (1.0, 2.0), noise=0.001)
    assert compare(found["jax"].times(0.5), found["numpy"]).ratio == pytest.approx(1.0, rel=0.01)
    assert found["jax"].times(0.5).value == pytest.approx(found["jax"].value / 2)


def test_copies_of_one_backend_are_not_told_apart():
    """Forty kernels, each with two copies of the anchor: 80 pairs, of which none is told apart by 5 %."""
    wrong = 0
    for seed in range(40):
        found = in_rounds({"numpy": 1.0, "copy": 1.0, "again": 1.0}, (1.0, 2.0, 1.3, 0.8), noise=0.02, seed=seed)
        wrong += sum(compare(found[name], found["numpy"]).verdict in ("slower", "faster") for name in ("copy", "again"))
        assert set(best(found)) == set(found)
    assert wrong == 0


def test_rounds_are_the_same_rounds_for_all_that_compete():
    found = in_rounds({"numpy": 1.0, "jax": 1.0}, (1.0, 2.0, 3.0))
    part = {number: batches for number, batches in found["jax"].met.items() if number}
    batches = {"jax": {number: [math.exp(log) for log in logs] for number, logs in part.items()}}
    numpy, jax, mlx = (Case("add", 1000, name) for name in ("numpy", "jax", "mlx"))
    made = with_common_rounds(
        {
            numpy: found["numpy"],
            jax: levels_in_turn(batches, {"jax": "jax"}, {"jax": "kind"})["jax"],
            mlx: levels({"mlx": [1.0, 1.0]})["mlx"],
        }
    )
    assert made[numpy].rounds == pytest.approx([math.log(2), math.log(3)])
    assert made[jax].rounds == pytest.approx([math.log(2), math.log(3)])
    assert made[mlx].rounds == ()


def test_releases_are_decided_in_both_states():
    sides = [replace(process("numpy", 0, [1.0]).one, environment=name) for name in ("new", "old")]
    played = [
        replace(with_retained("numpy", number, usual, retained, faults), one=one)
        for number in range(3)
        for one, usual, retained, faults in zip(sides, (3e-3, 3e-3), (2e-3, 1e-3), (900.0, 900.0), strict=True)
    ]
    found = releases.observed({".block": Block(".block", tuple(sides))}, {".block": played})
    assert set(found) == {(".block", "old", ""), (".block", "old", RETAINED)}
    assert found[".block", "old", ""].differences() == pytest.approx([0.0] * 3)
    assert found[".block", "old", RETAINED].differences() == pytest.approx([-math.log(2)] * 3)
    earlier = [replace(one, retained=None) for one in played]
    assert set(releases.observed({".block": Block(".block", tuple(sides))}, {".block": earlier})) == {
        (".block", "old", "")
    }


@pytest.mark.parametrize(("before", "after"), [(1.0, 900.0), (900.0, 900.0)])
def test_a_change_of_page_faults_in_one_state_alone_is_none_of_the_release(before, after):
    """Nothing but where its blocks lie makes the new release three times slower in the usual state."""
    old, new = (
        [
            with_retained("numpy", number, usual * (1 + number / 500), 1e-3 * (1 + number / 500), faults)
            for number in range(6)
        ]
        for usual, faults in ((1e-3, before), (3e-3, after))
    )
    rows = judge_stored({("time_call", "add", 1000, "cpu"): Sides(old, new)}, Limits())
    word = "unclear" if before != after else "slower"
    assert {row.state: row.verdict for row in rows} == {"": word, RETAINED: "same"}
    assert all(row.decision.bounded == bool(row.state) for row in rows)
    assert all(row.decision.ratio > 2.9 for row in rows if not row.state)
    said = [row_of(row, (Side("1.0"), Side("2.0"))).quantity.averaged for row in rows if not row.state]
    assert said == [before == after], "nor is it in the geometric mean of an upgrade"
    what = ("time_call", "elementwise", "add", "float64", "numpy", 1000, "cpu")
    measured = Measured(what, {"1.0": old, "2.0": new}, "2.0")
    ((series,), (common, means)) = over_versions([measured]), steps_means([measured, measured])
    assert [point.verdict for point in series.points] == ["unclear" if before != after else "faster", "anchor"]
    assert bool(series.steps) == (before == after)
    assert common == "2.0" and bool(means) == (before == after)


def of_releases(**values):
    """Rounds in which releases met: of each its usual time, the one where memory is retained, and page faults."""
    found = []
    for number in range(6):
        for name, (usual, retained, faults) in values.items():
            one = with_retained("numpy", number, usual * (1 + number / 500), retained * (1 + number / 500), faults)
            found.append(replace(one, one=replace(one.one, environment=name)))
    where = key(found[0].one)
    collected = Collected({where: SimpleNamespace(name=".block")}, {".block": found})
    return where, lambda asked: Questions(asked, collected, {name: name for name in values})


@pytest.mark.parametrize(("before", "after"), [(1.0, 900.0), (900.0, 900.0)])
def test_a_search_for_a_release_asks_in_both_states(before, after):
    where, asking = of_releases(old=(1e-3, 1e-3, before), new=(3e-3, 1e-3, after))
    questions = asking({(where, "old", "new"): None})
    seen = questions.observed(1.05)
    assert set(seen) == {(where, "", "old", "new"), (where, RETAINED, "old", "new")}
    found = questions.found(dict(zip(seen, judge(list(seen.values())), strict=True)), 1.05)
    usual, retained = found[where, "old", "new"], found[(*where, RETAINED), "old", "new"]
    assert (usual.verdict, retained.verdict) == ("unclear" if before != after else "slower", "same")
    assert usual.worse == (before == after) and retained.what == (*where, RETAINED)
    assert usual.ratio > 2.9 and "memory retained" in retained.name and "memory retained" not in usual.name
    again = asking({((*where, RETAINED), "old", "new"): None})
    assert set(again.observed(1.05)) == set(seen), "whichever is asked for, both are looked at"


def test_which_end_a_release_is_nearer_to_is_asked_in_the_state_in_which_they_differ():
    where, asking = of_releases(old=(1e-3, 1e-3, 900.0), middle=(3e-3, 1e-3, 900.0), new=(3e-3, 1e-3, 900.0))
    ends = ("old", "new")
    for what, state, ratio in ((where, "", math.sqrt(3)), ((*where, RETAINED), RETAINED, 1.0)):
        questions = asking({(what, ends, "middle"): 1.0})
        ((question, one),) = questions.observed(1.05).items()
        assert question == (where, state, ends, "middle")
        (decision,) = judge([one])
        assert decision.ratio == pytest.approx(ratio)
        assert questions.found({question: decision}, 1.05)[what, ends, "middle"].ratio == pytest.approx(ratio)


def test_what_takes_one_time_is_asked_once():
    where, asking = of_releases(old=(1e-3, 1e-3, 0.0), new=(2e-3, 2e-3, 0.0))
    assert set(asking({(where, "old", "new"): None}).observed(1.05)) == {(where, "", "old", "new")}
    other = ("another", *where[1:])
    assert asking({(other, "old", "new"): None}).observed(1.05) == {}


def test_a_fleet_judges_in_both_states():
    """Whatever its hosts sent: the upgrade's rule is that of a single host."""
    sides = [replace(process("numpy", 0, [1.0]).one, environment=name) for name in ("old", "new")]
    block = Block(".block", tuple(sides))
    played = [
        replace(with_retained("numpy", number, usual * (1 + number / 500), 1e-3, faults), one=one)
        for number in range(6)
        for one, usual, faults in zip(sides, (1e-3, 3e-3), (1.0, 900.0), strict=True)
    ]
    kind = Kind("machine", [], {".block": block}, Looks(), {".block": {"host": played}}, {".block": "host"})
    kind.stop(late=True)
    assert {state: one.verdict for (*_, state), one in kind.decisions.items()} == {"": "slower", RETAINED: "same"}
    rows = rows_of_kind(kind, 1.05)
    assert {row.state: row.verdict for row in rows} == {"": "unclear", RETAINED: "same"}
    assert [one.one.environment for one in (*rows[0].old, *rows[0].new)] == ["old"] * 6 + ["new"] * 6


def test_a_release_is_safe_only_in_both_states():
    """What an earlier run stored lacks the other state, in which the new release takes twice as long."""
    old, new = (
        [
            with_retained("numpy", number, 3e-3 * (1 + number / 500), retained * (1 + number / 500), 900.0)
            for number in range(6)
        ]
        for retained in (1e-3, 2e-3)
    )
    for side in (old, new):
        side[0] = replace(side[0], retained=None)
    rows = judge_stored({("time_call", "add", 1000, "cpu"): Sides(old, new[:-1])}, Limits())
    assert {row.state: row.verdict for row in rows} == {"": "same", RETAINED: "slower"}
