"""What operators and gradient rules on matrices share: checks, products, transposes, parts; division by gaps.

The functions apply operators, so they take arrays, Tensors and Variables alike.
"""


from typing import Any

from ...core.dtype import DType, complex64, complex128, float32, float64
from ..array.diagonal import diag_embed_op, diagonal_op
from ..array.full import value_of
from ..array.rearrange import complex_op, real_op
from ..array.reshape import transpose_op, unsqueeze_op
from ..array.slices import Ranges
from ..array.triangles import tril_triu_op
from ..array.where import where_op
from ..core.infer import broadcast_shapes
from ..core.operator import Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from ..math.elementwise import conj_of, equal_op
from ..math.reduce import sum
from ..math.statistics import divide_or_zero_op
from .matrix_product import matmul_op

REAL = {complex64: float32, complex128: float64}
COMPLEX = {float32: complex64, float64: complex128}


# what operators accept

def check_matrices(what: str, x: Spec) -> None:
    """ValueError unless x holds matrices of floats."""
    if x.rank < 2:
        raise ValueError(f"{what}: must be a matrix or a batch of matrices, of 2 or more dimensions. "
                         f"Received shape {list(x.shape)}.")
    if not x.dtype.is_differentiable:
        raise ValueError(f"{what}: must have a floating or complex dtype. Received {x.dtype.name}; "
                         f"convert it with astype('float32').")


def check_square(what: str, x: Spec) -> None:
    """ValueError unless x holds square matrices of floats."""
    check_matrices(what, x)
    if x.shape[-1] != x.shape[-2] and -1 not in x.shape[-2:]:
        raise ValueError(f"{what}: the matrices must be square. Received shape {list(x.shape)}.")


