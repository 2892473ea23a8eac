"""Parts of an ocean model, on a grid of longitude, latitude and depth: the kernels of pyhpc-benchmarks (Veros).

Their sizes are numbers of cells, from which the grid follows as there. float64 only: in float32 they mean nothing.
"""

from math import ceil

from kernels.kernel import Kernel, Peer
from kernels.ocean import coefficients as of
from kernels.ocean.constants import (
    BEFORE,
    BY_PRESSURE,
    BY_SALT,
    BY_SQUARE,
    BY_TEMPERATURE,
    DENSITY,
    DISSIPATION,
    GRAVITY,
    INNER,
    LEAST,
    NOW,
    REFERENCE,
    SPREADING,
    STEEPEST,
    TINY,
    WIDTH,
)

SIZES = (4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304)
ADDRESS = "https://github.com/dionhaefner/pyhpc-benchmarks"


def shape(size):
    """Cells along longitude, latitude and depth."""
    return ceil(2 * size ** (1 / 3)), ceil(2 * size ** (1 / 3)), ceil(0.25 * size ** (1 / 3))


def cells(size):
    """Return how many that are in all."""
    nx, ny, nz = shape(size)
    return nx * ny * nz


def seawater(rng, size):
    """Salinity in g/kg and temperature in °C, shape (nx, ny, nz), and pressure in dbar, shape (1, 1, nz)."""
    grid = shape(size)
    return rng.uniform(0.01, 10, grid), rng.uniform(-12, 20, grid), rng.uniform(0, 1_000, (1, 1, grid[2]))


def peer_seawater(size):
    """As pyhpc-benchmarks draws it."""
    import numpy as np

    return seawater(np.random.RandomState(17), size)


def polynomial(factors, t):
    """Σ factorsᵢ·tⁱ and its derivative."""
    return sum(f * t**i for i, f in enumerate(factors)), sum(i * f * t ** (i - 1) for i, f in enumerate(factors) if i)


def enthalpy_slope(salinity, temperature, pressure):
    """Return the derivative of 10⁴ ∫ (specific volume) dp from 0 to the pressure, by Gauss's rule with 20 nodes.

    The derivative of the quotient itself is integrated. Nothing cancels there, unlike in the closed form.
    """
    import numpy as np

    s, t = salinity, temperature
    root = s * np.sqrt(s)

    def both(plain, salt=(0.0,), rooted=(0.0,)):
        parts = polynomial(plain, t), polynomial(salt, t), polynomial(rooted, t)
        return [x + s * y + root * z for x, y, z in zip(*parts, strict=True)]

    a, da = both(of.A, of.A_SALT, of.A_ROOT)
    b, db = both(of.B, of.B_SALT)
    c, dc = both(of.C, (of.C_SALT,))
    n0, dn0 = both(of.N0, of.N0_SALT, of.N0_ROOT)
    n1, dn1 = both(of.N1, of.N1_SALT)
    n2, dn2 = both(of.N2, (0.0, of.N2_SALT))
    n3, dn3 = both(of.N3)
    n0 = n0 + of.N0_SQUARE * s**2
    total = 0.0
    for node, weight in zip(*np.polynomial.legendre.leggauss(20), strict=True):
        p = pressure * (1 + node) / 2
        above, below = n0 + p * (n1 + p * (n2 + p * n3)), a + p * (b + p * c)
        d_above, d_below = dn0 + p * (dn1 + p * (dn2 + p * dn3)), da + p * (db + p * dc)
        total = total + weight * (d_above * below - above * d_below) / below**2
    return 1e4 * pressure / 2 * total


def masks(rng, grid, count):
    """Water and land: as many fields of 1 and 0, nine tenths of it water."""
    return [(rng.uniform(0, 1, grid) < 0.9).astype(float) for _ in range(count)]


