"""Messages along the edges of a graph: graph_send_recv, graph_send_ue_recv, graph_send_uv.

An edge goes from row `src_index[e]` of x to row `dst_index[e]` of the result; both are [E] of integers.
"""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels.places import LEAST
from ...core.dtype import int32, promote
from ..array.full import is_value
from ..array.gather import gather_op
from ..array.gradient_shapes import sum_to
from ..core.infer import broadcast_shapes
from ..core.kernels import by
from ..core.operator import Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from .segments import of_message, reduced_by_loops, reduced_rows, scattered


def _reduction(what: str, name: str) -> str:
    if name not in ("sum", "mean", "max", "min"):
        raise ValueError(f"{what}(reduce_op): must be 'sum', 'mean', 'max' or 'min'. Received {name!r}.")
    return name.upper()


def _check_pairs(what: str, src: Any, dst: Any) -> None:
    if src.shape != dst.shape:
        raise ValueError(f"{what}(src_index, dst_index): both must be [E]. Received {list(src.shape)} and "
                         f"{list(dst.shape)}.")


def _check_edges(xp: Any, what: str, index: Any, rows: int) -> None:
    if index.size and (int(index.min()) < 0 or int(index.max()) >= rows):
        raise ValueError(f"{what}: indices must lie in [0, {rows}). Received {int(index.min())} to "
                         f"{int(index.max())}.")


def _size_of(x: Any, tensor: Any, out_size: Any) -> int:
    given = int(tensor.reshape(())) if tensor is not None else int(out_size[0]) if len(out_size) else 0
    return given if given > 0 else x.shape[0]


def _received(xp: Any, message: Any, x: Any, dst: Any, tensor: Any, out_size: Any, reduction: str) -> tuple[Any, Any]:
    rows = _size_of(x, tensor, out_size)
    _check_edges(xp, "send_u_recv(dst_index, out_size)", dst, rows)
    out, met = reduced_rows(xp, message, dst, rows, reduction)
    return out, met.astype("int32")


def _lie_in(index: Any, rows: int) -> bool:
    """Whether there are numbers, and all in [0, rows): a negative one counts as a large one."""
    return index.dtype.kind == "i" and index.size > 0 and int(index.view(f"u{index.itemsize}").max()) < rows


def _received_by_loops(message: Any, x: Any, src: Any, dst: Any, tensor: Any, out_size: Any, reduction: str) -> Any:
    """As the kernels, of `message(rows of x)`; NotImplemented for what is left to them."""
    rows = _size_of(x, tensor, out_size)
    if src.shape != dst.shape or src.ndim != 1 or not _lie_in(src, len(x)) or not _lie_in(dst, rows):
        return NotImplemented
    found = reduced_by_loops(message(x.take(src, 0)), dst, rows, reduction)
    return found if found is NotImplemented else (found[0], found[1].astype("int32"))


def _rows(x: Spec, tensor: Any, out_size: Any) -> int:
    if tensor is not None:
        return -1
    return out_size[0] if len(out_size) and out_size[0] > 0 else x.shape[0]


def _infer_edges(what: str, src: Spec, dst: Spec) -> int:
    if src.rank != 1 or dst.rank != 1 or (src.shape != dst.shape and -1 not in src.shape + dst.shape):
        raise ValueError(f"{what}(src_index, dst_index): both must be [E]. Received {list(src.shape)} and "
                         f"{list(dst.shape)}.")
    return max(src.shape[0], dst.shape[0])


# from nodes

def _send_recv(xp, x, src, dst, size=None, *, reduce_op: str = "SUM", out_size: Longs = (0,)):
    _check_pairs("send_u_recv", src, dst)
    _check_edges(xp, "send_u_recv(x, src_index)", src, x.shape[0])
    return _received(xp, x[src], x, dst, size, out_size, reduce_op)


def _send_recv_by_loops(x, src, dst, size=None, *, reduce_op="SUM", out_size=(0,)):
    return _received_by_loops(lambda rows: rows, x, src, dst, size, out_size, reduce_op)


def _infer_send_recv(x, src, dst, size=None, *, reduce_op="SUM", out_size=(0,)):
    _infer_edges("send_u_recv", src, dst)
    rows = _rows(x, size, out_size)
    return Spec((rows, *x.shape[1:]), x.dtype), Spec((rows,), int32)


def _source(x: Any, index: Any) -> Any:
    return apply(gather_op, x, index, None, axis=0)


