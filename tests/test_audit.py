"""The audit: what passes here, and that it finds what is broken."""

import json
import math
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from arrayspeed.audit import clocks, machine
from arrayspeed.audit.check import CHECKS, Audit, Check
from arrayspeed.audit.inside import program
from arrayspeed.plan import Combination
from kernels import BACKENDS, CATALOGUE
from tests.conftest import ARRAYSPEED, ROOT
from tests.test_faults import attempt, change

ON_CPU = [name for name, backend in BACKENDS.items() if "cpu" in backend.devices]


@pytest.fixture(scope="module")
def python(newest):
    return newest.find_executable("python")


@pytest.fixture(scope="module")
def checked(python):
    """The checks of all calls, two backends at a time; the longest first."""
    order = sorted(ON_CPU, key=lambda name: ("numba", "torch-compile", "tensorflow-xla").count(name), reverse=True)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(order, pool.map(lambda name: machine.check_calls(python, name, "cpu", []), order), strict=True))


@pytest.mark.parametrize("backend", ON_CPU)
def test_every_kernel_passes_every_check_of_its_calls(checked, backend):
    rows = checked[backend]
    assert [row for row in rows if row.passed is not True] == []
    kernels = {k.name for k in CATALOGUE.values() if k.why_not(backend, BACKENDS[backend].library) is None}
    for name in ("result", "wait", "compilation", "transfer", "work"):
        assert {row.kernel for row in rows if row.check == name} == kernels
    assert [row.check for row in rows if row.kernel is None] == ["settings"]


@pytest.mark.parametrize("backend", ["numpy", "jax-jit", "torch"])
def test_threads_stay_on_the_cores_that_are_allowed(python, backend):
    (row,) = machine.check_cores(python, backend)
    assert row.passed is True, row.detail


class Break(NamedTuple):
    """A change of the source, and the check that must fail for it."""

    check: str
    backend: str
    kernel: str
    file: str
    old: str
    new: str


JAX, TORCH, TIMING = "kernels/backends/jax.py", "kernels/backends/torch.py", "benchmarks/timing.py"

