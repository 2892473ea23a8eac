"""The worker's parts: results that are waited for, results that are compared, memory."""

import copy
import ctypes
import json
import subprocess
import sys
import tracemalloc
import types
from dataclasses import dataclass
from time import perf_counter, sleep

import numpy as np
import pytest

from arrayspeed.own.results import compare, leaves_compared, read
from arrayspeed.own.worker import finishing, loading, measuring, values, waiting
from arrayspeed.own.worker.stack import as_in_a_script
from tests.conftest import ROOT


@dataclass
class Pair:
    one: object
    other: object


@pytest.fixture
def jax(monkeypatch):
    """A stand-in for JAX that notes what was waited for."""
    made = types.ModuleType("jax")
    made.waited = []
    made.block_until_ready = made.waited.append
    monkeypatch.setitem(sys.modules, "jax", made)
    return made


def of_library(name):
    """An object of a class of a library."""
    return type("Array", (), {"__module__": name, "__slots__": ()})()


@pytest.mark.parametrize("name", ["jax", "jaxlib._jax"])
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (1, [x]), lambda x: {"a": {"b": x}}, lambda x: Pair(1, x)])
def test_arrays_of_jax_are_waited_for_wherever_they_are(jax, name, wrap):
    result = wrap(of_library(name))
    wait, _ = waiting.waiter(result)
    assert wait is not None
    wait(result)
    assert jax.waited == [result]


def test_looking_for_what_to_wait_for_is_no_part_of_a_first_call(monkeypatch):
    def slow(result):
        sleep(0.2)
        return None, []

    monkeypatch.setattr(measuring, "waiter", slow)
    assert measuring.Measured(dict, ()).first_call()[1] < 0.1
    monkeypatch.setattr(measuring, "waiter", lambda result: (slow(result)[1].append, []))
    assert measuring.Measured(dict, ()).first_call()[1] > 0.1, "what computes went on"


@pytest.mark.parametrize("lazy", [True, False])
def test_large_results_are_looked_into_in_part(monkeypatch, lazy):
    asked = []
    rule = finishing.rule
    monkeypatch.setattr(finishing, "rule", lambda value: asked.append(value) or rule(value))
    rows = [{n: [(1, n)] for n in range(90)} for _ in range(90)]
    found = measuring.Measured((lambda: iter(rows)) if lazy else lambda: rows, ()).first_call()[0]
    assert (found.value if lazy else found) == rows
    assert len(asked) < 3 * finishing.MOST_VALUES
    assert waiting.libraries_of([*rows, of_library("jax")]) == {"builtins", "jax"}


def test_what_is_not_known_is_said(jax):
    result = of_library("oddlib.arrays")
    wait, unknown = waiting.waiter(result)
    assert unknown == ["oddlib"]
    wait(result)
    assert jax.waited == [result], "it may be a pytree"


@pytest.mark.parametrize("result", [1, None, "x", [1.0], np.zeros(3), {"a": np.float32(1)}])
def test_what_needs_no_wait(result, monkeypatch):
    for name in ("jax", "torch"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert waiting.waiter(result) == (None, [])


@pytest.mark.parametrize("queues", [True, False])
def test_work_that_torch_queued_is_waited_for_although_it_is_not_returned(monkeypatch, queues):
    calls = []
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: queues, is_initialized=lambda: queues, synchronize=lambda: calls.append(1)
    )
    torch.backends = types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    wait, _ = waiting.waiter(None)
    assert (wait is not None) == queues
    if queues:
        wait(None)
        assert calls == [1]


def written(tmp_path, name, value, inputs="same"):
    """What a worker says of a result."""
    shot = values.snapshot(value)
    values.write(tmp_path / name, shot)
    return {"inputs": inputs, "digest": values.digest(shot), "files": [tmp_path / name]}


