"""What random inputs are drawn from: the same numbers on every side, whether it has NumPy or not.

All numbers follow from uniform ones of the Mersenne Twister, which Python's ``random`` and NumPy's ``RandomState`` draw
alike in all releases. NumPy's newer generators may change what they draw from release to release (NEP 19), and the two
sides of an upgrade of NumPy would get other inputs.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Shape = int | Sequence[int] | None

#: The same in all processes.
SEED = 20_250_101

#: Whole numbers below this are exact in float64.
EXACT = 2**53

#: Half of the distance between two uniform numbers: added, so that none is 0.
HALF = 2.0**-54

#: Wichura, "Algorithm AS 241: The percentage points of the normal distribution" (1988), PPND16: numerator and
#: denominator in the centre, between it and the tails, and in the tails; highest power first.
CENTRE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457),
    (13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867),
    (5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)
MIDDLE = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258),
    (3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459),
    (0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)
TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093),
    (0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4),
    (0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)


def fraction(coefficients: Sequence[Sequence[float]], r: Any) -> Any:
    """Return the quotient of two polynomials, of a number or an array alike: operation by operation the same."""
    above, below = (*coefficients[0], *coefficients[1]), (*coefficients[2], *coefficients[3])
    numerator, denominator = above[0], below[0]
    for a, b in zip(above[1:], below[1:]):
        numerator, denominator = numerator * r + a, denominator * r + b
    return numerator / denominator


def quantile(u: float) -> float:
    """Return the number below which a standard normal one is with this probability."""
    q = u - 0.5
    if abs(q) <= 0.425:
        return float(fraction(CENTRE, 0.180625 - q * q) * q)
    r = math.sqrt(-math.log(min(u, 1.0 - u)))
    found = float(fraction(MIDDLE, r - 1.6) if r <= 5.0 else fraction(TAIL, r - 5.0))
    return -found if q < 0.0 else found


class Numbers(list):  # type: ignore[type-arg]  # list[Any] is none in Python 3.8
    """Numbers where there is no NumPy: a list, with what an array does with a number or with as many others."""

    def each(self, function: Callable[[Any], Any]) -> Numbers:
        """Apply a function to every number."""
        return Numbers(one.each(function) if isinstance(one, Numbers) else function(one) for one in self)

    def with_other(self, other: Any, function: Callable[[Any, Any], Any]) -> Any:
        """Apply a function to every number and another, or every number and one of a list as long."""
        if isinstance(other, list):
            if len(other) != len(self):
                raise ValueError(f"{len(self)} numbers and {len(other)} do not go together")
            return Numbers(
                a.with_other(b, function) if isinstance(a, Numbers) else function(a, b) for a, b in zip(self, other)
            )
        return self.each(lambda one: function(one, other))

    def tolist(self) -> list[Any]:
        """Return plain lists."""
        return [one.tolist() if isinstance(one, Numbers) else one for one in self]

    def astype(self, kind: Callable[[Any], Any]) -> Numbers:
        """Convert every number, by ``int`` or ``float``."""
        return self.each(kind)

    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each axis."""
        return (len(self), *(self[0].shape if self and isinstance(self[0], Numbers) else ()))

    def __add__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a / b)

    def __floordiv__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a // b)

    def __mod__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a % b)

    def __pow__(self, other: Any) -> Any:
        return self.with_other(other, lambda a, b: a**b)

    def __neg__(self) -> Numbers:
        return self.each(lambda one: -one)


