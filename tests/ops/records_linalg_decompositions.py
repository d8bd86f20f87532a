"""Records of decompositions of matrices and of their eigenvalues; gradients of what is unique in them."""

import numpy as np
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.linalg import eigen, lu, qr_svd
from proa.ops.linalg.matrices import adjoint, mm
from proa.ops.math.unary import abs
from records import Record, floats
from records_linalg_solving import complex_record, square


def _qr(mode, *shape, label=""):
    def reference(x):
        found = [np.linalg.qr(m, mode) for m in x]
        return [np.stack(part) for part in zip(*found, strict=True)] if mode != "r" else np.stack(found)

    return Record("qr", lambda x: qr_svd.qr(x, mode), [floats(*shape)], reference, label=label or mode)


def _complex_qr(m, n):
    return complex_record("qr", qr_svd.qr, np.linalg.qr, [floats(m, n), floats(m, n, seed=1)],
                          label=f"complex {m} {n}")


QR = [
    _qr("reduced", 2, 4, 3),
    _qr("reduced", 2, 3, 3, label="square"),
    _qr("reduced", 2, 2, 4, label="wide"),
    _qr("complete", 2, 3, 3),
    _qr("complete", 2, 2, 4, label="complete wide"),
    Record("qr", lambda x: qr_svd.qr(x, "complete"), [floats(2, 4, 3)],
           lambda x: list(np.linalg.qr(x, "complete")), label="complete tall", differentiable=[]),
    _qr("r", 2, 4, 3),
    _qr("r", 2, 2, 4, label="r wide"),
    # A factor is unique where the diagonal of r is real, as LAPACK has it.
    _complex_qr(4, 3),
    _complex_qr(3, 4),
]


def _unique(u, s, vh):
    """What does not depend on the phases of the vectors."""
    return [abs(u), s, abs(vh), mm(u, vh)]


def _svd(x, full=False):
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return [np.abs(u), s, np.abs(vh), u @ vh]


def _complex_svd(m, n):
    def function(x):
        u, s, vh = qr_svd.svd(x)
        return mm(u, vh), s, mm(u[:, :1] * adjoint(u[:, :1]), x), u[:, :1] * vh[:1]

    def reference(x):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        return [u @ vh, s, (u[:, :1] * u[:, :1].conj().T) @ x, u[:, :1] * vh[:1]]

    return complex_record("svd", function, reference, [floats(m, n), floats(m, n, seed=1)], label=f"complex {m} {n}")


SVD = [
    Record("svd", lambda x: _unique(*qr_svd.svd(x)), [floats(2, 3, 3)], _svd),
    Record("svd", lambda x: _unique(*qr_svd.svd(x)), [floats(2, 4, 3)], _svd, label="tall"),
    Record("svd", lambda x: _unique(*qr_svd.svd(x)), [floats(2, 3, 5)], _svd, label="wide"),
    Record("svd", lambda x: _unique(*qr_svd.svd(x, True)), [floats(2, 3, 3)], lambda x: _svd(x, True),
           label="full"),
    Record("svd", lambda x: qr_svd.svd(x, True)[1], [floats(2, 4, 3)],
           lambda x: np.linalg.svd(x, compute_uv=False), label="values of full"),
    Record("svd", qr_svd.singular_values, [np.stack([np.eye(3), np.diag([2.0, 2.0, 1.0])])],
           lambda x: np.linalg.svd(x, compute_uv=False), label="equal values", differentiable=[]),
    _complex_svd(3, 3),
    _complex_svd(4, 2),
    _complex_svd(2, 4),
]


def _eliminated(x):
    """LU of one matrix, row by row."""
    a, pivots = x.copy(), []
    for k in range(min(x.shape)):
        at = k + np.abs(a[k:, k]).argmax()
        a[[k, at]] = a[[at, k]]
        pivots.append(at + 1)
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a, np.array(pivots)


def _lu(x):
    found = [_eliminated(m) for m in x]
    return [np.stack([f[0] for f in found]), np.stack([f[1] for f in found]), np.zeros(len(x))]


def _lu_record(m, n):
    return Record("lu", lambda x: lu.lu(x, get_infos=True), [floats(2, m, n)], _lu, label=f"{m} {n}")


def _unpacked(x, y):
    m, n = x.shape[-2:]
    k = min(m, n)
    p = np.stack([np.eye(m)[:, [1, 0, *range(2, m)]] for _ in x])
    return [p, np.tril(x[:, :, :k], -1) + np.eye(m, k), np.triu(x[:, :k])]


def _unpack_record(m, n):
    pivots = np.stack([[2, *range(2, min(m, n) + 1)]] * 2).astype("int32")
    return Record("lu_unpack", lu.lu_unpack, [floats(2, m, n), pivots], _unpacked, label=f"{m} {n}",
                  batched=[0, 1])


