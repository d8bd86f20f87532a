"""`functools.lru_cache` around what converted code calls: its cache is eager code's too, and outlives a Program."""

import functools

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.static import InputSpec


@functools.cache
def mask(size):
    return paddle.tril(paddle.ones([size, size])) * 2


@functools.lru_cache
def settings():
    return {"scale": 3.0}


@functools.lru_cache
def scaled(x):
    return x * x.shape[0] if x.sum() > 0 else x


class Masked(nn.Layer):
    @functools.lru_cache
    def places(self, size):
        return paddle.arange(size).astype("float32")

    def forward(self, x):
        return x * mask(x.shape[-1]) * settings()["scale"] + self.places(x.shape[-1])


@pytest.fixture(autouse=True)
def emptied():
    for cached in (mask, settings, scaled):
        cached.cache_clear()


@pytest.mark.parametrize("full_graph", [True, False])
def test_what_was_kept_serves_all_programs_and_eager_code(full_graph):
    net, eager = paddle.jit.to_static(Masked(), full_graph=full_graph), Masked()
    for shape in ([2, 2], [1, 2], [3, 3], [2, 2], [1, 2]):
        x = paddle.ones(shape)
        np.testing.assert_array_equal(net(x), eager(x))
    assert mask.cache_info().misses == 2
    assert settings() is settings()


def test_saved_with_a_size_that_only_a_run_knows(tmp_path):
    net = Masked()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[InputSpec([None, None])])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    for size in (2, 3):
        x = paddle.ones([size, size])
        np.testing.assert_array_equal(loaded(x), net(x))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_of_a_tensor_nothing_is_kept(sign):
    converted = paddle.jit.to_static(lambda x: scaled(x), input_spec=[InputSpec([None])], full_graph=True)
    for size in (2, 3):
        x = paddle.full([size], sign)
        assert converted(x).tolist() == scaled.__wrapped__(x).tolist()
    assert scaled.cache_info().currsize == 0
