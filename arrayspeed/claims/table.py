"""What four articles report, claim by claim, and whether the results of a machine agree.

A claim is data: the article, the claim in our words, its figure as the article gives it, and a criterion over the
measurements that it is about. Nothing measured by us is written here; `Claim.judge` looks it up.

What is compared
----------------
Times of one machine, from one environment that holds all the libraries compared: the one with most libraries,
then the newest versions. Absolute times on the articles' hardware cannot be repeated on another, so those claims
are put as ratios of the article's own figures. Where a size was not measured, the nearest that was stands in,
at most 4 times smaller or larger, and is named.

Precision is float64 for articles 000, 001 and 003, and float32, which is what JAX, TensorFlow and PyTorch make by
default, for article 002. Article 000 compared NumPy's float64 with JAX's default float32; here both have
float64, and the claim as it was run stands beside it (without the conversion of the input, which was timed along).

JAX "with JIT" is ``jax-jit`` and JAX called as it is ``jax``; TensorFlow is ``tensorflow``, and in article 003,
which compiled it, ``tensorflow-xla``; PyTorch is eager. Values that functions should return (article 000's
derivatives, all of article 002's semantics) are not times; the tests check them.

When a claim holds
------------------
Direction and size are judged apart, by the one rule of `arrayspeed.decide`: "JAX is 6.9 times faster" may hold in its
direction, but by less. Each kind of claim has one rule, the docstring of its class in `arrayspeed.claims.criteria`.

    holds           as the article says
    holds, by less  (or by more) faster, but the ratio is shown to be beyond a factor of 2 from the one reported
    does not hold   the contrary is shown
    not shown       neither is: the interval of the ratio is too wide
    not measured    there are no such results here

A library that computes a result in another way than the kernel says (finite differences for a gradient) is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from arrayspeed.claims.criteria import (
    FAILS,
    HOLDS,
    LESS,
    MORE,
    OPEN,
    Alike,
    BestTimesFaster,
    Criterion,
    Faster,
    Grows,
    HardlyGrows,
    NoSingleWinner,
    NotFaster,
    Outcome,
    Overtakes,
    Pair,
    Somewhere,
    TimesFaster,
)
from arrayspeed.claims.evidence import Case, Evidence, Found

UNMEASURED = "not measured"

#: All verdicts, the best first.
VERDICTS = (HOLDS, f"{HOLDS}, {LESS}", f"{HOLDS}, {MORE}", FAILS, OPEN, UNMEASURED)

#: Article -> its title. The fourth has none; it is named by its subject.
ARTICLES = {
    "000": "JAX vs Numpy - Benchmark",
    "001": "Benchmarking NumPy vs JAX vs PyTorch",
    "002": "JAX Basics - Framework Benchmarks & JIT Compilation",
    "003": "Linear regression with Numba, JAX, TensorFlow and PyTorch",
}

#: What each was measured on, as far as it says.
MEASURED_ON = {
    "000": "Google Colab, 2023",
    "001": "Ryzen 7 5700X and RTX 4060; JAX 0.9.2, PyTorch 2.10.0, NumPy 2.4.3",
    "002": "CPU, GPU and TPU of Google Colab, 2025",
    "003": "10,000 samples, 2 to 100 features; hardware not stated",
}


@dataclass(frozen=True)
class Verdict:
    """What the results say about a claim. ``found`` and ``outcome`` are None where they say nothing."""

    word: str
    text: str
    found: Found | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Claim:
    """One claim of an article."""

    article: str
    text: str
    reported: str
    criterion: Criterion | NoSingleWinner = field(repr=False)

    @property
    def device(self) -> str:
        """The rarest device that it is about."""
        devices = {case.device for case in self.criterion.cases}
        return next(device for device in ("tpu", "gpu", "cpu") if device in devices)

    @property
    def rule(self) -> str:
        """When it holds, in words."""
        return " ".join(type(self.criterion).__doc__.split())

    @property
    def title(self) -> str:
        """The article's."""
        return ARTICLES[self.article]

    @property
    def other_ways(self) -> list[str]:
        """What it counts that computes in another way than the kernel says, and how."""
        ways = ((case, case.other_way) for case in self.criterion.cases)
        return list(dict.fromkeys(f"{case.backend}'s {case.kernel} by {way}" for case, way in ways if way))

    def measured(self, evidence: Evidence) -> Found | None:
        """The measurements that decide it, or None where they are not all there."""
        return self.criterion.find(evidence)

    def judge(self, evidence: Evidence) -> Verdict:
        """Whether it holds on a machine."""
        found = self.measured(evidence)
        if found is None:
            return Verdict(UNMEASURED, evidence.missing(self.criterion.cases))
        outcome = self.criterion.judge(found.measurements)
        note = f" (at {found.size:,}, the nearest size measured)" if found.size else ""
        ways = f" (not the same computation: {'; '.join(self.other_ways)})" if self.other_ways else ""
        return Verdict(outcome.word, outcome.text + note + ways, found, outcome)


