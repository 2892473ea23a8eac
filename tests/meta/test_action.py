"""The GitHub Action: its description, and its steps as a runner does them, in a repository with a bumped lock file.

``gh`` is a program here that keeps comments in a file, and records what it was called with.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arrayspeed.environments.uv import Uv
from tests.conftest import ROOT, commit
from tests.own.test_own_sides import wheel

GH = r"""#!{python}
import json, sys
from pathlib import Path

folder, arguments = Path({folder!r}), sys.argv[1:]
with Path(folder, "calls").open("a") as file:
    file.write(json.dumps(arguments) + "\n")
if Path(folder, "broken").exists():
    sys.exit("HTTP 403: Resource not accessible by integration")
kept = Path(folder, "comments")
comments = json.loads(kept.read_text()) if kept.exists() else []
assert arguments[0] == "api"
body = next((Path(each.removeprefix("body=@")).read_text() for each in arguments if each.startswith("body=@")), None)
if "POST" in arguments:
    comments.append({{"id": 100 + len(comments), "user": {{"login": "github-actions[bot]"}}, "body": body}})
elif "PATCH" in arguments:
    (place,) = (each for each in arguments if "/comments/" in each)
    (one,) = (each for each in comments if str(each["id"]) == place.rpartition("/")[2])
    one["body"] = body
else:
    # As gh prints two pages: one list after the other.
    print(json.dumps(comments[:1]) + json.dumps(comments[1:]))
kept.write_text(json.dumps(comments))
"""

#: What is measured: the newer subject gives another answer, which needs no luck to be seen.
MINE = "import companion\nimport subject\n\n\ndef bench_answer():\n    return subject.VERSION\n"

#: In place of arrayspeed, where only the steps around it are looked at: says with what it was called.
STUB = r"""#!{python}
import json, os, sys
from pathlib import Path

Path({folder!r}, "given").write_text(json.dumps(sys.argv[1:]))
_, what, old, new, *_ = sys.argv[1:]
with Path({folder!r}, "asked").open("a") as file:
    file.write(what + "\n")
if what == "--lock":
    print(f"**{{Path(old).read_text().strip()}} to {{Path(new).read_text().strip()}}**")
else:
    print(f"**{{old}} to {{new}}**")
