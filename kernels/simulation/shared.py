"""Simulations, as most libraries write them."""

from kernels.simulation import RATE, SOFTENING, STEP, TINY, VOLATILITY


def prices(share, strike, years, normal):
    """Of a call and a put; ``normal``: the distribution's function. A put by -d, as 1 - normal(d) loses digits."""
    spread = VOLATILITY * xp.sqrt(years)
    d1 = (xp.log(share / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    d2 = d1 - spread
    due = strike * xp.exp(-RATE * years)
    return share * normal(d1) - due * normal(d2), due * normal(-d2) - share * normal(-d1)


def pull(x, y, z, masses):
    """Accelerations along each axis: three arrays of n × n, not one of n × n × 3."""
    along_x, along_y, along_z = x[None, :] - x[:, None], y[None, :] - y[:, None], z[None, :] - z[:, None]
    squares = along_x * along_x + along_y * along_y + along_z * along_z + SOFTENING**2
    weights = masses[None, :] / (squares * xp.sqrt(squares))
    return (
        xp.sum(weights * along_x, axis=1),
        xp.sum(weights * along_y, axis=1),
        xp.sum(weights * along_z, axis=1),
    )


def step(state, masses):
    """Half a kick, a drift, half a kick; the state is x, y, z, their velocities and accelerations."""
    x, y, z, u, v, w, a, b, c = state
    u, v, w = u + STEP / 2 * a, v + STEP / 2 * b, w + STEP / 2 * c
    x, y, z = x + STEP * u, y + STEP * v, z + STEP * w
    a, b, c = pull(x, y, z, masses)
    return x, y, z, u + STEP / 2 * a, v + STEP / 2 * b, w + STEP / 2 * c, a, b, c


def start(places, velocities, masses):
    """Return the state before the first step."""
    x, y, z = places[:, 0], places[:, 1], places[:, 2]
    return x, y, z, velocities[:, 0], velocities[:, 1], velocities[:, 2], *pull(x, y, z, masses)


def end(state):
    """Places and velocities of a state."""
    return xp.stack(state[:3], 1), xp.stack(state[3:6], 1)


def n_body(places, velocities, masses, steps):
    """Loop in Python."""
    state = start(places, velocities, masses)
    for _ in range(steps):
        state = step(state, masses)
    return end(state)


def inner_mean(u):
    """Of each inner element and its four neighbours."""
    return (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 5


def iterate(laplacian, x, r, p, square):
    """One iteration of conjugate gradients; ``square``: of the residual r."""
    image = laplacian(p)
    length = square / (xp.sum(p * image) + TINY)
    x, r = x + length * p, r - length * image
    after = xp.sum(r * r)
    return x, r, r + after / (square + TINY) * p, after


def conjugate_gradient(laplacian, b, iterations):
    """Return a loop in Python, from zeros."""
    state = 0 * b, b, b, xp.sum(b * b)
    for _ in range(iterations):
        state = iterate(laplacian, *state)
    return state[0]


def floyd_warshall(d):
    """Try all paths through each node in turn. Its own row and column do not change meanwhile."""
    for k in range(d.shape[0]):
        d = xp.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


def total_variation(x):
    """Along both axes."""
    return xp.sum(xp.abs(x[1:] - x[:-1])) + xp.sum(xp.abs(x[:, 1:] - x[:, :-1]))
