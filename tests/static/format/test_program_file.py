"""`.pdmodel` bytes, `.pdiparams.info`, and the generated messages."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from format_helpers import FIXTURES, ask_oracle, damaged, needs_oracle, value_or_refusal
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError, dump_state
from proa.ops.core import native
from proa.ops.core.hints import HINTS
from proa.ops.core.operator import all_operators
from proa.static.files.model_program import UNASKED
from proa.static.format import framework_pb2 as pb
from proa.static.format import plain_messages
from proa.static.format.older_operators import bring_up_to_date
from proa.static.format.params_info import dump_params_info, read_params_info
from proa.static.format.program_file import read_program_desc, serialize_program_desc
from proa.static.format.versions import OP_VERSIONS, stamp
from proa.static.format.wire import find_damage

compiled = pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")
NET = (FIXTURES / "net.pdmodel").read_bytes()
TRAINING = (FIXTURES / "training.pdmodel").read_bytes()


@pytest.mark.parametrize("name, blocks", [("net", 2), ("training", 5)])
def test_paddle_wrote(name, blocks):
    path = FIXTURES / f"{name}.pdmodel"
    desc = read_program_desc(path)
    assert len(desc.blocks) == blocks
    assert serialize_program_desc(desc) == path.read_bytes()


def test_versions_are_those_that_paddle_writes():
    ours, theirs = pb.ProgramDesc(), pb.ProgramDesc.FromString(NET)
    stamp(ours)
    assert ours.version == theirs.version
    listed = {p.op_name: p.op_version.version for p in theirs.op_version_map.pair}
    listed.pop("for_pybind_test__")
    assert listed == OP_VERSIONS == {p.op_name: p.op_version.version for p in ours.op_version_map.pair}


def test_truncation_at_every_byte():
    small = pb.ProgramDesc()
    small.blocks.add(idx=0, parent_idx=-1)
    block = small.blocks[0]
    block.vars.add(name="x").type.type = pb.VarType.RAW
    block.ops.add(type="scale").attrs.add(name="scale", type=pb.FLOAT, f=2.0)
    data = small.SerializeToString()
    for size in range(len(data)):
        with pytest.raises(CorruptFileError, match="cut.pdmodel: "):
            read_program_desc(data[:size], "cut.pdmodel")
    for size in range(0, len(NET), 7):
        value_or_refusal(read_program_desc, NET[:size])


def test_the_place_is_named():
    with pytest.raises(CorruptFileError) as caught:
        read_program_desc(NET[:-5], "net.pdmodel")
    assert caught.value.place.startswith("byte ")
    assert "op_version_map" in caught.value.place
    with pytest.raises(CorruptFileError, match="no blocks"):
        read_program_desc(b"")
    with pytest.raises(CorruptFileError, match="byte 3.*no .pdmodel file"):
        read_program_desc(b"\x80\x04}.")


def test_text_that_is_no_text():
    at = NET.index(b"linear_1.w_0")
    with pytest.raises(CorruptFileError, match=f"byte {at}.*name.*not UTF-8"):
        read_program_desc(NET[:at] + b"\xff" + NET[at + 1:])


def _change(change):
    desc = pb.ProgramDesc.FromString(TRAINING)
    change(desc)
    return desc.SerializePartialToString()


def _sub_block(desc, value):
    for op in desc.blocks[0].ops:
        for attr in op.attrs:
            if attr.type == pb.BLOCK:
                attr.block_idx = value
                return


def _inner_loop(desc):
    desc.blocks[1].ops.add(type="while").attrs.add(name="sub_block", type=pb.BLOCK, block_idx=1)


def _long_loop(desc):
    desc.blocks[1].ops.add(type="while").attrs.add(name="a", type=pb.BLOCKS, blocks_idx=[3, 2])
    desc.blocks[2].ops.add(type="while").attrs.add(name="sub_block", type=pb.BLOCK, block_idx=1)


def _parents(desc):
    desc.blocks[1].parent_idx = 2
    desc.blocks[2].parent_idx = 1


def _tensor(desc):
    return desc.blocks[0].vars[0].type.lod_tensor.tensor


@pytest.mark.parametrize("change, match", [
    (lambda d: d.ClearField("blocks"), "no blocks"),
    (lambda d: setattr(d.blocks[1], "idx", 7), "block 1, idx"),
    (lambda d: setattr(d.blocks[1], "parent_idx", 9), "block 1, parent_idx"),
    (lambda d: setattr(d.blocks[1], "parent_idx", -1), "block 1, parent_idx"),
    (lambda d: setattr(d.blocks[0], "parent_idx", 1), "block 0, parent_idx"),
    (_parents, "circle"),
    (lambda d: setattr(d.blocks[3], "forward_block_idx", 77), "forward_block_idx"),
    (lambda d: _sub_block(d, 99), "'sub_block'.*99"),
    (lambda d: _sub_block(d, 0), "'sub_block'.*0 is not"),
    (_inner_loop, "runs block 1"),
    (_long_loop, "in turn"),
    (lambda d: d.blocks[0].ClearField("idx"), r"blocks\[0\].idx"),
    (lambda d: _tensor(d).ClearField("data_type"), r"data_type.*missing"),
    (lambda d: setattr(_tensor(d), "data_type", pb.VarType.LOD_TENSOR), "data_type.*not the number of an element"),
    (lambda d: (_tensor(d).dims.append(-3), setattr(d.blocks[0].vars[0], "persistable", True)), "dims.*cannot be"),
    (lambda d: _tensor(d).dims.extend([1] * 40), "dims.*cannot be"),
])
def test_damage_that_can_be_parsed(change, match):
    with pytest.raises(CorruptFileError, match=f"(?s)bad.pdmodel: .*{match}"):
        read_program_desc(_change(change), "bad.pdmodel")


def test_a_size_multiplied_with_that_of_the_batch_is_unknown():
    def change(desc):
        desc.blocks[0].vars[0].persistable = False
        _tensor(desc).dims[:] = [-8, 3, -1]

    read = read_program_desc(_change(change), "1.x.pdmodel")
    assert list(_tensor(read).dims) == [-1, 3, -1]


def test_an_element_type_that_nobody_knows():
    desc = pb.ProgramDesc(blocks=[pb.BlockDesc(idx=0, parent_idx=-1)])
    var = desc.blocks[0].vars.add(name="x")
    var.type.type = pb.VarType.LOD_TENSOR
    var.type.lod_tensor.tensor.data_type = pb.VarType.FP32
    data = desc.SerializeToString().replace(b"\x08\x05", b"\x08\x7f")
    with pytest.raises(CorruptFileError, match="data_type.*not known"):
        read_program_desc(data)


def test_fuzz():
    for copy in damaged(NET, 300, 2):
        value_or_refusal(read_program_desc, copy)
    for copy in damaged(TRAINING, 200, 3):
        value_or_refusal(read_program_desc, copy)


def test_an_unfinished_message_is_not_written():
    desc = pb.ProgramDesc()
    desc.blocks.add(idx=0)
    with pytest.raises(ValueError, match="cannot be written"):
        serialize_program_desc(desc)


@pytest.mark.parametrize("data, match", [
    (b"\x0a\xff\xff\xff\xff\x7f", "should follow"), (b"\x0a", "within a number"), (b"\x0f", "no field starts"),
    (b"\xff" * 11, "more than 10"), (b"\x0a\x02\x0d\x00", "should follow")])
def test_find_damage(data, match):
    damage = find_damage(data, pb.ProgramDesc.DESCRIPTOR)
    assert match in damage.reason
    assert find_damage(NET, pb.ProgramDesc.DESCRIPTOR) is None


def test_params_info():
    info = read_params_info(FIXTURES / "net.pdiparams.info")
    assert info["linear_1.b_0"] == {"structured_name": "linear.bias", "stop_gradient": True, "trainable": False}
    assert len(info) == 7
    data = dump_params_info(info)
    assert data[:2] == b"\x80\x02"
    assert read_params_info(data) == info
    for size in range(len(data)):
        with pytest.raises(CorruptFileError):
            read_params_info(data[:size], "cut.info")


@pytest.mark.parametrize("value", [[1], {1: {}}, {"w": 3}, {"w": {"structured_name": 3}}, {"w": {"trainable": "yes"}}])
def test_params_info_of_another_form(value, tmp_path):
    dump_state(value, tmp_path / "bad.info", protocol=2)
    with pytest.raises(CorruptFileError, match="bad.info"):
        read_params_info(tmp_path / "bad.info")


def test_params_info_asks_for_code():
    with pytest.raises(UnsafePickleError, match="system"):
        read_params_info(b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00echo\x85R.")


@needs_oracle
def test_the_messages_are_those_of_paddle():
    """Same fields, numbers, types and labels."""
    code = """
