"""Commits of a project: built once, measured in turn, searched; and nothing of the user's is touched."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from arrayspeed.environments.git import Repository
from arrayspeed.model.errors import UserError
from arrayspeed.own import asv_project
from support import schema
from support.releases import wheel

#: Builds a wheel without anything that would have to be installed: PEP 517, from its own folder.
BACKEND = """
import os, zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    if os.path.exists("broken"):
        raise SystemExit("it does not build")
    name = "toywork-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for each in sorted(os.listdir(".")):
            if each.startswith("toywork") and each.endswith(".py"):
                archive.write(each)
        needs = open("needs").read() if os.path.exists("needs") else ""
        metadata = f"Metadata-Version: 2.1\\nName: toywork\\nVersion: 1.0\\n{needs}\\n" + open("README").read()
        archive.writestr("toywork-1.0.dist-info/METADATA", metadata)
        wheel = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        archive.writestr("toywork-1.0.dist-info/WHEEL", wheel)
        archive.writestr("toywork-1.0.dist-info/RECORD", "")
    return name
"""

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "toywork"
version = "1.0"
requires-python = ">=3.8"
"""

BENCHMARK = """
import toywork


def bench_work():
    return toywork.work()
"""

WORK = "def work():\n    sum(range({}))\n    return 1\n"

VARIABLES = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # `git status` would write the index
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}

QUICK = ["--rounds", "4", "--factor", "1.3", "--limit", "3"]

#: More rounds where a slowdown has to be found, also while something else runs; as few as it takes.
SURE = ["--rounds", "16", *QUICK[2:]]


class Toy:
    """A project in a repository."""

    def __init__(self, root, folder="."):
        self.root, self.folder = root, root / folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.write("backend.py", BACKEND)
        self.write("pyproject.toml", PYPROJECT)
        self.write("README", "A toy.\n")
        self.write("toywork.py", WORK.format(20_000))
        self.write("benchmarks/mine.py", BENCHMARK)
        self.write(".gitignore", ".arrayspeed\n")
        self.commit("begin")

    def git(self, *command):
        options = {"cwd": self.root, "env": {**os.environ, **VARIABLES}, "capture_output": True, "text": True}
        done = subprocess.run(["git", *command], check=True, **options)
        return done.stdout.strip()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)
        return self.git("rev-parse", "HEAD")

    def arrayspeed(self, command, *arguments, form="json"):
        """Status, output and messages of a command in the project's folder."""
        named = {"--file", "--asv", "--command"}.intersection(arguments)
        given = [] if named else ["--file", "benchmarks/mine.py"]
        done = subprocess.run(
            [sys.executable, "-m", "arrayspeed", command, *arguments, *given, "--format", form],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **VARIABLES},
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def state(self):
        """Everything of the user's that must stay as it is."""
        files = {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".arrayspeed" not in path.parts and "__pycache__" not in path.parts
        }
        return files, self.git("stash", "list"), self.git("status", "--porcelain"), self.git("worktree", "list")


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path / "toy")


@pytest.mark.clock
def test_a_slower_commit_is_found_and_named_and_the_users_tree_stays_as_it_is(toy):
    """One search over five commits, of which one changes no code and one does not build."""
    first = toy.git("rev-parse", "HEAD")
    toy.write("README", "A toy, described.\n")
    toy.commit("describe it")
    toy.write("toywork.py", WORK.format(60_000))
    bad = toy.commit("make it slower")
    toy.write("broken", "")
    toy.commit("break the build")
    (toy.folder / "broken").unlink()
    toy.commit("mend the build")
    toy.write("toywork.py", WORK.format(20_000))
    toy.write("untracked.py", "")
    hook = toy.root / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    before = toy.state()

    found = toy.arrayspeed("bisect", "--commits", first, "HEAD", *SURE)
    data = schema.read("bisect", found.stdout)
    assert found.returncode == 1, found.stderr
    (change,) = [one for one in data["changes"] if one["of"].endswith("time")]
    assert bad.startswith(change["release"])
    assert "make it slower" in json.dumps(data["links"])
    assert not list(toy.root.rglob("hook-ran"))

    again = toy.arrayspeed("upgrade", "--commits", first, bad, *SURE, form="markdown")
    assert again.returncode == 1, again.stdout
    assert "building" not in again.stderr, "wheels are kept"
    assert "NOT SAFE: 1 slower (work" in again.stdout

    # The working tree undoes it, and has a module that nobody has added.
    mended = toy.arrayspeed("upgrade", "--commits", first, ".", *SURE)
    data = schema.read("upgrade", mended.stdout)
    assert mended.returncode == 0, mended.stdout
    assert [side["label"] for side in data["sides"]] == [first[:9], "working tree"]
    after = toy.state()
    assert {name for name, _ in before[0].items() ^ after[0].items()} == set()
    assert after[1:] == before[1:]


