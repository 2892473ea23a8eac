"""What a stored value depends on: which values a change makes stale, and which it leaves."""

import ast
import json
import shutil
from itertools import product
from types import SimpleNamespace

import pytest

from arrayspeed.cli import run
from arrayspeed.measure import asv_processes, stale
from arrayspeed.measure.plan import Selection
from arrayspeed.model.combination import Combination, parse_name
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import MEASURES
from arrayspeed.records import fingerprints, processes, syntax
from kernels import BACKENDS, CATALOGUE
from tests.conftest import ROOT

ABLE = [
    (kernel.name, backend.name)
    for kernel in CATALOGUE.values()
    for backend in BACKENDS.values()
    if kernel.why_not(backend.name, backend.library) is None
]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A copy of what is measured, which fingerprints read."""
    for name in ("kernels", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fingerprints, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    for each in vars(fingerprints).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


def prints():
    forget()
    return {pair: fingerprints.source_parts(*pair) for pair in ABLE}


@pytest.fixture(scope="module")
def unchanged():
    """Of the tree as it is."""
    return prints()


def changed_by(tree, before, path, old, new):
    """Which kernels and backends a change of a file concerns, and in which parts."""
    file = tree / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    after = prints()
    parts = {pair: [n for n in range(4) if before[pair][n] != after[pair][n]] for pair in ABLE}
    return {pair: [fingerprints.PARTS[n] for n in found] for pair, found in parts.items() if found}


def of(kernel, library=None):
    return {
        (name, backend) for name, backend in ABLE if name == kernel and library in (None, BACKENDS[backend].library)
    }


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("kernels/elementwise/shared.py", "    return a + b\n", "    # the sum\n    return a + b\n"),
        ("kernels/elementwise/shared.py", '"""Return a + b."""', '"""The sum."""'),
        ("kernels/elementwise/shared.py", "    return a + b\n", "    return (a + b)\n"),
        ("kernels/elementwise/jax.py", "add = shared.add\n", "add = shared.add\n\n\ndef other(a):\n    return a\n"),
        ("kernels/elementwise/__init__.py", '        "a + b",\n', '        "the sum",\n'),
        ("benchmarks/elementwise.py", "Benchmarks", "The benchmarks"),
        ("benchmarks/keeping.py", "WINDOWS = 5", "WINDOWS = 6"),  # of another measure
        ("benchmarks/preload.py", "import os\n", "import os\nimport sys\n"),
        ("kernels/backends/table.py", 'colour="#7cc0ea"', 'colour="#0000ff"'),
        ("kernels/backends/jax.py", '"disallow"', '"allow"'),
    ],
)
def test_what_changes_no_number_leaves_all_as_it_is(tree, unchanged, path, old, new):
    assert changed_by(tree, unchanged, path, old, new) == {}


@pytest.mark.parametrize(
    ("path", "old", "new", "concerned", "part"),
    [
        (
            "kernels/elementwise/shared.py",
            "return a + b\n",
            "return b + a\n",
            of("add") - of("add", "numba"),
            "kernel",
        ),
        ("kernels/elementwise/numba.py", "out[i] = sin(a[i])", "out[i] = sin(a[i] + 0)", of("sine", "numba"), "kernel"),
        ("kernels/loops/jax.py", "jax.lax.scan(", "jax.lax.map(", {("small_scan", "jax-jit")}, "kernel"),
        ("kernels/names/tensorflow.py", "roll = tf.roll", "roll = tf.raw", of("runge_kutta", "tensorflow"), "kernel"),
        ("kernels/linalg/scipy.py", "(1, 1)", "(1, 2)", of("tridiagonal_solve", "numpy"), "kernel"),
        ("kernels/ocean/coefficients.py", "9.998420897506056e2", "9.9e2", of("equation_of_state"), "kernel"),
        ("kernels/sorting/__init__.py", "2.0 * np.arange(n)", "3.0 * np.arange(n)", of("searchsorted"), "inputs"),
    ],
)
def test_a_change_concerns_what_uses_it_and_nothing_else(tree, unchanged, path, old, new, concerned, part):
    found = changed_by(tree, unchanged, path, old, new)
    if "jax.lax.scan" in old:
        concerned = concerned | {("small_scan_gradient", "jax-jit")}
    assert found == {pair: [part] for pair in concerned}


def test_what_several_kernels_use_concerns_all_of_them(tree, unchanged):
    found = changed_by(
        tree, unchanged, "kernels/learning/numba.py", "share = x.dtype.type(1 / total)", "share = 1 / total"
    )
    names = ("softmax", "attention", "attention_gradient", "mlp_training_step")
    assert found == {(name, "numba"): ["kernel"] for name in names}


def test_an_adapter_concerns_its_library_and_the_timing_everything(tree, unchanged):
    found = changed_by(tree, unchanged, "kernels/backends/jax.py", '"highest"', '"default"')
    assert found == {(name, b): ["adapter"] for name, b in ABLE if BACKENDS[b].library == "jax"}
    adapter = tree / "kernels/backends/jax.py"
    adapter.write_text(adapter.read_text().replace('"default"', '"highest"', 1))
    found = changed_by(tree, unchanged, "benchmarks/waiting.py", "import", "import os\nimport")
    assert found == {pair: ["timing"] for pair in ABLE}


@pytest.mark.seconds
def test_a_measure_depends_on_its_own_method_and_on_no_other(tree):
    def of_measures():
        forget()
        return {name: fingerprints.source_parts("add", "numpy", name)[3] for name in MEASURES}

    before = of_measures()
    path = tree / "benchmarks/common.py"
    text = path.read_text()
    for old, new, concerned in (
        ("return self.prepared.error()", "return 2 * self.prepared.error()", {"track_error"}),
        ("    def track_error(", "    def track_other(self):\n        return 1\n\n    def track_error(", set()),
        ("    track_error.unit", "    track_other.unit = 1\n    track_error.unit", set()),
        ('"time_round_trip": self', '"time_other": self.x, "time_round_trip": self', set()),
        ("self.prepared.round_trip,", "self.call,", {"time_round_trip"}),
        ("prepared.check()", "pass", set(before)),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        after = of_measures()
        assert {name for name in before if before[name] != after[name]} == concerned, new
    path.write_text(text)
    keeping = tree / "benchmarks/keeping.py"
    keeping.write_text(keeping.read_text().replace("WINDOWS = 5", "WINDOWS = 6"))
    after = of_measures()
    concerned = {name for name in before if before[name] != after[name]}
    assert concerned == {"track_kept", "track_resident"}, "no other methods import it"


def test_a_made_gradient_depends_on_how_it_is_made(tree, unchanged):
    found = changed_by(tree, unchanged, "kernels/gradients/jax.py", "jax.vjp(", "jax.linearize(")
    assert found == {(name, b): ["kernel"] for name in GRADIENTS for b in ("jax", "jax-jit")}


GRADIENTS = [kernel.name for kernel in CATALOGUE.values() if kernel.derived]


def one(kernel="add", backend="numpy", size=10, measure="time_call", device="cpu"):
    name = f"elementwise.{kernel}_float64.{measure}"
    return Combination("venv", name, 0, **parse_name(name), backend=backend, size=size, device=device)


def test_every_part_of_a_fingerprint_is_told_apart():
    before = fingerprints.fingerprint(one(), {"numpy": "2.4.6"})
    assert fingerprints.changed(before, one(), {"numpy": "2.4.6"}) == []
    assert fingerprints.changed(before, one(), {"numpy": "2.4.7"}) == ["packages"]
    assert fingerprints.changed(before, one(), {}, ["kernel", "timing"]) == []
    assert fingerprints.changed(before, one("sine"), {"numpy": "2.4.6"}) == ["kernel", "inputs"]
    assert fingerprints.changed(before, one(backend="jax"), {"numpy": "2.4.6"}) == ["kernel", "adapter", "timing"]
    imports = Combination(
        "venv", "imports.library.timeraw_import", 0, "imports", "library", None, "t", "jax", None, None
    )
    assert len(fingerprints.fingerprint(imports, {}).split("-")) == len(fingerprints.PARTS)


def test_how_short_calls_are_timed_on_the_host_concerns_the_backends_that_have_it_so():
    for name, backend in BACKENDS.items():
        own = backend.notes_stack or backend.waits_by is not None
        usual = fingerprints.source_parts("add", "numpy", "time_call", "cpu")[3]
        assert (fingerprints.source_parts("add", name, "time_call", "cpu")[3] != usual) is own
        first = {fingerprints.source_parts("add", name, "track_first_call", device)[3] for device in ("cpu", "gpu")}
        assert len(first) == 1


@pytest.mark.parametrize(
    ("measure", "device", "matters"),
    [
        ("time_call", "cpu", True),
        ("time_call", "gpu", False),
        ("time_round_trip", "gpu", True),
        ("track_from_device", "gpu", True),
        ("track_to_device", "gpu", False),
        ("track_memory", "cpu", False),
        ("track_first_call", "cpu", False),
    ],
)
def test_the_allocator_concerns_what_makes_arrays_on_the_host(measure, device, matters):
    for backend in BACKENDS.values():
        small, large = (fingerprints.timing_of(backend, measure, device, size) for size in (False, True))
        assert ("allocator" in small) is matters
        assert (small != large) is matters


def test_what_takes_two_times_was_measured_in_the_other_state_before(monkeypatch):
    backend = BACKENDS["numpy"]
    monkeypatch.setattr(fingerprints, "TWO_TIMES", {"numpy": {"large": ["fft"]}})

    def state(measure, large, kernel):
        return fingerprints.timing_of(backend, measure, "cpu", large, kernel)

    assert state("time_call", True, "fft") == "allocator as the system sets it up"
    assert state("time_call", False, "fft") == state("time_call", False, "add") == "allocator settled"
    assert state("time_call", True, "add") == "allocator settled by its thresholds"
    assert state("time_round_trip", True, "add") == state("time_call", True, "fft"), "copies of whole arrays"
    assert not fingerprints.timing_of(backend, "time_call", "gpu", True, "fft")


def test_every_kernel_that_takes_two_times_is_in_the_catalogue():
    for backend, sizes in fingerprints.TWO_TIMES.items():
        assert backend in BACKENDS and set(sizes) <= {"small", "large"}
        for kernels in sizes.values():
            assert kernels == sorted(set(kernels) & set(CATALOGUE))


def test_what_took_longer_in_forked_processes_is_out_of_date_and_nothing_else(monkeypatch):
    monkeypatch.setattr(fingerprints, "FORKED", {"torch-compile": ["kepler"]})

    def timing(kernel, backend, measure="time_call", device="cpu"):
        return "entered" in fingerprints.timing_of(BACKENDS[backend], measure, device, False, kernel)

    assert timing("kepler", "torch-compile") and timing("kepler", "torch-compile", "time_round_trip")
    assert not timing("add", "torch-compile") and not timing("kepler", "torch")
    assert not timing("kepler", "torch-compile", "track_error") and not timing("kepler", "torch-compile", device="gpu")


def test_first_calls_of_numpy_alone_are_out_of_date_since_openblas_has_its_threads():
    def timing(backend, measure):
        return "OpenBLAS" in fingerprints.timing_of(BACKENDS[backend], measure, "cpu")

    assert timing("numpy", "track_first_call")
    assert not timing("numpy", "time_call") and not timing("jax", "track_first_call")


def test_every_kernel_that_took_longer_in_forked_processes_is_in_the_catalogue():
    for backend, kernels in fingerprints.FORKED.items():
        assert backend in BACKENDS and kernels == sorted(set(kernels) & set(CATALOGUE))


def test_a_change_of_the_timing_vouches_for_what_it_left_the_same():
    """For that alone: whatever has another timing today is stale."""
    today = {fingerprints.digest([fingerprints.timing()]): []}
    measures = [name for name, measure in MEASURES.items() if not measure.of_library]
    for backend, measure, device, size in product(BACKENDS, measures, ("cpu", "gpu"), (CATALOGUE["add"].small, 10**6)):
        now = one(backend=backend, measure=measure, device=device, size=size)
        today.setdefault(fingerprints.fingerprint(now, {}).split("-")[3], []).append(now)
    for name in MEASURES:
        today.setdefault(fingerprints.digest([fingerprints.timing(name)]), [])
    for change in fingerprints.CHANGES:
        assert change["why"] and set(change["same"].values()) <= set(today), "later changes made it useless: delete it"
        for before, after in change["same"].items():
            assert before not in today
            for timing, (now, *_) in ((timing, found) for timing, found in today.items() if found):
                kernel, inputs, adapter, _, packages = fingerprints.fingerprint(now, {}).split("-")
                stale = fingerprints.changed("-".join([kernel, inputs, adapter, before, packages]), now, {})
                assert stale == ([] if timing == after else ["timing"])


@pytest.mark.parametrize(("size", "stale"), [(10, []), (1_000, []), (1_001, ["timing"]), (10**6, ["timing"])])
def test_a_block_that_was_freed_settled_the_allocator_where_arrays_are_small(size, stale):
    """The hash is that of calls of NumPy on the host, before the thresholds were set."""
    kernel, inputs, adapter, _, packages = fingerprints.fingerprint(one(size=size), {}).split("-")
    assert fingerprints.changed("-".join([kernel, inputs, adapter, "944404f6", packages]), one(size=size), {}) == stale


def test_a_fingerprint_that_another_python_stored_is_the_same():
    error = one(measure="track_error")
    kernel, inputs, adapter, timing, packages = fingerprints.fingerprint(error, {"numpy": "2.4.6"}).split("-")
    newer = fingerprints.digest([fingerprints.timing(error.measure, newer=True)])
    assert newer != timing
    assert fingerprints.changed("-".join([kernel, inputs, adapter, newer, packages]), error, {"numpy": "2.4.6"}) == []
    assert fingerprints.changed("-".join([kernel, inputs, adapter, newer, packages]), error, {}) == ["packages"]
    other = "-".join([kernel, inputs, adapter, "0" * 8, packages])
    assert fingerprints.changed(other, error, {"numpy": "2.4.6"}) == ["timing"]


@pytest.mark.parametrize(
    "text",
    [
        "f'{name}'",
        "f\"{', '.join(names)}: {len(names)!r:>{width}.1f}\"",
        "f'{{}} {value:,} {(one if two else other)} {(lambda: 0)()} {(one, two)}'",
        "f'a\\n\\\\{ {1: 2}[1]}'",
        "f'{(lambda: 0)}{(yes if so else no)}'",
        "f\"{names['one']}'s {f'{other}'}\"",
        "print('a', f'{one}', f'{two}' + f\"{', '}\")",
    ],
)
def test_the_text_of_f_strings_is_the_same_in_every_python(text):
    """As Python 3.11 writes it; what later ones write differs from it."""
    (node,) = ast.parse(text).body
    assert syntax.written(node) == text
    assert ast.dump(ast.parse(syntax.written(node))) == ast.dump(ast.parse(text))
    assert syntax.unparse(node) == text


def test_a_tree_is_left_as_it_is():
    tree = ast.parse("f'{name}'")
    before = ast.dump(tree)
    syntax.written(tree)
    assert ast.dump(tree) == before


MACHINE, COMMIT, OTHER = "generated", "0123456789" * 4, "f" * 40


@pytest.fixture
def stored(tree, tmp_path, monkeypatch):
    """Values of two kernels on two backends, at a commit with other code."""
    folder = tmp_path / "results"
    config = SimpleNamespace(results_dir=str(folder))
    packages = {"numpy": "2.4.6", "jax": "0.10.2"}
    about = {"unclean": False, "origin": {}, "packages": lambda name: packages, "alike": lambda name: []}
    session = SimpleNamespace(config=config, machine={"machine": MACHINE}, commit=OTHER, commits=[], **about)
    every = [one(kernel, backend) for kernel in ("add", "sine") for backend in ("numpy", "jax")]
    processes.store(session, "venv", [processes.Process(each, 1e-6) for each in every])
    (folder / MACHINE / f"{OTHER[:8]}-venv.json").write_text(json.dumps({"commit_hash": OTHER}))
    env = SimpleNamespace(
        name="venv",
        requirements=packages,
        env_vars={},
        check_presence=lambda: True,
        packages=lambda: dict(packages),
        alike=list,
    )
    monkeypatch.setattr(stale.environment, "get_environments", lambda config, specs: [env])
    monkeypatch.setattr(stale, "describe", lambda: {"machine": MACHINE})
    shown = {each.key for each in [*every, one(size=10**6)]}
    monkeypatch.setattr(asv_processes, "with_value", lambda *_: shown)
    return SimpleNamespace(config=config, session=session, every=every, env=env, folder=folder, shown=shown)


def out_of_date(stored, **selection):
    found, _ = stale.stale(stored.config, Selection(**selection))
    return {(each.why, one.kernel, one.backend) for each in found for one in each.ones}


def test_a_run_measures_exactly_what_is_out_of_date(tree, stored, capsys):
    assert out_of_date(stored) == set()
    assert run.show_stale(*stale.stale(stored.config, Selection())) == 0
    assert capsys.readouterr().out == "none of 4 values is out of date\n"
    with pytest.raises(UserError, match="no stored values of what is selected"):
        run.show_stale(*stale.stale(stored.config, Selection(kernels=["matmul"])))
    assert asv_processes.finished(stored.session, stored.every) == set(stored.every)

    path = tree / "kernels/elementwise/shared.py"
    path.write_text(path.read_text().replace("return a + b\n", "return b + a\n", 1))
    forget()
    assert out_of_date(stored) == {("changed: kernel", "add", "numpy"), ("changed: kernel", "add", "jax")}
    assert out_of_date(stored, backends=["jax"]) == {("changed: kernel", "add", "jax")}
    assert asv_processes.finished(stored.session, stored.every) == {
        each for each in stored.every if each.kernel == "sine"
    }
    assert run.show_stale(*stale.stale(stored.config, Selection())) == 1
    assert "venv: add: changed: kernel (2 values)" in capsys.readouterr().out


def test_what_a_kill_kept_from_asv_s_results_is_not_finished(stored):
    stored.shown.discard(stored.every[0].key)
    assert asv_processes.finished(stored.session, stored.every) == set(stored.every[1:])


def test_a_value_of_this_code_does_not_count_where_a_newer_one_is_of_other_code(tree, stored):
    path = tree / "kernels/elementwise/shared.py"
    text = path.read_text()
    path.write_text(text.replace("return a + b\n", "return b + a\n", 1))
    forget()
    processes.store(stored.session, "venv", [processes.Process(stored.every[0], 2e-6)])
    path.write_text(text)
    forget()
    assert out_of_date(stored) == {("changed: kernel", "add", "numpy")}
    assert asv_processes.finished(stored.session, stored.every) == set(stored.every[1:])


@pytest.mark.parametrize(("faults", "kept"), [([0.0, 31.0], True), ([31.0, 32.0], False), ([0.0, None], False)])
@pytest.mark.parametrize(("timing", "settled"), [("944404f6", True), ("0" * 8, False)])
def test_calls_that_kept_their_memory_are_as_they_were_before_the_thresholds_were_set(
    stored, monkeypatch, faults, kept, timing, settled
):
    large = one(size=10**6)

    def before(of, packages):
        parts = fingerprints.fingerprint(of, packages).split("-")
        return "-".join([*parts[:3], timing, parts[4]])

    with monkeypatch.context() as patch:
        patch.setattr(processes, "fingerprint", before)
        found = [processes.Process(large, 1e-3, batches=[1e-3], number=1, faults=each) for each in faults]
        processes.store(stored.session, "venv", found)
    fine = kept and settled
    assert out_of_date(stored) == (set() if fine else {("changed: timing", "add", "numpy")})
    assert asv_processes.finished(stored.session, [large]) == ({large} if fine else set())


def test_packages_count_where_they_are_known(stored):
    stored.env.packages = lambda: {"numpy": "2.4.6", "jax": "0.10.3"}
    assert {why for why, _, _ in out_of_date(stored)} == {"changed: packages"}
    stored.env.check_presence = lambda: False
    assert out_of_date(stored) == set()


def test_of_a_combination_the_newest_value_counts_and_old_ones_tell_nothing(stored):
    (path,) = (stored.folder / MACHINE).glob(f"*{processes.SUFFIX}")
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    for row in rows:
        row["date"] = "2020-01-01T00:00:00+00:00"
        row["fingerprint"] = "0-0-0-0-0"
    with path.open("a") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
    assert out_of_date(stored) == set()
    for row in rows:
        row["date"] = "2030-01-01T00:00:00+00:00"
        del row["fingerprint"]
    with path.open("a") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
    assert {why for why, _, _ in out_of_date(stored)} == {stale.UNKNOWN}
