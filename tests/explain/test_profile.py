"""Where the time goes on two sides: stacks that are read, what is named, the picture, and a planted slow function."""

import re
import sys
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from arrayspeed.cli.main import main
from arrayspeed.decide.growth import GREW, NOT_SHOWN, SHRANK, Sampled, grown
from arrayspeed.explain import sampling, show_profile, stacks
from arrayspeed.explain.flame import boxes, graph, tree
from arrayspeed.explain.instructions import Instructions, count
from arrayspeed.explain.profiled import Profile, Sampling, profile, profiles
from arrayspeed.explain.stacks import Function
from arrayspeed.model.errors import UserError
from arrayspeed.own.script import read
from arrayspeed.own.sides import Ready, Side
from arrayspeed.own.worker import counting
from support import schema

LOOP = "main (/x/worker/serving.py:201);Measured.loop (/x/arrayspeed/own/worker/measuring.py:229)"
UMATH = "/e/lib/python3.11/site-packages/numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so"
BLAS = "/e/lib/python3.11/site-packages/numpy.libs/libscipy_openblas64_-ff651d7f.so.0.3"

RAW = f"""0x7f (/lib/libc.so.6);{LOOP};bench_sort (/home/me/mine.py:10);array_sort.isra.0 ({UMATH}) 30
{LOOP};bench_sort (/home/me/mine.py:10);dgemm_kernel ({BLAS}) 5
{LOOP};bench_sort (/home/me/mine.py:10);loads (/usr/lib/python3.11/json/__init__.py:299) 4
{LOOP};bench_sort (/home/me/mine.py:10);qsort<(anonymous namespace)::less, double> ({UMATH}) 3
{LOOP};bench_sort (/home/me/mine.py:10);0x7f12ab ({UMATH}) 2
{LOOP} 1
main (/x/worker/serving.py:201);Session.prepare (/x/worker/serving.py:136) 900
thread (threading.py:1);work (/home/me/mine.py:3) 50
no stack at all
"""


def test_stacks_are_those_of_measured_calls_named_without_their_environment():
    found = stacks.read(RAW, "/home/me")
    bench = Function("bench_sort", "mine.py")
    umath, blas = "numpy/_core/_multiarray_umath.so", "numpy.libs/libscipy_openblas64_.so"
    assert found == {
        (bench, Function("array_sort", umath)): 30,
        (bench, Function("dgemm_kernel", blas)): 5,
        (bench, Function("loads", "json/__init__.py")): 4,
        (bench, Function("qsort<(anonymous namespace)::less, double>", umath)): 3,
        (bench, Function(stacks.UNKNOWN, umath)): 2,
        (): 1,
    }
    own = stacks.own_time(found, Function("loop", "arrayspeed"))
    assert sum(own.values()) == 45
    assert stacks.by_library(own) == {umath: 35, blas: 5, "json (Python)": 4, "arrayspeed": 1}
    assert stacks.whole_time(found)[bench] == 44


def test_a_function_that_calls_itself_counts_once():
    walk = Function("walk", "mine.py")
    assert stacks.whole_time({(walk, walk, walk): 3.0}) == {walk: 3.0}


def test_a_file_that_moved_within_its_package_is_the_same():
    old = [(Function("sort", "numpy/core/fromnumeric.py"), Function("x", "numpy/core/umath.so"))]
    new = [(Function("sort", "numpy/_core/fromnumeric.py"), Function("x", "numpy/_core/umath.so"))]
    places = stacks.moved(old, new)
    assert list(stacks.renamed(dict.fromkeys(old, 1), places, False)) == new
    # Two candidates, or another package: nobody knows.
    twice = [(Function("f", "a/one/base.py"), Function("f", "a/two/base.py"))]
    assert stacks.moved([(Function("f", "a/base.py"),)], twice) == {}
    assert stacks.moved([(Function("f", "a/base.py"),)], [(Function("f", "b/base.py"),)]) == {}


