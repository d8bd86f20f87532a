"""The body of an elementwise loop as calls of NumPy, one after the other, that give the same bits.

Additions, products, quotients, roots, choices and comparisons are rounded alike by NumPy and by machine code, where
that does not contract them. So a body that runs seldom, and calls no function that is not (exp, tanh, …), needs no
machine code of its own. Large arrays go through the body in blocks, whose values in between stay in the cache, and
where the compiled form is in use through steps of its own (`steps.py`).
"""

from __future__ import annotations

import ast
import functools
import marshal
import math
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

import numpy as np

from . import cache, steps

_REAL, _MASK, _NUMBER = "real", "mask", "number"
_OPERATIONS = {ast.Add: ("np.add", operator.add), ast.Sub: ("np.subtract", operator.sub),
               ast.Mult: ("np.multiply", operator.mul), ast.Div: ("np.divide", operator.truediv)}
_EXTREMES = {"max": "np.maximum", "min": "np.minimum"}
_RELATIONS = {ast.Lt: "np.less", ast.LtE: "np.less_equal", ast.Gt: "np.greater", ast.GtE: "np.greater_equal",
              ast.Eq: "np.equal", ast.NotEq: "np.not_equal"}
_FUNCTIONS = {"sqrt": "np.sqrt", "abs": "np.abs", "floor": "np.floor", "ceil": "np.ceil", "nearest": "np.rint",
              "truncate": "np.trunc", "copysign": "np.copysign"}
SAME_IN_NUMPY = ("f32", "f64", *_EXTREMES, *_FUNCTIONS)
"""The functions whose results are the same in NumPy."""
_INTO = tuple(f"{function}(" for function in (
    *(name for name, _ in _OPERATIONS.values()), *_EXTREMES.values(), *_FUNCTIONS.values(), "np.negative", "np.square"))
"""What can write into an array that it is given."""
_BLOCK = 1 << 15  # elements: a body of ten operations takes a third of the time in such blocks, and no fresh memory
_FOR_STEPS = 1 << 12  # elements from which on it is worth telling how arrays lie, for steps
_FEW = 1 << 9  # elements of a mask that are soon looked at one by one
_BITS = {4: np.int32, 8: np.int64}
_Typed = tuple[str, str]  # the source of a value, and which of the three kinds it is
OF_NAME = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


class _Unknown(ValueError):
    """Something that NumPy may compute otherwise."""


