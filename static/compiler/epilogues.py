"""The operators that stand for a product with a frozen weight and what is done to it right after, in compiled plans.

`fused_conv2d`: activation(conv(Input, Filter * Scale) + Bias + Residual); `fused_linear`: activation(X @ Y + Bias +
Residual); `batch_norm_line`: the Scale and Bias that a batch norm of constant statistics is. They never get into a
file. The first two are computed by code that takes any sizes (`ops/core/panels.py`); where that is not to be had by
oneDNN, with a weight that is packed when it has been used a few times: the first call of a Program shall not write
every weight anew. Where both decline, and on other devices, the operators that they stand for run one after the other.
"""

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...backend import loops, onednn, products
from ...backend.engines import LOOPS, ONEDNN, generation
from ...backend.kernels.elementwise import relu_function, relu_in_place
from ...backend.kernels.row_product import MOST_ROWS, row_product
from ...backend.loops.kernel import is_at_once
from ...backend.threads import get_num_threads, place_of_count
from ...ops.core import native
from ...ops.core.facts import convolution, matrix_product
from ...ops.core.kernels import by
from ...ops.core.operator import Ints, find, operator
from ...ops.core.panels import FILTERS, INSIDE, OWN, PANELS, side_by_side
from ...ops.core.spec import Spec
from ...ops.core.taped import taped
from ...ops.linalg.matrix_product import infer_matmul
from ...ops.nn.conv import conv_geometry, windows_of
from .early_linear import early_linear, early_rows
from .frozen_weight import FrozenWeight, array_of
from .packed_panels import Panels

ACTIVATIONS = {"": None, "relu": None, "gelu": "gelu", "tanh": "tanh", "sigmoid": "sigmoid", "swish": "swish",
               "silu": "swish", "hard_swish": "hard_swish"}
"""What may follow a product, with its default attributes, and oneDNN's name for it. oneDNN's relu makes 0 of NaN: relu
is a loop of its own."""


_HOT = 3
_LEAST_MATRIX = 1 << 14  # elements: a product of a row with a smaller one is NumPy's
_MOST_CALLS = 32  # sizes of the other operand, of which each has its function
_MOST_IMAGES = 16  # that are computed one by one, until there is code for so many
_OFTEN = 12  # uses for operands that lie so, after which binding a routine is worth what it takes
_IN_VAIN = -100  # where it cannot be bound now: it is tried again so many uses later
_F32 = np.dtype(np.float32)


class _Use(NamedTuple):
    weight: Callable[[], Any]  # a weak reference: an update need not leave the weight's memory alone
    scale: Any
    form: str
    times: int
    packed: Any
    calls: dict[Any, tuple[Any, Callable[..., Any]]]  # the bias and the function, by how the other operands lie
    apart: dict[Any, int]  # by how the other operands lie: how often images were computed one by one
    bound: dict[Any, Any]  # by shape, threads and engines: what the line calls, or a number of uses before


