"""What a kernel can say of itself, each with a kernel made for it: in NumPy, in this process."""

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

from kernels import BACKENDS, CATALOGUE, NotAvailable, WrongResult, catalogue, requirements
from kernels.dtypes import ITEMSIZE, TOLERANCE
from kernels.gradients import gradient_of
from kernels.kernel import TIERS, Kernel, Peer
from kernels.limits import memory_needed, too_large
from kernels.measures import mixed_error, normwise_error
from kernels.preparation import cast, exact_result, host_inputs, leaves, load, shapes
from tests.conftest import inside

NUMPY = BACKENDS["numpy"]


def vector(rng, n):
    return (rng.standard_normal(n),)


@pytest.fixture
def make(monkeypatch):
    """Adds a kernel of one NumPy function to the catalogue for the length of a test, and prepares it."""

    def made(function, size=8, dtype=None, prepare=(), **fields):
        defaults = {
            "sizes": (8, 64),
            "small": 8,
            "large": 64,
            "inputs": vector,
            "reference": lambda x: 2 * x,
            "flops": lambda n: n,
            "bytes": lambda n, item: 2 * n * item,
            "family": "made",
        }
        kernel = Kernel("made", "made for a test", **(defaults | fields))
        module = ModuleType("kernels.made.numpy")
        module.made = function
        monkeypatch.setitem(sys.modules, "kernels.made", ModuleType("kernels.made"))
        monkeypatch.setitem(sys.modules, "kernels.made.numpy", module)
        monkeypatch.setitem(CATALOGUE, "made", kernel)
        return load("made", "numpy", size, "cpu", dtype, **dict(prepare))

    return made


# 1. The kinds of results.


@pytest.mark.parametrize(
    ("kind", "result", "reference", "right"),
    [
        ("index", np.int32(3), np.int64(3), True),
        ("index", np.int64(3), np.int64(3), True),
        ("index", np.float64(3), np.int64(3), False),
        ("index", np.int64(2), np.int64(3), False),
        ("count", np.float32(3), np.int64(3), True),
        ("count", np.float64(3.5), np.int64(3), False),
        ("bool", np.bool_(True), np.bool_(True), True),
        ("bool", np.int64(1), np.bool_(True), False),
        ("complex", np.complex128(3), np.complex128(3), True),
        ("complex", np.complex64(3), np.complex128(3), False),
        ("number", np.float64(3), np.float64(3), True),
        ("number", np.float32(3), np.float64(3), False),
        ("uint32", np.uint32(3), np.uint32(3), True),
        ("uint32", np.int64(3), np.uint32(3), False),
    ],
)
def test_a_result_has_a_dtype_of_its_kind_and_its_value(make, kind, result, reference, right):
    prepared = make(lambda x: np.full(4, result), reference=lambda x: np.full(4, reference), results=(kind,))
    if right:
        assert prepared.verify() == 0
    else:
        with pytest.raises(WrongResult):
            prepared.verify()


def test_the_number_of_results_is_part_of_the_contract(make):
    two = make(lambda x: (2 * x, 2 * x), results=("number", "number"), reference=lambda x: (2 * x, 2 * x))
    two.verify()
    with pytest.raises(WrongResult, match="2 results, not 1"):
        make(lambda x: (2 * x, 2 * x)).verify()


# 2. Elements that may differ.


def test_a_share_of_an_index_may_differ_where_the_kernel_says_so(make):
    def one_of_eight_is_wrong(x):
        order = np.argsort(x)
        order[0] += 100
        return order

    fields = {"reference": np.argsort, "results": ("index",)}
    with pytest.raises(WrongResult, match=r"error 1\.2e-01"):
        make(one_of_eight_is_wrong, **fields).verify()
    assert make(one_of_eight_is_wrong, mismatches={"float64": 0.2}, **fields).verify() == 1 / 8
    with pytest.raises(WrongResult):
        make(one_of_eight_is_wrong, mismatches={"float64": 0.1}, **fields).verify()


# 3. and 4. Signs that are free, and a measure that needs the inputs.


def same_sign(results, references):
    (found,), (exact,) = results, references
    return (found * np.sign(found[0]) * np.sign(exact[0]),)