VALUES = [
    1,
    1.5,
    2 + 1j,
    True,
    None,
    "text",
    2**80,
    [1, 2, 3],
    list(range(100)),
    [0.5] * 100,
    {"b": (1, 2), "a": np.arange(6.0).reshape(2, 3)},
    Pair(np.float32(1), {3, 1}),
    np.array([1 + 2j, np.nan]),
    np.array(["a", "b"]),
    np.zeros((0, 3)),
    np.arange(10, dtype=">f8"),
    np.array([1, 2], dtype=np.float16),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_result_is_the_same_as_itself(tmp_path, value):
    one, other = (written(tmp_path, name, value) for name in ("one", "other"))
    assert one["digest"] == other["digest"]
    assert compare(one, other).same
    assert leaves_compared(read(one["files"][0]), read(other["files"][0]), None).same


@pytest.mark.parametrize("place", range(len(VALUES)))
def test_a_result_is_not_the_same_as_another(tmp_path, place):
    one = written(tmp_path, "one", VALUES[place])
    other = written(tmp_path, "other", VALUES[place - 1])
    found = compare(one, other)
    assert found.same is False
    assert found.detail


@pytest.mark.parametrize(
    ("dtype", "step", "same"),
    [
        (np.float64, 1e-10, True),
        (np.float64, 1e-6, False),
        (np.float32, 1e-5, True),
        (np.float32, 1e-2, False),
        (np.float16, 1e-3, True),
        (np.complex128, 1e-10, True),
        (np.complex128, 1e-6, False),
    ],
)
def test_rounding_follows_from_the_type(tmp_path, dtype, step, same):
    a = np.linspace(1, 2, 1000).astype(dtype)
    b = (a.astype(complex if dtype == np.complex128 else float) * (1 + step)).astype(dtype)
    found = compare(written(tmp_path, "one", a), written(tmp_path, "other", b))
    assert found.same is same
    assert 0.4 * step < found.difference < 2.5 * step


def test_small_numbers_beside_large_ones_may_differ(tmp_path):
    a, b = np.array([1e6, 1e-12]), np.array([1e6, 2e-12])
    assert compare(written(tmp_path, "one", a), written(tmp_path, "other", b)).same


@pytest.mark.parametrize("b", [[np.inf, 1.0], [1.0, np.nan], [-np.inf, 1.0]])
def test_what_is_infinite_on_one_side_differs(tmp_path, b):
    a = np.array([np.inf, 1.0]) if b[0] == -np.inf else np.ones(2)
    assert compare(written(tmp_path, "one", a), written(tmp_path, "other", np.array(b))).same is False


def test_other_inputs_are_not_compared(tmp_path):
    found = compare(written(tmp_path, "one", 1.0), written(tmp_path, "other", 2.0, inputs="others"))
    assert found.same is None
    assert "inputs" in found.detail


def test_calls_that_differ_by_rounding_are_compared(tmp_path):
    one = written(tmp_path, "one", np.array([1.0, 2.0]))
    written(tmp_path, "again", np.array([1.0, 2.0 + 1e-15]))
    one["files"].append(tmp_path / "again")
    other = written(tmp_path, "other", np.array([1.0, 2.0]))
    assert compare(one, other).same
    written(tmp_path, "again", np.array([1.0, 3.0]))
    assert compare(one, other).same is None, "that is chance"


GLIBC = hasattr(ctypes.CDLL(None), "mallopt")

FAULTS = """
import resource, sys
from arrayspeed.own.worker import allocator

def work():
    blocks = [bytearray(800_000) for _ in range(4)]

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        work()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20

before, learnt = faults(), allocator.learnt()
assert allocator.retain()
work()
print(before, faults(), learnt, allocator.learnt(), allocator.learnt())
"""


@pytest.mark.skipif(not GLIBC, reason="another allocator than glibc's")
def test_the_two_states_of_the_allocator():
    done = subprocess.run([sys.executable, "-c", FAULTS], cwd=ROOT, capture_output=True, text=True, check=True)
    before, after, learnt, most, again = map(float, done.stdout.split())
    assert before > 100, "each call takes its memory from the system"
    assert after < 20
    assert 2**17 < learnt <= 2**20, "from blocks of 800,000 bytes that were freed"
    assert most == again == 2**25


HOLE = """
import ctypes
from arrayspeed.own.worker import allocator

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.malloc.argtypes = library.free.argtypes = [ctypes.c_size_t]

library.free(library.malloc(12 * 2**20))
blocks = [library.malloc(8 * 2**20) for _ in range(6)]
last = library.malloc(2**20)
for block in blocks:
    library.free(block)
SETTLE
size = ctypes.sizeof(ctypes.c_size_t)
print(sum(ctypes.c_size_t.from_address(library.malloc(31 * 2**20) - size).value & 2 > 0 for _ in range(4)))
"""


@pytest.mark.skipif(not GLIBC, reason="another allocator than glibc's")
@pytest.mark.parametrize(
    ("settle", "of_the_system"),
    [("", 3), ("library.free(library.malloc(31 * 2**20))", 3), ("allocator.retain()", 0)],
    ids=["nothing", "a block", "thresholds"],
)
def test_memory_is_retained_where_freed_memory_has_room_for_any_block(settle, of_the_system):
    """48 MiB were freed below a block that stays: one block fits there, and teaches nothing when it is freed."""
    text = HOLE.replace("SETTLE", settle)
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) == of_the_system


def test_the_worker_meets_nothing_of_the_users_names(tmp_path):
    for name in ("values", "memory", "serving", "arrayspeed"):
        (tmp_path / f"{name}.py").write_text(f"answer = {name!r}\n")
    (tmp_path / "mine.py").write_text(
        "import sys, values, memory, serving, arrayspeed\n"
        "def bench_names():\n    return [values.answer, memory.answer, serving.answer, arrayspeed.answer]\n"
    )
    requests = [{"file": "mine.py", "kind": "file"}, {"function": "bench_names", "size": None, "values": "out"}]
    done = subprocess.run(
        [sys.executable, str(ROOT / "arrayspeed/own/worker")],
        cwd=tmp_path,
        input="".join(json.dumps(row) + "\n" for row in requests),
        capture_output=True,
        text=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item[0] for item in answers[0]["items"]] == ["bench_names"]
    assert "'values'" in answers[1]["summary"]
    assert "'arrayspeed'" in answers[1]["summary"]