class Packed:
    """The form that oneDNN wants of the weight that an operation was last given; a new weight is packed anew.

    A weight is packed at its third use, whatever the sizes of the other operand: until then oneDNN brings it into the
    same form in memory that it uses again and again, and the results are the same bits. Numbers of rows that want
    another form pack a matrix for themselves, when they have met this one three times; a filter has several forms at
    once. A FrozenWeight is packed at once, and released.
    """

    __slots__ = ("_last", "_line", "_line_for", "panels")

    def __repr__(self) -> str:  # operations are shown in errors, with their attributes
        return "by use"

    def __init__(self) -> None:
        self.panels = Panels()
        self._line: Any = None  # what lines of plans call, where the compiled form is there
        self._line_for = -1  # the engines' generation
        # Replaced as a whole: several threads may run at once.
        self._last = _Use(lambda: None, None, "", 0, None, {}, {}, {})

    def __reduce__(self) -> tuple:
        return Packed, ()

    def of(self, weight: Any, form: str, pack: Callable[[], Any], scale: Any = None, uses: int = _HOT) -> Any:
        """`pack()` of this weight, scaled, once it has had so many uses in this form; None before.

        Where it cannot be packed, the weight times the scale.
        """
        last = self._last
        if last.weight() is not weight or last.scale is not scale or last.form != form:
            last = _Use(weakref.ref(weight), scale, form, 0, None, {}, {}, {})
        if last.packed is None or getattr(last.packed, "misfits", 0) >= _HOT:
            packed = pack() if last.times + 1 >= uses or type(weight) is FrozenWeight else None
            if packed is NotImplemented:
                packed = _scaled(weight, scale)
            self._last = last = last._replace(times=last.times + 1, packed=packed, calls={}, bound={})
            if self._line is not None:
                self._line.forget()
        return last.packed

    def call_for(self, weight: Any, scale: Any, bias: Any, key: Any) -> Callable[..., Any] | None:
        """The function that `keep` was given for these."""
        last = self._last
        found = last.calls.get(key)
        if found is None or found[0] is not bias or last.weight() is not weight or last.scale is not scale:
            return None
        return found[1]

    def one_by_one(self, x: Any, weight: Any, scale: Any, bias: Any, residual: Any, key: Any) -> Any:
        """The images one after the other, by the function for one of them, where there is one; None otherwise.

        Code for so many images together is made when they have come so often: making it takes as long as many calls.
        """
        if not 1 < len(x) <= _MOST_IMAGES or residual is not None and residual.shape[:1] != x.shape[:1]:
            return None
        call = self.call_for(weight, scale, bias, _key_of(x[:1], None if residual is None else residual[:1]))
        if call is None:
            return None
        return onednn.one_by_one(call, x, residual) if self._is_early(key) else None

    def _is_early(self, key: Any) -> bool:
        """Whether operands of this key have come so seldom that code is not made for them: counts them."""
        apart = self._last.apart
        if len(apart) >= _MOST_CALLS:
            apart.clear()
        apart[key] = times = apart.get(key, 0) + 1
        return times < _HOT

    def keep(self, packed: Any, bias: Any, key: Any, prepare: Callable[[], Callable[..., Any] | None]) -> None:
        """Keeps what `prepare()` gives for operands of this key, with the weight that `of` gave."""
        last = self._last
        if last.packed is packed and (call := prepare()) is not None:
            if len(last.calls) >= _MOST_CALLS:
                last.calls.clear()
            last.calls[key] = bias, call

    def line(self, otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
        """What a line of a plan calls: `otherwise`, until a routine is bound for such images; None without C.

        It is one for all who ask, until engines change.
        """
        if native.module is None:
            return None
        if self._line is None or self._line_for != generation.count:
            self._line, self._line_for = native.module.line_of_routines(otherwise, place_of_count()), generation.count
        return self._line

    def bind(self, x: Any, weight: Any, make: Callable[[Any, Any], Callable[..., Any] | None]) -> None:
        """Has the line call what `make(bound_routine, packed)` gives for such arrays, which have been used often.

        Where the compiled form is there, and only of a weight that this may hold on to.
        """
        last, line, threads = self._last, self._line, get_num_threads()
        module, key = native.module, (x.shape, threads, generation.count)
        if type(weight) is not FrozenWeight or module is None or last.weight() is not weight:
            return
        if line is None or self._line_for != generation.count:
            return
        uses = last.bound.get(key, 0)
        if type(uses) is not int:
            return
        if len(last.bound) >= _MOST_CALLS and not uses:
            last.bound.clear()
            line.forget()
        made = make(module.bound_routine, last.packed) if uses >= _OFTEN else uses + 1
        last.bound[key] = _IN_VAIN if made is None else made
        if made is not None and type(made) is not int:
            line.add(made, threads)


def _scaled(weight: Any, scale: Any) -> Any:
    """A filter, each of its outputs multiplied by a number."""
    if type(weight) is FrozenWeight:
        weight, scale = weight.scaled_by(scale)
    return weight if scale is None else weight * scale.reshape(-1, *(1,) * (weight.ndim - 1))


def _finish(xp: Any, result: Any, bias: Any, residual: Any, activation: str) -> Any:
    """What follows a product, one operator after the other."""
    if bias is not None:
        result = result + bias
    if residual is not None:
        result = result + residual
    return find(activation).kernel(xp, result) if activation else result


def _conv(xp, x, w, scale=None, bias=None, residual=None, *, packed: Any, activation: str = "", strides: Ints,
          paddings: Ints, padding_algorithm: str = "EXPLICIT", dilations: Ints, groups: int = 1):
    attrs = dict(strides=strides, paddings=paddings, padding_algorithm=padding_algorithm, dilations=dilations,
                 groups=groups)
    w = packed.of(w, "scaled", lambda: NotImplemented, scale, 1)
    result = find("conv2d").kernel_for(xp)(xp, x, w, **attrs)
    return _finish(xp, result, None if bias is None else bias.reshape(-1, 1, 1), residual, activation)


def _conv_by_panels(x, w, scale=None, bias=None, residual=None, *, packed: Any, activation="", strides=(), paddings=(),
                    padding_algorithm="EXPLICIT", dilations=(), groups=1):
    is_by_channel = groups == w.shape[0] > 1 == w.shape[1]
    if groups != 1 and not is_by_channel or x.dtype != _F32 or w.dtype != _F32 or x.ndim != 4 or not x.size:
        return NotImplemented
    if residual is not None and residual.ndim != 4:  # it is broadcast
        return NotImplemented
    geo = conv_geometry(x, w, strides, paddings, padding_algorithm, dilations)
    inside = activation if activation in INSIDE else ""
    call = packed.panels.of(w, scale, bias, OWN if is_by_channel else FILTERS, windows_of(geo), inside)
    if call is None:
        return NotImplemented
    result = call(x, w, scale, bias, residual)
    if result is None:
        result = call(side_by_side(x), w, scale, bias, None if residual is None else side_by_side(residual))
    if result is None:
        return NotImplemented
    return find(activation).kernel_for(np)(np, result) if activation != inside else result


def _line_of_panels(otherwise: Callable[..., Any], attrs: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What a line of a plan calls for a product with a packed weight; `otherwise` is the kernel."""
    by_itself = attrs.get("activation", "") in INSIDE
    return attrs["packed"].panels.line(functools.partial(otherwise, **attrs)) if by_itself else None


def _conv_by_onednn(x, w, scale=None, bias=None, residual=None, *, packed: Any, activation="", strides=(), paddings=(),
                    padding_algorithm="EXPLICIT", dilations=(), groups=1):
    if x.dtype != _F32:
        return NotImplemented
    key = _key_of(x, residual)
    call = packed.call_for(w, scale, bias, key)
    if not onednn.is_ready():
        return NotImplemented
    if call is not None:
        result = call(x, residual)
        if activation == "relu":
            relu_in_place(result)
        packed.bind(x, w, lambda make, weight: _bound(make, x, w, weight, scale, bias, residual, result, activation,
                                                     (strides, paddings, padding_algorithm, dilations), groups))
        return result
    if residual is not None and 0 in residual.shape:
        return NotImplemented
    apart = packed.one_by_one(x, w, scale, bias, residual, key)
    if apart is not None:
        return relu_in_place(apart) if activation == "relu" else apart
    epilogue = ACTIVATIONS[activation]
    geo = conv_geometry(x, w, strides, paddings, padding_algorithm, dilations)
    if residual is not None and residual.shape != (x.shape[0], w.shape[0], *geo.out):
        result = _conv_by_onednn(x, w, scale, bias, packed=packed, strides=strides, paddings=paddings,
                                 padding_algorithm=padding_algorithm, dilations=dilations, groups=groups)
        return result if result is NotImplemented else _finish(np, result, None, residual, activation)
    given = geo.strides, geo.pads, geo.dilations, groups
    weight = packed.of(w, "packed", lambda: _packed_filter(w, x.shape, *given, scale, bias, residual, epilogue), scale)
    if weight is None:
        result = onednn.convolution(x, w, *given, bias, residual, epilogue, scale=scale)
    else:
        result = onednn.convolution(x, weight, *given, bias, residual, epilogue)
        if result is not NotImplemented and type(weight) is onednn.PackedWeight:
            packed.keep(weight, bias, key, lambda: onednn.prepared_convolution(
                x, weight, *given, bias, residual, epilogue))
    return result if result is NotImplemented or activation != "relu" else relu_in_place(result)


def _line_of_conv(attrs: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What a line of a plan calls for a convolution."""
    return attrs["packed"].line(functools.partial(_conv_by_onednn, **attrs))


def _bound(make: Any, x: Any, w: Any, weight: Any, scale: Any, bias: Any, residual: Any, result: Any, activation: str,
           windows: tuple, groups: int) -> Callable[..., Any] | None:
    """The convolution as the compiled form calls it; None where it cannot, or where relu has no loop yet."""
    after = relu_function(result.size) if activation == "relu" else None
    if type(weight) is not onednn.PackedWeight or activation == "relu" and after is None:
        return None
    following = (None, None, None) if after is None else (after, get_num_threads(), result.size)
    geo = conv_geometry(x, w, *windows)
    return onednn.bound_convolution(make, x, weight, geo.strides, geo.pads, geo.dilations, groups, bias, residual,
                                    ACTIVATIONS[activation], (w, scale, bias), following)


def _packed_filter(w: Any, shape: Any, strides: Any, pads: Any, dilations: Any, groups: int, scale: Any,
                   *behind: Any) -> Any:
    """The packed form of a filter for images of this shape; a FrozenWeight has its array no longer.

    With it sizes that come later are computed as at first.
    """
    if type(w) is not FrozenWeight:
        return onednn.pack_weight(w, shape, strides, pads, dilations, groups, scale, *behind)
    with w.lent(scale) as (array, left):
        packed = onednn.pack_weight(array, shape, strides, pads, dilations, groups, left, *behind)
        if packed is NotImplemented:
            return packed
        if packed.release():
            w.release(packed.unpacked, scale is not None)
            return packed
    array, left = w.scaled_by(scale)  # to be kept: oneDNN wants it as it lies
    return onednn.pack_weight(array, shape, strides, pads, dilations, groups, left, *behind)


def _packed_matrix(y: Any, rows: int) -> Any:
    """The same of a matrix, for so many rows."""
    if type(y) is not FrozenWeight:
        return onednn.pack_matrix(y, rows)
    with y.lent() as (array, _):
        packed = onednn.pack_matrix(array, rows)
        if packed is not NotImplemented:
            packed.release()
            y.release(packed.unpacked)
    return packed


def _key_of(x: Any, residual: Any) -> tuple:
    """What tells apart how the operands lie that change from call to call."""
    lies = None if residual is None else (residual.shape, residual.strides, residual.dtype)
    return x.shape, x.strides, lies, get_num_threads()


def _infer_conv(x, w, scale=None, bias=None, residual=None, *, packed=None, activation="", **attrs):
    return find("conv2d").infer(x, w, **attrs)


fused_conv_op = operator("fused_conv2d", "Input, Filter, Scale?, Bias?, Residual? -> Output", kernel=_conv,
                         engines=[by(PANELS, _conv_by_panels, line=functools.partial(_line_of_panels, _conv_by_panels)),
                                  by(ONEDNN, _conv_by_onednn, line=_line_of_conv)], infer=_infer_conv, cost=convolution)


def _line(xp, scale, bias, mean, variance, *, epsilon: float):
    factor = scale / xp.sqrt(variance + variance.dtype.type(epsilon))
    return factor, bias - mean * factor


line_op = operator("batch_norm_line", "Scale, Bias, Mean, Variance -> Factor, Shift", kernel=_line,
                   infer=lambda scale, bias, mean, variance, *, epsilon: (scale, bias))


def _linear(xp, x, y, bias=None, residual=None, *, packed: Any, activation: str = ""):
    return _finish(xp, products.matmul(xp, x, array_of(y)), bias, residual, activation)


def rows_of(x: Any) -> int:
    """How many rows the matrix has that an array, or a spec, is in a product."""
    return x.size // x.shape[-1] if x.shape and x.shape[-1] else 0


def _is_large(x, y, bias=None, residual=None, **_):
    return rows_of(x) * y.size > onednn.LARGE


def _is_of_rows(x, y, bias=None, residual=None, **_):
    return 0 < rows_of(x) <= MOST_ROWS and y.size >= _LEAST_MATRIX


def _is_at_hand(y: Any) -> bool:
    """Whether there is an array: of a weight that more rows have packed it would have to be made again."""
    return type(y) is not FrozenWeight or not y.is_released


def _linear_by_loops(x, y, bias=None, residual=None, *, packed: Any, activation=""):
    if not _is_at_hand(y):
        return NotImplemented
    result = row_product(x, array_of(y), bias)
    return result if result is NotImplemented else _finish(np, result, None, residual, activation)


def _linear_by_panels(x, y, bias=None, residual=None, *, packed: Any, activation=""):
    if x.dtype != _F32 or y.dtype != _F32 or rows_of(x) <= MOST_ROWS:
        return NotImplemented
    inside = activation if activation in INSIDE else ""
    call = packed.panels.of(y, None, bias, activation=inside)
    if call is None:
        return NotImplemented
    result = call(np.ascontiguousarray(x), y, bias, None if residual is None else np.ascontiguousarray(residual))
    if result is None:
        return NotImplemented
    return find(activation).kernel_for(np)(np, result) if activation != inside else result


def _linear_by_onednn(x, y, bias=None, residual=None, *, packed: Any, activation=""):
    if x.dtype != _F32 or y.dtype != _F32:
        return NotImplemented
    rows, is_whole = rows_of(x), residual is None or residual.shape == (*x.shape[:-1], y.shape[-1])
    if 0 < rows <= MOST_ROWS and is_whole and loops.is_ready() and _is_at_hand(y) and not is_at_once():
        return early_rows(x, array_of(y), bias, residual, activation)
    if not onednn.is_ready():
        return NotImplemented
    key = _key_of(x, residual)
    call = packed.call_for(y, None, bias, key)
    if call is not None:
        result = call(x, residual)
        return relu_in_place(result) if activation == "relu" else result
    if not is_whole:
        result = _linear_by_onednn(x, y, bias, packed=packed)
        return result if result is NotImplemented else _finish(np, result, None, residual, activation)
    epilogue = ACTIVATIONS[activation]
    if rows <= MOST_ROWS and loops.is_ready() and _is_at_hand(y):  # soon it is the loops', which want it as it is
        weight, result = array_of(y), NotImplemented
    else:
        weight = packed.of(y, "packed", lambda: _packed_matrix(y, rows))
        result = NotImplemented
        if weight is None:
            result = early_linear(x, y, bias, residual, activation)
            if result is not NotImplemented:
                return result
            result = onednn.linear(x, y, None, bias, epilogue, residual)
    if result is NotImplemented:
        result = onednn.matmul(x, y if weight is None else weight, None, bias, epilogue, residual)
    if result is not NotImplemented and type(weight) is onednn.PackedMatrix:
        packed.keep(weight, bias, key, lambda: onednn.prepared_linear(x, weight, bias, residual, epilogue))
    return result if result is NotImplemented or activation != "relu" else relu_in_place(result)


def _taped_linear(tape, x, y, bias=None, residual=None, *, packed: Any, activation=""):
    found = taped(tape, find("matmul_v2"), [x, y], {})
    for other in (bias, residual):
        if other is not None:
            found = taped(tape, find("elementwise_add"), [*found, other], {"axis": -1})
    return taped(tape, find(activation), found, {})[0] if activation else found[0]


def _infer_linear(x, y, bias=None, residual=None, *, packed=None, activation=""):
    return Spec(infer_matmul(x, y).shape, x.dtype)


fused_linear_op = operator("fused_linear", "X, Y, Bias?, Residual? -> Out", kernel=_linear,
                           engines=[by(LOOPS, _linear_by_loops, when=_is_of_rows),
                                    by(PANELS, _linear_by_panels, when=_is_large,
                                       line=functools.partial(_line_of_panels, _linear_by_panels)),
                                    by(ONEDNN, _linear_by_onednn, when=_is_large)], taped=_taped_linear,
                           infer=_infer_linear, cost=matrix_product)