def check_system(what: str, a: Spec, b: Spec, names: tuple[str, str] = ("x", "y")) -> Spec:
    """The spec of a^-1 b, whose leading dimensions broadcast; ValueError where the sizes do not fit."""
    check_square(f"{what}: {names[0]}", a)
    check_matrices(f"{what}: {names[1]}", b)
    if a.shape[-1] != b.shape[-2] and -1 not in (a.shape[-1], b.shape[-2]):
        raise ValueError(f"{what}: {names[0]} and {names[1]} must have as many rows. Received "
                         f"{names[0]}.shape={list(a.shape)}, {names[1]}.shape={list(b.shape)}.")
    if a.dtype is not b.dtype:
        raise ValueError(f"{what}: {names[0]} and {names[1]} must have one dtype. "
                         f"Received {a.dtype.name} and {b.dtype.name}.")
    return Spec((*broadcast_shapes(what, a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)


def checked(op: Operator, *inputs: Any, **attrs: Any) -> Any:
    """The operator applied after its rule has looked at the inputs: kernels take more than makes sense."""
    values = [x if x is None and slot.optional else [value_of(item) for item in x] if isinstance(x, list) else
              value_of(x) for slot, x in zip(op.inputs, inputs, strict=True)]
    op.infer(*[_spec(x) for x in values], **attrs)
    return apply(op, *values, **attrs)


def finite(what: str, xp: Any, x: Any) -> Any:
    """x itself; ValueError where it holds a NaN or an infinity, with which LAPACK's iterations may not end."""
    if not bool(xp.isfinite(x).all()):
        raise ValueError(f"{what}: the matrices hold a NaN or an infinity, which have no decomposition. "
                         "paddle.isfinite(x) tells where.")
    return x


def _spec(x: Any) -> Any:
    if isinstance(x, list):
        return [_spec(item) for item in x]
    return None if x is None else Spec(tuple(x.shape), x.dtype)


def smaller(m: int, n: int) -> int:
    """The smaller of two sizes; -1 where one is not known."""
    return -1 if -1 in (m, n) else min(m, n)


# for gradient rules

def mm(x: Any, y: Any) -> Any:
    """x @ y."""
    return apply(matmul_op, x, y, trans_x=False, trans_y=False)


def transposed(x: Any) -> Any:
    """The last two dimensions exchanged."""
    return apply(transpose_op, x, axis=[*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return conj_of(transposed(x))


def lower(x: Any, diagonal: int = 0) -> Any:
    """The elements on and below a diagonal."""
    return apply(tril_triu_op, x, diagonal=diagonal, lower=True)


def upper(x: Any, diagonal: int = 0) -> Any:
    """The elements on and above a diagonal."""
    return apply(tril_triu_op, x, diagonal=diagonal, lower=False)


def diagonal_of(x: Any) -> Any:
    """The diagonals as vectors."""
    return apply(diagonal_op, x, offset=0, axis1=x.ndim - 2, axis2=x.ndim - 1)


def diagonal_matrix(x: Any) -> Any:
    """Vectors on the diagonal of matrices."""
    return apply(diag_embed_op, x, offset=0, dim1=-2, dim2=-1)


def as_row(x: Any) -> Any:
    """Vectors as matrices of one row."""
    return apply(unsqueeze_op, x, None, None, axes=[-2])


def as_column(x: Any) -> Any:
    """Vectors as matrices of one column."""
    return apply(unsqueeze_op, x, None, None, axes=[-1])


def part(x: Any, axis: int, start: Any, end: Any) -> Any:
    """A range along a dimension, -1 being the last; its bounds are ints or values."""
    ranges = Ranges()
    ranges.add(axis % x.ndim, start, end)
    return ranges.take(x)


def halves(x: Any, axis: int, size: int, whole: int) -> tuple[Any, Any]:
    """The first `size` of `whole` elements along a dimension, and the others; None where there is none."""
    return (x, None) if size == whole else (part(x, axis, 0, size), part(x, axis, size, whole))


def in_dtype(g: Any, dtype: DType) -> Any:
    """The real part of a complex gradient for a real input."""
    return apply(real_op, g) if dtype_of(g).is_complex and not dtype.is_complex else g


def as_like(x: Any, other: Any) -> Any:
    """A real value as a complex one, where the other is complex."""
    return apply(complex_op, x, x * 0.0) if dtype_of(other).is_complex and not dtype_of(x).is_complex else x


def inverse_or_zero(x: Any) -> Any:
    """1 / x of real values, 0 where x is 0."""
    return apply(divide_or_zero_op, x * 0.0 + 1.0, x)


def nan_where_zero(x: Any) -> Any:
    """NaN where x is 0, else 0: added to what a gradient divides by, it is NaN where no gradient is determined."""
    zeros = x * 0.0
    return apply(where_op, apply(equal_op, x, zeros), zeros + float("nan"), zeros)


def without_zero_pivots(triangle: Any) -> Any:
    """Triangular matrices with NaN for each 0 on the diagonal: equations with them have NaN for a solution."""
    return triangle + diagonal_matrix(nan_where_zero(diagonal_of(triangle)))


def known_sizes(what: str, shape: Any) -> tuple[int, int]:
    """The rows and columns of matrices; ValueError where a Program does not know them."""
    rows, columns = (shape if isinstance(shape, (tuple, list)) else shape.shape)[-2:]
    if -1 in (rows, columns):
        raise ValueError(f"{what}: its gradient needs matrices of known sizes. Received [..., {rows}, {columns}]; "
                         f"declare the last two sizes of the input.")
    return rows, columns


# division by the gaps between eigenvalues

def _gaps(xp: Any, x: Any, w: Any) -> tuple[Any, Any]:
    """Gaps w[j] - w[i], 1 where nothing is to be divided; and where something is."""
    divided = (x != 0) & ~xp.eye(w.shape[-1], dtype=bool)
    return xp.where(divided, w[..., None, :] - w[..., :, None], xp.ones((), w.dtype)), divided


def _over_gaps(xp, x, w):
    gaps, divided = _gaps(xp, x, w)
    return xp.where(divided, x / gaps, xp.zeros((), x.dtype))


def _over_gaps_gradient(g: Any, w: Any, out: Any) -> Any:
    slope = apply(over_gaps_op, g, conj_of(w)) * conj_of(out)
    return in_dtype(sum(slope, -1) - sum(slope, -2), dtype_of(w))


over_gaps_op = operator(
    "over_gaps", "X, W -> Out", kernel=_over_gaps, infer=lambda x, w: x,
    grad={"X": lambda g, W: apply(over_gaps_op, g, conj_of(W)),
          "W": lambda g, W, Out: _over_gaps_gradient(g, W, Out)}, only_here=True)
"""Out[i, j] = X[i, j] / (W[j] - W[i]); 0 on the diagonal, and where X is 0.

So eigenvalues may be equal where only what does not depend on the choice of their vectors is differentiated.
"""


def over_gaps(x: Any, w: Any) -> Any:
    """x[i, j] / (w[j] - w[i]); 0 on the diagonal, and where x is 0."""
    return apply(over_gaps_op, x, w)
