"""The matrix beside an index, and the dates of releases."""

from datetime import date

import pytest

from arrayspeed.cli import matrix as command
from arrayspeed.environments.listed import Release
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.records import released
from arrayspeed.records.released import Released
from arrayspeed.releases import at_hand, dates
from arrayspeed.releases.matrix import Rule, asking, groups, matrix
from support import schema
from support.releases import alone, serving, wheel

TODAY = date(2026, 11, 28)

TEXT = """{
    // All of it, in one line each.
    "include": [
        // The newest.
        {"python": "3.11", "req": {"numpy": "2.0.1", "jax": "0.9.0", "numba": "0.60.0"}},

        // Which JAX?
        {"python": "3.11", "req": {"jax": "0.8.0", "jaxlib": "0.8.0", "numpy": "2.0.1"}},
        {"python": "3.11", "req": {"jax": "0.9.0", "jaxlib": "0.9.0", "numpy": "2.0.1"}},

        // Which Python?
        {"python": "3.11", "env_nobuild": {"ARRAYSPEED_SUBJECT": "python"}, "req": {"numpy": "2", "jax": "0.9"}},

        // Which NumPy?
        {"python": "3.11", "req": {"numpy": "2.0.1"}}
    ],
    "env_dir": ".asv/env"
}
"""


def release(version, day="2026-01-01", pythons=("3.11", "3.12"), **more):
    return Release(version, day, 1, 1, False, pythons=pythons, **more)


def test_the_rule():
    rule = Rule(2, {"jax": ["0.4.31", "0.4.99"]})
    known = [
        release("0.4.31", "2024-07-30"),
        release("0.4.33", "2024-09-16"),
        release("0.5.0", "2025-01-17"),
        release("0.5.3", "2025-03-19"),
        release("0.6.0", "2025-04-17"),
        release("0.6.1", "2025-05-17", yanked="it loses data"),
        release("0.6.2", "2025-06-17", pythons=()),
        release("0.12.0rc1", "2026-10-01"),
        release("0.12.0", "2026-10-19"),
        release("0.12.0.1", "2026-10-21"),
    ]
    assert rule.holds("jax", known, TODAY) == ["0.4.31", "0.5.3", "0.6.0", "0.12.0.1"]
    assert Rule.read().years == 2


def test_groups_of_lines():
    newest, jax, python, numpy = groups(TEXT)
    assert [group.library for group in (newest, jax, python, numpy)] == [None, "jax", None, "numpy"]
    assert [group.of_python for group in (newest, jax, python, numpy)] == [False, False, True, False]
    assert len(jax.entries) == 2
    with pytest.raises(UserError, match=r"asv.conf.json:4: an environment has to be written in one line"):
        groups('{\n"include": [\n\n{"python": "3.11",\n "req": {}}]}')


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index over HTTP with a new release of each, a yanked one, a pre-release, and one without a wheel for here."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for version in ("0.8.0", "0.9.0", "0.9.1", "1.0rc1"):
        wheel(folder, "jax", version)
        wheel(folder, "jaxlib", version, tag="cp311.cp312-none-any")
    wheel(folder, "jax", "0.10.0", needs=["jaxlib==0.10.0"])
    wheel(folder, "jaxlib", "0.10.0", tag="cp312.cp313-none-any")
    wheel(folder, "numpy", "2.0.1")
    wheel(folder, "numpy", "2.1.0")
    wheel(folder, "numpy", "2.2.0", tag="cp312-cp312-win_arm64")
    wheel(folder, "numba", "0.60.0")
    wheel(folder, "numba", "0.61.0")
    wheel(folder, "asv_runner", "0.3.2")
    more = {"numba-0.61.0-py3-none-any.whl": {"yanked": "it is wrong"}}
    for each in folder.iterdir():
        more.setdefault(each.name, {})["upload-time"] = "2026-03-04T00:00:00Z"
    with serving(folder, more) as address:
        alone(monkeypatch, UV_DEFAULT_INDEX=address, UV_CACHE_DIR=str(tmp_path / "cache"))
        yield address


def updated(text):
    uv = Uv()
    return matrix(text, asking(print, uv), uv, Rule(2, {}), TODAY)