@pytest.mark.environment
def test_commits_that_build_the_same_are_safe_without_measuring(toy):
    toy.write("README", "Another text.\n")
    toy.commit("words alone")
    for old, new in (("HEAD", "HEAD"), ("HEAD~1", "HEAD"), ("HEAD", ".")):
        found = toy.arrayspeed("upgrade", "--commits", old, new)
        data = schema.read("upgrade", found.stdout)
        assert found.returncode == 0
        assert "both commits build the same wheel, and nothing was measured" in data["conclusion"]
        assert data["comparisons"] == []


CONFIGURATION = """
{
    // asv's own file, with comments
    "benchmark_dir": "speed",
    "matrix": {"req": {"packaging": ["24.0"]}},
    "build_command": ["python make.py {build_cache_dir}"],
}
"""

#: What asv.conf.json asks for is there to build with.
MAKE = """
import sys
from importlib.metadata import version

import backend

assert version("packaging") == "24.0"
print(backend.build_wheel(sys.argv[1]))
"""


@pytest.mark.clock
def test_a_project_of_asv_says_itself_what_is_measured_and_how_it_is_built(toy):
    toy.write("asv.conf.json", CONFIGURATION)
    toy.write("speed/work.py", "import toywork\n\n\ndef time_work():\n    toywork.work()\n")
    toy.write("make.py", MAKE)
    (toy.folder / "pyproject.toml").unlink()  # nothing but the command can build it
    toy.write("setup.py", "raise SystemExit(1)\n")
    toy.commit("asv")
    toy.write("toywork.py", WORK.format(60_000))
    toy.commit("slower")
    found = toy.arrayspeed("upgrade", "--commits", "HEAD~1", "HEAD", "--asv", ".", *SURE)
    assert found.stdout, found.stderr
    data = schema.read("upgrade", found.stdout)
    assert found.returncode == 1, found.stderr
    (row,) = [row for row in data["comparisons"] if row["measure"] == "time_call"]
    assert (row["function"], row["verdict"]) == ("work.time_work", "slower")
    toy.write("asv.conf.json", CONFIGURATION.replace("make.py", "gone.py"))
    toy.commit("another command")
    broken = toy.arrayspeed("upgrade", "--commits", "HEAD~1", "HEAD", "--asv", ".", *SURE)
    assert broken.returncode == 2
    assert "cannot be built with Python" in broken.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("matrix", "requirements"),
    [
        ({"req": {"numpy": ["1.26", "2.0"], "pip+scipy": "", "cython": []}}, ("numpy==2.0", "scipy", "cython")),
        ({"numpy": [">=2"], "absent": [None], "env": {"A": ["1"]}}, ("numpy>=2",)),
        ({}, ()),
    ],
)
def test_the_matrix_of_asv_is_read(tmp_path, matrix, requirements):
    path = tmp_path / "asv.conf.json"
    path.write_text(json.dumps({"matrix": matrix}))
    found = asv_project.read(path)
    assert (found.requirements, found.benchmarks, found.build) == (requirements, tmp_path / "benchmarks", ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "is no configuration of asv"),
        ('{"benchmark_dir": 1}', "benchmark_dir is no text"),
        ('{"matrix": 1}', "matrix is no table"),
        ('{"matrix": {"req": {"numpy": [1]}}}', "the version of numpy is no text"),
        ('{"build_command": 1}', "build_command is no list of commands"),
    ],
)
def test_a_mistake_in_asv_s_file_gets_one_line(tmp_path, text, said):
    path = tmp_path / "asv.conf.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        asv_project.read(path)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.rest
@pytest.mark.environment
def test_one_commit_with_another_variable_is_measured(toy):
    found = toy.arrayspeed("upgrade", "--commits", "HEAD", "HEAD", "--new-env", "A=1", *QUICK)
    assert schema.read("upgrade", found.stdout)["comparisons"]


