"""Faults while a run measures, each caused for real: one clear line, a right exit status, nothing finished is lost."""

import ctypes
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arrayspeed.records import results
from kernels import CATALOGUE
from tests.conftest import ARRAYSPEED, ROOT, command, finished, stored

pytestmark = pytest.mark.faults

#: What `make test-all` has besides: each takes half a minute.
MORE = pytest.mark.rest

#: Three chunks of one short process each.
KERNELS = ("add", "multiply", "sine")
RUN = [
    *("run", "--environment", "tensorflow", "--backend", "numpy", "--dtype", "float64", "--measure", "time_call"),
    *("--rounds", "1", "--size", "10"),
    *(part for kernel in KERNELS for part in ("--kernel", kernel)),
]
EVERY = {(kernel, 10, "numpy") for kernel in KERNELS}

#: The same of two backends, which take turns in a block, and what makes it a selection of a clone.
IN_TURN = ["run", "--selection", "backends", "--tier", "bench", "--rounds", "1"]
BOTH = EVERY | {(kernel, 10, "numba") for kernel in KERNELS}
SELECTED = f"""

IN_TURN[:] = [
    part("time_call", kernels={[*KERNELS]}, sizes=["10"], backends=["numpy", "numba"], devices=["cpu"])
]
"""


def attempt(folder, *arguments, prepare=None, env=None):
    """A command's status, output and errors, whatever they are."""
    done = subprocess.run(
        [*ARRAYSPEED, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, preexec_fn=prepare, env=env
    )
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done


def lines(text):
    """What is said, without progress."""
    return [
        line
        for line in text.splitlines()
        if line.strip() and not re.match(r"Creating environment|Publishing|\[\d+/", line)
    ]


def valid(folder):
    """Whether every JSON file of the results can be read."""
    paths = [path for path in (folder / "results").rglob("*.json") if path.name != "benchmarks.json"]
    for path in paths:
        json.loads(path.read_text())
    return len(paths) > 0


def change(folder, path, old, new):
    """Change the working tree of a clone."""
    file = folder / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def in_numpy(folder, kernel, body):
    """Have a kernel in NumPy, whose arguments are ``arguments``, do something else than the other libraries."""
    instead = f"def {kernel}(*arguments):\n    {body}"
    change(folder, f"kernels/{CATALOGUE[kernel].family}/numpy.py", f"{kernel} = shared.{kernel}\n", f"{instead}\n")


#: Kernel -> what it does instead of its work, and what is said of it.
FAULTS = {
    "multiply": ("import ctypes; ctypes.string_at(0)", "it crashed (Segmentation fault)"),
    "sine": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); return np.ones(2**30)",
        "MemoryError",
    ),
    "elementwise": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "memory runs out"),
    "matmul": (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    while True: pass",
        "it was still running after 3 s",
    ),
    "matmul_transposed": ("import os; os._exit(7)", "it ended with status 7"),
    "fft": ("return np.fft.ifft(arguments[0])", "WrongResult"),
    "sort": ('raise ValueError("one\\ntwo\\x1b[31m")', "two"),
}


def test_benchmarks_that_fail_are_a_line_each_and_the_rest_goes_on(empty):
    """Out of memory, killed, crashed, hanging and deaf to SIGTERM, ended, wrong, and an error of two lines."""
    for kernel, (body, _) in FAULTS.items():
        in_numpy(empty, kernel, body)
    run = [*RUN[:-6], "--kernel", "add", *(part for kernel in FAULTS for part in ("--kernel", kernel))]
    done = attempt(empty, *run, "--timeout", "3")
    assert done.returncode == 1
    said = [line for line in lines(done.stderr) if not line.startswith("warning: the results will name")]
    assert len(said) == len(FAULTS), said
    for kernel, (_, says) in FAULTS.items():
        (line,) = (line for line in said if f".{kernel}_float64." in line)
        assert line.startswith("failed: ")
        assert says in line
        assert "\x1b" not in line
    assert "8 measured" in done.stdout
    assert "7 failed" in done.stdout
    assert stored(empty) == {("add", 10, "numpy")}
    command("git", "checkout", "--quiet", "kernels", cwd=empty)
    again = attempt(empty, *run)
    assert again.returncode == 0
    assert len(finished(again.stderr)) == 7, "only what failed is measured again"
    assert len(stored(empty)) == 8


