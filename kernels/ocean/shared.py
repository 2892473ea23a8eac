"""Parts of an ocean model, as most libraries write them."""

from kernels.ocean.coefficients import (
    A_ROOT,
    A_SALT,
    B_SALT,
    C_SALT,
    N0,
    N0_ROOT,
    N0_SALT,
    N0_SQUARE,
    N1,
    N1_SALT,
    N2,
    N2_SALT,
    N3,
    A,
    B,
    C,
)
from kernels.ocean.constants import (
    BEFORE,
    BY_PRESSURE,
    BY_SALT,
    BY_SQUARE,
    BY_TEMPERATURE,
    DENSITY,
    DISSIPATION,
    GRAVITY,
    HERE,
    INFINITE,
    INNER,
    LEAST,
    NOW,
    REFERENCE,
    SPREADING,
    STEEPEST,
    THERE,
    TINY,
    WIDTH,
)


def of(factors, t):
    """Return a polynomial of t by Horner's rule."""
    value = factors[-1]
    for i in range(len(factors) - 2, -1, -1):
        value = value * t + factors[i]
    return value


def slope(factors, t):
    """Its derivative."""
    value = (len(factors) - 1) * factors[-1]
    for i in range(len(factors) - 2, 0, -1):
        value = value * t + i * factors[i]
    return value


def equation_of_state(s, t, p):
    """Return the derivative by t of 10⁴ ∫ N/D dp, in closed form; N has the powers of p up to 3, D = a + 2·b·p + c·p².

    The integral has three terms: a polynomial of p, the logarithm of D, and, as b² > a·c, another one. A name that
    begins with d is the derivative of the rest of it by t.
    """
    root = xp.sqrt(s)
    a = of(A, t) + s * (of(A_SALT, t) + root * of(A_ROOT, t))
    da = slope(A, t) + s * (slope(A_SALT, t) + root * slope(A_ROOT, t))
    b = 0.5 * (of(B, t) + s * of(B_SALT, t))
    db = 0.5 * (slope(B, t) + s * slope(B_SALT, t))
    c = of(C, t) + C_SALT * s
    dc = slope(C, t)
    n0 = of(N0, t) + s * (of(N0_SALT, t) + N0_SQUARE * s + root * of(N0_ROOT, t))
    dn0 = slope(N0, t) + s * (slope(N0_SALT, t) + root * slope(N0_ROOT, t))
    n1 = of(N1, t) + s * of(N1_SALT, t)
    dn1 = slope(N1, t) + s * slope(N1_SALT, t)
    n2 = of(N2, t) + N2_SALT * s * t
    dn2 = slope(N2, t) + N2_SALT * s
    n3 = of(N3, t)
    dn3 = slope(N3, t)

    # p·k/c with k = n2 - 2·n3·b/c + n3·p/2.
    r = 1.0 / c
    dr = -dc * r * r
    k = n2 - 2.0 * n3 * b * r + 0.5 * n3 * p
    dk = dn2 - 2.0 * (dn3 * b * r + n3 * db * r + n3 * b * dr) + 0.5 * dn3 * p
    first = p * (dk * r + k * dr)

    # m/(2c)·ln(D/a).
    e = 4.0 * n3 * b * b * r - n3 * a - 2.0 * n2 * b
    de = (
        4.0 * (dn3 * b * b * r + 2.0 * n3 * b * db * r + n3 * b * b * dr)
        - dn3 * a
        - n3 * da
        - 2.0 * (dn2 * b + n2 * db)
    )
    m = n1 + e * r
    dm = dn1 + de * r + e * dr
    grown = p * (2.0 * b + c * p)
    quotient = 1.0 + grown / a
    logarithm = xp.log(quotient)
    d_logarithm = (p * (2.0 * db + dc * p) - grown * da / a) / (a * quotient)
    second = 0.5 * (dm * r * logarithm + m * dr * logarithm + m * r * d_logarithm)

    # g/(2·c·w)·ln(1 + 2·c·p·w/((b - w)(b + w + c·p))) with w the root of b² - a·c.
    f = (2.0 * n3 * b * r - n2) * a
    df = 2.0 * (dn3 * b * r + n3 * db * r + n3 * b * dr) * a - dn2 * a + (2.0 * n3 * b * r - n2) * da
    h = n0 + f * r
    dh = dn0 + df * r + f * dr
    g = h * c - m * b
    dg = dh * c + h * dc - dm * b - m * db
    w = xp.sqrt(b * b - a * c)
    dw = (2.0 * b * db - da * c - a * dc) / (2.0 * w)
    low, high = b - w, b + w + c * p
    d_low, d_high = db - dw, db + dw + dc * p
    ratio = 2.0 * c * p * w / (low * high)
    d_ratio = 2.0 * p * (dc * w + c * dw) / (low * high) - ratio * (d_low / low + d_high / high)
    other = xp.log(1.0 + ratio)
    third = (0.5 / w) * ((dg * r + g * dr) * other - g * r * other * dw / w + g * r * d_ratio / (1.0 + ratio))
    return 1e4 * (first + second + third)


