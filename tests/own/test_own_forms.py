"""What a file may say of its functions: each form as a user would write it."""

import sys

import pytest

from arrayspeed.cli.main import main
from support import schema

#: Sides are started and timed.
pytestmark = pytest.mark.environment

SIDES = ["--old-env", "SIDE=old", "--new-env", "SIDE=new", "--python", sys.executable]

HEADER = "import os\nNEW = os.environ['SIDE'] == 'new'\n"


@pytest.fixture
def upgrade(tmp_path, capsys, few_turns):
    """Runs ``arrayspeed upgrade --file``: status, rows and notes."""

    def run(source, *options, rounds=2):
        path = tmp_path / "mine.py"
        path.write_text(HEADER + source)
        with pytest.raises(SystemExit) as ended:
            main(["upgrade", "--file", str(path), *SIDES, "--rounds", str(rounds), "--format", "json", *options])
        printed = capsys.readouterr()
        if not printed.out:
            return ended.value.code, {}, printed.err
        data = schema.read("upgrade", printed.out)
        rows = {(row["function"], row["size"], row["measure"]): row for row in data["comparisons"]}
        return ended.value.code, rows, " ".join(data["notes"])

    return run


def work(number):
    return f"sum(range({number}))"


#: What the old side returns, what the new one does, and what is said of it.
KINDS = {
    "lazy": ("dict.fromkeys(x)", "(each for each in x)", "dict → generator"),
    "tuple": ("list(x)", "tuple(x)", "list → tuple"),
    "empty": ("[]", "{}", "list → dict"),
    "inside": ("{1: [2]}", "{1: 2}", "[1]: list → one value"),
    "view": ("{1: 2}.keys()", "[1]", "dict_keys → list"),
}


def test_another_kind_of_result_is_another_result(upgrade):
    functions = [f"def bench_{name}(x):\n    return {new} if NEW else {old}\n" for name, (old, new, _) in KINDS.items()]
    status, rows, _ = upgrade("def inputs():\n    return [list(range(40))]\n" + "".join(functions))
    assert status == 1
    for name, (_, _, said) in KINDS.items():
        row = rows[f"bench_{name}", None, "result"]
        assert (row["verdict"], row["detail"]) == ("differs", said)


@pytest.mark.clock
def test_what_a_generator_has_to_do_is_part_of_its_time(upgrade):
    source = f"""
def bench_f():
    found = ({work(2_000)} for _ in range(100))
    return found if NEW else list(found)
"""
    _, rows, notes = upgrade(source)
    assert 0.5 < rows["bench_f", None, "time_call"]["ratio"] < 2, "making a generator takes no time"
    assert "These return before their work is done, and their times include the rest of it: f." in notes


def test_promises_of_all_kinds_are_kept(upgrade):
    source = """
from concurrent.futures import ThreadPoolExecutor
POOL = ThreadPoolExecutor(1)
async def later():
    return 7
async def each():
    yield 7
def bench_future():
    return POOL.submit(lambda: 7)
def bench_coroutine():
    return later()
def bench_inside():
    return {"a": (each for each in [7])}
def bench_steps():
    return each()
async def bench_awaited():
    return await later()
"""
    _, rows, _ = upgrade(source)
    for name in ("future", "coroutine", "inside", "steps", "awaited"):
        assert rows[f"bench_{name}", None, "result"]["verdict"] == "same", name


def test_an_iterator_without_an_end_has_no_time(upgrade, monkeypatch):
    source = "import itertools\ndef bench_f():\n    return itertools.count() if NEW else [1]\n"
    status, rows, _ = upgrade(source)
    row = rows["bench_f", None, "time_call"]
    assert (status, row["verdict"]) == (1, "fails")
    assert "returns an iterator that had not ended after" in row["detail"]


def test_functions_may_have_inputs_and_sizes_of_their_own(upgrade):
    source = """
sizes = (5,)
sizes_long = (6, 7)
def inputs(rng, size):
    return (size,)
def inputs_pair(rng):
    return 1, 2
def bench_one(a):
    return a
def bench_long(a):
    return a
def bench_pair(a, b):
    return a + b
"""
    _, rows, _ = upgrade(source)
    assert {key[:2] for key in rows} == {
        ("bench_one", 5),
        ("bench_long", 6),
        ("bench_long", 7),
        ("bench_pair", 5),
        (None, None),
    }


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sizes_g = 3\n", "mine.py has sizes_g, and no bench_g that it belongs to"),
        ("def same_g(old, new):\n    return True\n", "mine.py has same_g, and no bench_g that it belongs to"),
        ("inputs_f = 3\n", "inputs_f is no function"),
        ("same_f = 3\n", "same_f is no function"),
        ("parallel = 0\n", "parallel must be a whole number from 1 to 256: parallel = 4"),
        ("threads = 'many'\n", "threads must be a whole number from 1 to 256: threads = 4"),
        ("def inputs(rng):\n    return 1, 2\n", "inputs_f(rng, size) would make arguments for it alone"),
        ("def same_f(old, new):\n    pass\n", "same_f returns None"),
    ],
)
def test_mistakes(upgrade, source, said):
    status, _, error = upgrade("def bench_f(a=1):\n    return a\n" + source)
    assert status == 2
    assert said in error
    assert "Traceback" not in error