def test_before_python_3_11_names_have_no_class():
    stack = (Function("Frame.sort", "pandas/frame.py"), Function("std::sort", "lib.so"))
    assert list(stacks.renamed({stack: 1}, {}, True)) == [
        (Function("sort", "pandas/frame.py"), Function("std::sort", "lib.so"))
    ]


def drawn(rng, shares, seconds, samples=400, noise=0.05):
    """A process: its time varies, and so do the samples in each part."""
    counts = rng.multinomial(samples, shares)
    return Sampled(seconds * float(np.exp(noise * rng.standard_normal())), samples, dict(enumerate(map(int, counts))))


def test_what_grew_is_named_and_its_interval_holds_the_growth():
    rng = np.random.default_rng(1)
    rounds = [(drawn(rng, (0.5, 0.5), 1.0), drawn(rng, (0.25, 0.75), 2.0)) for _ in range(6)]
    found = grown(rounds, [0, 1])
    assert found[1].verdict == GREW and found[1].low <= 1.0 <= found[1].high
    assert found[0].verdict == NOT_SHOWN and found[0].low <= 0.0 <= found[0].high
    reverse = grown([(new, old) for old, new in rounds], [0, 1])
    assert reverse[1].verdict == SHRANK


def test_noise_is_seldom_named():
    rng = np.random.default_rng(2)
    shares = np.full(30, 1 / 30)
    named = 0
    for _ in range(200):
        rounds = [(drawn(rng, shares, 1.0), drawn(rng, shares, 1.0)) for _ in range(6)]
        named += any(each.verdict != NOT_SHOWN for each in grown(rounds, range(30)).values())
    assert named <= 0.1 * 200


def test_one_round_says_nothing_of_noise():
    one = Sampled(1.0, 100, {0: 100})
    with pytest.raises(ValueError, match="one round"):
        grown([(one, one)], [0])


def test_a_few_rounds_that_agree_by_luck_name_nothing():
    old, new = Sampled(1.0, 100, {0: 99, 1: 1}), Sampled(1.0, 100, {0: 97, 1: 3})
    assert {each.verdict for each in grown([(old, new)] * 3, [0, 1]).values()} == {NOT_SHOWN}


BENCH = Function("bench_x", "mine.py")
OLD_STACKS = {(BENCH, Function("fast<a>", "lib.so")): 1.0, (BENCH,): 1.0}
NEW_STACKS = {(BENCH, Function("slow", "lib.so")): 3.0, (BENCH,): 1.0}


def test_boxes_are_as_wide_as_their_time_and_none_is_wider_than_its_caller():
    root = tree(OLD_STACKS, NEW_STACKS)
    assert (root.old, root.new) == (2.0, 4.0)
    drawn_boxes = {box.function.name if box.function else "": box for box in boxes(root, new=True)}
    assert "fast<a>" not in drawn_boxes  # the new side never calls it
    assert drawn_boxes["slow"].node.new == 3.0 and drawn_boxes["slow"].level == 2
    assert "fast<a>" in {box.function.name for box in boxes(root, new=False) if box.function}


def test_the_picture_is_sound_and_says_everything_in_its_titles():
    picture = graph("x <1>", OLD_STACKS, NEW_STACKS)
    root = ElementTree.fromstring(picture)
    titles = [each.text for each in root.iter("title")]
    assert titles[0] == "x <1>"
    assert any(title.startswith("slow (lib.so): 0 ns → 3.00 s a call (+3.00 s)") for title in titles)
    colours = dict(re.findall(r"<title>(\w+).*?fill=\"(#\w+)\"", picture))
    assert colours["slow"] != colours["bench_x"] or colours["slow"] == "#f09646"
    assert graph("nothing", {}, {}) == ""
    deep = tuple(Function(f"f{n}", "mine.py") for n in range(2000))
    assert graph("deep", {deep: 1.0}, {deep: 1.0}).count("<rect") <= 100


