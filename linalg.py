"""`paddle.linalg`: decompositions, solutions of equations, eigenvalues, norms and their relatives."""

from .ops.linalg.eigen import eig, eigh, eigvals, eigvalsh
from .ops.linalg.least_squares import cond, lstsq, matrix_rank, pca_lowrank, pinv
from .ops.linalg.lu import lu, lu_unpack
from .ops.linalg.qr_svd import householder_product, qr, svd
from .ops.linalg.solving import det, matrix_power, multi_dot, slogdet, solve
from .ops.linalg.solving import inverse as inv
from .ops.linalg.triangular import cholesky, cholesky_solve, triangular_solve
from .ops.math.covariance import corrcoef, cov
from .ops.math.statistics import norm

__all__ = [
    "cholesky", "cholesky_solve", "cond", "corrcoef", "cov", "det", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "lstsq", "lu", "lu_unpack", "matrix_power", "matrix_rank", "multi_dot", "norm",
    "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve",
]
