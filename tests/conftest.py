"""The environments that tests use, made by the project's own means, and the markers that follow from using them."""

import atexit
import contextlib
import fcntl
import functools
import io
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arrayspeed.decide import Looks
from arrayspeed.measure import interrupts
from arrayspeed.measure.players import FEWEST, Interleaving
from arrayspeed.records import results
from arrayspeed.system.processes import affinity, bind
from kernels.preparation import REFERENCES
from support.browser import opened
from tests.markers import ALONE, COLLECTED, COMMANDS, LEVELS, LONG, LONGEST, MARKERS, level
from tests.sample import together

ROOT = Path(__file__).parent.parent
ASV = [str(Path(sys.executable).with_name("asv"))]
ARRAYSPEED = [sys.executable, "-m", "arrayspeed"]

#: Small numbers as texts have them.
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def tool_of(name):
    """What a script of tools/ defines."""
    return runpy.run_path(str(ROOT / "tools" / name), run_name=name)


@pytest.fixture
def looked(monkeypatch):
    """Of every look that is taken, whether it is the last whatever was found."""
    found, look = [], Looks.look

    def noting(self, seen, last=False):
        found.append(last)
        return look(self, seen, last)

    monkeypatch.setattr(Looks, "look", noting)
    return found


@pytest.fixture(autouse=True, scope="session")
def own_lock(tmp_path_factory):
    """Tests measure nothing that matters, so they neither wait for another measurement nor hold it up."""
    os.environ["ARRAYSPEED_TIER"] = "full"
    os.environ["ARRAYSPEED_LOCK"] = str(tmp_path_factory.mktemp("lock") / "lock")


@pytest.fixture(autouse=True)
def own_process():
    """A command that runs in this process changes what signals do, and which cores it may use; what is started later
    would inherit both.
    """
    listening, hook = {number: signal.getsignal(number) for number in interrupts.SIGNALS}, sys.unraisablehook
    cores = affinity()
    yield
    if affinity() != cores:
        bind(0, cores)
    for number, before in listening.items():
        signal.signal(number, before)
    sys.unraisablehook = hook