def cut(field, axis, along, across=INNER):
    """Return a part of a field, by slices along a horizontal axis and across it."""
    return field[(along, across) if axis == 0 else (across, along)]


def tapered(warm, salty, horizontal, vertical):
    """Return the slope of a surface of equal density, and its taper.

    Density changes with temperature and salinity by ``warm`` and ``salty``; these change along both directions by the
    pairs ``horizontal`` and ``vertical``.
    """
    down = warm * vertical[0] + salty * vertical[1]
    down = xp.clip(down, -INFINITE, 0.0) - TINY
    slope = -(warm * horizontal[0] + salty * horizontal[1]) / down
    return slope, 0.5 * (1 + xp.tanh((STEEPEST - xp.abs(slope)) / WIDTH))


def stacked(pad, like, parts):
    """Two by two parts along two more axes, each in as many zeros as it says around it; ``like`` is for `written`."""
    return xp.stack([xp.stack([pad(part, around) for part, around in pair], -1) for pair in parts], -2)


def written(zeros, parts):
    """As `stacked`, written into an array of zeros."""
    for i, pair in enumerate(parts):
        for j, (part, around) in enumerate(pair):
            inside = [slice(before, n - behind) for (before, behind), n in zip(around, zeros.shape, strict=False)]
            zeros[(*inside, i, j)] = part
    return zeros


def faces(axis, pad, by_heat, by_salt, horizontal, vertical, k_iso, mask, dzw, dzt):
    """At the east or north faces: the tensor's component, and four slopes by the side of the face and the level."""
    around = ((1, 2), (2, 2)) if axis == 0 else ((2, 2), (1, 2))
    pairs = cut(k_iso, axis, HERE) + cut(k_iso, axis, THERE)
    mean = xp.concatenate((0.5 * pairs[:, :, :1], 0.25 * (pairs[:, :, 1:] + pairs[:, :, :-1])), 2)
    across = [cut(field, axis, slice(1, -1)) for field in horizontal]
    mask = cut(mask, axis, HERE)
    above, slopes = 0, []
    below = 0
    for side in (HERE, THERE):
        warm, salty = cut(by_heat, axis, side), cut(by_salt, axis, side)
        along = [cut(field, axis, side) for field in vertical]
        slope, taper = tapered(
            warm[:, :, 1:], salty[:, :, 1:], [one[:, :, 1:] for one in across], [one[:, :, :-1] for one in along]
        )
        spread = mean[:, :, 1:] * taper
        below = below + dzw[:-1] * mask[:, :, 1:] * xp.clip(spread, LEAST, INFINITE)
        lower = taper * slope * mask[:, :, 1:], (*around, (1, 0))
        slope, taper = tapered(warm, salty, across, along)
        spread = mean * taper
        above = above + dzw * mask * xp.clip(spread, LEAST, INFINITE)
        slopes.append((lower, (taper * slope * mask, (*around, (0, 0)))))
    total = above + pad(below, ((0, 0), (0, 0), (1, 0)))
    return total / (4 * dzt), slopes


def tops(axis, by_heat, by_salt, horizontal, vertical, k_iso, mask, length):
    """At the upper faces, along one axis: what the third component is the sum of, and four slopes."""
    inner = [field[INNER, INNER] for field in vertical]
    k_iso, mask = k_iso[INNER, INNER, :-1], mask[INNER, INNER, :-1]
    total, slopes = 0, []
    for side, at in ((slice(1, -2), slice(1, -3)), (slice(2, -1), INNER)):
        stretch = length[at, None, None] if axis == 0 else length[None, at, None]
        levels = []
        for level in (slice(None, -1), slice(1, None)):
            warm, salty = by_heat[INNER, INNER, level], by_salt[INNER, INNER, level]
            across = [cut(field, axis, side)[:, :, level] for field in horizontal]
            slope, taper = tapered(warm, salty, across, inner)
            total = total + stretch * k_iso * taper * slope * slope * mask
            levels.append((taper * slope * mask, ((2, 2), (2, 2), (0, 1))))
        slopes.append(levels)
    return total, slopes