@pytest.mark.seconds
def test_an_update_changes_the_lines_and_nothing_else(index):
    found = updated(TEXT)
    jax, numpy = found.libraries
    assert (jax.name, jax.newest.version, jax.newest.date) == ("jax", "0.10.0", "2026-03-04")
    assert (jax.missing, jax.dropped) == (["0.9.1", "0.10.0"], ["0.9.0"])
    assert (numpy.missing, numpy.dropped) == (["2.1.0"], [])
    assert found.pythons == {"jax": ("3.11", "3.12"), "numpy": ("3.11", "3.12")}
    assert found.newest["jax"] == ("0.9.0", "0.10.0")
    assert found.newest["numba"] == ("0.60.0", "0.60.0"), "the newer one was yanked"
    old, new = TEXT.splitlines(), found.text.splitlines()
    assert [line for line in new if '"req"' not in line] == [line for line in old if '"req"' not in line]
    lines = [line.strip() for line in new if '"req"' in line]
    assert lines == [
        '{"python": "3.12", "req": {"numpy": "2.1.0", "jax": "0.10.0", "numba": "0.60.0"}},',
        '{"python": "3.12", "req": {"jax": "0.8.0", "jaxlib": "0.8.0", "numpy": "2.0.1"}},',
        '{"python": "3.12", "req": {"jax": "0.9.1", "jaxlib": "0.9.1", "numpy": "2.0.1"}},',
        '{"python": "3.12", "req": {"jax": "0.10.0", "jaxlib": "0.10.0", "numpy": "2.0.1"}},',
        '{"python": "3.11", "env_nobuild": {"ARRAYSPEED_SUBJECT": "python"}, "req": {"numpy": "2", "jax": "0.9"}},',
        '{"python": "3.12", "req": {"numpy": "2.0.1"}},',
        '{"python": "3.12", "req": {"numpy": "2.1.0"}}',
    ]
    again = updated(found.text)
    assert again.text == found.text
    assert not any(one.missing or one.dropped for one in again.libraries)


@pytest.mark.rest
def test_the_command(index, tmp_path, monkeypatch, capsys):
    (tmp_path / "asv.conf.json").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "load_config", lambda: type("Config", (), {"env_dir": ".asv/env"}))
    monkeypatch.setattr(command.Rule, "read", lambda: Rule(2, {}))
    arguments = type("Arguments", (), {"update": False, "format": "json"})
    assert command.main(arguments) == 1
    printed = schema.read("matrix", capsys.readouterr().out)
    assert printed["libraries"]["jax"]["missing"] == ["0.9.1", "0.10.0"]
    assert (tmp_path / "asv.conf.json").read_text() == TEXT
    arguments.update, arguments.format = True, "table"
    assert command.main(arguments) == 0
    assert "asv.conf.json was written" in capsys.readouterr().err
    arguments.update = False
    assert command.main(arguments) == 0


def test_without_its_python_the_newest_that_is_there(monkeypatch):
    def absent(wanted, say):
        raise UserError(f"Python {wanted} is not on this machine")

    def together(uv, entry, python):
        return {"python": python, "req": entry["req"] | {"jax": "0.9.0"}}

    monkeypatch.setattr(at_hand.interpreters, "get", absent)
    monkeypatch.setattr(at_hand, "together", together)
    entry = {"python": "3.99", "req": {"numpy": "2.5.5", "jax": "0.12.0"}}
    config = type(
        "Config", (), {"include": [{"python": "3.99", "req": {"numpy": "1"}}, entry], "env_dir": ".asv/env"}
    )()
    told = []
    found = at_hand.with_newest_at_hand(config, told.append)
    assert found.include[1]["req"] == {"numpy": "2.5.5", "jax": "0.9.0"}
    assert found.include[0] == config.include[0]
    assert config.include[1] == entry, "what was read stays as it is"
    (line,) = told
    assert line.startswith("Python 3.99 is not on this machine: measured with Python ")
    assert line.endswith("jax 0.9.0 and not 0.12.0")


def test_dates_of_releases(tmp_path):
    known = Released("2026-11-28", {"jax": {"0.9.2": "2026-03-18", "0.10.2": "2026-06-17", "0.12.0": ""}})
    released.save(tmp_path, known)
    assert released.load(tmp_path) == known
    assert known.newer("jax", "0.9.2") == {"0.10.2": "2026-06-17", "0.12.0": ""}
    assert (
        known.text("jax", "0.9.2")
        == "jax 0.12.0 is newer than 0.9.2, which was measured, and 1 before it: as of 2026-11-28"
    )
    assert known.text("jax", "0.12.0") == known.text("numpy", "2.0") == known.text("jax", None) == ""
    path = tmp_path / released.FILE
    path.write_text(path.read_text() + 'broken\n{"library": "jax", "version": "new", "date": ""}\n[]\n')
    assert released.load(tmp_path) == known
    assert released.load(tmp_path / "absent") == Released()


@pytest.mark.seconds
def test_the_index_is_asked_once_a_day(index, tmp_path, monkeypatch):
    monkeypatch.setattr(dates, "LIBRARIES", ["jax", "numpy"])
    found = dates.refresh(tmp_path / "results")
    assert found.dates["numpy"] == {"2.0.1": "2026-03-04", "2.1.0": "2026-03-04"}, "none without a wheel"
    monkeypatch.setattr(dates, "releases", lambda *_, **__: pytest.fail("asked again"))
    assert dates.refresh(tmp_path / "results") == found


def test_without_an_index_what_was_known_stays(tmp_path, monkeypatch):
    known = Released("2026-01-01", {"jax": {"0.9.2": "2026-03-18"}})
    released.save(tmp_path, known)
    alone(monkeypatch, UV_NO_INDEX="1")
    assert dates.refresh(tmp_path) == known