@pytest.mark.rest
def test_a_failure_does_not_take_a_value_that_is_there(empty):
    command(*ARRAYSPEED, *RUN, cwd=empty)
    before = {row["kernel"]: row["value"] for row in results.load(empty / "results").iter_rows(named=True)}
    in_numpy(empty, "multiply", "return arguments[0] / arguments[1]")
    assert attempt(empty, *RUN, "--again", "--kernel", "multiply").returncode == 1
    after = {row["kernel"]: row["value"] for row in results.load(empty / "results").iter_rows(named=True)}
    assert after["multiply"] == before["multiply"]


@pytest.mark.rest
def test_what_is_not_available_is_no_failure_and_says_why(empty, tmp_path):
    """torch.compile without a C++ compiler."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").symlink_to(shutil.which("git"))
    only = ["run", "--environment", "tensorflow", "--backend", "torch-compile", "--backend", "numpy"]
    only += ["--kernel", "add", "--size", "10", "--dtype", "float64", "--measure", "time_call", "--rounds", "1"]
    done = attempt(empty, *only, env=os.environ | {"PATH": str(tmp_path / "bin")})
    assert done.returncode == 0, done.stderr
    (line,) = lines(done.stderr)
    assert line.startswith("n/a: elementwise.add_float64.time_call(torch-compile, 10, cpu): ")
    assert "C++ compiler" in line
    assert stored(empty) == {("add", 10, "numpy")}


# --- ended from outside ---


def interrupted(folder, number, *arguments, after=0.0, begun=None):
    """Send a signal to a command so many seconds after it has begun, which is by default the line of its first finished
    chunk; its status, and all that it said. Lines before it may tell of environments that are made.
    """

    def default():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    process = subprocess.Popen(
        [*ARRAYSPEED, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=default,
    )
    watchdog = threading.Timer(200, process.kill)
    watchdog.start()
    said = ""
    if begun is None:
        for line in process.stdout:
            said += line
            if line.startswith("[1/"):
                break
    else:
        while process.poll() is None and not begun():
            time.sleep(0.01)
    time.sleep(after)
    process.send_signal(number)
    said += process.communicate()[0]
    watchdog.cancel()
    assert "Traceback" not in said, said[-3000:]
    return process.returncode, said


def left_running(folder):
    """Processes that measure in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            text = path.read_text()
            if str(folder) in text and ("asv_runner" in text or "benchmarks.turns" in text):
                found.append(path.parent.name)
    return found


@pytest.mark.parametrize(
    ("number", "after"),
    [pytest.param(signal.SIGINT, 0.0, marks=MORE), (signal.SIGINT, 0.3), pytest.param(signal.SIGTERM, 0.3, marks=MORE)],
)
def test_ctrl_c_in_a_run_keeps_what_is_finished(empty, number, after):
    status, output = interrupted(empty, number, *RUN, after=after)
    assert status == 130
    assert "interrupted; what was finished is saved" in lines(output)[-1]
    assert len(stored(empty)) >= len(finished(output)) >= 1
    assert valid(empty)
    assert left_running(empty) == []
    again = attempt(empty, *RUN)
    assert again.returncode == 0
    assert not set(finished(output)) & set(finished(again.stderr))
    assert stored(empty) == EVERY


def selected(folder, monkeypatch):
    """Have a clone's backends in turn be few."""
    path = folder / "arrayspeed/measure/selections.py"
    path.write_text(path.read_text() + SELECTED)
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.mark.rest
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_backends_in_turn_that_are_ended_go_on_from_whole_rounds(empty, number, monkeypatch):
    selected(empty, monkeypatch)
    status, _ = interrupted(empty, number, *IN_TURN, begun=lambda: len(kept(empty)) >= 2)
    assert status == (130 if number == signal.SIGINT else -number)
    until = time.monotonic() + 10
    while time.monotonic() < until and started(empty):
        time.sleep(0.05)
    assert not started(empty), "a process is left behind"
    assert attempt(empty, *IN_TURN).returncode == 0
    assert stored(empty) == BOTH
    rounds = [(row["benchmark"], row["backend"], row["round"]) for row in kept(empty)]
    assert len(rounds) == len(set(rounds)) == len(BOTH), "nothing is measured twice"