def within(field, part, rows, columns):
    """Return a field with another part: so many rows and columns of it are before the part, and two behind."""
    middle = field[rows:-2]
    middle = xp.concatenate((middle[:, :columns], part, middle[:, -2:]), 1)
    return xp.concatenate((field[:rows], middle, field[-2:]), 0)


def isoneutral_mixing(
    pad,
    place,
    mask_t,
    mask_u,
    mask_v,
    mask_w,
    dxt,
    dxu,
    dyt,
    dyu,
    dzt,
    dzw,
    cost,
    cosu,
    salt,
    temp,
    zt,
    k_iso,
    k_11,
    k_22,
    k_33,
):
    """Tensors and slopes, each put into zeros or into what was there; ``pad``: the library's own, as NumPy's;
    ``place``: puts slopes into zeros around an array's shape.
    """
    temp, salt = temp[..., 0], salt[..., 0]
    pressure = 1 + BY_PRESSURE * GRAVITY * DENSITY * xp.abs(zt)
    by_heat = -mask_t * (DENSITY * (BY_SQUARE * (temp - REFERENCE) + BY_TEMPERATURE * pressure))
    by_salt = mask_t * (DENSITY * BY_SALT)
    east = mask_u[:-1] / (dxu[:-1, None, None] * cost[None, :, None])
    north = mask_v[:, :-1] / dyu[None, :-1, None]
    up = mask_w[:, :, :-1] / dzw[:-1]
    eastward = east * (temp[1:] - temp[:-1]), east * (salt[1:] - salt[:-1])
    northward = north * (temp[:, 1:] - temp[:, :-1]), north * (salt[:, 1:] - salt[:, :-1])
    upward = up * (temp[:, :, 1:] - temp[:, :, :-1]), up * (salt[:, :, 1:] - salt[:, :, :-1])
    closed = [pad(field, ((0, 0), (0, 0), (0, 1))) for field in upward]

    part, slopes = faces(0, pad, by_heat, by_salt, eastward, closed, k_iso, mask_u, dzw, dzt)
    new_11, slopes_x = within(k_11, part, 1, 2), place(k_11, slopes)
    part, slopes = faces(1, pad, by_heat, by_salt, northward, closed, k_iso, mask_v, dzw, dzt)
    new_22, slopes_y = within(k_22, part, 2, 1), place(k_22, slopes)

    along_x, top_x = tops(0, by_heat, by_salt, eastward, upward, k_iso, mask_w, dxu)
    along_y, top_y = tops(1, by_heat, by_salt, northward, upward, k_iso, mask_w, cosu * dyu)
    part = along_x / (4 * dxt[INNER, None, None]) + along_y / (4 * (dyt * cost)[None, INNER, None])
    new_33 = within(k_33, pad(part, ((0, 0), (0, 0), (0, 1))), 2, 2)
    return new_11, new_22, new_33, slopes_x, slopes_y, place(k_33, top_x), place(k_33, top_y)


def superbee(direction, velocity, before, here, beyond, further, masks, length):
    """Return the flux through a face, by Roe's limiter, from the two cells at each side of it; a velocity has a
    direction also where a cosine has made it smaller.
    """
    change = (beyond - here) * masks[1]
    upwind = xp.where(direction > 0, (here - before) * masks[0], (further - beyond) * masks[2])
    divisor = xp.where(xp.abs(change) < TINY, TINY + 0 * change, change)
    ratio = upwind / divisor
    limit = xp.maximum(xp.clip(2 * ratio, 0, 1), xp.clip(ratio, 0, 2))
    speed = xp.abs(velocity)
    courant = xp.abs(velocity / length)
    return 0.5 * (velocity * (beyond + here) - speed * (1 - limit + courant * limit) * change)


def sideways(axis, direction, velocity, energy, mask, length):
    """Return the fluxes through the east (axis 0) or north faces of all inner cells and of one more."""
    parts = [cut(energy, axis, slice(n, n - 3 or None)) for n in range(4)]
    masks = [cut(mask, axis, slice(n, n - 2 or None)) for n in range(3)]
    return superbee(cut(direction, axis, HERE), cut(velocity, axis, HERE), *parts, masks, length)


