"""Programs to messages and back."""

import copy
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "format"))
import proa as paddle
from format_helpers import FIXTURES, ask_oracle, damaged, needs_oracle, value_or_refusal
from proa.core import dtype as dt
from proa.core.files import CorruptFileError
from proa.ops.core.operator import operator
from proa.ops.core.signature import Slot
from proa.static.files import types_in_files
from proa.static.files.program_codec import to_desc
from proa.static.format import attributes as at
from proa.static.format import framework_pb2 as pb
from proa.static.format.program_file import read_program_desc, serialize_program_desc
from proa.static.ir.program import Program
from proa.static.ir.variable import ParameterVariable
from proa.static.program import from_desc

TRAINING = (FIXTURES / "training.pdmodel").read_bytes()


def load(name):
    return from_desc(read_program_desc(FIXTURES / f"{name}.pdmodel"), f"{name}.pdmodel")


def again(program):
    """The Program after a save and a load."""
    return from_desc(read_program_desc(serialize_program_desc(to_desc(program)), "again"), "again")


def one_op(op_type, attrs, **slots):
    program = Program()
    program.global_block().append(op_type, {"X": ["x"]}, {"Out": ["y"]}, attrs)
    return program


def attrs_of(program, index=0):
    return {a.name: a for a in to_desc(program).blocks[0].ops[index].attrs}


def variables(desc):
    """Every variable, with the defaults of its flags written out."""
    result = []
    for block in desc.blocks:
        for var in block.vars:
            var = copy.deepcopy(var)
            var.persistable, var.stop_gradient = var.persistable, var.stop_gradient
            for field in ("lod_tensor", "tensor_array"):
                if var.type.HasField(field):
                    part = getattr(var.type, field)
                    part.lod_level = part.lod_level
            result.append(var)
    return result


@pytest.mark.parametrize("name", ["net", "training"])
def test_what_paddle_wrote_survives(name):
    """Blocks, variables, operators (known here or not), slots, and attributes with their types."""
    before = read_program_desc(FIXTURES / f"{name}.pdmodel")
    after = to_desc(from_desc(before, name))
    assert variables(before) == variables(after)
    for old, new in zip(before.blocks, after.blocks, strict=True):
        assert (old.idx, old.parent_idx, old.forward_block_idx) == (new.idx, new.parent_idx, new.forward_block_idx)
        for a, b in zip(old.ops, new.ops, strict=True):
            assert (a.type, list(a.inputs), list(a.outputs)) == (b.type, list(b.inputs), list(b.outputs))
            assert {x.name: x for x in a.attrs} == {x.name: x for x in b.attrs}


def test_the_program_that_was_loaded():
    program = load("training")
    block = program.global_block()
    weight = block.var("fc_0.w_0")
    assert isinstance(weight, ParameterVariable)
    assert weight.trainable
    assert (weight.shape, weight.dtype, weight.persistable) == ((3, 2), dt.float32, True)
    assert block.var("x").is_data
    assert block.var("x").shape == (-1, 3)
    kinds = {v.kind for v in program.list_vars()}
    assert kinds == {"tensor", "array", "scopes"}
    assert [b.parent_idx for b in program.blocks] == [-1, 0, 0, 0, 0]
    assert [b.forward_block_idx for b in program.blocks] == [-1, -1, -1, 2, 1]
    conditional = next(op for op in block.ops if op.type == "conditional_block")
    assert program.blocks[conditional.attrs["sub_block"]].ops[-1].type == "assign"
    filled = next(op for op in block.ops if op.type == "fill_constant")
    assert filled.attrs["dtype"] is dt.int64
    assert filled.attrs["shape"] == [1]
    assert {v.kind for v in load("net").global_block().vars.values()} == {"tensor", "scopes", "feed", "fetch"}