# How claims are written down: `at` names a kernel, size and precision; called with a backend (and a device) it
# gives the case. The faster one comes first in a comparison.


def at(kernel: str, size: int, dtype: str = "float64"):
    """Cases of one kernel, size and precision."""

    def case(backend: str, device: str = "cpu", measure: str = "time_call") -> Case:
        return Case(kernel, size, backend, device, dtype, measure)

    return case


def beats(fast: Case, *slow: Case) -> tuple[Pair, ...]:
    """``fast`` against each of the others."""
    return tuple(Pair(fast, other) for other in slow)


def times(ratio: float | tuple[float, float], *pairs: tuple[Pair, ...]) -> TimesFaster:
    """Each pair by a ratio, or by one in a range."""
    lowest, highest = ratio if isinstance(ratio, tuple) else (ratio, ratio)
    return TimesFaster(joined(pairs), ratio=(lowest, highest))


def faster(*pairs: tuple[Pair, ...]) -> Faster:
    """Each pair in this order."""
    return Faster(joined(pairs))


def grows(ratio: float, small: Case, large: Case) -> Grows:
    """The time of one, from a small size to a large."""
    return Grows(beats(small, large), ratio=(ratio, ratio))


def hardly_grows(ratio: float, small: Case, large: Case) -> HardlyGrows:
    """The time of one hardly grows, from a small size to a large."""
    return HardlyGrows(beats(small, large), ratio=(ratio, ratio))


def alike(first: Case, *others: Case, within: float | None = None) -> Alike:
    """All of them close together."""
    pairs = beats(first, *others)
    return Alike(pairs) if within is None else Alike(pairs, within=within)


def joined(pairs: tuple[tuple[Pair, ...], ...]) -> tuple[Pair, ...]:
    """One tuple of all."""
    return tuple(pair for group in pairs for pair in group)


def each_size(criterion: Criterion) -> Criterion:
    """Decided by those sizes at which everything was measured."""
    return replace(criterion, each_size=True)


# Article 000 ---------------------------------------------------------------------------------------------------------

polynomial, polynomial32 = at("polynomial", 10_000), at("polynomial", 10_000, "float32")
product, product32 = at("matmul_transposed", 10_000), at("matmul_transposed", 10_000, "float32")
products = [at("matmul_transposed", size) for size in (10, 30, 100, 300, 1_000, 3_000, 10_000)]
mapped, vectorised = (
    [at(f"vmap_{form}", n) for n in (1, 10, 100, 1_000, 10_000, 100_000)] for form in ("mapped", "vectorised")
)
mapped_or_looped = [(at("vmap_mapped", n), at("vmap_loop", n)) for n in (10, 100, 1_000, 10_000)]
devices = {n: at("convolve_devices", n)("jax-jit") for n in (1, 2, 4)}

