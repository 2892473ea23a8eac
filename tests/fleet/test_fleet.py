"""A fleet of simulated hosts: Dask's scheduler and workers are real, and so are the faults; the figures are made up."""

import copy
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from distributed import Client

from arrayspeed.cli import main as cli
from arrayspeed.decide import LOOKS, Looks, Observed
from arrayspeed.environments.project import git
from arrayspeed.fleet import answers, cluster, worker
from arrayspeed.fleet.cluster import Cluster, script
from arrayspeed.fleet.dispatch import Fleet
from arrayspeed.fleet.kind import Kind
from arrayspeed.fleet.plan import Plan, code
from arrayspeed.measure.blocks import blocks_of
from arrayspeed.measure.host import locked
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection
from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.errors import UserError
from arrayspeed.model.retention import RETAINED
from support import schema
from support.generated import write_project
from tests.conftest import ROOT, command_here

ENVIRONMENTS = ("made-1", "made-2")

NAME = "elementwise.add_float64.time_call"

BLOCKS = blocks_of(
    [
        Combination(environment, NAME, size - 1, **parse_name(NAME), backend="numpy", size=size, device="cpu")
        for size in range(1, 13)
        for environment in ENVIRONMENTS
    ],
    list(ENVIRONMENTS),
)

PLAN = Plan([Selection()], ("made", "1", "2", ()))

#: Without noise, the first look decides.
ROUNDS = LOOKS[0]

KIND = "simulated-2cpu"


def dask(*arguments, **environment):
    """A command of Dask, as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(what, seconds=300):
    """Until something is true; whether anything hangs shows only then."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


class Simulated:
    """A scheduler and hosts, and the results of who uses them."""

    def __init__(self, folder, config):
        self.folder, self.config, self.processes, self.said = folder, config, {}, []
        self.faults = folder / "faults"
        self.faults.mkdir()
        told = {"code": code(), "commit": git("rev-parse", "HEAD"), "environments": ENVIRONMENTS}
        (self.faults / "host.json").write_text(json.dumps(told | {"blocks": list(map(asdict, BLOCKS))}))
        self.start_scheduler()

    def start_scheduler(self):
        file = self.folder / f"scheduler{len(self.processes)}.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        self.processes["scheduler"] = dask("scheduler", *options, "--scheduler-file", str(file))
        wait_for(lambda: file.exists() and file.read_text())
        self.address = json.loads(file.read_text())["address"]

    def start(self, name, fault="", **environment):
        """A host that does something wrong."""
        self.fault(name, fault)
        self.processes[name] = dask(
            *("worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", name),
            *("--local-directory", str(self.folder / "dask"), "--preload", "tests.inside.simulated_worker"),
            ARRAYSPEED_HOST=name,
            FLEET_FAULTS=str(self.faults),
            **environment,
        )

    def fault(self, name, what):
        (self.faults / name).write_text(what)

    def hangs(self, name):
        return (self.faults / f"{name}.hangs").exists()

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def run(self, results="results", plan=PLAN, **options):
        """What a client does, with results of its own; its kinds."""
        config = copy.copy(self.config)
        config.results_dir = str(self.folder / results)
        Path(config.results_dir).mkdir(exist_ok=True)
        options = {"patience": 300.0, "hostless": 300.0, "say": self.said.append, "limits": Limits(ROUNDS)} | options
        with Client(self.address, timeout=10, set_as_default=False) as client:
            return Fleet(client, config, plan, **options).run()

    def records(self, results="results"):
        """Side, block without its host, and round -> the hosts whose records are stored."""
        found = {}
        for path in (self.folder / results / KIND).glob("*.processes.jsonl"):
            for line in path.read_text().splitlines():
                row = json.loads(line)
                key = path.name.split("-", 1)[1], row["block"].partition("@")[0], row["round"]
                found.setdefault(key, []).append(row["host"])
        return found

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def fleet(tmp_path, config):
    simulated = Simulated(tmp_path, config)
    yield simulated
    simulated.end()