def test_constants_that_paddle_wrote():
    values = [op.attrs["values"] for op in load("training").global_block().ops if op.type == "assign_value"]
    assert [(v.dtype.name, v.tolist()) for v in values] == [
        ("bool", [True, False, True]), ("int32", [1, 0, 1]), ("int64", [1, 0, 1]), ("float32", [1.0, 0.0, 1.0])]
    (changed,) = [op for op in load("training").global_block().ops if op.type == "set_value"]
    assert changed.attrs["values"] == [3.0]
    assert "fp32_values" not in changed.attrs


def test_a_file_that_names_no_dtype_means_the_declarations():
    """1.x's arg_max has dtype = -1 in files: its result is int64. One that may be without a dtype stays so."""
    desc = to_desc(one_op("arg_max", {"axis": 1, "dtype": dt.int32}))
    (dtype,) = [a for a in desc.blocks[0].ops[0].attrs if a.name == "dtype"]
    dtype.i = -1
    assert from_desc(desc, "file").global_block().ops[0].attrs["dtype"] is dt.int64
    filled = again(one_op("fill_any_like", {"value": 1.0, "dtype": None}))
    assert filled.global_block().ops[0].attrs["dtype"] is None


@pytest.mark.parametrize("dtype", [d for d in dt.DTYPES if d.name != "bfloat16"])
def test_constants_of_every_dtype(dtype):
    array = np.array([[0, 1, 1]], dtype.dtype)
    back = again(one_op("assign_value", {"shape": [1, 3], "dtype": dtype, "values": array}))
    attrs = back.global_block().ops[0].attrs
    assert attrs["values"].dtype == array.dtype
    np.testing.assert_array_equal(attrs["values"], array)
    assert attrs["dtype"] is dtype


def test_a_bfloat16_constant():
    pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2.0], dt.bfloat16.dtype)
    back = again(one_op("assign_value", {"shape": [2], "dtype": dt.bfloat16, "values": array}))
    assert back.global_block().ops[0].attrs["values"].dtype == array.dtype
    assert back.global_block().ops[0].attrs["values"].tolist() == [1.5, -2.0]


def test_constants_of_extreme_values():
    for dtype, values in ((dt.float64, [0.1, np.inf, -np.inf]), (dt.int64, [-(1 << 63), (1 << 63) - 1]),
                          (dt.float32, [np.float32(0.1), 3e38]), (dt.bool_, []), (dt.int32, [])):
        array = np.array(values, dtype.dtype)
        back = again(one_op("assign_value", {"shape": list(array.shape), "dtype": dtype, "values": array}))
        np.testing.assert_array_equal(back.global_block().ops[0].attrs["values"], array)


def test_a_constant_is_written_as_paddle_does():
    attrs = attrs_of(one_op("assign_value", {"shape": [2], "dtype": dt.bool_, "values": np.array([True, False])}))
    assert (attrs["bool_values"].type, list(attrs["bool_values"].ints)) == (pb.INTS, [1, 0])
    assert {name: at.type_name(attr.type) for name, attr in attrs.items()} == {
        "shape": "INTS", "dtype": "INT", "bool_values": "INTS", "int32_values": "INTS", "int64_values": "LONGS",
        "fp32_values": "FLOATS", "fp64_values": "FLOAT64S"}


@pytest.mark.parametrize("attrs, match", [
    ({"shape": [3], "dtype": 5, "fp32_values": [1.0]}, "does not have 1 values"),
    ({"shape": [-1], "dtype": 5, "fp32_values": [1.0]}, "does not have"),
    ({"dtype": 5, "fp32_values": [1.0]}, "shape and dtype"),
    ({"shape": [1], "dtype": 5, "fp32_values": "x"}, "list"),
    ({"shape": [1], "dtype": 99, "fp32_values": [1.0]}, "99"),
])
def test_damaged_constants(attrs, match):
    desc = pb.ProgramDesc(blocks=[pb.BlockDesc(idx=0, parent_idx=-1)])
    op = desc.blocks[0].ops.add(type="assign_value")
    for name, value in attrs.items():
        at.python_to_attr(op.attrs.add(), name, value)
    with pytest.raises(CorruptFileError, match=f"bad: block 0, operator 0 .assign_value.*{match}"):
        from_desc(desc, "bad")