BARE = """
import resource

def bench_blocks():
    return len([b"x" * SIZE for _ in range(NUMBER)])

if __name__ == "__main__":
    for number in (10, 100):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(number):
            bench_blocks()
    print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / number)
"""


@pytest.mark.skipif(not GLIBC, reason="another allocator than glibc's")
@pytest.mark.parametrize(("size", "number"), [(140_000, 8), (150_000, 8), (200_000, 6)])
def test_a_call_takes_the_page_faults_that_it_has_in_a_bare_script(tmp_path, size, number):
    """Some of its blocks would find room in what the worker's own modules have freed."""
    (tmp_path / "mine.py").write_text(BARE.replace("SIZE", str(size)).replace("NUMBER", str(number)))
    bare = subprocess.run([sys.executable, "mine.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    requests = [{"file": "mine.py", "kind": "file"}, {"function": "bench_blocks", "size": None}, 20]
    worker = [sys.executable, str(ROOT / "arrayspeed/own/worker")]
    asked = "".join(json.dumps(row) + "\n" for row in requests)
    done = subprocess.run(worker, cwd=tmp_path, input=asked, capture_output=True, text=True, check=True)
    *_, batch = map(json.loads, done.stdout.splitlines())
    assert float(bare.stdout) > 100
    assert batch["faults"] == pytest.approx(float(bare.stdout), abs=3)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("def inputs(rng, size):\n    return (size,)", False),
        ("def inputs():\n    return ()", True),
        ("def inputs(rng, size):\n    return (rng.random(size),)", True),
        ("def inputs(rng, size):\n    return ([rng for _ in range(size)],)", True),
        ("def inputs(rng, size):\n    return (locals(),)", True),
        ("def inputs(a, b):\n    return (b, a)", True),
        ("def inputs(*both):\n    return both", True),
        ("import functools\ninputs = functools.partial(pow, 2)", True),
        ("class Inputs:\n    def __call__(self, rng, size):\n        return (size,)\ninputs = Inputs()", True),
    ],
)
def test_nothing_is_made_to_draw_from_where_nothing_is_drawn(text, uses):
    names = {}
    exec(text, names)
    assert loading.uses_first(names["inputs"]) == uses


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ([1.0] * 10_000, [1.0] * 9_999 + [2.0]),
        ({"text": "word " * 5_000, "none": None}, {"text": "word " * 4_999 + "work ", "none": None}),
        ((b"bytes" * 5_000, bytearray(20_000)), (b"bytes" * 5_000, bytearray(20_001))),
        (np.arange(100_000.0), np.arange(100_000.0)[::-1]),
        (np.zeros((2, 50_000)), np.zeros((50_000, 2))),
        (np.zeros(3, np.float32), np.zeros(3, np.float64)),
        ({"a": (np.ones(3), 2), "b": 1.5}, {"a": (np.ones(3), 2), "b": 1.25}),
    ],
    ids=["floats", "text", "bytes", "array", "shape", "dtype", "nested"],
)
def test_a_fingerprint_sees_any_change_and_copies_nothing_large(value, other):
    fingerprint = values.fingerprint(value)
    assert values.fingerprint(copy.deepcopy(value)) == fingerprint
    assert values.fingerprint(other) != fingerprint
    tracemalloc.start()
    try:
        values.fingerprint(value)
        assert tracemalloc.get_traced_memory()[1] < 2**18, "the allocator learns from what is freed"
    finally:
        tracemalloc.stop()


def lowest(loop, calls=2000):
    """Seconds of a call, the lowest of a few loops: whatever disturbs one, it takes longer for it."""
    return min(loop(calls) for _ in range(5)) / calls


def plain(calls):
    """A loop over a short function with a frame larger than two of `below`: no step of depth misses a chunk's end."""

    def add(a, b, c=0, d=0, e=0, f=0, g=0, h=0, i=0, j=0, k=0, m=0, n=0, o=0, p=0, q=0, r=0, s=0, t=0, u=0, v=0, w=0):
        return a + b

    started = perf_counter()
    for _ in range(calls):
        add(1, 2)
    return perf_counter() - started


def below(depth, function):
    """Call a function below so many frames."""
    return function() if not depth else below(depth - 1, function)


@pytest.mark.clock
def test_a_loop_below_a_deep_stack_reads_what_a_plain_one_does():
    """A chunk of Python's stack has room for a hundred or two of these frames: at one depth it ends within the loop."""

    def at_each_depth(loop):
        """Return the lowest of three passes, far apart: a spell of the machine lasts for several depths."""
        passes = [[below(depth, lambda: lowest(loop)) for depth in range(0, 240, 2)] for _ in range(3)]
        return list(map(min, *passes))

    bare, kept = at_each_depth(plain), at_each_depth(lambda n: as_in_a_script(lambda: plain(n)))
    assert max(kept) < 2 * min(kept)
    assert max(kept) < 2 * min(bare), "and that is what a plain loop takes"
    if sys.version_info[:2] == (3, 11):  # later releases keep a chunk
        assert max(bare) > 3 * min(bare), "or there were nothing to be kept from"
