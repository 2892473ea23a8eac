"""What is read of an NVIDIA card, from a made-up NVML, and what becomes of turns in which it is slowed down."""

import json
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from arrayspeed.cli.main import main
from arrayspeed.measure import blocks, players
from arrayspeed.measure.blocks import process_of
from arrayspeed.measure.players import Interleaving, Player, Samples
from arrayspeed.model.combination import Combination
from arrayspeed.records.processes import line, parse
from arrayspeed.system import card
from arrayspeed.system.card import Card
from arrayspeed.upgrades.verdict import of_card
from tests.conftest import ROOT


class Nvml:
    """NVML of a card whose clocks and reasons are scripted; calls that are not here are not supported."""

    class NVMLError(Exception):
        pass

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def __init__(self, masks=(), violations=(), count=1, fails=False):
        self.masks, self.nanoseconds, self.count, self.fails = list(masks), list(violations), count, fails

    def nvmlInit(self):
        if self.fails:
            raise self.NVMLError

    def nvmlDeviceGetCount(self):
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index):
        return f"card {index}"

    def nvmlDeviceGetHandleByUUID(self, name):
        return name

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle):
        return self.masks.pop(0) if self.masks else 0

    def nvmlDeviceGetViolationStatus(self, handle, policy):
        if policy != 1 or not self.nanoseconds:
            raise self.NVMLError
        return SimpleNamespace(violationTime=self.nanoseconds.pop(0))

    def nvmlDeviceGetClockInfo(self, handle, clock):
        return {1: 1980, 2: 2619}[clock]

    def nvmlDeviceGetPerformanceState(self, handle):
        return 0

    def nvmlDeviceGetPowerUsage(self, handle):
        return 412_345


def test_its_state():
    found = Card(Nvml([0x4 | 0x8]), "card").state()
    assert found == {
        "sm_mhz": 1980,
        "memory_mhz": 2619,
        "power_state": 0,
        "watts": 412.3,
        "reasons": ["power limit", "slowed down by hardware"],
    }


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (0x0, ""),
        (0x1 | 0x2 | 0x4 | 0x10 | 0x100, ""),
        (0x8, "slowed down by hardware"),
        (0x20, "slowed down by the driver: heat"),
        (0x40 | 0x80, "slowed down by hardware: heat, slowed down by hardware: power brake"),
    ],
)
def test_what_slows_it_down(mask, said):
    one = Card(Nvml([mask]), "card")
    one.begin()
    assert one.end() == said


def test_a_slowdown_that_has_passed_is_counted():
    one = Card(Nvml([0, 0], [5, 5, 5, 9]), "card")
    one.begin()
    assert one.end() == ""
    one.begin()
    assert one.end() == "slowed down: heat"


def test_older_drivers_have_another_name():
    nvml = SimpleNamespace(NVMLError=Nvml.NVMLError, nvmlDeviceGetCurrentClocksThrottleReasons=lambda handle: 0x40)
    one = Card(nvml, "card")
    one.begin()
    assert one.end() == "slowed down by hardware: heat"
    assert one.state() == {"reasons": ["slowed down by hardware: heat"]}


