"""What is out of date, taken out of the results: of the machine that is named, and nothing else."""

import json
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from arrayspeed.measure.plan import Selection
from arrayspeed.measure.stale import stale
from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.errors import UserError
from arrayspeed.records import processes, removal, results
from arrayspeed.records.fingerprints import fingerprint
from support import schema
from support.generated import FAILED, row, write_project, write_results
from tests.conftest import command_here
from tests.records.test_merge import MACHINE, records, snapshot, values

OTHER = "generated-64cpu"
ROWS = [row("add", "numpy", 10, 1e-6), row("add", "jax", 10, 2e-6), row("matmul", "numpy", 100, 3e-6)]

#: Two environments: the first has a value of this code, the second has none.
MIXED, OLD = {"numpy": "2.4.6", "jax": "0.10.2"}, {"numpy": "2.0.2"}


def of(entry, environment="x"):
    """The combination of a generated row."""
    backend, size, device = entry["parameters"]
    return Combination(
        environment, entry["name"], 0, **parse_name(entry["name"]), backend=backend, size=size, device=device
    )


@pytest.fixture
def folder(tmp_path):
    """Results of two machines: of one environment only `add` in NumPy is of this code, of another one nothing is."""
    made = write_project(tmp_path)
    for machine in (MACHINE, OTHER):
        for requirements, rows in ((MIXED, ROWS), (OLD, ROWS[:1])):
            path = write_results(made, rows, machine=machine, requirements=requirements, processes=2)
            path.with_suffix(".packages.txt").write_text("".join(f"{k}=={v}\n" for k, v in requirements.items()))
            if requirements is MIXED:
                lines = path.with_suffix(processes.SUFFIX)
                rows = [json.loads(text) for text in lines.read_text().splitlines()]
                known = {"fingerprint": fingerprint(of(ROWS[0]), requirements)}
                rows = [one | (known if (one["backend"], one["size"]) == ("numpy", 10) else {}) for one in rows]
                lines.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return made


def run(folder, *arguments, status=0):
    return command_here("run", *arguments, cwd=folder.parent, status=status)


def stored(folder):
    """Environment, backend and size of each of asv's values of the other machine."""
    table = results.load(folder).filter(pl.col("value").is_not_null() & (pl.col("machine") == OTHER))
    return set(table.select("environment", "backend", "size").iter_rows())


def test_what_is_out_of_date_goes_and_the_rest_stays_as_it_is(folder):
    before = snapshot(folder)
    said = run(folder, "--stale", "--machine", OTHER, status=1).stdout
    listed = schema.read("run", run(folder, "--stale", "--machine", OTHER, "--format", "json", status=1).stdout)
    assert sum(each["values"] for each in listed["stale"]) == listed["values"] - 1
    assert said.count("(1 value)") == 1
    assert "jax0.10.2-numpy2.4.6: add, matmul: " in said
    assert snapshot(folder) == before

    assert run(folder, "--stale", "--machine", OTHER, "--remove").stdout == said + "removed from 5 files\n"
    after = snapshot(folder)
    assert {name: text for name, text in after.items() if name.startswith(MACHINE)} == {
        name: text for name, text in before.items() if name.startswith(MACHINE)
    }
    # Of the environment with values of older code only, no file is left, and its packages are not either.
    assert not [name for name in after if name.startswith(OTHER) and "numpy2.0.2" in name]
    assert values(folder) == {(MACHINE, "numpy", 10): 1e-6, (OTHER, "numpy", 10): 1e-6} | {
        (MACHINE, backend, size): value for backend, size, value in (("jax", 10, 2e-6), ("numpy", 100, 3e-6))
    }
    assert [one["backend"] for one in records(folder, OTHER)] == ["numpy", "numpy"]
    (path,) = (folder / OTHER).glob("*-*.json")
    kept = json.loads(path.read_text())
    assert list(kept["results"]) == ["elementwise.add_float64.time_call"]
    assert kept.keys() == json.loads(before[f"{OTHER}/{path.name}"]).keys()
    assert run(folder, "--stale", "--machine", OTHER).stdout == "none of 1 value is out of date\n"
    assert run(folder, "--stale", "--machine", OTHER, "--remove").stdout == "none of 1 value is out of date\n"
    assert snapshot(folder) == after


def test_filters_narrow_what_goes(folder):
    said = run(folder, "--stale", "--machine", OTHER, "--remove", "--backend", "jax", "--environment", "jax").stdout
    assert said.endswith(": measured before it was recorded what a value depends on (1 value)\nremoved from 2 files\n")
    assert (OTHER, "jax", 10) not in values(folder)
    assert values(folder)[OTHER, "numpy", 100] == 3e-6


def test_failures_of_the_same_benchmark_stay(tmp_path):
    rows = [row("add", "numpy", 10, 1e-6), row("add", "jax", 10, FAILED)]
    path = write_results(tmp_path, rows, environment="venv", processes=1)
    removal.remove(path.parent, [of(rows[0], "venv")])
    (entry,) = json.loads(path.read_text())["results"].values()
    assert None in entry[0]
    assert 1e-6 not in entry[0]
    assert not path.with_suffix(processes.SUFFIX).read_text()


@pytest.mark.parametrize("count", range(7))
def test_after_a_kill_between_two_files_the_rest_is_found_and_goes(folder, monkeypatch, count):
    """No value is left without the processes by which it is known to be out of date."""
    left = iter([True] * count)

    def killed(kept):
        def change(path, *content):
            if not next(left, False):
                raise KeyboardInterrupt
            kept(path, *content)

        return change

    def remove():
        selection, config = Selection(), SimpleNamespace(results_dir=str(folder))
        found = [one for each in stale(config, selection, OTHER)[0] for one in each.ones]
        removal.remove(folder / OTHER, found)
        return found

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(removal, "replace", killed(removal.replace))
        patch.setattr(Path, "unlink", killed(Path.unlink))
        remove()
    lines = (folder / OTHER).glob(f"*{processes.SUFFIX}")
    found = [one.one for path in lines for one in processes.of_file(path, processes.environment_of(path))]
    measured = {(one.environment, one.backend, one.size) for one in found}
    assert stored(folder) <= measured
    remove()
    assert [key[1:] for key in stored(folder)] == [("numpy", 10)]
    assert remove() == []


def test_a_file_that_is_none_of_asvs_stops_it_before_anything_is_changed(folder):
    (folder / OTHER / "zzzzzzzz-cut.json").write_text("{")
    before = snapshot(folder)
    with pytest.raises(UserError, match=r"cut\.json is not a result file of asv"):
        removal.remove(folder / OTHER, [of(ROWS[1], "virtualenv-py3.11-jax0.10.2-numpy2.4.6")])
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--remove"], "--remove goes with --stale"),
        (["--machine", OTHER], "--machine goes with --stale"),
        (
            ["--stale", "--machine", "absent"],
            f"no results of machine 'absent'; there are results of {MACHINE}, {OTHER}",
        ),
        (["--stale", "--remove", "--selection", "articles"], "--selection has no effect on it"),
        (["--stale", "--machine", "..", "--remove"], "no results of machine '..'"),
        (["--stale", "--machine", OTHER, "--kernel", "fft", "--remove"], "no stored values of what is selected"),
    ],
)
def test_mistakes_are_one_line_and_lose_nothing(folder, arguments, message):
    before = snapshot(folder)
    done = run(folder, *arguments, status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert snapshot(folder) == before
