"""Suites and commands that exist, measured like one's own file; and variants against each other."""

import sys

import pytest

from arrayspeed.cli.main import main
from arrayspeed.own.commands import metric
from support import schema

#: Sides are started and timed.
pytestmark = pytest.mark.environment

SIDES = ["--old-env", "FACTOR=1", "--new-env", "FACTOR=3"]

WORK = 'sum(range(10_000 * int(os.environ.get("FACTOR", "1"))))'


@pytest.fixture
def run(tmp_path, capsys, monkeypatch, few_turns):
    """Runs a command in a folder: status, and what it printed as JSON."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--format", "json", "--python", sys.executable])
        printed = capsys.readouterr()
        return ended.value.code, schema.read("upgrade", printed.out) if printed.out else printed.err

    return call


def times(data):
    return {(row["function"], row["size"]): row for row in data["comparisons"] if row["measure"] == "time_call"}


@pytest.mark.clock
def test_a_suite_of_asv(run, tmp_path):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "sums.py").write_text(
        f"""
import os

class Sums:
    params = [[1, 2], ["a"]]

    def setup_cache(self):
        return {{"made": os.getpid()}}

    def setup(self, cache, number, name):
        self.number = number

    def time_work(self, cache, number, name):
        assert cache["made"] and self.number == number
        {WORK}

    def teardown(self, cache, number, name):
        del self.number

def time_nothing():
    pass

time_nothing.setup = lambda: None

class EveryCallNeedsASetup:
    def setup(self):
        self.left = [1]

    def time_pop(self):
        self.left.pop()

class EveryThirdCallNeedsASetup:
    number = 3

    def setup(self):
        self.left = iter(range(3))

    def time_next(self):
        next(self.left)

class Skipped:
    def setup(self):
        raise NotImplementedError

    def time_skipped(self):
        pass

class SkippedInNew:
    def setup(self):
        if os.environ["FACTOR"] == "3":
            raise NotImplementedError

    def time_skipped(self):
        pass

class OfTheVersion:
    params = [os.environ["FACTOR"]]

    def time_parameter(self, number):
        pass

if os.environ["FACTOR"] == "1":
    def time_gone():
        pass
"""
    )
    (folder / "broken.py").write_text("import nosuch")
    (folder / "old.py").write_text("import os\nassert os.environ['FACTOR'] == '1', 'removed'\ndef time_old(): pass\n")
    status, data = run("upgrade", "--asv", "suite", *SIDES, "--rounds", "4")
    assert status == 1
    found = times(data)
    on_one_side = {
        ("sums.SkippedInNew.time_skipped", None): ("fails", "fails in FACTOR=3: it skips itself"),
        ("sums.time_gone", None): ("fails", "fails in FACTOR=3: sums.time_gone is not defined here"),
        ("sums.OfTheVersion.time_parameter", "'1'"): (
            "fails",
            "fails in FACTOR=3: sums.OfTheVersion.time_parameter is not defined here for '1'",
        ),
        ("sums.OfTheVersion.time_parameter", "'3'"): (
            "works now",
            "fails in FACTOR=1: sums.OfTheVersion.time_parameter is not defined here for '3'",
        ),
        ("old.time_old", None): (
            "fails",
            "fails in FACTOR=3: its module old cannot be imported: AssertionError: removed",
        ),
    }
    assert set(found) == {
        ("sums.Sums.time_work", "1, 'a'"),
        ("sums.Sums.time_work", "2, 'a'"),
        ("sums.time_nothing", None),
        ("sums.EveryCallNeedsASetup.time_pop", None),
        ("sums.EveryThirdCallNeedsASetup.time_next", None),
        *on_one_side,
    }
    for key, row in found.items():
        verdict, detail = on_one_side.get(key, (row["verdict"], ""))
        assert (row["verdict"], row.get("detail", "")) == (verdict, detail)
        assert bool(row["failed_subject"] + row["failed_reference"]) == (key in on_one_side)
    assert {row["measure"] for row in data["comparisons"]} == {"time_call", "import"}
    notes = " ".join(data["notes"])
    assert "Skipped by themselves in FACTOR=1 and FACTOR=3: sums.Skipped.time_skipped." in notes
    assert "Its module broken cannot be imported: ModuleNotFoundError: No module named 'nosuch'." in data["notes"]
    assert "In FACTOR=3: Its module old cannot be imported: AssertionError: removed." in data["notes"]
    assert found["sums.Sums.time_work", "1, 'a'"]["verdict"] == "slower"


@pytest.mark.clock
def test_tests_of_pytest_benchmark(run, tmp_path):
    (tmp_path / "test_speed.py").write_text(
        f"""