class Passes:
    """A body as calls of NumPy, and as steps where it can be had so."""

    def __init__(self, code: CodeType, names: dict[str, Any], written: steps.Steps | None):
        exec(code, names)  # noqa: S102 - the source is our own
        self._run, self._steps = names["run"], written

    def code(self, operands: int, otherwise: Callable[..., None]) -> Any:
        """What computes one result by steps, as machine code is called; None where that is not to be had."""
        return steps.made[0](*self._steps, operands, otherwise) if self._steps is not None and steps.made else None

    def __call__(self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Fills the results."""
        by_steps = steps.served[0] if self._steps is not None and steps.served else None
        for operands, parts in _blocks(arrays, results, by_steps is not None):
            if by_steps is not None and self._steps is not None and by_steps(*self._steps, operands, parts[0]):
                continue
            for part, value in zip(parts, self._run(*operands, *parts), strict=True):
                if value is not part:
                    np.copyto(part, value, casting="unsafe")


_Arrays = Sequence[np.ndarray]


def _blocks(arrays: _Arrays, results: _Arrays, for_steps: bool) -> Iterator[tuple[_Arrays, _Arrays]]:
    """Operands and results part by part, in the order in which the results lie in memory.

    Steps take all of what lies so, whatever its size.
    """
    first = results[0]
    if first.size < (_FOR_STEPS if for_steps else 2 * _BLOCK):
        yield arrays, results
        return
    order = sorted(range(first.ndim), key=lambda d: -first.strides[d])
    parts = [result.transpose(order) for result in results]
    spread = [a.reshape(1) if a.size == 1 else np.broadcast_to(a, first.shape).transpose(order) for a in arrays]
    if all(a.size == 1 or a.flags.c_contiguous for a in (*spread, *parts)):
        spread, parts = ([a if a.size == 1 else a.reshape(-1) for a in each] for each in (spread, parts))
        if for_steps:
            yield spread, parts
            return
    shape = parts[0].shape
    cut = next(d for d in range(len(shape)) if d + 1 == len(shape) or math.prod(shape[d + 1:]) <= _BLOCK)
    step = max(1, _BLOCK // math.prod(shape[cut + 1:]))
    # What is the same in all blocks is laid out once: else each would walk along a few numbers again and again.
    same = {k: np.ascontiguousarray(a[(0,) * cut][:step]) for k, a in enumerate(spread)
            if a.size > 1 and not any(a.strides[:cut + 1])}
    for place in np.ndindex(shape[:cut]):
        for begin in range(0, shape[cut], step):
            at = (*place, slice(begin, begin + step))
            filled = [part[at] for part in parts]
            yield [a if a.size == 1 else same[k][:len(filled[0])] if k in same else a[at]
                   for k, a in enumerate(spread)], filled


def passes(body: Sequence[str], dtypes: Sequence[np.dtype], outputs: Sequence[str]) -> Passes | None:
    """The body over operands of these dtypes, for results of these types; None where NumPy might give other bits."""
    real = _real_dtype(dtypes)
    if real is None:
        return None
    key = cache.key_of(f"{_translator()} {body} {[d.char for d in dtypes]} {outputs}")
    kept = cache.read(key, cache.PYTHON_CODE)
    if kept is not None:
        found, written = marshal.loads(kept)  # the folder is this user's own
    else:
        found, written = _translation(body, dtypes, real, outputs)
        cache.write(key, marshal.dumps((found, written)), cache.PYTHON_CODE)
    names = {"np": np, "real": real.type, "choose": _chosen}
    return None if found is None else Passes(found, names, written and steps.Steps(*written))


def _chosen(mask: Any, one: Any, other: Any) -> Any:
    """`np.where` for two floats of one dtype, by their bits: no order of the mask makes it slower."""
    if mask.size < _FEW:
        return np.where(mask, one, other)
    bits = _BITS[one.dtype.itemsize]
    rest = other.view(bits)
    return (rest ^ ((one.view(bits) ^ rest) & -mask.astype(bits))).view(one.dtype)


def _real_dtype(dtypes: Sequence[np.dtype]) -> np.dtype | None:
    """The one floating dtype of operands that are masks otherwise."""
    reals = {d for d in dtypes if d.kind == "f"}
    return reals.pop() if len(reals) == 1 and all(d.char in "fd?B" for d in dtypes) else None


def _translation(body: Sequence[str], dtypes: Sequence[np.dtype], real: np.dtype,
                 outputs: Sequence[str]) -> tuple[CodeType | None, tuple[bytes, ...] | None]:
    """The code of the passes, and their steps."""
    try:
        source = _Translation(dtypes, real).translated(body, outputs)
    except _Unknown:
        return None, None
    is_single = all(dtype.char == "f" for dtype in dtypes) and list(outputs) == ["f32*"]
    written = steps.steps_of(source, len(dtypes)) if is_single else None
    return compile(source, "<proa passes>", "exec"), written and tuple(written)


@functools.cache
def _translator() -> str:
    """What the same body becomes: a digest of this file and of that of steps, and the Python that runs."""
    return f"{sys.implementation.cache_tag} {cache.key_of(cache.source('passes') + cache.source('steps'))}"


def _assignments(body: Sequence[str]) -> list[tuple[str, ast.expr]]:
    """The names that statements give to values, and these."""
    found = []
    for statement in ast.parse("\n".join(body)).body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            raise _Unknown
        found.append((statement.targets[0].id, statement.value))
    return found


class _Translation:
    def __init__(self, dtypes: Sequence[np.dtype], real: np.dtype):
        self.real = real
        self.kinds = {f"a{k}": _REAL if d.kind == "f" else _MASK for k, d in enumerate(dtypes)}

    def translated(self, body: Sequence[str], outputs: Sequence[str]) -> str:
        """The passes as source: a function of the operands, and of the results' arrays."""
        given = ", ".join([*self.kinds, *(f"o{k}" for k in range(len(outputs)))])
        statements = _assignments(body)
        places = {f"r{k}": f"o{k}" for k, kind in enumerate(outputs)
                  if OF_NAME.get(kind.removesuffix("*")) == self.real}
        copied = {node.id: places[name] for name, node in statements if name in places and isinstance(node, ast.Name)}
        lines = []
        for name, node in statements:
            source, kind = self.value(node)
            self.kinds[name] = _REAL if kind == _NUMBER else kind
            place = places.get(name) or copied.get(name)
            if place is not None and kind == _REAL and source.startswith(_INTO):
                source = f"{source[:-1]}, out={place})"
            lines.append(f"    {name} = {_real((source, kind)) if kind == _NUMBER else source}")
        results = ", ".join(f"r{k}" for k in range(len(outputs)))
        return "\n".join([f"def run({given}):", *lines, f"    return ({results},)"])

    def value(self, node: ast.expr) -> _Typed:
        """The value of an expression."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise _Unknown
        return method(node)

    def _call(self, function: str, *arguments: str) -> str:
        return f"{function}({', '.join(arguments)})"

    # Syntax

    def _Name(self, node: ast.Name) -> _Typed:
        if node.id not in self.kinds:
            raise _Unknown
        return node.id, self.kinds[node.id]

    def _Constant(self, node: ast.Constant) -> _Typed:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise _Unknown
        return _written(node.value), _NUMBER

    def _BinOp(self, node: ast.BinOp) -> _Typed:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Pow) and left[1] == _REAL and right == ("2", _NUMBER):
            return self._call("np.square", left[0]), _REAL
        function, of_numbers = _OPERATIONS.get(type(node.op), ("", None))
        if left[1] == right[1] == _NUMBER and of_numbers is not None:
            return _folded(of_numbers, left, right), _NUMBER
        if not function or _REAL not in (left[1], right[1]) and not _is_scaled(left, right):
            raise _Unknown
        return self._call(function, _real(left), _real(right)), _REAL

    def _UnaryOp(self, node: ast.UnaryOp) -> _Typed:
        value = source, kind = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self._call("np.logical_not", _truth(value)), _MASK
        if not isinstance(node.op, ast.USub) or kind == _MASK:
            raise _Unknown
        if kind == _NUMBER:
            return _folded(operator.neg, value), _NUMBER
        return self._call("np.negative", source), _REAL

    def _Compare(self, node: ast.Compare) -> _Typed:
        sides = [self.value(side) for side in (node.left, *node.comparators)]
        if len(sides) != 2 or type(node.ops[0]) not in _RELATIONS or _REAL not in [kind for _, kind in sides]:
            raise _Unknown
        return self._call(_RELATIONS[type(node.ops[0])], *map(_real, sides)), _MASK

    def _BoolOp(self, node: ast.BoolOp) -> _Typed:
        function = "np.logical_and" if isinstance(node.op, ast.And) else "np.logical_or"
        first, *others = (_truth(self.value(side)) for side in node.values)
        for other in others:
            first = self._call(function, first, other)
        return first, _MASK

    def _IfExp(self, node: ast.IfExp) -> _Typed:
        condition, sides = self.value(node.test), [self.value(side) for side in (node.body, node.orelse)]
        if _REAL not in [kind for _, kind in sides] and [kind for _, kind in sides] != [_NUMBER, _NUMBER]:
            raise _Unknown
        return self._call("choose", _truth(condition), *map(_real, sides)), _REAL

    def _Call(self, node: ast.Call) -> _Typed:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise _Unknown
        name, values = node.func.id, [self.value(argument) for argument in node.args]
        if name in OF_NAME:
            if OF_NAME[name] != self.real:
                raise _Unknown
            return _real(values[0]), _REAL
        if name in _EXTREMES:
            return self._extreme(name, values)
        if name not in _FUNCTIONS:
            raise _Unknown
        return self._call(_FUNCTIONS[name], *map(_real, values)), _REAL

    def _extreme(self, name: str, values: Sequence[_Typed]) -> _Typed:
        """The larger or smaller one; NumPy takes either of two zeros, machine code the one of the fitting sign."""
        numbers = [ast.literal_eval(source) for source, kind in values if kind == _NUMBER]
        if len(numbers) != 1 or [kind for _, kind in values].count(_REAL) != 1 or name == "min" and numbers[0] == 0:
            raise _Unknown
        found = self._call(_EXTREMES[name], *map(_real, values))
        return (found if numbers[0] else self._call("np.add", found, "0.0")), _REAL


def _written(number: int | float) -> str:
    """A number as source."""
    if number != number:  # there is no literal for it
        raise _Unknown
    source = repr(number).replace("inf", "1e999")
    return f"({source})" if source.startswith("-") else source


def _folded(operation: Callable[..., float], *numbers: _Typed) -> str:
    """What an operation on numbers comes to, as source."""
    try:
        return _written(operation(*(ast.literal_eval(source) for source, _ in numbers)))
    except ArithmeticError:  # machine code has infinities there
        raise _Unknown from None


def _real(value: _Typed) -> str:
    """A value as a number of the body's floating type."""
    source, kind = value
    return source if kind == _REAL else f"real({source})" if kind == _NUMBER else f"np.asarray({source}, real)"


def _is_scaled(left: _Typed, right: _Typed) -> bool:
    """Whether a mask meets a number that is no whole one, which makes a number of it."""
    numbers = [source for source, kind in (left, right) if kind == _NUMBER]
    return len(numbers) == 1 and "." in numbers[0]


def _truth(value: _Typed) -> str:
    source, kind = value
    if kind == _NUMBER:
        raise _Unknown
    return f"np.not_equal({source}, 0)"
