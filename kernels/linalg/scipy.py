"""Linear algebra in SciPy, where NumPy has no routine."""

import numpy as np
from scipy.linalg import solve_banded


def tridiagonal_solve(lower, diagonal, upper, right):
    """Solve all systems as one of LAPACK's, which the zeros at their ends keep apart; the diagonals as
    SciPy has them.
    """
    bands = np.empty((3, right.size), right.dtype)
    bands[0, 1:] = upper.reshape(-1)[:-1]
    bands[1] = diagonal.reshape(-1)
    bands[2, :-1] = lower.reshape(-1)[1:]
    bands[0, 0] = bands[2, -1] = 0
    return solve_banded((1, 1), bands, right.reshape(-1)).reshape(right.shape)