send_recv_op = operator(
    "graph_send_recv", "X, Src_index, Dst_index, Out_size? -> Out, Dst_count&", kernel=_send_recv,
    infer=_infer_send_recv, engines=[by(LOOPS, _send_recv_by_loops, LEAST)],
    grad={"X": lambda g, X, X_shape, Out, Src_index, Dst_index, Dst_count, reduce_op: scattered(
        of_message(g, Out, _source(X, Src_index), Dst_index, Dst_count, reduce_op), Src_index, X_shape)},
        fails="values", lod="drop")


def _size(out_size: Any) -> tuple[Any, list[int]]:
    """The tensor and the attribute that say how many rows a result has."""
    if out_size is None:
        return None, [0]
    return (out_size, [0]) if is_value(out_size) else (None, [int(out_size)])


def send_u_recv(x: Any, src_index: Any, dst_index: Any, reduce_op: str = "sum", out_size: Any = None,
                name: str | None = None) -> Any:
    """The 'sum', 'mean', 'max' or 'min' of the rows of x that edges bring to each row of the result; zeros if none do.

    The result has as many rows as x, or `out_size`, an int or a tensor of one.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0], [2.0], [4.0]])
    >>> src, dst = paddle.to_tensor([0, 1, 2]), paddle.to_tensor([1, 1, 0])
    >>> paddle.geometric.send_u_recv(x, src, dst).tolist()
    [[4.0], [3.0], [0.0]]
    """
    size, rows = _size(out_size)
    return apply(send_recv_op, x, src_index, dst_index, size, reduce_op=_reduction("send_u_recv", reduce_op),
                 out_size=rows)[0]


def graph_send_recv(x: Any, src_index: Any, dst_index: Any, pool_type: str = "sum", out_size: Any = None,
                    name: str | None = None) -> Any:
    """As `paddle.geometric.send_u_recv`, which took its place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0], [2.0], [3.0]])
    >>> paddle.incubate.graph_send_recv(x, paddle.to_tensor([0, 1, 2]), paddle.to_tensor([1, 1, 0])).tolist()
    [[3.0], [3.0], [0.0]]
    """
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)


# from nodes and edges

def _messages(xp: Any, a: Any, b: Any, message_op: str) -> Any:
    rank = max(a.ndim, b.ndim)
    a, b = (v.reshape(v.shape[:1] + (1,) * (rank - v.ndim) + v.shape[1:]) for v in (a, b))
    return a + b if message_op == "ADD" else a * b


def _infer_message(what: str, edges: int, a: Spec, b: Spec) -> Spec:
    return Spec((edges, *broadcast_shapes(what, a.shape[1:], b.shape[1:])), promote(a.dtype, b.dtype))


def _send_ue(xp, x, y, src, dst, size=None, *, message_op: str = "ADD", reduce_op: str = "SUM",
             out_size: Longs = (0,)):
    _check_pairs("send_ue_recv", src, dst)
    _check_edges(xp, "send_ue_recv(x, src_index)", src, x.shape[0])
    return _received(xp, _messages(xp, x[src], y, message_op), x, dst, size, out_size, reduce_op)


def _send_ue_by_loops(x, y, src, dst, size=None, *, message_op="ADD", reduce_op="SUM", out_size=(0,)):
    return _received_by_loops(lambda rows: _messages(np, rows, y, message_op), x, src, dst, size, out_size, reduce_op)


def _infer_send_ue(x, y, src, dst, size=None, *, message_op="ADD", reduce_op="SUM", out_size=(0,)):
    edges = _infer_edges("send_ue_recv", src, dst)
    message = _infer_message("send_ue_recv(x, y)", edges, x, y)
    rows = _rows(x, size, out_size)
    return Spec((rows, *message.shape[1:]), message.dtype), Spec((rows,), int32)


