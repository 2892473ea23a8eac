"""The audit: what passes here, and that it finds what is broken."""

import functools
import itertools
import json
import math
import os
import random
import re
import subprocess
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from arrayspeed.audit import clocks, machine, script, sides
from arrayspeed.audit.check import CHECKS, Audit, Check
from arrayspeed.audit.worker import program
from arrayspeed.decide import LOOKS, judge
from arrayspeed.measure.looking import Clock
from arrayspeed.measure.players import Samples
from arrayspeed.model.combination import Combination
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.backends.watching import copies_in
from kernels.preparation import REFERENCES
from support import schema
from tests.conftest import ROOT, command_here, inside, references
from tests.inside.check_kernels import SAMPLED
from tests.meta.test_faults import attempt, change
from tests.sample import chosen_of, on_each

ON_CPU = [name for name, backend in BACKENDS.items() if "cpu" in backend.devices]


@pytest.fixture(scope="module")
def python(newest):
    return newest.find_executable("python")


def of_chosen(request, test, run):
    """What gives, for a backend, what ``run`` gives for it and the kernels whose tests run; once."""
    chosen = chosen_of(request, test)
    return functools.cache(lambda backend: run(backend, chosen[backend]))


@pytest.fixture(scope="module")
def checked(request, python):
    """The checks of all calls of a backend."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(REFERENCES, references())
        yield of_chosen(
            request,
            "test_every_kernel_passes_every_check_of_its_calls",
            lambda backend, names: machine.check_calls(python, backend, "cpu", names),
        )


@pytest.fixture(scope="module")
def clocked(request, newest):
    """Errors of what the clock times on a backend."""
    return of_chosen(
        request,
        "test_the_clock_times_the_right_computation",
        lambda backend, names: inside(newest, "check_script", backend, *names),
    )


@pytest.mark.parametrize(("backend", "names"), on_each(ON_CPU))
def test_every_kernel_passes_every_check_of_its_calls(checked, backend, names):
    rows = [row for row in checked(backend) if row.kernel in (*names, None)]
    assert [row for row in rows if row.passed is not True] == []
    kernels = set(names)
    for name in ("result", "wait", "compilation", "transfer", "work"):
        assert {row.kernel for row in rows if row.check == name} == kernels
    assert [row.check for row in rows if row.kernel is None] == ["settings"]


def test_every_kernel_is_in_a_sample_or_among_the_others():
    found = [(param.values[0], name) for param in on_each(ON_CPU) for name in param.values[1]]
    able = [
        (b, k.name) for b in ON_CPU for k in CATALOGUE.values() if k.dtypes[0] in k.dtypes_on(b, BACKENDS[b].library)
    ]
    for backend in ON_CPU:
        mine = [name for of, name in found if of == backend]
        assert len(mine) == len(set(mine))
        if backend in SAMPLED:
            assert {CATALOGUE[name].family for name in mine} == {CATALOGUE[k].family for b, k in able if b == backend}
        else:
            assert set(mine) == {name for of, name in able if of == backend}


@pytest.mark.clock
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
    "wait": Break(
        "wait",
        "jax-jit",
        "matmul",
        "kernels/preparation.py",
        "operator.methodcaller(way.waits_by)",
        "lambda result: None",
    ),
    "batching": Break("batching", "jax-jit", "add", TIMING, "timed_calls = False", "timed_calls = True"),
    "dtype": Break("result", "jax", "add", JAX, '"jax_enable_x64", True', '"jax_enable_x64", False'),
    "precision": Break("settings", "jax", "matmul", JAX, '"highest"', '"default"'),
    "TF32": Break("settings", "torch", "add", TORCH, "allow_tf32 = False", "allow_tf32 = True"),
    "sign": Break("result", "jax-jit", "polynomial", "kernels/calculus/shared.py", "6 * x - 3", "6 * x + 3"),
    "compiled once": Break(
        "compilation", "jax-jit", "add", JAX, "jax.jit(function)", "lambda *x: jax.jit(lambda *y: function(*y))(*x)"
    ),
    "own inputs": Break(
        "result", "torch", "add", "kernels/elementwise/shared.py", "return a + b\n", "return a.fill_(1) + b.fill_(1)\n"
    ),
    "inputs on the device": Break(
        "transfer", "jax-jit", "add", JAX, "jax.block_until_ready(jax.device_put(np.array(array), self.where))", "array"
    ),
}


#: Of which times are compared.
TIMED = ("wait", "batching")


@pytest.mark.mutation
@pytest.mark.parametrize("what", [pytest.param(name, marks=[pytest.mark.clock] * (name in TIMED)) for name in BREAKS])
def test_what_is_broken_is_found(empty, python, monkeypatch, what):
    broken = BREAKS[what]
    change(empty, broken.file, broken.old, broken.new)
    if broken.check == "batching":
        only = ["--backend", broken.backend, "--kernel", broken.kernel]
        done = attempt(empty, "audit", *only, "--rounds", "2", "--format", "json")
        assert done.returncode == 1, done.stdout[-2000:]
        rows = [Check(**row) for row in schema.read("audit", done.stdout)["checks"]]
    else:
        monkeypatch.chdir(empty)
        rows = machine.check_calls(python, broken.backend, "cpu", [broken.kernel])
    assert broken.check in [row.check for row in rows if row.passed is False]


@pytest.mark.clock
def test_a_small_audit_is_whole(empty):
    done = attempt(
        empty,
        "audit",
        "--backend",
        "numpy",
        "--kernel",
        "add",
        "--kernel",
        "matmul",
        "--rounds",
        "2",
        "--format",
        "json",
    )
    assert done.returncode in (0, 1, 2), done.stderr
    data = schema.read("audit", done.stdout)
    found = {(row["check"], row["kernel"]) for row in data["checks"]}
    every = {
        (check, kernel)
        for check in ("result", "wait", "compilation", "transfer", "work", "clock", "turns", "batching")
        for kernel in ("add", "matmul")
    }
    assert found - {("clock", None), ("turns", None)} == every | {("settings", None), ("cores", None)}
    assert {row["passed"] for row in data["checks"] if row["check"] not in ("clock", "turns")} == {True}
    assert data["noise"]["numpy"]["combinations"] == 2
    assert "at most" in done.stderr
    assert re.search(r"after 2 rounds: \d of 4 comparisons decided", done.stderr)
    assert not list((empty / "results").rglob("audit*")), "a part is not kept as the machine's audit"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kernel", "ad"], "Did you mean 'add'"),
        (["--backend", "nump"], "Did you mean 'numpy'"),
        (["--rounds", "1"], "2 or more"),
        (["--max-unclear", "5"], "a share from 0 to 1"),
        (["--size", "big"], "a whole number from 1 up, small or large"),
        (["--device", "tpu"], "TPU"),
        # Only in the environment is known what it can run.
        pytest.param(["--kernel", "fft", "--backend", "numba"], "none of the chosen", marks=pytest.mark.environment),
    ],
)
def test_mistakes_get_one_line(arguments, says):
    done = command_here("audit", *arguments, cwd=ROOT, status=2)
    # Where the tree has changes that are not committed, a warning comes first.
    (line,) = (line for line in done.stderr.strip().splitlines() if not line.startswith("warning: "))
    assert says in line


def test_every_kernel_names_its_operations():
    assert [name for name, kernel in CATALOGUE.items() if not kernel.operations] == []
    matmul, add = CATALOGUE["matmul"], CATALOGUE["add"]
    assert program.lacking(matmul, "  %x = f64[3]{0} add(%a, %b)") == ["dot|gemm|matmul"]
    assert program.lacking(matmul, "  ROOT %dot.4 = f64[3,3]{1,0} dot(%a, %b)") == []
    assert program.lacking(matmul, 'custom-call(%a), custom_call_target="__cublas$gemm"') == []
    assert program.lacking(add, "  %constant = f64[3]{0} constant({...})") == ["add"]


class Sides(sides.Sides):
    """Sides of which asv's has a fault."""

    def __init__(self, fault, *arguments):
        super().__init__(*arguments)
        self.fault = fault

    def request(self, name, item):
        asked = super().request(name, item)
        if name != sides.ASV:
            return asked
        return asked | {"module": "tests.inside.faulty", "arguments": [self.fault, *asked["arguments"]]}


