"""What processors are called, from what real machines say of theirs."""

import itertools
import json
from types import SimpleNamespace

import pytest

from arrayspeed.environments import machine
from arrayspeed.environments.machine import Shares, machine_name
from arrayspeed.system import cpuinfo, topology
from tests.conftest import ROOT
from tests.system.reported import REPORTED, arm, x86


def name_of(text, board="", maker="", allowed=None, shared=Shares()):  # noqa: B008
    every = cpuinfo.processors(text)
    count = sum("processor" in one for one in every) if allowed is None else len(allowed)
    return machine_name(cpuinfo.described(text, allowed, board, maker), every[0], count, "", shared)


@pytest.mark.parametrize("reported", REPORTED)
def test_names(reported):
    text, name = REPORTED[reported]
    assert name_of(text) == name


def test_no_two_of_them_share_a_name():
    names = [name_of(text) for text, _ in REPORTED.values()]
    assert len(set(names)) == len(names)
    # Nor would they, had all as many cores.
    parts = [name.rpartition("-")[0] for name in names]
    assert len(set(parts)) == len(parts)


def test_the_same_cores_in_other_machines():
    """Graviton4, Axion and others have cores of one kind and revision; who made the machine tells."""
    text = arm("0xd4f", "0x0", "1", "2000.00")
    names = {name_of(text, maker=maker) for maker in ("Amazon EC2", "Google", "")}
    assert names == {
        "neoverse-v2-r0p1-t1000-amazon-ec2-2cpu",
        "neoverse-v2-r0p1-t1000-google-2cpu",
        "neoverse-v2-r0p1-t1000-2cpu",
    }


def test_a_board_names_the_machine_where_cpuinfo_does_not():
    text = arm("0xd08", "0x0", "3", "108.00", 4)
    assert name_of(text, "Raspberry Pi 4 Model B Rev 1.1") == "raspberry-pi-4-model-b-rev-1-1-cortex-a72-r0p3-4cpu"


def test_only_cores_that_may_be_used_count():
    text, _ = REPORTED["Agilex 5"]
    assert name_of(text, allowed={2, 3}) == "cortex-a76-r4p1-t400-2cpu"
    assert name_of(text, allowed={0, 1}) == "cortex-a55-r2p0-t400-2cpu"
    assert name_of(text, allowed={0, 2, 3}) == "2x-cortex-a76-r4p1-1x-cortex-a55-r2p0-t400-3cpu"


@pytest.mark.parametrize(
    ("implementer", "part", "name"),
    [
        ("0x41", "0xfff", "arm-part-0xfff-r0p0-2cpu"),
        ("0x99", "0x00a", "implementer-0x99-part-0x00a-r0p0-2cpu"),
        ("0xc0", "0xac3", "ampere-1-r0p0-2cpu"),
        ("0x6d", "0xd49", "azure-cobalt-100-r0p0-2cpu"),
    ],
)
def test_unknown_parts_are_named_by_their_numbers(implementer, part, name):
    assert name_of(arm(part, "0x0", "0", "", implementer=implementer)) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "processor\t: 0\n",
        "CPU part\t: \nCPU implementer\t: \n",
        "CPU part\t: 0xzz\nCPU implementer\t: 0x41\n",
        "nonsense",
    ],
)
def test_what_says_nothing_has_no_name(text):
    assert cpuinfo.described(text) == ""


def test_other_architectures():
    assert name_of("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n") == "power9-altivec-supported-1cpu"
    assert name_of("processor\t: 0\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n") == "sifive-u74-mc-1cpu"


def test_what_processors_share_is_in_the_name():
    text = x86("GenuineIntel", 6, 85, "Intel Xeon", 4)
    cases = [Shares(), Shares(2), Shares(3), Shares(None, (2, 2)), Shares(quota=1.5), Shares(2, quota=1.5)]
    names = [name_of(text, shared=case) for case in cases]
    assert names[0] == "intel-xeon-f6m85-4cpu"
    assert names[1] == "intel-xeon-f6m85-4cpu-2core"
    assert names[3] == "intel-xeon-f6m85-4cpu-2p-2e"
    assert names[4] == "intel-xeon-f6m85-4cpu-quota1.5"
    assert len(set(names)) == len(names)