def test_results_are_brought_to_one_sign(make):
    with pytest.raises(WrongResult):
        make(lambda x: -2 * x).verify()
    make(lambda x: -2 * x, align=same_sign).verify()
    with pytest.raises(WrongResult):
        make(lambda x: -3 * x, align=same_sign).verify()
    with pytest.raises(WrongResult):
        make(lambda x: 2 * x[:3].copy(), align=same_sign).verify()


def test_the_error_is_the_larger_of_the_result_and_the_residual(make):
    def misses_the_inputs(inputs, results):
        return float(abs(results[0] / 2 - inputs[0]).max())

    prepared = make(lambda x: 2 * x + 2e-9, tolerance={"float64": (1e-6, 1e-10)}, residual=misses_the_inputs)
    assert prepared.errors()[1] == pytest.approx(1e-9, rel=1e-3)
    assert prepared.error() == max(prepared.errors())
    with pytest.raises(WrongResult, match=r"more than 1\.0e-10"):
        prepared.verify()
    make(lambda x: 2 * x + 2e-9, tolerance={"float64": (1e-6, 1e-8)}, residual=misses_the_inputs).verify()
    with pytest.raises(WrongResult):
        make(lambda x: 2 * x, residual=lambda inputs, results: float("nan")).verify()


# 5. A tolerance and a measure for each result.


def test_each_result_has_its_tolerance(make):
    def both(x):
        return 2 * x, 2 * x * (1 + 1e-7)

    fields = {"results": ("number", "number"), "reference": lambda x: (2 * x, 2 * x)}
    make(both, tolerance={"float64": (1e-12, 1e-6)}, **fields).verify()
    with pytest.raises(WrongResult):
        make(both, tolerance={"float64": (1e-6, 1e-12)}, **fields).verify()
    with pytest.raises(WrongResult):
        make(both, **fields).verify()


def test_each_result_has_its_measure_and_one_hides_nothing(make):
    exact = np.array([1e9, 1.0])
    found = exact + np.array([0, 1e-2])
    assert normwise_error(found, exact) == pytest.approx(1e-11)
    assert mixed_error(found, exact) == pytest.approx(5e-3)
    assert mixed_error(exact[:1], exact) == float("inf")
    assert mixed_error(np.array([np.nan, 1]), exact) == float("inf")
    fields = {"results": ("number", "number"), "reference": lambda x: (exact, exact)}
    make(lambda x: (found, exact), error=(normwise_error, mixed_error), **fields).verify()
    with pytest.raises(WrongResult, match=r"error 5\.0e-03"):
        make(lambda x: (exact, found), error=(normwise_error, mixed_error), **fields).verify()


# 6. Other precisions.


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "uint8"])
def test_a_kernel_can_be_of_any_precision(make, dtype):
    def whole(rng, n):
        return (rng.integers(0, 50, n).astype(float),)

    prepared = make(lambda x: x + x, inputs=whole, dtypes=(dtype,))
    assert prepared.dtype == prepared.inputs[0].dtype == dtype
    assert prepared.verify() == 0
    assert memory_needed(prepared.kernel, 8, dtype) == 2 * 128 + 3 * 16 * ITEMSIZE[dtype]


def test_bfloat16_is_rounded_on_the_host_or_said_to_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(NotAvailable, match="ml_dtypes"):
        cast(np.ones(1), "bfloat16")


def test_whole_numbers_stay_what_they_are_in_every_precision():
    assert cast(np.arange(3), "float32").dtype == np.int64
    assert cast(np.array([True]), "float32").dtype == bool
    assert ITEMSIZE.keys() == TOLERANCE.keys()


def test_a_kernel_of_one_precision_has_one_benchmark(make, monkeypatch):
    from arrayspeed.model.combination import parse_name
    from benchmarks.common import classes

    make(lambda x: 2 * x, dtypes=("float64",))
    assert list(classes("made")) == ["made_float64"]
    for dtype in ITEMSIZE:
        parts = parse_name(f"linalg.mat_mul_{dtype}.time_call")
        assert (parts["kernel"], parts["dtype"]) == ("mat_mul", dtype)


# 7. The reference of inputs as they are rounded.