def combination(kernel, backend, size, dtype="float64"):
    family = CATALOGUE[kernel].family
    index = list(itertools.product(BACKENDS, CATALOGUE[kernel].sizes, DEVICES)).index((backend, size, "cpu"))
    names = f"{family}.{kernel}_{dtype}.time_call", index, family, kernel, dtype, "time_call"
    return Combination("venv", *names, backend, size, "cpu")


#: Fault -> where it is made, and the row that fails for it. Calls that do not wait are found by "wait" above: JAX holds
#: the next one back where many are under way, so that large batches take nearly as long as they should.
FAULTS = {
    "hidden_transfer": ("add", "jax-jit", 1_000_000, "clock"),
    "single_calls": ("add", "numpy", 1000, "batching"),
    "compiled_again": ("add", "jax-jit", 1000, "clock"),
    "deep_stack": ("add", "numpy", 10, "clock"),
    "other_unit": ("add", "numpy", 1000, "clock"),
}


@pytest.mark.mutation
@pytest.mark.clock
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_asv_s_way_is_found(python, tmp_path, monkeypatch, fault):
    *what, check = FAULTS[fault]
    monkeypatch.chdir(ROOT)
    started = Sides(fault, python, str(ROOT / "benchmarks"), str(tmp_path))
    timings, decisions, complete = clocks.measure(started, [combination(*what)], 8, lambda *_: None)
    rows = {row.check: row for row in clocks.judge(timings, decisions) if row.kernel}
    assert complete
    assert rows[check].passed is False, rows