ARTICLE_000 = [
    Claim(
        "000",
        "A polynomial of a 10,000 × 10,000 matrix: JAX with JIT is 6 times faster than NumPy",
        "6× faster",
        times(6, beats(polynomial("jax-jit"), polynomial("numpy"))),
    ),
    Claim(
        "000",
        "The same, as it was run: JAX in its default float32 against NumPy in float64",
        "6× faster",
        times(6, beats(polynomial32("jax-jit"), polynomial("numpy"))),
    ),
    Claim(
        "000",
        "x·xᵀ of a 10,000 × 10,000 matrix: NumPy is faster than JAX on a CPU",
        "NumPy 11.7 s, JAX more",
        faster(beats(product("numpy"), product("jax"))),
    ),
    Claim(
        "000",
        "The same, as it was run: NumPy in float64 against JAX in its default float32",
        "NumPy 11.7 s, JAX more",
        faster(beats(product("numpy"), product32("jax"))),
    ),
    Claim(
        "000",
        "x·xᵀ of a 10,000 × 10,000 matrix: JAX on a GPU is orders of magnitude faster than NumPy",
        "up to 120× faster",
        times((10, 120), beats(product32("jax", "gpu"), product("numpy"))),
    ),
    Claim(
        "000",
        "x·xᵀ of a 10,000 × 10,000 matrix: JAX on a TPU is orders of magnitude faster than NumPy",
        "up to 120× faster",
        times((10, 120), beats(product32("jax", "tpu"), product("numpy"))),
    ),
    Claim(
        "000",
        "x·xᵀ: there are small sizes at which NumPy is faster than JAX with JIT",
        "some sizes (a figure)",
        each_size(Somewhere(joined(tuple(beats(p("numpy"), p("jax-jit")) for p in products)))),
    ),
    Claim(
        "000",
        "vmap brings no gain over code that is vectorised by hand",
        "no good use found",
        each_size(
            NotFaster(joined(tuple(beats(m("jax-jit"), v("jax-jit")) for m, v in zip(mapped, vectorised, strict=True))))
        ),
    ),
    Claim(
        "000",
        "Vectorised by vmap, some computations are orders of magnitude faster than as a loop",
        "a few orders of magnitude",
        each_size(
            BestTimesFaster(
                joined(tuple(beats(vmap("jax-jit"), loop("jax")) for vmap, loop in mapped_or_looped)),
                ratio=(100, 1_000),
            )
        ),
    ),
    Claim(
        "000",
        "A convolution spread over several devices is faster (here 2 and 4, parts of one CPU, against 1)",
        "significantly faster",
        faster(beats(devices[2], devices[1]), beats(devices[4], devices[1])),
    ),
]

# Article 001 ---------------------------------------------------------------------------------------------------------
# Its times are of a number of calls that is the same for all libraries, so their ratios are those of a call.

elementwise_small, elementwise_large = at("elementwise", 1_000), at("elementwise", 1_000_000)
matmul_small, matmul_large = at("matmul", 100), at("matmul", 2_000)
gradient_small, gradient_large = at("gradient", 100), at("gradient", 10_000)
fft_small, fft_large = at("fft", 1_000), at("fft", 1_000_000)
sort_small, sort_large = at("sort", 1_000), at("sort", 1_000_000)
SMALL = (elementwise_small, matmul_small, gradient_small, fft_small, sort_small)
LARGE = (elementwise_large, matmul_large, gradient_large, fft_large, sort_large)

