"""Mutants: of a file's bytes, and of what a model means.

A mutant is a function of the file and of one number, so that a case can be made again.
"""

from __future__ import annotations

import numpy as np
from proa.static.format import framework_pb2 as pb

_EXTREMES = [0, 1, -1, 2, -2, 3, 7, 127, 255, 1000, 65536, 2**31 - 1, -(2**31), 2**30, 2**24, -5, 100000]
_LONG = [*_EXTREMES, 2**63 - 1, -(2**63), 2**40, 2**33]
_FLOATS = [0.0, -1.0, 1e38, -1e38, float("inf"), float("nan"), 1e-45, 0.5, 1e9, -1e-3]
_TEXTS = ["", "NHWC", "NCHW", "SAME", "VALID", "EXPLICIT", "nearest", "bilinear", "bicubic", "reflect", "max", "avg",
          "x", "LSTM", "GRU", "RNN_TANH", "nonsense" * 10]


def of_bytes(content: bytes, draw: np.random.Generator) -> bytes:
    """Some bytes changed, inserted, doubled or taken away; or the end cut off."""
    data = bytearray(content)
    for _ in range(int(draw.integers(1, 5))):
        if not data:
            break
        place, kind = int(draw.integers(len(data))), int(draw.integers(8))
        if kind < 3:
            data[place] = int(draw.integers(256))
        elif kind == 3:
            data[place] ^= 1 << int(draw.integers(8))
        elif kind == 4:
            data[place:place] = bytes(draw.integers(0, 256, int(draw.integers(1, 9))).astype(np.uint8))
        elif kind == 5:
            del data[place:place + int(draw.integers(1, 17))]
        elif kind == 6:
            other = int(draw.integers(len(data)))
            data[place:place + 8] = data[other:other + 8]
        else:
            del data[place:]
    return bytes(data)


def of_meaning(content: bytes, draw: np.random.Generator) -> bytes:
    """A `.pdmodel` in which one to three things mean something else."""
    desc = pb.ProgramDesc.FromString(content)
    for _ in range(int(draw.integers(1, 4))):
        _CHANGES[int(draw.integers(len(_CHANGES)))](desc, draw)
    return desc.SerializePartialToString()


def _one(items, draw):
    items = list(items)
    return items[int(draw.integers(len(items)))] if items else None


def _operator(desc, draw):
    return _one((op for block in desc.blocks for op in block.ops if op.type not in ("feed", "fetch")), draw)


def _attribute(desc, draw):
    """Another value of an attribute, of its kind."""
    op = _operator(desc, draw)
    attr = _one((a for a in op.attrs if not a.name.startswith("op_")), draw) if op is not None else None
    if attr is None:
        return
    if attr.HasField("i"):
        attr.i = _one([v for v in _EXTREMES], draw)
    elif attr.HasField("l"):
        attr.l = _one(_LONG, draw)
    elif attr.HasField("f"):
        attr.f = _one(_FLOATS, draw)
    elif attr.HasField("b"):
        attr.b = not attr.b
    elif attr.HasField("s"):
        attr.s = _one(_TEXTS, draw)
    else:
        for field, values in (("ints", _EXTREMES), ("longs", _LONG), ("floats", _FLOATS), ("strings", _TEXTS)):
            held = getattr(attr, field)
            if len(held) and draw.random() < 0.2:
                del held[int(draw.integers(len(held)))]
            elif len(held) and draw.random() < 0.2:
                held.append(_one(values, draw))
            elif len(held):
                held[int(draw.integers(len(held)))] = _one(values, draw)


def _shape(desc, draw):
    """Another shape of a variable: parameters' among them."""
    var = _one((v for v in desc.blocks[0].vars if v.type.HasField("lod_tensor")), draw)
    dims = var.type.lod_tensor.tensor.dims if var is not None else ()
    if len(dims):
        dims[int(draw.integers(len(dims)))] = _one(_LONG, draw)
    elif var is not None:
        var.type.lod_tensor.tensor.dims.append(3)


def _dtype(desc, draw):
    """Another dtype of a variable."""
    var = _one((v for block in desc.blocks for v in block.vars if v.type.HasField("lod_tensor")), draw)
    if var is not None:
        var.type.lod_tensor.tensor.data_type = int(_one([0, 1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 24], draw))


def _input(desc, draw):
    """Another variable where an operator reads one: before its time, of another shape, a parameter for a value."""
    op = _operator(desc, draw)
    slot = _one((s for s in op.inputs if len(s.arguments)), draw) if op is not None else None
    names = [v.name for v in desc.blocks[0].vars if v.name not in ("feed", "fetch")]
    if slot is not None and names:
        slot.arguments[int(draw.integers(len(slot.arguments)))] = _one(names, draw)


def _output(desc, draw):
    """An operator writes to another variable."""
    op = _operator(desc, draw)
    slot = _one((s for s in op.outputs if len(s.arguments)), draw) if op is not None else None
    names = [v.name for v in desc.blocks[0].vars if v.name not in ("feed", "fetch")]
    if slot is not None and names:
        slot.arguments[0] = _one(names, draw)


def _slots(desc, draw):
    """Two slots of an operator change places, or one is gone."""
    op = _operator(desc, draw)
    side = (op.inputs if draw.random() < 0.7 else op.outputs) if op is not None else []
    if len(side) > 1 and draw.random() < 0.6:
        side[0].parameter, side[-1].parameter = side[-1].parameter, side[0].parameter
    elif len(side):
        del side[int(draw.integers(len(side)))]


def _type(desc, draw):
    """An operator becomes another of the file."""
    one, other = _operator(desc, draw), _operator(desc, draw)
    if one is not None:
        one.type = other.type


def _order(desc, draw):
    """Two operators change places, one is done twice, or one is gone."""
    block = _one(desc.blocks, draw)
    if len(block.ops) < 2:
        return
    kind, place = int(draw.integers(3)), int(draw.integers(len(block.ops)))
    other = int(draw.integers(len(block.ops)))
    if kind == 0:
        held = pb.OpDesc.FromString(block.ops[place].SerializePartialToString())
        block.ops[place].CopyFrom(block.ops[other])
        block.ops[other].CopyFrom(held)
    elif kind == 1:
        block.ops.add().CopyFrom(block.ops[place])
    else:
        del block.ops[place]


def _missing(desc, draw):
    """An attribute is gone."""
    op = _operator(desc, draw)
    if op is not None and len(op.attrs):
        del op.attrs[int(draw.integers(len(op.attrs)))]


_CHANGES = [_attribute, _attribute, _attribute, _attribute, _shape, _dtype, _input, _input, _output, _slots, _type,
            _order, _missing]
