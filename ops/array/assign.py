"""Copies of values, and facts about them as values: assign, clone, increment, shape, rank, one_hot, fill_, zero_."""


from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import copying as fast
from ...core import dtype as dt
from ...core.dtype import DType
from ..core.facts import free
from ..core.infer import product, same
from ..core.kernels import by
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from .full import constant, is_value, value_of

assign_op = operator("assign", "X -> Out", kernel=lambda xp, x: x.copy(), infer=same, grad={"X": lambda g: g},
                     engines=[by(LOOPS, fast.copied, fast.LEAST)], moves=True, precision="keep")


@results_named("{input}_clone", bare=True)
def clone(x: Any, name: str | None = None) -> Any:
    """A copy of x through which gradients flow.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> y = paddle.clone(x)
    >>> y.sum().backward()
    >>> x.grad.tolist()
    [1.0]
    """
    return apply(assign_op, x)


def _increment(xp, x, *, step: float = 1.0):
    if x.size != 1:
        raise ValueError(f"{x.size} elements")
    return x + xp.asarray(step, x.dtype)


def _infer_increment(x, *, step=1.0):
    if product(x.shape) not in (1, -1):
        raise ValueError(f"increment(x): x must have one element. Received shape {list(x.shape)}.")
    return x


increment_op = operator("increment", "X -> Out=X", kernel=_increment, infer=_infer_increment, precision="keep")


def increment(x: Any, value: float = 1.0, name: str | None = None) -> Any:
    """Adds `value` to x, a tensor of one element, in place, and returns x.

    >>> import proa as paddle
    >>> paddle.increment(paddle.to_tensor([1.0]), 2.0).tolist()
    [3.0]
    """
    if is_value(x) and (x._is_view or current_trace().captures):  # what was read of x before keeps what it read
        return x._rebind(apply(increment_op, clone(x._alias()), step=value))
    return apply(increment_op, x, step=value)


def _shape(xp, x):
    return xp.asarray(x.shape, "int32")


shape_op = operator("shape", "Input -> Out", kernel=_shape, infer=lambda x: Spec((x.rank,), dt.int32),
                    narrow=True, fails="never", cost=free, lod="drop")


@results_named("shape")
def shape(input: Any) -> Any:
    """The sizes of `input` as a 1-D int32 tensor; in a Program, the sizes it will have when it runs.

    >>> import proa as paddle
    >>> paddle.shape(paddle.zeros([2, 3])).tolist()
    [2, 3]
    """
    return apply(shape_op, input)


def tolist(x: Any) -> Any:
    """The elements of x as nested lists of Python numbers.

    >>> import proa as paddle
    >>> paddle.tolist(paddle.to_tensor([[1, 2]]))
    [[1, 2]]
    """
    return value_of(x).tolist()


@results_named("assign")
def rank(input: Any) -> Any:
    """The number of dimensions, as a 0-d int32 tensor.

    >>> import proa as paddle
    >>> paddle.rank(paddle.ones([2, 3])).item()
    2
    """
    input = value_of(input)
    return constant(input.ndim, dt.int32)


def _one_hot(xp, x, depth_tensor=None, *, depth: int = -1, dtype: DType = dt.float32, allow_out_of_range: bool = False):
    count = depth if depth_tensor is None else int(depth_tensor.item())
    is_within = not x.size or bool(((x >= 0) & (x < count)).all())
    if not is_within and not allow_out_of_range:
        raise ValueError(f"one_hot(x, num_classes): every value must lie in [0, {count}). Received {x}.")
    if is_within and x.dtype.kind in "iu":
        found = xp.zeros(x.size * count, dtype.dtype)
        found[xp.arange(x.size, dtype="int64") * count + x.reshape(-1)] = 1
        return found.reshape(*x.shape, count)
    return (x[..., None] == xp.arange(count, dtype=x.dtype)).astype(dtype.dtype)


one_hot_op = operator(
    "one_hot_v2", "X, depth_tensor? -> Out", kernel=_one_hot,
    infer=lambda x, tensor=None, *, depth=-1, dtype=dt.float32, allow_out_of_range=False: Spec(
        (*x.shape, depth if tensor is None else -1), dtype), narrow=True, fails="values")


def one_hot(x: Any, num_classes: Any, name: str | None = None) -> Any:
    """For each integer of x a row of zeros with a one at its place: shape [*x.shape, num_classes], float32.

    Raises ValueError where a value lies outside [0, num_classes).

    >>> import proa as paddle
    >>> paddle.nn.functional.one_hot(paddle.to_tensor([2, 0]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    tensor = num_classes if is_value(num_classes) else None
    return apply(one_hot_op, x, tensor, depth=-1 if tensor is not None else int(num_classes), dtype=dt.float32)


