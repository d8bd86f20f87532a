"""warpctc: connectionist temporal classification, its gradient, and products with its second derivative.

The loss is -log of the probability of all paths through softmax(logits) that become the label when repeated symbols are
merged and blanks dropped. Forward and backward sums run in log space over the label with blanks put between its
symbols, for the whole batch at once. A product with the second derivative is the gradient at a point a tiny imaginary
step along the direction, whose imaginary part is exact to rounding; so these functions take complex numbers too.
After "Connectionist Temporal Classification" (Graves et al., 2006).
"""


import functools
from typing import Any

from ...core import dtype as dt
from ..array.gather import add_at
from ..array.reshape import reshape
from ..core.gradient import differentiable_once
from ..core.infer import same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of, in_dtype
from ..math.reduce import sum as reduce_sum
from ..sequence.offsets import last_of, levels_of
from ..sequence.steps import sequences_of

LOWEST = -1e30  # stands for log(0): differences of it are numbers
IMAGINARY_STEP = 1e-12


def log_sum(xp: Any, *terms: Any) -> Any:
    """log(sum(exp(terms))), element by element."""
    highest = functools.reduce(xp.maximum, [t.real for t in terms])
    return highest + xp.log(functools.reduce(xp.add, [xp.exp(t - highest) for t in terms]))


def no_third_order(*_: Any, **__: Any) -> Any:
    """NotImplementedError."""
    raise NotImplementedError("A gradient of a gradient of this loss's gradient is not there: it is differentiable "
                              "twice. Take the outermost gradient without create_graph.")


def _check_blank(blank: int, classes: int) -> None:
    if not 0 <= blank < classes:
        raise ValueError(f"ctc_loss(blank): must lie in [0, {classes}). Received {blank}.")


def _with_blanks(xp: Any, label: Any, lengths: Any, blank: int, classes: int) -> Any:
    """Labels [B, L] as [B, 2 L + 1] with blanks around each symbol, and beyond the length."""
    _check_blank(blank, classes)
    inside = xp.arange(label.shape[1]) < lengths[:, None]
    if inside.any():
        low, high = int(label[inside].min()), int(label[inside].max())
        if low < 0 or high >= classes:
            raise ValueError(f"ctc_loss(log_probs, labels): labels must lie in [0, {classes}). "
                             f"Received labels from {low} to {high}.")
    extended = xp.full((label.shape[0], 2 * label.shape[1] + 1), blank, dtype="int64")
    extended[:, 1::2] = xp.where(inside, label, blank)
    return extended


def _shifted(xp: Any, x: Any, by: int, fill: Any) -> Any:
    """x [B, S] moved by places along S, backwards for a negative number."""
    result = xp.full_like(x, fill)
    if abs(by) < x.shape[1]:
        if by > 0:
            result[:, by:] = x[:, :-by]
        else:
            result[:, :by] = x[:, -by:]
    return result


def _reached(xp: Any, y: Any, skips: Any) -> Any:
    """log of the sum over paths that stand at symbol s after step t, [T, B, S]."""
    alpha = xp.full_like(y, LOWEST)
    alpha[0, :, :2] = y[0, :, :2]
    for t in range(1, len(y)):
        before = alpha[t - 1]
        jumped = xp.where(skips, _shifted(xp, before, 2, LOWEST), LOWEST)
        alpha[t] = log_sum(xp, before, _shifted(xp, before, 1, LOWEST), jumped) + y[t]
    return alpha


def _remaining(xp: Any, y: Any, skips: Any, steps: Any, ends: Any) -> Any:
    """log of the sum over the rest of the paths that stand at symbol s after step t, [T, B, S]."""
    beta = xp.full_like(y, LOWEST)
    last = xp.where(ends, 0.0, LOWEST).astype(y.dtype)
    for t in range(len(y) - 1, -1, -1):
        if t + 1 < len(y):
            after = beta[t + 1] + y[t + 1]
            jumped = _shifted(xp, xp.where(skips, after, LOWEST), -2, LOWEST)
            going = log_sum(xp, after, _shifted(xp, after, -1, LOWEST), jumped)
            beta[t] = xp.where((t + 1 < steps)[:, None], going, LOWEST)
        beta[t] = xp.where((t + 1 == steps)[:, None], last, beta[t])
    return beta


def _check_lengths(logits: Any, label: Any, steps: Any, lengths: Any) -> None:
    if steps.size and (int(steps.max()) > logits.shape[0] or int(lengths.max()) > label.shape[1]
                       or int(steps.min()) < 0 or int(lengths.min()) < 0):
        raise ValueError(f"ctc_loss(log_probs, labels, input_lengths, label_lengths): lengths must lie in "
                         f"[0, {logits.shape[0]}] and [0, {label.shape[1]}]. Received "
                         f"{steps.tolist()} and {lengths.tolist()}.")


