"""Paddings of which the converter to ONNX writes something else than they mean.

With the word "SAME" Paddle takes no notice of a convolution's dilations, ONNX Runtime refuses both; a transposed
convolution cuts the result, where ONNX has a result of its own size; means that count the padding count none in ONNX.
Behind the image such means count as much of it as there is before the image, and ONNX counts all.
"""

from __future__ import annotations

from ..static.ir.block import Block
from ..static.ir.operation import Operation
from ..static.ir.program import Program

_CONVOLUTIONS = frozenset(("conv2d", "depthwise_conv2d", "conv3d"))
_TRANSPOSED = frozenset(("conv2d_transpose", "depthwise_conv2d_transpose"))
_MEANS = frozenset(("pool2d", "pool3d"))


def may_pad_the_same(data: bytes) -> bool:
    """Whether a Program's file has the word anywhere."""
    return b"SAME" in data


def settle_padding(program: Program) -> bool:
    """Says such paddings in what the converter writes rightly; whether there was one. NotImplementedError if it cannot.
    """
    found = False
    for block in program.blocks:
        for op in block.ops:
            if op.attrs.get("padding_algorithm") == "SAME":
                found |= _settle(block, op)
            if _counts_padding(op):
                _check_mean(op)
    return found


def _counts_padding(op: Operation) -> bool:
    return op.type in _MEANS and op.attrs.get("pooling_type") == "avg" and not (
        op.attrs.get("exclusive", True) or op.attrs.get("adaptive") or op.attrs.get("global_pooling"))


def _check_mean(op: Operation) -> None:
    paddings = list(op.attrs["paddings"])
    if len(paddings) == 2 * len(op.attrs["ksize"]) and any(
            after > before for before, after in zip(paddings[::2], paddings[1::2], strict=True)):
        raise NotImplementedError(
            f"onnx.export: the operator {op.type}, which makes {op.output('Out')[0]!r}, counts the padding in its "
            f"means (exclusive=False), and has more of it behind the image than before it, {paddings}: of that ONNX "
            "counts more. Pad as much on both sides, or by paddle.nn.functional.pad before it.")


def _settle(block: Block, op: Operation) -> bool:
    if op.type in _CONVOLUTIONS:
        op.attrs["dilations"] = [1] * len(op.attrs["dilations"])
        return True
    if op.type in _TRANSPOSED:
        given, window = op.input("Input")[0], block.var(op.input("Filter")[0]).shape[2:]
        op.attrs["dilations"] = [1] * len(op.attrs["dilations"])
    elif _counts_padding(op):
        given, window = op.input("X")[0], tuple(op.attrs["ksize"])
    else:
        return False
    op.attrs["paddings"] = _paddings(op, block.var(given).shape[2:], window)
    op.attrs["padding_algorithm"] = "EXPLICIT"
    return True


def _paddings(op: Operation, sizes: tuple[int, ...], window: tuple[int, ...]) -> list[int]:
    """The numbers, before and after along each axis."""
    found = []
    for size, length, stride in zip(sizes, window, op.attrs["strides"], strict=True):
        if size < 0 and stride != 1:
            made = next(names[0] for names in op.outputs.values() if names)
            raise NotImplementedError(
                f"onnx.export: the operator {op.type}, which makes {made!r}, pads by the word SAME: how much hangs on "
                f"the sizes of the image, which only a run knows, {sizes}. Give them in input_spec=, or the padding "
                "in numbers.")
        whole = max((-(-size // stride) - 1) * stride + length - size, 0) if stride != 1 else length - 1
        found += [whole // 2, whole - whole // 2]
    return found