@pytest.mark.environment
def test_what_the_old_commit_cannot_run_is_new(toy):
    toy.write("toywork.py", WORK.format(20_000) + "\n\ndef more():\n    return 1\n")
    toy.write("benchmarks/mine.py", BENCHMARK + "\n\ndef bench_more():\n    return toywork.more()\n")
    toy.commit("a new function")
    found = toy.arrayspeed("upgrade", "--commits", "HEAD~1", "HEAD", *QUICK)
    data = schema.read("upgrade", found.stdout)
    assert {row["verdict"] for row in data["comparisons"] if row["function"] == "bench_more"} == {"new"}
    assert found.returncode == 0, found.stdout
    taken_away = toy.arrayspeed("upgrade", "--commits", "HEAD", "HEAD~1", "--benchmarks-from", "HEAD", *QUICK)
    assert taken_away.returncode == 1
    assert "fails" in taken_away.stdout


@pytest.mark.environment
@pytest.mark.rest
@pytest.mark.parametrize("name", ["lock files", "one setting"])
def test_the_project_as_it_is_now_stands_on_both_sides(toy, name):
    """Beside lock files it comes without what it asks for, which they have; and what it is now is measured, not what
    it was when an environment of that name was made.
    """
    for version in ("1.0", "2.0"):
        made = wheel(toy.root, "companion", version)
        toy.write(f"{version}.txt", f"companion @ {made.as_uri()}\n")
    toy.write("needs", "Requires-Dist: companion>=2\n" * (name == "lock files"))
    sides = {"lock files": ["--lock", "1.0.txt", "2.0.txt"], "one setting": ["--new-env", "A=1"]}[name]
    for result in (1, 2):
        text = f"def work():\n    return {result}\n"
        toy.write("toywork.py", text)
        found = toy.arrayspeed("upgrade", *sides, "--project", ".", *QUICK)
        data = schema.read("upgrade", found.stdout)
        assert data["comparisons"], found.stderr
        assert {side["packages"]["toywork"] for side in data["sides"]} == {"1.0"}
        installed = (toy.folder / "benchmarks/.arrayspeed/environments").glob("*/lib/python*/site-packages/toywork.py")
        assert sorted(path.read_text() for path in installed)[-1] == text


@pytest.mark.parametrize("text", ["toywork @ {}", "../toy"])
def test_a_folder_is_no_requirement_because_it_changes_and_keeps_its_name(toy, text):
    found = toy.arrayspeed("upgrade", "--new-env", "A=1", "--with", text.format(toy.folder.as_uri()), *QUICK)
    assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
    assert "--project" in found.stderr


@pytest.mark.clock
def test_a_project_in_a_subfolder_with_a_branch_that_looks_like_an_option(tmp_path):
    toy = Toy(tmp_path / "mono", "packages/toy")
    toy.git("branch", "x")
    (toy.root / ".git" / "refs" / "heads" / "--help").write_text(toy.git("rev-parse", "HEAD") + "\n")
    toy.write("toywork.py", WORK.format(60_000))
    toy.commit("slower")
    found = toy.arrayspeed("upgrade", "--commits", "refs/heads/--help", "HEAD", *SURE)
    assert found.returncode == 1, found.stderr
    assert "slower" in found.stdout


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    """A project in which nothing is changed."""
    toy = Toy(tmp_path_factory.mktemp("mistaken") / "toy")
    toy.write("toywork.py", WORK.format(60_000))
    toy.commit("slower")
    toy.write("broken", "")
    toy.commit("broken")
    toy.write("elsewhere.py", "import toywork\n\n\ndef bench_work():\n    return toywork.work()\n")
    toy.git("branch", "plain", "HEAD~1")
    return toy


