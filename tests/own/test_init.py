"""What ``arrayspeed init`` writes: a file that runs as it is, and a workflow."""

import os
import sys

import pytest
import yaml

from arrayspeed.cli.main import main
from arrayspeed.own import starter
from support import schema


@pytest.fixture
def arrayspeed(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder: status, output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def test_two_files_are_written_and_never_overwritten(arrayspeed, tmp_path):
    status, out, _ = arrayspeed("init")
    assert status == 0
    assert "--file benchmarks/mine.py" in out
    made = tmp_path / "benchmarks/mine.py"
    assert "--file benchmarks/mine.py" in made.read_text()
    made.write_text("mine")
    (tmp_path / starter.WORKFLOW).unlink()
    status, _, error = arrayspeed("init")
    assert (status, made.read_text()) == (2, "mine")
    assert error.count("\n") == 1
    assert "benchmarks/mine.py is there already" in error
    assert not (tmp_path / starter.WORKFLOW).exists(), "all or nothing"


def test_the_workflow_runs_the_file(arrayspeed, tmp_path):
    assert arrayspeed("init", "perf of mine/mine.py")[0] == 0
    data = yaml.safe_load((tmp_path / starter.WORKFLOW).read_text())
    (step,) = [each for each in data["jobs"]["compare"]["steps"] if "upgrade" in each.get("run", "")]
    assert "--file 'perf of mine/mine.py'" in step["run"]
    assert step["shell"] == "bash", "else the status of tee is that of the step"
    assert "${{" not in step["run"], "no value of anybody's stands in a script"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["speed.txt"], "speed.txt is no Python file"), (["../mine.py"], "../mine.py is outside this folder")],
)
def test_mistakes(arrayspeed, arguments, said):
    status, _, error = arrayspeed("init", *arguments)
    assert status == 2
    assert said in error


@pytest.mark.environment
def test_the_file_runs_as_it_is(arrayspeed, tmp_path, few_turns):
    arrayspeed("init", "--no-workflow")
    sides = ["--old-env", "A=1", "--new-env", "A=2", "--python", sys.executable]
    code = ["--file", "benchmarks/mine.py", "--size", "100", "--size", "1000"]
    _, out, error = arrayspeed("upgrade", *code, *sides, "--rounds", "2", "--format", "json")
    data = schema.read("upgrade", out)
    functions = {row["function"] for row in data["comparisons"] if row["measure"] == "time_call"}
    defined = {name for name in vars(starter_module()) if name.startswith("bench_")}
    assert functions == defined, error
    assert not [row for row in data["comparisons"] if row["verdict"] in ("fails", "differs")]
    assert os.path.exists(tmp_path / "benchmarks/.arrayspeed")


def starter_module():
    """The example, imported: it needs nothing of arrayspeed."""
    from arrayspeed.own.starter import mine

    return mine