print(os.environ.get("PRINTED", ""))
print("arrayspeed: [1/1] measured", file=sys.stderr)
sys.exit(int(os.environ.get("STATUS", "0")))
"""


def git(folder, *arguments):
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Runner:
    """A repository with a lock file, and what a runner has around it."""

    def __init__(self, folder):
        self.repository, self.temporary, self.programs = (folder / name for name in ("repository", "temp", "bin"))
        for each in (self.repository, self.temporary / "arrayspeed/bin", self.programs):
            each.mkdir(parents=True)
        git(self.repository, "init", "--quiet", "--initial-branch", "main")
        self.mine = folder
        self.program(self.programs / "gh", GH)
        bin = self.temporary / "arrayspeed/bin"
        (bin / "python").symlink_to(sys.executable)
        (bin / "arrayspeed").symlink_to(Path(sys.executable).with_name("arrayspeed"))

    def program(self, path, text):
        path.unlink(missing_ok=True)
        path.write_text(text.format(python=sys.executable, folder=str(self.mine)))
        path.chmod(0o755)

    def stub(self):
        self.program(self.temporary / "arrayspeed/bin/arrayspeed", STUB)

    def commit(self, **files):
        for name, text in files.items():
            path = self.repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        commit(self.repository)
        return git(self.repository, "rev-parse", "HEAD")

    def compare(self, **variables):
        names = ("LOCK", "PROJECT", "FILE", "ASV", "PYTEST", "COMMAND", "METRIC", "ARGUMENTS", "BASE")
        env = dict.fromkeys(names, "") | {
            "COMMENT": "true",
            "AUTHOR": "github-actions[bot]",
            "NUMBER": "7",
            "GH_TOKEN": "a token",
            "GITHUB_REPOSITORY": "some/where",
            "GITHUB_STEP_SUMMARY": str(self.mine / "summary"),
            "GITHUB_OUTPUT": str(self.mine / "output"),
            "RUNNER_TEMP": str(self.temporary),
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
        }
        return subprocess.run(
            [ROOT / "action/compare"],
            cwd=self.repository,
            env=os.environ | env | variables,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def read(self, name):
        path = self.mine / name
        return path.read_text() if path.exists() else ""

    @property
    def comments(self):
        return json.loads(self.read("comments") or "[]")

    @property
    def methods(self):
        calls = [json.loads(line) for line in self.read("calls").splitlines()]
        return [call[call.index("--method") + 1] for call in calls if "--method" in call]


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


@pytest.fixture
def bumped(runner):
    """A lock file that differs from that of the base, and a stub that says with what it was called."""
    runner.stub()
    base = runner.commit(**{"a.lock": "one", "mine.py": MINE})
    runner.commit(**{"a.lock": "two"})
    return runner, {"LOCK": "a.lock", "FILE": "mine.py", "BASE": base}


# --- the description ---


def test_the_description_is_valid():
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_value_of_a_pull_request_is_part_of_a_script():
    text = (ROOT / "action.yml").read_text()
    scripts = re.findall(r"^ +run: (.*)$", text, re.MULTILINE)
    assert scripts, "the steps were found"
    assert not any("${{" in each for each in scripts)
    for each in scripts:
        (program,) = shlex.split(each)
        path = ROOT / program.strip('"').removeprefix("$GITHUB_ACTION_PATH/")
        assert os.access(path, os.X_OK), program


def test_the_step_has_what_its_script_reads():
    given = set(re.findall(r"^ {8}([A-Z_]+): ", (ROOT / "action.yml").read_text(), re.MULTILINE))
    script = (ROOT / "action/compare").read_text()
    read = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script)) | {"FILE", "ASV", "PYTEST"}
    runner_s = {name for name in read if name.startswith(("GITHUB_", "RUNNER_"))} | {"FETCH_HEAD"}
    assert read - runner_s == given - {"GH_TOKEN"}


# --- which questions are asked ---


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"code.py": "new"}, ["--commits"]),
        ({"a.lock": "three"}, ["--lock"]),
        ({"code.py": "new", "a.lock": "three"}, ["--lock", "--commits"]),
        ({}, []),
    ],
)
def test_what_changed_is_what_is_asked_about(bumped, changed, asked):
    runner, variables = bumped
    base = runner.commit(**{"code.py": "old"})
    if changed:
        runner.commit(**changed)
    given = variables | {"BASE": base, "PROJECT": "."}
    done = runner.compare(**given, STATUS="1")
    assert done.returncode == (1 if asked else 0), done.stderr
    assert runner.read("asked").split() == asked
    if "--commits" in asked:
        words = json.loads(runner.read("given"))
        assert words[:6] == ["upgrade", "--commits", base, "HEAD", "--project", "."]
        assert words[words.index("--until") + 1] == "limit"
    elif asked:  # what is measured needs the project on both sides
        words = json.loads(runner.read("given"))
        assert words[words.index("--project") + 1] == "."
    # One comment for both, which is updated.
    assert len(runner.comments) == bool(asked)
    runner.commit(**{"code.py": "newer"})
    runner.compare(**given)
    (comment,) = runner.comments
    assert f"**{base} to HEAD**" in comment["body"]


def test_a_project_without_a_lock_file(bumped):
    runner, variables = bumped
    base = runner.commit(**{"code.py": "old"})
    runner.commit(**{"code.py": "new"})
    done = runner.compare(**variables | {"BASE": base, "LOCK": "", "PROJECT": "."})
    assert done.returncode == 0, done.stderr
    (comment,) = runner.comments
    assert comment["body"].splitlines()[1] == "### arrayspeed: `the commits of .`"


# --- comments and status ---


def test_one_comment_that_is_updated(bumped):
    runner, variables = bumped
    done = runner.compare(**variables)
    assert done.returncode == 0, done.stderr
    assert runner.methods == ["POST"]
    (comment,) = runner.comments
    assert comment["body"].startswith("<!-- arrayspeed: a.lock_mine.py -->\n### arrayspeed: `a.lock`\n\n**one to two**")
    runner.commit(**{"a.lock": "three"})
    assert runner.compare(**variables).returncode == 0
    assert runner.methods == ["POST", "PATCH"]
    assert [("one to three" in each["body"], each["id"]) for each in runner.comments] == [(True, comment["id"])]
    assert "one to three" in runner.read("summary")
    assert runner.compare(**variables | {"FILE": "other.py"}).returncode == 0
    assert len(runner.comments) == 2, "another suite has a comment of its own"


def test_a_bump_that_is_taken_back(bumped):
    runner, variables = bumped
    runner.commit(**{"a.lock": "one"})
    assert runner.compare(**variables).returncode == 0
    assert runner.comments == [], "where nothing was said, nothing has to be"
    runner.commit(**{"a.lock": "two"})
    runner.compare(**variables)
    runner.commit(**{"a.lock": "one"})
    assert runner.compare(**variables).returncode == 0
    (comment,) = runner.comments
    assert "a.lock is that of the base" in comment["body"]


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_status_is_that_of_the_verdict(bumped, status):
    runner, variables = bumped
    assert runner.compare(**variables, STATUS=str(status)).returncode == status
    assert runner.read("output") == f"status={status}\n"
    assert len(runner.comments) == 1


def test_what_cannot_be_measured_is_said_in_the_comment(bumped):
    runner, variables = bumped
    bin = runner.temporary / "arrayspeed/bin/arrayspeed"
    runner.program(
        bin, "#!{python}\nimport sys\nprint('progress', file=sys.stderr)\nsys.exit('arrayspeed: no such file')"
    )
    assert runner.compare(**variables).returncode == 1
    (comment,) = runner.comments
    assert comment["body"].endswith("Not measured:\n\n    no such file\n")


def test_a_token_that_may_not_write(bumped):
    runner, variables = bumped
    (runner.mine / "broken").touch()
    done = runner.compare(**variables, STATUS="1")
    assert done.returncode == 1, "the verdict counts, and not the comment"
    assert "::warning::The comment was not written" in done.stdout
    assert "one to two" in runner.read("summary")


def test_a_comment_of_somebody_else_is_left_alone(bumped):
    runner, variables = bumped
    theirs = {"id": 5, "user": {"login": "mallory"}, "body": "<!-- arrayspeed: a.lock_mine.py -->"}
    (runner.mine / "comments").write_text(json.dumps([theirs]))
    assert runner.compare(**variables).returncode == 0
    assert runner.comments[0] == theirs
    assert len(runner.comments) == 2


@pytest.mark.parametrize("variables", [{"COMMENT": "false"}, {"NUMBER": ""}])
def test_without_a_comment(bumped, variables):
    runner, usual = bumped
    assert runner.compare(**usual | variables).returncode == 0
    assert runner.comments == []
    assert "one to two" in runner.read("summary")


def test_a_long_verdict_is_cut_for_the_comment_alone(bumped):
    runner, variables = bumped
    assert runner.compare(**variables, PRINTED="é" * 70 + "\n" + "line\n" * 20_000).returncode == 0
    (comment,) = runner.comments
    assert len(comment["body"].encode()) < 61_000
    assert comment["body"].endswith("… the rest is in the summary of the job.\n")
    assert len(runner.read("summary")) > 100_000


# --- what the base has ---


def test_a_shallow_checkout_fetches_the_base(bumped):
    runner, variables = bumped
    git(runner.mine, "clone", "--quiet", "--depth", "1", runner.repository.as_uri(), "shallow")
    git(runner.repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    runner.repository = runner.mine / "shallow"
    done = runner.compare(**variables)
    assert done.returncode == 0, done.stderr
    assert "one to two" in done.stdout


def test_a_lock_file_that_is_new(bumped):
    runner, variables = bumped
    runner.commit(**{"new.lock": "one"})
    done = runner.compare(**variables | {"LOCK": "new.lock"})
    assert (done.returncode, runner.comments) == (0, [])
    assert "new.lock is new" in done.stdout


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"FILE": ""}, "file, asv, pytest or command is needed"),
        ({"BASE": ""}, "base is needed where the event is no pull request"),
        ({"BASE": "--upload-pack=touch x"}, "base is not the name of a commit"),
        ({"BASE": "0" * 40}, "cannot be fetched"),
        ({"LOCK": "no.lock"}, "there is no no.lock in this commit"),
        ({"LOCK": ""}, "lock or project is needed"),
        ({"PROJECT": "nowhere"}, "there is no folder nowhere in this commit"),
    ],
)
def test_mistakes(bumped, variables, said):
    runner, usual = bumped
    done = runner.compare(**usual | variables)
    assert done.returncode == 2
    (line,) = (each for each in done.stderr.splitlines() if each.startswith("arrayspeed: "))
    assert said in line
    assert runner.comments == []


# --- values that would be commands ---


def test_values_are_data(bumped):
    runner, variables = bumped
    evil = "a $(touch EVIL) `touch EVIL`; 'touch' --> x.lock"
    base = runner.commit(**{evil: "one"})
    runner.commit(**{evil: "two"})
    done = runner.compare(
        **variables
        | {"LOCK": evil, "BASE": base, "FILE": "", "COMMAND": "echo $(touch EVIL)", "METRIC": "([0-9]+); touch EVIL"},
        ARGUMENTS="--minutes 3 -k *\n; touch EVIL $(touch EVIL)",
    )
    assert done.returncode == 0, done.stderr
    given = json.loads(runner.read("given"))
    assert given[given.index("--command") + 1] == "echo $(touch EVIL)"
    assert given[-8:] == ["3", "-k", "*", ";", "touch", "EVIL", "$(touch", "EVIL)"]
    assert not list(runner.mine.rglob("EVIL"))
    (comment,) = runner.comments
    marker = comment["body"].splitlines()[0]
    assert marker.startswith("<!-- arrayspeed: a___touch_EVIL_") and marker.count("-->") == 1


def test_what_is_printed_is_no_command_to_the_runner(bumped):
    runner, variables = bumped
    done = runner.compare(**variables, PRINTED="::add-path::/tmp/evil")
    lines = done.stdout.splitlines()
    (start,) = (place for place, line in enumerate(lines) if line.startswith("::stop-commands::"))
    token = lines[start].removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert start < lines.index("::add-path::/tmp/evil") < lines.index(f"::{token}::")


# --- with arrayspeed itself ---


def requirements(version):
    """As pip-tools write them."""
    return (
        "#\n# This file is autogenerated by pip-compile with Python 3.11\n#\n"
        "companion==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n    # via subject\n"
        f"subject=={version} \\\n    --hash=sha256:00\n    # via -r requirements.in\n"
    )


def poetry(version):
    """As Poetry 2 writes it."""
    return f"""# This file is automatically @generated by Poetry 2.5.1 and should not be changed by hand.