import os
import pytest

@pytest.fixture
def number():
    return 5

@pytest.mark.parametrize("power", [2, 3])
def test_power(benchmark, number, power):
    assert benchmark(pow, number, power) == number**power

def test_work(benchmark):
    def work():
        {WORK}
    benchmark.pedantic(work, rounds=3)

def test_fails(benchmark):
    if os.environ["FACTOR"] == "3":
        raise ValueError("before it")
    benchmark(len, [])

@pytest.mark.skipif(os.environ["FACTOR"] == "3", reason="not there")
def test_skipped_in_new(benchmark):
    benchmark(len, [])

def test_skipped(benchmark):
    pytest.skip("nowhere")

def test_calls_nothing(benchmark):
    pass

def test_without():
    assert True
"""
    )
    (tmp_path / "test_old.py").write_text(
        "import os\nif os.environ['FACTOR'] == '3':\n    import removed\n"
        "def test_old(benchmark):\n    benchmark(len, [])\n"
    )
    (tmp_path / "test_broken.py").write_text("import nosuch\n")
    status, data = run("upgrade", "--pytest", ".", *SIDES, "--rounds", "2")
    assert status == 1
    found = times(data)
    name = "test_speed.py::test_"
    names = {(name + each, None) for each in ("work", "fails", "skipped_in_new")}
    assert set(found) == {(name + "power", "2"), (name + "power", "3"), ("test_old.py::test_old", None), *names}
    assert 2 < found[name + "work", None]["ratio"] < 4.5
    assert found[name + "fails", None]["verdict"] == "fails"
    assert "ValueError: before it" in found[name + "fails", None]["detail"]
    assert found[name + "skipped_in_new", None]["verdict"] == "fails"
    assert "it skips itself" in found[name + "skipped_in_new", None]["detail"]
    assert found["test_old.py::test_old", None]["verdict"] == "fails"
    why = "cannot be collected: ModuleNotFoundError: No module named 'removed'"
    assert found["test_old.py::test_old", None]["detail"] == f"fails in FACTOR=3: it {why}"
    notes = " ".join(data["notes"])
    assert f"Skipped by themselves in FACTOR=1 and FACTOR=3: {name}skipped, {name}calls_nothing." in notes
    assert "test_broken.py cannot be collected: ModuleNotFoundError: No module named 'nosuch'." in data["notes"]
    assert f"In FACTOR=3: test_old.py {why}." in data["notes"]
    results = {row["function"]: row["verdict"] for row in data["comparisons"] if row["measure"] == "result"}
    assert results[name + "power"] == "same"


def figures(data):
    """Rows that are no times of calls."""
    return {(row["function"], row["measure"]): row for row in data["comparisons"] if row["function"]}


def test_the_other_benchmarks_of_asv(run, tmp_path):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "all.py").write_text(
        """
import os
NEW = os.environ["FACTOR"] == "3"

class Sizes:
    params = [1, 2]
    def track_bytes(self, n):
        return 2.0 if NEW else 1.0
Sizes.track_bytes.unit = "MiB"

def track_seconds():
    return 30.0
track_seconds.unit = "ms"

def track_count():
    return 3 if NEW else 2

def track_loss():
    return -1.5 if NEW else -1.0

def track_zero():
    return 0

def track_odd():
    return 0 if NEW else 2.0

def track_skipped():
    return float("nan")

def mem_list():
    return [0] * (4000 if NEW else 1000)

def peakmem_list():
    held = b"x" * (60_000_000 if NEW else 1000)
    return len(held)

def timeraw_pass():
    return "time.sleep(0.001)", "import time"

def time_pass():
    pass