ELEMENTWISE = [
    Claim(
        "001",
        "Elementwise, 1,000: PyTorch and NumPy are nearly tied",
        "~4 ms each (500 calls)",
        alike(elementwise_small("numpy"), elementwise_small("torch")),
    ),
    Claim(
        "001",
        "Elementwise, 1,000: JAX pays for dispatch, against NumPy and PyTorch",
        "~170 ms to ~4 ms: 42× slower",
        times(
            170 / 4,
            beats(elementwise_small("numpy"), elementwise_small("jax")),
            beats(elementwise_small("torch"), elementwise_small("jax")),
        ),
    ),
    Claim(
        "001",
        "Elementwise, 1,000: JAX takes the same on a CPU and a GPU",
        "~170 ms each",
        alike(elementwise_small("jax"), elementwise_small("jax", "gpu")),
    ),
    Claim(
        "001",
        "Elementwise, a million: JAX is faster than NumPy",
        "0.155 s to 1.07 s: 6.9× faster",
        times(1.07 / 0.155, beats(elementwise_large("jax"), elementwise_large("numpy"))),
    ),
    Claim(
        "001",
        "Elementwise, a million: JAX takes the same on a CPU and a GPU",
        "~0.155 s each",
        alike(elementwise_large("jax"), elementwise_large("jax", "gpu")),
    ),
    Claim(
        "001",
        "Elementwise, a million: PyTorch on a GPU is about 50 times faster than NumPy",
        "0.021 s to 1.07 s: ~50× faster",
        times(50, beats(elementwise_large("torch", "gpu"), elementwise_large("numpy"))),
    ),
    Claim(
        "001",
        "Elementwise, a million: PyTorch on a GPU is faster than JAX on a CPU or GPU",
        "0.021 s to 0.155 s: 7.4× faster",
        times(
            0.155 / 0.021,
            beats(elementwise_large("torch", "gpu"), elementwise_large("jax"), elementwise_large("jax", "gpu")),
        ),
    ),
]

MATMUL = [
    Claim(
        "001",
        "Matrix product, 100: NumPy and PyTorch are tied",
        "~5.7 ms each (200 calls)",
        alike(matmul_small("numpy"), matmul_small("torch")),
    ),
    Claim(
        "001",
        "Matrix product, 100: JAX is slower than NumPy and PyTorch",
        "slower (a figure)",
        faster(beats(matmul_small("numpy"), matmul_small("jax")), beats(matmul_small("torch"), matmul_small("jax"))),
    ),
    Claim(
        "001",
        "Matrix product, 2,000: NumPy, PyTorch and JAX on a CPU are within 15 %",
        "3.42 s to ~4.0 s (50 calls)",
        alike(matmul_large("numpy"), matmul_large("torch"), matmul_large("jax"), within=0.15),
    ),
    Claim(
        "001",
        "Matrix product, 2,000: all five, with PyTorch and JAX on a GPU, are within 15 %",
        "3.4 s to 4.0 s",
        alike(
            matmul_large("numpy"),
            matmul_large("torch"),
            matmul_large("jax"),
            matmul_large("torch", "gpu"),
            matmul_large("jax", "gpu"),
            within=0.15,
        ),
    ),
    Claim(
        "001",
        "Matrix product, 2,000: PyTorch is the fastest on a CPU, by a little",
        "3.42 s; NumPy ~4.0 s",
        faster(beats(matmul_large("torch"), matmul_large("numpy"), matmul_large("jax"))),
    ),
    Claim(
        "001",
        "Matrix product, 2,000: PyTorch on a CPU is faster than JAX on a GPU",
        "3.42 s to ~4.0 s: 1.2× faster",
        times(4.0 / 3.42, beats(matmul_large("torch"), matmul_large("jax", "gpu"))),
    ),
]