[[package]]
name = "companion"
version = "1.0"
description = ""
optional = false
python-versions = "*"
groups = ["main", "dev"]
files = []

[[package]]
name = "nothing"
version = "1.0"
description = ""
optional = false
python-versions = "*"
groups = ["main"]
markers = "sys_platform == \\"win32\\""
files = []

[[package]]
name = "subject"
version = "{version}"
description = ""
optional = false
python-versions = "*"
groups = ["main"]
files = []

[package.dependencies]
companion = "*"

[metadata]
lock-version = "2.1"
python-versions = ">=3.10"
content-hash = "0"
"""


@pytest.fixture
def index(tmp_path, monkeypatch):
    """All packages that there are."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel(folder, "companion", "1.0", "VERSION = '1.0'\n")
    for version in ("1.0", "2.0"):
        wheel(folder, "subject", version, f"VERSION = {version!r}\n", ["companion"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def uv_lock(tmp_path, index):
    """What uv writes for a project that asks for a version."""

    def made(version):
        project = tmp_path / f"project-{version}"
        project.mkdir()
        (project / "pyproject.toml").write_text(
            f'[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["subject=={version}"]\n'
        )
        status, _, messages = Uv().run("lock", "--no-index", "--find-links", str(index), "--project", str(project))
        assert status == 0, messages
        return (project / "uv.lock").read_text()

    return made


@pytest.mark.environment
@pytest.mark.parametrize("name", ["uv.lock", "poetry.lock", "requirements/dev.txt"])
def test_a_bump_of_each_kind_of_lock_file(runner, uv_lock, name):
    made = {"uv.lock": uv_lock, "poetry.lock": poetry}.get(name, requirements)
    base = runner.commit(**{name: made("1.0"), "bench/mine.py": MINE})
    runner.commit(**{name: made("2.0")})
    done = runner.compare(LOCK=name, FILE="bench/mine.py", BASE=base, ARGUMENTS="--rounds 2")
    assert done.returncode == 1, done.stdout + done.stderr
    (comment,) = runner.comments
    kind = Path(name).name
    assert f"### arrayspeed: `{name}`" in comment["body"]
    assert f"base-{kind} → {kind}" in comment["body"]
    assert "subject 1.0 → 2.0" in comment["body"]
    assert re.search(r"differs \| result \| answer \| .*1.0.* \| .*2.0", comment["body"])