def _loss_and_gradient(xp: Any, logits: Any, label: Any, steps: Any, lengths: Any, blank: int,
                       part: Any = lambda x: x) -> tuple[Any, Any]:
    """The losses [B] and `part` of their gradients, [T, B, C]; zeros where the label does not fit into the steps."""
    steps, lengths = steps.reshape(-1).astype("int64"), lengths.reshape(-1).astype("int64")
    _check_lengths(logits, label, steps, lengths)
    _, batch, classes = logits.shape
    extended = _with_blanks(xp, label, lengths, blank, classes)
    log_softmax = logits - logits.real.max(2, keepdims=True)
    log_softmax = log_softmax - xp.log(xp.exp(log_softmax).sum(2, keepdims=True))
    y = log_softmax[:, xp.arange(batch)[:, None], extended]
    skips = extended != blank
    skips[:, 2:] &= extended[:, 2:] != extended[:, :-2]
    skips[:, :2] = False
    place, end = xp.arange(extended.shape[1]), 2 * lengths[:, None]
    ends = (place <= end) & (place >= end - 1)
    alpha = _reached(xp, y, skips)
    beta = _remaining(xp, y, skips, steps, ends)
    final = xp.where(ends, alpha[xp.maximum(steps - 1, 0), xp.arange(batch)], LOWEST)
    highest = final.real.max(1, keepdims=True)
    total = (highest + xp.log(xp.exp(final - highest).sum(1, keepdims=True)))[:, 0]
    possible = ~(total.real <= LOWEST / 2) & (steps > 0)  # NaN is not hidden
    total = xp.where(possible, total, 0.0)
    passing = xp.exp(alpha + beta - total[:, None])
    sums = passing.sum(2, keepdims=True)  # 1, but for what rounding added up on the way to step t
    passing = part(passing / xp.where(sums.real > 0, sums, 1.0))
    counted = possible & (xp.arange(len(logits))[:, None] < steps)
    gradient = xp.where(counted[:, :, None], part(xp.exp(log_softmax)), 0.0)
    occupied = xp.zeros((batch * classes, len(logits)), gradient.dtype)
    rows = (xp.arange(batch)[:, None] * classes + extended).reshape(-1)
    add_at(xp, occupied, rows, xp.where(possible[:, None], passing, 0.0).reshape(len(logits), -1).T)
    return -total, gradient - occupied.reshape(batch, classes, -1).transpose(2, 0, 1)


def _padded(xp: Any, rows: Any, offsets: Any) -> tuple[Any, Any]:
    """Packed rows as [sequences, longest, ...] with zeros behind them, and the lengths."""
    lengths = offsets[1:] - offsets[:-1]
    longest = int(lengths.max()) if lengths.size else 0
    inside = xp.arange(longest) < lengths[:, None]
    found = xp.zeros((len(lengths), longest, *rows.shape[1:]), rows.dtype)
    found[inside] = rows
    return found, lengths


def _packed(xp: Any, values: Any, offsets: Any) -> Any:
    """The rows of sequences in [longest, sequences, ...], one behind the other."""
    inside = xp.arange(len(values)) < (offsets[1:] - offsets[:-1])[:, None]
    return values.swapaxes(0, 1)[inside]


def _warpctc(xp, logits, label, logits_length, label_length, logits_lod, label_lod, *, blank: int = 0,
             norm_by_times: bool = False):
    if logits_length is None:
        rows = last_of("warpctc(input)", logits_lod, len(logits))
        logits, logits_length = _padded(xp, logits, rows)
        logits = logits.swapaxes(0, 1)
        label, label_length = _padded(xp, label.reshape(-1), last_of("warpctc(label)", label_lod, len(label)))
        if len(logits_length) != len(label_length):
            raise ValueError(f"warpctc(input, label): must have equally many sequences. Received "
                             f"{len(logits_length)} and {len(label_length)}.")
    loss, gradient = _loss_and_gradient(xp, logits, label, logits_length, label_length, blank)
    return loss[:, None].astype(logits.dtype), gradient.astype(logits.dtype)


