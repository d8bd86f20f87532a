"""warprnnt: the transducer's loss, its gradient, and products with its second derivative.

Log probabilities [batch, steps, symbols + 1, classes] say at each (t, u) what comes next: a blank goes on to step
t + 1, symbol u of the label to u + 1. The loss is -log of the sum over all ways from (0, 0) that end with a blank at
the last step and symbol. Sums run in log space along the diagonals t + u, for the whole batch at once. Of the gradient
the part of the symbols is multiplied by 1 + fastemit_lambda, which the loss does not show.
After "Sequence Transduction with Recurrent Neural Networks" (Graves, 2012) and "FastEmit" (Yu et al., 2021).
"""


from typing import Any

from ..array.reshape import reshape
from ..core.infer import same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.reduce import sum as reduce_sum
from .ctc import IMAGINARY_STEP, LOWEST, log_sum, no_third_order


def _checked(xp: Any, x: Any, label: Any, steps: Any, lengths: Any) -> tuple[Any, Any, Any]:
    """The labels with 0 beyond their lengths, [B, U - 1], and both lengths [B] as int64."""
    _, most_steps, symbols, classes = x.shape
    steps, lengths = steps.reshape(-1).astype("int64"), lengths.reshape(-1).astype("int64")
    label = label[:, :symbols - 1].astype("int64")
    if steps.size and (int(steps.max()) > most_steps or int(steps.min()) < 1 or int(lengths.min()) < 0
                       or int(lengths.max()) > label.shape[1] or label.shape[1] != symbols - 1):
        raise ValueError(f"rnnt_loss(input, label, input_lengths, label_lengths): input_lengths must lie in "
                         f"[1, {most_steps}], label_lengths in [0, {symbols - 1}], and label must have {symbols - 1} "
                         f"symbols. Received {steps.tolist()}, {lengths.tolist()} and {label.shape[1]} symbols.")
    label = xp.where(xp.arange(label.shape[1]) < lengths[:, None], label, 0)
    if label.size and (int(label.min()) < 0 or int(label.max()) >= classes):
        raise ValueError(f"rnnt_loss(input, label): labels must lie in [0, {classes}). "
                         f"Received labels from {int(label.min())} to {int(label.max())}.")
    return label, steps, lengths


def _moved(xp: Any, x: Any, axis: int, by: int) -> Any:
    """x [B, T, U] moved by one place along an axis, LOWEST coming in."""
    result = xp.full_like(x, LOWEST)
    into: list[Any] = [slice(None)] * 3
    out = list(into)
    into[axis], out[axis] = (slice(1, None), slice(-1)) if by > 0 else (slice(-1), slice(1, None))
    result[tuple(into)] = x[tuple(out)]
    return result


def _by_diagonals(xp: Any, x: Any) -> Any:
    """x [B, T, U] as [T + U - 1, B, U]: what stands at (t, u) stands at (t + u, u), and LOWEST where nothing does."""
    _, steps, symbols = x.shape
    u = xp.arange(symbols)
    t = xp.arange(steps + symbols - 1)[:, None] - u
    found = x[:, xp.clip(t, 0, steps - 1), u].transpose(1, 0, 2)
    return xp.where(((t >= 0) & (t < steps))[:, None, :], found, LOWEST)


def _by_steps(xp: Any, x: Any, steps: int) -> Any:
    """What `_by_diagonals` has made of [B, T, U], back."""
    u = xp.arange(x.shape[2])
    return x[xp.arange(steps)[:, None] + u, :, u].transpose(2, 0, 1)


def _sums(xp: Any, stay: Any, emit: Any, ends: Any) -> tuple[Any, Any]:
    """log of the sums over the ways to each (t, u), and from it to the end."""
    steps = stay.shape[1]
    beta = _by_diagonals(xp, xp.where(ends, stay, LOWEST))
    stay, emit = _by_diagonals(xp, stay), _by_diagonals(xp, emit)
    alpha, above = xp.full_like(stay, LOWEST), xp.full_like(stay[0], LOWEST)
    alpha[0, :, 0] = 0
    for n in range(1, len(alpha)):
        above[:, 1:] = (alpha[n - 1] + emit[n - 1])[:, :-1]
        alpha[n] = log_sum(xp, alpha[n - 1] + stay[n - 1], above)
    above[:] = LOWEST
    for n in range(len(alpha) - 2, -1, -1):
        above[:, :-1] = beta[n + 1][:, 1:]
        beta[n] = log_sum(xp, beta[n], beta[n + 1] + stay[n], above + emit[n])
    return _by_steps(xp, alpha, steps), _by_steps(xp, beta, steps)


