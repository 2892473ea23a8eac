"""What holds for any input, on every backend, of the kernels beyond the articles': as tests/test_properties.py."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernels import CATALOGUE
from tests import test_properties
from tests.test_properties import each, vectors

evaluate = test_properties.evaluate

SEEDS = st.integers(0, 2**31)


@each("sum", "logsumexp")
def test_the_order_of_elements_does_not_matter(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        x = data.draw(vectors(st.floats(0.1, 10), backend))
        order = data.draw(st.permutations(range(x.size)))
        (one,), (other,) = evaluate(kernel, backend, x), evaluate(kernel, backend, x[list(order)])
        assert one.size == 1
        assert np.isclose(one, other, rtol=1e-13)

    check()


@each("logsumexp")
def test_exponentials_that_overflow_are_shifted(evaluate, kernel, backend):
    x = np.array([1000.0, 999.0, -1000.0, 0.0, 1000.0, 3.0, 4.0, 5.0])
    assert np.isclose(evaluate(kernel, backend, x)[0], 1000 + np.log(2 + np.exp(-1)), rtol=1e-14)
    assert np.isclose(evaluate(kernel, backend, -x)[0], 1000, rtol=1e-14)


@each("sum_columns")
def test_columns_are_summed_and_not_rows(evaluate, kernel, backend):
    x = np.arange(15.0).reshape(3, 5)
    assert np.array_equal(evaluate(kernel, backend, x)[0], x.sum(0))


@each("argmax")
def test_the_first_of_the_largest_is_found_wherever_it_is(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        x = data.draw(vectors(st.floats(-10, 10), backend))
        assert evaluate(kernel, backend, x)[0] == np.argmax(x)

    check()


@each("cumulative_sum")
def test_differences_undo_a_running_sum(evaluate, kernel, backend):
    @given(st.data())
    def check(data):
        x = data.draw(vectors(st.integers(-1000, 1000).map(float), backend))
        (found,) = evaluate(kernel, backend, x)
        assert np.array_equal(np.diff(found, prepend=0.0), x)

    check()


@each("histogram")
def test_every_number_is_counted_once(evaluate, kernel, backend):
    @given(SEEDS)
    def check(seed):
        rng = np.random.default_rng(seed)
        bins = rng.integers(0, 100, 50)
        (found,) = evaluate(kernel, backend, -4 + 0.08 * (bins + rng.uniform(0.1, 0.9, 50)))
        assert np.array_equal(found, np.bincount(bins, minlength=100))

    check()


@each("gather")
def test_what_is_gathered_is_what_was_there(evaluate, kernel, backend):
    @given(SEEDS)
    def check(seed):
        rng = np.random.default_rng(seed)
        x, places = rng.standard_normal(9), rng.integers(0, 9, 20)
        assert np.array_equal(evaluate(kernel, backend, x, places)[0], x[places])

    check()


@each("scatter_add")
def test_no_value_is_lost_where_places_come_again(evaluate, kernel, backend):
    values = np.arange(1.0, 9)
    (found,) = evaluate(kernel, backend, values, np.full(8, 5))
    assert np.array_equal(found, 36.0 * (np.arange(8) == 5))
    (found,) = evaluate(kernel, backend, values, np.arange(8)[::-1].copy())
    assert np.array_equal(found, values[::-1])


@each("transpose")
def test_rows_become_columns(evaluate, kernel, backend):
    x = np.arange(35 * 70.0).reshape(35, 70)
    assert np.array_equal(evaluate(kernel, backend, x)[0], x.T)


@each("matvec")
def test_a_matrix_need_not_be_square(evaluate, kernel, backend):
    rng = np.random.default_rng(0)
    a, x = rng.standard_normal((3, 5)), rng.standard_normal(5)
    assert np.allclose(evaluate(kernel, backend, a, x)[0], (a * x).sum(1), rtol=1e-13)


@each("batched_matmul")
def test_each_pair_has_its_product(evaluate, kernel, backend):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((3, 4, 4)), rng.standard_normal((3, 4, 4))
    (found,) = evaluate(kernel, backend, a, b)
    assert all(np.allclose(found[k], a[k] @ b[k], rtol=1e-13) for k in range(3))


@each("solve")
def test_a_solution_solves_also_where_rows_must_be_exchanged(evaluate, kernel, backend):
    a = np.array([[0.0, 2, 1, 0], [1, 0, 0, 3], [4, 1, 0, 0], [0, 0, 5, 1]])
    b = np.arange(1.0, 5)
    (x,) = evaluate(kernel, backend, a, b)
    assert np.allclose(a @ x, b, rtol=1e-9)


@each("cholesky")
def test_a_factor_times_its_transpose_is_the_matrix(evaluate, kernel, backend):
    g = np.random.default_rng(0).standard_normal((6, 6))
    a = g @ g.T + np.eye(6)
    (factor,) = evaluate(kernel, backend, a)
    assert np.allclose(factor @ factor.T, a)
    assert np.array_equal(factor, np.tril(factor))
    assert (np.diag(factor) > 0).all()


@each("qr", "svd", "eigh")
def test_factors_make_the_matrix_again(evaluate, kernel, backend):
    """By the kernel's own residual, of another matrix: a tall one, and one with values far apart."""
    rng = np.random.default_rng(1)
    a = rng.standard_normal((9, 4)) if kernel == "qr" else rng.standard_normal((5, 5)) * 10.0 ** np.arange(-2, 3)
    a = a + a.T if kernel == "eigh" else a
    found = tuple(evaluate(kernel, backend, a))
    limit = 1e-5 if backend == "tensorflow-xla" and kernel != "qr" else 1e-12
    assert CATALOGUE[kernel].residual((a,), found) <= limit
    if kernel == "qr":
        assert np.array_equal(found[1], np.triu(found[1]))
    else:
        values = found[1] if kernel == "svd" else -found[0]
        assert (np.diff(values) <= 0).all()


@each("tridiagonal_solve")
def test_a_tridiagonal_solution_solves_each_system(evaluate, kernel, backend):
    rng = np.random.default_rng(2)
    lower, upper, right = (rng.uniform(-1, 1, (3, 6)) for _ in range(3))
    diagonal = rng.uniform(2.5, 3, (3, 6))
    lower[:, 0] = upper[:, -1] = 0
    (x,) = evaluate(kernel, backend, lower, diagonal, upper, right)
    for k in range(3):
        a = np.diag(diagonal[k]) + np.diag(lower[k, 1:], -1) + np.diag(upper[k, :-1], 1)
        assert np.allclose(a @ x[k], right[k], rtol=1e-12)