UPGRADE = ["upgrade", "numpy", "2.4.6", "2.4.6", "--bench", r"elementwise.add_float64\.time_call"]
SIZES = ["--size", "10", "--size", "100", "--size", "1000"]


def kept(folder):
    """The processes that are stored; a line that a full disk cut short is none."""
    found = []
    for path in lines_of_processes(folder):
        for line in path.read_text().splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
    return found


def lines_of_processes(folder):
    """The files of them; unlike pathlib's, this search goes on where a run deletes a folder meanwhile."""
    return [Path(path) for path in glob.glob(f"{folder}/results/*/*.processes.jsonl")]


def started(folder):
    """Servers and players of blocks that run in a folder."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if "benchmarks.turns" in (path / "cmdline").read_text() and (path / "cwd").resolve() == folder.resolve():
                found.add(int(path.name))
    return found


@pytest.mark.parametrize(
    "number", [*(pytest.param(one, marks=MORE) for one in (signal.SIGINT, signal.SIGTERM)), signal.SIGKILL]
)
def test_an_upgrade_that_is_ended_keeps_its_processes_and_leaves_none(empty, number):
    begun = []
    status, said = interrupted(
        empty, number, *UPGRADE, *SIZES, begun=lambda: len(kept(empty)) >= 4 and begun.append(started(empty)) is None
    )
    assert begun[0], "none was seen to run, so that none is left proves nothing"
    if number != signal.SIGKILL:
        assert status in (0, 1, 2), "the verdict of what there is"
        assert "stopped: what follows is decided from what has been measured" in said
        assert "numpy 2.4.6 → 2.4.6" in said
    else:
        assert status == -number
    until = time.monotonic() + 10
    while time.monotonic() < until and started(empty):
        time.sleep(0.05)
    assert not started(empty), "a process is left behind"
    assert len(kept(empty)) >= 4
    assert valid(empty) or number == signal.SIGKILL
    reused = attempt(empty, *UPGRADE, *SIZES, "--reuse", "--format", "json")
    assert reused.returncode in (0, 1, 2)
    assert len(json.loads(reused.stdout)["comparisons"]) >= 1


def test_an_upgrade_of_so_many_minutes_decides_from_what_it_has(empty):
    done = attempt(empty, *UPGRADE, *SIZES, "--minutes", "0.05", "--format", "json")
    assert done.returncode in (0, 1, 2)
    if done.stdout:
        assert json.loads(done.stdout)["exit_status"] == done.returncode
    assert "time is up" in done.stderr


@MORE
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_publishing_that_is_ended_leaves_the_site_that_was_there(empty, number):
    command(*ARRAYSPEED, *RUN, cwd=empty)
    command(*ARRAYSPEED, "site", "--cdn", cwd=empty)
    before = {
        path.relative_to(empty): path.stat().st_mtime_ns for path in (empty / "html").rglob("*") if path.is_file()
    }
    kept = {path: path.read_bytes() for path in (empty / "results").rglob("*.json")}
    # The new site is made beside the old one.
    status, _ = interrupted(empty, number, "site", "--cdn", begun=lambda: any(empty.glob(".html-*")))
    assert status == (130 if number == signal.SIGINT else -signal.SIGKILL)
    now = {path.relative_to(empty): path.stat().st_mtime_ns for path in (empty / "html").rglob("*") if path.is_file()}
    assert now == before
    assert {path: path.read_bytes() for path in (empty / "results").rglob("*.json")} == kept
    command(*ARRAYSPEED, "site", "--cdn", cwd=empty)
    assert not list(empty.glob(".html-*")), "what was left half-made is gone"


def test_a_run_of_so_many_minutes_begins_nothing_more_after_them(empty):
    first = attempt(empty, *RUN, "--minutes", "0.00001")
    assert first.returncode == 0
    assert "0 measured" in first.stdout
    assert "3 left when time ran out" in first.stdout
    assert "left" not in attempt(empty, *RUN, "--minutes", "30").stdout.splitlines()[-1]
    assert stored(empty) == EVERY


def test_two_runs_at_once(empty):
    first = subprocess.Popen([*ARRAYSPEED, *RUN, "--rounds", "6"], cwd=empty, stderr=subprocess.PIPE, text=True)
    assert first.stderr.readline()
    second = attempt(empty, *RUN)
    assert second.returncode == 2
    (line,) = lines(second.stderr)
    assert "another run is measuring" in line
    first.communicate(timeout=200)
    assert first.returncode == 0
    assert stored(empty) == EVERY


# --- the machine ---


def mount(folder, kilobytes):
    """Mount a small file system; whether that is allowed here."""
    arguments = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    return subprocess.run(arguments, capture_output=True).returncode == 0


@pytest.mark.parametrize(("run", "every"), [(RUN, EVERY), pytest.param(IN_TURN, BOTH, marks=MORE)])
def test_a_full_disk(empty, run, every, monkeypatch):
    """Where no file system can be mounted, a limit on the size of files stands in for one that is full."""
    selected(empty, monkeypatch)
    command(*ARRAYSPEED, *RUN[:-6], "--kernel", "add", cwd=empty)
    folder = empty / "results"
    kept = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    used = sum(len(content) // 4096 + 2 for content in kept.values()) * 4
    mounted = mount(folder, 3 * used)
    limit = None
    try:
        for path, content in kept.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        if mounted:
            filler = folder / "filler"
            with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
                while True:
                    file.write(bytes(4096))
        else:

            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        done = attempt(empty, *run, prepare=limit)
        assert done.returncode == 2
        assert "no space left on device" in lines(done.stderr)[-1] or "file too large" in lines(done.stderr)[-1]
        assert {path: (folder / path).read_bytes() for path in kept if path.suffix == ".json"} == {
            path: content for path, content in kept.items() if path.suffix == ".json"
        }
        if mounted:
            filler.unlink()
        assert attempt(empty, *run).returncode == 0
        assert stored(empty) == every
    finally:
        if mounted:
            command("umount", str(folder), cwd=ROOT)


def without_privilege():
    """Have the superuser obey the permissions of files, as everybody else does."""
    capability_drop, override, search = 24, 1, 2
    for capability in (override, search):
        ctypes.CDLL(None).prctl(capability_drop, capability, 0, 0, 0)


@pytest.mark.parametrize("fault", ["full disk", pytest.param("no permission", marks=MORE)])
def test_an_upgrade_that_cannot_write_any_more_leaves_no_process(empty, fault):
    """In the middle of a round, while one side is stopped. Where nothing can be mounted, both are the second fault."""
    folder = empty / "results"
    folder.mkdir(exist_ok=True)
    mounted = fault == "full disk" and mount(folder, 8192)
    process = subprocess.Popen(
        [*ARRAYSPEED, *UPGRADE, *SIZES, "--factor", "1.000001"],
        cwd=empty,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=None if mounted else without_privilege,
    )
    try:
        until = time.monotonic() + 200
        while len(kept(empty)) < 2 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        if mounted:
            with (folder / "filler").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
                while True:
                    file.write(bytes(512))
        else:
            for path in lines_of_processes(empty):
                path.chmod(0o444)
        said = process.communicate(timeout=200)[1]
        assert process.returncode == 2, said
        assert "Traceback" not in said
        assert ("no space left on device" if mounted else "permission denied") in lines(said)[-1]
        assert not started(empty), "a process is left behind"
        assert len(kept(empty)) >= 2
    finally:
        process.kill()
        if mounted:
            command("umount", str(folder), cwd=ROOT)


@pytest.mark.parametrize("what", ["run", *(pytest.param(one, marks=MORE) for one in ("upgrade", "site"))])
def test_no_permission_to_write(empty, what):
    command(*ARRAYSPEED, *RUN[:-6], "--kernel", "add", cwd=empty)
    arguments = {"run": RUN, "upgrade": [*UPGRADE, *SIZES], "site": ["site", "--cdn"]}[what]
    protected = [empty] if what == "site" else [empty / "results", *(empty / "results").iterdir()]
    protected = [path for path in protected if path.is_dir()] + ([empty / "results/.lock"] if what != "site" else [])
    for path in protected:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = attempt(empty, *arguments, prepare=without_privilege)
        assert done.returncode == 2
        assert "permission denied" in lines(done.stderr)[-1]
    finally:
        for path in protected:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert stored(empty) == {("add", 10, "numpy")}


#: A wall clock that goes back an hour at every second reading.
JUMPING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static long count;

int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(id, now);
    if (id == CLOCK_REALTIME && __sync_add_and_fetch(&count, 1) % 2) now->tv_sec -= 3600;
    return status;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
"""