def ocean(rng, size):
    """Four masks; sizes of cells along three axes, of cells and of their faces; cosines of latitude, of cells and of
    faces; salinity and temperature, (nx, ny, nz, 3); depths; diffusivity, and three of its tensor's components.
    """
    import numpy as np

    nx, ny, nz = grid = shape(size)
    dx = [1e5 * rng.uniform(0.9, 1.1, n) for n in (nx, nx, ny, ny)]
    dzt, dzw = (100 * rng.uniform(0.9, 1.1, nz) for _ in range(2))
    cosines = [rng.uniform(0.5, 1, ny) for _ in range(2)]
    depths = -(np.cumsum(dzt[::-1])[::-1] - dzt / 2)
    diffusivity = rng.uniform(0, 2_000, grid)
    tensor = [rng.standard_normal(grid) for _ in range(3)]
    salt = 35 + 0.1 * rng.standard_normal((*grid, 3))
    warmth = 15 + 0.01 * depths[:, None] + 0.5 * rng.standard_normal((*grid, 3))
    return *masks(rng, grid, 4), *dx, dzt, dzw, *cosines, salt, warmth, depths, diffusivity, *tensor


def peer_ocean(size):
    """As pyhpc-benchmarks draws it."""
    import numpy as np

    rng = np.random.RandomState(17)
    nx, ny, nz = grid = shape(size)
    water = [(rng.rand(*grid) < 0.8).astype(float) for _ in range(4)]
    dx = [rng.randn(n) for n in (nx, nx, ny, ny)]
    dzt, dzw, depths = (rng.randn(nz) for _ in range(3))
    cosines = [rng.randn(ny) for _ in range(2)]
    diffusivity, *tensor = (rng.randn(*grid) for _ in range(4))
    salt, warmth = (rng.randn(*grid, 3) for _ in range(2))
    return *water, *dx, dzt, dzw, *cosines, salt, warmth, depths, diffusivity, *tensor


def neighbour(field, axis, step=1):
    """Return the field of the next cell along an axis; at the border, of the one at the other."""
    import numpy as np

    return np.roll(field, -step, axis)


def mixing(
    mask_t, mask_u, mask_v, mask_w, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, salt, temp, zt, k_iso, k_11, k_22, k_33
):
    """Tensors of diffusion along neutral surfaces (Griffies and others, 1998), by neighbours of all cells at once."""
    import numpy as np

    temp, salt = temp[..., 0], salt[..., 0]
    by_heat = (
        -mask_t
        * DENSITY
        * (BY_SQUARE * (temp - REFERENCE) + BY_TEMPERATURE * (1 + BY_PRESSURE * GRAVITY * np.abs(zt) * DENSITY))
    )
    by_salt = mask_t * DENSITY * BY_SALT
    lengths = dxu[:, None, None] * cost[:, None], dyu[:, None] + 0 * temp, dzw + 0 * temp
    heat, brine = [], []
    for axis, (mask, length) in enumerate(zip((mask_u, mask_v, mask_w), lengths, strict=True)):
        for change, field in ((heat, temp), (brine, salt)):
            found = mask * (neighbour(field, axis) - field) / length
            found[(slice(None),) * axis + (-1,)] = 0
            change.append(found)

    def tapered(level, horizontal, vertical):
        """Return a slope and its taper: densities change as at the cells of ``level``."""
        warm, salty = level
        down = np.minimum(0, warm * vertical[0] + salty * vertical[1])
        slope = -(warm * horizontal[0] + salty * horizontal[1]) / (down - TINY)
        return slope, 0.5 * (1 + np.tanh((STEEPEST - np.abs(slope)) / WIDTH))

    inner = INNER, INNER
    found = []
    for axis, mask, k in ((0, mask_u, k_11), (1, mask_v, k_22)):
        horizontal = heat[axis], brine[axis]
        pairs = k_iso + neighbour(k_iso, axis)
        mean = 0.25 * (pairs + neighbour(pairs, 2, -1))
        mean[:, :, 0] = 0.5 * pairs[:, :, 0]
        slopes, total = np.zeros((*temp.shape, 2, 2)), np.zeros(temp.shape)
        for i in range(2):
            level = neighbour(by_heat, axis, i), neighbour(by_salt, axis, i)
            for j in range(2):
                vertical = [neighbour(neighbour(field, axis, i), 2, j - 1) for field in (heat[2], brine[2])]
                slope, taper = tapered(level, horizontal, vertical)
                part = neighbour(dzw, 0, j - 1) * mask * np.maximum(LEAST, mean * taper)
                slopes[..., i, j] = taper * slope * mask
                if j == 0:
                    part[:, :, 0] = slopes[:, :, 0, i, j] = 0
                total += part
        here = (slice(1, -2), INNER) if axis == 0 else (INNER, slice(1, -2))
        tensor, kept = k.copy(), np.zeros_like(slopes)
        tensor[here], kept[here] = (total / (4 * dzt))[here], slopes[here]
        found.append((tensor, kept))
    vertical = heat[2], brine[2]
    sums, kept = [], []
    for axis, length in ((0, dxu[:, None, None]), (1, (cosu * dyu)[None, :, None])):
        slopes, total = np.zeros((*temp.shape, 2, 2)), np.zeros(temp.shape)
        for i in range(2):
            for j in range(2):
                level = neighbour(by_heat, 2, j), neighbour(by_salt, 2, j)
                horizontal = [neighbour(neighbour(field, axis, i - 1), 2, j) for field in (heat[axis], brine[axis])]
                slope, taper = tapered(level, horizontal, vertical)
                total += neighbour(length, axis, i - 1) * k_iso * taper * slope**2 * mask_w
                slopes[..., i, j] = taper * slope * mask_w
        slopes[:, :, -1] = 0
        sums.append(total)
        kept.append(np.zeros_like(slopes))
        kept[-1][inner] = slopes[inner]
    tensor = k_33.copy()
    both = sums[0] / (4 * dxt[:, None, None]) + sums[1] / (4 * (dyt * cost)[:, None])
    both[:, :, -1] = 0
    tensor[inner] = both[inner]
    (east, slopes_x), (north, slopes_y) = found
    return east, north, tensor, slopes_x, slopes_y, *kept


