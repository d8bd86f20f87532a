"""fluid.layers' distributions, and Python's operators on variables of 1.x: the numbers are 1.8.5's."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.static.building import mode

layers = fluid.layers


@pytest.fixture(autouse=True)
def main():
    mode.set_least_rank(1)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield
    mode.set_least_rank(0)


def run(fetch, **feed):
    return fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program(), feed=feed, fetch_list=fetch)


def constant(*values):
    return layers.assign(np.array(values, "float32"))


def test_what_1_8_gives():
    one, two = layers.Normal([0.5], [2.0]), layers.Normal([1.0, 2.0], [1.0, 3.0])
    between = layers.Uniform([0.5], [2.0])
    choice, other = layers.Categorical(constant(0.1, 0.2, 0.7)), layers.Categorical(constant(0.3, 0.2, 0.1))
    vectors = layers.MultivariateNormalDiag(constant(0.3, 0.5), constant([0.4, 0], [0, 0.5]))
    others = layers.MultivariateNormalDiag(constant(0.2, 0.4), constant([0.3, 0], [0, 0.6]))
    found = run([one.entropy(), two.entropy(), two.log_prob(constant(1.5)), one.kl_divergence(two), between.entropy(),
                 between.log_prob(constant(1.0)), choice.entropy(), choice.kl_divergence(other), vectors.entropy(),
                 vectors.kl_divergence(others)])
    expected = [[2.11209], [1.41894, 2.51755], [-1.04394, -2.03144], [0.93185, 0.25269], [0.40547], [-0.40547],
                [1.06143], [0.06145], [2.03316], [0.05565]]
    for got, numbers in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, numbers, atol=1e-5)


def test_samples_of_batches():
    x = fluid.data("x", [None, 3])
    normal, between = layers.Normal(x, x), layers.Uniform(x, x + 1.0)
    assert normal.sample([2]).shape == (2, -1, 3) and layers.Uniform([0.5], [2.0]).sample([3]).shape == (3, 1)
    assert layers.Uniform(0.5, 2.0).sample([3]).shape == layers.Normal(0.5, 2.0).sample([3]).shape == (3,)
    value = np.float32([[1, 2, 3], [4, 5, 6]])
    drawn, near, entropy = run([normal.sample([500]), between.sample([4]), normal.entropy()], x=value)
    assert drawn.shape == (500, 2, 3) and near.shape == (4, 2, 3)
    assert ((near >= value) & (near <= value + 1)).all()
    np.testing.assert_allclose(drawn.std(0), value, rtol=0.2)
    np.testing.assert_allclose(entropy, 0.5 + 0.5 * np.log(2 * np.pi) + np.log(value), rtol=1e-5)


def test_what_is_refused():
    with pytest.raises(TypeError, match=r"kl_divergence\(other\): must be Normal. Received Uniform"):
        layers.Normal([0.0], [1.0]).kl_divergence(layers.Uniform([0.0], [1.0]))
    with pytest.raises(NotImplementedError, match="Categorical has no sample"):
        layers.Categorical(constant(0.5)).sample([1])


def test_a_row_meets_the_first_dimension():
    """x [N, 3] - y [N]: 1.8.5 has axis=0 where y's first size is not known."""
    x = fluid.data("x", [None, 3])
    found = run([x - layers.reduce_max(x, dim=1), x * constant(1.0, 10.0, 100.0)], x=np.float32([[1, 2, 3], [6, 5, 4]]))
    assert found[0].tolist() == [[-2, -1, 0], [0, -1, -2]]
    assert found[1].tolist() == [[1, 20, 300], [6, 50, 400]]


def test_a_row_on_the_left_meets_the_first_dimension():
    """y [N] - x [N, 3]: 1.8.5 puts whichever has fewer dimensions at axis 0."""
    x, y = fluid.data("x", [None, 3]), fluid.data("y", [None])
    x.stop_gradient = y.stop_gradient = False
    value, row = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([10, 20])
    for made, of in ((y - x, lambda a, b: b - a), (y * x, lambda a, b: b * a), (y / x, lambda a, b: b / a),
                     (fluid.layers.elementwise_pow(y, x, axis=0), lambda a, b: b ** a)):
        found = run([made, *fluid.gradients([fluid.layers.reduce_sum(made)], [x, y])], x=value, y=row)
        assert made.shape == (-1, 3)
        np.testing.assert_allclose(found[0], of(value, row[:, None]), rtol=1e-6)
        step = 1e-3
        exact = value.astype("float64")
        by_x = (of(exact + step, row[:, None]) - of(exact - step, row[:, None])) / 2 / step
        by_y = (of(value, row[:, None] + step) - of(value, row[:, None] - np.float64(step))) / 2 / step
        np.testing.assert_allclose(found[1], by_x, rtol=1e-4)
        np.testing.assert_allclose(found[2], by_y.sum(1), rtol=1e-2)


def test_padding_as_large_as_the_window():
    x = fluid.data("x", [None, 1, 4, 4])
    value, least = np.arange(1, 17, dtype="float32").reshape(1, 1, 4, 4), np.finfo("float32").min
    found = run([fluid.layers.pool2d(x, 2, kind, 2, 3) for kind in ("max", "avg")], x=value)
    inner = [[1, 3, 4], [9, 11, 12], [13, 15, 16]], [[1, 2.5, 4], [7, 8.5, 10], [13, 14.5, 16]]
    for got, middle, around in zip(found, inner, (least, 0.0), strict=True):
        expected = np.full((5, 5), around)
        expected[1:4, 1:4] = middle
        np.testing.assert_array_equal(got[0, 0], expected)


def test_a_variable_is_there():
    """`if mask:` asks in 1.x whether there is one; elsewhere it asks for a value, which is not there yet."""
    x = fluid.data("x", [None, 3])
    assert x and not (not x)
    mode.set_least_rank(0)
    with pytest.raises(TypeError, match="has no value while the Program is being built"):
        bool(x)


def test_labels_without_a_last_size():
    x, labels = fluid.data("x", [None, 3]), fluid.data("labels", [None], "int64")
    x.stop_gradient = False
    flat, column = layers.cross_entropy(x, labels), layers.cross_entropy(x, layers.unsqueeze(labels, [1]))
    soft = layers.cross_entropy(x, labels, ignore_index=1)
    fluid.backward.append_backward(layers.reduce_sum(flat * flat))
    value = np.float32([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
    got = run([flat, column, soft, "x@GRAD"], x=value, labels=np.int64([1, 0]))
    assert flat.shape == (-1,) and got[0].shape == (2,) and got[1].shape == (2, 1)
    np.testing.assert_allclose(got[0], -np.log([0.3, 0.6]), rtol=1e-6)
    np.testing.assert_allclose(got[1][:, 0], got[0])
    np.testing.assert_allclose(got[2], [0, -np.log(0.6)], rtol=1e-6)
    expected = np.zeros((2, 3))
    expected[0, 1], expected[1, 0] = 2 * np.log(0.3) / 0.3, 2 * np.log(0.6) / 0.6
    np.testing.assert_allclose(got[3], expected, rtol=1e-5)