from paddle.base.proto import framework_pb2 as theirs
from google.protobuf import descriptor_pb2
proto = descriptor_pb2.FileDescriptorProto()
theirs.DESCRIPTOR.CopyToProto(proto)
print(proto.SerializeToString().hex())
"""
    from google.protobuf import descriptor_pb2

    theirs = descriptor_pb2.FileDescriptorProto.FromString(bytes.fromhex(ask_oracle(code)))
    ours = descriptor_pb2.FileDescriptorProto()
    pb.DESCRIPTOR.CopyToProto(ours)
    assert _facts(ours.message_type, "proa.framework") == _facts(theirs.message_type, theirs.package)
    assert _enums(ours.enum_type) == _enums(theirs.enum_type)


def _facts(messages, package):
    def fields(message):
        return sorted((f.name, f.number, f.type, f.label, f.type_name.replace(f".{package}.", ""), f.default_value)
                      for f in message.field)

    return {m.name: (fields(m), _facts(m.nested_type, package), _enums(m.enum_type)) for m in messages}


def _enums(enums):
    return {e.name: sorted((v.name, v.number) for v in e.value) for e in enums}


@needs_oracle
def test_paddle_opens_ours(tmp_path):
    path = tmp_path / "ours.pdmodel"
    path.write_bytes(serialize_program_desc(read_program_desc(FIXTURES / "net.pdmodel")))
    info = tmp_path / "ours.pdiparams.info"
    info.write_bytes(dump_params_info(read_params_info(FIXTURES / "net.pdiparams.info")))
    (tmp_path / "ours.pdiparams").write_bytes((FIXTURES / "net.pdiparams").read_bytes())
    code = "import sys, paddle\nnet = paddle.jit.load(sys.argv[1])\nprint(net(paddle.ones([1, 2])).shape)"
    printed = ask_oracle(code, tmp_path / "ours")
    assert printed == "[1, 3]\n"


def as_protobuf_has_it(plain, message):
    """Whether a plain message has what protobuf's has, field by field."""
    for field in message.DESCRIPTOR.fields:
        if isinstance(getattr(plain, field.name), list):
            pairs = list(zip(getattr(plain, field.name), getattr(message, field.name), strict=True))
        elif plain.HasField(field.name) != message.HasField(field.name):
            return False
        else:
            pairs = [(getattr(plain, field.name), getattr(message, field.name))]
        for one, other in pairs:
            if not (as_protobuf_has_it(one, other) if field.message_type else one == other or one != one != other):
                return False
    return True


