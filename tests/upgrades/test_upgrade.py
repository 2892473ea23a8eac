"""What an upgrade makes of its processes, what it prints, and the environments that it compares."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from arrayspeed.formats.verdicts import upwards
from arrayspeed.measure.blocks import blocks_of
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, selected
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import held
from arrayspeed.records.processes import Process
from arrayspeed.subjects.kernels import Kernels
from arrayspeed.upgrades import compare, pair
from arrayspeed.upgrades.verdict import verdict
from arrayspeed.verdict import builds
from arrayspeed.verdict.data import as_json
from arrayspeed.verdict.text import as_markdown, as_table
from arrayspeed.verdict.verdict import Side
from kernels import CATALOGUE
from kernels.catalogue import in_tier
from support import schema


def one(kernel="matmul", measure="time_call", backend="jax-jit", environment="old", family="linalg"):
    return Combination(
        environment,
        f"{family}.{kernel}_float64.{measure}",
        0,
        family,
        kernel,
        "float64",
        measure,
        backend,
        1000,
        "cpu",
    )


def found(*cases):
    """What was measured of cases: combination, values of the old side by round, values of the new."""
    made = {}
    for combination, old, new in cases:
        sides = (
            [Process(combination, value, round=n, block=f"run.{combination.kernel}") for n, value in enumerate(values)]
            for values in (old, new)
        )
        made[compare.key(combination)] = compare.Sides(*sides)
    return made


def judged(*cases):
    return compare.judge_stored(found(*cases), Limits())


NOISE = [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01, 0.99, 1.0, 1.002]


def scaled(factor, count=10):
    return [factor * value for value in NOISE[:count]]


def shuffled(factor):
    return [factor * value for value in NOISE[::-1]]


CASES = {
    "slower": (scaled(1e-3), shuffled(1.3e-3), "slower"),
    "faster": (scaled(1e-3), shuffled(0.7e-3), "faster"),
    "same": (scaled(1e-3), shuffled(1e-3), "same"),
    "drifting": ([1e-3 * 1.3**n for n in range(10)], [1.15e-3 * 1.3**n * v for n, v in enumerate(NOISE)], "slower"),
    "between": (scaled(1e-3), shuffled(1.05e-3), "unclear"),
    "fails": (scaled(1e-3), [None] * 10, "fails"),
    "works": ([None] * 10, scaled(1e-3), "works now"),
    "sometimes": (scaled(1e-3), [None, 1e-3] * 5, "sometimes fails"),
    "broken": ([None] * 10, [None] * 10, "fails in both"),
    "noisy": ([1e-3, 4e-3] * 5, [4e-3, 4e-3, 1e-3, 1e-3, 2e-3] * 2, "unclear"),
    "once": ([1e-3], [2e-3], "unclear"),
}


@pytest.fixture
def rows():
    return judged(*((one(kernel=name), old, new) for name, (old, new, _) in CASES.items()))


def test_each_kernel_is_compared_in_its_own_precision_and_in_those_that_are_named():
    def chosen(*patterns):
        return {dtype for one in compare.default_selections([*patterns], ["cpu"], []) for dtype in one.dtypes}

    own = {kernel.dtypes[0] for kernel in CATALOGUE.values()}
    assert chosen() == chosen("matmul") == own == {"float64", "int64"}
    assert chosen("matmul_float32") == own | {"float32"}


def test_every_case_has_its_verdict(rows):
    assert {row.one.kernel: row.verdict for row in rows} == {name: word for name, (_, _, word) in CASES.items()}


@pytest.mark.parametrize(
    ("names", "unclear", "status"),
    [
        (["same", "faster", "works"], 0.05, 0),
        (["same", "slower"], 0.05, 1),
        (["same", "fails"], 0.05, 1),
        (["same", "sometimes"], 0.05, 1),
        (["same", "same 2", "noisy"], 0.05, 2),
        (["same", "same 2", "noisy"], 0.5, 0),
        (["broken"], 0.05, 2),
        ([], 0.05, 2),
    ],
)
def test_exit_status(names, unclear, status):
    rows = judged(*((one(kernel=name), *CASES[name.removesuffix(" 2")][:2]) for name in names))
    assert as_upgrade(rows, unclear=unclear).status == status


def test_an_error_of_another_rounding_is_no_change():
    rows = judged(
        (one(kernel="rounding", measure="track_error"), [1.1e-16] * 2, [2.1e-16] * 2),
        (one(kernel="digits", measure="track_error"), [1.1e-16] * 2, [1.1e-8] * 2),
        (one(kernel="exact", measure="track_error"), [0.0] * 2, [0.0] * 2),
    )
    assert {row.one.kernel: row.verdict for row in rows} == {
        "rounding": "negligible",
        "digits": "less accurate",
        "exact": "same",
    }


def test_memory_must_grow_by_more_than_the_allocator_s_grain():
    mib = 2.0**20
    rows = judged(
        (one(kernel="grain", measure="track_memory"), [0.0] * 4, [0.9 * mib] * 4),
        (one(kernel="small", measure="track_memory"), [10 * mib] * 4, [10.9 * mib] * 4),
        (one(kernel="large", measure="track_memory"), [100 * mib] * 4, [110 * mib] * 4),
        (one(kernel="new", measure="track_memory"), [0.0] * 4, [3 * mib] * 4),
        (one(kernel="less", measure="track_memory"), [100 * mib] * 4, [50 * mib] * 4),
    )
    assert {row.one.kernel: row.verdict for row in rows} == {
        "grain": "negligible",
        "small": "negligible",
        "large": "larger",
        "new": "larger",
        "less": "smaller",
    }


def test_a_process_that_failed_leaves_the_other_rounds_pairs():
    """Both sides drift by ×10; were the rounds behind the failure to slip by one, the ratio would be lost."""
    drift = [1e-3 * 1.3**n for n in range(10)]
    (row,) = judged((one(), drift, [None if n == 3 else value * NOISE[n] for n, value in enumerate(drift)]))
    assert row.verdict == "same"
    assert row.decision.rounds == 9
    assert row.decision.failed_subject == 1
    (listed,) = as_upgrade([row]).listed
    assert listed.failures == "failed: 1 of 10 against 0 of 10", "a failure is always listed"


def test_what_neither_side_can_measure_is_not_compared():
    lacking = {"why": "NotAvailable: no", "kind": "not available", "block": "run.matmul"}
    absent = [Process(one(), None, round=n, **lacking) for n in range(4)]
    works = [Process(one(), value, round=n, block="run.matmul") for n, value in enumerate(scaled(1e-3, 4))]
    assert compare.Sides(absent, absent).available() == compare.Sides()
    assert compare.judge_stored({"key": compare.Sides(absent, absent).available()}, Limits()) == []
    some = compare.Sides([*works[:3], absent[3]], [*works[:3], absent[3]]).available()
    assert [len(some.old), len(some.new)] == [3, 3]
    lacks = compare.Sides(works, absent).available()
    assert [row.verdict for row in compare.judge_stored({"key": lacks}, Limits())] == ["fails"]


def test_a_process_that_cannot_tell_how_much_memory_is_no_failure_of_its_side():
    lacking = {"why": "NotAvailable: known within 14,336 bytes alone", "kind": "not available", "block": "run.matmul"}
    growth = one(measure="track_resident")
    old = [Process(growth, 0.0, round=n, block="run.matmul") for n in range(7)]
    new = [Process(growth, None, round=n, **lacking) if n < 4 else old[n] for n in range(7)]
    known = compare.Sides(old, new).available()
    assert [len(known.old), len(known.new)] == [3, 3]
    assert [row.verdict for row in compare.judge_stored({"key": known}, Limits())] == ["same"]


@pytest.mark.parametrize(
    ("minutes", "tier", "sizes"),
    [(1000, "core", ["small", "large"]), (5, "bench", ["small", "large"]), (1, "bench", ["small"])],
)
def test_the_selection_is_the_largest_whose_first_look_fits(monkeypatch, minutes, tier, sizes):
    kernels = Kernels.__new__(Kernels)
    kernels.selections = compare.default_selections([], ["cpu"], [], in_tier("core"))
    said = []
    kernels.say = said.append

    def blocks_for(_, selections, __):
        (calls,) = (each for each in selections if each.measures == ["time_call"])
        sides = [(name, size) for name in calls.kernels for size in calls.sizes]
        ones = [
            replace(one(kernel=name, environment=side), size=getattr(CATALOGUE[name], size))
            for name, size in sides
            for side in ("old", "new")
        ]
        return {made.name: made for made in blocks_of(ones, ["old", "new"], "")}

    monkeypatch.setattr("arrayspeed.subjects.kernels.compare.blocks_for", blocks_for)
    chosen = kernels.within(None, minutes)
    assert {name for each in chosen for name in each.kernels} == set(in_tier(tier))
    (calls,) = (each for each in chosen if each.measures == ["time_call"])
    assert calls.sizes == sizes
    assert bool(said) == (tier == "bench")
    assert all(f"to be done in {minutes:g} minutes; --tier core takes" in line for line in said)


def test_what_never_met_is_compared_with_the_noise_between_minutes():
    old, new = ([Process(one(), value) for value in values] for values in (scaled(1e-3), scaled(1.15e-3)))
    (row,) = compare.judge_stored({"key": compare.Sides(old, new)}, Limits())
    assert row.verdict == "unclear"
    assert not row.decision.paired
    assert "unpaired" in as_markdown(as_upgrade([row]))


def as_upgrade(rows, unclear=0.05, **others):
    sides = Side("0.9.2", "3.12"), Side("0.10.2", "3.12")
    return verdict("jax", sides, rows, "machine", Limits(), others, unclear)


def test_the_worst_comes_first_and_what_is_unclear_is_listed(rows):
    words = [row.verdict for row in as_upgrade(rows).listed]
    assert words[:3] == ["fails", "sometimes fails", "slower"]
    assert words.count("unclear") == 3
    assert "same" not in words


def test_a_part_of_the_kernels_is_not_taken_for_all():
    (row,) = judged((one(kernel="add"), scaled(1e-3), scaled(1e-3)))
    assert f"1 of {len(CATALOGUE)} kernels were compared" in as_markdown(as_upgrade([row]))
    every = [replace(row, one=replace(row.one, kernel=name)) for name in CATALOGUE]
    assert "kernels were compared" not in as_markdown(as_upgrade(every))


def test_conclusion_counts(rows):
    text = as_upgrade(rows).headline
    assert text == (
        "jax 0.9.2 → 0.10.2: NOT SAFE: 1 fails (fails 1,000 jax-jit), 1 sometimes fails (sometimes 1,000 jax-jit), "
        "2 slower (slower 1,000 jax-jit ×1.30, drifting 1,000 jax-jit ×1.15)."
    )


def outcome_of(*names):
    return as_upgrade(judged(*((one(kernel=name), *CASES[name][:2]) for name in names))).outcome


def test_what_is_safe_says_what_could_hide():
    assert re.fullmatch(r"SAFE: nothing is slower; no slowdown beyond ×1\.0\d can hide\.", outcome_of("same"))
    assert re.fullmatch(r"SAFE: nothing is slower; no slowdown beyond ×1\.0\d can hide\.", outcome_of("between"))
    assert "no slowdown can hide" in outcome_of("faster", "works")


def test_what_is_undecided_says_what_could_hide_and_where():
    assert re.fullmatch(r"UNDECIDED: a slowdown of ×[\d.]+ could hide in noisy 1,000 jax-jit\.", outcome_of("noisy"))
    assert outcome_of("once") == "UNDECIDED: too little was measured of once 1,000 jax-jit."
    assert outcome_of("broken") == "UNDECIDED: nothing could be compared."


def test_what_is_not_bounded_is_named_where_so_much_is_allowed():
    rows = judged(*((one(kernel=name), *CASES[name][:2]) for name in ("same", "noisy")))
    text = as_upgrade(rows, unclear=0.5).outcome
    assert re.search(r"can hide, except in noisy 1,000 jax-jit \(at most ×[\d.]+\)\.$", text)


def test_bounds_are_rounded_upwards():
    assert [upwards(each) for each in (1.0801, 1.08, 1.2, 12.1)] == ["1.09", "1.08", "1.20", "13.0"]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_terminal_of_any_width_shows_every_row_whole(rows, width):
    """As a table where there is room, else line by line: no word is broken, and nothing is cut off."""
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(as_table(as_upgrade(rows)))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert text.count("jax-jit") >= len(CASES) - 1
    for word in ("sometimes fails", "×1.30", "1.00 ms", "1.30 ms", "drifting"):
        assert word in text
    assert "old: 0.9.2; new: 0.10.2" in text
    assert "1 same" in text and "--all shows them" in text
    assert ("│" not in text) and ("verdict" in text) == (width == 140)


def test_markdown_is_a_table_of_what_changed(rows):
    text = as_markdown(as_upgrade(rows, ml_dtypes=("0.4.1", None)))
    lines = text.splitlines()
    assert lines[0].startswith("**NOT SAFE: 1 fails")
    assert lines[2] == "jax 0.9.2 → 0.10.2"
    assert any(
        line.startswith("| slower | time | slower 1,000 | jax-jit | 1.00 ms | 1.30 ms | ×1.30") for line in lines
    )
    assert "5 of 10 against 0 of 10" in text
    assert "ml_dtypes 0.4.1 → absent" in text
    tables = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in tables} == {10, 6}


def test_json_holds_every_process(rows):
    data = schema.read("upgrade", as_json(as_upgrade(rows)))
    assert data["exit_status"] == 1
    keys = {"comparison", "verdict", "worse", "ratio", "low", "high", "rounds", "failed_reference", "failed_subject"}
    keys |= {"bounded", "bound", "benchmark", "kernel", "backend", "size", "device", "measure"}
    assert all(keys <= row.keys() for row in data["comparisons"])
    assert len({row["comparison"] for row in data["comparisons"]}) == len(CASES)
    (slower,) = (row for row in data["comparisons"] if row["kernel"] == "slower")
    assert [process["value"] for process in slower["reference"]] == scaled(1e-3)
    assert slower["low"] < slower["ratio"] < slower["high"]
    assert data["verdict_counts"]["unclear"] == 3


def test_geometric_means_by_family():
    rows = judged(
        *(
            (one(kernel=f"{family} {n}", family=family), scaled(1e-3), shuffled(factor * 1e-3))
            for family, factor in (("linalg", 1.5), ("fft", 0.5))
            for n in range(3)
        )
    )
    means = {one.family: one.mean for one in as_upgrade(rows).averages}
    assert {family: mean.comparisons for family, mean in means.items()} == {"all": 6, "fft": 3, "linalg": 3}
    assert {mean.rounds for mean in means.values()} == {10}, "rounds are those of the run, not of each block"
    for family, expected in (("all", 0.75**0.5), ("fft", 0.5), ("linalg", 1.5)):
        assert means[family].ratio == pytest.approx(expected, rel=1e-2)
        assert means[family].low < expected < means[family].high


CONFIG = [
    {"python": "3.11", "req": {"numpy": "2.4.6", "numba": "0.68.1", "jax": "0.10.2", "torch": "2.15.0"}},
    {"python": "3.11", "req": {"jax": "0.9.2", "jaxlib": "0.9.2", "numpy": "2.2.6"}},
    {"python": "3.11", "req": {"jax": "0.10.2", "jaxlib": "0.10.2", "numpy": "2.2.6"}},
    {"python": "3.11", "req": {"numba": "0.68.1", "numpy": "2.0.2", "scipy": "1.14.1"}},
    {"python": "3.11", "req": {"numpy": "2.4.6"}},
]


def pair_of(library, old, new, companions=()):
    config = SimpleNamespace(include=CONFIG, pythons=["3.11"])
    return [entry["req"] for entry in pair.pair_config(config, library, old, new, companions).include]


def test_environments_are_those_of_the_library_s_own_series():
    assert pair_of("jax", "0.4.30", "0.8.0") == [
        {"jax": "0.4.30", "jaxlib": "0.4.30", "numpy": "2.2.6"},
        {"jax": "0.8.0", "jaxlib": "0.8.0", "numpy": "2.2.6"},
    ]
    assert pair_of("numpy", "1.26.4", "2.3.0") == [{"numpy": "1.26.4"}, {"numpy": "2.3.0"}]
    assert pair_of("numba", "0.60.0", "0.61.0", ["numpy==1.26.4"])[0] == {
        "numba": "0.60.0",
        "numpy": "1.26.4",
        "scipy": "1.14.1",
    }


def test_environments_of_a_chosen_python():
    config = SimpleNamespace(include=CONFIG, pythons=["3.11"])
    made = pair.pair_config(config, "jax", "0.10.2", "0.12.0", (), ["3.12", "3.13"]).include
    assert [(entry["python"], entry["req"]["jax"]) for entry in made] == [("3.12", "0.10.2"), ("3.13", "0.12.0")]
    assert pair.packages_that_differ("jax", [{"numpy": "2"}] * 2, ["3.12", "3.13"]) == {"Python": ("3.12", "3.13")}


OF_PYTHON = {
    "python": "3.14",
    "env_nobuild": {"ARRAYSPEED_SUBJECT": "python"},
    "req": {"numpy": "2.4.6", "jax": "0.10.2"},
}


def test_two_pythons_have_the_same_packages():
    config = SimpleNamespace(include=[*CONFIG, OF_PYTHON], pythons=["3.11"])
    old, new = pair.pair_config(config, "python", "3.12", "3.14t").include
    assert (old["python"], new["python"]) == ("3.12", "3.14t")
    assert old["req"] == new["req"] == OF_PYTHON["req"]
    assert old["env_nobuild"] == {"ARRAYSPEED_SUBJECT": "python"}
    assert pair.packages_that_differ("python", [old["req"], new["req"]], ["3.12", "3.14t"]) == {}
    same = pair.pair_config(config, "python", "3.12", "3.12").include
    assert same[0] != same[1]
    assert pair.template(config, "jax")["req"]["jaxlib"] == "0.10.2", "lines of Python are no releases of JAX"
    with pytest.raises(UserError, match="its versions are what is compared"):
        pair.pythons_of(config, "python", ["3.12", "3.13"], (), print, ["3.11"])
    with pytest.raises(UserError, match="'3' is not a version of Python"):
        pair.check_versions("python", "3", "3.13")
    with pytest.raises(UserError, match=r"asv\.conf\.json lists no environment with"):
        pair.template(SimpleNamespace(include=CONFIG, pythons=["3.11"]), "python")


def test_everything_of_an_environment_of_python_is_measured():
    of_python = SimpleNamespace(name="one", requirements=OF_PYTHON["req"], env_vars=OF_PYTHON["env_nobuild"])
    of_jax = SimpleNamespace(name="two", requirements=OF_PYTHON["req"], env_vars={})
    assert held(of_python) == OF_PYTHON["req"]
    assert held(of_jax) == {"jax": "0.10.2"}
    asked = [Selection(libraries=names) for names in ([], ["python"], ["jax"])]
    assert [selected(of_python, one) for one in asked] == [True, True, False]
    assert [selected(of_jax, one) for one in asked] == [True, False, True]


def test_a_library_without_a_series_gets_the_newest_numpy():
    assert pair_of("tensorflow", "2.18.0", "2.19.0")[1] == {"tensorflow": "2.19.0", "numpy": "2.4.6"}


def test_the_same_version_twice_is_two_copies():
    config = SimpleNamespace(include=CONFIG, pythons=["3.11"])
    first, second = pair.pair_config(config, "jax", "0.9.2", "0.9.2").include
    assert first["req"] == second["req"]
    assert first != second


@pytest.mark.parametrize(
    ("companion", "says"),
    [
        ("numpy @ file:///numpy.whl", "not a package and its versions"),
        ("numpy==2; python_version > '3'", "not a package and its versions"),
        ("jax==1", "is the library being upgraded"),
        ("=", "not a requirement"),
    ],
)
def test_companions_that_make_no_sense(companion, says):
    with pytest.raises(UserError, match=says):
        pair_of("jax", "0.9.2", "0.10.2", [companion])


@pytest.mark.parametrize(
    ("text", "version"), [("numpy==2.0.2", "2.0.2"), ("numpy", ""), ("numpy>=2", ""), ("numpy==2.*", "")]
)
def test_a_companion_is_exact_or_leaves_its_version_open(text, version):
    assert pair.pinned(text) == version
    assert pair.exact("jax", [text]) == {"numpy": version or text.removeprefix("numpy")}


@pytest.mark.parametrize(
    ("library", "version", "says"), [("jaxx", "1", "Did you mean 'jax'"), ("jax", "newest", "is not a version")]
)
def test_names_that_are_none(library, version, says):
    with pytest.raises(UserError, match=says):
        pair.check_versions(library, "1.0", version)


def test_packages_that_differ():
    old, new = {"jax": "1", "numpy": "2", "ml_dtypes": "3"}, {"jax": "2", "numpy": "2", "scipy": "4"}
    assert pair.packages_that_differ("jax", [old, new], ["3.11", "3.11"]) == {
        "ml_dtypes": ("3", None),
        "scipy": (None, "4"),
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            {"torch": "2.13.0+cpu", "numpy": "2.2.6"},
            {"torch": "2.15.0", "numpy": "2.2.6"},
            "torch 2.13.0+cpu and 2.15.0.",
        ),
        ({"torch": "2.13.0+cpu"}, {"torch": "2.15.0+rocm7.1"}, "torch 2.13.0+cpu and 2.15.0+rocm7.1."),
        ({"torch": "2.13.0+cpu"}, {"torch": "2.15.0+cpu"}, ""),
        ({"torch": "2.13.0"}, {"torch": "2.15.0+cu132"}, ""),
        ({"toy": "1.0+g1a2b3c"}, {"toy": "1.0+g4d5e6f"}, ""),
        ({"torch": "2.13.0+cpu"}, {}, ""),
    ],
)
def test_builds_of_different_kinds_are_named(old, new, said):
    found = builds.note([old, new])
    assert found.startswith(f"Builds of different kinds: {said} What differs") if said else not found


def test_a_verdict_of_kernels_names_them(rows):
    sides = (Side("2.13.0", "3.12", {"torch": "2.13.0+cpu"}), Side("2.15.0", "3.12", {"torch": "2.15.0"}))
    found = verdict("torch", sides, rows, "machine", Limits(), {})
    assert builds.note([side.packages for side in sides]) in found.notes
