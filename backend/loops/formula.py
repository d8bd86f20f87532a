"""Formulas: what an operator computes from one element of each input, as an expression in the language of kernels.

A formula names the operator's input slots and attributes: `"X * scale + bias"`. A slot that holds several values is
summed by `sum(X)`.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .compiler import is_ready
from .elementwise import COSTLY, KEPT_PATTERNS, ElementwiseLoop, Launch, is_known
from .types import OF_DTYPE

WORTH_A_LOOP = 1 << 14
"""Elements from which a generated loop is faster than one call of a simple function of NumPy."""

WORTH_A_LOOP_OF_ONE = 1 << 11
"""The same where that function is an elementary one, or chooses: NumPy does not use vectors for all of these."""

WORTH_A_LOOP_OF_PASSES = 1 << 9
"""The same where NumPy makes several passes."""

WORTH_A_SLOW_FUNCTION = 1 << 6
"""The same for the functions of SLOW_IN_NUMPY: it does not have them, or without vectors."""

SLOW_IN_NUMPY = re.compile(r"\b(erf|sigmoid|softplus|normal_cdf|atan2|atan)\(")

_NAMES = re.compile(r"\b[A-Za-z_]\w*\b(?!\()")
"""What may be an operand or an attribute: a name that is not called."""

Formula = str | Callable[..., str | None]


class _Substitution(ast.NodeTransformer):
    def __init__(self, operands: Mapping[str, Sequence[str]], attributes: Mapping[str, Any]):
        self.operands, self.attributes = operands, attributes

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "sum":
            slot = node.args[0]
            assert isinstance(slot, ast.Name)
            return ast.parse(" + ".join(self.operands[slot.id]), mode="eval").body
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if isinstance(node.test, ast.Name) and isinstance(self.attributes.get(node.test.id), bool):
            return self.visit(node.body if self.attributes[node.test.id] else node.orelse)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.operands:
            return ast.copy_location(ast.Name(self.operands[node.id][0], ast.Load()), node)
        if node.id in self.attributes:
            return ast.parse(_number(self.attributes[node.id]), mode="eval").body
        return node


def _number(value: Any) -> str:
    """An attribute as the text of a literal."""
    value = float(value)
    if math.isinf(value):
        return "1e999" if value > 0 else "(-1e999)"
    return f"({value!r})" if value < 0 else repr(value)


def text_for(formula: Formula, attributes: Mapping[str, Any]) -> str | None:
    """The formula as text; None where it does not hold for these attributes."""
    text = formula(**attributes) if callable(formula) else formula
    for value in attributes.values():
        if isinstance(value, float) and value != value:
            return None  # a NaN has no literal
    return text


def expression(formula: Formula, operands: Mapping[str, Sequence[str]], attributes: Mapping[str, Any]) -> str | None:
    """The formula over operands called by the given names; None where it does not hold for these attributes."""
    text = text_for(formula, attributes)
    return None if text is None else over(text, operands, attributes)


def over(text: str, operands: Mapping[str, Sequence[str]], attributes: Mapping[str, Any]) -> str:
    """A formula's text over operands called by the given names, the attributes' values written into it."""
    return _substituted(text.replace("inf", "1e999"), tuple((k, tuple(v)) for k, v in operands.items()), tuple(
        (k, v) for k, v in attributes.items() if isinstance(v, (bool, int, float))))


@functools.lru_cache(maxsize=4096)
def _substituted(text: str, operands: tuple, attributes: tuple) -> str:
    if " if " not in text and "sum(" not in text:  # names alone are replaced, as text: to parse it takes long
        values = {name: called[0] for name, called in operands}
        values.update((name, _number(value)) for name, value in attributes if name not in values)
        return _NAMES.sub(lambda match: values.get(match[0], match[0]), text)
    tree = ast.parse(text, mode="eval").body
    return ast.unparse(_Substitution(dict(operands), dict(attributes)).visit(tree))


_STEPS = re.compile(r" [-+*/] |\w\(| if ")
_ONE_STEP = re.compile(r"[\w.]+ [^ ()]+ [\w.]+|\w+\([A-Z]\w*(?:, [A-Z]\w*)*\)|not \w+")


def least_size(formula: Formula, defaults: Mapping[str, Any]) -> int:
    """From how many elements on a formula is worth a loop."""
    try:
        text = formula(**defaults) if callable(formula) else formula
    except TypeError:  # an attribute has no default
        text = None
    if text is None:
        return WORTH_A_LOOP_OF_ONE
    if SLOW_IN_NUMPY.search(text):
        return WORTH_A_SLOW_FUNCTION
    if len(_STEPS.findall(text)) > 1:  # as formulas are written: to parse each takes a tenth of all declarations' time
        return WORTH_A_LOOP_OF_PASSES
    if _ONE_STEP.fullmatch(text):
        return WORTH_A_LOOP_OF_ONE if COSTLY.search(text) else WORTH_A_LOOP
    tree = ast.parse(text, mode="eval")
    steps = [n for n in ast.walk(tree) if isinstance(n, (ast.BinOp, ast.Call, ast.IfExp))]
    if len(steps) > 1:
        return WORTH_A_LOOP_OF_PASSES
    chooses = any(isinstance(n, ast.IfExp) or isinstance(n, ast.Call) and isinstance(n.args[-1], ast.Constant)
                  for n in steps)
    return WORTH_A_LOOP_OF_ONE if chooses or COSTLY.search(text) else WORTH_A_LOOP


def same_real_dtype(arrays: Sequence[np.ndarray]) -> np.dtype | None:
    """The one floating dtype of arrays of which the others are masks; None where there is none."""
    found = None
    for array in arrays:
        if array.dtype.char not in "fd?B" or not is_known(array):
            return None
        if array.dtype.char in "fd":
            if found is not None and array.dtype != found:
                return None
            found = array.dtype
    return found


def names_in(formula: str) -> set[str]:
    """The names that a formula's text holds."""
    return {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}