@compiled
@pytest.mark.parametrize("name", ["net", "training"])
def test_a_plain_message_is_protobufs(name):
    data = (FIXTURES / f"{name}.pdmodel").read_bytes()
    assert as_protobuf_has_it(plain_messages.read(data), pb.ProgramDesc.FromString(data))


@compiled
def test_every_kind_of_field_is_read_plainly():
    desc = pb.ProgramDesc()
    block = desc.blocks.add(idx=0, parent_idx=-1)
    attr = block.ops.add(type="scale", is_target=True).attrs.add(
        name="ü", type=pb.SCALARS, i=-2**31, f=0.1, s="text", ints=[-1, 2**31 - 1], floats=[0.5, float("nan")],
        strings=["a", ""], b=True, bools=[True, False], block_idx=3, l=-2**63, blocks_idx=[1], longs=[2**63 - 1],
        float64s=[0.1], var_name="x", vars_name=["y"], float64=0.1)
    attr.scalar.type, attr.scalar.c.r, attr.scalar.c.i = pb.Scalar.COMPLEX128, 1.0, -1.0
    attr.scalars.add(type=pb.Scalar.LONG, i=7)
    var = block.vars.add(name="x", persistable=True, need_check_feed=True, is_parameter=True, stop_gradient=True)
    var.type.type = pb.VarType.LOD_TENSOR
    var.type.lod_tensor.tensor.data_type, var.type.lod_tensor.lod_level = pb.VarType.FP32, 2
    var.type.lod_tensor.tensor.dims.extend([-1, 3])
    var.type.tuple.element_type.append(pb.VarType.RAW)
    var.attrs.add(name="a", type=pb.INT, i=1, ints=[2])
    stamp(desc)
    data = desc.SerializeToString()
    assert as_protobuf_has_it(plain_messages.read(data), desc)
    packed = bytes([0x32, 2, 5, 6])  # ints of an attribute as one field
    assert as_protobuf_has_it(plain_messages.read(with_field(packed)), pb.ProgramDesc.FromString(with_field(packed)))
    unknown = bytes([0xF8, 1, 5])  # field 31
    assert as_protobuf_has_it(plain_messages.read(with_field(unknown)), pb.ProgramDesc.FromString(with_field(unknown)))
    another_wire, group, no_type, no_text = b"\x0d\x00\x00\x00\x00", b"\x13", b"\x10\x63", b"\x2a\x01\xff"
    for odd in (another_wire, group, no_type, no_text, b"\x32\x01\x80", b"\xa2\x01\x02\x08\x63"):
        assert plain_messages.read(with_field(odd)) is None


