"""What holds for any input, on every backend: special values, shapes, order, symmetry; by hypothesis.

NumPy is the reference here: these are properties of values, and no times are taken. Denormal numbers may be flushed to
zero, which XLA and TensorFlow do. Compiled backends get one shape, because every other would be compiled anew.
"""

import json
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from kernels import BACKENDS, CATALOGUE
from tests.conftest import ROOT
from tests.inside.evaluate import decode, encode
from tests.sample import marks

#: The same examples every time: a test must need no luck.
settings.register_profile(
    "arrayspeed",
    derandomize=True,
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("arrayspeed")

TINY = np.finfo(np.float64).tiny


class Evaluator:
    """A process in the newest environment for each library, started when it is first needed."""

    def __init__(self, python):
        self.python = python
        self.running = {}

    def __call__(self, kernel, backend, *inputs, **static):
        library = BACKENDS[backend].library
        if library not in self.running:
            self.running[library] = subprocess.Popen(
                [self.python, "-m", "tests.inside.evaluate"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        process = self.running[library]
        inputs = [encode(array) for array in inputs]
        request = {"kernel": kernel, "backend": backend, "inputs": inputs, "static": static}
        print(json.dumps(request), file=process.stdin, flush=True)
        line = next(line for line in process.stdout if line.startswith("@"))
        answer = json.loads(line[1:])
        assert "problem" not in answer, answer["problem"]
        return [decode(one) for one in answer["results"]]

    def end(self):
        for process in self.running.values():
            process.stdin.close()
            process.wait(60)


@pytest.fixture(scope="session")
def evaluate(newest):
    evaluator = Evaluator(newest.find_executable("python"))
    yield evaluator
    evaluator.end()


def backends_of(kernel):
    """Those that compute it in double precision, or in the kernel's own where it has no other."""
    dtypes, able = CATALOGUE[kernel].dtypes, CATALOGUE[kernel].dtypes_on
    wanted = "float64" if "float64" in dtypes else dtypes[0]
    return [b.name for b in BACKENDS.values() if "cpu" in b.devices and wanted in able(b.name, b.library)]


def each(*kernels):
    pairs = [(kernel, backend) for kernel in kernels for backend in backends_of(kernel)]
    marked = [pytest.param(*pair, marks=marks(*pair), id="-".join(pair)) for pair in pairs]
    return pytest.mark.parametrize(("kernel", "backend"), marked)


def numbers(largest=1e50, nan=True):
    """Any float64 up to a magnitude, and what is special: NaN, infinities, both zeros, denormal numbers."""
    special = [0.0, -0.0, 1.0, -1.0, TINY, -TINY, 5e-324, 1e-310, largest, np.inf, -np.inf] + ([np.nan] if nan else [])
    return st.one_of(st.sampled_from(special), st.floats(-largest, largest))


def vectors(elements, backend, least=1):
    """Vectors of some lengths; of one where each would be compiled anew."""
    lengths = st.just(8) if BACKENDS[backend].compiled else st.sampled_from([n for n in (1, 2, 7, 8, 33) if n >= least])
    return lengths.flatmap(lambda n: nps.arrays(np.float64, n, elements=elements))


def agrees(seen, expected, tolerance, scale=1.0):
    """Element by element: NaN where NaN is expected, the same infinity, a number within a tolerance.

    The tolerance is relative to the number or, where that is larger, to ``scale``; what is denormal may be zero.
    """
    assert seen.shape == expected.shape
    assert seen.dtype == expected.dtype
    with np.errstate(all="ignore"):
        close = np.abs(seen - expected) <= tolerance * np.maximum(np.abs(expected), scale) + 4 * TINY
    return (np.isnan(seen) & np.isnan(expected)) | (seen == expected) | (np.isfinite(expected) & close)


def check_values(kernel, inputs, results, tolerance, scale=0.0):
    """Results against the reference, of the inputs as they are or with denormal numbers taken for zero."""
    flushed = [np.where(np.abs(array) < TINY, np.copysign(0, array), array) for array in inputs]
    for found, exact, loose in zip(results, reference(kernel, *inputs), reference(kernel, *flushed), strict=True):
        right = agrees(found, exact, tolerance, scale) | agrees(found, loose, tolerance, scale)
        assert right.all(), (inputs, found, exact)


def reference(kernel, *inputs):
    with np.errstate(all="ignore"):
        expected = CATALOGUE[kernel].reference(*inputs)
    return expected if isinstance(expected, tuple) else (expected,)


@each("add", "multiply")
def test_arithmetic_is_exact_for_every_number(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        a = data.draw(vectors(numbers(1e300), backend))
        b = data.draw(nps.arrays(np.float64, a.shape, elements=numbers(1e300)))
        check_values(kernel, [a, b], evaluate(kernel, backend, a, b), 0)

    check()


@each("sine", "elementwise", "selu", "polynomial")
def test_special_values_go_through(evaluate, kernel, backend):
    """Sine up to 10⁶, where no library needs more digits of π than it has; the exponential's own limits are inside."""

    @given(st.data())
    def check(data):
        a = data.draw(vectors(numbers(1e6), backend))
        shape = (1, a.size) if kernel in ("selu", "polynomial") else a.shape
        inputs = [a.reshape(shape)]
        if kernel == "elementwise":
            inputs.append(data.draw(nps.arrays(np.float64, shape, elements=numbers(1e6))))
        # The polynomial's terms cancel, so its error is relative to the largest of them.
        scale = np.maximum(1, np.abs(np.nan_to_num(a.reshape(shape), posinf=1, neginf=1))) ** 3 * 10
        check_values(kernel, inputs, evaluate(kernel, backend, *inputs), 1e-13, scale if kernel == "polynomial" else 1)

    check()


#: What a sort does with NaN is defined by these: it comes last.
SORTS_NAN_LAST = ("numpy", "numba", "jax", "jax-jit", "torch", "torch-compile")


@each("sort")
def test_sort_gives_the_same_numbers_in_ascending_order(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        x = data.draw(vectors(numbers(1e300, nan=backend in SORTS_NAN_LAST), backend))
        order = data.draw(st.sampled_from(["any", "ascending", "descending", "equal"]))
        x = {"any": x, "ascending": np.sort(x), "descending": np.sort(x)[::-1].copy(), "equal": np.full_like(x, x[0])}[
            order
        ]
        (found,) = evaluate(kernel, backend, x)
        assert agrees(found, np.sort(x), 0, 0).all(), (x, found)

    check()


@each("matmul")
def test_products_of_any_shapes(evaluate, kernel, backend):
    shapes = st.just((3, 4, 5)) if BACKENDS[backend].compiled else st.tuples(*[st.integers(1, 9)] * 3)

    @given(shapes, st.integers(0, 2**31), st.booleans())
    def check(shape, seed, spoiled):
        n, k, m = shape
        rng = np.random.default_rng(seed)
        a, b = rng.standard_normal((n, k)), rng.standard_normal((k, m))
        if spoiled:
            a[0, 0] = np.nan
        (found,) = evaluate(kernel, backend, a, b)
        assert agrees(found, a @ b, 1e-10).all()

    check()


@each("matmul_transposed")
def test_a_product_with_its_own_transpose_is_symmetric(evaluate, kernel, backend):
    shapes = st.just((4, 4)) if BACKENDS[backend].compiled else st.tuples(st.integers(1, 9), st.integers(1, 9))

    @given(shapes, st.integers(0, 2**31))
    def check(shape, seed):
        x = np.random.default_rng(seed).standard_normal(shape)
        (found,) = evaluate(kernel, backend, x)
        assert np.allclose(found, found.T, rtol=1e-12, atol=1e-14)
        assert np.allclose(np.diag(found), (x * x).sum(1), rtol=1e-12)

    check()


@each("fft")
def test_a_transform_is_undone_by_its_inverse(evaluate, kernel, backend):
    """Of lengths that are primes, powers of two and neither."""
    lengths = st.just(12) if BACKENDS[backend].compiled else st.sampled_from([1, 2, 3, 7, 12, 64, 97, 100])

    @given(lengths, st.integers(0, 2**31))
    def check(n, seed):
        x = np.random.default_rng(seed).standard_normal(n)
        (found,) = evaluate(kernel, backend, x)
        assert np.allclose(np.fft.ifft(found), x, atol=1e-12)
        assert np.isclose(np.sum(np.abs(found) ** 2), n * np.sum(x * x))

    check()


@each("gradient")
def test_the_gradient_is_that_of_the_square_of_a_sum_of_products(evaluate, kernel, backend):
    moderate = st.floats(0.1, 10)

    @given(st.data())
    def check(data):
        w = data.draw(vectors(moderate, backend))
        x = data.draw(nps.arrays(np.float64, w.shape, elements=moderate))
        (found,), (expected,) = evaluate(kernel, backend, w, x), reference(kernel, w, x)
        tolerance = CATALOGUE[kernel].allowed_error(backend, BACKENDS[backend].library, "float64")
        # Differences of a sum lose what its other terms round away.
        assert np.abs(found - expected).max() <= 10 * tolerance * max(1, np.sum((w * x) ** 2))

    check()


@each("derivative1", "derivative2", "derivative3")
def test_derivatives_at_any_point(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        x = data.draw(vectors(st.floats(0.5, 1.5), backend))
        (found,), (expected,) = evaluate(kernel, backend, x), reference(kernel, x)
        tolerance = CATALOGUE[kernel].allowed_error(backend, BACKENDS[backend].library, "float64")
        assert np.abs(found - expected).max() <= 30 * max(tolerance, 1e-12)

    check()


@each("vmap_mapped", "vmap_vectorised", "vmap_loop")
def test_a_batch_is_its_examples(evaluate, kernel, backend):
    counts = st.just(3) if BACKENDS[backend].compiled else st.integers(1, 6)

    @given(counts, st.integers(0, 2**31))
    @settings(max_examples=10)
    def check(n, seed):
        """Of a layer that is not square, unlike the one that is measured."""
        rng = np.random.default_rng(seed)
        x, w, b = rng.standard_normal((n, 5)), rng.standard_normal((4, 5)) / 2, rng.standard_normal(4)
        (found,) = evaluate(kernel, backend, x, w, b)
        assert np.allclose(found, np.stack([np.tanh(w @ row + b) for row in x]), rtol=1e-12, atol=1e-13)

    check()


def test_every_kernel_of_arrays_has_a_property():
    """Those that are left have other tests: random numbers, training by a fixed number of steps, several devices."""
    from tests.property import test_kernel_properties

    tested = set()
    for name, value in {**globals(), **vars(test_kernel_properties)}.items():
        if name.startswith("test_") and hasattr(value, "pytestmark"):
            cases = (case for mark in value.pytestmark if mark.name == "parametrize" for case in mark.args[1])
            tested |= {case.values[0] if hasattr(case, "values") else case[0] for case in cases}
    assert set(CATALOGUE) - tested == {"normal", "normal_split", "linear_regression", "convolve_devices"}