def test_rounding_makes_ties_that_the_reference_has_too(make):
    """Of two numbers that are one in float32 the first is found, though the second is larger."""

    def nearly_equal(rng, n):
        return (np.array([1.0, 1.0 + 1e-12]),)

    fields = {"inputs": nearly_equal, "results": ("index",), "reference": np.argmax}
    for dtype, right in (("float64", True), ("float32", False)):
        prepared = make(lambda x: np.asarray(np.argmax(x)), dtype=dtype, **fields)
        assert (prepared.error() == 0) is right
    assert make(lambda x: np.asarray(np.argmax(x)), dtype="float32", rounded=True, **fields).verify() == 0


# 8. What a kernel needs beside its library.


def test_a_module_that_is_missing_is_said_and_nothing_is_imported(make, monkeypatch):
    with pytest.raises(NotAvailable, match="needs no_such_module beside numpy, and no_such_module is not installed"):
        make(lambda x: 2 * x, needs={"numpy": ("no_such_module",)})
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    make(lambda x: 2 * x, needs={"numpy": ("wave",), "torch": ("no_such_module",)}).verify()
    assert "wave" not in sys.modules


def test_a_module_that_the_reference_imports_and_is_missing_is_said(make):
    def exact(x):
        import wave

        from no_such_module.part import double

        return double(wave, x)

    with pytest.raises(NotAvailable, match=r"its reference needs no_such_module\.part, which is not installed"):
        make(lambda x: 2 * x, reference=exact)


def test_a_release_that_is_too_old_is_said(make, monkeypatch):
    monkeypatch.setattr(requirements, "installed_version", lambda library: "2.9.1rc1")
    with pytest.raises(NotAvailable, match=r"numpy has it from 2.10 on, and 2.9.1rc1 is installed"):
        make(lambda x: 2 * x, since={"numpy": "2.10"})
    make(lambda x: 2 * x, since={"numpy": "2.9"})
    make(lambda x: 2 * x, since={"torch": "99"})


# 9. A peer's inputs.


def test_a_peers_inputs_are_timed_and_the_kernels_own_are_verified(make):
    seen = []

    def twice(x):
        seen.append(x.copy())
        return 2 * x

    peer = Peer("peer", "https://example.invalid", (8,), lambda n: (np.full(n, 7.0),))
    prepared = make(twice, peer=peer, prepare={"peer": True})
    assert prepared.verify() == 0
    (own,) = host_inputs(prepared.kernel, 8)
    assert any(np.array_equal(one, own) for one in seen)
    seen.clear()
    prepared.call()
    assert np.array_equal(seen[0], np.full(8, 7.0))
    with pytest.raises(WrongResult):
        make(lambda x: 3 * x, peer=peer, prepare={"peer": True}).verify()
    with pytest.raises(ValueError, match="no peer"):
        load("add", "numpy", 8, peer=True)


# 10. The smallest size, and shapes.


def test_a_size_below_the_least_is_refused_in_one_line(make):
    make(lambda x: 2 * x, size=3, least=3)
    with pytest.raises(ValueError, match=r"^size 2 is not valid: it must be 3 or more$"):
        make(lambda x: 2 * x, size=2, least=3)


def test_the_catalogue_knows_the_inputs_shapes():
    assert shapes(CATALOGUE["vmap_mapped"], 10) == ["(10, 64)", "(64, 64)", "(64)"]


@pytest.mark.parametrize("kernel", CATALOGUE.values(), ids=lambda kernel: kernel.name)
def test_the_least_size_is_valid(kernel):
    assert 1 <= kernel.least <= kernel.sizes[0]
    static = kernel.static(kernel.least, "float64")
    found = leaves(exact_result(kernel, host_inputs(kernel, kernel.least), "float64", static))
    assert len(found) == len(kernel.results)
    assert all(np.isfinite(array).all() for array in found)


# 11. and 12. Inputs stay as they are, and results are arrays of their own.


def test_a_kernel_that_works_in_place_is_refused(make):
    def in_place(x):
        x *= 2
        return x.copy()

    with pytest.raises(WrongResult, match="a call changed input 1"):
        make(in_place).verify()


