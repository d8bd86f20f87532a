"""Operators with an effect to look at: `print` and `assert`, with Paddle's types and slots.

A Program keeps them although nobody reads what they give.
"""


import sys
from collections import Counter
from typing import Any

from ...core.errors import ConditionError
from ..core.infer import same
from ..core.operator import Long, operator
from ..core.trace import apply

_shown: Counter[str] = Counter()  # how often a print that counts has printed, by its message


def _is_silent(message: str, first_n: int, print_phase: str, is_forward: bool) -> bool:
    if print_phase == ("BACKWARD" if is_forward else "FORWARD"):
        return True
    if first_n >= 0:
        _shown[message] += 1
    return 0 <= first_n < _shown[message]


def _print(xp, x, *, first_n: int = -1, message: str = "", summarize: int = 20, print_tensor_name: bool = True,
           print_tensor_type: bool = True, print_tensor_shape: bool = True, print_tensor_layout: bool = True,
           print_tensor_lod: bool = True, print_phase: str = "BOTH", is_forward: bool = True):
    if _is_silent(message, first_n, print_phase, is_forward):
        return x.view()
    facts = [message] if message else []
    if not is_forward:
        facts.append("gradient")
    if print_tensor_shape:
        facts.append(f"shape={list(x.shape)}")
    if print_tensor_type:
        facts.append(f"dtype={x.dtype}")
    shown = x if summarize < 0 or x.size <= summarize else x.reshape(-1)[:summarize]
    facts.append(f"{shown.tolist()}{'' if shown is x else ' …'}")
    sys.stdout.write(" ".join(facts) + "\n")
    return x.view()


def _print_gradient(g, attrs):
    if attrs["print_phase"] == "FORWARD" or not attrs["is_forward"]:
        return g
    given = {name: value for name, value in attrs.items() if name in print_op.attributes}
    return apply(print_op, g, **{**given, "is_forward": False})


print_op = operator("print", "In -> Out~In", kernel=_print, infer=same, grad={"In": _print_gradient},
                    effects="prints", moves=True)


def print_value(x: Any, message: str = "", summarize: int = 20) -> Any:
    """Prints x, and `message` before it, whenever the computation runs; gives x. -1 shows every element."""
    return apply(print_op, x, message=message, summarize=summarize, print_phase="FORWARD")


def _assert(xp, cond, data=None, *, summarize: Long = -1, message: str = ""):
    if not cond.all():
        shown = "".join(f"\n  {d.reshape(-1)[: None if summarize < 0 else summarize].tolist()}" for d in data or ())
        raise ConditionError((message or "an assertion on a tensor does not hold") + shown)
    return ()


assert_op = operator("assert", "Cond, Data* -> ", kernel=_assert, infer=lambda cond, data, **_: (), effects="raises")


def assert_value(cond: Any, data: Any = None, message: str = "", summarize: int = -1) -> None:
    """Raises AssertionError, with `message` and the first elements of `data`, unless every element of cond is true."""
    apply(assert_op, cond, list(data) if data else None, summarize=summarize, message=message)
