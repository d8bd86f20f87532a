"""`paddle.incubate.autograd`: products with Jacobians, and Jacobians and Hessians of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.lazy import listed
from ..dygraph import derivatives
from ..dygraph.engine import grad as eager_grad
from ..dygraph.tensor import Tensor
from ..ops.array.concat_split import concat
from ..ops.array.creation import ones_like, zeros_like
from ..ops.array.reshape import reshape


def _detached(xs: Any) -> list[Tensor]:
    """The inputs as tensors of their own, which gradients are taken with respect to."""
    found = [x.detach() for x in (xs if isinstance(xs, Sequence) else [xs])]
    for x in found:
        x.stop_gradient = False
    return found


def _packed(values: Sequence[Any], like: Any) -> Any:
    return tuple(values) if isinstance(like, Sequence) else values[0]


def _directions(v: Any, values: Sequence[Tensor], name: str) -> list[Tensor]:
    if v is None:
        return [ones_like(value) for value in values]
    given = list(v) if isinstance(v, Sequence) else [v]
    if [d.shape for d in given] != [value.shape for value in values]:
        raise ValueError(f"{name}(v): must have the shapes {[value.shape for value in values]}. "
                         f"Received {[d.shape for d in given]}.")
    return given


def vjp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """func(*xs), and the product of `v` (ones by default) with its Jacobian: Σ v·∂y/∂x, of the shapes of xs.

    >>> import proa as paddle
    >>> from proa.incubate.autograd import vjp
    >>> vjp(lambda x: x * x, paddle.to_tensor([1.0, 2.0]))[1].tolist()
    [2.0, 4.0]
    """
    inputs = _detached(xs)
    ys = func(*inputs)
    outputs = list(ys) if isinstance(ys, Sequence) else [ys]
    found = eager_grad(outputs, inputs, _directions(v, outputs, "vjp"), create_graph=True, allow_unused=True)
    return ys, _packed([_known(g, x) for x, g in zip(inputs, found, strict=True)], xs)


def jvp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """func(*xs), and the product of its Jacobian with `v` (ones by default): Σ ∂y/∂x·v, of the shapes of ys.

    Computed as the gradient of a gradient.

    >>> import proa as paddle
    >>> from proa.incubate.autograd import jvp
    >>> jvp(lambda x: x.sum(), paddle.to_tensor([1.0, 2.0]))[1].tolist()
    2.0
    """
    inputs = _detached(xs)
    ys = func(*inputs)
    outputs = list(ys) if isinstance(ys, Sequence) else [ys]
    return ys, _packed(_pushed(outputs, inputs, _directions(v, inputs, "jvp")), ys)


def _pushed(outputs: list[Tensor], inputs: list[Tensor], directions: list[Tensor]) -> list[Tensor]:
    starts = [ones_like(y) for y in outputs]
    for start in starts:
        start.stop_gradient = False
    slopes = eager_grad(outputs, inputs, starts, create_graph=True, allow_unused=True)
    known = [(slope, d) for slope, d in zip(slopes, directions, strict=True)
             if slope is not None and not slope.stop_gradient]
    if not known:
        return [_known(None, y) for y in outputs]
    found = eager_grad([slope for slope, _ in known], starts, [d for _, d in known], create_graph=True,
                       allow_unused=True)
    return [_known(g, y) for y, g in zip(outputs, found, strict=True)]


def _known(gradient: Any, x: Tensor) -> Tensor:
    """The gradient, or zeros of x's shape where there is none; gradients of either can be asked for."""
    found = zeros_like(x) if gradient is None else gradient
    found.stop_gradient = False
    return found


def _check_open(what: str, inputs: Sequence[Any]) -> None:
    stopped = [x.name for x in inputs if x.stop_gradient]
    if stopped:
        raise ValueError(f"{what}(inputs): stop_gradient must be False before outputs are computed of them. "
                         f"It is True of {stopped}.")


def forward_grad(outputs: Any, inputs: Any, grad_inputs: Any = None) -> Any:
    """The product of the Jacobian of outputs, which were computed from inputs, with `grad_inputs` (ones by default).

    Of Tensors, and of Variables of a Program. Raises ValueError for an input with `stop_gradient=True`, as data of a
    Program has it at first: what is computed of it keeps nothing to derive.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 3.0], stop_gradient=False)
    >>> paddle.incubate.autograd.forward_grad(x * x, x).tolist()
    [2.0, 6.0]
    """
    ys = list(outputs) if isinstance(outputs, Sequence) else [outputs]
    xs = list(inputs) if isinstance(inputs, Sequence) else [inputs]
    _check_open("forward_grad", xs)
    return _packed(_pushed(ys, xs, _directions(grad_inputs, xs, "forward_grad")), outputs)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None) -> Any:
    """The gradients of outputs with respect to inputs, which have gradients themselves; None of a Tensor without one.

    Raises ValueError for a Variable of a Program with `stop_gradient=True`, as its data have it at first.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 3.0], stop_gradient=False)
    >>> slope = paddle.incubate.autograd.grad(x ** 3, x)
    >>> slope.tolist(), paddle.incubate.autograd.grad(slope, x).tolist()
    ([3.0, 27.0], [6.0, 18.0])
    """
    xs = list(inputs) if isinstance(inputs, Sequence) else [inputs]
    _check_open("grad", [x for x in xs if not isinstance(x, Tensor)])
    found = eager_grad(outputs, inputs, grad_outputs, create_graph=True, allow_unused=True)
    return _packed(found, inputs)