def _loss_and_gradient(xp: Any, x: Any, label: Any, steps: Any, lengths: Any, blank: int,
                       part: Any = lambda x: x) -> tuple[Any, Any]:
    """The losses [B] and `part` of their gradients, of x's shape."""
    label, steps, lengths = _checked(xp, x, label, steps, lengths)
    batch, most_steps, symbols, _ = x.shape
    t, u = xp.arange(most_steps)[None, :, None], xp.arange(symbols)[None, None, :]
    inside = (t < steps[:, None, None]) & (u <= lengths[:, None, None])
    ends = (t == steps[:, None, None] - 1) & (u == lengths[:, None, None])
    chosen = xp.concatenate([label, xp.zeros((batch, 1), label.dtype)], 1)[:, None, :]
    rows = xp.arange(batch)[:, None, None]
    stay = xp.where(inside, x[..., blank], LOWEST)
    emit = xp.where(inside & (u < lengths[:, None, None]), x[rows, t, u, chosen], LOWEST)
    alpha, beta = _sums(xp, stay, emit, ends)
    total = beta[:, 0, 0][:, None, None]
    after = xp.where(ends, 0.0, _moved(xp, beta, 1, -1))
    gradient = xp.zeros(x.shape, x.real.dtype)
    gradient[..., blank] = -part(xp.exp(alpha + stay + after - total))
    gradient[rows, t, u, chosen] -= part(xp.exp(alpha + emit + _moved(xp, beta, 2, -1) - total))
    return -total[:, 0, 0], gradient


def _hastened(xp: Any, v: Any, label: Any, steps: Any, lengths: Any, blank: int, fastemit: float) -> Any:
    """v [B, T, U, C] with the part of the symbols multiplied by 1 + fastemit."""
    label = _checked(xp, v, label, steps, lengths)[0]
    if fastemit == 0 or not label.shape[1]:
        return v
    places = (xp.arange(v.shape[0])[:, None, None], xp.arange(v.shape[1])[None, :, None],
              xp.arange(label.shape[1])[None, None, :], label[:, None, :])
    v = v.copy()
    v[places] *= xp.where(label == blank, 1.0, 1.0 + fastemit).astype(v.dtype)[:, None, :]
    return v


def _warprnnt(xp, x, label, input_lengths, label_lengths, *, blank: int = 0, fastemit_lambda: float = 0.0):
    loss, gradient = _loss_and_gradient(xp, x, label, input_lengths, label_lengths, blank)
    gradient = _hastened(xp, gradient, label, input_lengths, label_lengths, blank, fastemit_lambda)
    return loss.astype(x.dtype), gradient.astype(x.dtype)


def _infer(x, label, input_lengths, label_lengths, *, blank=0, fastemit_lambda=0.0):
    if x.rank != 4 or label.rank != 2:
        raise ValueError(f"rnnt_loss(input, label): input must be [batch, steps, symbols + 1, classes] and label "
                         f"[batch, symbols]. Received {list(x.shape)} and {list(label.shape)}.")
    if not 0 <= blank < (x.shape[3] if x.shape[3] >= 0 else blank + 1):
        raise ValueError(f"rnnt_loss(blank): must lie in [0, {x.shape[3]}). Received {blank}.")
    return Spec(x.shape[:1], x.dtype), x


def _curvature(xp, x, label, input_lengths, label_lengths, v, *, blank: int = 0, fastemit_lambda: float = 0.0):
    v = _hastened(xp, v, label, input_lengths, label_lengths, blank, fastemit_lambda)
    found = _loss_and_gradient(xp, x + (1j * IMAGINARY_STEP) * v, label, input_lengths, label_lengths, blank,
                               lambda x: x.imag)[1]
    return (found / IMAGINARY_STEP).astype(x.dtype)


def _weight_gradient(g: Any, input: Any, warprnntgrad: Any, label: Any, input_lengths: Any, label_lengths: Any,
                     loss_grad: Any, attrs: Any) -> Any:
    slope = apply(warprnnt_grad_op, input, warprnntgrad, label, input_lengths, label_lengths, loss_grad * 0.0 + 1.0,
                  **attrs)
    return reduce_sum(g * slope, [1, 2, 3])


def _scaled(xp, x, slope, label, input_lengths, label_lengths, weight, *, blank: int = 0,
            fastemit_lambda: float = 0.0):
    return slope * weight.reshape(-1, 1, 1, 1)


warprnnt_curvature_op = operator(
    "warprnnt_curvature", "input, label, input_lengths, label_lengths, v -> out", kernel=_curvature, infer=same,
    grad={"input": no_third_order, "v": no_third_order}, only_here=True, fails="values")
# warprnntgrad is what the forward pass has computed; as a function this one is of input, label and loss_grad.
warprnnt_grad_op = operator(
    "warprnnt_backward", "input, warprnntgrad, label, input_lengths, label_lengths, loss_grad -> input_grad",
    kernel=_scaled, infer=same,
    grad={"input": lambda g, input, label, input_lengths, label_lengths, loss_grad, attrs: apply(
              warprnnt_curvature_op, input, label, input_lengths, label_lengths,
              g * reshape(loss_grad, [-1, 1, 1, 1]), **attrs),
          "loss_grad": _weight_gradient}, only_here=True)
warprnnt_op = operator(
    "warprnnt", "input, label, input_lengths, label_lengths -> loss, warprnntgrad&", kernel=_warprnnt, infer=_infer,
    grad={"input": lambda g, input, warprnntgrad, label, input_lengths, label_lengths, attrs: apply(
        warprnnt_grad_op, input, warprnntgrad, label, input_lengths, label_lengths, g, **attrs)}, fails="values",
        lod="drop")
