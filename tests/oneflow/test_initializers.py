"""What OneFlow's initializers draw, and what its regularizers add."""

import math

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest


def _drawn(initializer, shape=(200, 300), dtype=flow.float32):
    return initializer(shape, dtype).numpy()


def _job_drawn(name, initializer, shape, seed=None):
    @flow.global_function()
    def job() -> tp.Numpy:
        return flow.identity(flow.get_variable(name, shape, initializer=initializer, random_seed=seed))

    return job()


def test_constants():
    assert _drawn(flow.constant_initializer(2.5), (2,)).tolist() == [2.5, 2.5]
    assert _drawn(flow.constant_initializer(7, flow.int32), (1,), flow.int32).tolist() == [7]
    assert _drawn(flow.zeros_initializer(), (1,)).tolist() == [0]
    assert _drawn(flow.ones_initializer(), (1,)).tolist() == [1]
    assert _drawn(flow.empty_initializer(), (3, 1)).shape == (3, 1)


def test_uniform_and_normal():
    found = _drawn(flow.random_uniform_initializer(-2, 4))
    assert found.min() >= -2 and found.max() < 4 and abs(found.mean() - 1) < 0.05
    whole = _drawn(flow.random_uniform_initializer(1, 4, flow.int32), (500,), flow.int32)
    assert whole.dtype == "int32" and set(whole) == {1, 2, 3}
    found = _drawn(flow.random_normal_initializer(1.0, 0.5))
    assert abs(found.mean() - 1) < 0.01 and abs(found.std() - 0.5) < 0.01


@pytest.mark.parametrize("initializer, mean, std", [
    (flow.truncated_normal(0.1), 0, 0.1), (flow.truncated_normal_initializer(3.0, 0.5), 3, 0.5),
    (flow.truncated_normal_initializer(), 0, 1),
])
def test_truncated_normal_is_cut_off_at_two_deviations_and_not_widened(initializer, mean, std):
    found = _drawn(initializer)
    assert np.abs(found - mean).max() < 2.0001 * std and np.abs(found - mean).max() > 1.95 * std
    assert abs(found.std() - 0.8796 * std) < 0.01 * std and abs(found.mean() - mean) < 0.02 * std


@pytest.mark.parametrize("initializer, shape, variance", [
    (flow.variance_scaling_initializer(), (200, 300), 1 / 300),
    (flow.variance_scaling_initializer(2.0, "FAN_OUT", "random_normal"), (200, 300), 2 / 200),
    (flow.variance_scaling_initializer(2.0, "fan_out", "random_uniform", "NCHW"), (40, 30, 5, 10), 2 / 2000),
    (flow.variance_scaling_initializer(1.0, "fan_out", "random_uniform", "NHWC"), (40, 5, 10, 30), 1 / 2000),
    (flow.glorot_uniform_initializer(), (200, 300), 2 / 500), (flow.xavier_normal_initializer(), (200, 300), 2 / 500),
    (flow.glorot_normal_initializer("NCHW"), (40, 30, 5, 10), 2 / (1500 + 2000)),
    (flow.xavier_uniform_initializer("NHWC"), (40, 5, 10, 30), 2 / (1500 + 2000)),
    (flow.kaiming_initializer((200, 300)), (200, 300), 2 / 300),
    (flow.kaiming_initializer((200, 300), "random_uniform", "fan_out", "tanh"), (200, 300), 25 / 9 / 200),
    (flow.kaiming_initializer((40, 30, 5, 10), mode="fan_avg", nonlinearity="relu"), (40, 30, 5, 10), 2 / 1750),
    (flow.kaiming_initializer((40, 5, 10, 30), mode="fan_out", negative_slope=2.0, data_format="NHWC"),
     (40, 5, 10, 30), 2 / 5 / 2000),
    (flow.kaiming_initializer((200, 300), nonlinearity="sigmoid"), (200, 300), 1 / 300),
])
def test_variance_depends_on_the_shape(initializer, shape, variance):
    found = _drawn(initializer, shape)
    assert abs(found.mean()) < 0.03 * math.sqrt(variance) and abs(found.var() / variance - 1) < 0.03


def test_truncated_variance_scaling_is_widened():
    found = _drawn(flow.variance_scaling_initializer(1.0, "fan_in"))
    assert abs(np.abs(found).max() - 2 * math.sqrt(1 / 300) / 0.8796256610342398) < 0.002


@pytest.mark.parametrize("call, words", [
    (lambda: flow.random_uniform_initializer(2, 1), "must not exceed"),
    (lambda: flow.random_normal_initializer(seed=3), "get_variable"),
    (lambda: flow.variance_scaling_initializer(mode="fan"), "'fan_in', 'fan_out', 'fan_avg'. Received 'fan'"),
    (lambda: flow.variance_scaling_initializer(distribution="normal"), "Received 'normal'"),
    (lambda: flow.glorot_uniform_initializer("CN"), "Received 'CN'"),
    (lambda: flow.glorot_uniform_initializer()((3,), flow.float32), "two dimensions at least"),
    (lambda: flow.kaiming_initializer([3, 4]), "the tuple"),
    (lambda: flow.kaiming_initializer((3, 4), nonlinearity="selu"), "Received 'selu'"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_variables_random_seed_repeats_its_values():
    first = _job_drawn("seeded_a", flow.truncated_normal(0.1), (4, 5), 7)
    assert first.tolist() == _job_drawn("seeded_b", flow.truncated_normal(0.1), (4, 5), 7).tolist()
    assert first.tolist() != _job_drawn("seeded_c", flow.truncated_normal(0.1), (4, 5), 8).tolist()
    assert first.tolist() != _job_drawn("seeded_d", flow.truncated_normal(0.1), (4, 5)).tolist()


@pytest.mark.parametrize("regularizer, added", [
    (flow.regularizers.l1(0.5), [-0.5, 0, 0.5]), (flow.regularizers.l2(0.5), [-1, 0, 1.5]),
    (flow.regularizers.l1_l2(0.5, 0.1), [-0.7, 0, 0.8]), (flow.regularizers.l1_l2(0, 0), [0, 0, 0]),
])
def test_regularizers_add_to_gradients(regularizer, added):
    w, g = paddle.to_tensor([-2.0, 0.0, 3.0]), paddle.to_tensor([10.0, 20.0, 30.0])
    np.testing.assert_allclose(regularizer(w, g).numpy(), added, rtol=1e-6)
    np.testing.assert_allclose(regularizer.added(w, g).numpy(), np.array([10, 20, 30]) + added, rtol=1e-6)
    slope = paddle.to_tensor([-2.0, 0.0, 3.0], stop_gradient=False)
    np.testing.assert_allclose(paddle.grad(regularizer.penalty(slope), slope)[0].numpy(), added, rtol=1e-6)
