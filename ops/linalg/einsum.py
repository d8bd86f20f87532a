"""Einstein's summation: sums of products named by an equation such as "bij,bjk->bik".

The gradient of one operand is again such a sum, of the result's gradient and the other operands.
"""


import functools
import itertools
import string
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backend import onednn, products
from ...backend.engines import ONEDNN
from ...core.dtype import promote
from ...core.errors import AssertedError
from ..array.assign import clone
from ..array.diagonal import diagonal
from ..array.full import value_of
from ..array.gradient_shapes import expand_to, sum_to
from ..array.reshape import shape_handle, transpose, unsqueeze
from ..core.infer import broadcast_shapes, product
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast
from ..math.elementwise import conj_of


def _sides(equation: str) -> tuple[list[str], str]:
    left, _, right = equation.partition("->")
    return left.split(","), right


class _Pair(NamedTuple):
    """How a sum of products of two operands is one product of matrices, or one product of elements."""

    sums: tuple[tuple[int, ...], tuple[int, ...]]  # dimensions of each that nothing else has: they are summed at once
    orders: tuple[tuple[int, ...], tuple[int, ...]]  # of what is left: batch, rows, inner; and batch, inner, columns
    counts: tuple[int, int, int, int]  # how many letters are of the batch, rows, inner, columns
    back: tuple[int, ...]  # the result's letters in batch, rows, columns


@functools.lru_cache(512)
def _pair(equation: str) -> _Pair:
    (left, right), result = _sides(equation)
    batch = [c for c in result if c in left and c in right]
    rows, columns = [c for c in result if c not in right], [c for c in result if c not in left]
    inner = [c for c in left if c in right and c not in result]
    sums = [tuple(n for n, c in enumerate(term) if c not in other and c not in result)
            for term, other in ((left, right), (right, left))]
    kept = ["".join(c for n, c in enumerate(term) if n not in gone)
            for term, gone in zip((left, right), sums, strict=True)]
    orders = (tuple(kept[0].index(c) for c in batch + rows + inner),
              tuple(kept[1].index(c) for c in batch + inner + columns))
    found = batch + rows + columns
    return _Pair((sums[0], sums[1]), orders, (len(batch), len(rows), len(inner), len(columns)),
                 tuple(found.index(c) for c in result))


def _einsum(xp, operands, *, equation: str):
    return _contracted(xp, operands, equation, functools.partial(products.matmul, xp))


def _by_onednn(operands, *, equation: str):
    if len(operands) != 2 or not onednn.is_ready():
        return NotImplemented
    return _contracted(np, operands, equation, _large_product)


def _large_product(x: Any, y: Any) -> Any:
    found = onednn.large_product(x, y)
    return products.matmul(np, x, y) if found is NotImplemented else found


def _contracted(xp: Any, operands: Sequence[Any], equation: str, multiply: Callable[[Any, Any], Any]) -> Any:
    """The sum of products; of two operands by `multiply`, a product of (batches of) matrices, of more by several."""
    if len(operands) < 2 or _stretches(equation, operands):
        return xp.einsum(equation, *operands, optimize=len(operands) > 1)
    if len(operands) > 2:
        left = list(operands)
        for places, part in _order(equation, tuple([value.shape for value in operands])):
            left.append(_contracted(xp, [left.pop(n) for n in places], part, multiply))
        return left[0]
    sums, orders, (batch, rows, inner, columns), back = _pair(equation)
    if batch and inner and not rows and not columns:
        return xp.einsum(equation, *operands)
    x, y = (value.sum(axes, dtype=value.dtype) if axes else value for value, axes in zip(operands, sums, strict=True))
    x, y = x.transpose(orders[0]), y.transpose(orders[1])
    shape = (*x.shape[:batch + rows], *y.shape[batch + inner:])
    if not inner:
        x, y = x.reshape((*x.shape, *(1,) * columns)), y.reshape((*y.shape[:batch], *(1,) * rows, *y.shape[batch:]))
        return (x * y).reshape(shape).transpose(back)
    if batch > 1 or rows != 1 or inner > 1:
        x = x.reshape((*_joined(x.shape, batch), product(x.shape[batch:batch + rows]), product(x.shape[batch + rows:])))
    if batch > 1 or columns != 1 or inner > 1:
        y = y.reshape((*_joined(y.shape, batch), product(y.shape[batch:batch + inner]),
                       product(y.shape[batch + inner:])))
    return multiply(x, y).reshape(shape).transpose(back)


