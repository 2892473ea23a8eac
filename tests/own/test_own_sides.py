"""Sides of one's own code: versions, lock files, interpreters; from packages that are made here, without a network."""

import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from arrayspeed.cli.main import main
from arrayspeed.environments import interpreters, resolve
from arrayspeed.environments.resolve import Requested
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.own import locks, measures, remembered, script, sides
from support import schema
from tests.conftest import ROOT

#: Sides are started and timed.
pytestmark = pytest.mark.environment

FILE = """
# /// script
# dependencies = ["subject", "companion"]
# ///
import companion
import subject


def bench_work():
    sum(range(10_000 * subject.FACTOR))
    return companion.VERSION
"""


def wheel(folder, name, version, code="", needs=()):
    """A package in a wheel."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {each}\n" for each in needs)
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", code)
        file.writestr(f"{info}/METADATA", metadata)
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels that is all that there is: subject 1.0, 2.0, 3.0 and companion 1.0, 2.0."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for version in ("1.0", "2.0"):
        wheel(folder, "companion", version, f"VERSION = {version!r}\n")
    wheel(folder, "subject", "1.0", "FACTOR = 1\n", ["companion"])
    wheel(folder, "subject", "2.0", "FACTOR = 3\n", ["companion<2"])
    wheel(folder, "subject", "3.0", "FACTOR = 1\n", ["companion>=2"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def run(tmp_path, capsys, index, few_turns):
    """Runs a command on a file: status and what it printed."""

    def call(command, *options, source=FILE):
        path = tmp_path / "mine.py"
        path.write_text(source)
        with pytest.raises(SystemExit) as ended:
            main([command, *options, "--file", str(path), "--format", "json"])
        return ended.value.code, capsys.readouterr()

    return call


@pytest.mark.clock
def test_two_versions_of_any_package(run):
    status, printed = run("upgrade", "subject", "1.0", "2.0")
    data = schema.read("upgrade", printed.out)
    assert status == 1
    (row,) = (row for row in data["comparisons"] if row["measure"] == "time_call")
    assert row["verdict"] == "slower"
    assert 2 < row["ratio"] < 4.5
    assert [one["label"] for one in data["sides"]] == ["subject 1.0", "subject 2.0"]
    companions = {one["packages"]["companion"] for one in data["sides"]}
    assert companions == {"1.0"}, "which both can have, though 1.0 alone would get 2.0"
    assert not any("differ:" in note for note in data["notes"])


@pytest.mark.parametrize(("old", "new"), [("1.0", "2.0"), ("2.0", "1.0")])
def test_what_is_released_together_is_compared_together(index, old, new):
    """As jaxlib with JAX: a new JAX accepts an older jaxlib, which has all that is slow. What is not stays the same."""
    for version in ("1.0", "2.0"):
        wheel(index, "half", version)
        wheel(index, "other", version.replace(".0", ".5"))
        wheel(index, "whole", version, needs=[f"half<={version}", "other" if version == "2.0" else "other<2"])
    asked = [Requested(f"whole {version}", (f"whole=={version}",), (f"whole=={version}",)) for version in (old, new)]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = resolve.resolve(Uv(), asked, [python, python])
    assert found == [[f"half=={version}", "other==1.5", f"whole=={version}"] for version in (old, new)]


def test_what_a_version_forces_is_said(run, monkeypatch):
    _, printed = run("upgrade", "subject", "2.0", "3.0", "--rounds", "2")
    data = schema.read("upgrade", printed.out)
    assert "Packages that differ: companion 1.0 → 2.0." in data["notes"]
    assert "made in" in printed.err
    asked = []
    real = Uv.compile
    monkeypatch.setattr(Uv, "compile", lambda self, *given, **more: asked.append(given) or real(self, *given, **more))
    _, printed = run("upgrade", "subject", "2.0", "3.0", "--rounds", "2")
    assert "made in" not in printed.err, "environments are used again"
    assert schema.read("upgrade", printed.out)["notes"] == data["notes"]
    assert not asked, "nor is the index asked what it has said already"
    run("upgrade", "subject", "2.0", "3.0", "--rounds", "2", "--with", "companion<3")
    assert asked, "of anything else it is"


def test_noise_is_taken_for_usual_of_times_and_not_of_a_program_s_own_figures():
    assert all(measures.MEASURES[name].threshold.noise for name in (measures.TIME, measures.FIRST, measures.IMPORT))
    assert not any(measures.MEASURES[name].threshold.noise for name in measures.FIGURES)


def test_what_was_resolved_is_believed_for_a_day(tmp_path, monkeypatch):
    uv = Uv()

    def asked(*texts, allowed="", pythons=(None,)):
        return remembered.question(uv, [Requested("a side", (), texts)], pythons, allowed)

    one = asked("subject==1.0")
    assert one == asked("subject==1.0")
    others = [asked("subject==2.0"), asked("subject==1.0", allowed=">=3.12"), asked("subject==1.0", pythons=("3.12",))]
    monkeypatch.setitem(uv.environment, "UV_INDEX_URL", "another")
    assert len({one, *others, asked("subject==1.0")}) == 5
    assert asked("subject @ file:///x.whl") == asked("../subject") == "", "may be something else by then"

    now = time.time()
    answer = remembered.Answer([sys.executable], [["subject==1.0"]], ["a line"], now)
    assert remembered.recall(tmp_path, one) is None
    remembered.keep(tmp_path, "", answer)
    assert not (tmp_path / remembered.NAME).exists()
    remembered.keep(tmp_path, one, answer)
    assert remembered.recall(tmp_path, one) == answer
    assert remembered.recall(tmp_path, "another") is None
    monkeypatch.setattr(time, "time", lambda: now + remembered.BELIEVED)
    assert remembered.recall(tmp_path, one) is None, "a day later"
    gone = remembered.Answer([str(tmp_path / "gone")], [["subject==1.0"]], [], time.time())
    remembered.keep(tmp_path, "gone", gone)
    assert remembered.recall(tmp_path, "gone") is None, "its interpreter has gone"
    assert list(json.loads((tmp_path / remembered.NAME).read_text())) == ["gone"], "what is not believed is forgotten"
    for text in ("", "[]", "{", '{"gone": 1}', '{"gone": {}}'):
        (tmp_path / remembered.NAME).write_text(text)
        assert remembered.recall(tmp_path, "gone") is None
        remembered.keep(tmp_path, one, remembered.Answer([sys.executable], [], [], time.time()))
        assert remembered.recall(tmp_path, one), "and the file is as good as new"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["subject", "1.0", "2.5"], "there is no subject 2.5 for this Python and system; the nearest are 2.0 and 3.0"),
        (["subject", "0.1", "2.0"], "there is no subject 0.1 for this Python and system; the nearest are 1.0"),
        (["nosuch", "1.0", "2.0"], "cannot install nosuch==1.0: "),
        (["subject", "1.0", "3.0", "--with", "companion==1.0"], "cannot install subject==3.0: "),
    ],
)
def test_versions_that_do_not_exist(run, tmp_path, arguments, said):
    status, printed = run("upgrade", *arguments)
    assert status == 2
    assert f"arrayspeed: {said}" in printed.err
    assert "http" not in printed.err
    assert not list((tmp_path / ".arrayspeed/environments").glob("*/bin")), "nothing was installed"


def test_no_network_and_nothing_fetched(run, monkeypatch, tmp_path):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    status, printed = run("upgrade", "subject", "1.0", "2.0")
    assert status == 2
    (line,) = (each for each in printed.err.splitlines() if each.startswith("arrayspeed:"))
    assert "a package index could not be reached" in line


@pytest.mark.clock
def test_lock_files(run, tmp_path):
    (tmp_path / "old.txt").write_text(
        "subject==1.0 \\\n    --hash=sha256:0\n# a remark\ncompanion==1.0  # via subject\n"
    )
    (tmp_path / "pylock.new.toml").write_text(
        'lock-version = "1.0"\n[[packages]]\nname = "subject"\nversion = "2.0"\n'
        '[[packages]]\nname = "companion"\nversion = "1.0"\nmarker = "python_version > \'3\'"\n'
    )
    locks = [str(tmp_path / name) for name in ("old.txt", "pylock.new.toml")]
    status, printed = run("upgrade", "--lock", *locks)
    data = schema.read("upgrade", printed.out)
    assert status == 1
    assert [one["packages"]["subject"] for one in data["sides"]] == ["1.0", "2.0"]
    assert "Packages that differ: subject 1.0 → 2.0." in data["notes"]


def test_a_lock_file_of_uv(index, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text(
        '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["subject<3"]\n'
    )
    uv = Uv()
    status, _, messages = uv.run("lock", "--no-index", "--find-links", str(index), "--project", str(project))
    assert status == 0, messages
    assert set(locks.packages_of(uv, project / "uv.lock")) == {"subject==2.0", "companion==1.0"}


POETRY = """
[[package]]
name = "subject"
version = "1.0"
optional = false
{0}

