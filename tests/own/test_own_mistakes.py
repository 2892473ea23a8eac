"""Mistakes in files of one's own, and in what is asked for: one line and status 2 each, and nothing lost."""

import json
import os
import sys

import pytest

from arrayspeed.cli.main import main
from support import schema

#: Sides are started and timed.
pytestmark = pytest.mark.environment

SIDES = ["--old-env", "A=1", "--new-env", "A=2"]

ONE = "def bench_one():\n    return 1\n"


@pytest.fixture
def run(tmp_path, capsys, few_turns):
    """Runs a command: status, standard output and error. ``source`` is written to mine.py."""

    def call(source, *options, command="upgrade"):
        path = tmp_path / "mine.py"
        if source is not None:
            path.write_text(source)
        own = "--python" in options or options[:1] in (("jax",), ("a b",))  # else nothing has to be made
        python = [] if own else ["--python", sys.executable]
        with pytest.raises(SystemExit) as ended:
            main([command, "--file", str(path), "--rounds", "2", *options, *python])
        return ended.value.code, capsys.readouterr()

    return call


def line(printed):
    """The one line that says what is wrong."""
    lines = [each for each in printed.err.splitlines() if each.startswith("arrayspeed: ")]
    assert len(lines) == 1, printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""
    return lines[0].removeprefix("arrayspeed: ")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "mine.py does not exist"),
        ("def bench_one(:\n    pass\n", "mine.py:1: invalid syntax"),
        ("x = 1\n\ndef bench_one():\nreturn 1\n", "mine.py:4: expected an indented block"),
        ("def one():\n    return 1\n", "mine.py has no function whose name begins with bench_"),
        (
            "# bench_ in a comment is none\nbench_size = 3\n",
            "mine.py: it has no function whose name begins with bench_",
        ),
        (
            "import nosuch\n" + ONE,
            "cannot be imported on both sides: ModuleNotFoundError: No module named 'nosuch' (mine.py:1)",
        ),
        (
            "import os\nif os.environ['A'] == '2':\n    import nosuch\n" + ONE,
            "cannot be imported with A=2: ModuleNotFoundError: No module named 'nosuch' (mine.py:3)",
        ),
        (
            "def bench_one():\n    raise ValueError('no\\nmore')\n",
            "bench_one fails on all sides: ValueError: no (mine.py:2)",
        ),
        ("def bench_one():\n    open('absent.csv')\n", "No such file or directory: 'absent.csv' (mine.py:2)"),
        ("def bench_one(a, b):\n    return 1\n", "bench_one wants arguments, and there is no inputs(rng, size)"),
        (
            "def inputs(rng):\n    return 1, 2\ndef bench_one(a):\n    return 1\n",
            "bench_one does not take what inputs returns",
        ),
        ("def inputs(rng):\n    return 1 / 0\ndef bench_one(a):\n    return 1\n", "division by zero (mine.py:2)"),
        ("def inputs(a, b, c):\n    return 1\ndef bench_one(a):\n    return 1\n", "inputs takes 3 arguments"),
        ("inputs = 3\ndef bench_one(a):\n    return 1\n", "inputs is no function"),
        ("sizes = ()\n" + ONE, "sizes must be numbers: sizes = (100, 1000)"),
        ("sizes = (float('nan'),)\n" + ONE, "sizes must be numbers: sizes = (100, 1000)"),
        ("import os\ndef bench_one():\n    os.fork()\n    return 1\n", "it forks, and the child returns"),
        ("import sys\ndef bench_one():\n    sys.exit(3)\n", "it calls sys.exit: 3 (mine.py:3)"),
        ("import os\ndef bench_one():\n    os._exit(3)\n", "it ended its process with status 3"),
        (
            "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\ndef bench_one():\n    raise Odd\n",
            "bench_one fails on all sides: Odd (mine.py:5)",
        ),
        ("def bench_one():\n    raise KeyboardInterrupt\n", "KeyboardInterrupt (mine.py:2)"),
        ("import sys\nsys.exit()\n" + ONE, "it calls sys.exit (mine.py:2)"),
        ("def bench_one():\n    return len(bytearray(1 << 60))\n", "MemoryError"),
        ("# /// script\n# dependencies = [\n# ///\n" + ONE, "mine.py: the header `# /// script` cannot be read"),
        ("# /// script\n# dependencies = []\n" + ONE, "the header `# /// script` does not end"),
        ("def bench_one():\n    return '\0'\n", "mine.py: source code string cannot contain null bytes"),
        ("# /// script\n# dependencies = 'numpy'\n# ///\n" + ONE, "dependencies is a list of texts"),
        ("# /// script\n# requires-python = 3\n# ///\n" + ONE, "and requires-python a text"),
        ("# /// script\n# dependencies = ['a b']\n# ///\n" + ONE, "mine.py: the header `# /// script` cannot be read"),
    ],
)
def test_mistakes_in_the_file(run, source, said):
    status, printed = run(source, *SIDES)
    assert status == 2
    assert said in line(printed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "nothing differs"),
        (["--old-env", "A"], "--old-env 'A' is not NAME=VALUE"),
        (["jax"], "a package and two versions are needed"),
        (["jax", "1.0", "x.y"], "'x.y' is not a version of jax"),
        (["a b", "1.0", "2.0"], "'a b' is not the name of a package"),
        ([*SIDES, "--function", "("], "--function '(' is not a regular expression"),
        ([*SIDES, "--function", "two"], "--function matches nothing in mine.py, which has bench_one"),
        ([*SIDES, "--size", "7"], "--size 7: mine.py has no sizes"),
        ([*SIDES, "--factor", "1"], "--factor 1 is not valid"),
        ([*SIDES, "--rounds", "1"], "--rounds 1 is not valid"),
        ([*SIDES, "--timeout", "0"], "--timeout 0 is not valid"),
        ([*SIDES, "--minutes", "0.00001"], "time is up before anything was measured"),
        ([*SIDES, "--html", "/"], "--html / is a folder"),
        ([*SIDES, "--results", "/dev/null"], "results cannot go to /dev/null: "),
        ([*SIDES, "--timeout", "inf"], "--timeout inf is not valid"),
        ([*SIDES, "--reuse"], "--reuse is for arrayspeed's own kernels"),
        ([*SIDES, "--html", "/nowhere/page.html"], "its folder does not exist"),
        ([*SIDES, "--python", "/nowhere/python"], "--python /nowhere/python: there is no such program"),
        ([*SIDES, "--python", "2.1"], "Python 2.1 is not on this machine"),
        (["--python", "3.11", "3.12", "3.13"], "--python takes one interpreter or two, not 3"),
        (["--lock", "old.lock", "new.lock", "--python", "3.11"], "old.lock does not exist"),
        (["--with", "a b c", "--old-env", "A=1", "--python", "3.11"], "--with 'a b c' is not a requirement"),
        ([*SIDES, "--with", "six", "--python", sys.executable], "nothing is installed in"),
        (["--lock", "/", "/", "--python", "3.11"], "/ is a folder"),
        (["--old-env", "A=\0"], "is not NAME=VALUE"),
        ([*SIDES, "--asv", "."], "--file and --asv: one of them"),
        ([*SIDES, "--metric", "x"], "--command and --metric belong together"),
    ],
)
def test_mistakes_in_what_is_asked_for(run, options, said):
    status, printed = run(ONE, *options)
    assert status == 2
    assert said in line(printed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give functions of the file, or --side twice or more"),
        (["one"], "two at least are needed"),
        (["one", "two"], "mine.py has no function bench_two; it has bench_one"),
        (["--side", "a b c =", "--side", "b"], "is neither a requirement nor NAME=VALUE"),
        (["one", "--side", "b"], "give functions of the file, or --side twice or more"),
    ],
)
def test_mistakes_in_what_is_compared(run, options, said):
    status, printed = run(ONE, *options, command="compare")
    assert status == 2
    assert said in line(printed)