def test_a_clock_that_jumps_changes_no_time(empty, tmp_path):
    """Times are taken by a clock that only goes forward; the date may be wrong, and nothing else."""
    source, library = tmp_path / "jumping.c", tmp_path / "jumping.so"
    source.write_text(JUMPING)
    command("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl", cwd=tmp_path)
    env = os.environ | {"LD_PRELOAD": str(library)}
    readings = "import time; a = [time.time() for _ in range(4)]; print(max(a) - min(a) > 3000)"
    assert command(ARRAYSPEED[0], "-c", f"import os, sys\n{readings}", cwd=ROOT).stdout.strip() == "False"
    jumped = subprocess.run([ARRAYSPEED[0], "-c", readings], env=env, capture_output=True, text=True, check=True)
    assert jumped.stdout.strip() == "True", "the clock does not jump, so this tests nothing"
    done = attempt(empty, *RUN, env=env)
    assert done.returncode == 0, done.stderr
    values = [row["value"] for row in results.load(empty / "results").iter_rows(named=True)]
    assert len(values) == 3
    assert all(0 < value < 0.1 for value in values)
    assert valid(empty)
    minutes = done.stdout.splitlines()[-1].partition(" measured in ")[2].partition(":")[0]
    assert 0 <= int(minutes) < 30


