"""Why a library cannot do kernels of several families."""

#: MLX 0.32's own vector functions on CPUs take and give float64, and compute in between with numbers and polynomials of
#: float32: results have an error of 1e-8 to 1e-6. Its logarithms, roots, arctangents and tanh have not.
MLX_SINGLE = {"mlx:float64": "MLX computes sin, cos, exp and erf of float64 in single precision"}
