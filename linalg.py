"""`paddle.linalg`: decompositions, solutions of equations, eigenvalues, norms and their relatives."""

from .ops.covariance import corrcoef, cov
from .ops.decompositions import householder_product, qr, svd
from .ops.eigen import eig, eigh, eigvals, eigvalsh
from .ops.least_squares import cond, lstsq, matrix_rank, pca_lowrank, pinv
from .ops.lu import lu, lu_unpack
from .ops.solving import det, matrix_power, multi_dot, slogdet, solve
from .ops.solving import inverse as inv
from .ops.stats import norm
from .ops.triangular import cholesky, cholesky_solve, triangular_solve

__all__ = [
    "cholesky", "cholesky_solve", "cond", "corrcoef", "cov", "det", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "lstsq", "lu", "lu_unpack", "matrix_power", "matrix_rank", "multi_dot", "norm",
    "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve",
]
