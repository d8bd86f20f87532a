"""Records of equations with square, triangular and rectangular matrices."""

import numpy as np
from proa.ops.array import rearrange
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.linalg import least_squares, solving, triangular
from proa.ops.linalg.matrices import adjoint
from records import Record, floats


def _solve(a, b):
    """Of matrices whose leading dimensions broadcast: NumPy 1 takes a b of one dimension less for vectors."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.linalg.solve(np.broadcast_to(a, (*batch, *a.shape[-2:])), np.broadcast_to(b, (*batch, *b.shape[-2:])))


def square(n=3, *batch, seed=0):
    """Matrices that are far from singular."""
    return floats(*batch, n, n, seed=seed) + 2 * np.eye(n)


def positive(x):
    """A positive definite matrix, by operators or by NumPy."""
    eye = np.eye(x.shape[-1])
    if isinstance(x, np.ndarray):
        return x @ x.conj().swapaxes(-1, -2) + eye
    return solving.mm(x, adjoint(x)) + apply(find("eye"), num_rows=x.shape[-1], num_columns=x.shape[-1], dtype=x.dtype)


def pair(function, reference):
    """The function of complex values whose real and imaginary parts are the record's inputs."""
    def called(*parts):
        return function(*[rearrange.complex(*parts[n:n + 2]) for n in range(0, len(parts), 2)])

    def expected(*parts):
        return reference(*[parts[n] + 1j * parts[n + 1] for n in range(0, len(parts), 2)])

    return called, expected


def complex_record(type, function, reference, inputs, **more):
    called, expected = pair(function, reference)
    return Record(type, called, inputs, expected, **{"label": "complex", "batched": [], **more})


def _cofactors(x):
    return np.linalg.det(x)[..., None, None] * np.linalg.inv(x).swapaxes(-1, -2)


def _slog(x):
    return np.stack(np.linalg.slogdet(x))


SQUARE = [
    Record("inverse", solving.inverse, [square(3, 2)], np.linalg.inv),
    Record("inverse", solving.inverse, [square()], np.linalg.inv, label="matrix", batched=[]),
    complex_record("inverse", solving.inverse, np.linalg.inv, [square(3, 2), square(3, 2, seed=1)]),
    Record("determinant", solving.det, [square(3, 2)], np.linalg.det),
    Record("determinant", solving.det, [floats(1, 1)], np.linalg.det, label="one", batched=[]),
    complex_record("determinant", solving.det, np.linalg.det, [square(3, 2), square(3, 2, seed=1)]),
    Record("cofactors", lambda x: apply(find("cofactors"), x), [square(3, 2)], _cofactors),
    complex_record("cofactors", lambda x: apply(find("cofactors"), x), _cofactors, [square(), square(seed=1)]),
    Record("slogdeterminant", solving.slogdet, [square(3, 2)], _slog),
    Record("slogdeterminant", solving.slogdet, [square()], _slog, label="matrix", batched=[]),
    *[
        Record("matrix_power", lambda x, n=n: solving.matrix_power(x, n), [square(3, 2)],
               lambda x, n=n: np.linalg.matrix_power(x, n), label=str(n))
        for n in (0, 1, 2, 5, -1, -3)
    ],
    complex_record("matrix_power", lambda x: solving.matrix_power(x, -2), lambda x: np.linalg.matrix_power(x, -2),
                   [square(), square(seed=1)]),
]


def _solved(x, y):
    return _solve(x, y[..., None])[..., 0]


SOLVE = [
    Record("solve", solving.solve, [square(3, 2), floats(2, 3, 4, seed=1)], _solve, batched=[0, 1]),
    Record("solve", solving.solve, [square(), floats(2, 3, 4, seed=1)], _solve, label="broadcast x",
           batched=[1]),
    Record("solve", solving.solve, [square(3, 4, 1), floats(2, 3, 4, seed=1)], _solve, label="broadcast both"),
    Record("solve", solving.solve, [square(3, 2), floats(3, seed=1)], _solved, label="vector"),
    Record("solve", solving.solve, [square(3, 2), floats(2, 3, seed=1)], _solved, label="vectors", batched=[0, 1]),
    complex_record("solve", solving.solve, _solve,
                   [square(), square(seed=1), floats(3, 2), floats(3, 2, seed=1)]),
]


def _triangle(x, upper, transpose, unit):
    x = np.triu(x) if upper else np.tril(x)
    if unit:
        x = x * (1 - np.eye(x.shape[-1])) + np.eye(x.shape[-1])
    return x.swapaxes(-1, -2) if transpose else x


def _triangular(upper, transpose, unit):
    return Record(
        "triangular_solve",
        lambda x, y: triangular.triangular_solve(x, y, upper, transpose, unit),
        [square(3, 2), floats(2, 3, 4, seed=1)],
        lambda x, y: _solve(_triangle(x, upper, transpose, unit), y),
        label=f"{upper} {transpose} {unit}",
        batched=[0, 1],
    )


def _factor_solved(x, y):
    return _solve(np.tril(y) @ np.tril(y).conj().swapaxes(-1, -2), x)


