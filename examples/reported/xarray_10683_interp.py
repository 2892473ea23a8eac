"""DataArray.interp at a coordinate that varies along another dimension: one Python call per row since 2025.1.

Issue:    https://github.com/pydata/xarray/issues/10683 (cause: pull request 9881; open: pull request 11496)
Versions: xarray 2024.11.0 -> 2025.1.0 and all later ones (still open in July 2026)
Reported: 76x; by another 2.2 s -> 0.11 s with the proposed correction
Old:      xarray==2024.11.0 scipy==1.15.3 pandas==2.2.3 numpy==2.2.6
New:      xarray==2025.12.0 scipy==1.15.3 pandas==2.2.3 numpy==2.2.6
Kind:     steady
"""

import numpy as np
import xarray as xr

sizes = (4, 30)  # steps in time
RADII = HEIGHTS = 65


def inputs(rng, size):
    times = np.linspace(0.0, 1.0, size)
    heights = np.linspace(-1.0, 1.0, HEIGHTS)
    field = xr.DataArray(
        rng.random((size, RADII, HEIGHTS)),
        dims=["t", "r", "z"],
        coords={"t": times, "r": np.linspace(0.0, 4.0, RADII), "z": heights},
    )
    target = xr.DataArray(rng.uniform(-0.9, 0.9, size), dims=["t"], coords={"t": times})
    return field, target


def bench_interp_along_time(field, target):
    return field.interp(z=target).values


def bench_interp_one_height(field, target):
    # Control: the same height everywhere.
    return field.interp(z=0.1).values