def _every_attribute():
    """An operator with an attribute of every annotation."""
    from proa.ops.core.operator import Double, Ints, Long, Longs

    def kernel(xp, x, *, a: int = 1, b: float = 1.0, c: bool = False, d: str = "", e: Ints = (), f: Longs = (),
               g: Long = 0, h: Double = 0.0, i: list[float] = (), j: list[str] = (), k: dt.DType = None,
               m: dt.DType | None = None, n: list[bool] = ()):
        return x

    return kernel


@pytest.fixture
def declared(monkeypatch):
    from proa.ops.core import operator as module

    monkeypatch.setattr(module, "_registry", dict(module._registry))
    return operator("codec_test", "X -> Out", kernel=_every_attribute(), infer=lambda x, **_: x)


def test_annotations_tell_the_types(declared):
    values = {"a": 3, "b": 2, "c": True, "d": "x", "e": (1, 2), "f": [1], "g": 2, "h": 0.1, "i": [1], "j": ["y"],
              "k": dt.float16, "m": None, "n": []}
    attrs = attrs_of(one_op("codec_test", values))
    assert {name: at.type_name(attr.type) for name, attr in attrs.items()} == {
        "a": "INT", "b": "FLOAT", "c": "BOOLEAN", "d": "STRING", "e": "INTS", "f": "LONGS", "g": "LONG", "h": "FLOAT64",
        "i": "FLOATS", "j": "STRINGS", "k": "INT", "m": "INT", "n": "BOOLEANS"}
    assert (attrs["k"].i, attrs["m"].i) == (4, -1)
    back = again(one_op("codec_test", values)).global_block().ops[0].attrs
    assert back == {**values, "e": [1, 2], "b": 2.0, "i": [1.0]}
    assert {name: type(v) for name, v in back.items() if name in "abefg"} == {
        "a": int, "b": float, "e": list, "f": list, "g": int}
    assert back["k"] is dt.float16


def test_types_of_older_files_are_taken(declared):
    desc = to_desc(one_op("codec_test", {}))
    op = desc.blocks[0].ops[0]
    at.python_to_attr(op.attrs.add(), "f", [1, 2], at.INTS)
    at.python_to_attr(op.attrs.add(), "b", 3, at.INT)
    at.python_to_attr(op.attrs.add(), "c", 1, at.INT)
    attrs = from_desc(desc, "old").global_block().ops[0].attrs
    assert attrs == {"f": [1, 2], "b": 3.0, "c": True}
    at.python_to_attr(op.attrs.add(), "a", "text", at.STRING)
    with pytest.raises(CorruptFileError, match=r"old: block 0, operator 0 \(codec_test\), attribute 'a'.*INT.*STRING"):
        from_desc(desc, "old")


def test_unknown_operators_and_attributes_survive():
    desc = pb.ProgramDesc(blocks=[pb.BlockDesc(idx=0, parent_idx=-1), pb.BlockDesc(idx=1, parent_idx=0)])
    op = desc.blocks[0].ops.add(type="nobody_knows", inputs=[pb.OpDesc.Var(parameter="Q", arguments=["a", "b"]),
                                                             pb.OpDesc.Var(parameter="R")])
    values = {at.LONG: 1, at.FLOAT64: 0.1, at.BLOCK: 1, at.VAR: "a", at.INTS: [], at.LONGS: [], at.FLOATS: [],
              at.FLOAT64S: [1.0], at.STRINGS: [], at.BOOLEANS: [], at.BLOCKS: [1], at.VARS: ["a"], at.SCALAR: 1 + 2j,
              at.SCALARS: [True, 3, 0.5], at.INT: 5, at.FLOAT: 0.5, at.STRING: "s", at.BOOLEAN: False}
    for file_type, value in values.items():
        at.python_to_attr(op.attrs.add(), f"attr{file_type}", value, file_type)
    program = from_desc(desc, "x")
    for candidate in (program, again(program), copy.deepcopy(program)):
        found = to_desc(candidate).blocks[0].ops[0]
        assert found == op
    assert program.global_block().ops[0].attrs[f"attr{at.LONGS}"] == []