def pytest_configure():
    """Tables are as wide as without a terminal, wherever tests run: pytest's workers are told the width of one."""
    os.environ.pop("COLUMNS", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Of tests side by side that share a process, one worker does all. (xdist's own groups need what pytest no longer
    has.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return together(nodeid)

    return Together(config, log) if config.getvalue("dist") == "loadscope" else None


def pytest_addoption(parser):
    """What targets of the Makefile choose by; without it, all tests run."""
    parser.addoption("--level", action="append", choices=["check", *LEVELS], help="tests of this target alone")
    parser.addoption("--alone", action="store_true", help="with --level: those that compare times, and not the others")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Before pytest chooses by markers. What takes longest is first, so that no worker is left alone with it."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)
    for item in items:
        for fixture in MARKERS.keys() & set(item.fixturenames):
            item.add_marker(MARKERS[fixture])
        sample = COMMANDS.get(item.path.stem, (item.originalname,))
        if item.originalname not in sample and LONG & {mark.name for mark in item.iter_markers()}:
            item.add_marker("commands")
    marked = {item: {mark.name for mark in item.iter_markers()} for item in items}
    config.stash[COLLECTED] = {item.nodeid: names for item, names in marked.items()}
    if levels := config.getoption("level"):
        alone = config.getoption("alone")
        chosen = [item for item, names in marked.items() if level(names) in levels and (ALONE in names) == alone]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


@pytest.fixture(scope="session")
def config():
    from arrayspeed.environments.project import load_config

    before = Path.cwd()
    os.chdir(ROOT)
    yield load_config()
    os.chdir(before)


@pytest.fixture(scope="session")
def newest(config):
    """The environment with the newest release of all libraries."""
    from asv.environment import get_environments

    from arrayspeed.measure.session import newest_of_all

    name = newest_of_all(config)
    (env,) = (env for env in get_environments(config, None) if env.name == name)
    return made(env)


def made(env):
    """An environment that is there; of tests side by side, one makes it."""
    lock = ROOT / ".asv" / "tests.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        env.create()
    return env


@functools.cache
def references():
    """A folder of this session in which all processes of `inside` share float64 references, each computed once."""
    folder = tempfile.TemporaryDirectory(prefix="arrayspeed-references-")
    atexit.register(folder.cleanup)
    return folder.name


def inside(env, *arguments):
    """What a module of tests.inside yields in an environment."""
    outcomes, process = attempt_inside(env, *arguments)
    assert process.returncode == 0, f"{' '.join(arguments)}:\n{process.stderr[-3000:]}"
    return outcomes


def attempt_inside(env, *arguments):
    """What a module of tests.inside yields in an environment as far as it comes, and its process."""
    python = env.find_executable("python")
    done = subprocess.run(
        [python, "-m", "tests.inside", *arguments],
        cwd=ROOT,
        env=os.environ | {REFERENCES: references()},
        capture_output=True,
        text=True,
        timeout=1500,
    )
    outcomes = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    return outcomes, done


def command(*arguments, cwd, status=0):
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def command_here(*arguments, cwd, status=0):
    """As `command` of ``arrayspeed``, in this process, which has imported already what each process imports again."""
    from arrayspeed.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(list(arguments))
    except SystemExit as ended:
        done = subprocess.CompletedProcess(arguments, ended.code, out.getvalue(), err.getvalue())
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="session")
def of_numpy(config):
    """The environments of NumPy alone, which clones measure in: made before two of them might at once."""
    from asv.environment import get_environments

    for env in get_environments(config, None):
        if env.requirements.keys() == {"numpy"}:
            made(env)


@pytest.fixture(scope="session")
def clone(newest, of_numpy, tmp_path_factory):
    """A clone of the working tree, committed, that shares the environments."""
    folder = working_tree(tmp_path_factory.mktemp("clone") / "arrayspeed")
    (folder / ".asv").symlink_to(ROOT / ".asv")
    commit(folder)
    return folder


def working_tree(folder):
    """A clone with the files as they are here, results apart, not committed."""
    command("git", "clone", "--quiet", str(ROOT), str(folder), cwd=ROOT)
    listed = command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.exists() and not name.startswith("results/"):
            target.write_bytes(source.read_bytes())
    for path in folder.glob("results/*/"):
        shutil.rmtree(path)
    return folder


def commit(folder):
    """Commit all that is in a clone."""
    who = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    command("git", "add", "--all", cwd=folder)
    command("git", *who, "commit", "--quiet", "--allow-empty", "--message", "working tree", cwd=folder)


@pytest.fixture
def empty(clone, tmp_path):
    """A clone of the clone without results."""
    folder = tmp_path / "arrayspeed"
    command("git", "clone", "--quiet", str(clone), str(folder), cwd=tmp_path)
    if not (folder / ".asv").exists():
        (folder / ".asv").symlink_to(ROOT / ".asv")
    return folder


@pytest.fixture
def few_turns(monkeypatch):
    """Sides of own code take few and short turns, where no test looks closely at times."""
    monkeypatch.setattr(
        "arrayspeed.cli.own.run.Interleaving", functools.partial(Interleaving, batch=0.004, most=FEWEST)
    )


def finished(output):
    """What a run's lines say was finished."""
    return re.findall(r"^\[\d+/\d+\] (.*?): ", output, re.MULTILINE)


def stored(folder):
    """The combinations that have a value."""
    table = results.load(folder / "results")
    return {(row["kernel"], row["size"], row["backend"]) for row in table.iter_rows(named=True) if row["value"]}


@pytest.fixture(scope="session")
def open_page():
    """What opens pages in Chromium; a test that needs it is skipped, aloud, where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("NO BROWSER: pages were NOT tested; install Chromium (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield functools.partial(opened, browser)
        browser.close()