"""
    )
    status, data = run("upgrade", "--asv", "suite", *SIDES, "--rounds", "4")
    assert status == 1
    found = figures(data)
    assert found["all.Sizes.track_bytes", "tracked_bytes"]["verdict"] == "larger"
    assert found["all.Sizes.track_bytes", "tracked_bytes"]["subject"][0]["value"] == 2 * 2**20
    assert found["all.track_seconds", "tracked_time"]["reference"][0]["value"] == 0.03
    assert found["all.track_count", "tracked"]["verdict"] == "slower"
    assert found["all.track_loss", "result"]["verdict"] == "differs"
    assert found["all.track_zero", "result"]["verdict"] == "same"
    assert found["all.track_odd", "result"]["detail"] == "2 → 0.0"
    assert not [key for key in found if key[0] == "all.track_skipped"]
    assert found["all.mem_list", "tracked_bytes"]["verdict"] == "larger"
    peak = found["all.peakmem_list", "tracked_peak"]
    assert peak["verdict"] == "larger"
    assert peak["subject"][0]["value"] - peak["reference"][0]["value"] > 5e7
    assert found["all.timeraw_pass", "tracked_time"]["reference"][0]["value"] > 0.001
    assert ("all.time_pass", "time_call") in found


@pytest.mark.clock
def test_whole_tests(run, tmp_path):
    (tmp_path / "test_all.py").write_text(
        f"""
import os
import time
import unittest
import pytest

MADE = []

@pytest.fixture
def fresh():
    time.sleep(0.004)
    MADE.append(1)
    yield [1]
    MADE.pop()

def test_fixture(fresh):
    fresh.pop()  # of a second call with the same list, an error
    assert len(MADE) == 1
    {WORK}

@pytest.mark.parametrize("value", [1, 2])
def test_values(value):
    assert value

class TestOld(unittest.TestCase):
    def test_case(self):
        self.assertTrue(True)

def test_fails():
    assert os.environ["FACTOR"] == "1", "gone"

@pytest.mark.skip
def test_skipped():
    pass