@pytest.mark.parametrize("option", ["--lock", "--old-env", "--function", "--metric"])
def test_options_of_own_code_need_a_file(option, capsys):
    values = ["a", "b"] if option == "--lock" else ["x"]
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", option, *values])
    assert ended.value.code == 2
    assert f"{option} goes with --" in capsys.readouterr().err


def test_versions_are_needed_without_a_file(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["upgrade", "numpy"])
    assert ended.value.code == 2
    assert "LIBRARY OLD NEW are needed" in capsys.readouterr().err


def test_a_function_that_is_not_there_on_one_side_fails_there(run):
    source = ONE + "import os\nif os.environ['A'] == '1':\n    def bench_two():\n        return 2\n"
    status, printed = run(source, *SIDES, "--format", "json")
    assert status == 1
    (row,) = (
        row
        for row in schema.read("upgrade", printed.out)["comparisons"]
        if (row["function"], row["measure"]) == ("bench_two", "time_call")
    )
    assert row["verdict"] == "fails"
    assert "bench_two is not defined here" in row["detail"]


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("def bench_one():\n    pass\n", "These return nothing, so nothing can be waited for or compared: one."),
        (
            "def inputs(rng):\n    return ([1, 2],)\ndef bench_one(x):\n    x.append(1)\n    return len(x) > 0\n",
            "These get new arguments before every call, outside its time: one.",
        ),
        (
            "import random\ndef bench_one():\n    return random.random()\n",
            "The results of one were not compared: two calls with the same arguments return different values.",
        ),
        (
            "import random\nx = random.random()\ndef bench_one():\n    return x\n",
            "The results of one were not compared: results differ from process to process.",
        ),
        (
            "class Odd:\n    pass\ndef bench_one():\n    return Odd()\n",
            "The results of one were not compared: it is of class Odd.",
        ),
        (
            "def bench_one():\n    x = []\n    x.append(x)\n    return x\n",
            "The results of one were not compared: it is nested too deeply.",
        ),
        (
            "def bench_one():\n    yield 1\n",
            "These return before their work is done, and their times include the rest of it: one.",
        ),
        (
            "class Odd(float):\n    pass\nOdd.__module__ = 'oddlib'\ndef bench_one():\n    return Odd(1)\n",
            "Nothing is known of oddlib, so calls are assumed to be finished when they return: one.",
        ),
        (
            "import os\ndef inputs(rng):\n    return int(os.environ['A'])\ndef bench_one(x):\n    return x\n",
            "The results of one were not compared: the inputs differ between the sides.",
        ),
        ("def inputs(rng, size):\n    return size\ndef bench_one(x):\n    return x\n", "got 1,000"),
    ],
)
def test_what_is_measured_with_a_warning(run, source, note):
    status, printed = run(source, *SIDES, "--format", "json")
    assert status in (0, 1, 2)
    data = schema.read("upgrade", printed.out)
    assert any(note in each for each in data["notes"]), data["notes"]
    assert any(row["measure"] == "time_call" and row["ratio"] for row in data["comparisons"])


