"""Einstein's summation: sums of products named by an equation such as "bij,bjk->bik".

The gradient of one operand is again such a sum, of the result's gradient and the other operands.
"""


import string
from collections.abc import Sequence
from typing import Any

from ...core.dtype import promote
from ..array.diagonal import diagonal
from ..array.gradient_shapes import expand_to, sum_to
from ..array.reshape import shape_handle, transpose, unsqueeze
from ..core.infer import broadcast_shapes
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import cast, conj_of


def _sides(equation: str) -> tuple[list[str], str]:
    left, _, right = equation.partition("->")
    return left.split(","), right


def _einsum(xp, operands, *, equation: str):
    return xp.einsum(equation, *operands, optimize=len(operands) > 1)


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


einsum_op = operator("einsum", "Operands* -> Out~Operands", kernel=_einsum, infer=_infer, composed=_two_by_two, grad={
    "Operands": lambda g, Operands, equation: _gradients(g, Operands, equation)}, precision="white", lod="drop")


def _spelled(equation: str, ranks: Sequence[int]) -> str:
    """The equation without blanks, with letters for each ellipsis and with a result."""
    equation = equation.replace(" ", "")
    terms, result = _sides(equation)
    if len(terms) != len(ranks):
        raise ValueError(f"einsum({equation!r}): {len(terms)} operands are named. Received {len(ranks)}.")
    free = [letter for letter in string.ascii_letters if letter not in equation]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    depth = max((count for count, term in zip(counts, terms, strict=True) if "..." in term), default=0)
    dots = "".join(free[:depth])
    spelled = []
    for term, rank, count in zip(terms, ranks, counts, strict=True):
        if count < 0 or ("..." not in term and count):
            raise ValueError(
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
    values = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    equation = _spelled(equation, [v.ndim for v in values])
    terms, result = _sides(equation)
    pairs = [_without_repeats(v, term) for v, term in zip(values, terms, strict=True)]
    dtype = values[0].dtype
    for v in values[1:]:
        dtype = promote(dtype, v.dtype)
    values = [v if v.dtype is dtype else cast(v, dtype) for v, _ in pairs]
    terms = [term for _, term in pairs]
    if len(values) == 1 and len(terms[0]) == len(result):
        return transpose(values[0], [terms[0].index(letter) for letter in result])
    return apply(einsum_op, values, equation=f"{','.join(terms)}->{result}")