@pytest.mark.parametrize(("backend", "names"), [each for each in on_each(ON_CPU) if "others" not in each.id])
def test_the_clock_times_the_right_computation(clocked, backend, names):
    """Its script shares no compiling, no arrays and no device with the suite, so its results are checked apart."""
    rows = [row for row in clocked(backend) if row["kernel"] in names]
    assert [row for row in rows if not row["error"] <= row["allowed"]] == []
    assert {row["kernel"] for row in rows} == set(names)


@pytest.mark.parametrize("backend", ["numba", "torch", "tensorflow-xla"])
def test_the_clock_is_ready_when_its_call_is_compiled(python, backend):
    """From what it says then follows how many calls a batch has; one that compiles may take as long as 100,000."""
    text = script.clock(combination("add", backend, 1000))
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([python, "-c", text], input="1000\n", capture_output=True, text=True, cwd=ROOT, env=env)
    ready, batch = map(json.loads, done.stdout.splitlines())
    assert ready["ready"] < 20 * batch["seconds"]


@pytest.mark.seconds
def test_the_clock_shares_nothing_with_what_it_checks():
    for name, kernel in CATALOGUE.items():
        for backend in ON_CPU:
            for device in BACKENDS[backend].devices:
                one = replace(combination(name, backend, kernel.small), device=device)
                for text in (script.preparation(one), script.clock(one), script.pyperf(one)):
                    compile(text, "script", "exec")
                    assert not re.search(
                        r"asv|benchmarks|timeit\.|stack|adapter|Prepared|\bload\b|\bprepare\b", text
                    ), text


def timing(asv, clock, kernel="add", backend="numpy", turns=None):
    """Made-up seconds of each round; None where a side failed."""
    one = combination(kernel, backend, CATALOGUE[kernel].small)
    made = clocks.Timing(one)
    for side, values in {"clock": clock, "asv": asv, "turns": turns or clock}.items():
        for number, value in enumerate(values):
            why = None if value else "RuntimeError: broken"
            made.add(side, number, Samples([value] * 5 if value else [], why=why, kind=why and "error"))
    return made


def noisy(seconds, noise=0.01, count=8, seed=0):
    rng = random.Random(f"{seconds} {noise} {seed}")
    return [seconds * math.exp(rng.gauss(0, noise)) for _ in range(count)]


def judged(timings):
    observed = clocks.observed(timings)
    return clocks.judge(timings, dict(zip(observed, judge(list(observed.values()), clocks.FACTOR), strict=True)))


def of_kernels(rows, check="clock"):
    return [row for row in rows if row.check == check and row.kernel]


