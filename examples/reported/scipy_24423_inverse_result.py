"""scipy.linalg.inv of a complex symmetric matrix with a real diagonal: wrong in SciPy 1.17.0.

Issue:    https://github.com/scipy/scipy/issues/24423 and 24359 (also https://github.com/qutip/qutip/issues/2806)
Versions: scipy 1.16.3 -> 1.17.0 (-> 1.17.1)
Reported: wrong values: the product with the inverse is far from the identity
Old:      scipy==1.16.3 numpy==2.3.5
New:      scipy==1.17.0 numpy==2.3.5
Fixed:    scipy==1.17.1 numpy==2.3.5
Kind:     result
"""

import numpy as np
from scipy import linalg

sizes = (2, 40)


def inputs(rng, size):
    coupling = rng.uniform(0.1, 0.4, (size, size))
    coupling = np.tril(coupling, -1) + np.tril(coupling, -1).T  # symmetric, no diagonal
    matrix = size * np.eye(size) - 1j * coupling  # equal to its transpose, not to its adjoint
    return matrix, np.ones(size)


def bench_inverse(matrix, right):
    return linalg.inv(matrix)


def bench_solve(matrix, right):
    # The correction (pull request 24367) names solve as well.
    return linalg.solve(matrix, right)