SORT = """
def inputs(rng):
    return (rng.random(5_000).tolist(),)
def bench_sort(x):
    x.sort()
    return x
def bench_sorted(x):
    return sorted(x)
"""


@pytest.mark.clock
def test_every_call_that_changes_its_arguments_gets_new_ones(upgrade):
    _, rows, notes = upgrade(SORT)
    assert "These get new arguments before every call, outside its time: sort." in notes
    times = [rows[f"bench_{name}", None, "time_call"]["reference"][0]["value"] for name in ("sort", "sorted")]
    one, other = (min(each) if isinstance(each, list) else each for each in times)
    assert 1 / 3 < one / other < 3, "what is sorted already takes a tenth"
    assert rows["bench_sort", None, "result"]["verdict"] == "same"


def test_new_arguments_may_be_asked_for(upgrade):
    source = "fresh = True\ndef inputs():\n    return (iter(range(3)),)\ndef bench_f(x):\n    return next(x)\n"
    _, rows, notes = upgrade(source)
    assert rows["bench_f", None, "result"]["verdict"] == "same"
    assert "new arguments before every call" in notes


OBJECTS = """
class Part:
    def __init__(self, value, version=None):
        self.value, self.version = value, version
    def __eq__(self, other):
        return self.value == other.value
class Bare:
    pass
def bench_equal():
    return Part(1, NEW)
def bench_unequal():
    return [Part(NEW)]
def bench_bare():
    return Bare()
def bench_labels():
    return [1, 0] if NEW else [0, 1]
def same_labels(old, new):
    return sorted(old) == sorted(new)
def bench_bytes():
    return b"version 2" if NEW else b"version 1"
def same_bytes(old, new):
    assert old == new, "the bytes differ"
def bench_true():
    return NEW
def same_true(old, new):
    return old != new
"""


def test_the_file_or_the_class_says_what_the_same_is(upgrade):
    source = OBJECTS.replace('"the bytes differ"', '"the bytes differ"\n    return True')
    status, rows, notes = upgrade(source)
    assert status == 1
    found = {name: rows[f"bench_{name}", None, "result"] for name in ("equal", "unequal", "labels", "bytes", "true")}
    assert {name: row["verdict"] for name, row in found.items()} == {
        "equal": "same",
        "unequal": "differs",
        "labels": "same",
        "bytes": "differs",
        "true": "same",
    }
    assert found["unequal"]["detail"] == "[0]: Part is not equal"
    assert "the bytes differ" in found["bytes"]["detail"]
    assert ("bench_bare", None, "result") not in rows
    assert "The results of bare were not compared: it is of class Bare." in notes
    assert "The results of equal, unequal are compared by == of their class: Part." in notes
    assert "The results of labels are compared by same_labels of the file." in notes


EXCHANGE = """
import json
def bench_write():
    return json.dumps({"x": [1, 2], "new": True} if NEW else {"x": [1, 2]})
def exchange_write(written):
    read = json.loads(written)
    if not NEW and "new" in read:
        raise ValueError("unknown: new")
    return read["x"]
def bench_other():
    return 4
def exchange_other(written):
    return written + NEW
def bench_local():
    return lambda: 1
def exchange_local(written):
    return written()
"""


def test_what_one_side_writes_is_read_by_the_other(upgrade):
    status, rows, notes = upgrade(EXCHANGE)
    assert status == 1
    forward, back = (rows["bench_write", None, name] for name in ("exchange_old_new", "exchange_new_old"))
    assert (forward["verdict"], back["verdict"]) == ("same", "fails")
    assert back["detail"] == "ValueError: unknown: new (mine.py:10)"
    assert rows["bench_other", None, "exchange_old_new"]["verdict"] == "differs"
    assert ("bench_local", None, "exchange_old_new") not in rows
    assert "What local returned was not given to the other side: it cannot be pickled" in notes


@pytest.mark.clock
@pytest.mark.parametrize("many", ["parallel", pytest.param("threads", marks=pytest.mark.rest)])
def test_what_is_slow_in_company_alone_is_found(upgrade, tmp_path, many):
    source = f"""
import fcntl, threading, time
LOCK = threading.Lock()
def bench_f():
    if NEW and {many == "threads"}:
        with LOCK:
            time.sleep(0.002)
    elif NEW:
        with open({str(tmp_path / "lock")!r}, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            time.sleep(0.002)
    else:
        time.sleep(0.002)
    return 1
"""
    _, rows, _ = upgrade(source)
    assert rows["bench_f", None, "time_call"]["ratio"] < 1.5, "nobody else is there"
    status, rows, notes = upgrade(f"{many} = 4\n{source}", rounds=4)
    assert rows["bench_f", None, "time_call"]["ratio"] > 2
    assert status == 1
    assert (
        "of a side call at once, of the last to end: f" in notes
        if many == "parallel"
        else "threads of a process call at once, of the last to end: f" in notes
    )
    _, rows, notes = upgrade(source, f"--{many}", "3", rounds=4)
    assert rows["bench_f", None, "time_call"]["ratio"] > 1.5


def test_threads_do_not_share_arguments_that_change(upgrade):
    status, _, error = upgrade("threads = 2\nfresh = True\n" + SORT, "-k", "sort$")
    assert status == 2
    assert "2 threads cannot call at once what gets new arguments before every call" in error
