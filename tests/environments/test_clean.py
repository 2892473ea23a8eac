"""`arrayspeed clean`, on folders that only look like environments."""

import json
import os
import re
import shutil
import subprocess
import sys
import uuid

import pytest

from arrayspeed.environments import unused
from arrayspeed.environments.project import load_config
from arrayspeed.model.errors import UserError
from support import schema
from tests.conftest import ARRAYSPEED, ROOT, command, command_here

#: Folders of environments. Another worker's processes name others: whoever names one uses it.
A, B, C = (uuid.uuid4().hex for _ in range(3))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a configuration of two environments, and what makes folders that look like environments."""
    text = (ROOT / "asv.conf.json").read_text()
    include = '"include": [{"python": "3.11", "req": {"numpy": "2.4.6"}}, {"python": "3.11", "req": {"jax": "0.9.2"}}],'
    (tmp_path / "asv.conf.json").write_text(re.sub(r'"include": \[.*?\n    \],', include, text, flags=re.DOTALL))
    (tmp_path / "arrayspeed").symlink_to(ROOT / "arrayspeed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


def environment(project, name, requirements=None, size=1000):
    """A folder that looks like an environment."""
    folder = project / ".asv" / "env" / name
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "library.so").write_bytes(b"x" * size)
    if requirements is not None:
        info = {"tool_name": "venv", "python": "3.11", "requirements": requirements}
        (folder / unused.INFO).write_text(json.dumps(info))
    return folder


def named(project):
    """The folders of the environments that the configuration names, made."""
    from asv.environment import get_environments

    return [
        environment(project, os.path.basename(e._path), e.requirements) for e in get_environments(load_config(), None)
    ]


def clean(project, *arguments, status=0):
    return command_here("clean", *arguments, cwd=project, status=status)


def test_only_what_no_line_names_is_listed_and_nothing_is_removed_unasked(project):
    kept = named(project)
    assert len(kept) == 2
    extra = environment(project, A, {"jax": "0.4.31", "numpy": "2.2.6"}, size=3 * 2**20)
    partial = environment(project, B)
    said = clean(project).stdout
    assert "Python 3.11: jax 0.4.31 numpy 2.2.6" in said
    assert "3.00 MiB" in said
    assert re.search(f"{B} +incomplete", said)
    listed = schema.read("clean", clean(project, "--format", "json").stdout)["environments"]
    assert {one["environment"] for one in listed if not one["removed"]} == {A, B}
    assert "arrayspeed clean --yes" in said
    assert all(each.name not in said for each in kept)
    assert all(each.is_dir() for each in [*kept, extra, partial])


def test_yes_removes_what_is_listed_and_nothing_else(project):
    kept = named(project)
    going = [environment(project, A, {"jax": "0.4.31"}), environment(project, B)]
    mine = environment(project, "notes")
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    link = project / ".asv" / "env" / C
    link.symlink_to(elsewhere)
    assert "Removed 2 folders" in command(*ARRAYSPEED, "clean", "--yes", cwd=project).stdout
    assert not any(each.exists() for each in going)
    assert all(each.is_dir() for each in [*kept, mine, elsewhere])
    assert link.is_symlink()
    assert "nothing to remove" in clean(project, "--yes").stdout


def programs(project, name):
    """A folder of programs as `arrayspeed explain` keeps them."""
    folder = project / ".asv" / "programs" / name
    folder.mkdir(parents=True)
    (folder / "add-jax-jit-1000-cpu-float64-0123.json").write_text("{}")
    return folder


def test_programs_go_where_no_line_names_their_environment(project):
    kept = [programs(project, name) for name in ("venv-py3.11-numpy2.4.6", "venv-py3.11-jax0.9.2", "notes")]
    going = programs(project, "venv-py3.11-jax0.4.31-numpy2.2.6")
    assert re.search(f"{going.name} +compiled programs", clean(project).stdout)
    assert going.is_dir()
    assert "Removed 1 folder," in clean(project, "--yes").stdout
    assert not going.exists() and all(each.is_dir() for each in kept)
    assert "nothing to remove" in clean(project, "--yes").stdout


def test_programs_stay_while_they_may_be_written(project, sleeper):
    going = programs(project, "venv-py3.11-jax0.4.31-numpy2.2.6")
    (project / ".asv" / "env").mkdir()
    sleeper("-m", "arrayspeed", "explain", cwd=project)
    assert "Nothing can be removed" in clean(project, "--yes").stdout
    assert going.is_dir()


def test_without_a_folder_of_environments_there_is_nothing_to_remove(project):
    assert "nothing to remove" in clean(project, "--yes").stdout


def test_outside_a_project_it_is_one_line(tmp_path):
    done = clean(tmp_path, status=2)
    assert re.fullmatch(r"arrayspeed: no asv\.conf\.json in .*\n", done.stderr)


@pytest.fixture
def sleeper():
    """What starts a process that sleeps, and ends it."""
    started = []

    def start(*arguments, cwd):
        program = "import sys, time; print(flush=True); time.sleep(600)"
        process = subprocess.Popen([sys.executable, "-c", program, *arguments], cwd=cwd, stdout=subprocess.PIPE)
        process.stdout.readline()
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_an_environment_in_whose_folder_a_process_works_stays(project, sleeper):
    used, free = environment(project, A, {"jax": "0.4.31"}), environment(project, B, {"jax": "0.4.33"})
    process = sleeper(cwd=used)
    said = clean(project, "--yes").stdout
    assert re.search(f"{A} .*in use by process {process.pid}", said)
    assert used.is_dir()
    assert not free.exists()


def test_an_environment_that_a_command_line_names_stays(project, sleeper):
    used = environment(project, A, {"jax": "0.4.31"})
    sleeper(str(used / "bin" / "python"), cwd=project.parent)
    assert "Nothing can be removed" in clean(project, "--yes").stdout
    assert used.is_dir()


def test_an_environment_from_which_a_file_is_loaded_stays(project, sleeper):
    used = environment(project, A, {"jax": "0.4.31"})
    # A program that lies in the environment, started by a relative path.
    shutil.copy(shutil.which("sleep"), used / "sleep")
    process = subprocess.Popen(["./../" + A + "/sleep", "600"], cwd=used)
    try:
        assert unused.users([used], ".asv/env") == {A: process.pid}
    finally:
        process.kill()
        process.wait()


def test_a_run_in_this_project_uses_all_environments(project, sleeper, tmp_path_factory):
    used = environment(project, A, {"jax": "0.4.31"})
    other = tmp_path_factory.mktemp("other")
    sleeper("-m", "arrayspeed", "upgrade", cwd=other)
    assert unused.users([used], ".asv/env") == {}
    (other / ".asv").symlink_to(project / ".asv")
    here = unused.users([used], ".asv/env")
    assert list(here) == [A]
    assert "Nothing can be removed" in clean(project, "--yes").stdout
    assert used.is_dir()


def test_where_the_system_tells_nothing_of_processes_nothing_is_removed(project, monkeypatch, tmp_path):
    monkeypatch.setattr(unused, "PROCESSES", tmp_path / "nowhere")
    with pytest.raises(UserError, match="not known which environments are in use"):
        unused.users([environment(project, A)], ".asv/env")


def test_a_description_that_someone_else_wrote_is_harmless(project):
    environment(project, A, {"jax": "\x1b[2J0.1"})
    (environment(project, B) / unused.INFO).write_text("[" * 100_000)
    (environment(project, C) / unused.INFO).write_text('{"python": "3.11", "requirements": []}')
    said = clean(project).stdout
    assert "\x1b" not in said
    assert said.count("cannot be read") == 2


def test_shared_files_are_counted_once_and_free_nothing(project):
    folder = environment(project, A, size=5000)
    os.link(folder / "lib" / "library.so", folder / "again.so")
    assert unused.sizes(folder) == (5000, 5000)
    os.link(folder / "lib" / "library.so", project / "cache.so")
    assert unused.sizes(folder) == (5000, 0)


def test_what_ctrl_c_leaves_is_not_complete(project, monkeypatch):
    folder = environment(project, A, {"jax": "0.4.31"})

    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unused.remove(folder)
    assert unused.holds(folder) == "incomplete"
