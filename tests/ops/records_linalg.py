"""Records of products of matrices and vectors, of diagonals and of einsum."""

import numpy as np
from proa.ops.array import diagonal
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.linalg import einsum, matrix_product, products
from records import Record, floats


def _product(label, x, y, *, tx=False, ty=False, batched=None):
    def reference(a, b):
        a = a.swapaxes(-1, -2) if tx and a.ndim > 1 else a
        return a @ (b.swapaxes(-1, -2) if ty and b.ndim > 1 else b)

    return Record(
        "matmul_v2",
        lambda a, b: matrix_product.matmul(a, b, tx, ty),
        [floats(*x), floats(*y, seed=1)],
        reference,
        label=label,
        batched=batched,
    )


MATMUL = [
    _product("matrices", (2, 3), (3, 4)),
    _product("tx", (3, 2), (3, 4), tx=True, batched=[]),
    _product("ty", (2, 3), (4, 3), ty=True),
    _product("both", (3, 2), (4, 3), tx=True, ty=True, batched=[]),
    _product("batch by matrix", (2, 5, 3), (3, 4)),
    _product("batch by matrix ty", (2, 5, 3), (4, 3), ty=True),
    _product("batch by matrix tx", (2, 3, 5), (3, 4), tx=True),
    _product("batches", (2, 5, 3), (2, 3, 4), batched=[0, 1]),
    _product("batches tx ty", (2, 3, 5), (2, 4, 3), tx=True, ty=True, batched=[0, 1]),
    _product("broadcast", (2, 1, 5, 3), (4, 3, 2)),
    _product("matrix by batch", (5, 3), (2, 3, 4), batched=[1]),
    _product("vectors", (3,), (3,), batched=[]),
    _product("vector by matrix", (3,), (3, 4), batched=[]),
    _product("matrix by vector", (2, 3), (3,)),
    _product("vector by batch", (3,), (2, 3, 4), batched=[1]),
    _product("batch by vector", (2, 4, 3), (3,)),
    _product("vector by batch ty", (3,), (2, 4, 3), ty=True, batched=[1]),
]


def _two(type, function, x, y, reference, **more):
    return Record(type, function, [floats(*x), floats(*y, seed=1)], reference, **more)


PRODUCTS = [
    _two("bmm", products.bmm, (2, 3, 4), (2, 4, 5), np.matmul, batched=[0, 1]),
    _two("mv", products.mv, (2, 3), (3,), np.matmul),
    _two("dot", products.dot, (3,), (3,), np.dot),
    _two("dot", products.dot, (2, 3), (2, 3), lambda x, y: (x * y).sum(-1), label="rows"),
    _two("matmul_v2", products.inner, (2, 3), (4, 3), np.inner, label="inner"),
    _two("matmul_v2", products.outer, (2,), (3,), np.outer, label="outer"),
    _two(
        "matmul_v2",
        lambda x, y: products.tensordot(x, y, [[1, 2], [1, 0]]),
        (2, 3, 4),
        (4, 3, 5),
        lambda x, y: np.tensordot(x, y, ([1, 2], [1, 0])),
        label="tensordot",
    ),
    _two(
        "mul",
        lambda x, y: apply(find("mul"), x, y, x_num_col_dims=1, y_num_col_dims=1),
        (2, 3, 4),
        (12, 5),
        lambda x, y: x.reshape(2, 12) @ y,
    ),
    _two(
        "mul",
        lambda x, y: apply(find("mul"), x, y, x_num_col_dims=2, y_num_col_dims=2),
        (2, 3, 4),
        (2, 2, 5),
        lambda x, y: x @ y.reshape(4, 5),
        label="two columns",
    ),
    Record(
        "addmm",
        lambda i, x, y: products.addmm(i, x, y, 0.5, 2.0),
        [floats(1, 4), floats(2, 3, seed=1), floats(3, 4, seed=2)],
        lambda i, x, y: 0.5 * i + 2 * (x @ y),
        batched=[1],
    ),
    _two("kron", diagonal.kron, (2, 3), (4, 2), np.kron, batched=[]),
    _two("kron", diagonal.kron, (3,), (2, 2), np.kron, batched=[], label="ranks"),
    _two("cross", diagonal.cross, (2, 3), (2, 3), np.cross),
]


def _one(type, function, reference, *shape, **more):
    return Record(type, function, [floats(*shape)], reference, **more)


def _embedded(x):
    return np.stack([np.diag(row, 1) for row in x])


DIAGONALS = [
    _one("diagonal", lambda x: diagonal.diagonal(x, 1, 1, 2), lambda x: np.diagonal(x, 1, 1, 2), 2, 3, 4),
    _one(
        "diagonal",
        lambda x: diagonal.diagonal(x, -1, 2, 0),
        lambda x: np.diagonal(x, -1, 2, 0),
        2,
        3,
        4,
        label="below",
        batched=[],
    ),
    _one(
        "place_diagonal",
        lambda g: apply(find("place_diagonal"), g, None, shape=[2, 3, 4], offset=1, axis1=1, axis2=2),
        lambda g: np.stack([np.eye(3, 4, 1) * np.append(row, 0)[:, None][:3] for row in g]),
        2,
        3,
        batched=[],
    ),
    _one("trace", lambda x: diagonal.trace(x, 1, 1, 2), lambda x: np.trace(x, 1, 1, 2), 2, 3, 4),
    _one("diag_v2", diagonal.diag, np.diag, 3),
    _one("diag_v2", lambda x: diagonal.diag(x, -1), lambda x: np.diag(x, -1), 3, 4, label="of a matrix", batched=[]),
    _one(
        "diag_v2",
        lambda x: diagonal.diag(x, 1, 5.0),
        lambda x: np.where(np.eye(4, 4, 1) > 0, np.diag(x, 1), 5.0),
        3,
        label="padding",
        batched=[],
    ),
    _one("diag_v2", diagonal.diagflat, np.diagflat, 2, 2, label="flat"),
    _one("diag_embed", lambda x: diagonal.diag_embed(x, 1), _embedded, 2, 3),
]


def _sum(equation, *shapes, label="", batched=None):
    inputs = [floats(*shape, seed=n) for n, shape in enumerate(shapes)]
    return Record(
        "einsum",
        lambda *x: einsum.einsum(equation, *x),
        inputs,
        lambda *x: np.einsum(equation, *x),
        label=label or equation,
        batched=batched,
    )


EINSUM = [
    _sum("ij,jk->ik", (2, 3), (3, 4)),
    _sum("bij,bjk->bik", (2, 3, 4), (2, 4, 5), batched=[0, 1]),
    _sum("ij,j", (2, 3), (3,)),
    _sum("ijk->k", (2, 3, 4)),
    _sum("...ij,...jk->...ik", (2, 2, 3), (3, 4)),
    _sum("ij,ik,il->jkl", (2, 3), (2, 4), (2, 2), batched=[0, 1, 2]),
    _sum("ij,kl->i", (2, 3), (4, 5)),
    _sum("iij->j", (3, 3, 2), batched=[]),
    _sum("i,i->", (3,), (3,)),
    _sum("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4), batched=[0, 1]),
]

RECORDS = MATMUL + PRODUCTS + DIAGONALS + EINSUM