#: What two sides return, and what is said of it.
UNLIKE = [
    ("1.0", "1.5", "1 of 1 numbers differ"),
    ("[1.0] * 3", "[1.0] * 4", "of other parts"),
    ("[1.0] * 40", "[1.0] * 41", "shape [40] → [41]"),
    ("1", "1.0", "type int64 → float64"),
    ("{'a': 1}", "{'b': 1}", "of other parts"),
    ("'x'", "'y'", "\"'x'\" → \"'y'\""),
    ("float('nan')", "1.0", "1 of 1 numbers differ"),
    ("True", "False", "1 of 1 numbers differ"),
    # Too many parts to compare, and another container all the same.
    ("[[n] for n in range(11_000)]", "([n] for n in range(11_000))", "list → generator"),
]


def test_results_that_differ(run):
    source = "import os\n"
    for place, (one, other, _) in enumerate(UNLIKE):
        source += f"def bench_{place}():\n    return {one} if os.environ['A'] == '1' else {other}\n"
    status, printed = run(source, *SIDES, "--format", "json")
    assert status == 1
    data = schema.read("upgrade", printed.out)
    rows = [row for row in data["comparisons"] if row["measure"] == "result"]
    found = {row["function"]: (row["verdict"], row["detail"]) for row in rows}
    assert not any("not compared" in note for note in data["notes"])
    for place, (*_, detail) in enumerate(UNLIKE):
        verdict, said = found[f"bench_{place}"]
        assert verdict == "differs"
        assert detail in said