# --- environments and configuration ---


@pytest.mark.rest
def test_an_environment_that_is_broken_by_hand(clone, tmp_path):
    """What is not whole is made anew; a library whose files are gone is named, with what to do."""
    folder = tmp_path / "arrayspeed"
    command("git", "clone", "--quiet", str(clone), str(folder), cwd=tmp_path)
    (folder / ".asv").unlink(missing_ok=True)  # the shared environments, which must stay whole
    change(
        folder, "asv.conf.json", '"include": [', '"include": [{"python": "3.11", "req": {"numpy": "2.4.6"}}], "x": ['
    )
    run = ["run", "--measure", "time_call", "--kernel", "add", "--size", "10", "--dtype", "float64", "--rounds", "1"]
    assert attempt(folder, *run).returncode == 0
    (made,) = (path for path in (folder / ".asv/env").iterdir() if path.is_dir())
    for victim in ("asv-env-info.json", "bin/python"):
        (made / victim).unlink()
        done = attempt(folder, *run, "--again")
        assert done.returncode == 0, victim
        assert (made / victim).exists()
    spoiled = made / "lib/python3.11/site-packages/numpy/__init__.py"
    spoiled.unlink()  # and not written to: uv links files from its cache, which all environments share
    spoiled.write_text("raise ImportError('spoiled')")
    done = attempt(folder, *run, "--again")
    assert done.returncode == 1
    (line,) = [line for line in lines(done.stderr) if not line.startswith("warning: the results will name")]
    assert "numpy cannot be imported: spoiled" in line
    assert "rm -r .asv/env/" in line
    assert stored(folder) == {("add", 10, "numpy")}, "the value of before is kept"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"version": 1,', '"version": 1', "asv.conf.json"),
        ('"version": 1,', '"version": 99,', "version"),
        ('"include": [', '"include": 5, "x": [', '"include" must be a list'),
        ('"req": {', '"reqs": {', 'must have "req"'),
        ('"python": "3', '"python": 3, "x": "3', 'must have "python"'),
        ('"numpy": "', '"numpy": 2, "x": "', "version of numpy"),
        ('".arrayspeed.records.guard"', '".arrayspeed.gard"', "gard"),
        ('"repo": "."', '"repo": "nowhere"', "nowhere"),
        ('"results_dir"', '"results_dir": 3, "x"', '"results_dir"'),
    ],
)
def test_a_mistake_in_the_configuration_is_one_line(empty, old, new, says):
    text = (empty / "asv.conf.json").read_text()
    if old == '"results_dir"' and old not in text:
        old, new = '"version": 1,', '"version": 1, "results_dir": 3,'
    (empty / "asv.conf.json").write_text(text.replace(old, new, 1))
    assert (empty / "asv.conf.json").read_text() != text
    done = attempt(empty, *RUN)
    assert done.returncode == 2
    (line,) = lines(done.stderr)
    assert says in line