def _infer(logits, label, logits_length, label_length, logits_lod, label_lod, *, blank=0, norm_by_times=False):
    if (logits_length is None) != (label_length is None):
        raise ValueError("warpctc(input_length, label_length): both must be given, or none.")
    if logits_length is None:
        levels_of("warpctc(input)", logits_lod or [])
        levels_of("warpctc(label)", label_lod or [])
        if logits.rank != 2:
            raise ValueError(f"warpctc(input): sequences must be [rows, classes]. Received {list(logits.shape)}.")
        sequences = sequences_of(logits_lod)
        return Spec((sequences, 1), logits.dtype), Spec((-1, sequences, logits.shape[1]), logits.dtype)
    if logits.rank != 3 or label.rank != 2:
        raise ValueError(f"ctc_loss(log_probs, labels): log_probs must be [steps, batch, classes] and labels [batch, "
                         f"symbols]. Received {list(logits.shape)} and {list(label.shape)}.")
    if logits.shape[2] >= 0:
        _check_blank(blank, logits.shape[2])
    return Spec((logits.shape[1], 1), logits.dtype), logits


def _curvature(xp, logits, label, logits_length, label_length, v, *, blank: int = 0):
    moved = logits + (1j * IMAGINARY_STEP) * v
    found = _loss_and_gradient(xp, moved, label, logits_length, label_length, blank, lambda x: x.imag)[1]
    return (found / IMAGINARY_STEP).astype(logits.dtype)


def _of_rows(xp, slope, weight, lod, *, norm_by_times: bool):
    """The gradient of packed logits: of padded steps, times that of each sequence's loss."""
    if norm_by_times:
        weight = weight / xp.maximum(lod[-1][1:] - lod[-1][:-1], 1).reshape(-1, 1).astype(weight.dtype)
    return _packed(xp, slope * weight.reshape(1, -1, 1), lod[-1])


def _gradient(g: Any, Logits: Any, WarpCTCGrad: Any, Label: Any, LogitsLength: Any, LabelLength: Any, logits_lod: Any,
              blank: int, norm_by_times: bool) -> Any:
    if LogitsLength is None:
        return apply(warpctc_rows_op, WarpCTCGrad, g, logits_lod, norm_by_times=norm_by_times)
    if norm_by_times:
        g = g / reshape(cast(LogitsLength, dtype_of(g)), [-1, 1])
    return apply(warpctc_grad_op, Logits, WarpCTCGrad, Label, LogitsLength, LabelLength, g, blank=blank)


def _weight_gradient(g: Any, Logits: Any, WarpCTCGrad: Any, Label: Any, LogitsLength: Any, LabelLength: Any,
                     LossGrad: Any, blank: int) -> Any:
    slope = apply(warpctc_grad_op, Logits, WarpCTCGrad, Label, LogitsLength, LabelLength, LossGrad * 0.0 + 1.0,
                  blank=blank)
    return reshape(reduce_sum(g * slope, [0, 2]), [-1, 1])


def _as_in_paddle(logits: Any, label: Any, steps: Any, lengths: Any, *lods: Any,
                  **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    long = (None if value is None else in_dtype(value, dt.int64) for value in (steps, lengths))
    return (logits, in_dtype(label, dt.int32), *long, *lods), attrs


warpctc_curvature_op = operator(
    "warpctc_curvature", "Logits, Label, LogitsLength, LabelLength, V -> Out", kernel=_curvature, infer=same,
    grad={"Logits": no_third_order,
          "V": lambda g, Logits, Label, LogitsLength, LabelLength, blank: apply(
              warpctc_curvature_op, Logits, Label, LogitsLength, LabelLength, g, blank=blank)}, only_here=True,
              fails="values")
# WarpCTCGrad is what the forward pass has computed; as a function this one is of Logits, Label and LossGrad.
warpctc_grad_op = operator(
    "warpctc_backward", "Logits, WarpCTCGrad, Label, LogitsLength, LabelLength, LossGrad -> LogitsGrad",
    kernel=lambda xp, logits, slope, label, steps, lengths, weight, *, blank=0: slope * weight.reshape(1, -1, 1),
    infer=same,
    grad={"Logits": lambda g, Logits, Label, LogitsLength, LabelLength, LossGrad, blank: apply(
              warpctc_curvature_op, Logits, Label, LogitsLength, LabelLength,
              g * reshape(LossGrad, [1, -1, 1]), blank=blank),
          "LossGrad": _weight_gradient}, only_here=True)
warpctc_rows_op = operator(
    "warpctc_rows", "WarpCTCGrad, LossGrad, lod^WarpCTCGrad -> LogitsGrad", kernel=_of_rows,
    infer=lambda slope, weight, lod, **_: Spec((-1, slope.shape[2]), slope.dtype), only_here=True, lod="drop",
    grad=differentiable_once("WarpCTCGrad, LossGrad", "warpctc of packed sequences"))
warpctc_op = operator(
    "warpctc",
    "Logits, Label, LogitsLength?, LabelLength?, logits_lod^Logits, label_lod^Label -> Loss, WarpCTCGrad&",
    kernel=_warpctc, infer=_infer, adapted=_as_in_paddle,
    grad={"Logits": _gradient}, fails="values", lod="drop", former="Logits")
