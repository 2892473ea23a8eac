"""What an upgrade makes of its processes, what it prints, and the environments that it compares."""

import json
from types import SimpleNamespace

import pytest

from arrayspeed.errors import UserError
from arrayspeed.plan import Combination
from arrayspeed.processes import Process
from arrayspeed.upgrades import compare, pair, verdict


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


def comparison(*cases):
    """A Comparison of cases: combination, values of the old side, values of the new."""
    found = compare.Comparison()
    for combination, old, new in cases:
        for values, into in ((old, found.old), (new, found.new)):
            into[compare.key(combination)] += [
                Process(combination, value, [value] if value else []) for value in values
            ]
    return found


NOISE = [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01, 0.99, 1.0, 1.002]


def scaled(factor, count=10):
    return [factor * value for value in NOISE[:count]]


def shuffled(factor):
    return [factor * value for value in NOISE[::-1]]


CASES = {
    "slower": (scaled(1e-3), shuffled(1.3e-3), "regression"),
    "faster": (scaled(1e-3), shuffled(0.7e-3), "improvement"),
    "same": (scaled(1e-3), shuffled(1e-3), "unchanged"),
    "too little": (scaled(1e-3), shuffled(1.04e-3), "unchanged"),
    "fails": (scaled(1e-3), [None] * 10, "newly failing"),
    "works": ([None] * 10, scaled(1e-3), "newly working"),
    "broken": ([None] * 10, [None] * 10, "fails in both"),
    "noisy": ([1e-3, 4e-3] * 5, [4e-3, 4e-3, 1e-3, 1e-3, 2e-3] * 2, "unclear"),
    "once": ([1e-3], [2e-3], "unclear"),
}


@pytest.fixture
def rows():
    cases = [(one(kernel=name), old, new) for name, (old, new, _) in CASES.items()]
    return compare.judge(comparison(*cases), 1.05, paired=True)


def test_every_case_has_its_verdict(rows):
    assert {row.kernel: row.verdict for row in rows} == {name: expected for name, (_, _, expected) in CASES.items()}


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["same", "faster", "works"], 0),
        (["same", "slower"], 1),
        (["same", "fails"], 1),
        (["same", "same 2", "noisy"], 0),
        (["same", "noisy", "once"], 2),
        (["broken"], 2),
        ([], 2),
    ],
)
def test_exit_status(names, status):
    cases = [(one(kernel=name), *CASES[name.removesuffix(" 2")][:2]) for name in names]
    assert compare.status(compare.judge(comparison(*cases), 1.05, paired=True)) == status


def test_an_error_of_another_rounding_is_no_change():
    cases = [
        (one(kernel="rounding", measure="track_error"), [1.1e-16] * 3, [2.1e-16] * 3),
        (one(kernel="digits", measure="track_error"), [1.1e-16] * 3, [1.1e-8] * 3),
        (one(kernel="exact", measure="track_error"), [0.0] * 3, [0.0] * 3),
    ]
    found = {row.kernel: row.verdict for row in compare.judge(comparison(*cases), 1.05, paired=True)}
    assert found == {"rounding": "unchanged", "digits": "regression", "exact": "unchanged"}


def test_failures_in_one_process_do_not_fail_a_side():
    old, new = scaled(1e-3), [*shuffled(1e-3)[:9], None]
    (row,) = compare.judge(comparison((one(), old, new)), 1.05, paired=True)
    assert row.verdict == "unchanged"


def as_upgrade(rows, **others):
    return verdict.Upgrade("jax", "0.9.2", "0.10.2", "machine", 1.05, others, rows)


def test_the_worst_comes_first(rows):
    assert [row.verdict for row in verdict.listed(rows)] == [
        "newly failing",
        "regression",
        "newly working",
        "improvement",
        "fails in both",
    ]


def test_conclusion_counts(rows):
    text = verdict.conclusion(as_upgrade(rows))
    assert text.startswith("jax 0.9.2 → 0.10.2: regressions. 1 newly failing; 1 regression; ")
    assert text.endswith("2 unchanged, 2 unclear, of 9 comparisons.")


def test_markdown_is_a_table_of_what_changed(rows):
    text = verdict.as_markdown(as_upgrade(rows, ml_dtypes=("0.4.1", None)))
    lines = text.splitlines()
    assert lines[0].startswith("**jax 0.9.2 → 0.10.2")
    assert any(
        line.startswith("| regression | time | slower 1,000 | jax-jit | 1.00 ms | 1.30 ms | ×1.30") for line in lines
    )
    assert "ml_dtypes 0.4.1 → absent" in text
    tables = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in tables} == {8, 5}


def test_json_holds_every_sample(rows):
    data = json.loads(verdict.as_json(as_upgrade(rows)))
    assert data["status"] == 1
    (slower,) = (row for row in data["comparisons"] if row["kernel"] == "slower")
    assert [process["value"] for process in slower["old"]] == scaled(1e-3)
    assert all(process["samples"] for process in slower["new"])
    assert slower["low"] < slower["ratio"] < slower["high"]


def test_geometric_means_by_family():
    cases = [
        (one(kernel=f"{family} {n}", family=family), scaled(1e-3), shuffled(factor * 1e-3))
        for family, factor in (("linalg", 1.5), ("fft", 0.5))
        for n in range(3)
    ]
    found = {
        family: (count, mean)
        for _, family, count, mean in verdict.means(compare.judge(comparison(*cases), 1.05, paired=True))
    }
    assert {family: count for family, (count, _) in found.items()} == {"all": 6, "fft": 3, "linalg": 3}
    for family, expected in (("all", 0.75**0.5), ("fft", 0.5), ("linalg", 1.5)):
        _, (mean, low, high) = found[family]
        assert mean == pytest.approx(expected, rel=1e-3)
        assert low < mean < high


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
        ("numpy", "leaves the version open"),
        ("numpy>=2", "leaves the version open"),
        ("jax==1", "is what is upgraded"),
        ("=", "not a requirement"),
    ],
)
def test_companions_that_make_no_sense(companion, says):
    with pytest.raises(UserError, match=says):
        pair_of("jax", "0.9.2", "0.10.2", [companion])


@pytest.mark.parametrize(
    ("library", "version", "says"), [("jaxx", "1", "Did you mean 'jax'"), ("jax", "newest", "is not a version")]
)
def test_names_that_are_none(library, version, says):
    with pytest.raises(UserError, match=says):
        pair.check_versions(library, "1.0", version)


def test_packages_that_differ():
    old, new = {"jax": "1", "numpy": "2", "ml_dtypes": "3"}, {"jax": "2", "numpy": "2", "scipy": "4"}
    assert pair.packages_that_differ("jax", old, new) == {"ml_dtypes": ("3", None), "scipy": (None, "4")}