def turbulence(rng, size):
    """Velocities along three axes, (nx, ny, nz, 3); three masks; sizes of cells and faces, cosines as `ocean` has them;
    the lowest cell of each column, int64; mixing, length, forcing; forcing at the surface, (nx, ny); turbulent kinetic
    energy now, next and before, and its tendency, (nx, ny, nz, 3).
    """
    nx, ny, nz = grid = shape(size)
    velocities = [rng.standard_normal((*grid, 3)) for _ in range(3)]
    water = masks(rng, grid, 3)
    dx = [1e4 * rng.uniform(0.9, 1.1, n) for n in (nx, nx, ny, ny)]
    dz = [10 * rng.uniform(0.9, 1.1, nz) for _ in range(2)]
    cosines = [rng.uniform(0.5, 1, ny) for _ in range(2)]
    lowest = rng.integers(0, nz, (nx, ny))
    fields = rng.uniform(0, 50, grid), rng.uniform(0.5, 5, grid), 0.1 * rng.standard_normal(grid)
    surface = rng.standard_normal((nx, ny))
    energy = rng.uniform(0, 2, (*grid, 3)), 0.1 * rng.standard_normal((*grid, 3))
    return *velocities, *water, *dx, *dz, *cosines, lowest, *fields, surface, *energy


def peer_turbulence(size):
    """As pyhpc-benchmarks draws it."""
    import numpy as np

    rng = np.random.RandomState(17)
    nx, ny, nz = grid = shape(size)
    water = [(rng.rand(*grid) < 0.8).astype(float) for _ in range(3)]
    lengths = [rng.randn(n) for n in (nx, nx, ny, ny, nz, nz, ny, ny)]
    lowest, surface = rng.randint(0, nz, size=(nx, ny)), rng.randn(nx, ny)
    fields = [rng.randn(*grid) for _ in range(3)]
    *velocities, energy, tendency = (rng.randn(*grid, 3) for _ in range(5))
    return *velocities, *water, *lengths, lowest, *fields, surface, energy, tendency


