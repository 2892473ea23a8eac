"""What the articles rely on in JAX, each function named after what it shows. They run on every JAX version."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np


def raises(kind, function, *arguments):
    """The exception of a kind that a call raises; an AssertionError where it raises none."""
    try:
        function(*arguments)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def arrays_are_immutable():
    x = jnp.arange(10)

    def assign():
        x[0] = 10

    assert "immutable" in str(raises(TypeError, assign))
    y = x.at[0].set(10)
    assert (int(x[0]), int(y[0])) == (0, 10)


def a_value_dependent_if_fails_under_jit():
    def negate(x, negative):
        return -x if negative else x

    assert int(negate(1, True)) == -1
    raises(jax.errors.TracerBoolConversionError, jax.jit(negate), 1, True)


def a_value_dependent_if_works_with_static_argnames():
    def negate(x, negative):
        return -x if negative else x

    compiled = jax.jit(negate, static_argnames=["negative"])
    assert int(compiled(1, negative=True)) == -1
    assert int(compiled(1, negative=False)) == 1


def boolean_indexing_fails_under_jit():
    def negatives(x):
        return x[x < 0]

    x = jnp.array([-1.0, 2.0, -3.0])
    assert negatives(x).tolist() == [-1.0, -3.0]
    raises(jax.errors.NonConcreteBooleanIndexError, jax.jit(negatives), x)


def a_shape_computed_with_jnp_fails_under_jit():
    def flatten(x):
        return x.reshape(jnp.array(x.shape).prod())

    raises(TypeError, jax.jit(flatten), jnp.ones((2, 3)))


def a_shape_computed_with_numpy_works_under_jit():
    def flatten(x):
        return x.reshape((np.prod(x.shape),))

    assert jax.jit(flatten)(jnp.ones((2, 3))).shape == (6,)


def the_same_key_gives_the_same_number():
    key = jax.random.key(42)
    assert float(jax.random.normal(key)) == float(jax.random.normal(key))


def a_split_key_gives_a_new_number():
    key = jax.random.key(42)
    _, subkey = jax.random.split(key)
    assert float(jax.random.normal(key)) != float(jax.random.normal(subkey))


def traces(calls):
    """How often a function is traced while it is called with each of ``calls``."""
    count = 0

    @jax.jit
    def function(x, y):
        nonlocal count
        count += 1
        return jnp.dot(x + 1, y + 1)

    for x, y in calls:
        function(x, y)
    return count


def tracing_happens_once_for_a_shape_and_dtype():
    x, y = np.ones((3, 4), np.float32), np.ones(4, np.float32)
    assert traces([(x, y), (2 * x, y), (x, 3 * y)]) == 1


def another_shape_is_traced_again():
    x, y = np.ones((3, 4), np.float32), np.ones(4, np.float32)
    assert traces([(x, y), (np.ones((5, 4), np.float32), y), (x, y)]) == 2


def another_dtype_is_traced_again():
    x, y = np.ones((3, 4), np.float32), np.ones(4, np.float32)
    assert traces([(x, y), (x.astype(np.int32), y), (x, y)]) == 2


def derivatives_of_the_polynomial():
    def f(x):
        return -4 * x * x * x + 9 * x * x + 6 * x - 3

    first = jax.grad(f)
    second = jax.grad(first)
    third = jax.grad(second)
    assert [float(g(1.0)) for g in (f, first, second, third)] == [8.0, 12.0, -6.0, -24.0]
    raises(TypeError, first, 1)  # integers have no derivative


def numpy_functions_fail_under_jit():
    raises(jax.errors.TracerArrayConversionError, jax.jit(lambda x: np.sin(x)), jnp.ones(3))


def dispatch_is_asynchronous_and_block_until_ready_waits():
    x = jnp.ones((300, 300))
    y = x @ x
    assert y.block_until_ready() is y
    assert y.is_ready()


def float32_is_the_default():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert jnp.array(np.ones(3)).dtype == jnp.float32


SEMANTICS = (
    arrays_are_immutable,
    a_value_dependent_if_fails_under_jit,
    a_value_dependent_if_works_with_static_argnames,
    boolean_indexing_fails_under_jit,
    a_shape_computed_with_jnp_fails_under_jit,
    a_shape_computed_with_numpy_works_under_jit,
    the_same_key_gives_the_same_number,
    a_split_key_gives_a_new_number,
    tracing_happens_once_for_a_shape_and_dtype,
    another_shape_is_traced_again,
    another_dtype_is_traced_again,
    derivatives_of_the_polynomial,
    numpy_functions_fail_under_jit,
    dispatch_is_asynchronous_and_block_until_ready_waits,
    float32_is_the_default,
)


def main():
    for function in SEMANTICS:
        problem = None
        try:
            function()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:500]
        yield {"shows": function.__name__, "version": jax.__version__, "problem": problem}
