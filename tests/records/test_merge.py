"""Results of other folders brought into one: repeated, killed, cut short and hostile."""

import json
import math
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from arrayspeed.audit import check
from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.errors import UserError
from arrayspeed.records import merge as merging
from arrayspeed.records import processes, results
from arrayspeed.records.merge import merge
from support import schema
from support.generated import NOT_AVAILABLE, row, write_project, write_results
from tests.conftest import ARRAYSPEED, ASV, ROOT, command, command_here

MACHINE = "generated-2cpu"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def snapshot(folder):
    """Every file's content, without locks."""
    paths = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def values(folder):
    """Machine, backend and size -> value."""
    table = results.load(folder)
    return {(one["machine"], one["backend"], one["size"]): one["value"] for one in table.iter_rows(named=True)}


def records(folder, machine=MACHINE):
    """All lines of a machine's processes, read as JSON."""
    lines = [
        line
        for path in sorted(Path(folder, machine).glob(f"*{processes.SUFFIX}"))
        for line in path.read_text().splitlines()
    ]
    return [json.loads(line) for line in lines]


def line(value, day, size=10, backend="numpy", **more):
    """One process's line, of a day in January."""
    fields = {"date": f"2026-01-{day:02}T00:00:00+00:00", "benchmark": "elementwise.add_float64.time_call"}
    return json.dumps(fields | {"backend": backend, "size": size, "device": "cpu", "value": value} | more) + "\n"


def write_lines(path, *lines):
    """Write the file of processes beside a result file; its path."""
    path = path.with_suffix(processes.SUFFIX)
    path.write_text("".join(lines))
    return path


def write_audit(folder, day, machine=MACHINE):
    (Path(folder) / machine).mkdir(exist_ok=True, parents=True)
    path = Path(folder, machine, check.FILE)
    path.write_text(json.dumps({"machine": machine, "date": f"2026-01-{day:02}T00:00:00+00:00", "checks": []}) + "\n")
    return path


@pytest.fixture
def folders(tmp_path):
    """This project's results, and two other folders: one of this machine and one of another."""
    here, one, two = (tmp_path / name for name in ("here", "one", "two"))
    rows = [row("add", "numpy", 10, 1e-5), row("add", "numpy", 100, 1e-4)]
    ours = write_results(here, rows)
    write_lines(ours, line(1e-5, 1), line(1e-4, 1, size=100))
    theirs = write_results(
        one, [row("add", "numpy", 10, 3e-5), row("add", "jax", 10, 5e-5), row("add", "numpy", 100, 9e-4)]
    )
    write_lines(theirs, line(1e-5, 1), line(3e-5, 2), line(9e-4, 1, size=100), line(5e-5, 2, backend="jax"))
    write_results(two, rows, machine="other-4cpu", processes=3)
    write_audit(two, 1, "other-4cpu")
    (two / "other-4cpu" / f"{COMMIT[:8]}-env.packages.txt").write_text("numpy==2.4.6\n")
    return here, one, two


def test_two_folders_are_merged_and_merging_twice_changes_no_byte(folders):
    here, one, two = folders
    # Its processes say that the value at 100 is no newer than the one here.
    added = {each.machine: str(each) for each in merge(here, [one, two])}
    assert added == {
        MACHINE: f"{MACHINE}: 3 processes, 1 new value, 1 newer value",
        "other-4cpu": "other-4cpu (new): 6 processes, 2 new values, its audit",
    }
    found = values(here)
    assert found[MACHINE, "numpy", 10] == 3e-5
    assert found[MACHINE, "numpy", 100] == 1e-4
    assert found[MACHINE, "jax", 10] == 5e-5
    assert found["other-4cpu", "numpy", 100] == 1e-4
    assert [(each["backend"], each["size"], each["value"]) for each in records(here)] == [
        ("numpy", 10, 1e-5),
        ("numpy", 100, 1e-4),
        ("numpy", 10, 3e-5),
        ("numpy", 100, 9e-4),
        ("jax", 10, 5e-5),
    ]
    assert snapshot(here / "other-4cpu") == snapshot(two / "other-4cpu")
    before = snapshot(here)
    assert [str(each) for each in merge(here, [one, two])] == [
        f"{MACHINE}: nothing new",
        "other-4cpu: nothing new",
    ]
    assert snapshot(here) == before
    assert merge(here, [two])[0].processes == 0
    assert snapshot(here) == before