def accelerated(formula: Formula, slots: Sequence[str], defaults: Mapping[str, Any],
                result: Callable[[Sequence[Any], Mapping[str, Any]], np.dtype]) -> Callable[..., Any]:
    """A kernel for large NumPy arrays that runs a formula as one loop; it declines what the formula is not for.

    `result(arrays, attributes)` tells the dtype of what the operator gives. Who calls it has looked at the sizes.
    """
    loops: dict[tuple, ElementwiseLoop | None] = {}
    launches: dict[tuple, Launch | None] = {}
    ndarray = np.ndarray

    def loop_for(inputs: Sequence[Any], real: np.dtype, attrs: Mapping[str, Any]) -> ElementwiseLoop | None:
        present = [slot for slot, array in zip(slots, inputs, strict=False) if array is not None]
        text = expression(formula, {slot: (f"a{k}",) for k, slot in enumerate(present)}, {**defaults, **attrs})
        if text is None or len(names_in(text) & {f"a{k}" for k in range(len(present))}) < len(present):
            return None
        dtype = result(inputs, attrs)
        return ElementwiseLoop([f"r0 = {text}"], [dtype.name]) if dtype.name in OF_DTYPE else None

    def launch_for(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Launch | None:
        arrays = [array for array in inputs if array is not None]
        real = same_real_dtype(arrays)
        if real is None:
            return None
        key = (real.char, tuple(array is None for array in inputs), *attrs.items())
        if key not in loops:
            loops[key] = loop_for(inputs, real, attrs)
        loop = loops[key]
        return None if loop is None else loop.launch(arrays)

    def call(*inputs: Any, **attrs: Any) -> Any:
        key: list[Any] = []
        arrays: Any = inputs
        for x in inputs:
            if type(x) is ndarray and x.flags.aligned:
                key += x.shape, x.strides, x.dtype
            elif x is None:
                key.append(None)
                arrays = [x for x in inputs if x is not None]
            else:
                return NotImplemented
        if not is_ready():
            return NotImplemented
        pattern = (*key, *attrs.items()) if attrs else tuple(key)
        try:
            launch = launches[pattern]
        except KeyError:
            if len(launches) >= KEPT_PATTERNS:
                launches.clear()
            launch = launches[pattern] = launch_for(inputs, attrs)
        return NotImplemented if launch is None else launch.single(arrays)

    return call
