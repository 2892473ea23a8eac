"""Parts of an ocean model in Numba: the same formula, of one cell after the other."""

import math

import numpy as np
from numba import njit, prange

from kernels.elementwise.numba import GRAIN
from kernels.ocean.constants import (
    BEFORE,
    BY_PRESSURE,
    BY_SALT,
    BY_SQUARE,
    BY_TEMPERATURE,
    DENSITY,
    DISSIPATION,
    GRAVITY,
    LEAST,
    NOW,
    REFERENCE,
    SPREADING,
    STEEPEST,
    TINY,
    WIDTH,
)
from kernels.shared import bind

shared = bind(__name__, math)
shared.of = njit(shared.of)
shared.slope = njit(shared.slope)
one_cell = njit(shared.equation_of_state)


@njit(parallel=True)
def equation_of_state(s, t, p):
    """Cells, on threads where they are many."""
    out = np.empty_like(s)
    nx, ny, nz = s.shape
    if out.size < GRAIN:
        for i in range(nx):
            for j in range(ny):
                for k in range(nz):
                    out[i, j, k] = one_cell(s[i, j, k], t[i, j, k], p[0, 0, k])
    else:
        for i in prange(nx):
            for j in range(ny):
                for k in range(nz):
                    out[i, j, k] = one_cell(s[i, j, k], t[i, j, k], p[0, 0, k])
    return out


@njit
def tapered(warm, salty, across_t, across_s, along_t, along_s):
    """Return the slope of a surface of equal density, and its taper."""
    slope = -(warm * across_t + salty * across_s) / (min(0.0, warm * along_t + salty * along_s) - TINY)
    return slope, 0.5 * (1 + math.tanh((STEEPEST - abs(slope)) / WIDTH))


@njit(parallel=True)
def differences(temp, salt, mask_u, mask_v, mask_w, dxu, dyu, dzw, cost):
    """Of temperature and salinity along the three axes, 0 where there is no neighbour: (nx, ny, nz, 3, 2)."""
    nx, ny, nz = mask_u.shape
    out = np.zeros((nx, ny, nz, 3, 2))
    for i in prange(nx):
        for j in range(ny):
            for k in range(nz):
                if i < nx - 1:
                    share = mask_u[i, j, k] / (dxu[i] * cost[j])
                    out[i, j, k, 0, 0] = share * (temp[i + 1, j, k, 0] - temp[i, j, k, 0])
                    out[i, j, k, 0, 1] = share * (salt[i + 1, j, k, 0] - salt[i, j, k, 0])
                if j < ny - 1:
                    share = mask_v[i, j, k] / dyu[j]
                    out[i, j, k, 1, 0] = share * (temp[i, j + 1, k, 0] - temp[i, j, k, 0])
                    out[i, j, k, 1, 1] = share * (salt[i, j + 1, k, 0] - salt[i, j, k, 0])
                if k < nz - 1:
                    share = mask_w[i, j, k] / dzw[k]
                    out[i, j, k, 2, 0] = share * (temp[i, j, k + 1, 0] - temp[i, j, k, 0])
                    out[i, j, k, 2, 1] = share * (salt[i, j, k + 1, 0] - salt[i, j, k, 0])
    return out


@njit
def face(i, j, axis, change, by_heat, by_salt, k_iso, mask, dzw, dzt, tensor, slopes):
    """One column of east (axis 0) or north faces."""
    nz = dzw.size
    for k in range(nz):
        east, north = (i + 1, j) if axis == 0 else (i, j + 1)
        mean = 0.5 * (k_iso[i, j, k] + k_iso[east, north, k])
        if k > 0:
            mean = 0.5 * mean + 0.25 * (k_iso[i, j, k - 1] + k_iso[east, north, k - 1])
        across = change[i, j, k, axis]
        total = 0.0
        for side in range(2):
            a, b = (i, j) if side == 0 else (east, north)
            for level in range(2):
                if level == 0 and k == 0:
                    continue
                below = k - 1 + level
                along = change[a, b, below, 2]
                slope, taper = tapered(by_heat[a, b, k], by_salt[a, b, k], across[0], across[1], along[0], along[1])
                total += dzw[below] * mask[i, j, k] * max(LEAST, mean * taper)
                slopes[i, j, k, side, level] = taper * slope * mask[i, j, k]
        tensor[i, j, k] = total / (4 * dzt[k])