GRADIENT = [
    Claim(
        "001",
        "Gradient, 100: PyTorch is the fastest",
        "6.6 ms (100 calls)",
        faster(beats(gradient_small("torch"), gradient_small("numpy"), gradient_small("jax"))),
    ),
    Claim(
        "001",
        "Gradient, 100: NumPy's finite differences remain near PyTorch",
        "30.8 ms to 6.6 ms: 4.7× slower",
        times(30.8 / 6.6, beats(gradient_small("torch"), gradient_small("numpy"))),
    ),
    Claim(
        "001",
        "Gradient, 100: NumPy's finite differences are faster than JAX",
        "30.8 ms to ~400 ms: 13× faster",
        times(400 / 30.8, beats(gradient_small("numpy"), gradient_small("jax"))),
    ),
    Claim(
        "001",
        "Gradient, 100: PyTorch is faster than JAX",
        "6.6 ms to ~400 ms: 61× faster",
        times(400 / 6.6, beats(gradient_small("torch"), gradient_small("jax"))),
    ),
    Claim(
        "001",
        "Gradient, 10,000: PyTorch is 1000 times faster than NumPy's finite differences",
        "2.1 ms to 2.16 s: 1000× faster",
        times(1000, beats(gradient_large("torch"), gradient_large("numpy"))),
    ),
    Claim(
        "001",
        "Gradient, 10,000: JAX is faster than NumPy's finite differences",
        "~0.25 s to 2.16 s: 8.6× faster",
        times(2.16 / 0.25, beats(gradient_large("jax"), gradient_large("numpy"))),
    ),
    Claim(
        "001",
        "Gradient, 10,000: PyTorch is faster than JAX",
        "2.1 ms to ~0.25 s: 119× faster",
        times(0.25 / 2.1e-3, beats(gradient_large("torch"), gradient_large("jax"))),
    ),
    Claim(
        "001",
        "Gradient, 10,000: PyTorch on a GPU is faster than JAX on a GPU",
        "faster (a figure)",
        faster(beats(gradient_large("torch", "gpu"), gradient_large("jax", "gpu"))),
    ),
    Claim(
        "001",
        "Gradient, from 100 to 10,000: the time of finite differences grows with the size",
        "0.308 ms to 108 ms a call: 351×",
        grows((2.16 / 20) / (30.8e-3 / 100), gradient_small("numpy"), gradient_large("numpy")),
    ),
    Claim(
        "001",
        "Gradient, from 100 to 10,000: the time of PyTorch's backward pass hardly grows",
        "66 µs to 105 µs a call: 1.6×",
        hardly_grows((2.1e-3 / 20) / (6.6e-3 / 100), gradient_small("torch"), gradient_large("torch")),
    ),
]

FFT = [
    Claim(
        "001",
        "Fourier transform, 1,000: PyTorch and NumPy are nearly the same",
        "~5.5 ms each (500 calls)",
        alike(fft_small("numpy"), fft_small("torch")),
    ),
    Claim(
        "001",
        "Fourier transform, 1,000: PyTorch and NumPy are about 20 times faster than JAX",
        "~20× faster",
        times(20, beats(fft_small("numpy"), fft_small("jax")), beats(fft_small("torch"), fft_small("jax"))),
    ),
    Claim(
        "001",
        "Fourier transform, a million: PyTorch is faster than NumPy",
        "0.15 s to 1.71 s: 11× faster",
        times(1.71 / 0.15, beats(fft_large("torch"), fft_large("numpy"))),
    ),
    Claim(
        "001",
        "Fourier transform, a million: JAX is faster than NumPy",
        "~0.12 s to 1.71 s: 14× faster",
        times(1.71 / 0.12, beats(fft_large("jax"), fft_large("numpy"))),
    ),
    Claim(
        "001",
        "Fourier transform, a million: JAX is faster than PyTorch on a CPU",
        "~0.12 s to 0.15 s: 1.3× faster",
        times(0.15 / 0.12, beats(fft_large("jax"), fft_large("torch"))),
    ),
    Claim(
        "001",
        "Fourier transform, a million: JAX takes the same on a CPU and a GPU",
        "~0.12 s each",
        alike(fft_large("jax"), fft_large("jax", "gpu")),
    ),
    Claim(
        "001",
        "Fourier transform, a million: PyTorch on a GPU is 43 times faster than NumPy",
        "0.040 s to 1.71 s: 43× faster",
        times(43, beats(fft_large("torch", "gpu"), fft_large("numpy"))),
    ),
    Claim(
        "001",
        "Fourier transform, a million: PyTorch on a GPU is faster than JAX on a GPU",
        "0.040 s to ~0.12 s: 3× faster",
        times(0.12 / 0.040, beats(fft_large("torch", "gpu"), fft_large("jax", "gpu"))),
    ),
]

