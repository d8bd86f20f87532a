"""Attribute values and their types in files."""

import numpy as np
import pytest
from proa.core.var_type import VarType
from proa.static.files.types_in_files import KINDS
from proa.static.format import attributes as at
from proa.static.format import framework_pb2 as pb


def written(value, file_type=None):
    attr = pb.OpDesc.Attr()
    at.python_to_attr(attr, "a", value, file_type)
    return attr


CASES = [
    (at.INT, 3, int), (at.FLOAT, 0.5, float), (at.STRING, "é", str), (at.INTS, [1, -2], list), (at.INTS, [], list),
    (at.FLOATS, [0.5, 2.0], list), (at.FLOATS, [], at.FloatList), (at.STRINGS, ["a"], list),
    (at.STRINGS, [], at.StringList), (at.BOOLEAN, True, bool), (at.BOOLEANS, [True, False], list),
    (at.BOOLEANS, [], at.BoolList), (at.BLOCK, 2, at.BlockValue), (at.LONG, 3, at.LongValue), (at.LONG, 1 << 40, int),
    (at.BLOCKS, [1, 2], at.BlockList), (at.LONGS, [1], at.LongList), (at.LONGS, [1 << 40], list),
    (at.FLOAT64S, [0.1], at.DoubleList), (at.VAR, "x", at.VarValue), (at.VARS, ["x", "y"], at.VarList),
    (at.FLOAT64, 0.1, at.DoubleValue),
]


def test_numbers_that_are_known_without_protobuf_are_those_of_the_messages():
    assert dict(pb.AttrType.items()) == {name: number for number, name in enumerate(at.TYPE_NAMES)}
    kinds = {VarType.of_kind(kind).name: number for kind, number in KINDS.items()}
    assert {name: number for name, number in pb.VarType.Type.items() if name in kinds} == kinds
    assert at._SCALAR_FIELDS[pb.Scalar.BOOLEAN:] == ("b", "i", "r", "c")
    assert [pb.Scalar.LONG, pb.Scalar.FLOAT64, pb.Scalar.COMPLEX128] == [2, 3, 4]


@pytest.mark.parametrize("file_type, value, kind", CASES)
def test_every_type_survives(file_type, value, kind):
    attr = written(value, file_type)
    assert attr.type == file_type
    back = at.attr_to_python(attr)
    assert back == value
    assert type(back) is kind
    assert written(back) == attr
    assert at.attr_value(attr) == value


@pytest.mark.parametrize("value", [True, -(1 << 40), 0.1, 1 + 2j])
def test_scalars(value):
    attr = written(value, at.SCALAR)
    back = at.attr_to_python(attr)
    assert (back if isinstance(value, complex) else back.value) == value or back == at.ScalarValue(value)
    assert written(back) == attr
    many = written([value, value], at.SCALARS)
    assert written(at.attr_to_python(many)) == many
    assert at.attr_value(many) == [value, value]


@pytest.mark.parametrize("value, file_type", [
    (np.int64(3), at.INT), (np.float32(0.5), at.FLOAT), (np.bool_(True), at.BOOLEAN), ((1, 2), at.INTS),
    ([1, 0.5], at.FLOATS), ([1, 1 << 33], at.LONGS), ([True, False], at.BOOLEANS)])
def test_types_that_values_tell(value, file_type):
    assert written(value).type == file_type


def test_wide_integers_are_not_cut():
    assert written(1 << 40, at.INT).type == at.LONG
    assert written([1, 1 << 40], at.INTS).type == at.LONGS


@pytest.mark.parametrize("value", [object(), {"a": 1}, None, [None], [[1]], ["a", 1], 1 << 70])
def test_values_that_files_cannot_hold(value):
    with pytest.raises(TypeError, match="'a' cannot be written"):
        written(value)


@pytest.mark.parametrize("value, file_type", [("x", at.INT), (0.5, at.INTS), (3, at.STRING), (["x"], at.FLOATS),
                                              (1 << 70, at.LONG), (0.5, at.INT)])
def test_values_of_another_type(value, file_type):
    with pytest.raises(ValueError, match="'a' should be of type"):
        written(value, file_type)


def test_a_missing_field():
    attr = pb.OpDesc.Attr(name="a", type=pb.INT)
    with pytest.raises(ValueError, match="no field 'i'"):
        at.attr_to_python(attr)


def test_marked_values_are_plain_values_too():
    import copy

    assert [10, 20][at.BlockValue(1)] == 20
    assert copy.deepcopy(at.LongList([1, 2])) == [1, 2]
    assert type(copy.deepcopy(at.LongList([1, 2]))) is at.LongList