@njit
def top(i, j, change, by_heat, by_salt, k_iso, mask, dxt, dxu, dyt, width, cost, tensor, slopes_x, slopes_y):
    """One column of upper faces; ``width``: of the cells along latitude times the cosine there."""
    nz = k_iso.shape[2]
    for k in range(nz - 1):
        along = change[i, j, k, 2]
        along_x, along_y = 0.0, 0.0
        for side in range(2):
            for level in range(2):
                warm, salty = by_heat[i, j, k + level], by_salt[i, j, k + level]
                across = change[i - 1 + side, j, k + level, 0]
                slope, taper = tapered(warm, salty, across[0], across[1], along[0], along[1])
                along_x += dxu[i - 1 + side] * k_iso[i, j, k] * taper * slope * slope * mask[i, j, k]
                slopes_x[i, j, k, side, level] = taper * slope * mask[i, j, k]
                across = change[i, j - 1 + side, k + level, 1]
                slope, taper = tapered(warm, salty, across[0], across[1], along[0], along[1])
                along_y += width[j - 1 + side] * k_iso[i, j, k] * taper * slope * slope * mask[i, j, k]
                slopes_y[i, j, k, side, level] = taper * slope * mask[i, j, k]
        tensor[i, j, k] = along_x / (4 * dxt[i]) + along_y / (4 * dyt[j] * cost[j])
    tensor[i, j, nz - 1] = 0


@njit(parallel=True)
def isoneutral_mixing(
    mask_t, mask_u, mask_v, mask_w, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, salt, temp, zt, k_iso, k_11, k_22, k_33
):
    """Columns of cells, on threads."""
    nx, ny, nz = mask_t.shape
    change = differences(temp, salt, mask_u, mask_v, mask_w, dxu, dyu, dzw, cost)
    by_heat, by_salt = np.empty_like(mask_t), np.empty_like(mask_t)
    for i in prange(nx):
        for j in range(ny):
            for k in range(nz):
                pressure = 1 + BY_PRESSURE * GRAVITY * DENSITY * abs(zt[k])
                change_by_heat = BY_SQUARE * (temp[i, j, k, 0] - REFERENCE) + BY_TEMPERATURE * pressure
                by_heat[i, j, k] = -mask_t[i, j, k] * DENSITY * change_by_heat
                by_salt[i, j, k] = mask_t[i, j, k] * DENSITY * BY_SALT
    new_11, new_22, new_33 = k_11.copy(), k_22.copy(), k_33.copy()
    east, north = np.zeros((nx, ny, nz, 2, 2)), np.zeros((nx, ny, nz, 2, 2))
    up_x, up_y = np.zeros((nx, ny, nz, 2, 2)), np.zeros((nx, ny, nz, 2, 2))
    width = cosu * dyu
    for i in prange(1, nx - 2):
        for j in range(1, ny - 2):
            if j > 1:
                face(i, j, 0, change, by_heat, by_salt, k_iso, mask_u, dzw, dzt, new_11, east)
            if i > 1:
                face(i, j, 1, change, by_heat, by_salt, k_iso, mask_v, dzw, dzt, new_22, north)
            if i > 1 and j > 1:
                top(i, j, change, by_heat, by_salt, k_iso, mask_w, dxt, dxu, dyt, width, cost, new_33, up_x, up_y)
    return new_11, new_22, new_33, east, north, up_x, up_y


@njit
def column(i, j, dzt, dzw, lowest, mixing, length, forcing, surface, energy, after):
    """Mix one column upwards and let it dissipate, from its lowest cell on; returns what its surface lacked."""
    nz = dzw.size
    start = lowest[i, j] - 1
    lacking = 0.0
    if start >= 0:
        ratios = np.empty(nz)
        under = 0.0
        for k in range(start, nz):
            deep = dzw[k] if k < nz - 1 else 0.5 * dzw[k]
            delta = 0.5 * (mixing[i, j, k] + mixing[i, j, k + 1]) / dzt[k + 1] if k < nz - 1 else 0.0
            now = energy[i, j, k, 0]
            diagonal = 1 + (delta + under) / deep + DISSIPATION * math.sqrt(max(0.0, now)) / length[i, j, k]
            right = now + forcing[i, j, k]
            if k == nz - 1:
                right += surface[i, j] / deep
            if k == start:
                ratios[k] = -delta / dzw[k] / diagonal
                after[i, j, k] = right / diagonal
            else:
                pivot = diagonal + under / deep * ratios[k - 1]
                ratios[k] = -delta / dzw[k] / pivot
                after[i, j, k] = (right + under / deep * after[i, j, k - 1]) / pivot
            under = delta
        for k in range(nz - 2, start - 1, -1):
            after[i, j, k] -= ratios[k] * after[i, j, k + 1]
    if after[i, j, nz - 1] < 0:
        lacking = -after[i, j, nz - 1] * 0.5 * dzw[nz - 1]
        after[i, j, nz - 1] = 0
    return lacking


@njit
def superbee(direction, velocity, before, here, beyond, further, mask_before, mask_here, mask_beyond, inverse_length):
    """Return the flux through a face, by Roe's limiter; nothing is carried where one of its two cells is land."""
    # By the inverse of the length: a division here would take a third of the whole kernel's time.
    change = (beyond - here) * mask_here
    upwind = (here - before) * mask_before if direction > 0 else (further - beyond) * mask_beyond
    ratio = upwind / (TINY if abs(change) < TINY else change)
    limit = max(0.0, min(1.0, 2 * ratio), min(2.0, ratio))
    speed = abs(velocity)
    courant = abs(velocity * inverse_length)
    return 0.5 * (velocity * (beyond + here) - speed * (1 - limit + courant * limit) * change)


