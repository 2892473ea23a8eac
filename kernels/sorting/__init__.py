"""Sorting: comparisons and memory access that depend on the data."""

from kernels.kernel import Kernel


def vector(rng, n):
    """One normal vector, shape (n,)."""
    return (rng.standard_normal(n),)


def ascending(x):
    """NumPy's sort."""
    import numpy as np

    return np.sort(x)


#: Whole numbers as floats are exact in float32 up to 2²⁴; none comes twice, so that there is one right order.
ORDER = {
    "sizes": (10, 100, 1_000, 10_000, 100_000, 1_000_000),
    "small": 1_000,
    "large": 1_000_000,
    "flops": lambda n: 0,
}

#: How many of the largest are wanted.
LARGEST = 100


def distinct(rng, n):
    """Whole numbers around 0 in any order, as floats; shape (n,)."""
    return (rng.permutation(n) - float(n // 2),)


def in_order(rng, n):
    """Return the same numbers, sorted already."""
    import numpy as np

    return (np.arange(n) - float(n // 2),)


def places_in_order(x):
    """NumPy's argsort."""
    import numpy as np

    return np.argsort(x)


def of_the_largest(x, k):
    """Return the k largest, in descending order, and their places."""
    import numpy as np

    places = np.argsort(-x)[:k]
    return x[places], places


def table_and_queries(rng, n):
    """Even numbers in ascending order, and whole numbers from -1 on to look up among them; both of shape (n,)."""
    import numpy as np

    return 2.0 * np.arange(n), rng.integers(-1, 2 * n, n).astype(float)


def first_places(table, queries):
    """NumPy's searchsorted, by its default from the left."""
    import numpy as np

    return np.searchsorted(table, queries)


#: By how many keys rows are put in order.
KEYS = 16


def keys_of_rows(rng, n):
    """Sixteen keys of n rows, whole numbers from 0 to 2 as floats, shape (16, n).

    From a random key on a row has nothing but zeros, so that each of the keys decides for some rows, and equal rows
    occur.
    """
    import numpy as np

    return (rng.integers(0, 3, (KEYS, n)) * (np.arange(KEYS)[:, None] <= rng.integers(0, KEYS, n)) + 0.0,)


def order_of_rows(keys):
    """NumPy's lexsort."""
    import numpy as np

    return np.lexsort(keys)


KERNELS = (
    Kernel(
        "sort",
        "a vector in ascending order",
        sizes=(10, 100, 1_000, 10_000, 100_000, 1_000_000),
        small=1_000,
        large=1_000_000,
        inputs=vector,
        reference=ascending,
        flops=lambda n: 0,
        bytes=lambda n, item: 2 * n * item,
        operations=("sort|topk",),
        tier="bench",
    ),
    Kernel(
        "argsort",
        "the places of a vector's elements in ascending order",
        inputs=distinct,
        reference=places_in_order,
        bytes=lambda n, item: n * (item + 8),
        results=("index",),
        operations=("sort|topk",),
        **ORDER,
    ),
    Kernel(
        "argsort_sorted",
        "the places of a vector's elements in ascending order, which they have already",
        inputs=in_order,
        reference=places_in_order,
        bytes=lambda n, item: n * (item + 8),
        results=("index",),
        operations=("sort|topk",),
        **ORDER,
    ),
    Kernel(
        "lexsort",
        f"the order of rows by {KEYS} keys, of which the last counts first; equal rows stay in order",
        inputs=keys_of_rows,
        reference=order_of_rows,
        bytes=lambda n, item: KEYS * n * item + 8 * n,
        unavailable={"mlx": "MLX has no lexsort, and promises no stable sort"},
        results=("index",),
        operations=("sort|topk",),
        **ORDER | {"sizes": (10, 100, 1_000, 10_000, 100_000), "large": 100_000},
    ),
    Kernel(
        "top_k",
        f"the {LARGEST} largest elements of a vector in descending order, and their places",
        inputs=distinct,
        reference=of_the_largest,
        bytes=lambda n, item: n * item + min(LARGEST, n) * (item + 8),
        results=("number", "index"),
        static=lambda n, dtype: {"k": min(LARGEST, n)},
        operations=("sort|topk|top-k|custom-call",),
        equivalent={
            "1 → 2: child + 1 < size": "wrong for half of all inputs; a property tries others",
            "1 → 2: range(k // 2 - 1, -1, -1)": "as above",
            "2 → 3: range(k // 2 - 1, -1, -1)": "as above",
            "Sub → Add: range(k // 2 - 1, -1, -1)": "as above",
            "0 → 1: x[i] > x[places[0]]": "as above",
        },
        tier="core",
        **ORDER,
    ),
    Kernel(
        "searchsorted",
        "where each of n numbers belongs among n sorted ones",
        inputs=table_and_queries,
        reference=first_places,
        bytes=lambda n, item: 2 * n * item + 8 * n,
        results=("index",),
        operations=("while|gather|sort|compare",),
        threaded=40_000,
        equivalent={"GRAIN": "from which length threads are used"},
        # XLA compares every number with all of the others, and keeps what it found: 4 TB for a million.
        up_to={"tensorflow-xla": 10_000},
        **ORDER,
    ),
)
