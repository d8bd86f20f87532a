"""Models whose files were changed: what does not add up is refused, naming the operator, before anything runs."""

import numpy as np
import proa as paddle
import pytest
from proa.core.files import CorruptFileError
from proa.static import InputSpec
from proa.static.format import framework_pb2 as pb


class Layer(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(4, 4)

    def forward(self, x):
        y = paddle.flatten(self.fc(x))
        rounds = paddle.zeros([1], "int64")
        while rounds < 3:
            z = y * 2.0
            y = z + 1.0
            rounds += 1
        if y.mean() > 0:
            y = y - 1.0
        return y


@pytest.fixture
def change(tmp_path):
    """Saves the model, lets a function change its message, and gives what runs it."""
    def changed(function):
        prefix = str(tmp_path / "net")
        paddle.jit.save(Layer(), prefix, input_spec=[InputSpec([3, 4], "float32", "x")])
        with open(prefix + ".pdmodel", "rb") as file:
            desc = pb.ProgramDesc.FromString(file.read())
        function(desc)
        with open(prefix + ".pdmodel", "wb") as file:
            file.write(desc.SerializePartialToString())
        return prefix

    return changed


def translated(prefix):
    return paddle.jit.load(prefix)(paddle.ones([3, 4]))


def trained(prefix):
    layer = paddle.jit.load(prefix)
    layer.train()
    layer(paddle.ones([3, 4])).sum().backward()


def predicted(prefix):
    config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    return paddle.inference.create_predictor(config).run([np.ones([3, 4], "float32")])


def executed(prefix):
    exe = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(prefix, exe)
        return exe.run(program, {"x": np.ones([3, 4], "float32")}, fetches)


ways = pytest.mark.parametrize("way", [translated, trained, predicted, executed])


def op_of(desc, kind, block=None):
    return next(op for n, each in enumerate(desc.blocks) for op in each.ops
                if op.type == kind and (block is None or n == block))


def attr_of(op, name):
    return next(attr for attr in op.attrs if attr.name == name)


@ways
def test_as_it_was_saved(change, way):
    way(change(lambda desc: None))


@ways
def test_a_loop_without_a_block(change, way):
    def without(desc):
        op = op_of(desc, "while")
        del op.attrs[[attr.name for attr in op.attrs].index("sub_block")]

    with pytest.raises(CorruptFileError, match="while.*it has no block to run"):
        way(change(without))


@ways
def test_a_block_that_is_another_kind_of_number(change, way):
    """Nobody has checked whether such a block runs itself."""
    def another(desc):
        attr = attr_of(op_of(desc, "while"), "sub_block")
        attr.type, attr.l = pb.LONG, 0
        attr.ClearField("block_idx")

    with pytest.raises(CorruptFileError, match="while.*its sub_block is not the number of a block"):
        way(change(another))


@ways
def test_an_operator_that_lacks_a_slot_and_has_one_that_nobody_knows(change, way):
    def renamed(desc):
        op_of(desc, "matmul_v2").inputs[-1].parameter = "Z"

    with pytest.raises(CorruptFileError, match="matmul_v2.*it needs one value as [XY], and has 0"):
        way(change(renamed))


@ways
def test_shapes_that_do_not_fit(change, way):
    def cast_away(desc):
        slot = op_of(desc, "matmul_v2").inputs
        slot[0].arguments[0], slot[1].arguments[0] = slot[1].arguments[0], slot[0].arguments[0]

    with pytest.raises(ValueError, match=r"(?s)The operator matmul_v2 does not take.*Received.*\(block 0\)"):
        way(change(cast_away))


@ways
def test_a_dtype_that_nothing_says(change, way):
    def without(desc):
        attr_of(op_of(desc, "fill_constant"), "dtype").i = -1

    with pytest.raises(ValueError, match="The operator fill_constant does not take .* which dtype the result has"):
        way(change(without))


@ways
def test_a_value_of_a_loop_that_is_read_before_it_is_made(change, way):
    def turned(desc):
        block = next(block for block in desc.blocks[1:] if any(op.type == "scale" for op in block.ops))
        first, other = [op for op in block.ops if op.type == "scale"][:2]
        first_copy = pb.OpDesc.FromString(first.SerializePartialToString())
        first.CopyFrom(other)
        other.CopyFrom(first_copy)

    with pytest.raises(ValueError, match="The operator scale reads .* before it is made, in the block 1 of a while"):
        way(change(turned))


@ways
def test_a_result_in_a_slot_of_files_alone(change, way):
    def swapped(desc):
        op = op_of(desc, "flatten_contiguous_range")
        op.outputs[0].parameter, op.outputs[-1].parameter = op.outputs[-1].parameter, op.outputs[0].parameter

    with pytest.raises(ValueError, match="flatten_contiguous_range has no result XShape"):
        way(change(swapped))


@ways
def test_a_parameter_that_is_a_result_of_files_alone(change, way):
    def written(desc):
        op = op_of(desc, "flatten_contiguous_range")
        parameter = next(var.name for var in desc.blocks[0].vars if "linear" in var.name and var.persistable)
        next(slot for slot in op.outputs if slot.parameter == "XShape").arguments[:] = [parameter]

    with pytest.raises(ValueError, match="XShape of flatten_contiguous_range, which stands in files"):
        way(change(written))


@pytest.mark.parametrize("way", [translated, predicted, executed])
def test_an_operator_without_a_result_in_a_loop(change, way):
    """In training its block is written anew, without it."""
    def without(desc):
        del next(op for op in desc.blocks[1].ops if op.type == "assign").outputs[:]

    with pytest.raises(ValueError, match="The operator assign has no result"):
        way(change(without))


@ways
def test_a_tensor_in_the_place_of_a_loop_s_rounds(change, way):
    def mixed(desc):
        scopes = next(slot for slot in op_of(desc, "while").outputs if slot.parameter == "StepScopes").arguments[0]
        next(op for op in desc.blocks[1].ops if op.type == "assign").outputs[0].arguments[0] = scopes

    with pytest.raises(ValueError, match="The operator assign writes to .*, which holds the rounds of a loop"):
        way(change(mixed))


def test_a_branch_that_says_nothing_of_what_it_writes(change):
    """What a branch writes and its operator does not name is there, whether it was taken or not."""
    def silent(desc):
        for op in desc.blocks[0].ops:
            if op.type == "conditional_block":
                del next(slot for slot in op.outputs if slot.parameter == "Out").arguments[:]

    for way in (translated, predicted, executed):
        way(change(silent))


def test_a_branch_of_which_nothing_is_left(change):
    def emptied(desc):
        for op in desc.blocks[0].ops:
            if op.type == "conditional_block":
                del desc.blocks[attr_of(op, "sub_block").block_idx].ops[:]

    for way in (translated, predicted, executed):
        with pytest.raises((ValueError, RuntimeError, KeyError)):
            way(change(emptied))


@pytest.mark.parametrize("axis", [-2, -(2**31)])
def test_an_axis_far_below(axis):
    """It was a shape of as many dimensions, which nobody lived to see."""
    from proa.ops.core.operator import find
    from proa.ops.core.spec import Spec

    operator = find("greater_than")
    with pytest.raises(ValueError, match=f"greater_than.x, y, axis.: .* Received {axis}"):
        operator.infer_specs((Spec((2, 3), paddle.float32), Spec((2,), paddle.float32)), {"axis": axis})
    with pytest.raises(ValueError, match="axis"):
        operator.kernel_for(np)(np, np.ones([2, 3], "float32"), np.ones([2], "float32"), axis=axis)


class Choice(paddle.nn.Layer):
    """A branch whose product, of what is made in it, fits until the file is changed."""

    def forward(self, x):
        if x.mean() > 0:
            y = x + paddle.matmul(paddle.ones([3, 4]), paddle.ones([4, 4]))
        else:
            y = x - 1.0
        return y


def _by_jit_load(prefix, x):
    with paddle.no_grad():
        return paddle.jit.load(prefix)(x).numpy()


def _by_predictor(prefix, x):
    config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    return paddle.inference.create_predictor(config).run([x.numpy()])[0]


@pytest.mark.parametrize("run", [_by_jit_load, _by_predictor])
def test_a_branch_that_cannot_run_is_refused_when_it_is_taken(tmp_path, run):
    prefix = str(tmp_path / "net")
    paddle.jit.save(Choice(), prefix, input_spec=[InputSpec([3, 4], "float32", "x")])
    with open(prefix + ".pdmodel", "rb") as file:
        desc = pb.ProgramDesc.FromString(file.read())
    [product] = [op for block in desc.blocks for op in block.ops if op.type.startswith("matmul")]
    product.inputs[1].arguments[0] = product.inputs[0].arguments[0]  # [3, 4] by [3, 4]
    with open(prefix + ".pdmodel", "wb") as file:
        file.write(desc.SerializePartialToString())
    np.testing.assert_array_equal(run(prefix, -paddle.ones([3, 4])), np.full([3, 4], -2.0))
    with pytest.raises(ValueError, match="operator matmul.* does not take what it is given"):
        run(prefix, paddle.ones([3, 4]))