MISTAKES = {
    "no such commit": (["--commits", "main", "nowhere"], "there is no commit 'nowhere' in toy"),
    "an option": (["--commits", "main", "--project=nowhere", "HEAD"], "expected 2 arguments"),
    "does not build": (["--commits", "plain", "HEAD"], "HEAD (", "cannot be built with Python"),
    "beside": (["--commits", "plain~1", "plain", "--file", "elsewhere.py"], "imports toywork from its own folder"),
    "no project": (["--commits", "plain~1", "plain", "--project", "benchmarks"], "has no pyproject.toml or setup.py"),
    "no folder": (["--commits", "plain~1", "plain", "--project", "nowhere"], "--project nowhere is no folder"),
    "a library": (["numpy", "1", "2", "--commits", "plain~1", "plain"], "--commits takes no LIBRARY"),
    "a lock": (["--commits", "plain~1", "plain", "--lock", "a", "b"], "--commits and --lock: one of them"),
    "a build setting": (["--commits", "plain~1", "plain", "--build-arg", "x"], "--build-arg 'x' is not NAME=VALUE"),
    "no file": (["--commits", "plain~1", "plain", "--file", "gone.py"], "gone.py is neither in plain"),
    "two Pythons": (["--lock", "a", "b", "--project", ".", "--python", "3.12", "3.13"], "takes one version"),
    "as it is": (["--new-env", "A=1", "--project", ".", "--python", sys.executable], "is not a version of Python"),
    "alone": (["numpy", "1", "2", "--extra", "x"], "--extra goes with --commits"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_gets_one_line(mistaken, case):
    arguments, *said = MISTAKES[case]
    found = mistaken.arrayspeed("upgrade", *arguments)
    assert found.returncode == 2
    line = found.stderr.splitlines()[-1]
    assert line.startswith("arrayspeed: ")
    for each in said:
        assert each in line


@pytest.mark.environment
def test_programs_of_two_commits_are_explained(mistaken):
    found = mistaken.arrayspeed("explain", "--commits", "plain~1", "plain")
    data = schema.read("explain", found.stdout)
    assert found.returncode in (0, 2), found.stderr
    assert "toy" in data["conclusion"]
    left_over = mistaken.arrayspeed("explain", "numpy", "--commits", "plain~1", "plain")
    assert (left_over.returncode, left_over.stderr.count("\n")) == (2, 1)


@pytest.mark.environment
def test_what_the_old_commit_cannot_import_is_a_mistake_with_a_way_out(toy):
    toy.write("toywork.py", WORK.format(20_000) + "\n\ndef more():\n    return 1\n")
    toy.write("benchmarks/mine.py", BENCHMARK.replace("import toywork", "import toywork\nfrom toywork import more"))
    toy.commit("a new function")
    found = toy.arrayspeed("upgrade", "--commits", "HEAD~1", "HEAD", *QUICK)
    assert found.returncode == 2
    assert "cannot be imported with" in found.stderr and "--benchmarks-from" in found.stderr
    assert (
        toy.arrayspeed("upgrade", "--commits", "HEAD~1", "HEAD", "--benchmarks-from", "HEAD~1", *QUICK).returncode == 0
    )


def test_commits_the_other_way_round_are_no_search(mistaken):
    found = mistaken.arrayspeed("bisect", "--commits", "plain", "plain~1")
    assert found.returncode == 2
    assert "does not come before" in found.stderr


def test_a_shallow_clone_says_so(mistaken, tmp_path):
    clone = tmp_path / "shallow"
    variables = {**os.environ, **VARIABLES}
    source = mistaken.root.as_uri()
    subprocess.run(["git", "clone", "--quiet", "--depth=1", source, str(clone)], env=variables, check=True)
    os.environ.update(VARIABLES)
    with pytest.raises(Exception, match="which is shallow: git fetch --unshallow"):
        Repository(clone, tmp_path / "own").commit("HEAD~1")
    made = Repository(clone, tmp_path / "own")
    made.check_out(made.commit("HEAD"), tmp_path / "place")
    assert (tmp_path / "place" / "toywork.py").exists()


def test_submodules_come_from_the_users_own_clones(toy, tmp_path):
    inner = Toy(tmp_path / "inner")
    toy.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.root), "part")
    toy.commit("a part")
    shutil.rmtree(inner.root)  # as where there is no network
    made = Repository(toy.root, tmp_path / "own")
    made.check_out(made.commit("HEAD"), tmp_path / "place")
    assert (tmp_path / "place" / "part" / "toywork.py").exists()


def test_our_repository_is_made_anew_where_a_kill_left_half_of_it(toy, tmp_path):
    own = tmp_path / "own"
    (own / "objects").mkdir(parents=True)
    made = Repository(toy.root, own)
    made.check_out(made.commit("HEAD"), tmp_path / "place")
    shutil.rmtree(tmp_path / "place")  # as a kill leaves a worktree that is known and gone
    made.check_out(made.commit("HEAD"), tmp_path / "place")
    assert (tmp_path / "place" / "toywork.py").exists()