@njit
def eastward(i, j, k, u, energy, mask, inverse_length):
    """Return the flux through a cell's east face."""
    return superbee(
        u[i, j, k, 0],
        u[i, j, k, 0],
        energy[i - 1, j, k, 0],
        energy[i, j, k, 0],
        energy[i + 1, j, k, 0],
        energy[i + 2, j, k, 0],
        mask[i - 1, j, k],
        mask[i + 1, j, k] * mask[i, j, k],
        mask[i + 2, j, k],
        inverse_length,
    )


@njit
def northward(i, j, k, v, energy, mask, inverse_length, cosine):
    """Return the flux through a cell's north face."""
    return superbee(
        v[i, j, k, 0],
        v[i, j, k, 0] * cosine,
        energy[i, j - 1, k, 0],
        energy[i, j, k, 0],
        energy[i, j + 1, k, 0],
        energy[i, j + 2, k, 0],
        mask[i, j - 1, k],
        mask[i, j + 1, k] * mask[i, j, k],
        mask[i, j + 2, k],
        inverse_length,
    )


@njit
def upward(i, j, k, w, energy, mask, inverse_length):
    """Return the flux through a cell's upper face; there is none below the lowest and above the highest."""
    nz = mask.shape[2]
    if k < 0 or k > nz - 2:
        return 0.0
    return superbee(
        w[i, j, k, 0],
        w[i, j, k, 0],
        energy[i, j, k - 1, 0] if k > 0 else 0.0,
        energy[i, j, k, 0],
        energy[i, j, k + 1, 0],
        energy[i, j, k + 2, 0] if k < nz - 2 else 0.0,
        mask[i, j, k - 1] if k > 0 else 0.0,
        mask[i, j, k + 1] * mask[i, j, k],
        mask[i, j, k + 2] if k < nz - 2 else 0.0,
        inverse_length,
    )


@njit(parallel=True)
def turbulent_kinetic_energy(
    u, v, w, mask_u, mask_v, mask_w, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, lowest, mixing, length, forcing, surface,
    energy, tendency,
):  # fmt: skip
    """Columns of cells, on threads."""
    nx, ny, nz = mask_u.shape
    after, change = energy[:, :, :, 1].copy(), tendency[:, :, :, 0].copy()
    correction = np.zeros((nx, ny))
    # The flux through each face once: the cells on both of its sides need it.
    east, north = np.empty((nx, ny, nz)), np.empty((nx, ny, nz))
    for i in prange(1, nx - 2):
        for j in range(1, ny - 2):
            area_x, area_y = cost[j] * dxt[i], cost[j] * dyt[j]
            for k in range(nz):
                east[i, j, k] = eastward(i, j, k, u, energy, mask_w, 1 / area_x)
            for k in range(nz):
                north[i, j, k] = northward(i, j, k, v, energy, mask_w, 1 / area_y, cosu[j])
    for i in prange(2, nx - 2):
        for j in range(2, ny - 2):
            correction[i, j] = column(i, j, dzt, dzw, lowest, mixing, length, forcing, surface, energy, after)
            area_x, area_y = cost[j] * dxt[i], cost[j] * dyt[j]
            to_east, to_west = SPREADING / (cost[j] * dxu[i] * area_x), SPREADING / (cost[j] * dxu[i - 1] * area_x)
            to_north, to_south = (
                SPREADING * cosu[j] / (dyu[j] * area_y),
                SPREADING * cosu[j - 1] / (dyu[j - 1] * area_y),
            )
            for k in range(nz):
                now = energy[i, j, k, 0]
                spread = to_east * mask_u[i, j, k] * (energy[i + 1, j, k, 0] - now)
                spread += to_west * mask_u[i - 1, j, k] * (energy[i - 1, j, k, 0] - now)
                spread += to_north * mask_v[i, j, k] * (energy[i, j + 1, k, 0] - now)
                spread += to_south * mask_v[i, j - 1, k] * (energy[i, j - 1, k, 0] - now)
                after[i, j, k] += mask_w[i, j, k] * spread
            down = 0.0
            for k in range(nz):
                deep = dzw[k] if k < nz - 1 else 0.5 * dzw[k]
                up = upward(i, j, k, w, energy, mask_w, 1 / dzw[k])
                carried = (east[i, j, k] - east[i - 1, j, k]) / area_x + (north[i, j, k] - north[i, j - 1, k]) / area_y
                change[i, j, k] = -mask_w[i, j, k] * carried - (up - down) / deep
                down = up
    for i in prange(nx):
        for j in range(ny):
            for k in range(nz):
                after[i, j, k] += NOW * change[i, j, k] - BEFORE * tendency[i, j, k, 2]
    return after, change, correction