def test_rounding_is_the_same(run):
    source = "import os\ndef bench_one():\n    return [1.0, 1e-30, 2.0 + 1e-9 * float(os.environ['A'])] * 20\n"
    for options, verdict in ((), "same"), (("--tolerance", "1e-6"), "same"), (("--tolerance", "1e-10"), "differs"):
        status, printed = run(source, *SIDES, "--format", "json", *options)
        (row,) = (row for row in schema.read("upgrade", printed.out)["comparisons"] if row["measure"] == "result")
        assert row["verdict"] == verdict
        assert 4e-10 < row["difference"] < 6e-10
    assert status == 1


def test_what_prints_megabytes_is_measured(run):
    source = """
import os
def bench_one():
    print('{"seconds": 7}' * 10_000)
    os.write(1, b"x" * 100_000)
    return 1
"""
    _, printed = run(source, *SIDES, "--format", "json")
    (row,) = (row for row in schema.read("upgrade", printed.out)["comparisons"] if row["measure"] == "time_call")
    assert row["failed_subject"] == row["failed_reference"] == 0
    assert row["rounds"] == 2


def test_a_file_that_vanishes_is_the_reason_that_is_given(run):
    source = (
        "import os\ndef bench_one():\n    if os.path.exists('mine.py'):\n        os.remove('mine.py')\n    return 1\n"
    )
    _, printed = run(source, *SIDES, "--format", "json")
    (row,) = (row for row in schema.read("upgrade", printed.out)["comparisons"] if row["measure"] == "time_call")
    assert "No such file or directory" in row["detail"]


def test_what_is_in_the_way(run, tmp_path):
    (tmp_path / ".arrayspeed/mine.jsonl").mkdir(parents=True)
    status, printed = run(ONE, *SIDES)
    assert status == 2
    assert line(printed).startswith("is a directory: ")
    (tmp_path / ".arrayspeed/mine.jsonl").rmdir()
    (tmp_path / "mine.py").unlink()
    os.mkfifo(tmp_path / "mine.py")
    status, printed = run(None, *SIDES)
    assert status == 2
    assert line(printed).endswith("mine.py is no file")


def test_a_page_that_cannot_be_written_does_not_cost_the_verdict(run):
    status, printed = run(ONE, *SIDES, "--format", "json", "--html", "/dev/full")
    assert status == 2
    assert schema.read("upgrade", printed.out)["comparisons"]
    assert "arrayspeed: cannot write --html /dev/full: No space left on device" in printed.err


def test_what_starts_processes_is_measured(run):
    source = """
import os, subprocess, sys
def bench_fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return 1
"""
    _, printed = run(source, *SIDES, "--format", "json")
    (row,) = (row for row in schema.read("upgrade", printed.out)["comparisons"] if row["measure"] == "time_call")
    assert row["failed_subject"] == row["failed_reference"] == 0


def test_a_file_that_imports_its_neighbour(run, tmp_path):
    (tmp_path / "values.py").write_text("answer = 42\n")
    source = """
import os
from values import answer
def bench_one():
    return answer if os.path.exists("mine.py") else 0
"""
    records = tmp_path / ".arrayspeed/mine.jsonl"
    run(source, *SIDES)
    (tmp_path / "values.py").write_text("answer = 43\n")
    run(source, *SIDES)
    runs = {json.loads(text)["run"] for text in records.read_text().splitlines()}
    assert len(runs) == 2, "what is imported from beside the file is a part of it"
