"""A kind of side and a kind of code, each added by the files that CONTRIBUTING.md names and by no other: they reach
every command that compares, and every form of what it found.

The sides are versions of "work", an environment variable that says how much there is to do; the code is functions
``do_*``. Nothing is installed.
"""

import subprocess

import pytest

from support import schema
from tests.conftest import ARRAYSPEED, command, commit, working_tree
from tests.meta.test_additions import insert

pytestmark = pytest.mark.clock

SIDE = '''
def of_work(version: str) -> Side:
    """An amount of work."""
    if not version.isdecimal():
        raise UserError(f"{version!r} is no amount of work")
    return Side(f"work {version}", variables=(("WORK", version),))


def works() -> list[Release]:
    """From 1 to 5."""
    return [Release(str(number), None, 1, 1, False) for number in range(1, 6)]

'''

LOADER = '''"""The functions ``do_*`` of a file."""

import os
import runpy
from time import perf_counter


class Doing:
    """What there is to do."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        started = perf_counter()
        self.space = runpy.run_path(path)
        self.seconds = perf_counter() - started

    def items(self):
        """Every function."""
        return [(name, None) for name in self.space if name.startswith("do_")]

    def notes(self):
        """Nothing."""
        return []

    def play(self, name, size, use):
        """Without arguments."""
        use(self.space[name], ())
'''

#: From 3 on it takes three times as long.
CODE = """import os

NUMBER = 60_000 if int(os.environ["WORK"]) >= 3 else 20_000


def do_sum():
    return sum(range(NUMBER)) and None
"""


def add_side(tree):
    """An entry, and the functions that it names."""
    path = tree / "arrayspeed/own/sides.py"
    insert(path, "\n#: By what stands in place of a package's name.", SIDE)
    insert(path, "PYTHON: Kind(of_python", '"work": Kind(of_work, works), ')
    path.write_text(path.read_text().replace("works), \n", "works), "))
    return {"arrayspeed/own/sides.py"}


def add_code(tree):
    """An entry here, one in the worker, and what loads it there."""
    entry = '    "doing": Kind("FILE", "the do_* of a file", partial(script.suite, kind="doing")),\n'
    insert(tree / "arrayspeed/own/kinds.py", "    COMMAND: Kind(", entry)
    worker = tree / "arrayspeed/own/worker"
    (worker / "doing_suite.py").write_text(LOADER)
    insert(worker / "serving.py", "from .loading import", "from .doing_suite import Doing")
    path = worker / "serving.py"
    path.write_text(path.read_text().replace('"pytest": Pytest}', '"pytest": Pytest, "doing": Doing}'))
    return {f"arrayspeed/own/{name}.py" for name in ("kinds", "worker/doing_suite", "worker/serving")}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A tree with both, and a file to measure."""
    folder = tmp_path_factory.mktemp("kinds")
    found = working_tree(folder / "arrayspeed")
    commit(found)
    touched = add_side(found) | add_code(found)
    changed = command("git", "status", "--porcelain", "--untracked-files=all", cwd=found).stdout.splitlines()
    assert {line[3:] for line in changed} == touched
    (found / "mine").mkdir()
    (found / "mine/jobs.py").write_text(CODE)
    return found


def run(tree, *arguments, status):
    """A command on the file."""
    few = () if arguments[0] == "explain" else ("--rounds", "6", "--factor", "1.5")
    done = subprocess.run(
        [*ARRAYSPEED, *arguments, "--doing", "mine/jobs.py", *few], cwd=tree, capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_upgrade_in_every_form(tree):
    page = tree / "page.html"
    done = run(tree, "upgrade", "work", "2", "3", "--format", "json", "--html", str(page), status=1)
    data = schema.read("upgrade", done.stdout)
    assert [side["label"] for side in data["sides"]] == ["work 2", "work 3"]
    (time,) = (row for row in data["comparisons"] if row["measure"] == "time_call")
    assert (time["function"], time["verdict"]) == ("do_sum", "slower")
    assert "do_sum" in page.read_text() and "work 3" in page.read_text()
    for form in ("table", "markdown"):
        text = run(tree, "upgrade", "work", "2", "3", "--format", form, status=1).stdout
        assert "do_sum" in text and "slower" in text, text


@pytest.mark.long
def test_compare(tree):
    sides = [argument for version in "125" for argument in ("--side", f"work=={version}")]
    data = schema.read("upgrade", run(tree, "compare", *sides, "--format", "json", status=0).stdout)
    (fastest,) = data["best"]
    assert (fastest["function"], "work==5" in fastest["sides"]) == ("do_sum", False)


@pytest.mark.rest
def test_bisect_and_watch(tree):
    data = schema.read("bisect", run(tree, "bisect", "work", "1", "5", "--format", "json", status=1).stdout)
    (change,) = (one for one in data["changes"] if one["of"] == "do_sum time")
    assert (change["before"], change["after"], change["release"]) == ("2", "3", "3")
    told = run(tree, "watch", "work", "--since", "2", "--apart", "0", status=1).stdout
    assert told.startswith("work 2 → 5: worse: 1 slower") and "work 3 did it" in told


def test_explain(tree):
    text = run(tree, "explain", "work", "2", "3", status=0).stdout
    assert "do_sum" in text


def test_what_is_no_version_of_it(tree):
    done = run(tree, "upgrade", "work", "2", "many", status=2)
    assert done.stderr == "arrayspeed: 'many' is no amount of work\n"
