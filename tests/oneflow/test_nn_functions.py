"""flow.nn's activations, biases, dropout, normalization and rearrangements: formulas, and what documents show."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard
from still import stand_still

random = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def tensor(values, dtype="float32"):
    return paddle.to_tensor(np.asarray(values, dtype))


def normal(*shape):
    return random.standard_normal(shape).astype("float32")


def near(value, expected, tolerance=1e-5):
    np.testing.assert_allclose(value.numpy(), expected, rtol=tolerance, atol=1e-6)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


X = np.array([-7, -3.5, -2, -0.5, 0, 0.5, 1, 3, 3.5, 8], "float32")


@pytest.mark.parametrize(("call", "formula"), [
    (flow.nn.relu, lambda x: np.maximum(x, 0)),
    (flow.nn.relu6, lambda x: np.clip(x, 0, 6)),
    (flow.nn.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x)),
    (lambda x, name: flow.nn.leaky_relu(x, 0.5, name), lambda x: np.where(x > 0, x, 0.5 * x)),
    (flow.nn.elu, lambda x: np.where(x > 0, x, np.expm1(x))),
    (lambda x, name: flow.nn.elu(x, 2, name), lambda x: np.where(x > 0, x, 2 * np.expm1(x))),
    (flow.nn.hardsigmoid, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    (flow.nn.hardswish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    (flow.nn.hardtanh, lambda x: np.clip(x, -1, 1)),
    (lambda x, name: flow.nn.hardtanh(x, -1.25, 1.2, name), lambda x: np.clip(x, -1.25, 1.2)),
    (flow.nn.mish, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    (flow.nn.swish, lambda x: x * sigmoid(x)),
    (lambda x, name: flow.nn.swish(x, 2.0, name), lambda x: x * sigmoid(2 * x)),
])
def test_activations(call, formula):
    near(call(tensor(X), name="activation"), formula(X.astype(float)))


def test_softmax_and_its_logarithm_go_along_the_last_dimension_unless_told():
    x = normal(2, 3, 4)
    for axis in (None, 1, -1, 0):
        e = np.exp(x)
        expected = e / e.sum(-1 if axis is None else axis, keepdims=True)
        near(flow.nn.softmax(tensor(x), axis=axis), expected)
        near(flow.nn.logsoftmax(tensor(x), axis), np.log(expected))
        logits = tensor(x)
        logits.stop_gradient = False
        y, dy = flow.nn.softmax(logits, axis), normal(2, 3, 4)
        y.backward(tensor(dy))
        near(flow.nn.softmax_grad(y, tensor(dy), axis), logits.grad.numpy(), 1e-4)
    near(flow.nn.softmax(tensor([[1, 2, 1, 5, 4]]), axis=1),
         [[0.01259415, 0.03423444, 0.01259415, 0.68761706, 0.2529602]])


def test_bias_add_finds_the_channels():
    x, bias = normal(2, 3, 4, 3), normal(3)
    near(flow.nn.bias_add(tensor(x), tensor(bias)), x + bias[:, None, None])
    near(flow.nn.bias_add(tensor(x), tensor(bias), "NCHW"), x + bias[:, None, None])
    near(flow.nn.bias_add(tensor(x), tensor(bias), "NHWC"), x + bias)
    near(flow.nn.bias_add(tensor(x[0, :, 0]), tensor(bias)), x[0, :, 0] + bias)
    for given, layout in ((x[0], None), (x, "HWC")):
        with pytest.raises(ValueError, match="bias_add"):
            flow.nn.bias_add(tensor(given), tensor(bias), layout)
    value = x + bias[:, None, None]
    fused = flow.nn.fused_bias_add_gelu(tensor(x), tensor(bias))
    near(fused, paddle.nn.functional.gelu(tensor(value)).numpy(), 1e-4)


def test_moments_and_batch_normalization_of_the_documents():
    mean, variance = flow.nn.moments(tensor([1, 2, 3, 4, 5]), axes=[0])
    near(mean, 3.0), near(variance, 2.0)
    x = tensor([[1, 2, 3, 4, 5]])
    mean, variance = flow.nn.moments(x, [1])
    near(flow.nn.batch_normalization(x, mean, variance, axis=0),
         [[-1.41421, -0.707105, 0, 0.707105, 1.41421]], 1e-4)


def test_batch_normalization_by_given_statistics_lets_gradients_through_to_them():
    x, mean, variance, scale, offset = normal(2, 3, 4), normal(3), normal(3) ** 2, normal(3), normal(3)
    around = (x - mean[:, None]) / np.sqrt(variance + 1e-3)[:, None] * scale[:, None] + offset[:, None]
    near(flow.nn.batch_normalization(*map(tensor, (x, mean, variance, offset, scale)), 1e-3), around, 1e-4)
    turned = x.transpose(0, 2, 1)
    near(flow.nn.batch_normalization(*map(tensor, (turned, mean, variance, offset, scale)), 1e-3, axis=-1),
         around.transpose(0, 2, 1), 1e-4)
    values = tensor(x)
    values.stop_gradient = False
    loss = flow.nn.batch_normalization(values, *flow.nn.moments(values, [0, 2], True), variance_epsilon=0.0)
    (loss * loss * loss).sum().backward()
    again = tensor(x)
    again.stop_gradient = False
    running = paddle.zeros([3]), paddle.ones([3])
    whole = paddle.nn.functional.batch_norm(again, *running, training=True, epsilon=0.0)
    (whole * whole * whole).sum().backward()
    near(values.grad, again.grad.numpy(), 1e-3)
    half = flow.nn.batch_normalization(tensor(x, "float16"), *map(tensor, (mean, variance, offset, scale)), 1e-3)
    assert half.dtype == paddle.float16
    near(half.astype("float32"), around, 2e-2)
    with pytest.raises(ValueError, match="axis"):
        flow.nn.batch_normalization(tensor(x), tensor(mean), tensor(variance), axis=3)
    with pytest.raises(ValueError, match="one dimension, or as many"):
        flow.nn.batch_normalization(tensor(x), tensor(mean[None]), tensor(variance[None]))


@pytest.mark.parametrize(("begin", "parameters"), [(1, -1), (-1, -1), (1, 1), (2, 1), (0, 2)])
def test_layer_norm(begin, parameters):
    x = normal(2, 3, 4, 5)
    gamma, beta = normal(*x.shape[parameters:]), normal(*x.shape[parameters:])
    over = tuple(range(begin % 4, 4))
    expected = (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + 1e-5)
    near(flow.nn.layer_norm(tensor(x), begin_norm_axis=begin), expected, 1e-4)
    near(flow.nn.layer_norm(tensor(x), tensor(gamma), None, begin, parameters), expected * gamma, 1e-4)
    near(flow.nn.layer_norm(tensor(x), None, tensor(beta), begin, parameters), expected + beta, 1e-4)
    near(flow.nn.layer_norm(tensor(x), tensor(gamma), tensor(beta), begin, parameters), expected * gamma + beta, 1e-4)


def test_groups_and_instances_are_normalized_with_variables_of_their_own(session):
    x, y, z = normal(2, 4, 3, 5), normal(2, 4, 6), normal(2, 3, 2, 2, 2)

    @flow.global_function()
    def job(x: tp.Numpy.Placeholder(x.shape), y: tp.Numpy.Placeholder(y.shape),
            z: tp.Numpy.Placeholder(z.shape)) -> tp.Bundle[tp.Numpy]:
        return (flow.nn.GroupNorm(x, 2, name="gn"), flow.nn.GroupNorm(x, num_groups=4, eps=1e-3, affine=False),
                flow.nn.InstanceNorm1d(y, name="in"), flow.nn.InstanceNorm2d(x), flow.nn.InstanceNorm3d(z, 1e-4))

    def normalized(x, over, eps=1e-5):
        return (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + eps)

    first, second, third, fourth, fifth = job(x, y, z)
    np.testing.assert_allclose(first, normalized(x.reshape(2, 2, -1), (2,)).reshape(x.shape), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(second, normalized(x, (2, 3), 1e-3), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(third, normalized(y, (2,)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(fourth, normalized(x, (2, 3)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(fifth, normalized(z, (2, 3, 4), 1e-4), rtol=1e-4, atol=1e-5)
    assert {name: record.shape for name, record in session.variables.items()} == {
        f"{name}_{part}": (1, channels, 1) for part in ("gamma", "beta")
        for name, channels in (("gn", 4), ("in", 4), ("InstanceNorm2D_0", 4), ("InstanceNorm3D_0", 3))}
    session.set_value("gn_gamma", np.full((1, 4, 1), 2.0, "float32"))
    session.set_value("gn_beta", np.ones((1, 4, 1), "float32"))
    np.testing.assert_allclose(job(x, y, z)[0], first * 2 + 1, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="num_groups divides"):
        flow.nn.GroupNorm(tensor(x), 3, affine=False)
    with pytest.raises(ValueError, match="4 dimensions"):
        flow.nn.InstanceNorm2d(tensor(y), affine=False)


def test_automatic_names_belong_to_one_job_and_are_the_same_for_all_shapes(session):
    @flow.global_function()
    def one(x: tp.ListNumpy.Placeholder((1, 2, 6))) -> tp.ListNumpy:
        return flow.nn.InstanceNorm1d(flow.nn.InstanceNorm1d(x))

    @flow.global_function()
    def other(x: tp.Numpy.Placeholder((1, 2, 6))) -> tp.Numpy:
        return flow.nn.InstanceNorm1d(x)

    one([normal(1, 2, 4)])
    other(normal(1, 2, 6))
    one([normal(1, 2, 5)])
    assert [name for name in session.variables if "gamma" in name] == [f"InstanceNorm1D_{n}_gamma" for n in range(3)]


# dropout

def test_dropout_drops_in_jobs_that_train():
    @flow.global_function(type="train")
    def train(x: tp.Numpy.Placeholder((100, 100))) -> tp.Numpy:
        stand_still()
        return flow.nn.dropout(x, rate=0.25, name="dropout")

    @flow.global_function(type="predict")
    def predict(x: tp.Numpy.Placeholder((100, 100))) -> tp.Numpy:
        return flow.nn.dropout(x, rate=0.25, name="dropout")

    ones = np.ones((100, 100), "float32")
    out = train(ones)
    np.testing.assert_allclose(np.unique(out), [0, 1 / 0.75], rtol=1e-6)
    assert 0.2 < (out == 0).mean() < 0.3 and (train(ones) != out).any()
    np.testing.assert_array_equal(predict(ones), ones)
    paddle.seed(7)
    first = train(ones)
    paddle.seed(7)
    np.testing.assert_array_equal(train(ones), first)


def test_dropout_outside_of_a_job_says_where_it_belongs():
    with pytest.raises(RuntimeError, match="global function"):
        flow.nn.dropout(tensor([1.0]), 0.5)


def test_masks_and_fused_dropouts_drop_everywhere():
    x = paddle.ones([50, 40])
    mask = flow.nn.random_mask_like(x, 0.5)
    assert mask.dtype == paddle.int8 and set(np.unique(mask.numpy())) == {0, 1} and mask.shape == [50, 40]
    assert flow.nn.random_mask_like(x, 0.0).numpy().all()
    bias = tensor(np.arange(40.0))
    kept = flow.nn.fused_bias_add_dropout(x, bias, rate=0.0)
    near(kept, 1 + np.arange(40.0) + np.zeros((50, 1)))
    dropped = flow.nn.fused_bias_add_dropout(x, bias, rate=0.5).numpy()
    assert np.isin(dropped, [0, *(2 + 2 * np.arange(40.0))]).all() and 0.3 < (dropped == 0).mean() < 0.7
    for rate in (1.0, -0.1, None):
        with pytest.raises(ValueError, match=r"\[0, 1\)"):
            flow.nn.random_mask_like(x, rate)
    with pytest.raises(NotImplementedError, match="every element"):
        flow.nn.random_mask_like(x, 0.5, noise_shape=[50, 1])
    assert 0 < flow.nn.random_mask_like(x, 0.5, seed=3, name="mask").numpy().mean() < 1
    assert (flow.nn.fused_bias_add_dropout(x, bias, rate=0.5, seed=3).numpy() != dropped).any()


# rearrangements

def test_pixel_shuffle():
    x = normal(3, 16, 2, 4)
    near(flow.nn.PixelShuffle(tensor(x), upscale_factor=2), paddle.nn.functional.pixel_shuffle(tensor(x), 2).numpy())
    expected = x.reshape(3, 2, 2, 4, 2, 4).transpose(0, 1, 4, 2, 5, 3).reshape(3, 2, 4, 16)
    near(flow.nn.PixelShufflev2(tensor(x), h_upscale_factor=2, w_upscale_factor=4), expected)
    with pytest.raises(ValueError, match="factors 3 and 3"):
        flow.nn.PixelShuffle(tensor(x), 3)


def test_queries_keys_and_values_stand_together():
    x = normal(5, 2, 3 * 3 * 4)
    products, values = flow.nn.fused_self_attention_query_mul_key_and_value(tensor(x), 4, alpha=0.5)
    query, key, value = x.reshape(5, 2, 3, 3, 4).transpose(3, 1, 2, 0, 4)
    near(products, 0.5 * query @ key.swapaxes(-1, -2), 1e-4)
    near(values, value)
    with pytest.raises(ValueError, match="heads \\* 3 \\* 5"):
        flow.nn.fused_self_attention_query_mul_key_and_value(tensor(x), 5)
