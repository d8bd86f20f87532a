"""Linear algebra of a matrix made of a value: inverses, equations, decompositions, determinants."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production

#: {0} is a value whose last size is {n}, {a} a symmetric matrix of {n} rows, far from a singular one.
SAME = """
paddle.matmul({0}, paddle.linalg.inv({a}))
{0} * paddle.linalg.det({a} * 0.3) * 0.1
{0} + paddle.linalg.slogdet({a})[1] * 0.1
paddle.linalg.solve({a}, {0}.reshape([-1, {n}]).T).T.reshape({0}.shape)
{0} + paddle.linalg.cholesky({a})[:, 0]
{0} + paddle.linalg.cholesky({a}, upper=True)[0] * 0.3
{0} + paddle.linalg.eigvalsh({a}) * 0.1
{0} * paddle.linalg.eigh({a})[0].sum() * 0.02
{0} * paddle.linalg.norm({a}) * 0.05
{0} * paddle.linalg.norm({a}, p=1, axis=1) * 0.05
paddle.matmul({0}, paddle.linalg.matrix_power({a} * 0.1, 3))
paddle.matmul({0}, paddle.linalg.matrix_power({a}, -1))
paddle.linalg.triangular_solve(paddle.tril({a}), {0}.reshape([-1, {n}]).T, upper=False).T.reshape({0}.shape)
paddle.linalg.cholesky_solve({0}.reshape([-1, {n}]).T, paddle.linalg.cholesky({a})).T.reshape({0}.shape)
paddle.linalg.multi_dot([{0}.reshape([-1, {n}]), {a} * 0.1, {a} * 0.2]).reshape({0}.shape)
paddle.matmul({0}, paddle.linalg.pinv({a}))
{0} * paddle.linalg.svd({a})[1].max() * 0.05
{0} + paddle.abs(paddle.linalg.qr({a})[1]).sum(-1) * 0.05
{0} * paddle.trace({a}) * 0.02
{0} + paddle.diagonal({a}) * 0.1
{0} + paddle.diag({a}) * 0.1
paddle.matmul({0}, paddle.diag_embed(paddle.diagonal({a}) * 0.1))
{0} * paddle.dist({a}, paddle.eye({n})) * 0.05
{0} + paddle.mv({a}, {a}[0]) * 0.02
{0} + paddle.einsum('ij,kj->k', {a}, {a} * 0.1) * 0.1
{0} * paddle.kron({a}, paddle.eye(2)).mean()
{0} + paddle.cdist({a}, paddle.zeros([2, {n}])).sum(-1) * 0.05
{0} + paddle.linalg.cov({a})[0] * 0.1
{0} + paddle.linalg.matrix_rank({a}).astype({0}.dtype) * 0.1
""".strip().splitlines()


@production(1, "matrices")
def _of_matrices(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None or not isinstance(v.shape[-1], int) or not 2 <= v.shape[-1] <= 4:
        return None
    size = v.shape[-1]
    rows = f"paddle.tanh({v.text}.reshape([-1, {size}])[:2])"
    matrix = f"(paddle.eye({size}) * 5.0 + paddle.matmul({rows}, {rows}, transpose_x=True))"
    return body.pick(*SAME).format(v.text, n=size, a=matrix), v.shape, "float"