@functools.lru_cache(512)
def _order(equation: str, shapes: tuple[tuple[int, ...], ...]) -> list[tuple[tuple[int, int], str]]:
    """How more than two operands are multiplied two by two, those first that take the fewest multiplications.

    Each time the places of two among those that are left, and their equation; their product goes behind the others.
    """
    terms, result = _sides(equation)
    sizes = {letter: size for term, shape in zip(terms, shapes, strict=True)
             for letter, size in zip(term, shape, strict=True)}
    order = []
    while len(terms) > 1:
        low, high = min(itertools.combinations(range(len(terms)), 2),
                        key=lambda pair: product([sizes[c] for c in set(terms[pair[0]] + terms[pair[1]])]))
        second, first = terms.pop(high), terms.pop(low)
        later = set(result).union(*terms)
        made = "".join(c for c in dict.fromkeys(first + second) if c in later) if terms else result
        terms.append(made)
        order.append(((low, high - 1), f"{first},{second}->{made}"))
    return order


def _joined(shape: tuple[int, ...], batch: int) -> tuple[int, ...]:
    return (product(shape[:batch]),) if batch else ()


def _stretches(equation: str, operands: Sequence[Any]) -> bool:
    """Whether a letter stands for one element here and for several there."""
    sizes: dict[str, int] = {}
    for term, value in zip(_sides(equation)[0], operands, strict=True):
        for letter, size in zip(term, value.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                return True
    return False


def _infer(operands: Sequence[Spec], *, equation: str) -> Spec:
    terms, result = _sides(equation)
    sizes: dict[str, int] = {}
    for term, spec in zip(terms, operands, strict=True):
        for letter, size in zip(term, spec.shape, strict=True):
            what = f"einsum({equation!r}): dimension {letter!r}"
            [sizes[letter]] = broadcast_shapes(what, (size,), (sizes.get(letter, 1),))
    dtype = operands[0].dtype
    for spec in operands[1:]:
        dtype = promote(dtype, spec.dtype)
    return Spec(tuple(sizes[letter] for letter in result), dtype)


def _gradients(g: Any, operands: Sequence[Any], equation: str) -> list[Any]:
    terms, result = _sides(equation)
    return [_gradient(g, operands, terms, result, n) for n in range(len(operands))]


def _gradient(g: Any, operands: Sequence[Any], terms: list[str], result: str, n: int) -> Any:
    """Letters of an operand that occur nowhere else were summed: there the gradient is the same for every element."""
    others = [conj_of(v) for m, v in enumerate(operands) if m != n]
    other_terms = [term for m, term in enumerate(terms) if m != n]
    known = set(result).union(*other_terms)
    wanted = "".join(letter for letter in terms[n] if letter in known)
    gradient = apply(einsum_op, [g, *others], equation=f"{','.join([result, *other_terms])}->{wanted}")
    missing = [position for position, letter in enumerate(terms[n]) if letter not in known]
    if missing:
        gradient = expand_to(unsqueeze(gradient, missing), shape_handle(operands[n]))
    return sum_to(gradient, shape_handle(operands[n]))


def _two_by_two(operands: Sequence[Any], *, equation: str) -> Any:
    """Of more than two operands, which Paddle's kernel does not take: the first two joined, then the next…"""
    terms, result = _sides(equation)
    if len(operands) <= 2:
        return NotImplemented
    value = operands[0]
    for n in range(1, len(operands)):
        later = set(result).union(*terms[n + 1:])
        both = "".join(letter for letter in dict.fromkeys(terms[n - 1] + terms[n]) if letter in later)
        joined = result if n == len(operands) - 1 else both
        value = apply(einsum_op, [value, operands[n]], equation=f"{terms[n - 1]},{terms[n]}->{joined}")
        terms[n] = joined
    return value


einsum_op = operator(
    "einsum", "Operands* -> Out~Operands", kernel=_einsum, infer=_infer, composed=_two_by_two,
    engines=[by(ONEDNN, _by_onednn)],
    grad={"Operands": lambda g, Operands, equation: _gradients(g, Operands, equation)}, precision="white", lod="drop",
    former="Operands")


_NAMES = string.ascii_letters + "."


@functools.lru_cache(512)
def _spelled(equation: str, ranks: tuple[int, ...]) -> str:
    """The equation without blanks, with letters for each ellipsis and with a result."""
    equation = equation.replace(" ", "")
    terms, result = _sides(equation)
    odd = [c for c in "".join([*terms, result]) if c not in _NAMES]
    if odd:
        raise AssertedError(f"einsum({equation!r}): dimensions are named by letters, those that broadcast by `...`. "
                            f"Received {odd[0]!r}.")
    if len(terms) != len(ranks):
        raise AssertedError(f"einsum({equation!r}): {len(terms)} operands are named. Received {len(ranks)}.")
    free = [letter for letter in string.ascii_letters if letter not in equation]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    depth = max((count for count, term in zip(counts, terms, strict=True) if "..." in term), default=0)
    dots = "".join(free[:depth])
    spelled = []
    for term, rank, count in zip(terms, ranks, counts, strict=True):
        if count < 0 or ("..." not in term and count):
            raise AssertedError(
                f"einsum({equation!r}): {term!r} does not name the dimensions of an operand of rank {rank}.")
        spelled.append(term.replace("...", dots[depth - count:]))
    if "->" not in equation:
        letters = "".join(terms).replace(".", "")
        result = ("..." if depth else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    result = result.replace("...", dots)
    if len(set(result)) < len(result) or not set(result) <= set("".join(spelled)):
        raise ValueError(f"einsum({equation!r}): each letter of the result must occur in it once, and in an operand.")
    return f"{','.join(spelled)}->{result}"


def _without_repeats(value: Any, term: str) -> tuple[Any, str]:
    """An operand that names a dimension twice replaced by its diagonal."""
    if len(set(term)) == len(term):
        return value, term
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            value = diagonal(value, 0, first, second)
            term = term[:first] + term[first + 1:second] + term[second + 1:] + letter
    return value, term


def einsum(equation: str, *operands: Any) -> Any:
    """The sum of products that the equation names: a letter for each dimension, summed over where the result lacks it.

    `...` stands for dimensions that broadcast. Without `->` the result has the letters that occur once, in order.
    Raises ValueError where letters and dimensions do not fit.

    >>> import proa as paddle
    >>> paddle.einsum("ij,kj->ik", paddle.ones([2, 3]), paddle.ones([4, 3])).shape
    [2, 4]
    """
    if not isinstance(equation, str):
        raise TypeError("einsum(equation, *operands): the equation must be a text, \"ij,jk->ik\", before the operands. "
                        f"Received {type(equation).__name__}.")
    values = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    values = [value_of(v) for v in values]
    equation = _spelled(equation, tuple([v.ndim for v in values]))
    terms, result = _sides(equation)
    pairs = [_without_repeats(v, term) for v, term in zip(values, terms, strict=True)]
    dtype = values[0].dtype
    for v in values[1:]:
        dtype = promote(dtype, v.dtype)
    values = [v if v.dtype is dtype else cast(v, dtype) for v, _ in pairs]
    terms = [term for _, term in pairs]
    if len(values) == 1 and len(terms[0]) == len(result):
        return clone(transpose(values[0], [terms[0].index(letter) for letter in result]))  # no view
    return apply(einsum_op, values, equation=f"{','.join(terms)}->{result}")