def _flat(values: Any, is_batched: bool) -> Tensor:
    values = list(values) if isinstance(values, Sequence) else [values]
    sizes = [values[0].shape[0], -1] if is_batched else [-1]
    return concat([reshape(value, sizes) for value in values], -1)


class _OfFunction:
    """The derivatives of func at xs, all inputs flattened and joined (of each item of the batch when batched)."""

    def __init__(self, func: Callable[..., Any], xs: Any, is_batched: bool = False):
        joined = _flat(xs, is_batched).detach()
        joined.stop_gradient = False
        self._matrix = self._of(_flat(func(*_split(joined, xs, is_batched)), is_batched), joined, is_batched)
        self.shape = tuple(self._matrix.shape)

    def _of(self, y: Tensor, x: Tensor, is_batched: bool) -> derivatives.Jacobian:
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        return self._matrix[key]


def _split(joined: Tensor, xs: Any, is_batched: bool) -> list[Tensor]:
    """The parts of a joined value, with the shapes of xs."""
    parts, begin = [], 0
    for x in xs if isinstance(xs, Sequence) else [xs]:
        size = int(x.size) // (int(x.shape[0]) if is_batched else 1)
        part = joined[:, begin:begin + size] if is_batched else joined[begin:begin + size]
        parts.append(reshape(part, x.shape))
        begin += size
    return parts


class Jacobian(_OfFunction):
    """The Jacobian of func at xs, [M, N] or [B, M, N]: its rows are computed when they are first used.

    >>> import proa as paddle
    >>> from proa.incubate.autograd import Jacobian
    >>> Jacobian(lambda x: x * x, paddle.to_tensor([1.0, 2.0]))[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """

    def _of(self, y: Tensor, x: Tensor, is_batched: bool) -> derivatives.Jacobian:
        return derivatives.Jacobian(y, x, is_batched)


class Hessian(_OfFunction):
    """The Hessian of func, of one value, at xs, [N, N] or [B, N, N]: its rows are computed when they are first used.

    >>> import proa as paddle
    >>> from proa.incubate.autograd import Hessian
    >>> Hessian(lambda x: (x ** 3).sum(), paddle.to_tensor([1.0, 2.0]))[:].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """

    def _of(self, y: Tensor, x: Tensor, is_batched: bool) -> derivatives.Jacobian:
        if int(y.size) != (int(y.shape[0]) if is_batched else 1):
            raise ValueError(f"Hessian(func): must give one value{' an item' if is_batched else ''}. "
                             f"Received {y.shape} values.")
        return derivatives.Hessian(derivatives.gradient(y.sum(), [x])[0], x, is_batched)


_prim = {"enabled": False}


def enable_prim() -> None:
    """Says that gradients are to be written with primitive operators, which they always are: nothing else changes.

    >>> import proa as paddle
    >>> paddle.incubate.autograd.enable_prim()
    >>> paddle.incubate.autograd.prim_enabled()
    True
    >>> paddle.incubate.autograd.disable_prim()
    """
    _prim["enabled"] = True


def disable_prim() -> None:
    """Takes back what `enable_prim` said.

    >>> import proa as paddle
    >>> paddle.incubate.autograd.disable_prim()
    >>> paddle.incubate.autograd.prim_enabled()
    False
    """
    _prim["enabled"] = False


def prim_enabled() -> bool:
    """What was said last; False at first.

    >>> import proa as paddle
    >>> paddle.incubate.autograd.prim_enabled()
    False
    """
    return _prim["enabled"]


def to_prim(blocks: Any, blacklist: Any = frozenset(), whitelist: Any = frozenset(), start_idx: int = -1,
            backward_length: int = -1) -> None:
    """Nothing, as `prim2orig`."""


def prim2orig(block: Any = None, blacklist: Any = None) -> None:
    """Nothing: what a Program holds can be run as it is.

    >>> import proa as paddle
    >>> paddle.incubate.autograd.prim2orig()
    """


__all__ = ["Hessian", "Jacobian", "disable_prim", "enable_prim", "forward_grad", "grad", "jvp", "prim2orig",
           "prim_enabled", "to_prim", "vjp"]
__dir__ = listed(__name__)
