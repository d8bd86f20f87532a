"""How what a file has for an operator is declared, and PaddlePaddle's operators of gradients appended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....ops.array.assign import shape as sizes_of
from ....ops.array.full import full
from ....ops.array.slices import slice_
from ....ops.core.decomposition import Decomposition
from ....ops.core.operator import find
from ....ops.core.signature import parse_signature
from ....ops.core.trace import current_trace

FORMS: dict[str, Decomposition] = {}


def form(type: str, signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what a file has for an operator."""
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        inputs, outputs = parse_signature(signature)
        FORMS[type] = Decomposition(type, inputs, outputs, function, frozenset(find(type).attributes))
        return function

    return declare


def gradient(kind: str, of: str, like: Any, inputs: dict[str, Any], **attrs: Any) -> Any:
    """Appends PaddlePaddle's operator of the gradient of an operator, for its input `of`, which has the shape `like`.

    An attribute that is not given is what the operator has where a user gives none.
    """
    return gradients(kind, {of: like}, inputs, **attrs)[0]


def gradients(kind: str, likes: dict[str, Any], inputs: dict[str, Any], **attrs: Any) -> list[Any]:
    """As `gradient`, for several inputs, by what has their shapes."""
    block = current_trace().block
    stops = all(v.stop_gradient for v in inputs.values() if v is not None)
    made = [block.new_var(None, tuple(like.shape), like.dtype, stop_gradient=stops) for like in likes.values()]
    defaults = {name: p.default for name, p in find(kind).attributes.items() if p.default is not p.empty}
    block.append(f"{kind}_grad", {slot: [v.name] for slot, v in inputs.items() if v is not None},
                 {f"{of}@GRAD": [out.name] for of, out in zip(likes, made, strict=True)}, {**defaults, **attrs})
    return made


def zeros(shape: Sequence[int], beside: Any) -> Any:
    """Zeros that stand for a value of which the shape alone is read; of as many samples as `beside` has, if need be."""
    if -1 in list(shape)[1:]:
        raise NotImplementedError("a size is not known")
    sizes = list(shape)
    if sizes and sizes[0] == -1:
        sizes[0] = slice_(sizes_of(beside), [0], [0], [1])
    return full(sizes, 0.0, beside.dtype)