def test_both_ways_hold_the_same(folders, tmp_path):
    here, one, _ = folders
    back = tmp_path / "back"
    merge(back, [one])
    merge(back, [here])
    merge(here, [one])
    assert values(here) == values(back) | {(MACHINE, "numpy", 100): 1e-4}, "of one age, what is there stays"
    assert sorted(map(json.dumps, records(here))) == sorted(map(json.dumps, records(back)))


def test_a_value_is_the_one_measured_later_and_none_is_lost(tmp_path):
    """By asv's own start of the benchmark, where no processes tell more."""
    here, other = tmp_path / "here", tmp_path / "other"
    write_results(here, [row("add", "numpy", 10, 1e-6), row("add", "torch", 10, None)], started_at=2_000)
    write_results(other, [row("add", "numpy", 10, 2e-6), row("add", "torch", 10, 4e-6)], started_at=1_000)
    write_results(tmp_path / "late", [row("add", "numpy", 10, NOT_AVAILABLE), row("add", "jax", 10, 8e-6)])
    merge(here, [other])
    assert values(here) == {(MACHINE, "numpy", 10): 1e-6, (MACHINE, "torch", 10): 4e-6}
    merge(here, [tmp_path / "late"])
    assert values(here) == {
        (MACHINE, "numpy", 10): 1e-6,
        (MACHINE, "torch", 10): 4e-6,
        (MACHINE, "jax", 10): 8e-6,
    }, "what is n/a later takes no value"