@pytest.mark.parametrize(
    ("nvml", "variables", "handle"),
    [
        (Nvml(), {}, "card 0"),
        (Nvml(count=0), {}, None),
        (Nvml(count=2), {}, None),
        (Nvml(count=2), {"CUDA_VISIBLE_DEVICES": "1"}, None),
        (Nvml(count=2), {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, "card 1"),
        (Nvml(count=2), {"CUDA_VISIBLE_DEVICES": "GPU-abc,GPU-def"}, "GPU-abc"),
        (Nvml(fails=True), {}, None),
    ],
)
def test_which_card(monkeypatch, nvml, variables, handle):
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    found = card.first()
    assert (found and found.handle) == handle


def test_no_module_no_card(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert card.first() is None


def turns(monkeypatch, masks, number=6):
    """What one player gives in so many turns, while the card says this after each."""
    monkeypatch.setattr(players, "run", lambda player, number, timeout: 0.01)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        one = Player("a", 1, ours)
    taken = {"a": Samples()}
    plan = Interleaving(
        fewest=number, most=number, card=Card(Nvml(each for mask in masks for each in (mask, 0)), "card")
    )
    players.turn_after_turn([one], taken, {"a": 1}, plan, 1.0)
    return taken["a"]


def test_turns_in_which_it_is_slowed_down_are_dropped_and_counted(monkeypatch):
    found = turns(monkeypatch, [0x40, 0x40, 0x40, 0x40, 0, 0x4])
    assert found.batches == [None] * 4 + [0.01, 0.01], "four in a row are no hopeless side"
    assert (found.value, found.why, found.kind) == (0.01, None, None)
    assert found.dropped == [0, 1, 2, 3]
    assert found.card["dropped"] == 4 and found.card["sm_mhz"] == 1980


def test_nothing_is_left_where_all_turns_are_dropped(monkeypatch):
    found = turns(monkeypatch, [0x8] * 6)
    assert found.value is None and found.kind == "not available"
    assert found.why == "the card was slowed down in every turn: slowed down by hardware"
    assert found.card["dropped"] == 6


GPU = Combination(
    "env", "linalg.matmul_float32.time_call", -1, "linalg", "matmul", "float32", "time_call", "torch", 9, "gpu"
)


def test_it_is_kept_with_each_record(monkeypatch):
    process = process_of(GPU, turns(monkeypatch, [0, 0x20, 0]))
    stored = json.loads(json.dumps(line(process)))
    assert stored["card"]["dropped"] == 1
    assert parse(stored, "env").card == stored["card"]
    assert "card" not in line(process_of(GPU, Samples([0.1])))
    assert parse(stored | {"card": "nonsense"}, "env").card is None


def test_only_sides_on_a_card_ask_for_it(monkeypatch):
    monkeypatch.setattr(card, "first", lambda: "the card")
    one = SimpleNamespace(sides=[SimpleNamespace(device="cpu"), SimpleNamespace(device="gpu")])
    assert blocks.Round.card(None, one) == "the card"
    assert blocks.Round.card(None, SimpleNamespace(sides=one.sides[:1])) is None


def compared(device, *cards):
    played = [SimpleNamespace(card=each) for each in cards]
    return SimpleNamespace(one=SimpleNamespace(device=device), old=played[:1], new=played[1:])


def test_what_is_said_of_it():
    assert of_card([compared("cpu", None, None)]) == []
    hot, dropped = of_card([compared("gpu", {"dropped": 2}, {"reasons": []})])
    assert "hot, as NVBench calls it" in hot
    assert dropped.endswith("slowed the card down: 2.")
    assert len(of_card([compared("gpu", {"reasons": []}, {"reasons": []})])) == 1
    assert "it was not read" in of_card([compared("gpu", None, None)])[-1]


@pytest.mark.parametrize("command", [["upgrade", "jax", "0.9.2", "0.10.2"], ["audit"]])
def test_a_tpu_is_untested(command, capsys, monkeypatch):
    monkeypatch.setattr("kernels.backends.hardware.glob", lambda pattern: [])
    with pytest.raises(SystemExit) as ended:
        main([*command, "--device", "tpu"])
    assert ended.value.code == 2
    said = "--device tpu: this machine has no TPU (untested: nothing was ever measured on a TPU)"
    assert capsys.readouterr().err == f"arrayspeed: {said}\n"


def test_a_tpu_that_is_there_is_untested_too(capsys, monkeypatch):
    from arrayspeed.cli.options import device

    monkeypatch.setattr(device, "missing", lambda name: None)
    device.check_device("tpu")
    assert capsys.readouterr().err == "warning: --device tpu is untested: nothing was ever measured on a TPU\n"
    device.check_device("gpu")
    assert capsys.readouterr().err == ""


def test_windows_is_refused_in_a_line():
    program = "import sys; sys.platform = 'win32'; from arrayspeed.cli.main import main"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "arrayspeed: Windows is not supported: use WSL, the Windows Subsystem for Linux\n"