STORED = sorted((ROOT / "results").glob("*/machine.json"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.parent.name)
def test_old_names_keep_their_results(path, monkeypatch):
    """The machines in results/, with what their systems said and without anything that was not looked at then."""
    stored = json.loads(path.read_text())
    family, model = stored["machine"].split("-f", 1)[1].split("-")[0].split("m")
    text = x86("any", family, model, stored["cpu"], int(stored["num_cpu"]))
    allowed = set(range(int(stored["num_cpu"])))
    monkeypatch.setattr(cpuinfo, "text_of", lambda path: text if str(path) == machine.CPUINFO else "")
    monkeypatch.setattr(machine, "affinity", lambda: allowed)
    monkeypatch.setattr(machine, "cores", lambda: len(allowed))
    monkeypatch.setattr(machine, "shares", Shares)
    monkeypatch.setattr(machine, "gpu", lambda: {key: stored[key] for key in stored if key.startswith("gpu")})
    found = machine.describe()
    assert found["machine"] == stored["machine"] == path.parent.name
    for key in ("cpu", "num_cpu", "gpu"):
        assert found.get(key) == stored.get(key)


def test_apple_is_named_by_sysctl(monkeypatch):
    answers = {"machdep.cpu.brand_string": "Apple M1 Pro\n"}

    def run(command, **_):
        return SimpleNamespace(stdout=answers[command[-1]])

    monkeypatch.setattr(cpuinfo.subprocess, "run", run)
    monkeypatch.setattr(cpuinfo, "text_of", lambda path: "")
    monkeypatch.setattr(machine.platform, "system", lambda: "Darwin")
    assert machine.cpu_name() == "Apple M1 Pro"
    assert machine_name(machine.cpu_name(), {}, 10, "") == "apple-m1-pro-10cpu"
    answers["machdep.cpu.brand_string"] = "Apple M4 Max"
    assert machine_name(machine.cpu_name(), {}, 10, "") == "apple-m4-max-10cpu"


def test_without_sysctl_there_is_no_name():
    assert cpuinfo.sysctl("no.such.key") == ""


def tree(root, siblings, nodes=(), kinds=None):
    for number, text in siblings.items():
        place = root / f"system/cpu/cpu{number}/topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text(text + "\n")
    for number, text in enumerate(nodes):
        place = root / f"system/node/node{number}"
        place.mkdir(parents=True)
        (place / "cpulist").write_text(text + "\n")
    for name, text in (kinds or {}).items():
        (root / name).mkdir(parents=True)
        (root / name / "cpus").write_text(text + "\n")
    return root


def test_threads_of_one_core(tmp_path):
    root = tree(tmp_path, {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}, ["0-1", "2-3"])
    assert topology.physical_cores({0, 1, 2, 3}, root) == 2
    assert topology.physical_cores({0, 1}, root) == 2
    assert topology.physical_cores({0, 2}, root) == 1
    assert topology.physical_cores({0, 7}, root) is None, "one of which nothing is known"
    assert topology.nodes({0, 1}, root) == 1
    assert topology.nodes({0, 3}, root) == 2
    assert topology.nodes({0}, tmp_path / "none") is None


def test_two_kinds_of_cores(tmp_path):
    root = tree(tmp_path, {}, kinds={"cpu_core": "0-15", "cpu_atom": "16-23"})
    assert topology.kinds(range(24), root) == (16, 8)
    assert topology.kinds({0, 16}, root) == (1, 1)
    assert topology.kinds({0}, tmp_path / "none") is None


@pytest.mark.parametrize(
    ("text", "found"), [("0-3,8", {0, 1, 2, 3, 8}), ("", set()), ("5", {5}), ("a-b", set()), (" 1 , 2-2", {1, 2})]
)
def test_lists_of_processors(text, found):
    assert topology.numbers(text) == found


def test_every_pair_of_reports_differs_with_any_count():
    for (_, (one, _)), (_, (other, _)) in itertools.combinations(REPORTED.items(), 2):
        assert cpuinfo.described(one) != cpuinfo.described(other)