def test_attributes_that_files_cannot_hold():
    program = Program()
    program.global_block().append("py_func", {}, {}, {"function": print}, "model.py:12")
    with pytest.raises(TypeError, match=r"py_func, appended at model.py:12: .*'function' cannot be written"):
        to_desc(program)


def test_an_absent_attribute_is_not_written():
    assert list(attrs_of(one_op("nobody_knows", {"a": None, "b": 1}))) == ["b"]


@pytest.mark.parametrize("kind", sorted(types_in_files.KINDS))
def test_kinds_of_variables(kind):
    program = Program()
    typed = kind in ("tensor", "array", "selected_rows", "sparse_coo", "sparse_csr")
    program.global_block().create_var("v", (-1, 3) if typed else (), "float32" if typed else None, kind=kind,
                                      persistable=True, stop_gradient=False, lod_level=1 if kind == "tensor" else 0)
    program.global_block().create_var("bare", kind=kind)
    block = again(program).global_block()
    new, old = block.var("v"), program.global_block().var("v")
    assert (new.kind, new.shape, new._dtype, new.persistable, new.stop_gradient, new.lod_level) == (
        kind, old.shape, old._dtype, True, False, old.lod_level)
    assert block.var("bare")._dtype is None


def test_an_element_type_that_is_not_supported():
    desc = pb.ProgramDesc(blocks=[pb.BlockDesc(idx=0, parent_idx=-1)])
    var = desc.blocks[0].vars.add(name="v")
    var.type.type = pb.VarType.LOD_TENSOR
    var.type.lod_tensor.tensor.data_type = pb.VarType.SIZE_T
    with pytest.raises(CorruptFileError, match="a.pdmodel: block 0, variable 'v'"):
        from_desc(desc, "a.pdmodel")


def test_fuzz():
    def read(data):
        return to_desc(from_desc(read_program_desc(data, "fuzz"), "fuzz"))

    for damage in damaged(TRAINING, 400, 5):
        value_or_refusal(read, damage)


def test_slots_are_plain():
    assert Slot("X").name == "X"  # what a message's parameter names
    assert load("net").global_block().ops[0].inputs == {"X": ["feed"]}


@pytest.fixture
def built():
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [None, 3], "float32")
        constant = paddle.to_tensor(np.array([0.5, 1.5, 2.5], "float32"))
        y = paddle.reshape((x + constant) * 2.0, [-1, 3, 1])
        y = paddle.sum(paddle.cast(y, "float64"), axis=1)
    return main, y


def test_a_program_built_here(built):
    main, y = built
    back = again(main)
    assert [op.type for op in back.global_block().ops] == [op.type for op in main.global_block().ops]
    assert {v.name: v.spec for v in back.list_vars()} == {v.name: v.spec for v in main.list_vars()}
    executor = paddle.static.Executor()
    feed = {"x": np.ones((2, 3), "float32")}
    for program in (main, back):
        np.testing.assert_allclose(executor.run(program, feed=feed, fetch_list=[y.name])[0], [[15.0], [15.0]])


@needs_oracle
def test_paddle_runs_ours(built, tmp_path):
    main, y = built
    path = tmp_path / "ours.pdmodel"
    path.write_bytes(serialize_program_desc(to_desc(main)))
    code = """
import sys, numpy as np, paddle
paddle.enable_static()
with open(sys.argv[1], "rb") as file:
    program = paddle.static.deserialize_program(file.read())
feed = {"x": np.ones((2, 3), "float32")}
print(paddle.static.Executor().run(program, feed=feed, fetch_list=[sys.argv[2]])[0].tolist())
"""
    assert ask_oracle(code, path, y.name).splitlines()[-1] == "[[15.0], [15.0]]"