def test_statistics_go_with_their_value(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_results(here, [row("add", "numpy", 10, 1e-6, number=3)], started_at=1_000)
    write_results(other, [row("add", "jax", 20, 7e-6), row("add", "numpy", 10, 2e-6, number=7)], started_at=2_000)
    merge(here, [other])
    table = results.load(here).sort("size")
    assert table["number"].to_list() == [7, 1]
    assert table["low"].to_list() == [2e-6 * 0.99, 7e-6 * 0.99]
    assert table["date"].dt.epoch("ms").to_list() == [2_000, 2_000]


def test_values_of_other_code_stay_out(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_results(here, [row("add", "numpy", 10, 1e-6)], started_at=1_000)
    path = write_results(other, [row("add", "numpy", 10, 2e-6)], started_at=2_000)
    data = json.loads(path.read_text())
    data["results"]["elementwise.add_float64.time_call"][2] = "another"
    path.write_text(json.dumps(data))
    (added,) = merge(here, [other])
    assert values(here) == {(MACHINE, "numpy", 10): 1e-6}
    assert "other code" in added.notes[0]


def test_a_line_that_is_there_twice_was_measured_twice(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_lines(write_results(here, []), line(1e-5, 1), line(1e-5, 1))
    write_lines(write_results(other, []), line(1e-5, 1), line(1e-5, 1), line(1e-5, 1))
    merge(here, [other, other])
    assert len(records(here)) == 3
    merge(here, [other])
    assert len(records(here)) == 3


def test_a_line_is_what_it_says_and_not_how_it_is_written(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_lines(write_results(here, []), line(1e-5, 1))
    fields = dict(reversed(json.loads(line(1e-5, 1)).items()))
    write_lines(write_results(other, []), json.dumps(fields, separators=(",", ":")) + "\n")
    assert merge(here, [other])[0].processes == 0


def test_a_line_that_was_cut_is_left_out_with_a_note(tmp_path):
    """In both: the one here must not swallow what is added, and the other is not taken."""
    here, other = tmp_path / "here", tmp_path / "other"
    ours = write_lines(write_results(here, []), line(1e-5, 1), line(2e-5, 2)[:40])
    middle = line(4e-5, 4)
    write_lines(write_results(other, []), line(3e-5, 3), middle[: len(middle) // 2], "\n", line(5e-5, 5)[:-1])
    (added,) = merge(here, [other])
    assert added.processes == 2
    (note,) = added.notes
    assert note.endswith("cut short or are no records: 1")
    path = ours.name.removesuffix(processes.SUFFIX).split("-", 1)[1]
    assert [one.value for one in processes.load(here, MACHINE, path, [COMMIT])] == [1e-5, 3e-5, 5e-5]
    before = snapshot(here)
    merge(here, [other])
    assert snapshot(here) == before


def test_fields_of_later_versions_are_kept_and_not_read(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_results(here, [])
    path = write_lines(write_results(other, []), line(1e-5, 1, fingerprint={"code": "f00"}, unclean=True))
    merge(here, [other])
    (kept,) = records(here)
    assert kept["fingerprint"] == {"code": "f00"}
    environment = path.name.removesuffix(processes.SUFFIX).split("-", 1)[1]
    (process,) = processes.load(here, MACHINE, environment, [COMMIT])
    assert process.value == 1e-5


def test_the_newest_audit_is_taken(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    for folder in (here, other):
        write_results(folder, [])
    assert merging.AUDIT == check.FILE
    theirs = write_audit(other, 2)
    (added,) = merge(here, [other])
    assert added.audit
    assert snapshot(here)[f"{MACHINE}/{check.FILE}"] == theirs.read_bytes()
    write_audit(other, 1)
    assert not merge(here, [other])[0].audit
    newer = write_audit(other, 3)
    assert merge(here, [other])[0].audit
    assert snapshot(here)[f"{MACHINE}/{check.FILE}"] == newer.read_bytes()


def test_packages_stay_as_they_are_and_differences_are_named(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    for folder, packages in ((here, "numpy==2.4.6\n"), (other, "numpy==2.4.7\n")):
        write_results(folder, []).with_suffix(".packages.txt").write_text(packages)
    (added,) = merge(here, [other])
    assert "its packages differ" in added.notes[0]
    assert next((here / MACHINE).glob("*.packages.txt")).read_text() == "numpy==2.4.6\n"


def test_only_the_machines_named(folders):
    here, one, two = folders
    before = snapshot(here / MACHINE)
    (added,) = merge(here, [one, two], ["other-4cpu"])
    assert added.machine == "other-4cpu"
    assert snapshot(here / MACHINE) == before
    with pytest.raises(UserError, match="other-4cpu"):
        merge(here, [one, two], ["another"])


def test_an_update_of_the_system_makes_no_other_machine(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    write_results(here, [row("add", "numpy", 10, 1e-6)])
    write_results(other, [row("add", "jax", 10, 1e-6)])
    path = other / MACHINE / "machine.json"
    path.write_text(path.read_text().replace("Linux 6.1", "Linux 6.2"))
    assert merge(here, [other])[0].values == 1


# --- what is no folder of results ---


def altered(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def result_file(folder):
    (path,) = folder.glob(f"{MACHINE}/{COMMIT[:8]}-*.json")
    return path


def description(folder):
    return folder / MACHINE / "machine.json"


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def short(path):
    data = json.loads(path.read_text())
    data["results"]["elementwise.add_float64.time_call"][5] = [1.0]
    path.write_text(json.dumps(data))


#: Name -> what becomes of a good folder, and what is said of it.
HOSTILE = {
    "another machine": (lambda folder: altered(description(folder), ram="64 GiB"), "is another machine"),
    "a machine of another name": (lambda folder: altered(description(folder), machine="../x"), "of that name"),
    "a description that is a list": (lambda folder: description(folder).write_text("[]"), "JSON object"),
    "a description too deep": (lambda folder: description(folder).write_text("[" * 100_000), "JSON object"),
    "results that are cut": (lambda folder: result_file(folder).write_text('{"version": 2'), "not a result file"),
    "results of another place": (
        lambda folder: altered(result_file(folder), env_name="../../x"),
        "is not what its name says",
    ),
    "results of another commit": (
        lambda folder: altered(result_file(folder), commit_hash=COMMIT[:8] + 32 * "0"),
        "commit_hash differ",
    ),
    "other requirements": (lambda folder: altered(result_file(folder), requirements={"numpy": "1"}), "requirements"),
    "durations that are none": (lambda folder: altered(result_file(folder), durations=5), "is not what"),
    "columns too short": (lambda folder: short(result_file(folder)), "not a result file"),
    "a pipe": (lambda folder: pipe(result_file(folder)), "is not a file"),
    "a link to nothing": (
        lambda folder: (folder / MACHINE / f"x{processes.SUFFIX}").symlink_to("/nowhere/at/all"),
        "is not a file",
    ),
    "no record in it": (
        lambda folder: (folder / MACHINE / f"x{processes.SUFFIX}").write_bytes(b"\xff\0\n[[[\n"),
        "no record",
    ),
    "an audit that is none": (lambda folder: (folder / MACHINE / check.FILE).write_text("5"), "JSON object"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_line_and_nothing_is_changed(folders, name):
    here, one, two = folders
    alter, says = HOSTILE[name]
    alter(one)
    before = snapshot(here)
    with pytest.raises(UserError, match=says) as raised:
        merge(here, [two, one])
    assert len(str(raised.value).splitlines()) == 1
    assert snapshot(here) == before
    assert not list(here.glob(".saving-*"))


@pytest.mark.parametrize(
    "bad",
    [
        b'{"benchmark": "a.b_float64.c", "backend": "x", "size": 1e999, "device": "cpu", "value": 1.0}',
        b"[" * 100_000,
        b'{"benchmark": "a", "value": "\xff"}',
        b"null",
        b'{"value": NaN, "benchmark": "a", "backend": "x", "size": 1, "device": "cpu"}',
    ],
)
def test_no_line_stops_reading(folders, bad):
    here, one, _ = folders
    (path,) = (one / MACHINE).glob(f"*{processes.SUFFIX}")
    path.write_bytes(bad + b"\n" + path.read_bytes())
    environment = path.name.removesuffix(processes.SUFFIX).split("-", 1)[1]
    assert len(list(processes.load(one, MACHINE, environment, [COMMIT]))) == 4
    added = merge(here, [one])[0]
    assert added.processes == 3
    assert len(added.notes) == 1


def run(folder, *arguments, status=0):
    return command_here("merge", *map(str, arguments), cwd=folder, status=status)


def test_the_command(folders, tmp_path):
    _, one, two = folders
    project = tmp_path / "project"
    project.mkdir()
    ours = write_project(project)
    done = command(*ARRAYSPEED, "merge", os.path.relpath(one, project), str(two), cwd=project)
    assert done.stdout.splitlines() == [
        f"{MACHINE} (new): 4 processes, 3 new values",
        "other-4cpu (new): 6 processes, 2 new values, its audit",
    ]
    before = snapshot(ours)
    assert run(project, one, two).stdout.count("nothing new") == 2
    data = schema.read("merge", run(project, one, two, "--format", "json").stdout)
    assert [each["machine"] for each in data["machines"]] == [MACHINE, "other-4cpu"]
    (tmp_path / "clone/results").parent.mkdir()
    one.rename(tmp_path / "clone/results")
    for folder, says in (
        (tmp_path / "nothing", "is not a folder"),
        (tmp_path / "clone", f"did you mean {tmp_path}/clone/results?"),
        (ours, "this project's own results"),
        (tmp_path / "clone/results" / MACHINE, "not a folder of results"),
    ):
        done = run(project, two, folder, status=2)
        assert done.stdout == ""
        (said,) = done.stderr.splitlines()
        assert said.startswith("arrayspeed: ")
        assert says in said
    assert snapshot(ours) == before


def part_of(source, folder, number):
    """A third of a machine's measured values, each with all that asv keeps of it, and every third line."""
    target = folder / source.parent.name
    target.mkdir(parents=True)
    (target / "machine.json").write_bytes((source.parent / "machine.json").read_bytes())
    data, count = json.loads(source.read_text()), 0
    for columns in data["results"].values():
        for place, value in enumerate(columns[0]):
            if value is not None and not math.isnan(value):
                count += 1
                if count % 3 != number:
                    columns[0][place] = math.nan
                    for cells in columns[5:]:
                        if cells:
                            cells[place] = None
    (target / source.name).write_text(json.dumps(data))
    lines = source.with_suffix(processes.SUFFIX).read_text().splitlines(keepends=True)
    write_lines(target / source.name, *lines[number::3])


@pytest.mark.seconds
def test_parts_of_real_results_become_the_whole_and_asv_s_own_commands_show_it(tmp_path):
    clone = tmp_path / "clone"
    command("git", "clone", "--quiet", str(ROOT), str(clone), cwd=ROOT)
    machine = "amd-epyc-f25m17-2cpu"
    source = max((ROOT / "results" / machine).glob("*-venv-*.json"), key=lambda path: path.stat().st_size)
    for path in (clone / "results").glob("*/*"):
        path.unlink()
    for path in (clone / "results").glob("*/"):
        path.rmdir()
    parts = [tmp_path / f"part{number}" for number in range(3)]
    for number, part in enumerate(parts):
        part_of(source, part, number)
    run(clone, *parts)
    before = snapshot(clone / "results")
    run(clone, *reversed(parts))
    assert snapshot(clone / "results") == before
    whole, merged = (results.read(folder / machine / source.name) for folder in (ROOT / "results", clone / "results"))
    assert merged.equals(whole)
    lines = source.with_suffix(processes.SUFFIX).read_text().splitlines()
    path = (clone / "results" / machine / source.name).with_suffix(processes.SUFFIX)
    assert sorted(path.read_text().splitlines()) == sorted(lines)
    commit = json.loads(source.read_text())["commit_hash"]
    of_it = ("--machine", machine)
    assert "gradient_float64" in command(*ASV, "show", *of_it, commit, cwd=clone).stdout
    assert "gradient_float64" in command(*ASV, "compare", *of_it, commit, commit, cwd=clone).stdout


# --- kills ---

#: Forks a child for each line that it reads, and kills it so many seconds after it is ready, or lets it kill itself. It
#: imports once, and not once a kill.
KILLER = """
import json, os, signal, sys, time
from tests.records import test_merge

for text in sys.stdin:
    work, seconds, *arguments = json.loads(text)
    ready, tell = os.pipe()
    if not (child := os.fork()):
        getattr(test_merge, work)(lambda: os.write(tell, b"."), *arguments)
        os._exit(0)
    os.close(tell)
    os.read(ready, 1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    # On a line of its own: what the child printed last may have no end.
    print("\\nended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    os.close(ready)
"""


@pytest.fixture
def killed():
    """What has a function of this module run, and killed after some time; what it printed."""
    arguments = [sys.executable, "-c", KILLER]
    with subprocess.Popen(arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killer:

        def run_and_kill(work, seconds, *arguments):
            killer.stdin.write(json.dumps([work.__name__, seconds, *arguments], default=str) + "\n")
            killer.stdin.flush()
            said = []
            while not (text := killer.stdout.readline()).startswith("ended"):
                assert text, "what kills has ended itself"
                if text.strip():
                    said.append(text.strip())
            assert text.split()[1] in ("0", str(-signal.SIGKILL))
            return said

        yield run_and_kill
        killer.stdin.close()


def numbered(number):
    """A process whose round tells it from others. Its line is long, so that a kill may cut it."""
    name = "elementwise.add_float64.time_call"
    one = Combination("env", name, -1, **parse_name(name), backend="numpy", size=10, device="cpu")
    return processes.Process(one, 1e-6, round=number, block="b", batches=[1.25e-6] * 5_000)


def store_numbers(ready, folder):
    """Store numbered processes, from the last that is there, and print what is stored: ready after the first."""
    config = SimpleNamespace(results_dir=folder)
    session = SimpleNamespace(
        config=config, machine={"machine": MACHINE}, commit=COMMIT, unclean=False, origin={}, packages=lambda name: {}
    )
    known = [process.round for process in processes.load(folder, MACHINE, "env", [COMMIT])]
    number = max(known, default=-1) + 1
    while True:
        processes.store(session, "env", [numbered(number), numbered(number + 1)])
        print(number + 1, flush=True)
        number += 2
        ready()


@pytest.mark.faults
@pytest.mark.rest
def test_kills_while_processes_are_stored_lose_nothing_finished_and_keep_nothing_twice(tmp_path, killed):
    rng = random.Random(15)
    path = tmp_path / MACHINE / f"{COMMIT[:8]}-env{processes.SUFFIX}"
    last = cuts = 0
    for _ in range(40):
        said = killed(store_numbers, rng.uniform(0, 0.1), tmp_path)
        last = max([last, *(int(each) for each in said)])
        # What a loss of power does besides: the beginning of a line that was never finished.
        if path.exists() and rng.random() < 0.5:
            following = json.dumps(processes.line(numbered(10**6))).encode()
            with path.open("ab") as file:
                file.write((b"" if path.read_bytes().endswith(b"\n") else b"\n") + following[: rng.randrange(1, 2_000)])
            cuts += 1
    found = [process.round for process in processes.load(tmp_path, MACHINE, "env", [COMMIT])]
    assert cuts > 10
    assert last >= 79, "every child stores two or more"
    assert found == list(range(len(found))), "something is lost or there twice"
    assert len(found) > last
    # A merge takes the same.
    write_results(tmp_path / "here", [])
    (tmp_path / MACHINE / "machine.json").write_bytes(description(tmp_path / "here").read_bytes())
    (added,) = merge(tmp_path / "here", [tmp_path])
    assert added.processes == len(found)
    assert [process.round for process in processes.load(tmp_path / "here", MACHINE, "env", [COMMIT])] == found


def merge_and_die(ready, step, here, *others):
    """Merge, and be killed before the step of that number that reaches the disk; print the number of steps done."""
    count = 0

    def dying(done):
        def wrapped(*arguments, **options):
            nonlocal count
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            count += 1
            return done(*arguments, **options)

        return wrapped

    Path.replace, os.fsync, Path.mkdir = dying(Path.replace), dying(os.fsync), dying(Path.mkdir)
    ready()
    merge(Path(here), [Path(other) for other in others])
    print(count, flush=True)


def several(folder, day):
    """Results of three environments, of which every day has others and newer ones."""
    for number in range(3):
        rows = [row("add", backend, 10, 1e-6 * (day + number)) for backend in ("numpy", "jax", "torch")[day % 2 :]]
        path = write_results(folder, rows, environment=f"env{number}", started_at=day * 86_400_000)
        names = [entry["parameters"][0] for entry in rows]
        write_lines(path, *(line(1e-6 * (day + number), day, backend=name) for name in names))
    write_results(folder, [row("add", "numpy", 10, 1e-6 * day)], machine=f"other-{day}", processes=3)
    write_audit(folder, day)


@pytest.mark.faults
def test_a_merge_that_is_killed_and_repeated_is_the_merge(tmp_path, killed):
    rng = random.Random(16)
    others = [tmp_path / "one", tmp_path / "two"]
    for day, folder in enumerate(others, 2):
        several(folder, day)
    whole = tmp_path / "whole"
    several(whole, 1)
    begin = snapshot(whole)
    merge(whole, others)
    expected = snapshot(whole)
    assert {name for name in expected if expected[name] != begin.get(name)} >= {f"{MACHINE}/{check.FILE}"}
    several(tmp_path / "counted", 1)
    (steps,) = killed(merge_and_die, None, -1, tmp_path / "counted", *others)
    moments = [(step, None) for step in range(int(steps))] + [(-1, rng.uniform(0, 0.1)) for _ in range(10)]
    between = 0
    for number, (step, seconds) in enumerate(moments):
        here = tmp_path / f"here{number}"
        several(here, 1)
        said = killed(merge_and_die, seconds, step, here, *others)
        left = {name: text for name, text in snapshot(here).items() if not name.startswith(".saving-")}
        assert all(text in (begin.get(name), expected[name]) for name, text in left.items()), "half a file"
        assert left == expected or not said
        between += left not in (begin, expected)
        merge(here, others)
        assert snapshot(here) == expected
    assert between > 5, "kills fell before all writing, or after it"
