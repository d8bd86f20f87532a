"""`paddle.onnx.export` with sizes that only a run knows: the same file at several of them."""

import importlib.util

import proa as paddle
import pytest

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
pytest.importorskip("onnxruntime")

from onnx_runs import same, values

ROWS = ([None, 4], [[values(2, 4)], [values(5, 4)]])
SEQUENCES = ([None, None, 4], [[values(2, 3, 4)], [values(3, 5, 4)]])


@pytest.mark.parametrize("function", [
    lambda x: paddle.masked_fill(x, x > 0, 1.0),
    lambda x: paddle.masked_fill(x, x[:, :1] > 0, paddle.to_tensor(1.0)),
    lambda x: paddle.where(x > 0, x, 0.0),
    lambda x: paddle.expand_as(x[:1], x),
    lambda x: paddle.expand(x.unsqueeze(1), [-1, 3, -1]),
    lambda x: paddle.broadcast_to(x.sum(0, keepdim=True), [x.shape[0], 4]),
    lambda x: paddle.tile(x[:1], [x.shape[0], 1]),
    lambda x: paddle.zeros([x.shape[0], 4]) + paddle.full_like(x, 2.0) + x,
])
def test_values_expanded(function, tmp_path):
    spec, runs = ROWS
    same(function, [spec], *runs, folder=tmp_path)