def _ue_gradients(g: Any, X: Any, Y: Any, X_shape: Any, Y_shape: Any, Out: Any, Src_index: Any, Dst_index: Any,
                  Dst_count: Any, message_op: str, reduce_op: str) -> tuple[Any, Any]:
    """Of nodes and edges, whose inner shapes broadcast from the last dimension."""
    nodes, edges = _aligned(_source(X, Src_index), Y)
    message = nodes + edges if message_op == "ADD" else nodes * edges
    g = of_message(g, Out, message, Dst_index, Dst_count, reduce_op)
    of_nodes, of_edges = (g, g) if message_op == "ADD" else (g * edges, g * nodes)
    return (scattered(_reduced_like(of_nodes, nodes, X), Src_index, X_shape), _reduced_like(of_edges, edges, Y))


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Both with one number of dimensions, ones put in behind the first."""
    from ..array.reshape import unsqueeze

    rank = max(len(a.shape), len(b.shape))
    added = [list(range(1, 1 + rank - len(v.shape))) for v in (a, b)]
    first, second = (unsqueeze(v, axes) if axes else v for v, axes in zip((a, b), added, strict=True))
    return first, second


def _reduced_like(g: Any, aligned: Any, original: Any) -> Any:
    """A gradient summed over the dimensions that were broadcast, with the original number of dimensions."""
    from ..array.reshape import squeeze

    shape = tuple(aligned.shape)
    g = sum_to(g, aligned if -1 in shape else shape)
    extra = len(shape) - len(original.shape)
    return squeeze(g, list(range(1, 1 + extra))) if extra else g


send_ue_op = operator(
    "graph_send_ue_recv", "X, Y, Src_index, Dst_index, Out_size? -> Out, Dst_count&", kernel=_send_ue,
    infer=_infer_send_ue, engines=[by(LOOPS, _send_ue_by_loops, LEAST)], grad={"X, Y": _ue_gradients},
    fails="values", lod="drop")


def _message_op(what: str, y: Any, message_op: str) -> tuple[Any, str]:
    """What is added or multiplied in place of y."""
    if message_op == "sub":
        return -y, "ADD"
    if message_op == "div":
        return 1.0 / (y + 1e-12), "MUL"
    if message_op not in ("add", "mul"):
        raise ValueError(f"{what}(message_op): must be 'add', 'sub', 'mul' or 'div'. Received {message_op!r}.")
    return y, message_op.upper()


def send_ue_recv(x: Any, y: Any, src_index: Any, dst_index: Any, message_op: str = "add", reduce_op: str = "sum",
                 out_size: Any = None, name: str | None = None) -> Any:
    """As `send_u_recv`, of x[src] with the rows of y, one an edge, added ('sub', 'mul', 'div': or otherwise taken in).

    The shapes of rows broadcast. 'div' divides by y + 1e-12.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
    >>> paddle.geometric.send_ue_recv(x, y, paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1]), "mul").tolist()
    [[0.0], [50.0]]
    """
    size, rows = _size(out_size)
    y, message = _message_op("send_ue_recv", y, message_op)
    return apply(send_ue_op, x, y, src_index, dst_index, size, message_op=message,
                 reduce_op=_reduction("send_ue_recv", reduce_op), out_size=rows)[0]


# from pairs of nodes

def _send_uv(xp, x, y, src_index, dst_index, *, message_op: str = "ADD"):
    _check_pairs("send_uv", src_index, dst_index)
    _check_edges(xp, "send_uv(x, src_index)", src_index, x.shape[0])
    _check_edges(xp, "send_uv(y, dst_index)", dst_index, y.shape[0])
    return _messages(xp, x[src_index], y[dst_index], message_op)


def _uv_gradients(g: Any, x: Any, y: Any, x_shape: Any, y_shape: Any, src_index: Any, dst_index: Any,
                  message_op: str) -> tuple[Any, Any]:
    a, b = _aligned(_source(x, src_index), _source(y, dst_index))
    of_a, of_b = (g, g) if message_op == "ADD" else (g * b, g * a)
    return (scattered(_reduced_like(of_a, a, x), src_index, x_shape),
            scattered(_reduced_like(of_b, b, y), dst_index, y_shape))


send_uv_op = operator(
    "graph_send_uv", "x, y, src_index, dst_index -> out", kernel=_send_uv,
    infer=lambda x, y, src_index, dst_index, *, message_op="ADD": _infer_message(
        "send_uv(x, y)", _infer_edges("send_uv", src_index, dst_index), x, y),
    grad={"x, y": _uv_gradients}, fails="values", lod="drop")


def send_uv(x: Any, y: Any, src_index: Any, dst_index: Any, message_op: str = "add", name: str | None = None) -> Any:
    """x[src_index] with y[dst_index] added ('sub', 'mul', 'div': or otherwise taken in), one row an edge.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
    >>> paddle.geometric.send_uv(x, y, paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])).tolist()
    [[21.0], [22.0]]
    """
    y, message = _message_op("send_uv", y, message_op)
    return apply(send_uv_op, x, y, src_index, dst_index, message_op=message)


