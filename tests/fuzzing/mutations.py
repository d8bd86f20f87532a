"""Mutants: of a file's bytes, and of what a model means.

A mutant is a function of the file and of one number, so that a case can be made again.
"""

from __future__ import annotations

import copy
import json

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
    """A `.pdmodel`, or PaddlePaddle 3's `.json`, in which one to three things mean something else."""
    if content[:1] == b"{":
        return _of_json(content, draw)
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


# PaddlePaddle 3's JSON


def _of_json(content, draw):
    program = json.loads(content)
    blocks = list(_json_blocks(program["program"]["regions"]))
    for _ in range(int(draw.integers(1, 4))):
        _JSON_CHANGES[int(draw.integers(len(_JSON_CHANGES)))](blocks, draw)
    return json.dumps(program).encode()


def _json_blocks(regions):
    """The blocks of regions, those inside of their operations among them."""
    for block in (block for region in regions for block in region["blocks"]):
        yield block
        for op in block["ops"]:
            yield from _json_blocks(op.get("regions", []))


def _json_operator(blocks, draw):
    return _one((op for block in blocks for op in block["ops"] if op["#"] != "p"), draw)


def _json_value(value, draw):
    """Another value in the place of one, of its kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return _one(_LONG, draw)
    if isinstance(value, float):
        return _one([number for number in _FLOATS if np.isfinite(number)], draw)
    if isinstance(value, str):
        return _one([*_TEXTS, "float32", "int64", "bool", "float16", "complex64"], draw)
    if isinstance(value, list):
        value = copy.deepcopy(value)
        if not value or draw.random() < 0.1:
            return [*value, _one(_LONG, draw)]
        place = int(draw.integers(len(value)))
        if draw.random() < 0.2:
            del value[place]
        else:
            value[place] = _json_value(value[place], draw)
        return value
    if isinstance(value, dict) and "D" in value:
        return {**value, "D": _json_value(value["D"], draw)}
    return value


def _json_attribute(blocks, draw):
    """Another value of an attribute; or it is gone, or of another kind."""
    op = _json_operator(blocks, draw)
    if not op or not op["A"]:
        return
    place = int(draw.integers(len(op["A"])))
    if draw.random() < 0.1:
        del op["A"][place]
    elif draw.random() < 0.05:
        op["A"][place]["AT"]["#"] = _one(["0.a_i32", "0.a_i64", "0.a_f32", "0.a_bool", "0.a_str", "0.a_array",
                                          "1.a_intarray", "1.a_scalar", "1.a_dtype"], draw)
    else:
        op["A"][place]["AT"] = _json_value(op["A"][place]["AT"], draw)


def _json_type(blocks, draw):
    """Another shape or dtype of a value, parameters' among them."""
    results = [op["O"] if isinstance(op["O"], dict) else _one(op["O"], draw)
               for block in blocks for op in block["ops"] if op["O"]]
    found = _one(results, draw)
    parts = found and found.get("TT", {}).get("D")
    if not isinstance(parts, list) or len(parts) < 2 or not isinstance(parts[1], list):
        return
    if draw.random() < 0.3:
        parts[0] = {"#": "0." + _one(["t_bool", "t_f16", "t_f32", "t_f64", "t_i8", "t_i32", "t_i64", "t_c64"], draw)}
    elif parts[1]:
        parts[1][int(draw.integers(len(parts[1])))] = _one(_LONG, draw)
    else:
        parts[1].append(3)


def _json_operand(blocks, draw):
    """Another value where an operation reads one, or one that is not there."""
    op = _json_operator(blocks, draw)
    if op and op["I"]:
        numbers = [result["%"] for block in blocks for other in block["ops"]
                   for result in (other["O"] if isinstance(other["O"], list) else [other["O"]])]
        op["I"][int(draw.integers(len(op["I"])))]["%"] = _one([*numbers, *numbers, 0, -1, 10**6], draw)


def _json_operands(blocks, draw):
    """Two operands change places, one is gone, or one is there twice; or a result is."""
    op = _json_operator(blocks, draw)
    side = op["I" if draw.random() < 0.7 else "O"] if op else []
    if side:
        place, other, kind = int(draw.integers(len(side))), int(draw.integers(len(side))), int(draw.integers(3))
        if kind == 0:
            side[place], side[other] = side[other], side[place]
        elif kind == 1:
            del side[place]
        else:
            side.insert(place, copy.deepcopy(side[other]))


def _json_name(blocks, draw):
    """An operation becomes another of the file."""
    one, other = _json_operator(blocks, draw), _json_operator(blocks, draw)
    if one:
        one["#"] = other["#"]


def _json_order(blocks, draw):
    """Two operations change places, one is done twice, or one is gone."""
    ops = _one(blocks, draw)["ops"]
    if len(ops) > 1:
        place, other, kind = int(draw.integers(len(ops))), int(draw.integers(len(ops))), int(draw.integers(3))
        if kind == 0:
            ops[place], ops[other] = ops[other], ops[place]
        elif kind == 1:
            ops.insert(other, copy.deepcopy(ops[place]))
        else:
            del ops[place]


_JSON_CHANGES = [_json_attribute, _json_attribute, _json_attribute, _json_attribute, _json_type, _json_type,
                 _json_operand, _json_operand, _json_operands, _json_name, _json_order]