def complete(kind, rounds=ROUNDS):
    """Whether a kind has each process that counts once, and those of a block of one host."""
    for block in BLOCKS:
        ones = kind.found[block.name]
        assert len({one.block for one in ones}) == 1
        count = Counter((one.one.environment, one.round) for one in ones)
        assert count == Counter((name, number) for name in ENVIRONMENTS for number in range(rounds))
    return kind.finished


@pytest.mark.faults
def test_a_killed_worker_and_its_block_goes_to_another_from_the_first_round(fleet):
    fleet.start("h1", "hang")
    fleet.start("h2", "hang")

    def kill():
        wait_for(lambda: fleet.hangs("h1") and fleet.hangs("h2"))
        fleet.kill("h1")
        fleet.fault("h2", "")

    killer = threading.Thread(target=kill)
    killer.start()
    (kind,) = fleet.run()
    killer.join()
    assert complete(kind)
    assert {host for hosts in fleet.records().values() for host in hosts} == {"h2"}
    assert any(line.startswith("h1 is lost; its blocks") for line in fleet.said), fleet.said
    # What it had started ended with it.
    left = Path("/proc", (fleet.faults / "h1.pid").read_text(), "cmdline")
    wait_for(lambda: not left.exists() or not left.read_bytes())


@pytest.mark.faults
def test_hosts_that_return_garbage_or_have_a_full_disk_are_set_aside_with_a_reason(fleet):
    """Nothing of what they sent is stored, and others do their work."""
    reasons = {
        "twice": "did not send one record of each process",
        "swapped": "of something else",
        "machine": "is another machine",
        "nothing": "cannot be read",
        "crash": "ended with status",
        "disk": "No space left on device",
        "other code": "not those of this project",
    }
    for name in reasons:
        fleet.start(name.replace(" ", "_"), name)
    fleet.start("good", "hang")

    def aside():
        return [line for line in fleet.said if " is set aside: " in line]

    def release():
        wait_for(lambda: len(aside()) >= len(reasons))
        fleet.fault("good", "")

    helper = threading.Thread(target=release)
    helper.start()
    (kind,) = fleet.run()
    helper.join()
    assert complete(kind)
    for name, reason in reasons.items():
        assert any(reason in line for line in aside()), (name, reason, aside())
    assert {host for hosts in fleet.records().values() for host in hosts} == {"good"}
    assert not list(fleet.folder.rglob("elsewhere"))
    assert json.loads((fleet.folder / "results" / KIND / "machine.json").read_text())["cpu"] == "made"


@pytest.mark.faults
def test_a_killed_scheduler_loses_nothing_and_a_new_one_goes_on(fleet):
    fleet.start("h1")

    def kill():
        wait_for(lambda: len(fleet.records()) >= 3 * len(ENVIRONMENTS) * ROUNDS)
        fleet.fault("h1", "hang")
        wait_for(lambda: fleet.hangs("h1"))
        fleet.kill("scheduler")

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(UserError, match="the scheduler is gone; what was finished is saved: start it"):
        fleet.run()
    killer.join()
    before = fleet.records()
    assert before
    fleet.kill("h1")
    fleet.start_scheduler()
    fleet.start("h1")
    (kind,) = fleet.run()
    assert complete(kind)
    assert set(map(tuple, fleet.records().values())) == {("h1",)}, "a round was measured twice"
    assert before.items() <= fleet.records().items()
    # A run of what is finished measures nothing.
    (kind,) = fleet.run()
    assert complete(kind)
    assert set(map(tuple, fleet.records().values())) == {("h1",)}


@pytest.mark.faults
def test_the_blocks_of_a_slow_host_go_to_an_idle_one_and_what_it_sends_later_is_not_counted(fleet):
    fleet.start("slow", "hang")
    fleet.start("quick")

    def release():
        wait_for(lambda: any(line.startswith("slow is slow") for line in fleet.said))
        fleet.fault("slow", "")

    helper = threading.Thread(target=release)
    helper.start()
    (kind,) = fleet.run(patience=1.0)
    helper.join()
    assert complete(kind)
    assert all(len(hosts) == 1 for hosts in fleet.records().values())