TRIANGULAR = [
    *[_triangular(upper, transpose, unit) for upper in (True, False) for transpose in (True, False)
      for unit in (True, False)],
    Record("triangular_solve", triangular.triangular_solve, [square(3, 4, 1), floats(2, 3, 2, seed=1)],
           lambda x, y: _solve(np.triu(x), y), label="broadcast"),
    complex_record("triangular_solve", lambda x, y: triangular.triangular_solve(x, y, True, True),
                   lambda x, y: _solve(np.triu(x).T, y),
                   [square(), square(seed=1), floats(3, 2), floats(3, 2, seed=1)]),
    Record("cholesky", lambda x: triangular.cholesky(positive(x)), [square(3, 2)],
           lambda x: np.linalg.cholesky(positive(x))),
    Record("cholesky", lambda x: triangular.cholesky(positive(x), True), [square(3, 2)],
           lambda x: np.linalg.cholesky(positive(x)).swapaxes(-1, -2), label="upper"),
    complex_record("cholesky", lambda x: triangular.cholesky(positive(x)), lambda x: np.linalg.cholesky(positive(x)),
                   [square(), square(seed=1)]),
    complex_record("cholesky", lambda x: triangular.cholesky(positive(x), True),
                   lambda x: np.linalg.cholesky(positive(x)).conj().T, [square(), square(seed=1)],
                   label="complex upper"),
    Record("cholesky_solve", triangular.cholesky_solve, [floats(2, 3, 4), square(3, 2)], _factor_solved,
           batched=[0, 1]),
    Record("cholesky_solve", lambda x, y: triangular.cholesky_solve(x, y, True), [floats(2, 3, 4), square(3, 4, 1)],
           lambda x, y: _solve(np.triu(y).swapaxes(-1, -2) @ np.triu(y), x), label="upper"),
    complex_record("cholesky_solve", triangular.cholesky_solve, _factor_solved,
                   [floats(3, 2), floats(3, 2, seed=1), square(), square(seed=1)]),
]


def _dot(*shapes, batched=None):
    return Record("multi_dot", lambda *x: solving.multi_dot(x), [floats(*s, seed=n) for n, s in enumerate(shapes)],
                  lambda *x: np.linalg.multi_dot(x), label=str(shapes), batched=batched)


PRODUCTS = [
    _dot((2, 3), (3, 4), batched=[]),
    _dot((2, 3), (3, 4), (4, 2), (2, 5), batched=[]),
    _dot((3,), (3, 4), (4,), batched=[]),
    _dot((3,), (3, 4), (4, 2), batched=[]),
    _dot((2, 3), (3, 4), (4,)),
]


def _lstsq(x, y):
    found = [np.linalg.lstsq(a, b, rcond=None) for a, b in zip(x, y, strict=True)]
    solution = np.stack([f[0] for f in found])
    m, n = x.shape[-2:]
    residuals = ((x @ solution - y) ** 2).sum(-2) if m > n else np.zeros(0)
    return [solution, residuals, np.array([f[2] for f in found]), np.stack([f[3] for f in found])]



LEAST_SQUARES = [
    Record("lstsq", lambda x, y: least_squares.lstsq(x, y, driver="gelsd"), [floats(2, 5, 3), floats(2, 5, 2, seed=1)],
           _lstsq, batched=[0, 1]),
    Record("lstsq", lambda x, y: least_squares.lstsq(x, y, driver="gelss"), [floats(2, 3, 5), floats(2, 3, 2, seed=1)],
           _lstsq, label="wide", batched=[0, 1]),
    Record("lstsq", lambda x, y: least_squares.lstsq(x, y, driver="gels")[0], [floats(4, 3), floats(4, 1, seed=1)],
           lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0], label="gels", batched=[]),
    Record("pinv", least_squares.pinv, [floats(2, 4, 3)], np.linalg.pinv),
    Record("pinv", least_squares.pinv, [floats(2, 3, 4)], np.linalg.pinv, label="wide"),
    Record("pinv", lambda x: least_squares.pinv(positive(x), hermitian=True), [square(3, 2)],
           lambda x: np.linalg.pinv(positive(x)), label="hermitian"),
    Record("pinv", lambda x, y: least_squares.pinv(solving.mm(x, y), 1e-6), [floats(4, 2), floats(2, 3, seed=1)],
           lambda x, y: np.linalg.pinv(x @ y, 1e-6), label="rank 2", batched=[], static=False),
    complex_record("pinv", least_squares.pinv, np.linalg.pinv, [floats(4, 3), floats(4, 3, seed=1)]),
    Record("matrix_rank", least_squares.matrix_rank, [np.ones((2, 3, 4)) + np.eye(3, 4)], np.linalg.matrix_rank),
    Record("matrix_rank", lambda x: least_squares.matrix_rank(x, 0.5, True), [np.diag([1.0, 0.3, -2.0])],
           lambda x: np.array(2), label="hermitian", batched=[]),
    Record("matrix_rank", least_squares.matrix_rank, [np.diag([1.0, 0.3, -2.0]), np.array([0.1, 0.5, 5.0])],
           lambda x, tol: np.array([3, 2, 0]), label="tensor", batched=[]),
]

RECORDS = SQUARE + SOLVE + TRIANGULAR + PRODUCTS + LEAST_SQUARES
