"""Imports of modules alone: which side is dearer, which module made it so, and what cannot be imported."""

import sys
from pathlib import Path

import pytest

from arrayspeed.measure.players import Interleaving
from arrayspeed.model.errors import UserError
from arrayspeed.own import script
from arrayspeed.own.imports import COLD, WARM, ImportRound, dearer, first_look
from arrayspeed.own.records import Record, Records
from arrayspeed.own.rounds import Plan, Task
from arrayspeed.own.sides import Ready, Side
from support import schema
from tests.conftest import command_here

#: Modules that import another one, which sleeps on one side.
OUTER = "import planted_inner, planted_other\n"
SLEEPS = "import time\ntime.sleep(0.06)\n"


@pytest.fixture
def folders(tmp_path):
    """Two folders with the same modules; in the second one of them takes longer to import."""
    for name, inner in (("old", "x = 1\n"), ("new", SLEEPS)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "planted.py").write_text(OUTER)
        (tmp_path / name / "planted_inner.py").write_text(inner)
        (tmp_path / name / "planted_other.py").write_text("y = 2\n")
    return tmp_path


def side_of(folder):
    return Ready(Side(folder.name, variables=(("PYTHONPATH", str(folder)),)), sys.executable)


def round_of(folders, tmp_path, names, timeout=60.0):
    """A round of modules on both sides."""
    sides = [side_of(folders / "old"), side_of(folders / "new")]
    work = tmp_path / "work"
    work.mkdir()
    return ImportRound(0, sides, script.of_modules(names), Plan(Interleaving(timeout=timeout)), work)


@pytest.mark.seconds
def test_cold_and_warm_imports_are_timed_and_their_modules_with_them(folders, tmp_path):
    now = round_of(folders, tmp_path, ["planted"])
    for size in (COLD, WARM):
        old, new = now.play(Task("import planted", size))
        assert 0 < old.loaded < new.loaded and new.loaded > 0.06
        assert (old.why, new.why) == (None, None)
        assert bool(new.modules) == (size == WARM)
    assert new.modules["planted_inner"] > 0.05 > new.modules["planted"]
    assert {"planted", "planted_inner", "planted_other"} <= new.modules.keys()
    # What the process needs to answer is no part of it, nor is what Python imports at its start.
    assert not {"json", "hashlib", "site", "encodings"} & new.modules.keys()
    # Nothing was written beside the modules.
    assert not list(folders.rglob("old/__pycache__")) and not list(folders.rglob("new/__pycache__"))


@pytest.mark.seconds
def test_with_cold_bytecode_the_standard_library_alone_is_compiled(folders, tmp_path):
    (folders / "old" / "planted.py").write_text("import json, planted_other\n")
    now = round_of(folders, tmp_path, ["planted"])
    warm, standard = now.bytecode(now.sides[0], "planted")
    assert list(warm.rglob("planted_other.*.pyc")) and list(warm.rglob("json/decoder.*.pyc"))
    assert not list(standard.rglob("planted*.pyc")) and list(standard.rglob("json/decoder.*.pyc"))


@pytest.mark.seconds
def test_what_cannot_be_imported_says_why(folders, tmp_path):
    (folders / "new" / "planted.py").write_text("import planted_absent\n")
    (folders / "new" / "planted_other.py").write_text("import time\ntime.sleep(60)\n")
    now = round_of(folders, tmp_path, ["planted", "planted_other"], timeout=2.0)
    old, new = now.play(Task("import planted", WARM))
    assert old.loaded and new.loaded is None
    assert (new.why, new.kind) == ("ModuleNotFoundError: No module named 'planted_absent'", "error")
    old, new = now.play(Task("import planted_other", WARM))
    assert old.loaded and new.kind == "timed out"
    (folders / "new" / "planted_other.py").write_text("import os\nos.abort()\n")
    assert now.play(Task("import planted_other", WARM))[1].kind == "crashed"


@pytest.mark.seconds
def test_local_modules_are_part_of_what_was_measured(folders, tmp_path):
    now = round_of(folders, tmp_path, ["planted"])
    before = first_look(now.sides, now.script, 60)
    (folders / "new" / "planted_inner.py").write_text(SLEEPS + "z = 1\n")
    after = first_look(now.sides, now.script, 60)
    assert before["old"] == after["old"] and before["new"] != after["new"]
    assert before["old"]["items"] == [("import planted", COLD), ("import planted", WARM)]
    assert {Path(each).name for each in before["new"]["modules"]} >= {"planted.py", "planted_inner.py"}


def records_of(folder, pairs):
    """Rounds in which modules took so long on both sides."""
    found = Records(folder / "import.jsonl", "run", ["old", "new"])
    for number, pair in enumerate(pairs):
        found.add(
            Record(number, side, "import a", WARM, loaded=sum(each.values()), modules=each)
            for side, each in zip(("old", "new"), pair, strict=True)
        )
    return found


def test_a_dearer_module_is_named_and_one_that_moved_is_not(tmp_path):
    wobble = (1.0, 1.02, 0.98, 1.01, 0.99)
    pairs = [
        ({"a": 0.01 * each, "a.core.umath": 0.02 * each}, {"a": 0.05 * each, "a._core.umath": 0.02 * each})
        for each in wobble
    ]
    said = dearer(records_of(tmp_path, pairs), ("import a", WARM), ("old", "new"))
    assert said.startswith("modules that became dearer by themselves: a 10.0 ms → 50.0 ms (+40.0 ms, ")
    assert "umath" not in said
    (tmp_path / "back").mkdir()
    back = records_of(tmp_path / "back", [(new, old) for old, new in pairs])
    assert dearer(back, ("import a", WARM), ("old", "new")) == ""


def test_two_rounds_name_nothing(tmp_path):
    pairs = [({"a": 0.01}, {"a": 0.05}), ({"a": 0.01}, {"a": 0.05})]
    assert dearer(records_of(tmp_path, pairs), ("import a", WARM), ("old", "new")) == ""


@pytest.mark.parametrize("name", ["", "a b", "a.", ".a", "1a", "a-b", "a\nb"])
def test_what_is_no_module_is_refused(name):
    with pytest.raises(UserError, match="is not the name of a module"):
        script.of_modules([name])


@pytest.mark.seconds
@pytest.mark.clock
def test_the_command_names_the_module_of_a_planted_slow_import(folders):
    sides = ["--old-env", f"PYTHONPATH={folders / 'old'}", "--new-env", f"PYTHONPATH={folders / 'new'}"]
    asked = ["upgrade", *sides, "--python", sys.executable, "--import", "planted", "--format", "json"]
    done = command_here(*asked, cwd=folders, status=1)
    rows = schema.read("upgrade", done.stdout)["comparisons"]
    assert {(row["function"], row["size"], row["verdict"]) for row in rows} == {
        ("import planted", COLD, "slower"),
        ("import planted", WARM, "slower"),
    }
    (warm,) = (row for row in rows if row["size"] == WARM)
    assert "planted_inner" in warm["detail"] and "planted_other" not in warm["detail"]
    # The same again measures nothing.
    assert command_here(*asked, cwd=folders, status=1).stdout == done.stdout


@pytest.mark.seconds
def test_a_module_that_is_nowhere_is_a_mistake(folders):
    sides = ["--old-env", "X=1", "--new-env", "X=2", "--python", sys.executable]
    done = command_here("upgrade", *sides, "--import", "planted_nowhere", cwd=folders, status=2)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("arrayspeed: import planted_nowhere: ") and "No module named 'planted_nowhere'" in last
