"""`to_static` of what is public here, itself: it is called as it is, as converted code calls it."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa.static import InputSpec


@pytest.mark.parametrize("function", [paddle.acosh, paddle.square, paddle.isnan, F.relu, paddle.sum, F.softmax])
def test_functions_of_one_tensor_are_saved(tmp_path, function):
    x = paddle.to_tensor([[1.5, 2.0, 3.0]])
    paddle.jit.save(paddle.jit.to_static(function, [InputSpec([None, 3])]), str(tmp_path / "function"))
    loaded = paddle.jit.load(str(tmp_path / "function"))
    np.testing.assert_allclose(loaded(x).numpy(), function(x).numpy(), rtol=1e-6)


def test_one_that_looks_at_sizes_has_a_program_of_open_ones(tmp_path):
    specs = [InputSpec([None, 3]), InputSpec([None, 3])]
    paddle.jit.save(paddle.jit.to_static(paddle.inner, specs, full_graph=True), str(tmp_path / "inner"))
    x, y = paddle.ones([2, 3]), paddle.full([4, 3], 2.0)
    assert paddle.jit.load(str(tmp_path / "inner"))(x, y).tolist() == [[6.0] * 4] * 2


def test_layers_of_a_container_are_still_converted():
    class Sign(paddle.nn.Layer):
        def forward(self, x):
            if x.sum() > 0:
                return x * 2.0
            return x - 1.0

    net = paddle.jit.to_static(paddle.nn.Sequential(Sign(), paddle.nn.ReLU()), full_graph=True)
    assert net(paddle.ones([2])).tolist() == [2.0, 2.0] and net(-paddle.ones([2])).tolist() == [0.0, 0.0]