ALIKE = [timing(noisy(1e-3, seed=2 * n), noisy(1e-3, seed=2 * n + 1), kernel) for n, kernel in enumerate(CATALOGUE)]
SOME = [each for each in ALIKE if each.one.kernel not in ("sine", "fft")]


def test_two_clocks_that_agree_and_two_that_do_not():
    assert {row.passed for row in judged(ALIKE)} == {True}
    bad = timing(noisy(1e-5), noisy(1e-3), "sine")
    rows = of_kernels(judged([*SOME, bad]))
    assert [(row.kernel, row.passed) for row in rows if row.passed is not True] == [("sine", False)]


def test_turns_that_are_off_are_named_apart_from_asv():
    rows = judged([*SOME, timing(noisy(1e-3), noisy(1.01e-3), "sine", turns=noisy(2e-3))])
    assert [(row.check, row.kernel) for row in rows if row.passed is False] == [("turns", "sine")]


def test_a_backend_that_is_off_as_a_whole_is_named():
    """Each kernel is too noisy to tell; all of them together are not."""
    off = [timing(noisy(1.4e-3, 0.4, seed=n), noisy(1e-3, 0.4, seed=-n - 1), name) for n, name in enumerate(CATALOGUE)]
    rows = judged(off)
    (whole,) = (row for row in rows if row.check == "clock" and row.kernel is None)
    assert whole.passed is False
    assert f"geometric mean of {len(CATALOGUE)} kernels" in whole.detail
    assert {row.passed for row in of_kernels(rows)} == {None}


def test_noise_is_no_pass_neither_of_a_kernel_nor_of_a_backend():
    wild = [timing(noisy(1e-3, 0.8, seed=n), noisy(1e-3, 0.8, seed=-n - 1), name) for n, name in enumerate(CATALOGUE)]
    assert {row.passed for row in judged(wild) if row.check == "clock"} == {None}


def test_what_the_clock_itself_costs_is_no_difference():
    (tiny,) = (
        row for row in of_kernels(judged([*SOME, timing(noisy(0.5e-6), noisy(0.3e-6), "sine")])) if row.kernel == "sine"
    )
    assert tiny.passed is True


def test_a_side_that_gives_no_time_fails_and_says_why():
    rows = of_kernels(judged([*SOME, timing([None] * 8, noisy(1e-3), "sine")]))
    assert [(row.kernel, row.detail) for row in rows if row.passed is False] == [
        ("sine", "asv gives no time: RuntimeError: broken, at 1,000")
    ]


def test_what_cannot_run_here_is_open():
    one = timing([None] * 8, [None] * 8, "sine")
    one.kinds = dict.fromkeys(one.whys, clocks.NOT_AVAILABLE)
    assert {row.passed for row in judged([one])} == {None}


def test_short_calls_that_are_timed_alone_are_named():
    alone = timing([None] * 8, noisy(1e-3), "sine")
    alone.kinds["asv"] = clocks.TIMED_ALONE
    rows = judged([*SOME, alone])
    assert [row.kernel for row in rows if row.check == "batching" and row.passed is not True] == ["sine"]


def audited(*passed, check="clock"):
    return Audit("m", "venv", "f" * 40, "", "cpu", [Check(check, "numpy", "add", each, "") for each in passed])


def test_open_is_not_passed():
    assert audited(True, True).status(0.05) == 0
    assert audited(*[True] * 19, None).status(0.05) == 0
    assert audited(*[True] * 18, None).status(0.05) == 2
    assert audited(True, None, False).status(1.0) == 1
    assert audited().status(0.05) == 2
    assert replace(audited(True), complete=False).status(0.05) == 2
    assert replace(audited(False), complete=False).status(0.05) == 1
    both = audited(True)
    both.checks.append(Check("wait", "jax", "add", False, ""))
    assert both.status(0.05) == 1


@pytest.fixture
def played(monkeypatch):
    """Has a round add made-up figures; which calls each round had, and the noise of some of them."""
    rounds, noise = [], {"sine": 0.2}

    def play(started, item, number):
        if len(rounds) <= number:
            rounds.append([])
        rounds[number].append(item.one.kernel)
        for place, side in enumerate(("clock", "asv", "turns")):
            (value,) = noisy(1e-3, noise.get(item.one.kernel, 0.01), 1, f"{item.one.kernel} {number} {place}")
            item.add(side, number, Samples([value]))

    monkeypatch.setattr(clocks, "play", play)
    return SimpleNamespace(rounds=rounds, noise=noise, sides=SimpleNamespace(end_servers=lambda: None))


