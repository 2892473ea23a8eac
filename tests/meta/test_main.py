"""`arrayspeed` itself: its help, and what it says of a command that it does not have."""

import pytest

from arrayspeed.cli.main import COMMANDS
from tests.conftest import ARRAYSPEED, ROOT, command, command_here


def test_alone_it_prints_its_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    alone = command(*ARRAYSPEED, cwd=ROOT)
    assert alone.stdout == command_here("--help", cwd=ROOT).stdout
    assert alone.stderr == ""
    assert all(f"\n    {name}" in alone.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("upgrdae", "did you mean upgrade?"), ("clear", "did you mean clean"), ("zzz", ", ".join(COMMANDS))],
)
def test_a_wrong_command_gets_one_line_that_names_the_nearest(typed, hint):
    done = command_here(typed, "--help", cwd=ROOT, status=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arrayspeed: unknown command '{typed}': ")
    assert hint in line


def test_a_wrong_option_gets_one_line_that_names_the_nearest():
    (line,) = command_here("upgrade", "jax", "1", "2", "--max-unclaer", "1", cwd=ROOT, status=2).stderr.splitlines()
    assert "--max-unclaer" in line and "did you mean --max-unclear" in line and "arrayspeed upgrade --help" in line


def test_a_wrong_command_cannot_write_to_the_terminal():
    assert "\x1b" not in command(*ARRAYSPEED, "\x1b[2Jrun", cwd=ROOT, status=2).stderr


def test_every_file_of_a_command_is_a_command():
    files = {path.stem for path in (ROOT / "arrayspeed" / "cli").glob("*.py")} - {"__init__", "main"}
    assert files == set(COMMANDS)
