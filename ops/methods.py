"""The one table of methods that Tensor and Variable share, filled from the families of operators.

A name here is a method of both classes, the first argument being `self`. `SYNTAX` is the part that Python's operators
stand for, which every value has; another face of eager code has names of its own beside it (`dygraph/readable.py`).

The forms that work in place (`x.add_(y)`) are made from the plain ones: applied to another name of the value
(`_alias`), the result takes the value's place (`_rebind`); each class defines both.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ..core.absent import absent_methods
from ..core.forks import unforked
from .array import indexing
from .array.full import is_value
from .core.gradient import parameter_names
from .linalg import matrix_product
from .math import comparison, elementwise, unary

_NOTHING = object()


def _in_place(function: Callable) -> Callable:
    parameters = _parameters(function)
    first = parameters[0]

    @functools.wraps(function)
    def method(self: Any = _NOTHING, *args: Any, **kwargs: Any) -> Any:
        if self is _NOTHING and first in kwargs:  # as a function it may be called by the argument's name
            self = kwargs.pop(first)
        if not is_value(self):
            raise TypeError(f"{method.__name__}({first}): {first} must be a Tensor, which the result is given to. "
                            f"Received {'nothing' if self is _NOTHING else type(self).__name__}.")
        former = self._alias()
        return self._rebind(function(former, *args, **kwargs), former)

    method.__name__ = method.__qualname__ = function.__name__ + "_"
    if "out" in parameters:  # the form in place has none: its first argument is it
        method.__signature__ = _without_out(function)  # type: ignore[attr-defined]
    method.__doc__ = _text_in_place(function)
    return method


def _parameters(function: Callable) -> tuple[str, ...]:
    """The names of a function's parameters, without a signature where the function says what it takes: that is slow."""
    is_plain = vars(function).keys().isdisjoint(("__wrapped__", "__signature__"))
    return parameter_names(function) if is_plain else tuple(inspect.signature(function).parameters)


def _text_in_place(function: Callable) -> str:
    """The docstring of a form in place, whose example is the function's."""
    name, (first, *others) = function.__name__, inspect.cleandoc(function.__doc__ or "").split("\n\n")
    calls, method = (f"paddle.{name}(", f"paddle.nn.functional.{name}("), f".{name}_("
    examples = [functools.reduce(lambda text, call: text.replace(call, f"paddle.Tensor.{name}_("), calls, part)
                for part in others if ">>>" in part and sum(map(part.count, (*calls, method))) == 1]
    return "\n\n".join([f"As `{name}`, in place: the result becomes this tensor's value.", first, *examples[:1]])


def _without_out(function: Callable) -> inspect.Signature:
    signature = inspect.signature(function)
    return signature.replace(parameters=[p for name, p in signature.parameters.items() if name != "out"])


def _reversed_axes(function: Callable) -> property:
    return property(function, doc="The value with its dimensions in reverse order.")


class Later:
    """A method whose family of operators is imported when it is first looked up; then it is a function of its class.

    `made` tells what becomes of the function of that name in that module of `ops`.
    """

    __slots__ = ("module", "name", "made", "_found")

    def __init__(self, module: str, name: str, made: tuple[Callable, ...] = ()):
        self.module, self.name, self.made = module, name, made
        self._found: Any = None

    def function(self) -> Any:
        """The method itself."""
        if self._found is None:
            with unforked():
                found = getattr(importlib.import_module(f"{__package__}.{self.module}"), self.name)
            for make in self.made:
                found = make(found)
            self._found = found
        return self._found

    def then(self, make: Callable) -> Later:
        """The method that is made of this one."""
        return Later(self.module, self.name, (*self.made, make))

    def __get__(self, value: Any, owner: Any = None) -> Any:
        function = self.function()
        for each in owner.__mro__:
            for key, held in vars(each).items():
                if held is self:
                    setattr(each, key, function)
                    return getattr(owner if value is None else value, key)
        return function if value is None else function.__get__(value, owner)


def _of(module: str, names: str) -> dict[str, Later]:
    return {name: Later(module, name) for name in names.split()}


SYNTAX: dict[str, Any] = {
    **elementwise.SYNTAX,
    **comparison.SYNTAX,
    "__matmul__": matrix_product.matmul_operator,
    "__rmatmul__": matrix_product.reverse_matmul,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__invert__": unary.bitwise_not,
    "__abs__": unary.abs,
}
"""Python's operators and indexing: all that operators, their rules and optimizers apply to values as methods."""

