"""What holds for any input, on every backend, of the kernels beyond the articles': as test_properties.py."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import CATALOGUE
from tests.property import test_properties
from tests.property.test_properties import each, vectors

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


@each("diagonal_shift")
def test_only_the_diagonal_is_shifted(evaluate, kernel, backend):
    a = np.random.default_rng(0).standard_normal((5, 5))
    a[0, 1] = np.nan
    (found,) = evaluate(kernel, backend, a)
    others = ~np.eye(5, dtype=bool)
    assert np.array_equal(found[others], a[others], equal_nan=True)
    assert np.allclose(np.diag(found) - np.diag(a), 0.5, rtol=1e-13)


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


@each("small_solves")
def test_each_small_system_is_solved(evaluate, kernel, backend):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((4, 3, 3)) + 4 * np.eye(3), rng.standard_normal((4, 3, 1))
    assert np.allclose(a @ evaluate(kernel, backend, a, b)[0], b, rtol=1e-9)


@each("compress")
def test_what_a_mask_keeps_stays_in_order(evaluate, kernel, backend):
    x, mask = np.arange(8.0), np.array([0, 1, 1, 0, 0, 1, 0, 1], bool)
    assert np.array_equal(evaluate(kernel, backend, x, mask, count=4)[0], x[mask])


@each("arc_distance")
def test_an_arc_is_the_angle_between_two_directions(evaluate, kernel, backend):
    rng = np.random.default_rng(4)
    theta, phi = rng.uniform(-1.5, 1.5, (2, 8)), rng.uniform(-3, 3, (2, 8))
    directions = np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta)])
    (found,) = evaluate(kernel, backend, theta[0], phi[0], theta[1], phi[1])
    assert np.allclose(np.cos(found), (directions[:, 0] * directions[:, 1]).sum(0), rtol=0, atol=1e-13)
    (nothing,) = evaluate(kernel, backend, theta[0], phi[0], theta[0], phi[0])
    assert np.array_equal(nothing, np.zeros(8))


@each("rfft")
def test_half_of_a_transform_is_half_of_the_whole(evaluate, kernel, backend):
    for n in (7, 8):
        x = np.random.default_rng(n).standard_normal(n)
        assert np.allclose(evaluate(kernel, backend, x)[0], np.fft.fft(x)[: n // 2 + 1], atol=1e-13)


@each("fft2", "fft3")
def test_a_transform_over_all_axes_is_undone_by_its_inverse(evaluate, kernel, backend):
    x = np.random.default_rng(5).standard_normal((4, 6) if kernel == "fft2" else (3, 4, 5))
    (found,) = evaluate(kernel, backend, x)
    assert np.allclose(np.fft.ifftn(found), x, atol=1e-13)
    assert np.isclose(found.flat[0], x.sum())


@each("argsort", "argsort_sorted")
def test_the_places_sort_what_they_are_of(evaluate, kernel, backend):
    @given(st.permutations(range(-3, 5)))
    def check(order):
        x = np.array(order, float)
        assert np.array_equal(x[evaluate(kernel, backend, x)[0]], np.sort(x))

    check()


@each("lexsort")
def test_the_last_key_decides_and_equal_rows_stay_in_order(evaluate, kernel, backend):
    @given(st.integers(0, 2**31))
    @settings(max_examples=20)
    def check(seed):
        keys = np.random.default_rng(seed).integers(-1, 2, (3, 12)).astype(float)
        (found,) = evaluate(kernel, backend, keys)
        assert list(found) == sorted(range(12), key=lambda row: (*keys[::-1, row], row))

    check()


@each("top_k")
def test_the_largest_come_first_with_their_places(evaluate, kernel, backend):
    @given(st.permutations(range(-3, 5)))
    def check(order):
        x = np.array(order, float)
        values, places = evaluate(kernel, backend, x, k=3)
        assert np.array_equal(values, [4.0, 3, 2])
        assert np.array_equal(x[places], values)

    check()


@each("searchsorted")
def test_all_before_a_place_are_smaller_and_all_after_are_not(evaluate, kernel, backend):
    table, queries = np.array([-1.0, 0, 0, 2, 5]), np.array([-2.0, -1, 0, 1, 2, 5, 6, 0.5])
    (found,) = evaluate(kernel, backend, table, queries)
    assert np.array_equal(found, [0, 0, 1, 3, 3, 4, 5, 3])


@each("softmax")
def test_shares_add_up_to_one_whatever_is_added_to_a_row(evaluate, kernel, backend):
    x = np.random.default_rng(6).standard_normal((3, 5))
    (found,) = evaluate(kernel, backend, x)
    assert np.allclose(found.sum(1), 1, rtol=1e-14)
    assert np.allclose(evaluate(kernel, backend, x + 1000)[0], found, rtol=1e-10)


@each("layer_norm")
def test_rows_have_the_mean_and_variance_that_are_asked_for(evaluate, kernel, backend):
    x = 1e6 + 2 * np.random.default_rng(7).standard_normal((3, 50))
    (found,) = evaluate(kernel, backend, x, np.full(50, 2.0), np.full(50, 3.0))
    assert np.allclose(found.mean(1), 3)
    assert np.allclose(found.var(1), 4, rtol=1e-4)


@each("cross_entropy")
def test_the_loss_is_the_logarithm_of_the_number_of_equal_classes(evaluate, kernel, backend):
    classes = np.array([0, 4, 2])
    assert np.isclose(evaluate(kernel, backend, np.full((3, 5), 700.0), classes)[0], np.log(5))
    certain = 1000 * np.eye(5)[classes]
    assert abs(evaluate(kernel, backend, certain, classes)[0]) < 1e-12


@each("attention")
def test_attention_to_equal_keys_is_the_mean_of_the_values(evaluate, kernel, backend):
    rng = np.random.default_rng(8)
    q, k, v = rng.standard_normal((2, 5, 4)), np.ones((2, 5, 4)), rng.standard_normal((2, 5, 4))
    (found,) = evaluate(kernel, backend, q, k, v)
    assert np.allclose(found, np.broadcast_to(v.mean(1, keepdims=True), v.shape))


@each("attention_gradient")
def test_the_gradient_of_attention_is_that_of_small_steps(evaluate, kernel, backend):
    rng = np.random.default_rng(9)
    q, k, v, back = rng.standard_normal((4, 2, 5, 4))
    found = evaluate(kernel, backend, q, k, v, back)
    attend = CATALOGUE["attention"].reference
    for place in range(3):
        arrays, direction = [q, k, v], rng.standard_normal((2, 5, 4))
        ends = []
        for sign in (1, -1):
            arrays[place] = (q, k, v)[place] + sign * 1e-5 * direction
            ends.append((attend(*arrays) * back).sum())
        assert np.isclose((ends[0] - ends[1]) / 2e-5, (found[place] * direction).sum(), rtol=1e-7)


@each("conv2d")
def test_filters_are_not_turned_round(evaluate, kernel, backend):
    x = np.zeros((1, 6, 5, 2))
    x[0, 3, 2, 1] = 1
    w = np.random.default_rng(10).standard_normal((3, 3, 2, 4))
    (found,) = evaluate(kernel, backend, x, w)
    assert found.shape == (1, 4, 3, 4)
    assert np.allclose(found[0, 1:4, 0:3], w[::-1, ::-1, 1], atol=1e-14)
    assert not found[0, 0].any()


@each("conv_transpose1d")
def test_a_frame_adds_its_filter_where_it_begins(evaluate, kernel, backend):
    x = np.zeros((1, 3, 4))
    x[0, 1, 2] = 1
    w = np.random.default_rng(11).standard_normal((3, 1, 256))
    (found,) = evaluate(kernel, backend, x, w)
    expected = np.zeros((1, 1, 3 * 128 + 256))
    expected[0, 0, 256:512] = w[1, 0]
    assert np.allclose(found, expected, atol=1e-14)


@each("mlp_training_step")
def test_a_step_of_training_lowers_the_loss_by_the_square_of_the_gradient(evaluate, kernel, backend):
    """To first order: of weights so small that a step of rate 1 is a small one."""
    rng = np.random.default_rng(12)
    x, classes = 0.01 * rng.standard_normal((6, 5)), rng.integers(0, 3, 6)
    weights = [0.01 * rng.standard_normal(shape) for shape in ((5, 4), (4,), (4, 3), (3,))]
    *after, loss = evaluate(kernel, backend, x, classes, *weights)
    *_, later = evaluate(kernel, backend, x, classes, *after)
    square = sum(((new - old) ** 2).sum() for new, old in zip(after, weights, strict=True))
    assert 0.5 * square < loss - later < 1.5 * square


@each("pairwise_distances")
def test_distances_are_roots_of_sums_of_squares(evaluate, kernel, backend):
    x, y = np.array([[0.0, 0], [1, 1]]), np.array([[3.0, 4], [1, 2]])
    assert np.allclose(evaluate(kernel, backend, x, y)[0], [[5, 5**0.5], [13**0.5, 1]])


@each("black_scholes")
def test_a_call_and_a_put_have_parity(evaluate, kernel, backend):
    share, strike, years = np.array([10.0, 50, 10, 30]), np.array([50.0, 10, 10, 30]), np.array([1.0, 2, 1.5, 1])
    call, put = evaluate(kernel, backend, share, strike, years)
    assert np.allclose(call - put, share - strike * np.exp(-0.1 * years), rtol=1e-12)
    assert (call > 0).all()
    assert (put > 0).all()


@each("n_body")
def test_momentum_is_kept(evaluate, kernel, backend):
    rng = np.random.default_rng(13)
    places, velocities, masses = rng.standard_normal((5, 3)), rng.standard_normal((5, 3)), rng.uniform(1, 2, 5)
    after, faster = evaluate(kernel, backend, places, velocities, masses, steps=3)
    assert np.allclose(masses @ faster, masses @ velocities, atol=1e-13)
    assert np.allclose(masses @ after, masses @ (places + 0.03 * velocities), atol=1e-13)


@each("jacobi_2d")
def test_a_constant_stays_and_the_border_is_kept(evaluate, kernel, backend):
    u = np.full((5, 6), 2.0)
    assert np.allclose(evaluate(kernel, backend, u, sweeps=4)[0], 2)
    u = np.random.default_rng(14).standard_normal((5, 6))
    (found,) = evaluate(kernel, backend, u, sweeps=4)
    border = np.ones(u.shape, bool)
    border[1:-1, 1:-1] = False
    assert np.array_equal(found[border], u[border])


@each("conjugate_gradient")
def test_enough_iterations_solve_the_system(evaluate, kernel, backend):
    b = np.random.default_rng(15).standard_normal((3, 4))
    (x,) = evaluate(kernel, backend, b, iterations=15)
    wide = np.pad(x, 1)
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    assert np.allclose(4 * x - around, b, atol=1e-10)


@each("floyd_warshall")
def test_no_path_is_longer_than_one_through_another_node(evaluate, kernel, backend):
    d = np.random.default_rng(16).uniform(0, 1, (6, 6)) * (1 - np.eye(6))
    (found,) = evaluate(kernel, backend, d)
    assert (found[:, :, None] <= found[:, None, :] + found.T[None] + 1e-15).all()
    assert np.allclose(evaluate(kernel, backend, found)[0], found)


@each("total_variation")
def test_variation_counts_every_border(evaluate, kernel, backend):
    x = np.zeros((5, 7))
    x[1:3, 2:5] = 2
    assert np.isclose(evaluate(kernel, backend, x)[0], 2 * 2 * (2 + 3))


@each("mandelbrot")
def test_the_set_is_symmetric_about_the_real_axis(evaluate, kernel, backend):
    real, imaginary = np.linspace(-2, 0.5, 5), np.linspace(-1.25, 1.25, 5)
    (found,) = evaluate(kernel, backend, real, imaginary, iterations=20)
    assert np.array_equal(found, found[:, ::-1])
    assert found[3, 2] == 20
    assert found[0, 0] < 3


@each("runge_kutta")
def test_the_forcing_is_where_nothing_moves(evaluate, kernel, backend):
    assert np.array_equal(evaluate(kernel, backend, np.full(6, 8.0), steps=5)[0], np.full(6, 8.0))
    x = 8 + np.random.default_rng(17).standard_normal(6)
    (found,) = evaluate(kernel, backend, x, steps=5)
    (turned,) = evaluate(kernel, backend, np.roll(x, 2), steps=5)
    assert np.allclose(turned, np.roll(found, 2), rtol=1e-13)


@each("linear_recurrence")
def test_each_step_follows_from_the_one_before(evaluate, kernel, backend):
    rng = np.random.default_rng(18)
    a, b = rng.uniform(-1, 1, (9, 3)), rng.standard_normal((9, 3))
    (h,) = evaluate(kernel, backend, a, b)
    assert np.allclose(h[1:], a[1:] * h[:-1] + b[1:], atol=1e-13)
    assert np.allclose(h[0], b[0])


@each("kepler")
def test_the_anomaly_solves_the_equation(evaluate, kernel, backend):
    mean, eccentricity = np.linspace(0, 6.2, 8), np.linspace(0, 0.9, 8)
    (e,) = evaluate(kernel, backend, mean, eccentricity)
    assert np.allclose(e - eccentricity * np.sin(e), mean, atol=1e-13)


@each("small_scan")
def test_a_scan_is_its_steps(evaluate, kernel, backend):
    rng = np.random.default_rng(19)
    a, x = rng.standard_normal((3, 3)), rng.standard_normal((4, 3))
    h = np.zeros(3)
    for row in x:
        h = np.tanh(a @ h + row)
    assert np.allclose(evaluate(kernel, backend, a, x)[0], h, rtol=1e-12)


@each("small_scan_gradient")
def test_the_gradient_of_a_scan_is_that_of_small_steps(evaluate, kernel, backend):
    rng = np.random.default_rng(20)
    a, x, back = rng.standard_normal((3, 3)), rng.standard_normal((4, 3)), rng.standard_normal(3)
    to_a, to_x = evaluate(kernel, backend, a, x, back)
    last = CATALOGUE["small_scan"].reference
    da, dx = rng.standard_normal(a.shape), rng.standard_normal(x.shape)
    ends = [back @ last(a + sign * 1e-6 * da, x + sign * 1e-6 * dx) for sign in (1, -1)]
    assert np.isclose((ends[0] - ends[1]) / 2e-6, (to_a * da).sum() + (to_x * dx).sum(), rtol=1e-6)


@each("ring_walk")
def test_steps_are_counted_until_the_goal(evaluate, kernel, backend):
    following = np.array([3, 0, 4, 2, 1])
    for goal, steps in ((0, 0), (3, 1), (2, 2), (1, 4)):
        assert evaluate(kernel, backend, following, goal=goal)[0] == steps


@each("hessian")
def test_second_derivatives_are_symmetric_and_positive(evaluate, kernel, backend):
    rng = np.random.default_rng(21)
    x, y, w = rng.standard_normal((20, 3)), 2.0 * rng.integers(0, 2, 20) - 1, rng.standard_normal(3)
    (found,) = evaluate(kernel, backend, x, y, w)
    assert np.allclose(found, found.T, atol=1e-7)
    assert np.allclose(found, CATALOGUE[kernel].reference(x, y, w), atol=1e-7)
    assert (np.linalg.eigvalsh(found + found.T) > 0).all()


@each("equation_of_state")
def test_the_closed_form_is_the_integral_of_the_slope(evaluate, kernel, backend):
    """Near the surface too, where the pressure is small."""
    rng = np.random.default_rng(22)
    s, t = rng.uniform(1, 40, (2, 2, 4)), rng.uniform(-2, 30, (2, 2, 4))
    p = np.array([10.0, 500, 2_000, 6_000]).reshape(1, 1, 4)
    (found,) = evaluate(kernel, backend, s, t, p)
    assert np.allclose(found, CATALOGUE[kernel].reference(s, t, p), rtol=1e-6)


@each("isoneutral_mixing")
def test_over_land_nothing_mixes_and_borders_are_kept(evaluate, kernel, backend):
    inputs = list(CATALOGUE[kernel].inputs(np.random.default_rng(23), 1_729))
    k_11, k_22, k_33, *slopes = evaluate(kernel, backend, *inputs)
    for found, before in zip((k_11, k_22, k_33), inputs[-3:], strict=True):
        assert np.array_equal(found[:1], before[:1])
        assert np.array_equal(found[:, -2:], before[:, -2:])
        assert (found[2:-2, 2:-2] >= 0).all()
    assert all(np.abs(one).max() > 0 for one in slopes)
    land = [np.zeros_like(mask) for mask in inputs[:4]]
    _, _, k_33, *slopes = evaluate(kernel, backend, *land, *inputs[4:])
    assert not any(one.any() for one in slopes)
    assert not k_33[2:-2, 2:-2].any()


@each("turbulent_kinetic_energy")
def test_still_water_without_forcing_keeps_what_does_not_dissipate(evaluate, kernel, backend):
    inputs = list(CATALOGUE[kernel].inputs(np.random.default_rng(24), 1_729))
    u, energy, tendency = inputs[0], inputs[-2], inputs[-1]
    inputs[:3] = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    inputs[14] = np.zeros_like(inputs[14])  # all columns are land
    inputs[-2], inputs[-1] = np.full_like(energy, 2.0), np.zeros_like(tendency)
    after, change, correction = evaluate(kernel, backend, *inputs)
    assert np.array_equal(after, np.full_like(after, 2.0))
    assert not change.any()
    assert not correction.any()
