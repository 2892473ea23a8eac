"""What can be checked of a GPU without one: the logic around its clock, what is said, and `make gpu`'s refusal.

Nothing here stands in for a device. CuPy's formulas are checked in tests/kernels/test_kernels.py
with NumPy in its place.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from arrayspeed.claims.table import claims
from arrayspeed.environments.accelerator import Gpu, find
from arrayspeed.measure.plan import wanted
from arrayspeed.measure.selections import GPU
from arrayspeed.model.combination import Combination
from kernels import CATALOGUE, NotAvailable
from kernels.backends.events import LAST_SPIN, Events, seconds_on_device
from tests.conftest import ROOT, inside

NO_GPU = not list(Path("/dev").glob("nvidia[0-9]*")) and not Path("/dev/dxg").exists()


class Queue:
    """A device that is ``cycles`` behind its host, which takes as long to queue a call as it says."""

    def __init__(self, queueing, work):
        self.queueing, self.work = queueing, work
        self.host = self.device = 0.0
        self.spins = []

    def spin(self, cycles):
        self.spins.append(cycles)
        self.device = max(self.device, self.host) + cycles

    def call(self):
        self.host += self.queueing
        self.device = max(self.device, self.host) + self.work

    def events(self):
        return Events(
            spin=self.spin,
            record=lambda: self.device,
            reached=lambda event: event <= self.host,
            wait=lambda event: setattr(self, "host", max(self.host, event)),
            seconds=lambda first, last: last - first,
        )


def test_time_on_the_device_leaves_out_what_the_host_takes():
    queue = Queue(queueing=5e6, work=100)
    assert seconds_on_device(queue.events(), queue.call, 3) == [100, 100, 100]
    assert len(queue.spins) == 3


def test_a_call_that_takes_long_to_queue_is_taken_again_behind_a_longer_spin():
    queue = Queue(queueing=1e8, work=100)
    assert seconds_on_device(queue.events(), queue.call, 2) == [100, 100]
    assert queue.spins[0] < 1e8 < queue.spins[-1]


def test_a_call_that_cannot_be_queued_as_a_whole_has_no_time_on_the_device():
    queue = Queue(queueing=2 * LAST_SPIN, work=100)
    with pytest.raises(NotAvailable, match="queued as a whole"):
        seconds_on_device(queue.events(), queue.call, 2)


def test_the_peak_of_a_card_is_that_of_its_data_sheet():
    """H100 SXM: 67 TFLOP/s in both; A100: 19.5 in both; RTX 4060: 15.1 and a 64th of it."""
    h100, a100 = Gpu(132, 1.98e9, (9, 0), "13.0"), Gpu(108, 1.41e9, (8, 0), "13.0")
    for card, tera in ((h100, 67), (a100, 19.5)):
        assert card.peak("float32") == pytest.approx(tera * 1e12, rel=0.01)
        assert card.peak("float64") == pytest.approx(tera * 1e12, rel=0.01)
    rtx = Gpu(24, 2.46e9, (8, 9), "13.0")
    assert rtx.peak("float32") == pytest.approx(15.1e12, rel=0.01)
    assert rtx.peak("float64") == pytest.approx(15.1e12 / 64, rel=0.01)
    assert Gpu(1, 1e9, (99, 0), "13.0").peak("float32") is None


@pytest.mark.skipif(not NO_GPU, reason="this machine has a GPU")
def test_without_a_gpu_one_line_says_so():
    assert find() is None
    done = subprocess.run(["make", "--silent", "gpu"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert first == "this machine has no NVIDIA GPU: make bench measures on its CPU"
    assert all(line.startswith("make") for line in rest)


@pytest.mark.parametrize("backend", ["numpy", "jax-jit", "torch"])
def test_a_cpu_has_no_clock_and_no_transfers_of_its_own(newest, backend):
    said = {one["measure"]: one["why"] for one in inside(newest, "check_device", backend)}
    assert said["device_time"] == "a CPU keeps no time of its own: time_call is what there is"
    assert said["to_device"] == said["from_device"] == "the CPU's memory is the host's: nothing is transferred"


@pytest.mark.parametrize("claim", [claim for claim in claims() if claim.device == "gpu"], ids=lambda claim: claim.text)
def test_a_run_on_a_gpu_measures_what_the_claims_about_gpus_need(claim):
    for case in claim.criterion.cases:
        kernel = CATALOGUE[case.kernel]
        name = f"{kernel.family}.{kernel.name}_{case.dtype}.{case.measure}"
        near = [size for size in kernel.sizes if case.size / 4 <= size <= 4 * case.size]
        parts = (case.kernel, case.dtype, case.measure, case.backend)
        ones = [Combination("", name, 0, kernel.family, *parts, size, case.device) for size in near]
        assert any(wanted(one, part) for one in ones for part in GPU), case


def test_a_run_imports_only_what_the_wheels_bring():
    """SciPy would bring a NumPy that is not the interpreter's own, and so change what is measured."""
    absent = "import sys; sys.modules.update(dict.fromkeys(['scipy', 'altair', 'vl_convert']))"
    code = f"{absent}; import arrayspeed.cli.run"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
