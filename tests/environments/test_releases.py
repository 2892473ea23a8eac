"""What an index has: over HTTP as JSON or HTML, in folders, with errors; and what of it can be installed here."""

import pytest

from arrayspeed.cli.main import main
from arrayspeed.environments import index
from arrayspeed.environments.index import File
from arrayspeed.environments.listed import between, of_files
from arrayspeed.model.errors import UserError
from support import schema
from support.releases import alone, listed, serving, wheel

FOREIGN = "cp311-cp311-macosx_11_0_arm64"


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["releases", *arguments])
        return ended.value.code, capsys.readouterr()

    return call


@pytest.mark.seconds
def test_an_index_over_http(tmp_path, monkeypatch, run):
    for version in ("1.0", "1.1", "1.10", "2.0", "3.0rc1"):
        wheel(tmp_path, "toy", version)
    wheel(tmp_path, "toy", "1.2", tag=FOREIGN)
    wheel(tmp_path, "toy", "1.9")
    more = {
        "toy-1.1-py3-none-any.whl": {"yanked": "it loses data"},
        "toy-1.9-py3-none-any.whl": {"yanked": True},
        "toy-2.0-py3-none-any.whl": {"requires-python": ">=4"},
    }
    with serving(tmp_path, more) as address, serving(tmp_path, status=503) as broken:
        alone(monkeypatch, UV_DEFAULT_INDEX=address, UV_INDEX=broken)
        status, printed = run("toy", "--format", "json")
        assert status == 0
        (line,) = printed.err.splitlines()
        assert "answered 503" in line and "left out" in line
        rows = schema.read("releases", printed.out)["releases"]
        assert {row["version"]: row["obstacle"] for row in rows} == {
            "1.0": None,
            "1.1": "yanked: it loses data",
            "1.2": "no wheel for this platform and Python",
            "1.9": "yanked",
            "1.10": None,
            "2.0": "not for this Python",
        }
        assert [row["version"] for row in rows][-2:] == ["1.10", "2.0"], "by version, not by letters"
        assert {row["date"] for row in rows} == {"2026-02-03"}
        _, printed = run("toy", "--pre", "--format", "markdown")
        assert "| 3.0rc1 | 2026-02-03 | 1 | 1 | 3.8 or newer | no | pre-release |" in printed.out
        _, printed = run("toy")
        assert "6 releases, 2 of them with wheels for Python" in printed.out


def test_an_index_that_answers_with_an_error(tmp_path, monkeypatch, run):
    with serving(tmp_path, status=500) as address:
        alone(monkeypatch, UV_DEFAULT_INDEX=address)
        status, printed = run("toy")
    assert status == 2
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith("arrayspeed: no releases of toy: the index at 127.0.0.1 answered 500")


@pytest.mark.seconds
def test_no_index_and_a_folder(tmp_path, monkeypatch, run):
    wheel(tmp_path, "toy", "1.0")
    wheel(tmp_path, "toy_other", "9.0")
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    status, printed = run("toy", "--format", "json")
    assert status == 0
    assert [(row["version"], row["date"]) for row in schema.read("releases", printed.out)["releases"]] == [
        ("1.0", None)
    ]
    status, printed = run("absent")
    assert status == 2
    assert printed.err.strip() == "arrayspeed: no releases of absent: the configured index does not have it"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a b"], "'a b' is not the name of a package"),
        (["toy==1"], "'toy==1': give the name of a package alone"),
        (["toy", "--python", "three"], "--python 'three' is not a version such as 3.12"),
    ],
)
def test_mistakes(run, arguments, said):
    status, printed = run(*arguments)
    assert status == 2
    assert said in printed.err and len(printed.err.splitlines()) == 1


PAGE = b"""<!DOCTYPE html><html><body><a href="../../toy-1.0-py3-none-any.whl#sha256=00">x</a>
<a href="/p/toy-1.1-py3-none-any.whl" data-yanked="bad">y</a>
<a href="toy-1.2.tar.gz" data-requires-python="&gt;=3.9">z</a>
"""


def test_a_page_in_html():
    assert index.parsed(PAGE, "text/html") == [
        File("toy-1.0-py3-none-any.whl"),
        File("toy-1.1-py3-none-any.whl", yanked="bad"),
        File("toy-1.2.tar.gz", python=">=3.9"),
    ]
    found = of_files("toy", index.parsed(PAGE, "text/html"))
    assert [(one.version, one.obstacle, one.source) for one in found] == [
        ("1.0", "", False),
        ("1.1", "yanked: bad", False),
        ("1.2", "no wheel", True),
    ]


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"files": 3}', b"<html>", b"\xff"])
def test_an_answer_that_is_no_page(content):
    with pytest.raises(ValueError):
        index.parsed(content, index.JSON)


def test_an_index_of_files(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/index.html").write_bytes(PAGE)
    place = (tmp_path).as_uri()
    assert len(index.read(place, "toy", False, {})) == 3
    assert index.read(place, "absent", False, {}) == []


def test_passwords_are_not_shown():
    assert "secret" not in index.shown("https://me:secret@example.invalid/simple")


def test_what_is_no_file_of_a_release_is_left_out():
    names = [
        "toy-1.0-py3-none-any.whl",
        "toy-1.0+cpu-py3-none-any.whl",
        "toy-1.x-py3-none-any.whl",
        "toy.exe",
        "other-2.0.tar.gz",
        "toy-1.0.egg",
    ]
    assert [one.version for one in of_files("toy", map(File, names))] == ["1.0"]


def test_wheels_of_another_python():
    files = [File("toy-1.0-cp39-cp39-manylinux_2_17_x86_64.whl"), File("toy-1.0-cp39-cp39-manylinux_2_17_aarch64.whl")]
    (here,) = of_files("toy", files, [(3, 9)])
    assert (here.wheels, here.here) == (2, 1)
    (here,) = of_files("toy", files, [(3, 10)])
    assert (here.wheels, here.here) == (2, 0)
    assert (here.pythons, here.obstacle) == (("3.9",), "needs Python 3.9")
    (here,) = of_files("toy", files, [(3, 10), (3, 9)])
    assert (here.here, here.obstacle) == (1, "")


def test_between():
    every = listed("1.0", "1.1", "1.2", "1.10")
    assert [one.version for one in between("toy", every, "1.1", "1.10")] == ["1.1", "1.2", "1.10"]
    for old, new, said in (
        ("1.1", "1.1", "OLD comes first"),
        ("1.2", "1.1", "OLD comes first"),
        ("1.1", "1.5", "no toy 1.5; the nearest are 1.2 and 1.10"),
        ("x", "1.5", "'x' is not a version"),
    ):
        with pytest.raises(UserError, match=said):
            between("toy", every, old, new)