class Drawing:
    """A part of NumPy's ``Generator``, from one stream of uniform numbers.

    Its methods take what NumPy's take. What goes beyond a number, a shape and a type is left to NumPy, where it is
    there.
    """

    #: Its methods, which a message names.
    NAMES = ("random", "uniform", "standard_normal", "normal", "integers", "choice", "permutation", "shuffle")

    # What follows from where the numbers are kept: in a list, or in an array.

    def drawn(self, number: int) -> Any:
        """Return so many uniform numbers of [0, 1)."""
        raise NotImplementedError

    def normals(self, uniform: Any) -> Any:
        """Return as many normal numbers."""
        raise NotImplementedError

    def floors(self, values: Any, low: int) -> Any:
        """Return whole numbers from ``low`` on."""
        raise NotImplementedError

    def wide(self, uniform: Any, low: int, span: int) -> Any:
        """Return whole numbers of a range that float64 cannot hold, two uniform numbers for each."""
        raise NotImplementedError

    def order(self, uniform: Any) -> Any:
        """Return places, by the size of the numbers there."""
        raise NotImplementedError

    def places(self, uniform: Any, weights: Any) -> Any:
        """Return places, each as likely as its weight."""
        raise NotImplementedError

    def taken(self, values: Any, places: Any, axis: int) -> Any:
        """Return what is at some places."""
        raise NotImplementedError

    def shaped(self, values: Any, shape: Shape) -> Any:
        """Return numbers in a shape; the only one where there is none."""
        raise NotImplementedError

    def beyond(self, name: str, *given: Any, **named: Any) -> Any:
        """Do what only NumPy can do."""
        raise NotImplementedError

    def random(self, size: Shape = None, dtype: Any = None, **more: Any) -> Any:
        """Draw from [0, 1)."""
        if more:
            return self.beyond("random", size, **({} if dtype is None else {"dtype": dtype}), **more)
        return typed(self.shaped(self.drawn(count(size)), size), dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Shape = None) -> Any:
        """Draw from [low, high)."""
        if not numbers(low, high):
            return self.beyond("uniform", low, high, size)
        return self.shaped(self.drawn(count(size)) * (high - low) + low, size)

    def standard_normal(self, size: Shape = None, dtype: Any = None, **more: Any) -> Any:
        """Draw from the normal distribution of mean 0 and deviation 1."""
        if more:
            return self.beyond("standard_normal", size, **({} if dtype is None else {"dtype": dtype}), **more)
        return typed(self.shaped(self.normals(self.drawn(count(size))), size), dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Shape = None) -> Any:
        """Draw from a normal distribution."""
        if not numbers(loc, scale):
            return self.beyond("normal", loc, scale, size)
        if scale < 0:
            raise ValueError("scale < 0")
        return self.shaped(self.normals(self.drawn(count(size))) * scale + loc, size)

    def integers(
        self, low: Any, high: Any = None, size: Shape = None, dtype: Any = None, endpoint: bool = False
    ) -> Any:
        """Draw whole numbers from [low, high), or [0, low)."""
        if not numbers(low, 0 if high is None else high):
            return self.beyond(
                "integers", low, high, size, **({} if dtype is None else {"dtype": dtype}), endpoint=endpoint
            )
        first, last = (0, low) if high is None else (low, high)
        span = int(last) - int(first) + endpoint
        if span <= 0:
            raise ValueError("low >= high")
        if span <= EXACT:
            found = self.floors(self.drawn(count(size)) * span, int(first))
        else:
            found = self.wide(self.drawn(2 * count(size)), int(first), span)
        return typed(self.shaped(found, size), dtype)

    def choice(
        self, a: Any, size: Shape = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Draw from 0, 1, … ``a``, or from its items; ``p`` says how likely each is."""
        number = a if isinstance(a, int) else len(a)
        if p is not None and not replace:
            return self.beyond("choice", a, size, replace, p, axis, shuffle)
        wanted = count(size)
        if wanted and number < (1 if replace else wanted):
            raise ValueError("there is nothing to choose from" if replace else "more are wanted than there are")
        if p is not None:
            places = self.places(self.drawn(wanted), p)
        elif replace:
            places = self.floors(self.drawn(wanted) * number, 0)
        else:
            places = self.order(self.drawn(number))[:wanted]
        shaped = self.shaped(places, size)
        return shaped if isinstance(a, int) else self.taken(a, shaped, axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return the numbers 0, 1, … ``x``, or its items, in an order that is drawn."""
        if isinstance(x, int):
            return self.order(self.drawn(x))
        return self.taken(x, self.order(self.drawn(len(x))), axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Bring items into an order that is drawn."""
        x[:] = self.permutation(x, axis)


class InPython(Drawing):
    """Where there is no NumPy."""

    def __init__(self) -> None:
        self.source = random.Random(SEED)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.beyond(name)

    def beyond(self, name: str, *given: Any, **named: Any) -> Any:
        """Say that NumPy is needed."""
        how = " with these arguments" if name in self.NAMES else ""
        raise AttributeError(
            f"rng.{name}{how} needs NumPy, which is not installed here; without it there are {', '.join(self.NAMES)}"
        )

    def drawn(self, number: int) -> Numbers:
        """Return so many uniform numbers of [0, 1)."""
        return Numbers(self.source.random() for _ in range(number))

    def normals(self, uniform: Numbers) -> Numbers:
        """Return as many normal numbers, by the inverse of their distribution function."""
        return Numbers(quantile(one + HALF) for one in uniform)

    def floors(self, values: Numbers, low: int) -> Numbers:
        """Return whole numbers, by leaving out what is behind the point."""
        return Numbers(int(one) + low for one in values)

    def wide(self, uniform: Numbers, low: int, span: int) -> Numbers:
        """Return whole numbers from 64 bits each."""
        halves = [int(one * 2**32) for one in uniform]
        return Numbers(low + ((a << 32) + b) % span for a, b in zip(halves[::2], halves[1::2]))

    def order(self, uniform: Numbers) -> Numbers:
        """Return places, by the size of the numbers there."""
        return Numbers(sorted(range(len(uniform)), key=uniform.__getitem__))

    def places(self, uniform: Numbers, weights: Any) -> Numbers:
        """Return places, by the sums of the weights."""
        sums = list(accumulate(map(float, weights)))
        return Numbers(min(bisect_right(sums, one * sums[-1]), len(sums) - 1) for one in uniform)

    def taken(self, values: Any, places: Any, axis: int) -> Any:
        """Return what is at some places."""
        items = list(values)
        return places.each(items.__getitem__) if isinstance(places, Numbers) else items[places]

    def shaped(self, values: Numbers, shape: Shape) -> Any:
        """Return nested lists."""
        if shape is None:
            return values[0]
        lengths = (shape,) if isinstance(shape, int) else tuple(shape)
        for length in reversed(lengths[1:]):
            values = Numbers(Numbers(values[at : at + length]) for at in range(0, len(values), length or 1))
        return values


def with_numpy(numpy: Any) -> Any:
    """Return one that is NumPy's own ``Generator`` besides, for libraries that ask for it."""

    class WithNumpy(Drawing, numpy.random.Generator):  # type: ignore[misc]  # NumPy is another one on every side
        """Where there is NumPy: numbers are arrays, and what `Drawing` has not is NumPy's own."""

        def __init__(self) -> None:
            super().__init__(numpy.random.PCG64(SEED))
            _, state, _ = random.Random(SEED).getstate()
            self.source = numpy.random.RandomState()
            self.source.set_state(("MT19937", numpy.array(state[:-1], dtype=numpy.uint32), state[-1]))

        def __reduce__(self) -> Any:
            raise TypeError("rng cannot be copied: give what was drawn from it")

        def beyond(self, name: str, *given: Any, **named: Any) -> Any:
            return getattr(numpy.random.Generator, name)(self, *given, **named)

        def drawn(self, number: int) -> Any:
            return self.source.random_sample(number)

        def normals(self, uniform: Any) -> Any:
            u = uniform + HALF
            q = u - 0.5
            far = numpy.abs(q) > 0.425
            found = fraction(CENTRE, 0.180625 - q * q) * q
            # Logarithms by the C library, one by one: NumPy's own differ in the last bit from release to release.
            r = numpy.sqrt([-math.log(min(one, 1.0 - one)) for one in u[far].tolist()])
            tails = numpy.where(r <= 5.0, fraction(MIDDLE, r - 1.6), fraction(TAIL, r - 5.0))
            found[far] = numpy.where(q[far] < 0.0, -tails, tails)
            return found

        def floors(self, values: Any, low: int) -> Any:
            return values.astype(numpy.int64) + low

        def wide(self, uniform: Any, low: int, span: int) -> Any:
            halves = (uniform * 2.0**32).astype(numpy.uint64)
            found = (halves[::2] << numpy.uint64(32)) + halves[1::2]
            if span < 2**64:
                found %= numpy.uint64(span)
            # Unsigned numbers wrap round, so that what is below 0 comes out as itself.
            found += numpy.uint64(low % 2**64)
            largest = low + span - 1
            return found if largest.bit_length() > 63 else found.astype(numpy.int64)

        def order(self, uniform: Any) -> Any:
            return numpy.argsort(uniform, kind="stable")

        def places(self, uniform: Any, weights: Any) -> Any:
            sums = numpy.cumsum(numpy.asarray(weights, dtype=float))
            found = numpy.searchsorted(sums, uniform * sums[-1], side="right")
            return numpy.minimum(found, len(sums) - 1)

        def taken(self, values: Any, places: Any, axis: int) -> Any:
            return numpy.take(numpy.asarray(values), places, axis=axis)

        def shaped(self, values: Any, shape: Shape) -> Any:
            return values[0].item() if shape is None else values.reshape(shape)

    return WithNumpy()


def count(shape: Shape) -> int:
    """Return how many numbers a shape holds."""
    if shape is None:
        return 1
    return math.prod(map(int, shape)) if isinstance(shape, (tuple, list)) else int(shape)  # type: ignore[arg-type]


def numbers(*values: object) -> bool:
    """Return whether all are numbers, and no arrays."""
    return all(isinstance(value, (int, float)) or getattr(value, "shape", None) == () for value in values)


def typed(values: Any, dtype: Any) -> Any:
    """Return numbers of a type."""
    if dtype is None:
        return values
    return values.astype(dtype) if hasattr(values, "astype") else Numbers([values]).astype(dtype)[0]


def generator() -> Any:
    """Return what inputs are drawn from."""
    try:
        import numpy
    except ImportError:
        return InPython()
    return with_numpy(numpy)