@pytest.fixture
def found():
    """A function of which a part grew, as it is shown."""
    rng = np.random.default_rng(0)

    def process(slow):
        seconds = (2.0 if slow else 1.0) * float(np.exp(0.01 * rng.standard_normal()))
        counts = {(BENCH, Function("f<T>", "lib.so")): 300 if slow else 100, (BENCH,): 100 + int(rng.integers(5))}
        return Sampling([seconds] * 5, seconds, Counter(counts))

    taken = [(process(False), process(True)) for _ in range(6)]
    slower = profile(("bench_x", 10), taken, Instructions(1e6, 3e6, "Callgrind, on one core"))
    broken = Profile(("bench_y", None), failed="fails in new: ValueError: <no>")
    return show_profile.Report("lib", "1", "2", "here", {"other": (None, "1")}, [slower, broken], 6)


def test_what_grew_is_shown_everywhere_and_decides_the_exit_status(found):
    data = schema.read("profile", show_profile.as_json(found))
    assert data["exit_status"] == found.status == 1
    (slower, broken) = data["functions"]
    assert slower["libraries"][0]["name"] == "lib.so" and slower["libraries"][0]["verdict"] == GREW
    assert slower["time"]["verdict"] == "slower" and slower["instructions"]["new"] == 3e6
    assert broken["failed"] and not broken["own"]
    markdown = show_profile.as_markdown(found)
    assert "f&lt;T&gt; (lib.so)" in markdown and "other absent → 1" in markdown
    assert "instructions 1.00 M → 3.00 M, ×3.00 (Callgrind, on one core)" in markdown
    page = show_profile.as_page(found)
    assert "<script" not in page and "f<T>" not in page and page.count("<svg") == 2
    assert "fails in new: ValueError: &lt;no&gt;" in page


def test_longer_waits_for_other_threads_are_said():
    def process(waits):
        counts = {(BENCH, Function("syscall", "libc.so")): waits, (BENCH,): 100}
        return Sampling([1.0] * 5, 1.0, Counter(counts))

    longer = profile(("bench_x", None), [(process(10), process(500 + n)) for n in range(6)], Instructions(why="no"))
    assert show_profile.waiting(longer).startswith("x waits longer for other threads, ")
    alike = profile(("bench_x", None), [(process(300), process(300))] * 6, Instructions(why="no"))
    assert show_profile.waiting(alike) == ""


def test_the_exit_status_without_growth(found):
    broken = found.found[1]
    alike = [(old, old) for old in [Sampling([1.0] * 5, 1.0, Counter({(BENCH,): 100}))] * 6]
    quiet = profile(("bench_z", None), alike, Instructions(why="not here"))
    assert show_profile.Report("", "1", "2", "here", {}, [quiet], 6).status == 0
    assert show_profile.Report("", "1", "2", "here", {}, [quiet, broken], 6).status == 2
    # What takes less time on the whole is not slower, whatever grew within.
    (old, new) = ({(BENCH, Function("old", "x.so")): 90}, {(BENCH, Function("new", "x.so")): 90})
    faster = [(Sampling([2.0] * 5, 2.0, Counter(old)), Sampling([1.0] * 5, 1.0, Counter(new)))] * 6
    renamed = profile(("bench_z", None), faster, Instructions(why="not here"))
    assert any(each.verdict == GREW for each in renamed.own.values())
    assert show_profile.Report("", "1", "2", "here", {}, [renamed], 6).status == 0


# --- what is not there ---


def test_without_py_spy_one_line_says_what_to_do(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sampling.shutil, "which", lambda name, path=None: None)
    (tmp_path / "mine.py").write_text("def bench_x():\n    pass\n")
    with pytest.raises(SystemExit) as ended:
        main(["explain", "numpy", "1.0", "2.0", "--file", str(tmp_path / "mine.py"), "--profile"])
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["arrayspeed: --profile needs py-spy: install it beside arrayspeed, as pip install "
                     "'arrayspeed[profile]' does"]  # fmt: skip