LU = [
    _lu_record(3, 3),
    _lu_record(5, 3),
    _lu_record(3, 5),
    Record("lu", lambda x: lu.lu(x)[0], [np.random.default_rng(0).normal(size=(2, 120, 120))],
           lambda x: _lu(x)[0], label="blocks", differentiable=[], float32=False),
    complex_record("lu", lambda x: lu.lu(x)[0], lambda x: _eliminated(x)[0], [square(), square(seed=1)]),
    complex_record("lu", lambda x: lu.lu(x)[0], lambda x: _eliminated(x)[0],
                   [floats(4, 2), floats(4, 2, seed=1)], label="complex tall"),
    _unpack_record(3, 3),
    _unpack_record(5, 3),
    _unpack_record(3, 5),
]


def _reflections(x, tau):
    m, n = x.shape[-2:]
    q = np.eye(m, dtype=x.dtype)
    for k in range(tau.shape[-1]):
        v = np.concatenate([np.zeros(k), [1], x[k + 1:, k]])
        q = q - tau[k] * np.outer(q @ v, v.conj())
    return q[:, :n]


HOUSEHOLDER = [
    Record("triangular_solve", qr_svd.householder_product, [floats(4, 3), floats(3, seed=1)], _reflections,
           label="householder", batched=[]),
    Record("triangular_solve", qr_svd.householder_product, [floats(2, 4, 3), floats(2, 2, seed=1)],
           lambda x, tau: np.stack([_reflections(a, b) for a, b in zip(x, tau, strict=True)]),
           label="householder batch", batched=[0, 1]),
    complex_record("triangular_solve", qr_svd.householder_product, _reflections,
                   [floats(4, 3), floats(4, 3, seed=1), floats(3), floats(3, seed=1)], label="householder complex"),
]


def symmetric(x):
    return x + (x.conj().swapaxes(-1, -2) if isinstance(x, np.ndarray) else adjoint(x))


def _eigh(x, uplo="L"):
    values, vectors = eigen.eigh(symmetric(x), uplo)
    return values, abs(vectors)


def _eigh_reference(x):
    values, vectors = np.linalg.eigh(symmetric(x))
    return [values, np.abs(vectors)]


def _projector(vectors):
    return mm(vectors[..., :1], adjoint(vectors[..., :1]))


def _eig(x):
    """The values and vectors of real eigenvalues, in order."""
    values, vectors = eigen.eig(x)
    return values * values, vectors.real() ** 2.0


def _eig_reference(x):
    values, vectors = np.linalg.eig(x)
    return [values * values + 0j, vectors.real ** 2]


_REAL_VALUES = np.stack([np.diag([1.0, 2.0, 4.0]), np.diag([-3.0, 0.5, 2.0])]) + floats(2, 3, 3) * 0.3


def _complex_eig(x):
    values, vectors = eigen.eig(x)
    return values, vectors * vectors.conj()


def _complex_eig_reference(x):
    values, vectors = np.linalg.eig(x)
    return [values, vectors * vectors.conj()]


EIGEN = [
    Record("eigh", _eigh, [floats(2, 3, 3)], _eigh_reference),
    Record("eigh", lambda x: _eigh(x, "U"), [floats(2, 3, 3)], _eigh_reference, label="upper"),
    complex_record("eigh", lambda x: [eigen.eigh(symmetric(x))[0], _projector(eigen.eigh(symmetric(x))[1])],
                   lambda x: [np.linalg.eigh(symmetric(x))[0], np.einsum("i,j->ij", *(lambda v: (v, v.conj()))(
                       np.linalg.eigh(symmetric(x))[1][:, 0]))], [floats(3, 3), floats(3, 3, seed=1)]),
    Record("eigvalsh", lambda x: eigen.eigvalsh(symmetric(x)), [floats(2, 3, 3)],
           lambda x: np.linalg.eigvalsh(symmetric(x))),
    Record("eigvalsh", lambda x: apply(find("eigvalsh"), symmetric(x), UPLO="U", is_test=True)[0], [floats(2, 3, 3)],
           lambda x: np.linalg.eigvalsh(symmetric(x)), label="values only"),
    Record("eig", _eig, [_REAL_VALUES], _eig_reference),
    complex_record("eig", _complex_eig, _complex_eig_reference, [square(), floats(3, 3, seed=1)]),
    Record("eigvals", eigen.eigvals, [_REAL_VALUES], lambda x: np.linalg.eigvals(x) + 0j),
    complex_record("eigvals", eigen.eigvals, np.linalg.eigvals, [square(), floats(3, 3, seed=1)]),
    Record("over_gaps", lambda x, w: apply(find("over_gaps"), x, w), [floats(2, 3, 3), floats(2, 3, seed=1)],
           lambda x, w: np.where(np.eye(3) > 0, 0, x / (w[:, None] - w[:, :, None] + np.eye(3))), batched=[0, 1]),
    complex_record("over_gaps", lambda x, w: apply(find("over_gaps"), x, w),
                   lambda x, w: np.where(np.eye(3) > 0, 0, x / (w[None] - w[:, None] + np.eye(3))),
                   [floats(3, 3), floats(3, 3, seed=1), floats(3), floats(3, seed=1)]),
]

RECORDS = QR + SVD + LU + HOUSEHOLDER + EIGEN
