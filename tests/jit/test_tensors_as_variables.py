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