SORT = [
    Claim(
        "001",
        "Sort, 1,000: NumPy is faster than PyTorch",
        "1.0 ms to 3.1 ms: 3.1× faster",
        times(3.1, beats(sort_small("numpy"), sort_small("torch"))),
    ),
    Claim(
        "001",
        "Sort, 1,000: NumPy is faster than JAX",
        "1.0 ms to ~250 ms: 250× faster",
        times(250, beats(sort_small("numpy"), sort_small("jax"))),
    ),
    Claim(
        "001",
        "Sort, a million: PyTorch on a CPU is 9.5 times slower than NumPy",
        "3.79 s to 0.40 s: 9.5× slower",
        times(9.5, beats(sort_large("numpy"), sort_large("torch"))),
    ),
    Claim(
        "001",
        "Sort, a million: JAX is faster than NumPy",
        "~0.086 s to 0.40 s: 4.7× faster",
        times(0.40 / 0.086, beats(sort_large("jax"), sort_large("numpy"))),
    ),
    Claim(
        "001",
        "Sort, a million: JAX is faster than PyTorch on a CPU",
        "~0.086 s to 3.79 s: 44× faster",
        times(3.79 / 0.086, beats(sort_large("jax"), sort_large("torch"))),
    ),
    Claim(
        "001",
        "Sort, a million: PyTorch on a GPU is 70 times faster than PyTorch on a CPU",
        "0.054 s to 3.79 s: 70× faster",
        times(70, beats(sort_large("torch", "gpu"), sort_large("torch"))),
    ),
    Claim(
        "001",
        "Sort, a million: JAX takes the same on a CPU and a GPU",
        "~0.086 s each",
        alike(sort_large("jax"), sort_large("jax", "gpu")),
    ),
    Claim(
        "001",
        "Sort, a million: PyTorch on a GPU is faster than JAX on a GPU",
        "0.054 s to ~0.086 s: 1.6× faster",
        times(0.086 / 0.054, beats(sort_large("torch", "gpu"), sort_large("jax", "gpu"))),
    ),
]

OVERALL = [
    Claim(
        "001",
        "At small sizes JAX is slower than NumPy in all five operations",
        "five of five",
        faster(*(beats(case("numpy"), case("jax")) for case in SMALL)),
    ),
    Claim(
        "001",
        "No library (of NumPy, JAX and PyTorch) is the fastest in all ten comparisons on a CPU",
        "none of three",
        NoSingleWinner(tuple(tuple(case(b) for b in ("numpy", "jax", "torch")) for case in (*SMALL, *LARGE))),
    ),
    Claim(
        "001",
        "JAX's first call, which traces and compiles, is slower than later ones (elementwise, 1,000)",
        "significantly slower",
        faster(beats(elementwise_small("jax"), elementwise_small("jax", measure="track_first_call"))),
    ),
]

# Article 002 ---------------------------------------------------------------------------------------------------------
# Its JAX computes x·xᵀ, its TensorFlow and PyTorch x·x, which is as much work; here all three compute x·xᵀ.
# Where its GPU brings the result to the host, ours takes the input to the GPU as well.

x_xt, selu = at("matmul_transposed", 3_000, "float32"), at("selu", 3_000, "float32")
THREE = ("jax", "tensorflow", "torch")

ARTICLE_002 = [
    Claim(
        "002",
        "x·xᵀ, 3,000, on a CPU: JAX, TensorFlow and PyTorch are within 5 %",
        "332, 350 and 345 ms",
        alike(*(x_xt(backend) for backend in THREE), within=0.05),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000, on a CPU: JAX's first call takes no longer than later ones",
        "332 ms each",
        alike(x_xt("jax"), x_xt("jax", measure="track_first_call")),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000, result brought back from a GPU: JAX, TensorFlow and PyTorch perform alike",
        "12.5, 13.2 and 12.8 ms",
        alike(*(x_xt(backend, "gpu", "time_round_trip") for backend in THREE), within=0.05),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000: a GPU, result brought back, is about 27 times faster than the CPU",
        "330 ms to 12 ms: ~27× faster",
        times(27, *(beats(x_xt(b, "gpu", "time_round_trip"), x_xt(b)) for b in THREE)),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000, JAX on a TPU: leaving the result there is faster than bringing it back",
        "2.12 ms to 8.45 ms: 4× faster",
        times(8.45 / 2.12, beats(x_xt("jax", "tpu"), x_xt("jax", "tpu", "time_round_trip"))),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000: JAX on a TPU, result left there, is about 4 times faster than on a GPU, brought back",
        "2.12 ms to 12.5 ms: ~4× faster",
        times(4, beats(x_xt("jax", "tpu"), x_xt("jax", "gpu", "time_round_trip"))),
    ),
    Claim(
        "002",
        "x·xᵀ, 3,000: JAX on a TPU, result left there, is about 156 times faster than on a CPU",
        "2.12 ms to 330 ms: ~156× faster",
        times(156, beats(x_xt("jax", "tpu"), x_xt("jax"))),
    ),
    *(
        Claim(
            "002",
            f"SELU, 3,000 × 3,000, on a {device.upper()}: JIT makes JAX 8.2 times faster",
            "1.85 ms to 15.2 ms: ~8.2× faster (device not stated)",
            times(8.2, beats(selu("jax-jit", device), selu("jax", device))),
        )
        for device in ("cpu", "gpu", "tpu")
    ),
    Claim(
        "002",
        "SELU, 3,000 × 3,000: the first call of JAX with JIT, which compiles, is slower than later ones",
        "slower",
        faster(beats(selu("jax-jit"), selu("jax-jit", measure="track_first_call"))),
    ),
]

