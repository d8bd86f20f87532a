"""What PaddlePaddle's readers rely on in a file, beyond what the format asks: found with the oracle."""

import nets
import numpy as np
import proa as paddle
import pytest
from proa.static.format import framework_pb2 as pb


@pytest.fixture
def operations(tmp_path):
    """The operator messages of a network's file, by the network's name."""
    def read(name):
        prefix = str(tmp_path / name)
        paddle.jit.save(nets.build(paddle, name), prefix, input_spec=nets.specs(paddle, name))
        desc = pb.ProgramDesc()
        with open(prefix + ".pdmodel", "rb") as file:
            desc.ParseFromString(file.read())
        return [op for block in desc.blocks for op in block.ops]

    return read


def test_feeds_stand_from_the_last_to_the_first(operations):
    """jit.load there binds arguments to feeds by their order in the file, reversed."""
    feeds = [op for op in operations("TensorWhile") if op.type == "feed"]
    assert [op.outputs[0].arguments[0] for op in feeds] == ["count", "x"]
    assert [attr.i for op in feeds for attr in op.attrs if attr.name == "col"] == [1, 0]


def test_absent_outputs_have_no_slot(operations):
    """Training there adds the mask of a dropout, unless its slot is there already."""
    dropout = next(op for op in operations("Words") if op.type == "dropout")
    assert [slot.parameter for slot in dropout.outputs] == ["Out"]


def test_open_dtypes_are_written(operations):
    """The gradient of a sum there reads out_dtype and has no default for it."""
    sums = [op for op in operations("TensorIf") if op.type in ("reduce_sum", "reduce_mean")]
    assert sums
    for op in sums:
        assert {attr.name: attr.i for attr in op.attrs if attr.name.endswith("dtype")} == {
            "in_dtype": -1, "out_dtype": -1}


def test_windows_larger_than_the_input():
    """A real model pools a height of 1 with windows of 2: one window, cut off, as the division there rounds to 0."""
    x = paddle.arange(1.0, 6.0).reshape([1, 1, 1, 5])
    functional = paddle.nn.functional
    assert functional.max_pool2d(x, 2, 2).tolist() == [[[[2.0, 4.0]]]]
    assert functional.avg_pool2d(x, 2, 2).tolist() == [[[[1.5, 3.5]]]]
    assert functional.avg_pool2d(x, 2, 2, exclusive=False).tolist() == [[[[1.5, 3.5]]]]
    assert [r.tolist() for r in functional.max_pool2d(x, 2, 2, return_mask=True)] == [[[[[2.0, 4.0]]]], [[[[1, 3]]]]]
    with pytest.raises(ValueError, match="no window fits"):
        functional.max_pool2d(x, 2, 1)


def test_fc_applies_any_activation():
    with nets.static_mode(paddle) as (main, startup):
        x = paddle.static.data("x", [None, 6], "float32")
        results = [paddle.static.nn.fc(x, 3, activation=name) for name in ("relu", "softmax", "tanh")]
        with pytest.raises(ValueError, match="activation"):
            paddle.static.nn.fc(x, 3, activation="reloo")
        executor = paddle.static.Executor(paddle.CPUPlace())
        executor.run(startup)
        relu, softmax, tanh = executor.run(main, feed={"x": nets.STATIC_INPUTS[1]}, fetch_list=results)
    assert relu.min() >= 0 and np.abs(tanh).max() <= 1
    np.testing.assert_allclose(softmax.sum(1), 1, rtol=1e-5)


def test_casts_have_what_their_gradient_asks_for(tmp_path):
    """Training there copies use_mkldnn from a cast to its gradient, and has no default for it."""
    prefix = str(tmp_path / "cast")
    convert = paddle.jit.to_static(lambda x: x.astype("float64") * 2, input_spec=[paddle.static.InputSpec([None, 2])])
    paddle.jit.save(convert, prefix)
    desc = pb.ProgramDesc()
    with open(prefix + ".pdmodel", "rb") as file:
        desc.ParseFromString(file.read())
    (cast,) = (op for op in desc.blocks[0].ops if op.type == "cast")
    assert [attr.b for attr in cast.attrs if attr.name == "use_mkldnn"] == [False]
    loaded = paddle.jit.load(prefix)
    assert loaded(paddle.ones([1, 2])).tolist() == [[2.0, 2.0]]