def superbee(velocity, energy, mask, length, axis, cosine=1.0):
    """Fluxes through the faces along an axis, by Roe's limiter, from neighbours of all cells at once."""
    import numpy as np

    change = (neighbour(energy, axis) - energy) * mask
    upwind = np.where(velocity > 0, neighbour(change, axis, -1), neighbour(change, axis))
    ratio = upwind / np.where(np.abs(change) < TINY, TINY, change)
    limit = np.maximum(0, np.maximum(np.minimum(1, 2 * ratio), np.minimum(2, ratio)))
    velocity = velocity * cosine
    speed = np.abs(velocity)
    mean = velocity * (neighbour(energy, axis) + energy) / 2
    return mean - speed * (1 - limit + np.abs(velocity / length) * limit) * change / 2


def stirred(
    u, v, w, mask_u, mask_v, mask_w, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, lowest, mixing, length, forcing, surface,
    energy, tendency,
):  # fmt: skip
    """One step of turbulent kinetic energy (Gaspar and others, 1990): the new energy, its tendency and a correction."""
    import numpy as np

    now, after = energy[..., 0], energy[..., 1].copy()
    u, v, w, change = u[..., 0], v[..., 0], w[..., 0], tendency[..., 0].copy()
    nz = dzw.size
    deep = np.append(dzw[:-1], dzw[-1] / 2)
    inner = INNER, INNER

    # What mixes upwards and dissipates, by a dense system of each column.
    delta = np.zeros_like(now)
    delta[:, :, :-1] = (mixing[:, :, :-1] + mixing[:, :, 1:]) / 2 / dzt[1:]
    lost = DISSIPATION * np.sqrt(np.maximum(0, now)) / length
    level, start = np.arange(nz), lowest[:, :, None] - 1
    water, edge = (start >= 0) & (level >= start), (start >= 0) & (level == start)
    under = neighbour(delta, 2, -1)
    matrix = np.zeros((*now.shape, nz))
    matrix[..., level, level] = np.where(water, 1 + (delta + np.where(edge, 0, under)) / deep + lost, 1)
    bottom = 1 + delta / dzw + lost
    matrix[..., level, level] = np.where(edge, bottom, matrix[..., level, level])
    matrix[..., level[1:], level[:-1]] = np.where(water & ~edge, -under / deep, 0)[..., 1:]
    matrix[..., level[:-1], level[1:]] = np.where(water, -delta / dzw, 0)[..., :-1]
    right = now + forcing
    right[:, :, -1] += surface / deep[-1]
    solved = np.linalg.solve(matrix, np.where(water, right, 0)[..., None])[..., 0]
    after[inner] = np.where(water, solved, after)[inner]
    correction = np.zeros_like(surface)
    correction[inner] = np.maximum(0, -after[inner][..., -1] * deep[-1])
    after[inner] = np.where(level == nz - 1, np.maximum(0, after), after)[inner]

    # What spreads sideways.
    east = SPREADING * (neighbour(now, 0) - now) / (cost[:, None] * dxu[:, None, None]) * mask_u
    north = SPREADING * (neighbour(now, 1) - now) / dyu[:, None] * mask_v * cosu[:, None]
    area_x, area_y = cost[:, None] * dxt[:, None, None], (cost * dyt)[:, None]
    spread = (east - neighbour(east, 0, -1)) / area_x + (north - neighbour(north, 1, -1)) / area_y
    after[inner] += (mask_w * spread)[inner]

    # What is carried along.
    both = [mask_w * neighbour(mask_w, axis) for axis in range(3)]
    both[2][:, :, -1] = 0
    east = superbee(u, now, both[0], area_x, 0)
    north = superbee(v, now, both[1], area_y, 1, cosu[:, None])
    top = superbee(w, now, both[2], dzw, 2)
    top[:, :, -1] = 0
    carried = (east - neighbour(east, 0, -1)) / area_x + (north - neighbour(north, 1, -1)) / area_y
    change[inner] = (-mask_w * carried - (top - neighbour(top, 2, -1)) / deep)[inner]
    return after + NOW * change - BEFORE * tendency[..., 2], change, correction