@pytest.mark.faults
def test_two_clients_at_once_share_the_hosts_and_two_of_one_folder_do_not(fleet, capsys, monkeypatch):
    fleet.start("h1")
    fleet.start("h2")
    found = {}
    clients = [
        threading.Thread(target=lambda name=name: found.update({name: fleet.run(name)})) for name in ("one", "two")
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    for name in ("one", "two"):
        (kind,) = found[name]
        assert complete(kind)
        assert all(len(hosts) == 1 for hosts in fleet.records(name).values())
    monkeypatch.chdir(ROOT)
    config = copy.copy(fleet.config)
    config.results_dir = str(fleet.folder / "one")
    monkeypatch.setattr("arrayspeed.cli.fleet.load_config", lambda: config)
    with locked(Path(config.results_dir, ".lock"), "writing", wait=False), pytest.raises(SystemExit) as ended:
        cli.main(["fleet", "run", "--scheduler", fleet.address, "--library", "numpy"])
    assert ended.value.code == 2
    assert "another run is writing" in capsys.readouterr().err


@pytest.mark.faults
def test_a_client_that_is_killed_while_it_merges_has_lost_nothing(fleet):
    fleet.start("h1")
    pid = os.fork()
    if pid == 0:

        def killed(*_):
            merged.append(1)
            if len(merged) == 5:
                os.kill(os.getpid(), signal.SIGKILL)
            return merge(*_)

        merged, merge = [], answers.merge
        answers.merge = killed
        fleet.run()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL
    assert list((fleet.folder / "results").glob(f"{answers.INCOMING}*"))
    (fleet.folder / "results" / f"{answers.INCOMING}half" / KIND).mkdir(parents=True)
    (kind,) = fleet.run()
    assert complete(kind)
    assert all(len(hosts) == 1 for hosts in fleet.records().values())
    assert not list((fleet.folder / "results").glob(f"{answers.INCOMING}*"))


@pytest.mark.faults
def test_kinds_are_measured_and_judged_apart(fleet):
    fleet.start("h1", FLEET_KIND="small-2cpu")
    fleet.start("h2", "hang", FLEET_KIND="large-64cpu")

    def release():
        wait_for(lambda: fleet.hangs("h2"))
        fleet.fault("h2", "")

    helper = threading.Thread(target=release)
    helper.start()
    kinds = {kind.machine: kind for kind in fleet.run()}
    helper.join()
    assert kinds.keys() == {"small-2cpu", "large-64cpu"}
    for name, host in (("small-2cpu", "h1"), ("large-64cpu", "h2")):
        assert complete(kinds[name])
        assert set(kinds[name].owner.values()) == {host}
        assert {one.verdict for one in kinds[name].decisions.values()} == {"same"}


@pytest.mark.environment
def test_a_host_measures_blocks_without_what_the_nanny_of_its_worker_sets(fleet):
    """A real host, and a worker as Dask starts it by default. The call takes two times, which the host sees by what it
    is sent of the rounds before.
    """
    where = {"kernels": ["cholesky"], "sizes": ["1000"], "dtypes": ["float64"], "backends": ["numpy"]}
    pinned = Selection(measures=["time_call"], **where)
    plan = Plan([pinned], ("numpy", "2.4.6", "2.4.6", ()))
    options = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(fleet.folder / "dask"))
    fleet.processes["real"] = dask("worker", fleet.address, *options, ARRAYSPEED_HOST="real")
    (kind,) = fleet.run(plan=plan, limits=Limits(2))
    assert kind.finished
    paths = list((fleet.folder / "results").glob("*/*.processes.jsonl"))
    rows = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    assert len(paths) == 2
    assert [row["round"] for row in rows] == [0, 1, 0, 1]
    assert all(row["value"] > 0 and row["batches"] and row["host"] == "real" for row in rows)
    assert all(row["removed"]["OMP_NUM_THREADS"] == "1" for row in rows)
    assert all(row["faults"] > 100 > row["retained"]["faults"] for row in rows)
    assert {state for *_, state in kind.decisions} == {"", RETAINED}


