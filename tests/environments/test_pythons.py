"""Interpreters, and which of them a comparison needs."""

import os
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from arrayspeed.cli.main import main
from arrayspeed.environments import interpreters, pythons
from arrayspeed.environments.interpreters import Interpreter
from arrayspeed.environments.pythons import MINORS, NoPython, bound, choose, refusal, shared, span
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.own import sides
from arrayspeed.releases.parts import parts
from support.releases import alone, listed, wheel

ROOT = Path(__file__).parents[2]
CURRENT = "{}.{}".format(*sys.version_info)


def program(path, version, name="cpython", free="false", status=0):
    """A program that says that it is an interpreter; it notes that it was run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = f'["{path}", "{version}", "{name}", {free}]'
    path.write_text(f"#!/bin/sh\necho run >> {path.parent.parent}/ran\necho '{said}'\nexit {status}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A machine that has no other interpreters than a test puts there."""
    for variable, folder in (("PYENV_ROOT", "pyenv"), ("ASDF_DATA_DIR", "asdf"), ("UV_PYTHON_INSTALL_DIR", "uv")):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    monkeypatch.setenv("RYE_PY_ROOT", str(tmp_path / "rye"))
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name) for name in ("pyenv/shims", "bin")))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_interpreters_of_version_managers_and_on_path(places):
    pyenv = program(places / "pyenv/versions/3.97.1/bin/python3.97", "3.97.1")
    program(places / "pyenv/shims/python3.97", "3.97.1", status=127)
    asdf = program(places / "asdf/installs/python/3.96.0/bin/python3.96", "3.96.0")
    plain = program(places / "bin/python3.98", "3.98.0")
    free = program(places / "uv/cpython-3.95/bin/python3", "3.95.2", free="true")
    program(places / "bin/python3.94", "3.94.0", status=1)
    program(places / "bin/python3.93", "3.93.0", name="pypy")
    program(places / "bin/python3.92", "3.92.0rc1")
    found = interpreters.at_hand()
    assert found[0] == interpreters.this()
    assert [(one.path, one.name) for one in found[1:5]] == [
        (plain, "3.98"),
        (pyenv, "3.97"),
        (asdf, "3.96"),
        (free, "3.95t"),
    ]
    assert [one.name for one in found[5:]] == ["3.92"], "a pre-release is the last"
    assert not (places / "pyenv/ran").exists(), "a shim is not run"


def test_a_version_that_is_asked_for(places):
    program(places / "bin/python3.98", "3.98.4")
    program(places / "bin/python3.95t", "3.95.2", free="true")
    assert interpreters.find(CURRENT).path == sys.executable
    for wanted, name in (("3.98", "3.98"), ("3.98.4", "3.98"), ("3.95t", "3.95t")):
        assert interpreters.find(wanted).name == name
    for wanted in ("3.98.5", "3.95", "3.98t", "3.9", "path/of/python"):
        assert interpreters.find(wanted) is None


@pytest.mark.parametrize("forbids", ["never", "manual"])
def test_what_is_not_there_and_may_not_be_fetched(places, monkeypatch, forbids):
    monkeypatch.setenv(interpreters.DOWNLOADS, forbids)
    with pytest.raises(UserError) as raised:
        interpreters.get("3.99", print)
    said = (
        f"Python 3.99 is not on this machine (it has {CURRENT}), and UV_PYTHON_DOWNLOADS={forbids} forbids fetching it"
    )
    assert str(raised.value) == said


def test_what_uv_cannot_fetch(places, monkeypatch):
    monkeypatch.delenv(interpreters.DOWNLOADS, raising=False)
    monkeypatch.setattr(Uv, "run", lambda *_, **__: (2, "", "error: No download found for request: cpython-3.99"))
    told = []
    with pytest.raises(UserError, match=r"uv could not fetch it: .*No download found"):
        interpreters.get("3.99", told.append)
    assert told == ["fetching Python 3.99, which is not on this machine"]


def test_what_uv_fetches_is_found(places, monkeypatch):
    monkeypatch.delenv(interpreters.DOWNLOADS, raising=False)

    def run(self, *arguments, **_):
        if "install" in arguments:
            program(places / "uv/cpython-3.99/bin/python3", "3.99.1")
        return 0, "somewhere\n", ""

    monkeypatch.setattr(Uv, "run", run)
    assert interpreters.get("3.99", print).name == "3.99"


