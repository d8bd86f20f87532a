"""Gradient rules: from the rules of a declaration to what the backward walk calls.

`grad={"X": rule, "Y": rule}` gives one rule an input; `grad={"X, Filter": rule}` one rule for several, which returns a
tuple. A rule's parameters are found by name:

- `g` is the gradient of the first output, `d_Mean` that of the output `Mean`;
- `X`, `Out`: the value of an input or output, kept alive for this;
- `X_shape`, `X_dtype`: only its shape (a tuple, or the value itself where a size is not yet known) or its dtype;
- `wants`: for a joint rule, which of its inputs want a gradient, a tuple of bools;
- `attrs`: all attributes, a dict (a Program's operator may carry some that the declaration does not know);
- any other name is an attribute.

For a repeated slot the value is a list, and so is what the rule returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.dtype import from_numpy_dtype
from .trace import apply_zeros

if TYPE_CHECKING:
    from .operator import Operator


def array_shape(value: Any) -> Any:
    """The shape of an array, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [v.shape for v in value]
    return None if value is None else value.shape


def array_dtype(value: Any) -> Any:
    """The DType of an array, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [from_numpy_dtype(v.dtype) for v in value]
    return None if value is None else from_numpy_dtype(value.dtype)


def symbol_shape(value: Any) -> Any:
    """The shape of a symbolic value as a tuple, or the value itself where a size is not known."""
    if isinstance(value, (list, tuple)):
        return [symbol_shape(v) for v in value]
    if value is None:
        return None
    shape = tuple(value.shape)
    return value if -1 in shape else shape


def symbol_dtype(value: Any) -> Any:
    """The DType of a symbolic value, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [v.dtype for v in value]
    return None if value is None else value.dtype


class Saved:
    """One thing that an application keeps for its gradient: a value, a shape or a dtype of an input or output."""

    __slots__ = ("of_output", "index", "kind")

    def __init__(self, of_output: bool, index: int, kind: str):
        self.of_output, self.index, self.kind = of_output, index, kind

    def source(self) -> str:
        """The expression that picks it out of the inputs `i` and outputs `o`."""
        value = f"{'o' if self.of_output else 'i'}[{self.index}]"
        return value if self.kind == "value" else f"{self.kind}_of({value})"


class Gradient:
    """The gradient of an operator: what to save, and how to call its rules."""

    __slots__ = ("saved", "save_arrays", "save_symbols", "values", "_calls", "_operator", "_filled", "_uses_attrs")

    def __init__(self, operator: Operator, rules: Mapping[str, Callable[..., Any]]):
        self._operator = operator
        self.saved: list[Saved] = []
        positions: dict[str, int] = {}
        used_outputs: set[int] = set()
        self._uses_attrs = False
        calls = []
        for key, rule in rules.items():
            slots = tuple(self._input_index(name.strip()) for name in key.split(","))
            arguments = [self._argument(p, positions, used_outputs) for p in inspect.signature(rule).parameters]
            text = f"lambda rule, gs, saved, attrs, wants: rule({', '.join(arguments)})"
            call = eval(text)  # noqa: S307 - made of slot numbers and attribute names
            calls.append((slots, rule, call))
        self._calls = tuple(calls)
        # Gradients of outputs that nothing used are zeros; their shapes and dtypes must be known.
        self._filled = ()
        if not operator.is_single:
            self._filled = tuple(
                (k, self._position(True, k, "shape", positions), self._position(True, k, "dtype", positions))
                for k in sorted(used_outputs)
            )
        picked = ", ".join(s.source() for s in self.saved)
        text = f"lambda i, o: ({picked}{',' if len(self.saved) == 1 else ''})"
        # The text is made of slot numbers.
        self.save_arrays = eval(text, {"shape_of": array_shape, "dtype_of": array_dtype})  # noqa: S307
        self.save_symbols = eval(text, {"shape_of": symbol_shape, "dtype_of": symbol_dtype})  # noqa: S307
        self.values = tuple((n, s.of_output, s.index) for n, s in enumerate(self.saved) if s.kind == "value")

    def _input_index(self, name: str) -> int:
        return [slot.name for slot in self._operator.inputs].index(name)

    def _position(self, of_output: bool, index: int, kind: str, positions: dict[str, int]) -> int:
        key = f"{of_output}{index}{kind}"
        if key not in positions:
            positions[key] = len(self.saved)
            self.saved.append(Saved(of_output, index, kind))
        return positions[key]

    def _argument(self, name: str, positions: dict[str, int], used_outputs: set[int]) -> str:
        operator = self._operator
        outputs = [slot.name for slot in operator.results]
        if name == "wants":
            return "wants"
        if name == "attrs":
            self._uses_attrs = True
            return "attrs"
        if name == "g" or (name.startswith("d_") and name[2:] in outputs):
            index = 0 if name == "g" else outputs.index(name[2:])
            used_outputs.add(index)
            return f"gs[{index}]"
        base, _, kind = name.rpartition("_")
        if kind not in ("shape", "dtype"):
            base, kind = name, "value"
        for of_output, names in ((False, [slot.name for slot in operator.inputs]), (True, outputs)):
            if base in names:
                return f"saved[{self._position(of_output, names.index(base), kind, positions)}]"
        if name not in operator.attributes:
            raise ValueError(
                f"{operator.type}: a gradient rule asks for {name!r}, which is neither slot nor attribute."
            )
        self._uses_attrs = True
        return f"attrs[{name!r}]"

    def __call__(self, gs: Sequence[Any], saved: tuple, attrs: dict[str, Any], wants: Sequence[Any]) -> list[Any]:
        """The gradients of the input slots (None where not wanted), from those of the results (None where unused)."""
        if self._uses_attrs and len(attrs) != len(self._operator.attributes):
            attrs = {**self._operator.defaults, **attrs}
        if self._filled:
            gs = list(gs)
            for index, shape, dtype in self._filled:
                gs[index] = _filled(gs[index], saved[shape], saved[dtype])
        result: list[Any] = [None] * len(self._operator.inputs)
        for slots, rule, call in self._calls:
            if len(slots) == 1:
                if wants[slots[0]]:
                    result[slots[0]] = call(rule, gs, saved, attrs, None)
            else:
                wanted = tuple(bool(wants[s]) for s in slots)
                if any(wanted):
                    for slot, gradient in zip(slots, call(rule, gs, saved, attrs, wanted), strict=True):
                        result[slot] = gradient
        return result


def _filled(gradient: Any, shape: Any, dtype: Any) -> Any:
    if isinstance(shape, list):
        given = gradient or {}  # by position
        return [_filled(given.get(n), *one) for n, one in enumerate(zip(shape, dtype, strict=True))]
    return apply_zeros(shape, dtype) if gradient is None and shape is not None else gradient