def test_where_the_system_forbids_it_one_line_says_what_to_do(monkeypatch, tmp_path):
    refusing = tmp_path / "py-spy"
    refusing.write_text(
        "#!/bin/sh\necho 'Error: Permission Denied: Try running again with elevated permissions' >&2\nexit 1\n"
    )
    refusing.chmod(0o755)
    monkeypatch.setattr(sampling, "program", lambda: str(refusing))
    with pytest.raises(UserError, match="ptrace_scope=0"):
        sampling.check()
    refusing.write_text("#!/bin/sh\necho 'Error: no such thing' >&2\nexit 1\n")
    with pytest.raises(UserError, match="py-spy says: Error: no such thing"):
        sampling.check()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["numpy", "1", "2", "--profile"], "--profile goes with --file"),
        (["numpy", "1", "2", "--side", "numpy"], "--side takes no LIBRARY: 'numpy' is left over"),
        (["--side", "a", "--side", "b"], "--side goes with --file"),
        (["--side", "a", "--file", __file__], "has no function whose name begins with bench_|--side is given twice"),
        (["numpy", "1", "2", "--file", __file__, "--html", "x.html"], "--html goes with --profile"),
        (["numpy", "1", "2", "--file", __file__, "--rounds", "4"], "--rounds goes with --profile"),
        (["numpy", "1", "2", "--file", __file__, "--profile", "--diff"], "one of them"),
        (["numpy", "1", "2", "--file", __file__, "--profile", "--rounds", "1"], "--rounds 1"),
    ],
)
def test_mistakes_of_a_profile_get_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["explain", *arguments])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert re.search(said, line)


# --- for real ---

FILE = """
import os
import numpy as np

def inputs(rng):
    return (np.random.default_rng(1).random(20_000),)

def bench_work(a):
    total = a.sum()
    if os.environ["SLOW"] == "1":
        total += np.sort(a)[0]
    return total

def bench_fails(a):
    raise ValueError("no")
"""


@pytest.fixture
def both(tmp_path):
    """A file and two sides, of which the new one sorts besides, in NumPy's C."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    sides = [
        Ready(Side(name, variables=(("SLOW", slow),)), sys.executable) for name, slow in (("old", "0"), ("new", "1"))
    ]
    return read(path), tuple(sides)


@pytest.mark.rest
def test_a_planted_slow_function_of_a_c_library_is_named(both):
    script, sides = both
    slow, broken = profiles(script, sides, [("bench_work", None), ("bench_fails", None)], 5, 60, print)
    grew = {each.name: growth for each, growth in slow.whole.items() if growth.verdict == GREW}
    assert "array_sort" in grew or "PyArray_Sort" in grew
    assert slow.decision.verdict == "slower"
    library = next(growth for name, growth in slow.libraries.items() if "_multiarray_umath" in name)
    assert library.verdict == GREW
    # Nearly all that a call grew by is in that library.
    old, new = (slow.observed.geometric_mean(side) for side in (slow.observed.reference, slow.observed.subject))
    assert 0.5 * (new - old) < library.difference < 1.5 * (new - old)
    assert "ValueError: no" in broken.failed
    counted = slow.instructions
    assert counted.known is None or counted.new > 1.5 * counted.old
    assert counted.known is not None or counted.why


@pytest.mark.seconds
def test_where_nothing_counts_instructions_a_line_says_so(both, monkeypatch):
    script, sides = both
    monkeypatch.setattr("arrayspeed.explain.instructions.by_counter", lambda *_: None)
    monkeypatch.setattr("arrayspeed.explain.instructions.shutil.which", lambda name: None)
    assert "valgrind is not installed" in count(script, sides, ("bench_work", None), 1e-3, 60).why
    monkeypatch.setattr("arrayspeed.explain.instructions.shutil.which", lambda name: name)
    assert "longer than" in count(script, sides, ("bench_work", None), 5.0, 60).why


def test_a_counter_counts_what_runs_within():
    """The processor's counter is not on every machine; Linux's own of a task's nanoseconds is."""
    task_clock = (1, 1)  # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK
    few, many = (counting.counted(lambda n=n: sum(range(n)), task_clock) for n in (1_000_000, 20_000_000))
    if few is None:
        pytest.skip("the system has no perf_event_open")
    assert many > 4 * few
    assert counting.counted(lambda: None, (99, 99)) is None
