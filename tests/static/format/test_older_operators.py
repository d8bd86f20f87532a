"""Operators of older and later files: a Program of PaddlePaddle 1.8.5 with what it answers, and what is refused."""

from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.static.format import framework_pb2 as pb
from proa.static.format.attributes import python_to_attr
from proa.static.format.older_operators import ABSENT, CHANGES, FUSED_FORMS, LATER, bring_up_to_date
from proa.static.format.versions import OP_VERSIONS

FIXTURES = Path(__file__).parents[2] / "fixtures/static"


def test_a_program_of_operators_that_have_changed_gives_what_1_8_gives():
    with np.load(FIXTURES / "older.npz") as arrays:
        found = dict(arrays)
    executor = static.Executor()
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(
            str(FIXTURES / "older"), executor, model_filename="__model__")
        results = executor.run(program, feed={name: found[name] for name in feeds}, fetch_list=fetches)
    assert len(results) == len(found) - 2 == 30
    for n, here in enumerate(results):
        there = found[f"out{n}"]
        assert (here.shape, here.dtype) == (there.shape, there.dtype), n
        np.testing.assert_allclose(here, there, 1e-5, 1e-5, err_msg=str(n))


def message(type, version=None, inputs=(), **attributes):
    desc = pb.ProgramDesc()
    op = desc.blocks.add(idx=0, parent_idx=-1).ops.add(type=type)
    for name, value in attributes.items():
        python_to_attr(op.attrs.add(), name, value)
    for slot in inputs:
        op.inputs.add(parameter=slot, arguments=["x"])
    if version is not None:
        desc.op_version_map.pair.add(op_name=type).op_version.version = version
    return desc, op


def named(op):
    return {attr.name: attr.s or list(attr.ints) or attr.i for attr in op.attrs}


def test_what_is_of_this_version_already_stays():
    desc, op = message("flip", 1, dims=[1])
    bring_up_to_date(desc, "a")
    assert named(op) == {"dims": [1]}
    desc, op = message("flip", None, dims=[1])
    bring_up_to_date(desc, "a")
    bring_up_to_date(desc, "a")
    assert named(op) == {"axis": [1]}


def test_what_an_older_operator_does_without_an_attribute_for_it():
    """LAMB of 1.x takes moments as they are; a file of 2.x, whose operator has a version, means the corrected ones."""
    for version, wanted in ((None, {"correct_moments": False, "always_adapt": True}), (1, {})):
        desc, op = message("lamb", version)
        bring_up_to_date(desc, "a")
        assert {attr.name: attr.b for attr in op.attrs} == wanted


def test_tolerances_are_the_numbers_that_were_written_down():
    desc, op = message("allclose", 1, rtol=float(np.float32(1e-5)), atol=1e-8)
    bring_up_to_date(desc, "a")
    assert named(op) == {"rtol": "1e-05", "atol": "1e-08"}


def test_what_a_later_release_asks_for_is_refused():
    for asked in (False, True):
        desc, _ = message("kldiv_loss", 1, log_target=asked, reduction="sum")
        if asked:
            with pytest.raises(NotImplementedError, match="a.pdmodel: the operator kldiv_loss .*'log_target': True"):
                bring_up_to_date(desc, "a.pdmodel")
        else:
            bring_up_to_date(desc, "a.pdmodel")


@pytest.mark.parametrize("type, inputs, attributes, form", [
    ("conv2d", ["Input", "Bias"], {}, "conv2d_fusion"), ("conv2d", [], {"fuse_activation": "relu"}, "conv2d_fusion"),
    ("depthwise_conv2d", [], {"fuse_residual_connection": True}, "conv2d_fusion"),
    ("matmul", ["X"], {"fused_reshape_X": [1], "alpha": 2.0, "transpose_X": True}, "fused_matmul"),
    ("fused_conv2d", ["Input"], {}, "conv2d_fusion"), ("batch_norm", [], {"fuse_with_relu": True}, "fused_batch_norm")])
def test_what_an_engine_has_fused_is_called_what_it_is_taken_apart_as(type, inputs, attributes, form):
    desc, op = message(type, inputs=inputs, **attributes)
    bring_up_to_date(desc, "a")
    assert op.type == form
    if form == "fused_matmul":
        assert {"trans_x", "matmul_alpha", "fused_reshape_X"} == {attr.name for attr in op.attrs}


@pytest.mark.parametrize("type, attributes, said", [
    ("pool2d", {"fuse_activation": "relu"}, "fuse_activation"),
    ("softmax", {"fused_reshape_X": [1]}, "fused_reshape_X"),
    ("conv2d", {"fused_transpose_X": [1]}, "fused_transpose_X")])
def test_what_nobody_can_take_apart_is_refused(type, attributes, said):
    desc, _ = message(type, **attributes)
    with pytest.raises(NotImplementedError, match=rf"a: the operator {type}\w* has been fused .*\({said}\)"):
        bring_up_to_date(desc, "a")
    desc, op = message("conv2d", inputs=["Input"], fuse_activation="", fuse_relu=False)
    bring_up_to_date(desc, "a")
    assert op.type == "conv2d"


def test_changes_name_operators_that_there_are():
    declared = {op.type for op in paddle.ops.core.operator.all_operators()}
    assert {*ABSENT, *LATER, *FUSED_FORMS, *(change.operator for change in CHANGES)} <= declared
    assert all(change.version <= OP_VERSIONS[change.operator] for change in CHANGES)
    for change in CHANGES:
        attributes = paddle.ops.core.operator.find(change.operator).attributes
        assert {*change.renamed.values(), *change.texts} <= set(attributes)
        assert not set(change.renamed) & set(attributes)


def test_a_result_that_is_an_input_as_it_was_is_left_out():
    """Paddle's hsigmoid_loss names its weight as a result."""
    desc, op = message("hierarchical_sigmoid")
    for slot in ("Out", "PreOut", "W_Out"):
        op.outputs.add(parameter=slot, arguments=[slot])
    bring_up_to_date(desc, "a file")
    assert [each.parameter for each in op.outputs] == ["Out", "PreOut"]