KERNELS = (
    Kernel(
        "equation_of_state",
        "derivative of seawater's dynamic enthalpy by temperature, 48 terms, in closed form",
        sizes=SIZES,
        small=4_096,
        large=262_144,
        least=1_729,
        dtypes=("float64",),
        inputs=seawater,
        reference=enthalpy_slope,
        # Counted in the peer's program.
        flops=lambda size: 363 * cells(size),
        bytes=lambda size, item: (3 * cells(size) + shape(size)[2]) * item,
        # The formula cancels nine digits: float64 itself is 6.5e-10 from 80 bits.
        tolerance={"float64": 1e-8},
        up_to={"*": 1_048_576},
        operations=("log", "sqrt|rsqrt|power"),
        threaded=100_000,
        equivalent={"GRAIN": "from which length threads are used"},
        tier="core",
        peer=Peer("pyhpc", ADDRESS, SIZES, peer_seawater),
    ),
    Kernel(
        "isoneutral_mixing",
        "tensors of diffusion along surfaces of equal density, and the slopes of these, tapered",
        sizes=SIZES,
        small=4_096,
        large=262_144,
        least=1_729,
        dtypes=("float64",),
        inputs=ocean,
        reference=mixing,
        results=("number",) * 7,
        # Counted in the peer's program: 271 at the small size, 354 at 65,536.
        flops=lambda size: 355 * cells(size),
        counted=False,
        bytes=lambda size, item: 33 * cells(size) * item,
        workspace=lambda size, item: 40 * cells(size) * item,
        equivalent={
            "Sub → Add: - TINY": "it keeps a quotient finite, whichever its sign",
            "faces(1,": "an axis that is not the first is the second",
            "1 → 2: tops(1,": "as above",
            "np.zeros((nx, ny, nz, 3, 2))": "more room than is used",
            "1 → 2: if i < nx - 1": "differences at the border are not used",
            "1 → 2: if j < ny - 1": "as above",
        },
        up_to={"*": 1_048_576},
        operations=("tanh|exponential|exp", "minimum|maximum|clamp|select"),
        peer=Peer("pyhpc", ADDRESS, SIZES, peer_ocean),
    ),
    Kernel(
        "turbulent_kinetic_energy",
        "one step of turbulent kinetic energy: mixed by a tridiagonal system a column, spread, and carried along",
        sizes=SIZES,
        small=4_096,
        large=262_144,
        least=1_729,
        dtypes=("float64",),
        inputs=turbulence,
        reference=stirred,
        results=("number",) * 3,
        # Counted in the peer's program, and 8 of the system.
        flops=lambda size: 122 * cells(size),
        counted=False,
        bytes=lambda size, item: (23 * cells(size) + 3 * shape(size)[0] * shape(size)[1]) * item,
        workspace=lambda size, item: 20 * cells(size) * item,
        equivalent={
            "0 → 1: < TINY": "changes as small as that are not in the inputs",
            "Add → Sub: < TINY": "as above",
            "1 → 2: sideways(1,": "an axis that is not the first is the second",
            "3 → 4: for n in range(3)": "a fourth mask is not used",
            "Sub → Add: n - 3 or None": "the same where there are four levels, as at the least size",
            "0.0 → 1.0: energy[i, j, k - 1, 0] if": "multiplied by a mask that is 0 where there is no such level",
            "0.0 → 1.0: energy[i, j, k + 2, 0] if": "as above",
            "Add → Sub: energy[i, j, k + 2, 0] if": "of four levels, two above is two below",
            "Mult → Div: zero = 0 * now": "zeros either way",
            "one = zero + 1": "a system of land alone has zeros on its right side",
            "0 → 1: right[..., None]": "JAX reads the last number where it is asked for one behind it",
            "0 → 1: lacking[:, :, 0]": "as above",
            "2 → 3: tendency[..., 2]": "as above",
        },
        needs={"numpy": ("scipy",)},
        up_to={"torch-compile": 262_144, "*": 1_048_576},
        operations=("sqrt|rsqrt|power", "minimum|maximum|clamp|select"),
        tier="core",
        peer=Peer("pyhpc", ADDRESS, SIZES, peer_turbulence),
    ),
)