def test_a_negative_zero_is_another_input(make):
    def changes_a_sign(x):
        result = x + x
        x[0] = -0.0
        return result

    with pytest.raises(WrongResult, match="a call changed input 1"):
        make(changes_a_sign, inputs=lambda rng, n: (np.zeros(n),)).verify()


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: x, "view of an input"),
        (lambda x: x.T, "not contiguous"),
        (lambda x: x.T.copy(order="K"), "not contiguous"),
        (lambda x: x[::-1, ::-1][::-1, ::-1], "view of an input"),
    ],
)
def test_a_view_is_no_result(make, function, says):
    with pytest.raises(WrongResult, match=says):
        make(function, inputs=lambda rng, n: (np.ones((n, n)),), reference=lambda x: x).check()


def test_lapacks_order_is_accepted_where_the_kernel_says_so(make):
    square = {"inputs": lambda rng, n: (rng.standard_normal((n, n)),), "reference": lambda x: 2 * x}
    make(lambda x: np.asfortranarray(2 * x), any_order=True, **square).verify()
    with pytest.raises(WrongResult, match="not contiguous"):
        make(lambda x: np.asfortranarray(2 * x), **square).verify()
    with pytest.raises(WrongResult, match="view of an input"):
        make(lambda x: x.T, any_order=True, **square).check()


# 13. Memory of an eager backend.


def test_temporaries_count_as_memory(make, monkeypatch):
    kernel = make(lambda x: 2 * x, workspace=lambda n, item: 10 * n**2 * item).kernel
    without = replace(kernel, workspace=lambda n, item: 0)
    assert memory_needed(kernel, 100, "float32") - memory_needed(without, 100, "float32") == 400_000
    monkeypatch.setattr("kernels.limits.available_memory", lambda: 300_000)
    assert "memory" in too_large(kernel, NUMPY, 100, "float32")


# 14. Fewer steps for tests.


def test_tests_may_take_fewer_steps(make):
    def times(x, steps):
        return steps * x

    fields = {
        "reference": lambda x, steps: steps * x,
        "static": lambda size, dtype: {"steps": 100},
        "quick": lambda size, dtype: {"steps": 5},
    }
    for quick, steps in ((False, 100), (True, 5)):
        prepared = make(times, prepare={"quick": quick}, **fields)
        assert prepared.verify() == 0
        assert np.array_equal(prepared.call(), steps * prepared.inputs[0])


def test_a_quick_reference_is_not_kept_for_the_full_one(make, tmp_path, monkeypatch):
    monkeypatch.setenv("ARRAYSPEED_REFERENCES", str(tmp_path))
    test_tests_may_take_fewer_steps(make)
    assert len(list(tmp_path.iterdir())) == 2


# 15. Keys of a backend on a device.


def test_the_most_particular_key_counts(make):
    kernel = make(
        lambda x: 2 * x,
        unavailable={"tensorflow-xla@gpu": "there"},
        up_to={"*": 9, "tensorflow": 8, "tensorflow-xla": 7, "tensorflow@gpu": 6, "tensorflow-xla@gpu": 5},
        loose={"numpy@cpu": {"float64": 1.0}, "numpy": {"float64": 2.0}},
    ).kernel
    assert kernel.why_not("tensorflow-xla", "tensorflow") is None
    assert kernel.why_not("tensorflow-xla", "tensorflow", "cpu") is None
    assert kernel.why_not("tensorflow-xla", "tensorflow", "gpu") == "there"
    found = [
        kernel.largest(backend, library, device)
        for backend, library, device in [
            ("tensorflow-xla", "tensorflow", "gpu"),
            ("tensorflow", "tensorflow", "gpu"),
            ("tensorflow-xla", "tensorflow", "cpu"),
            ("tensorflow", "tensorflow", None),
            ("numpy", "numpy", "cpu"),
        ]
    ]
    assert found == [5, 6, 7, 8, 9]
    assert kernel.allowed_error("numpy", "numpy", "float64", "cpu") == 1.0
    assert kernel.allowed_error("numpy", "numpy", "float64") == 2.0
    assert "only when asked for" in too_large(kernel, BACKENDS["tensorflow-xla"], 6, "float64", "gpu")
    assert too_large(kernel, BACKENDS["tensorflow-xla"], 6, "float64", "cpu") is None


def test_a_kernel_that_a_device_cannot_do_is_not_available_there(make, monkeypatch):
    with pytest.raises(NotAvailable, match="no such thing here"):
        make(lambda x: 2 * x, unavailable={"numpy@cpu": "no such thing here"})
    assert {"numpy@cpu": "no such thing here"}.items() <= catalogue.rows()[-1]["unavailable"].items()