def stirred(pad, solve, level, dzt, dzw, deep, lowest, mixing, length, forcing, surface, now, after):
    """Energy after it was mixed upwards and dissipated, where there is water: inner columns."""
    zero = 0 * now
    one = zero + 1
    half = (mixing[:, :, :-1] + mixing[:, :, 1:]) * (0.5 / dzt[1:])
    delta = pad(half, ((0, 0), (0, 0), (0, 1)))
    under = pad(half, ((0, 0), (0, 0), (1, 0)))
    lost = DISSIPATION * xp.sqrt(xp.clip(now, 0.0, INFINITE)) / length
    start = lowest[:, :, None] - 1
    water = (start >= 0) & (level >= start)
    edge = level == start
    lower = xp.where(water & ~edge, -under / deep, zero)
    diagonal = xp.where(water, 1 + (delta + under) / deep + lost, one)
    diagonal = xp.where(edge, 1 + delta / dzw + lost, diagonal)
    upper = xp.where(water, -delta / dzw, zero)
    right = now + forcing + pad((surface / deep[-1])[:, :, None], ((0, 0), (0, 0), (dzw.shape[0] - 1, 0)))
    return xp.where(water, solve(lower, diagonal, upper, xp.where(water, right, zero)), after)


def turbulent_kinetic_energy(
    pad, solve, count, u, v, w, mask_u, mask_v, mask_w, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, lowest, mixing,
    length, forcing, surface, energy, tendency,
):  # fmt: skip
    """One step; ``solve``: the library's own for tridiagonal systems along the last axis; ``count``: its ``arange``."""
    now, after, old = energy[..., 0], energy[..., 1], tendency[..., 0]
    inner = INNER, INNER
    deep = xp.concatenate((dzw[:-1], 0.5 * dzw[-1:]), 0)
    fields = [field[inner] for field in (lowest, mixing, length, forcing, surface, now, after)]
    part = stirred(pad, solve, count(dzw.shape[0]), dzt, dzw, deep, *fields)

    # Where the surface drains more than there is, it is given back.
    top = part[:, :, -1:]
    lacking = xp.clip(-top, 0.0, INFINITE)
    part = part + pad(lacking, ((0, 0), (0, 0), (dzw.shape[0] - 1, 0)))
    correction = pad(lacking[:, :, 0] * deep[-1], ((2, 2), (2, 2)))

    area_x, area_y = cost[None, :, None] * dxt[:, None, None], (cost * dyt)[None, :, None]
    inner_x, inner_y = area_x[inner], area_y[:, INNER]
    east = SPREADING * (now[2:-1, INNER] - now[1:-2, INNER]) * mask_u[1:-2, INNER]
    east = east / (cost[None, INNER, None] * dxu[1:-2, None, None])
    north = SPREADING * (now[INNER, 2:-1] - now[INNER, 1:-2]) * mask_v[INNER, 1:-2]
    north = north * (cosu / dyu)[None, 1:-2, None]
    spread = (east[1:] - east[:-1]) / inner_x + (north[:, 1:] - north[:, :-1]) / inner_y
    part = part + mask_w[inner] * spread

    u, v, w = u[..., 0], v[..., 0], w[INNER, INNER, :-1, 0]
    east = sideways(0, u, u, now, mask_w[1:] * mask_w[:-1], area_x[1:-2, INNER])
    north = sideways(1, v, v * cosu[None, :, None], now, mask_w[:, 1:] * mask_w[:, :-1], area_y[:, 1:-2])
    column = pad(now[inner], ((0, 0), (0, 0), (1, 1)))
    water = mask_w[inner]
    closed = pad(water[:, :, 1:] * water[:, :, :-1], ((0, 0), (0, 0), (1, 1)))
    levels = [column[:, :, n : n - 3 or None] for n in range(4)]
    masks = [closed[:, :, n : n - 2 or None] for n in range(3)]
    up = superbee(w, w, *levels, masks, dzw[:-1])
    through = pad(up, ((0, 0), (0, 0), (1, 1)))
    carried = (east[1:] - east[:-1]) / inner_x + (north[:, 1:] - north[:, :-1]) / inner_y
    change = -water * carried - (through[:, :, 1:] - through[:, :, :-1]) / deep

    change = within(old, change, 2, 2)
    return within(after, part, 2, 2) + (NOW * change - BEFORE * tendency[..., 2]), change, correction