@pytest.mark.parametrize("wanted", ["three", "3.x", ""])
def test_no_version(wanted):
    with pytest.raises(UserError, match=r"not a version such as 3\.13"):
        interpreters.get(wanted, print)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package of which each release is for other Pythons."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel(folder, "toy", "1.0", tag="cp310.cp311-none-any")
    wheel(folder, "toy", "1.5", tag="cp311.cp312-none-any")
    wheel(folder, "toy", "2.0", tag="cp312.cp313-none-any")
    wheel(folder, "toy", "3.0", tag="cp313-none-any")
    wheel(folder, "any", "1.0")
    wheel(folder, "needing", "1.0", needs=["toy==3.0"])
    alone(monkeypatch, UV_NO_INDEX="1", UV_FIND_LINKS=str(folder), UV_CACHE_DIR=str(tmp_path / "cache"))
    return Uv()


@pytest.fixture
def others(monkeypatch):
    """Interpreters beside this one; they are never run, since uv knows what is for them."""

    def there(*versions):
        kept = [Interpreter(f"python{version}", Version(version)) for version in versions]
        monkeypatch.setattr(interpreters, "at_hand", lambda: [OLD, *kept])

    return there


OLD = Interpreter("3.11", Version("3.11.7"))


def test_the_first_choice_is_kept_where_all_can_be_installed(index, others):
    others("3.13.0")
    told = []
    wanted = {"toy 1.0": ["toy==1.0", "any"], "toy 1.5": ["toy==1.5", "any"]}
    assert choose(wanted, index, told.append, first=OLD) == OLD
    assert told == []


@pytest.mark.seconds
def test_the_newest_python_that_runs_all_sides(index, others):
    others("3.13.0", "3.12.1", "3.10.4")
    told = []
    found = choose({"toy 2.0": ["toy==2.0"], "toy 3.0": ["toy==3.0"]}, index, told.append, first=OLD)
    assert found.name == "3.13"
    assert told == ["Python 3.13: toy 2.0 needs 3.12 or newer and toy 3.0 needs 3.13 or newer"]
    told.clear()
    assert choose({"toy 1.5": ["toy==1.5"], "toy 2.0": ["toy==2.0"]}, index, told.append, first=OLD).name == "3.12"
    assert told == ["Python 3.12: toy 2.0 needs 3.12 or newer"]
    assert choose({"needing 1.0": ["needing"]}, index, told.append, first=OLD).name == "3.13", "what it needs decides"


@pytest.mark.seconds
def test_an_older_python(index, others):
    others("3.12.1", "3.10.4")
    told = []
    first = Interpreter("3.13", Version("3.13.0"))
    assert choose({"toy 1.0": ["toy==1.0"]}, index, told.append, "!=3.11.*", first).name == "3.10"
    assert told == ["Python 3.10: toy 1.0 needs 3.10 or older"]


@pytest.mark.seconds
def test_the_header_of_a_file_binds(index, others):
    others("3.13.0", "3.12.1")
    told = []
    assert choose({"any 1.0": ["any"]}, index, told.append, ">=3.12,<3.13", OLD).name == "3.12"
    assert told == ["Python 3.12: the file's header asks for >=3.12,<3.13"]


@pytest.mark.seconds
def test_no_python_runs_both(index, others):
    others("3.13.0", "3.12.1")
    with pytest.raises(NoPython) as raised:
        choose({"toy 1.0": ["toy==1.0"], "toy 3.0": ["toy==3.0"]}, index, print, first=OLD)
    assert str(raised.value) == (
        "toy 1.0 needs Python 3.11 or older and toy 3.0 needs 3.13 or newer: no Python runs both; to compare them with "
        "one each: --python 3.11 3.13"
    )


@pytest.mark.seconds
def test_the_right_python_is_not_there_and_may_not_be_fetched(index, others, monkeypatch):
    others("3.12.1")
    monkeypatch.setenv(interpreters.DOWNLOADS, "never")
    with pytest.raises(UserError) as raised:
        choose({"toy 3.0": ["toy==3.0"]}, index, print, first=OLD)
    assert str(raised.value) == (
        "toy 3.0 needs 3.13 or newer: Python 3.13 is not on this machine (it has 3.12, 3.11), and "
        "UV_PYTHON_DOWNLOADS=never forbids fetching it"
    )


@pytest.mark.seconds
def test_of_what_does_not_exist_the_installer_tells(index, others, monkeypatch):
    others("3.13.0")
    asked = []
    monkeypatch.setattr(pythons, "refusal", lambda uv, texts, *how: asked.append(how) or refusal(uv, texts, *how))
    assert choose({"toy 9.0": ["toy==9.0"], "toy 3.0": ["toy==3.0"]}, index, print, first=OLD) == OLD
    assert len(asked) == 2, "no other Python would have it"