def measured(played, rounds=16, kernels=("add", "multiply", "sine", "fft", "matmul"), seconds=math.inf):
    said = []
    ones = [combination(name, "numpy", CATALOGUE[name].small) for name in kernels]
    found = clocks.measure(played.sides, ones, rounds, lambda what, rows: said.append(what), Clock(seconds / 60))
    return *found, said


def test_what_is_decided_is_not_measured_again_whichever_way_it_leans(played):
    timings, _, complete, said = measured(played)
    assert complete
    assert {len(each) for each in played.rounds[:4]} == {5}
    assert {kernel for each in played.rounds[4:] for kernel in each} <= {"sine"}
    assert all(len(one.values["clock"]) in LOOKS for one in timings)
    assert "at most" in said[0]
    assert "judged after 3, 4, 6, 8, 12, 16 rounds" in said[0]
    assert any(re.match(r"after 4 rounds: \d+ of 10 comparisons decided", line) for line in said)


def test_ctrl_c_leaves_what_there_is(played, monkeypatch, looked):
    play = clocks.play

    def interrupted(started, item, number):
        if number == 2 and item.one.kernel == "sine":
            raise KeyboardInterrupt
        play(started, item, number)

    monkeypatch.setattr(clocks, "play", interrupted)
    timings, decisions, complete, said = measured(played)
    assert not complete
    assert looked == [False], "somebody may have looked"
    assert [len(one.values["clock"]) for one in timings] == [3, 3, 2, 2, 2]
    assert len(clocks.judge(timings, decisions)) >= 10
    assert "stopped: what follows" in said[-1]


def test_what_ends_early_is_complete_once_every_row_was_looked_at(played, monkeypatch, looked):
    """Time is up in the fifth round, before the first row that four rounds left undecided; or in the first."""
    play, now = clocks.play, SimpleNamespace(seconds=0.0)

    def slow(started, item, number):
        now.seconds += 1
        play(started, item, number)

    monkeypatch.setattr(clocks, "play", slow)
    monkeypatch.setattr(clocks.time, "monotonic", lambda: now.seconds)
    played.noise["fft"] = 0.1
    timings, decisions, complete, said = measured(played, seconds=20.5)
    assert complete
    assert looked == [False, False, True]
    assert "time is up" in said[-1]
    assert {len(one.values["clock"]) for one in timings} == {4, 5}
    assert any(row.passed is None for row in of_kernels(clocks.judge(timings, decisions)))
    played.rounds.clear()
    now.seconds = 0.0
    *_, complete, said = measured(played, seconds=3.5)
    assert not complete
    assert sum(map(len, played.rounds)) == 4


def test_noise_is_that_of_a_round_s_ratio(played):
    _, decisions, *_ = measured(played, kernels=("add", "multiply"))
    (one,) = clocks.noise_of(decisions).values()
    assert one.combinations == 2
    assert one.between == pytest.approx(0.01 * math.sqrt(2), rel=0.8)


def test_a_row_that_is_lost_is_noticed():
    checks = ("result", "turns", "clock")
    rows = [Check(check, "numpy", kernel, True, "") for check in checks for kernel in ("add", "sine")]
    audit = Audit("m", "venv", "f" * 40, "", "cpu", rows[:-1])
    assert machine.without_a_row(audit, ["add", "sine"]) == ["sine on numpy: clock"]
    assert CHECKS.keys() >= {row.check for row in rows}


def test_copies_are_told_only_where_the_profile_saw_the_gpu():
    kernel = {"cat": "kernel", "name": "add"}
    status = {"cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "args": {"bytes": 4}}
    array = status | {"args": {"bytes": 8_000}}
    assert copies_in([kernel, status]) == []
    assert copies_in([kernel, array]) == ["Memcpy DtoH (Device -> Pinned), 8,000 bytes"]
    with pytest.raises(RuntimeError, match="saw nothing"):
        copies_in([{"cat": "cpu_op", "name": "aten::add"}])