def test_a_kernel_that_a_precision_cannot_do_is_not_available_in_it(make):
    one = make(lambda x: 2 * x, unavailable={"numpy:float32": "too few digits", "jax:float64": "of the library"}).kernel
    assert one.dtypes_on("numpy", "numpy") == ("float64",)
    assert one.dtypes_on("jax-jit", "jax") == ("float32",)
    assert one.why_not("numpy", "numpy") is None
    assert one.why_not("numpy", "numpy", dtype="float32") == "too few digits"
    with pytest.raises(NotAvailable, match="too few digits"):
        load("made", "numpy", 5, dtype="float32")
    rows = {row["dtype"]: row for row in catalogue.rows() if row["kernel"] == "made"}
    assert "numpy" in rows["float64"]["backends"]
    assert "numpy" not in rows["float32"]["backends"]
    assert rows["float32"]["unavailable"]["numpy"] == "too few digits"
    assert "numpy" not in rows["float64"]["unavailable"]


# 16. What were tables elsewhere.


@pytest.mark.parametrize("kernel", CATALOGUE.values(), ids=lambda kernel: kernel.name)
def test_every_kernel_says_what_its_program_holds(kernel):
    assert kernel.operations


def test_a_kernel_says_how_it_is_checked(make):
    from arrayspeed.audit.worker.checks import large
    from arrayspeed.audit.worker.program import lacking
    from tests.inside.check_kernels import sizes_of

    kernel = make(lambda x: 2 * x, operations=("add|multiply",), threaded=5_000, least=3).kernel
    assert large(kernel, "numpy") == 64
    assert lacking(kernel, " %x = f64[3] subtract(%a)") == ["add|multiply"]
    assert lacking(kernel, " %x = f64[3] multiply(%a)") == []
    assert sizes_of(kernel, "numba") == (3, 7, 8, 5_000)
    assert sizes_of(kernel, "numpy") == (3, 7, 8)
    make(lambda x: 2 * x, long=True)
    assert large(CATALOGUE["made"], "numpy") == 8


# 17. Counts by convention, and additions in any order.


def test_no_share_of_the_peak_is_said_where_work_is_a_convention(make):
    from arrayspeed.report import limits

    roof = limits.Roof({}, lambda _: {"memory": None})
    assert limits.shares([], roof, {}) == []
    for counted, said in ((True, True), (False, False)):
        kernel = make(lambda x: 2 * x, counted=counted).kernel
        asked = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "best_of", lambda group, levels, asked=asked: asked.append(group) or group)
            patch.setattr(limits, "limit_of", lambda *_: (None, ""))
            patch.setattr(limits, "compare", lambda *_, **__: None)
            patch.setattr(limits, "exceeds", lambda *_: False)
            patch.setattr(limits, "interval", lambda share: None)

            class Case:
                size = kernel.small
                backend = "numpy"

            Case.kernel = "made"
            limits.shares([Case], roof, {Case: None})
        assert bool(asked) is said


def test_every_kernel_repeats_itself_to_the_bit_unless_it_says_otherwise():
    """On a CPU all do; on a GPU those of ``ordered``. Random numbers move on."""
    for kernel in CATALOGUE.values():
        if "numpy" in kernel.unavailable or kernel.random or kernel.long:
            continue
        try:
            prepared = load(kernel.name, "numpy", kernel.small)
        except NotAvailable:
            continue
        assert prepared.repeats() is True, kernel.name


def test_a_kernel_that_adds_in_any_order_is_not_asked_to_repeat_itself_on_a_gpu(make):
    noise = iter(np.linspace(0, 1e-13, 10))
    fields = {"inputs": lambda rng, n: (np.ones(n),)}
    assert make(lambda x: 2 * x + next(noise), **fields).repeats() is False
    unordered = make(lambda x: 2 * x + next(noise), ordered=False, **fields)
    assert unordered.repeats() is False
    assert replace(unordered, device="gpu").repeats() is None


# Gradients that are made.


def product_gradient(a, b, cotangent):
    return cotangent @ b.T, a.T @ cotangent