def with_field(field):
    """The bytes of a Program with an attribute that has this field, too."""
    content = b"\x0a\x01a\x10\x03" + field
    for start in (b"\x1a\x05scale\x22", b"\x08\x00\x10\x00\x22", b"\x0a"):
        content = start + bytes([len(content)]) + content
    return content


@compiled
def test_plain_messages_take_nothing_that_protobuf_refuses():
    for data in damaged(NET, 400, 5):
        plain = plain_messages.read(data)
        if plain is not None:
            assert as_protobuf_has_it(plain, pb.ProgramDesc.FromString(data))


@compiled
def test_attributes_that_nobody_asks_for_are_left_out():
    desc = pb.ProgramDesc.FromString(NET)
    for op in desc.blocks[0].ops:
        op.attrs.add(name="op_callstack", type=pb.STRINGS, strings=["a line"])
        op.attrs.add(name="use_cudnn", type=pb.BOOLEAN, b=True)
    plain = plain_messages.read(desc.SerializeToString(), frozenset(("op_callstack", "use_cudnn")))
    assert as_protobuf_has_it(plain, pb.ProgramDesc.FromString(NET))


def test_what_is_left_out_for_a_run_no_operator_has():
    assert UNASKED <= HINTS
    assert not [op.type for op in all_operators() if not UNASKED.isdisjoint(op.attributes)]


@compiled
def test_older_operators_are_brought_up_to_date_in_plain_messages():
    desc = pb.ProgramDesc()
    block = desc.blocks.add(idx=0, parent_idx=-1)
    op = block.ops.add(type="allclose")
    op.attrs.add(name="rtol", type=pb.FLOAT, f=0.1)
    block.ops.add(type="reduce_sum")
    plain = plain_messages.read(desc.SerializeToString())
    for each in (plain, desc):
        bring_up_to_date(each, "older.pdmodel")
    assert as_protobuf_has_it(plain, desc)
