"""Eager layers written into a Program of static mode, as PaddleSlim's `dygraph2program` does."""

import proa as paddle
import pytest
from proa import nn
from proa.base.dygraph.base import _to_static_mode_guard_, global_var
from proa.base.framework import _stride_in_no_check_dy2st_diff


def test_a_network_as_a_program():
    net = nn.Sequential(nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    main = paddle.static.Program()
    paddle.enable_static()
    with paddle.static.program_guard(main), _to_static_mode_guard_(is_to_static=True), _stride_in_no_check_dy2st_diff():
        assert global_var._in_to_static_mode_
        x = paddle.ones([1, 1, 4, 4])
        first, second = net(x), net(x)
    assert not global_var._in_to_static_mode_
    with paddle.static.program_guard(main), pytest.raises(TypeError, match="Variable"):
        net(x)
    paddle.disable_static()
    block = main.global_block()
    assert [op.type for op in block.ops[:7]] == ["fill_constant", "conv2d", "elementwise_add", "batch_norm", "relu",
                                                 "flatten_contiguous_range", "matmul_v2"]
    assert {p.name: list(p.shape) for p in main.all_parameters()} == {p.name: p.shape for p in net.parameters()}
    mean = block.var(net[1]._mean.name)
    assert mean.persistable and mean.stop_gradient and first.shape == second.shape == (1, 3)
    assert net(paddle.ones([2, 1, 4, 4])).shape == [2, 3]


class OwnBatchNorm(nn.BatchNorm2D):
    """A layer of a package that applies the operator itself."""

    def forward(self, input):
        helper = paddle.base.layer_helper.LayerHelper("own")
        out, mean, variance, reserved = (helper.create_variable_for_type_inference("float32", True) for _ in range(4))
        inputs = {"X": [input], "Mean": [self._mean], "Variance": [self._variance]}
        if self.weight:
            inputs |= {"Scale": [self.weight], "Bias": [self.bias]}
        helper.append_op(type="batch_norm", inputs=inputs, attrs={"momentum": 0.5, "fuse_with_relu": False}, outputs={
            "Y": [out], "MeanOut": [self._mean], "VarianceOut": [self._variance], "SavedMean": [mean],
            "SavedVariance": [variance], "ReserveSpace": [reserved]})
        return out


def test_an_operator_that_a_layer_applies_to_its_tensors():
    layer, main = OwnBatchNorm(2), paddle.static.Program()
    paddle.enable_static()
    with paddle.static.program_guard(main), _to_static_mode_guard_():
        layer(paddle.static.data("x", [3, 2, 4, 4]))
    paddle.disable_static()
    op = next(op for op in main.global_block().ops if op.type == "batch_norm")
    assert op.input("Scale") == [layer.weight.name] and op.output("MeanOut") == op.input("Mean") == [layer._mean.name]


def test_in_eager_mode_and_switched_off_it_changes_nothing():
    layer = nn.Linear(2, 2)
    with _to_static_mode_guard_():
        assert layer(paddle.ones([1, 2])).numpy().shape == (1, 2)
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()), _to_static_mode_guard_(False):
        x = paddle.static.data("x", [1, 2])
        with pytest.raises(TypeError, match="Variable"):
            layer(x)
    paddle.disable_static()