# Article 003 ---------------------------------------------------------------------------------------------------------

regressions = [at("linear_regression", features) for features in (2, 5, 10, 20, 50, 100)]

ARTICLE_003 = [
    Claim(
        "003",
        "Linear regression on a CPU: JAX is the fastest, at every number of features",
        "the winner (a table)",
        each_size(
            faster(*(beats(r("jax-jit"), *map(r, ("numpy", "numba", "tensorflow-xla", "torch"))) for r in regressions))
        ),
    ),
    Claim(
        "003",
        "Linear regression on a CPU: JAX is 2 to 3 times faster than NumPy",
        "2–3× faster",
        each_size(times((2, 3), *(beats(r("jax-jit"), r("numpy")) for r in regressions))),
    ),
    Claim(
        "003",
        "Linear regression on a CPU: TensorFlow is 2 to 3 times faster than NumPy",
        "2–3× faster",
        each_size(times((2, 3), *(beats(r("tensorflow-xla"), r("numpy")) for r in regressions))),
    ),
    Claim(
        "003",
        "Linear regression on a CPU: TensorFlow is close to JAX",
        "not far apart; both 2–3× faster than NumPy, so within a third",
        each_size(
            Alike(joined(tuple(beats(r("jax-jit"), r("tensorflow-xla")) for r in regressions)), within=1 - 2 / 3)
        ),
    ),
    Claim(
        "003",
        "Linear regression: Numba is not faster than NumPy with few features, and is with many",
        "only at large dimension",
        each_size(Overtakes(joined(tuple(beats(r("numba"), r("numpy")) for r in regressions)))),
    ),
    Claim(
        "003",
        "Linear regression: JAX, TensorFlow and PyTorch on a GPU are all faster than NumPy",
        "much faster (a table)",
        each_size(
            faster(
                *(beats(r(b, "gpu"), r("numpy")) for r in regressions for b in ("jax-jit", "tensorflow-xla", "torch"))
            )
        ),
    ),
    Claim(
        "003",
        "Linear regression: the highest gain of a GPU over NumPy is 5 times",
        "5× faster at best",
        each_size(
            BestTimesFaster(
                joined(
                    tuple(
                        beats(r(b, "gpu"), r("numpy"))
                        for r in regressions
                        for b in ("jax-jit", "tensorflow-xla", "torch")
                    )
                ),
                ratio=(5, 5),
            )
        ),
    ),
    Claim(
        "003",
        "Linear regression, 100 features, on a GPU: PyTorch is faster than JAX and TensorFlow",
        "slightly faster",
        faster(
            beats(regressions[-1]("torch", "gpu"), *(regressions[-1](b, "gpu") for b in ("jax-jit", "tensorflow-xla")))
        ),
    ),
]

CLAIMS = [*ARTICLE_000, *ELEMENTWISE, *MATMUL, *GRADIENT, *FFT, *SORT, *OVERALL, *ARTICLE_002, *ARTICLE_003]
