"""Constants of the ocean model, and the slices of its grid."""

#: Of the linear equation of state: density, gravity, and how density changes.
DENSITY, GRAVITY = 1024.0, 9.81
REFERENCE = 283.0 - 273.15
BY_TEMPERATURE, BY_SQUARE, BY_PRESSURE, BY_SALT = 1.67e-4, 1e-5, 1.1e-8, 0.78e-3

#: Slopes above the first are tapered, over about the second; where they are, the least diffusivity.
STEEPEST, WIDTH = 1e-3, 1e-3
LEAST = 50.0

#: What keeps a quotient finite, and what limits nothing.
TINY, INFINITE = 1e-20, float("inf")

#: Cells that are computed: two at each border are not.
INNER = slice(2, -2)

#: Those at whose east or north face something is: one more; and their neighbours beyond that face.
HERE, THERE = slice(1, -2), slice(2, -1)

#: Of turbulence: what dissipates, what spreads, and of a step of Adams and Bashforth.
DISSIPATION, SPREADING = 0.7, 2_000.0
NOW, BEFORE = 1.6, 0.6