def test_where_no_index_answers_the_first_choice_is_tried(index, others, monkeypatch):
    others("3.13.0")
    monkeypatch.setattr(index, "compile", lambda *_: ([], "error: Failed to fetch: `toy`"))
    assert choose({"toy 3.0": ["toy==3.0"]}, index, print, first=OLD) == OLD


def test_versions_in_words():
    assert [span(names) for names in (["3.12"], ["3.9", "3.10", "3.11"], MINORS[:2], MINORS[-2:])] == [
        "3.12",
        "3.9 to 3.11",
        f"{MINORS[1]} or older",
        f"{MINORS[-2]} or newer",
    ]
    assert bound(["3.10", "3.12"], "3.11") == "one of 3.10, 3.12"
    assert shared([["3.12", "3.13"], ["3.11", "3.12"]]) == ["3.12"]
    assert pythons.contradiction({"a": ["3.10", "3.11"], "b": ["3.11", "3.12"], "c": ["3.10", "3.12"]}) == (
        "no Python runs all sides: a needs one of 3.10, 3.11; b needs one of 3.11, 3.12; c needs one of 3.10, 3.12"
    )


RUNNING = {"1.0": ["3.10", "3.11"], "1.1": ["3.11", "3.12"], "1.2": ["3.12"], "1.3": ["3.12", "3.13"], "1.4": ["3.13"]}


def test_a_range_in_parts():
    every = listed("1.0", "1.1", "1.2", "1.3", "1.4")
    asked = []

    def running(version):
        asked.append(version)
        return RUNNING[version]

    found = parts(every, running)
    assert [[one.version for one in part] for part in found] == [["1.0", "1.1"], ["1.1", "1.2", "1.3"], ["1.3", "1.4"]]
    assert len(asked) == len(set(asked)), "a release is asked about once"
    assert parts(every[1:3], running) == [every[1:3]]


def test_a_range_that_has_a_gap():
    with pytest.raises(NoPython, match=r"no Python runs both 1\.0 and 1\.1"):
        parts(listed("1.0", "1.1"), {"1.0": ["3.9"], "1.1": ["3.11"]}.__getitem__)


def test_pythons_as_sides():
    assert [(one.label, one.python, one.wanted) for one in sides.of_library("python", ["3.12", "3.14t"])] == [
        ("Python 3.12", "3.12", ()),
        ("Python 3.14t", "3.14t", ()),
    ]
    assert not any(one.as_is for one in sides.of_library("python", ["3.12", "3.14t"]))
    one, other = sides.of_library("toy", ["1.0", "2.0"], ["3.11", "3.12"])
    assert (one.label, other.label, other.python) == ("toy 1.0 Python 3.11", "toy 2.0 Python 3.12", "3.12")
    with pytest.raises(UserError, match="its versions are what is compared"):
        sides.of_library("python", ["3.12", "3.13"], ["3.11"])
    with pytest.raises(UserError, match=r"'3\.12\.1' is not a version of Python such as 3\.13"):
        sides.of_library("python", ["3.12.1", "3.13"])
    with pytest.raises(UserError, match="one interpreter or two, not 3"):
        sides.of_library("toy", ["1.0", "2.0"], ["3.11", "3.12", "3.13"])


JAX = ["upgrade", "jax", "0.9.2", "0.10.2"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*JAX, "--python", "three"], "'three' is not a version of Python such as 3.13"),
        ([*JAX, "--python", "3.9", "3.9", "3.9"], "--python takes one version or 2, not 3"),
        ([*JAX, "--python", "3.99"], "Python 3.99 is not on this machine"),
        (["upgrade", "python", "3.12", "3.13.1"], "'3.13.1' is not a version of Python"),
        (["upgrade", "python", "3.12"], "LIBRARY OLD NEW are needed"),
        (["upgrade", "python", "3.12", "3.13", "--python", "3.11"], "its versions are what is compared"),
        (["explain", "jax", "0.9.2", "0.10.2", "--python", "x"], "'x' is not a version of Python"),
        (["bisect", "jax", "0.9.2", "0.10.2", "--python", "3"], "'3' is not a version of Python"),
        (["watch", "jax", "--python", "3"], "'3' is not a version of Python"),
        (["releases", "jax", "--python", "3"], "--python '3' is not a version"),
        (["run", "--library", "pyhton"], "Did you mean 'python'?"),
    ],
)
def test_mistakes_are_one_line(capsys, monkeypatch, arguments, says):
    monkeypatch.setenv(interpreters.DOWNLOADS, "never")
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert line.startswith("arrayspeed: ") and says in line