METHODS: dict[str, Any] = {
    **absent_methods(),
    **SYNTAX,
    "T": Later("array.reshape", "reversed_axes", (_reversed_axes,)),
    "astype": Later("math.casting", "cast"),
    **_of("array.creation", "zeros_like ones_like full_like"),
    **_of("math.elementwise", "add subtract multiply divide floor_divide mod remainder floor_mod pow maximum minimum "
             "scale neg"),
    **_of("math.add_n", "add_n"),
    **_of("math.casting", "cast"),
    **_of("math.comparison", "equal not_equal less_than less_equal greater_than greater_equal logical_and logical_or "
             "logical_xor bitwise_and bitwise_or bitwise_xor"),
    **_of("math.unary", "exp expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh "
             "cosh tanh asinh acosh atanh abs sign floor ceil round trunc frac erf logical_not bitwise_not isnan isinf "
             "isfinite stanh"),
    **_of("array.reshape", "reshape view transpose t moveaxis swapaxes squeeze unsqueeze flatten expand expand_as "
             "broadcast_to tile clone"),
    **_of("array.rearrange", "flip reverse roll rot90 repeat_interleave as_complex as_real real imag"),
    **_of("array.triangles", "tril triu"),
    **_of("math.reduce", "sum mean max min amax amin prod any all numel count_nonzero"),
    **_of("math.extreme_positions", "argmax argmin"),
    **_of("math.cumulative", "cumsum cumprod cummax cummin logcumsumexp"),
    **_of("array.concat_split", "concat stack split chunk unbind unstack"),
    **_of("linalg.matrix_product", "matmul mm"), **_of("linalg.products", "bmm mv dot inner outer tensordot addmm"),
    **_of("array.gather", "gather gather_nd scatter scatter_nd_add index_select index_add"),
    **_of("array.take_along_axis", "index_sample take_along_axis put_along_axis"),
    **_of("array.where", "where nonzero index_put masked_select masked_fill"),
    **_of("array.slices", "strided_slice"),
    **_of("math.statistics", "logsumexp var std nansum nanmean median quantile norm dist"),
    **_of("array.sorting", "sort argsort topk kthvalue mode unique unique_consecutive bincount histogram bucketize"),
    **_of("math.allclose", "isclose allclose equal_all is_empty"),
    "clip": Later("math.clip", "clip"),
    "__round__": Later("math.numbers", "rounded"),
    **_of("array.diagonal", "diagonal trace kron cross diag_embed"),
    **_of("random.sampling", "bernoulli multinomial uniform_ normal_ exponential_ cauchy_ geometric_"),
    **_of("math.binary", "atan2 fmax fmin heaviside gcd lcm nextafter lerp hypot logaddexp ldexp"),
    **_of("math.gamma", "lgamma digamma polygamma multigammaln"),
    **_of("math.bessel", "i0 i0e i1 i1e"),
    **_of("math.inverse_functions", "erfinv logit"),
    **_of("math.differences", "diff trapezoid cumulative_trapezoid vander"),
    **_of("math.numbers", "angle polar conj deg2rad rad2deg nan_to_num frexp sgn is_complex is_floating_point "
             "is_integer"),
    **_of("array.take", "take multiplex shard_index index_fill select_scatter combinations"),
    **_of("array.fill", "fill_ zero_ diagonal_scatter fill_diagonal_tensor"),
    **_of("array.unflatten", "unflatten view_as as_strided unfold atleast_1d atleast_2d atleast_3d vsplit"),
    **_of("linalg.distances", "cdist renorm"),
    **_of("math.nan_statistics", "nanmedian nanquantile"),
    **_of("array.assign", "increment rank"),
    **_of("array.diagonal", "diag diagflat"),
    **_of("array.gather", "scatter_nd"),
    **_of("array.concat_split", "broadcast_tensors"),
    **_of("nn.activation", "sigmoid"),
    **_of("math.covariance", "cov corrcoef"),
    **_of("linalg.qr_svd", "qr householder_product"),
    **_of("linalg.eigen", "eig eigvals eigvalsh"),
    **_of("linalg.least_squares", "cond lstsq pca_lowrank pinv"),
    **_of("linalg.lu", "lu lu_unpack"),
    **_of("signal.stft", "istft stft"),
    **_of("linalg.solving", "inverse matrix_power multi_dot solve"),
    **_of("linalg.triangular", "cholesky cholesky_solve"),
    **_of("sparse.conversion", "to_sparse_coo to_sparse_csr indices values crows cols nnz"),
    "to_dense": Later("sparse.conversion", "dense_itself"),
    "coalesce": Later("sparse.conversion", "coalesce_dense"),
    "slice": Later("array.slices", "slice_"),
    "is_tensor": is_value,
    "fill_diagonal_": Later("array.fill", "fill_diagonal", (_in_place,)),
    "where_": Later("array.where", "where_"),
}

_IN_PLACE = ("add subtract multiply divide floor_divide floor_mod mod remainder pow scale neg cast equal not_equal "
             "less_than less_equal greater_than greater_equal logical_and logical_or logical_xor logical_not "
             "bitwise_and bitwise_or bitwise_xor bitwise_not exp expm1 log log2 log10 log1p sqrt rsqrt square "
             "reciprocal sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs floor ceil round trunc frac "
             "erf erfinv sigmoid lgamma digamma polygamma multigammaln i0 logit gcd lcm hypot ldexp lerp nan_to_num "
             "reshape transpose t squeeze unsqueeze flatten tril triu cumsum cumprod renorm addmm scatter index_add "
             "index_fill index_put put_along_axis masked_fill fill_diagonal_tensor clip")

METHODS.update({f"{name}_": METHODS[name].then(_in_place) for name in _IN_PLACE.split()})


def method(name: str) -> Any:
    """The method of that name."""
    found = METHODS[name]
    return found.function() if type(found) is Later else found
