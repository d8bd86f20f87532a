"""`fluid.dygraph_utils`: what layers of dynamic mode end with, as users' own layers call it."""

from __future__ import annotations

from typing import Any

from ..ops.core.operator import find
from ..ops.core.trace import apply


def _append_activation_in_dygraph(input: Any, act: str | None = None, use_cudnn: bool | None = None,
                                  use_mkldnn: bool | None = None) -> Any:
    """The activation of that name of a value; the value where there is none."""
    return apply(find(act), input) if act else input


def _append_bias_in_dygraph(input: Any, bias: Any = None, axis: int = 1, use_mkldnn: bool | None = None) -> Any:
    """The value with a bias added, whose dimensions are the value's from `axis` on; the value where there is none."""
    return input if bias is None else apply(find("elementwise_add"), input, bias, axis=axis)