@pytest.fixture
def of_product(monkeypatch):
    matmul = CATALOGUE["matmul"]
    counts = {"flops": lambda n: 6 * n**3, "bytes": lambda n, item: 5 * n**2 * item}
    made = gradient_of(matmul, product_gradient, by=(0, 1), **counts)
    monkeypatch.setitem(CATALOGUE, made.name, made)
    return made


def test_a_gradient_is_made_of_a_kernel(of_product):
    assert of_product.name == "matmul_gradient"
    assert of_product.results == ("number", "number")
    assert [array.shape for array in host_inputs(of_product, 5)] == [(5, 5)] * 3
    with pytest.raises(NotAvailable, match="NumPy differentiates nothing"):
        load("matmul_gradient", "numpy", 5)


def check_gradient(kernel):
    """The formula by hand against central differences along a line, at the least size or one a little larger."""
    base, by = kernel.derived.kernel, kernel.derived.by
    size = max(kernel.least, 3)
    inputs = host_inputs(kernel, size)
    count = len(base.results)
    given, cotangents = inputs[:-count], inputs[-count:]
    static = base.static(size, "float64")
    rng = np.random.default_rng(0)
    along = [rng.standard_normal(given[place].shape) for place in by]

    def value(step):
        moved = list(given)
        for place, way in zip(by, along, strict=True):
            moved[place] = given[place] + step * way
        results = base.reference(*moved, **static)
        results = results if isinstance(results, tuple) else (results,)
        return sum(np.sum(one * cotangent) for one, cotangent in zip(results, cotangents, strict=True))

    found = kernel.reference(*inputs, **static)
    found = found if isinstance(found, tuple) else (found,)
    slope = sum(np.sum(one * way) for one, way in zip(found, along, strict=True))
    assert slope == pytest.approx((value(1e-5) - value(-1e-5)) / 2e-5, rel=1e-6)


def test_formulas_of_gradients_agree_with_differences(of_product):
    for kernel in CATALOGUE.values():
        if kernel.derived:
            check_gradient(kernel)
    with pytest.raises(AssertionError):
        check_gradient(replace(of_product, reference=lambda a, b, c: (c @ b, a.T @ c)))


@pytest.mark.parametrize("library", ["jax", "torch", "tensorflow", "mlx"])
def test_gradients_are_made_in_every_library_that_differentiates(newest, library):
    outcomes = inside(newest, "check_gradients", library)
    assert len(outcomes) == 4
    for outcome in outcomes:
        assert outcome["error"] <= outcome["allowed"], outcome


# Names that are shared.


def test_a_shared_file_is_loaded_once_a_library_with_its_names():
    from kernels.shared import bind

    one, other = ModuleType("one"), ModuleType("other")
    one.sin, other.sin = np.sin, np.cos
    first, second = bind("kernels.elementwise.one", one), bind("kernels.elementwise.other", other)
    try:
        assert first.sine(0.0) == 0
        assert second.sine(0.0) == 1
        assert bind("kernels.elementwise.one", one) is first
    finally:
        del sys.modules["kernels.elementwise.shared_one"], sys.modules["kernels.elementwise.shared_other"]


# Tiers.


def test_a_tier_holds_those_before_it():
    names = [catalogue.in_tier(tier) for tier in TIERS]
    assert set(names[0]) < set(names[1]) < set(names[2])
    assert names[2] == list(CATALOGUE)
    assert len(names[0]) <= 10
    assert len(names[1]) <= 30
    with pytest.raises(ValueError, match=r"unknown tier 'benhc'\. Did you mean 'bench'"):
        catalogue.in_tier("benhc")


def test_the_bench_tier_holds_what_is_measured_by_default_and_what_pages_need():
    from arrayspeed.measure.selections import BENCH

    assert {kernel for part in BENCH for kernel in part.kernels} == set(catalogue.in_tier("bench"))


def test_a_late_function_is_imported_with_its_kernel_and_has_nothing_around_it(make, monkeypatch):
    from kernels.late import Late
    from kernels.preparation import library_function

    monkeypatch.delitem(sys.modules, "wave", raising=False)
    late = Late("wave", "open")
    assert "wave" not in sys.modules
    kernel = make(Late("numpy", "negative"), reference=lambda x: -x).kernel
    assert library_function(kernel, NUMPY)[0] is np.negative
    assert late.found() is sys.modules["wave"].open