def test_a_measuring_process_has_none_of_the_variables_that_a_worker_sets():
    set_by_dask = {
        "OMP_NUM_THREADS": "1",
        "MALLOC_TRIM_THRESHOLD_": "65536",
        "DASK_LOGGING": "x",
        "PYTHONHASHSEED": "6",
    }
    kept, removed = worker.clean({"PATH": "/bin", **set_by_dask})
    assert kept == {"PATH": "/bin"}
    assert removed == {name: value for name, value in set_by_dask.items() if not name.startswith("DASK_")}


def test_the_process_of_another_plan_ends_and_one_that_ended_is_started_anew(monkeypatch):
    echo = "import os, sys; sys.stdin.readline()\nfor line in sys.stdin: print(os.getpid(), flush=True)"
    monkeypatch.setattr(worker, "PROGRAM", [sys.executable, "-c", echo])
    try:
        first = worker.ask("plan", {}, None)
        assert worker.ask("plan", {}, None) == first
        other = worker.ask("other", {}, None)
        assert other != first
        assert not Path("/proc", first.strip()).exists()
        os.kill(int(other), signal.SIGKILL)
        worker._asked[0].process.wait()
        assert worker.ask("other", {}, None) != other
    finally:
        worker._asked.pop().end()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind = ", "is not a description of a cluster"),
        ('kind = "cloud"', "kind 'cloud' is not one of local, ssh, slurm, kubernetes"),
        ('kind = "local"\nworker = 2', "is not a description of a cluster"),
        ('kind = "local"\nworkers = 0', "workers is a number from 1 up"),
    ],
)
def test_a_wrong_description_of_a_cluster_is_a_line(tmp_path, text, said):
    (tmp_path / "fleet.toml").write_text(text)
    with pytest.raises(UserError, match=said):
        Cluster.read(str(tmp_path / "fleet.toml"))


def test_the_examples_are_descriptions_of_clusters():
    found = {Cluster.read(str(path)).kind for path in (ROOT / "examples" / "fleet").glob("*.toml")}
    assert found == {"local", "ssh", "slurm", "kubernetes"}


def test_the_job_script_of_slurm_starts_one_worker_without_a_nanny():
    text = script(Cluster.read(str(ROOT / "examples" / "fleet" / "slurm.toml")))
    (line,) = [line for line in text.splitlines() if "distributed.cli.dask_worker" in line]
    assert "--no-nanny" in line
    assert "--nthreads 1" in line
    assert "#SBATCH --exclusive" in text
    assert "export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False" in text


def test_no_scheduler_is_a_line(capsys, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(SystemExit) as ended:
        cli.main(["fleet", "run", "--scheduler", "tcp://127.0.0.1:9", "--library", "numpy"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("arrayspeed: no cluster at tcp://127.0.0.1:9: ")


@pytest.mark.parametrize("late", [False, True])
def test_a_time_limit_of_a_fleet_is_the_last_look(looked, late):
    sides = (dict.fromkeys(range(4), 1.0) for _ in range(2))
    kind = SimpleNamespace(finished=False, looks=Looks(), observed=lambda: {"one": Observed(*sides)})
    Kind.stop(kind, late)
    assert looked == [late]
    assert kind.decisions["one"].verdict == "same"


def test_the_status_of_the_last_run_for_programs(tmp_path):
    kind = {"blocks": 4, "begun": 3, "waiting": 1, "failed": 0, "finished": False}
    host = {"kind": "machine", "blocks": 2, "running": ["a", "b"], "aside": ""}
    (write_project(tmp_path) / answers.STATE).write_text(
        json.dumps({"kinds": {"machine": kind}, "hosts": {"one": host}})
    )
    data = schema.read("fleet", command_here("fleet", "status", "--format", "json", cwd=tmp_path).stdout)
    assert data["kinds"] == {"machine": kind} and data["hosts"] == {"one": host} and data["workers"] == {}
    first, second = command_here("fleet", "status", cwd=tmp_path).stdout.splitlines()
    assert first == "machine: 3 of 4 blocks have records, 0 failed, 1 waiting"
    assert second == "  one (machine): 2 blocks done; measuring 2 blocks"