BREAKS = {
    "wait": Break("wait", "jax-jit", "matmul", JAX, "result.block_until_ready()", "pass"),
    "batching": Break("batching", "jax-jit", "add", TIMING, "timed_calls = False", "timed_calls = True"),
    "dtype": Break("result", "jax", "add", JAX, '"jax_enable_x64", True', '"jax_enable_x64", False'),
    "precision": Break("settings", "jax", "matmul", JAX, '"highest"', '"default"'),
    "TF32": Break("settings", "torch", "add", TORCH, "allow_tf32 = False", "allow_tf32 = True"),
    "sign": Break("result", "jax-jit", "polynomial", "kernels/calculus/jax.py", "6 * x - 3", "6 * x + 3"),
    "compiled once": Break(
        "compilation", "jax-jit", "add", JAX, "jax.jit(function)", "lambda *x: jax.jit(lambda *y: function(*y))(*x)"
    ),
    "own inputs": Break(
        "result", "torch", "add", "kernels/elementwise/torch.py", "return a + b\n", "return a.fill_(1) + b.fill_(1)\n"
    ),
    "inputs on the device": Break(
        "transfer", "jax-jit", "add", JAX, "jax.block_until_ready(jax.device_put(np.array(array), self.where))", "array"
    ),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_found(empty, python, monkeypatch, what):
    broken = BREAKS[what]
    change(empty, broken.file, broken.old, broken.new)
    if broken.check == "batching":
        only = ["--backend", broken.backend, "--kernel", broken.kernel]
        done = attempt(empty, "audit", *only, "--rounds", "2", "--json")
        assert done.returncode == 1, done.stdout[-2000:]
        rows = [Check(**row) for row in json.loads(done.stdout)["checks"]]
    else:
        monkeypatch.chdir(empty)
        rows = machine.check_calls(python, broken.backend, "cpu", [broken.kernel])
    assert broken.check in [row.check for row in rows if row.passed is False]


def test_a_small_audit_is_whole(empty):
    done = attempt(
        empty, "audit", "--backend", "numpy", "--kernel", "add", "--kernel", "matmul", "--rounds", "2", "--json"
    )
    assert done.returncode in (0, 1), done.stderr
    data = json.loads(done.stdout)
    found = {(row["check"], row["kernel"]) for row in data["checks"]}
    every = {
        (check, kernel)
        for check in ("result", "wait", "compilation", "transfer", "work", "clock", "batching")
        for kernel in ("add", "matmul")
    }
    assert found == every | {("settings", None), ("cores", None), ("noise", None), ("clock", None)}
    assert {row["passed"] for row in data["checks"] if row["check"] not in ("clock", "noise")} == {True}
    assert data["noise"]["numpy"]["combinations"] == 2
    (noise,) = (row for row in data["checks"] if row["check"] == "noise")
    assert re.search(r"of 2 kernels; a loop of plain Python meanwhile \d+\.\d%$", noise["detail"])
    assert not list((empty / "results").rglob("audit*")), "a part is not kept as the machine's audit"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kernel", "ad"], "Did you mean 'add'"),
        (["--backend", "nump"], "Did you mean 'numpy'"),
        (["--rounds", "1"], "2 or more"),
        (["--size", "big"], "small, large or a number"),
        (["--device", "tpu"], "TPU"),
        (["--kernel", "fft", "--backend", "numba"], "nothing of what is chosen"),
    ],
)
def test_mistakes_get_one_line(arguments, says):
    done = subprocess.run([*ARRAYSPEED, "audit", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    # Where the tree has changes that are not committed, a warning comes first.
    (line,) = (line for line in done.stderr.strip().splitlines() if not line.startswith("warning: "))
    assert says in line


def test_every_kernel_names_its_operations():
    assert program.OPERATIONS.keys() == CATALOGUE.keys()
    assert program.lacking("matmul", "  %x = f64[3]{0} add(%a, %b)") == ["dot|gemm|matmul"]
    assert program.lacking("matmul", "  ROOT %dot.4 = f64[3,3]{1,0} dot(%a, %b)") == []
    assert program.lacking("matmul", 'custom-call(%a), custom_call_target="__cublas$gemm"') == []
    assert program.lacking("add", "  %constant = f64[3]{0} constant({...})") == ["add"]


def timing(asv, clock, kernel="add"):
    one = Combination("venv", "x", 0, "elementwise", kernel, "float64", "time_call", "numpy", 1000, "cpu")
    return clocks.Timing(one, asv, clock, [1e-4] * len(asv), [10] * len(asv))


def each_kernel(rows):
    return [row for row in rows if row.check == "clock" and row.kernel]


def noisy(seconds, noise=0.01, count=3):
    return [seconds * math.exp(noise * sign) for sign in (-1, 1, 0)[:count]]


def test_two_clocks_that_agree_and_two_that_do_not():
    alike = [timing(noisy(1e-3), noisy(1.01e-3)) for _ in range(10)]
    assert {row.passed for row in clocks.judge(alike)} == {True}
    *good, bad = each_kernel(clocks.judge([*alike, timing(noisy(1e-5), noisy(1e-3))]))
    assert bad.passed is False
    assert {row.passed for row in good} == {True}


def test_a_backend_that_is_off_as_a_whole_is_named():
    rows = clocks.judge([timing(noisy(1.3e-3, 0.2), noisy(1e-3, -0.2)) for _ in range(40)])
    (whole,) = (row for row in rows if row.check == "clock" and row.kernel is None)
    assert whole.passed is False
    assert "×1.300" in whole.detail


def test_short_calls_that_are_timed_alone_are_named():
    alike = [timing(noisy(1e-3), noisy(1e-3)) for _ in range(5)]
    rows = clocks.judge([*alike, replace(timing(noisy(1e-5), noisy(1e-5), "sine"), numbers=[1, 1, 1])])
    assert [row.kernel for row in rows if row.check == "batching" and row.passed is False] == ["sine"]
    spell = clocks.judge([*alike, replace(timing(noisy(1e-5), noisy(1e-5)), numbers=[1, 900, 800])])
    assert all(row.passed for row in spell if row.check == "batching")


def test_what_the_clock_itself_costs_is_no_difference():
    alike = [timing(noisy(1e-3), noisy(1e-3)) for _ in range(10)]
    *_, tiny = each_kernel(clocks.judge([*alike, timing(noisy(0.5e-6), noisy(0.3e-6))]))
    assert tiny.passed is True


def test_noise_hides_a_difference_and_says_so():
    wild = [timing(noisy(1e-3, 0.5), noisy(1.3e-3, -0.5)) for _ in range(10)]
    rows = each_kernel(clocks.judge(wild))
    assert {row.passed for row in rows} == {None}
    assert all("too noisy" in row.detail for row in rows)


@pytest.fixture
def measured(monkeypatch):
    """Has `clocks.measure` add made-up processes; what it was asked for, and a problem that it may have."""
    asked, problem = [], {}

    def measure(session, timings, rounds):
        asked.append(([timing.one.kernel for timing in timings], rounds))
        for timing in timings:
            timing.asv.extend(noisy(1e-3, 0.01) * (rounds // 3))
            timing.clock.extend(noisy(1e-3, -0.01) * (rounds // 3))
        failed = [Check("clock", timing.one.backend, name, False, "gone") for timing in timings for name in problem]
        return [timing for timing in timings if timing.one.kernel not in problem], failed

    monkeypatch.setattr(clocks, "measure", measure)
    return SimpleNamespace(asked=asked, problem=problem)


def wild():
    return timing(noisy(1e-3, 0.4), noisy(1.1e-3, -0.4), "sine")


def test_what_is_unclear_is_measured_again_until_it_is_clear(measured):
    timings = [timing(noisy(1e-3), noisy(1e-3)) for _ in range(10)] + [wild()]
    found, failed = clocks.settle(None, timings, 3, lambda *_: None)
    assert measured.asked == [(["sine"], 3), (["sine"], 6)]
    assert failed == []
    assert [len(one.asv) for one in found] == [3] * 10 + [12]
    assert {row.passed for row in clocks.judge(found)} == {True}
    assert each_kernel(clocks.judge(found))[-1].detail.endswith("12 processes of each")


def test_what_cannot_be_measured_again_fails(measured):
    measured.problem["sine"] = True
    found, failed = clocks.settle(None, [timing(noisy(1e-3), noisy(1e-3)), wild()], 3, lambda *_: None)
    assert [one.one.kernel for one in found] == ["add"]
    assert [(row.kernel, row.passed) for row in failed] == [("sine", False)]
    assert len(measured.asked) == 1


def test_noise_is_that_between_asv_s_processes_and_the_machine_s_own_is_beside_it():
    one = replace(timing([math.exp(0.1), math.exp(-0.1)], [1.0, 1.0]), plain=[1.0, math.exp(0.2)])
    assert clocks.noise_of([one])["numpy"].between == pytest.approx(math.sqrt(0.02))
    (row,) = clocks.judge_noise([one])
    assert row.passed is True
    assert row.detail == "14.1% between processes, of 1 kernels; a loop of plain Python meanwhile 14.1%"
    (row,) = clocks.judge_noise([replace(one, asv=[1.0, 1.5])])
    assert row.passed is False


def test_a_row_that_is_lost_is_noticed():
    rows = [Check(check, "numpy", kernel, True, "") for check in ("result", "clock") for kernel in ("add", "sine")]
    audit = Audit("m", "venv", "f" * 40, "", "cpu", rows[:-1])
    assert machine.without_a_row(audit, ["add", "sine"]) == ["sine on numpy: clock"]
    assert CHECKS.keys() >= {row.check for row in rows}
