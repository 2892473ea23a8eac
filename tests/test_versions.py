"""Series over releases and their steps."""

import json

import pytest

from arrayspeed import cli, results
from arrayspeed.processes import Noise
from arrayspeed.versions import Point, order, over_versions, steps
from tests.generated import FAILED, row, write_project, write_results


def points(*values, spread=0.02):
    return [
        Point(str(n), value, value and value * (1 - spread), value and value * (1 + spread))
        for n, value in enumerate(values)
    ]


def test_releases_are_in_their_order():
    assert sorted(["0.10.2", "0.9.2", "0.4.35", "dev"], key=order) == ["dev", "0.4.35", "0.9.2", "0.10.2"]


def test_a_step_is_found_with_its_release():
    (step,) = steps(points(1.0, 1.01, 0.99, 1.5, 1.49, 1.51))
    assert step.version == "3"
    assert step.ratio == pytest.approx(1.5, rel=0.02)


def test_failures_are_left_out():
    (step,) = steps(points(1.0, None, 1.0, 2.0, None, 2.0))
    assert step.version == "3"


@pytest.mark.parametrize(
    "values", [(1.0,), (1.0, 1.0), (1.0, 1.01, 0.99, 1.0), (1.0, 1.0, 1.08, 1.08), (), (None, None)]
)
def test_no_step_where_there_is_none(values):
    assert steps(points(*values)) == []


def test_no_step_within_the_noise_of_the_samples():
    assert steps(points(1.0, 1.0, 1.0, 1.4, 1.4, 1.4, spread=0.3)) == []


SECONDS = {"0.4.35": 1e-3, "0.9.2": 1.01e-3, "0.10.2": 0.5e-3}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Results of three releases of JAX, and of the newest together with other libraries."""
    folder = write_project(tmp_path)
    for number, (version, seconds) in enumerate(SECONDS.items()):
        requirements = {"jax": version, "jaxlib": version, "numpy": "2.2.6"}
        rows = [row("matmul", "jax", 1000, seconds), row("fft", "jax", 1000, FAILED if version == "0.9.2" else 1e-3)]
        write_results(folder, rows, requirements=requirements, started_at=1_700_000_000_000 - number)
    write_results(
        folder, [row("matmul", "jax", 1000, 9.0)], requirements={"jax": "0.10.2", "torch": "2.15.0", "numpy": "2"}
    )
    monkeypatch.chdir(tmp_path)
    return folder


def versions(capsys, *arguments):
    with pytest.raises(SystemExit) as exit:
        cli.main(["versions", *arguments])
    captured = capsys.readouterr()
    return exit.value.code, captured.out, captured.err


def test_series_are_of_environments_of_one_library(project):
    fft, matmul = over_versions(results.load(project), "jax")
    assert [(point.version, point.value) for point in matmul.points] == list(SECONDS.items())
    assert [step.version for step in matmul.steps] == ["0.10.2"]
    assert [point.value for point in fft.points] == [1e-3, None, 1e-3]
    assert over_versions(results.load(project), "torch") == []
    noisy = {"jax": Noise(10, 0.3)}  # three standard deviations are more than a factor of two
    assert [one.steps for one in over_versions(results.load(project), "jax", noisy)] == [[], []]


def test_the_command_shows_series_and_steps(project, capsys):
    status, out, _ = versions(capsys, "jax")
    assert status == 0
    lines = out.splitlines()
    (matmul,) = (line.strip() for line in lines if line.strip().startswith("matmul"))
    assert matmul.split() == ["matmul", "1,000", "jax", "1.00", "ms", "1.01", "ms", "▼", "500", "µs"]
    assert any("0.10.2  matmul 1,000 jax: ×0.50" in line for line in lines)
    assert any("failed" in line for line in lines if line.strip().startswith("fft"))


def test_the_command_as_json(project, capsys):
    status, out, _ = versions(capsys, "jax", "--json", "--kernel", "matmul")
    assert status == 0
    (series,) = json.loads(out)["series"]
    assert [point["version"] for point in series["points"]] == list(SECONDS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jaxx"], "Did you mean 'jax'"),
        (["torch"], "arrayspeed run --selection versions --library torch"),
        (["jax", "--kernel", "matmull"], "Did you mean 'matmul'"),
        (["jax", "--machine", "nowhere"], "nowhere"),
        (["jax", "--factor", "1"], "1.1"),
    ],
)
def test_mistakes_get_one_line_and_status_2(project, capsys, arguments, says):
    status, _, err = versions(capsys, *arguments)
    assert status == 2
    assert len(err.splitlines()) == 1
    assert says in err
