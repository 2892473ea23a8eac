"""Result files as one table."""

import json
import math

import pytest

from arrayspeed.model.errors import UserError
from arrayspeed.records import results
from support.generated import FAILED, NOT_AVAILABLE, row, write_results


def test_a_value_with_its_labels_and_version(tmp_path):
    write_results(tmp_path, [row("matmul", "jax-jit", 100, 2e-5, dtype="float32")])
    (found,) = results.load(tmp_path).to_dicts()
    expected = {
        "family": "linalg",
        "kernel": "matmul",
        "dtype": "float32",
        "measure": "time_call",
        "backend": "jax-jit",
        "size": 100,
        "device": "cpu",
        "library": "jax",
        "version": "0.10.2",
        "value": 2e-5,
        "failed": False,
    }
    assert found | expected == found


def test_failed_is_kept_and_not_available_is_left_out(tmp_path):
    rows = [row("add", "numpy", 10, FAILED), row("add", "jax", 10, NOT_AVAILABLE), row("add", "torch", 10, 1e-6)]
    write_results(tmp_path, rows)
    table = results.load(tmp_path)
    assert dict(table.select("backend", "failed").iter_rows()) == {"numpy": True, "torch": False}


def test_the_newest_measurement_counts(tmp_path):
    write_results(tmp_path, [row("add", "numpy", 10, 1e-6)], commit="a" * 40, started_at=1_700_000_000_000)
    write_results(tmp_path, [row("add", "numpy", 10, 2e-6)], commit="b" * 40, started_at=1_800_000_000_000)
    write_results(tmp_path, [row("add", "numpy", 10, NOT_AVAILABLE)], commit="c" * 40, started_at=1_900_000_000_000)
    assert results.load(tmp_path)["value"].to_list() == [2e-6]
    assert results.load(tmp_path, every=True)["value"].drop_nulls().len() == 2


def test_machines_do_not_mix(tmp_path):
    write_results(tmp_path, [row("add", "numpy", 10, 1e-6)], machine="one")
    write_results(tmp_path, [row("add", "numpy", 10, 2e-6)], machine="two")
    assert results.load(tmp_path)["value"].len() == 2
    assert results.choose_machine(results.load(tmp_path), "two") == "two"
    with pytest.raises(UserError, match="one, two"):
        results.choose_machine(results.load(tmp_path), "three")


def test_the_report_begins_with_this_machine_and_then_the_one_with_most(tmp_path):
    from arrayspeed.environments.machine import describe

    here = describe()["machine"]
    more = [row("add", "numpy", size, 1e-6) for size in (10, 1_000)]
    write_results(tmp_path, [more[0], row("add", "torch", 10, NOT_AVAILABLE)], machine="a little")
    write_results(tmp_path, more, machine="more")
    assert results.machines(results.load(tmp_path)) == ["more", "a little"]
    write_results(tmp_path, more[:1], machine=here)
    assert results.machines(results.load(tmp_path)) == [here, "more", "a little"]


def test_nothing_measured(tmp_path):
    table = results.load(tmp_path)
    assert table.is_empty()
    assert set(table.columns) == set(results.SCHEMA)
    with pytest.raises(UserError, match="make bench"):
        results.choose_machine(table)


HOSTILE = {
    "params": {"machine": "m"},
    "env_name": "e",
    "commit_hash": "c",
    "requirements": {},
    "result_columns": ["result"],
}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"results": {}}',
        '{"results": 3, "result_columns": []}',
        json.dumps(HOSTILE | {"results": {"a.b.c": [["text"]]}}),
        json.dumps(HOSTILE | {"results": {"a.b.c": [[1.0]]}, "env_name": ["list"]}),
    ],
)
def test_a_file_that_is_none_of_asvs_is_left_out_and_named(tmp_path, capsys, text):
    write_results(tmp_path, [row("add", "numpy", 10, 1e-6)])
    path = write_results(tmp_path, [row("add", "numpy", 10, 1e-6)], commit="f" * 40)
    path.write_text(text)
    assert len(results.load(tmp_path)) == 1
    warning = capsys.readouterr().err
    assert path.name in warning
    assert len(warning.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("linalg.matmul_float64.time_call", ("linalg", "matmul", "float64", "time_call")),
        ("linalg.matmul_transposed_float32.track_error", ("linalg", "matmul_transposed", "float32", "track_error")),
        ("imports.library.timeraw_import", ("imports", "library", None, "timeraw_import")),
    ],
)
def test_names_of_benchmarks(name, parts):
    assert tuple(results.parse_name(name).values()) == parts


def test_parameters():
    assert results.parse_parameters(("'jax-jit'", "2000", "'cpu'")) == {
        "backend": "jax-jit",
        "size": 2000,
        "device": "cpu",
    }
    assert results.parse_parameters(("'numba'",)) == {"backend": "numba", "size": None, "device": None}


def test_values_are_not_rounded(tmp_path):
    write_results(tmp_path, [row("add", "numpy", 10, math.pi)])
    assert results.load(tmp_path)["value"].to_list() == [math.pi]