"""
    )
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\naddopts = --nosuch\n")
    status, data = run("upgrade", "--pytest", ".", "--whole", *SIDES, "--rounds", "4")
    assert status == 1
    found = times(data)
    name = "test_all.py::"
    assert found[name + "test_fixture", None]["verdict"] == "slower"
    values = found[name + "test_fixture", None]["reference"][0]["value"]
    assert min(values) < 0.004, "without its fixtures"
    assert found[name + "test_fails", None]["verdict"] == "fails"
    assert "gone" in found[name + "test_fails", None]["detail"]
    assert {(name + "test_values", "1"), (name + "test_values", "2"), (name + "TestOld::test_case", None)} <= set(found)
    notes = " ".join(data["notes"])
    assert "Tests are measured whole, without the setup of their fixtures." in notes
    assert "Skipped by themselves" in notes


@pytest.mark.parametrize(
    ("option", "source", "said"),
    [
        ("--asv", "def other(): pass\n", "name begins with time_"),
        ("--asv", "import nosuch\n", "No module named 'nosuch'"),
        ("--pytest", "def test_a(): pass\n", "it has no test that uses the fixture benchmark"),
        ("--pytest", "import nosuch\n", "No module named 'nosuch'"),
        ("--asv", "def setup():\n    raise NotImplementedError\ndef time_a():\n    pass\n", "everything skips itself"),
        ("--pytest", "import pytest\ndef test_a(benchmark):\n    pytest.skip()\n", "everything skips itself"),
        (
            "--asv",
            "import os\nassert os.environ['FACTOR'] == '1', 'gone'\ndef time_a(): pass\n",
            "suite cannot be imported with FACTOR=3: AssertionError: gone",
        ),
        (
            "--asv",
            "import os\nif os.environ['FACTOR'] == '1':\n    def time_a(): pass\n",
            "suite with FACTOR=3: it has no function or method whose name begins with time_",
        ),
    ],
)
def test_suites_without_benchmarks(run, tmp_path, option, source, said):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "test_it.py").write_text(source)
    status, text = run("upgrade", option, "suite", *SIDES, "--rounds", "2")
    assert status == 2
    assert said in text
    assert "Traceback" not in text


def test_a_command(run):
    command = "echo warm=7; echo step_ms=$FACTOR$FACTOR.$$"
    status, data = run("upgrade", "--command", command, "--metric", "step_ms=([0-9.]+)", *SIDES, "--rounds", "4")
    assert status == 1
    (row,) = data["comparisons"]
    assert (row["measure"], row["verdict"]) == ("metric", "slower")
    assert 2.7 < row["ratio"] < 3.1  # 33.x over 11.x


def test_more_of_a_metric_may_be_better(run):
    command = "echo rate=$((12 / FACTOR)).0 ms=$FACTOR"
    named = ["--metric", "rate=(?P<rate>[0-9.]+) ms=(?P<ms>[0-9]+)"]
    status, data = run("upgrade", "--command", command, *named, "--more-is-better", "rate", *SIDES, "--rounds", "4")
    assert status == 1
    found = figures(data)
    rate, ms = found["rate", "metric_more"], found["ms", "metric"]
    assert (rate["verdict"], rate["ratio"]) == ("slower", pytest.approx(3))
    assert [rate[side][0]["value"] for side in ("reference", "subject")] == [12, 4]
    assert (ms["verdict"], ms["ratio"]) == ("slower", pytest.approx(3))
    status, data = run(
        "upgrade", "--command", command, "--metric", "rate=([0-9.]+)", "--more-is-better", *SIDES, "--rounds", "2"
    )
    (row,) = data["comparisons"]
    assert (row["measure"], row["ratio"]) == ("metric_more", pytest.approx(3))


def test_a_command_that_fails_on_one_side(run):
    command = "echo step_ms=1; test $FACTOR = 1 || { echo no memory; exit 3; }"
    status, data = run("upgrade", "--command", command, "--metric", "step_ms=([0-9.]+)", *SIDES, "--rounds", "4")
    assert status == 1
    (row,) = data["comparisons"]
    assert row["verdict"] == "fails"
    assert row["detail"] == "fails in FACTOR=3: status 3: no memory"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--command", "true", "--metric", "x=([0-9]+)"], "it printed no number above 0 that matches"),
        (["--command", "true", "--metric", "x"], "--metric 'x' needs one group"),
        (["--command", "true"], "--command and --metric belong together"),
        (["--command", "true", "--metric", "(a)(b)"], "--metric '(a)(b)' needs one group"),
        (
            ["--command", "true", "--metric", "(?P<a>.)", "--more-is-better", "b"],
            "--more-is-better b: --metric has a",
        ),
        (["--asv", ".", "--whole"], "--whole goes with --pytest"),
        (["--pytest", ".", "--more-is-better"], "--more-is-better goes with --metric"),
        (["--pytest", ".", "--parallel", "1"], "--parallel 1 is not valid"),
        (["--asv", "absent"], "absent does not exist"),
        (["--pytest", "absent"], "absent does not exist"),
    ],
)
def test_mistakes(run, arguments, said):
    status, text = run("upgrade", *arguments, *SIDES, "--rounds", "2")
    assert status == 2
    assert said in text


def test_the_last_number_counts():
    assert metric("ms=1 ms=2.5 ms=x ms=0", r"ms=(\S+)") == 2.5
    assert metric("nothing", r"ms=(\S+)") is None


VARIANTS = """
import os
def inputs(rng):
    return (1,)
def bench_slow(x):
    sum(range(30_000))
    return x
def bench_quick_one(x):
    sum(range(3_000))
    return x
def bench_odd(x):
    sum(range(30_000))
    return -x
"""


@pytest.mark.rest
@pytest.mark.clock
def test_variants_of_one_file(run, tmp_path):
    (tmp_path / "mine.py").write_text(VARIANTS)
    status, data = run("compare", "slow", "quick-one", "--file", "mine.py")
    assert status == 0
    assert data["best"] == [{"function": "variants", "size": None, "sides": ["quick-one"]}]
    (row,) = times(data).values()
    assert (row["verdict"], row["side"]) == ("faster", "quick-one")
    status, data = run("compare", "slow", "odd", "--file", "mine.py", "--rounds", "2")
    assert status == 1, "they return different values"