[package.dependencies]
Shim = {{version = "*", markers = "python_version < \\"3.11\\""}}

[[package]]
name = "shim"
version = "1.0"
optional = false
{1}

[[package]]
name = "extra"
version = "1.0"
optional = true

[metadata]
lock-version = "2"
content-hash = "0"
"""


@pytest.mark.parametrize(
    ("groups", "more", "expected"),
    [
        ("", "", ["subject==1.0", 'shim==1.0 ; (python_version < "3.11")']),
        ('groups = ["main"]', 'groups = ["main"]', ["subject==1.0", "shim==1.0"]),
        (
            'groups = ["main"]\nmarkers = "a == 1"',
            'groups = ["main", "dev"]\nmarkers = {main = "b == 2", dev = "c == 3"}',
            ["subject==1.0 ; (a == 1)", "shim==1.0 ; (b == 2) or (c == 3)"],
        ),
        (
            'groups = ["main"]\nsource = {type = "git", url = "https://a.invalid/b", resolved_reference = "c"}',
            'groups = ["main", "dev"]\nmarkers = {main = "b == 2"}',
            ["subject @ git+https://a.invalid/b@c", "shim==1.0"],
        ),
    ],
    ids=["Poetry 1", "Poetry 2", "markers", "git"],
)
def test_a_lock_file_of_poetry(tmp_path, groups, more, expected):
    path = tmp_path / "poetry.lock"
    path.write_text(POETRY.format(groups, more))
    assert locks.packages_of(None, path) == expected


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "poetry.lock",
            POETRY.format("", "").replace("extra", "shim").replace("optional = true", "optional = false"),
            "poetry.lock has shim in several versions and does not say when: lock it again with Poetry 2",
        ),
        (
            "poetry.lock",
            POETRY.format('source = {type = "directory", url = "x"}', ""),
            "poetry.lock has subject from a folder or a file",
        ),
        ("a.txt", "", "a.txt lists no package"),
        ("a.txt", "numpy==1\n-r other.txt\n", "a.txt, line 2: '-r other.txt' is not a requirement"),
        ("pylock.toml", 'lock-version = "1.0"\n[[packages]]\nname = "x"\n', "pylock.toml has x from a folder"),
        ("pylock.toml", 'lock-version = "1.0"\n[[packages]]\nversion = "1"\n', "pylock.toml is TOML, but neither"),
        ("pylock.toml", 'lock-version = "1.0"\npackages = []\n', "pylock.toml lists no package"),
        ("pylock.toml", 'lock-version = "1.0', "pylock.toml is not TOML"),
        ("uv.lock", "version = 1\n[[package]]\nname = 'x'\nversion = '1'\n", "uv.lock is of 0 projects"),
        ("uv.lock", "package = [1]\n", "uv.lock is TOML, but neither"),
        ("poetry.lock", "package = []\n[metadata]\nlock-version = '2.0'\n", "poetry.lock lists no package"),
    ],
)
def test_lock_files_that_are_none(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UserError, match=said):
        locks.packages_of(None, path)


def test_interpreters(run, tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        subprocess.run([sys.executable, "-m", "virtualenv", "--quiet", str(folder)], check=True)
    pythons = [str(folder / "bin/python") for folder in folders]
    source = "import sys\ndef bench_where():\n    return sys.prefix\n"
    status, printed = run("upgrade", "--rounds", "2", "--python", *pythons, source=source)
    data = schema.read("upgrade", printed.out)
    assert status == 1
    (row,) = (row for row in data["comparisons"] if row["measure"] == "result")
    assert row["verdict"] == "differs"
    assert not (tmp_path / ".arrayspeed/environments").exists(), "nothing is made for interpreters as they are"


OLDER = [one.path for one in interpreters.at_hand() if one.name in ("3.8", "3.9", "3.13")]


@pytest.mark.skipif(not OLDER, reason="no other Python is here")
@pytest.mark.parametrize("python", OLDER)
def test_other_pythons(run, python):
    _, printed = run(
        "upgrade", "--rounds", "2", "--python", python, sys.executable, source="def bench_one():\n    return 1\n"
    )
    (row,) = (row for row in schema.read("upgrade", printed.out)["comparisons"] if row["measure"] == "kept")
    assert row["rounds"] == 2


@pytest.mark.clock
def test_more_than_two_sides(run):
    status, printed = run(
        "compare", "--side", "subject==2.0", "--side", "subject==1.0 A=1", "--side", "subject==2.0 A=1"
    )
    data = schema.read("upgrade", printed.out)
    assert [one["label"] for one in data["sides"]] == ["subject==2.0", "subject==1.0 A=1", "subject==2.0 A=1"]
    assert data["best"] == [{"function": "bench_work", "size": None, "sides": ["subject==1.0 A=1"]}]
    assert {row["side"] for row in data["comparisons"]} == {"subject==1.0 A=1", "subject==2.0 A=1"}
    assert status in (0, 2)


def test_labels_tell_sides_apart():
    same = sides.with_unique_labels(sides.of_versions("numpy", ["2.0", "2.0"]))
    assert [one.label for one in same] == ["numpy 2.0", "numpy 2.0 (copy 2)"]
    alike = sides.with_unique_labels([sides.Side("", variables=(("A", "x\ny"),))] * 2)
    assert [one.label for one in alike] == ["A=x�y", "A=x�y (copy 2)"]
    (jax,) = sides.of_versions("jax", ["0.4.13"])
    assert (jax.label, jax.wanted) == ("jax 0.4.13", ("jax[cpu]==0.4.13",))
    (jax,) = sides.of_versions("jax[cuda12]", ["0.4.13"])
    assert jax.wanted == ("jax[cuda12]==0.4.13",)
    text = sides.of_text("jax==0.4.31 XLA_FLAGS='--x=1 --y=2'")
    assert text.wanted == ("jax==0.4.31",)
    assert dict(text.variables) == {"XLA_FLAGS": "--x=1 --y=2"}


def test_pins_that_differ():
    assert resolve.different(["a==1", "B_b==2"], ["a==2", "b-b==2", "c @ file:///c"]) == ["a", "c"]


REPORTED = sorted((ROOT / "examples/reported").glob("*.py"))


@pytest.mark.parametrize("path", REPORTED, ids=lambda path: path.stem)
def test_what_was_reported_can_be_asked_for(path):
    assert script.read(path).name == path.name
    docstring = path.read_text().split('"""')[1]
    lines = dict(line.split(":", 1) for line in docstring.splitlines() if line.startswith(("Old:", "New:")))
    both = [sides.of_text(lines[name].strip()) for name in ("Old", "New")]
    assert all(one.wanted and not one.variables for one in both)
    assert both[0] != both[1]


def test_all_examples_are_there():
    assert len(REPORTED) == 33
    for path in (ROOT / "examples").glob("*.py"):
        assert script.read(path).dependencies or path.stem == "plain_python"


@pytest.mark.clock
def test_the_example_of_the_documentation(tmp_path, capsys):
    text = Path(ROOT, "docs/own-code.md").read_text()
    source = text.split("```python\n")[1].split("```")[0]
    (tmp_path / "mine.py").write_text(source.replace('# dependencies = ["numpy"]', "# dependencies = []"))
    (command,) = (line.strip() for line in text.splitlines() if line.strip().startswith("arrayspeed compare counter"))
    arguments = [str(tmp_path / "mine.py") if word == "mine.py" else word for word in command.split()[1:]]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--size", "1000"])
    printed = capsys.readouterr().out
    assert ended.value.code in (0, 2)
    assert "Fastest of variants(1000): counter." in printed
