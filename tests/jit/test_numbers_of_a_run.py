"""Sizes and numbers that only a run knows, given to operators and in what `try` may catch: as without conversion."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa.static import InputSpec

IMAGES = [((1, 2, 6, 8), (1, 2, 3, 4)), ((2, 2, 5, 5), (2, 2, 2, 3)), ((1, 1, 2, 2), (1, 1, 3, 1))]


def pooled_to_sizes(x, y):
    return F.adaptive_avg_pool2d(x, y.shape[2:]), F.adaptive_avg_pool2d(x, [None, y.shape[3]])


def pooled_to_one_size(x, y):
    return F.adaptive_avg_pool2d(x, y.shape[-1]), F.adaptive_avg_pool1d(x.flatten(2), y.shape[2])


def pooled_to_its_own(x, y):
    return F.adaptive_avg_pool2d(x, (None, 2)), F.adaptive_avg_pool2d(y, (1, None))


def pooled_with_channels_last(x, y):
    x = x.transpose([0, 2, 3, 1])
    return F.adaptive_avg_pool2d(x, y.shape[2:], "NHWC"), F.adaptive_avg_pool3d(x.unsqueeze(1), [1, y.shape[2], 2])


def repeated(x, y):
    n = y.shape[3]
    return x.repeat_interleave(n, 2), paddle.repeat_interleave(x, n), paddle.repeat_interleave(x, int(n) + 1, axis=-1)


def filled(x, y):
    return paddle.full_like(x, y.shape[2]) * x, paddle.full_like(y, x.max())


def set_to_a_constant(x, y):
    z = x * 2
    z.set_value(paddle.ones(x.shape) * y.shape[2])
    return z * x, y


def of_no_dimensions(x, y):
    s, n = float(x.sum().reshape([1])), int(y.max().reshape([1, 1]))
    return x.mean() * s, x.mean() + n, x.mean() * bool(y.sum().reshape([1]) > 0)


def tried(x, y):
    try:
        z = F.relu(x) if x.sum() > 0 else x * 2
        z = z.astype("float64").mean() + paddle.exp(z).sum()
    except ValueError:
        z = x
    return z, y


FUNCTIONS = [pooled_to_sizes, pooled_to_one_size, pooled_to_its_own, pooled_with_channels_last, repeated, filled,
             set_to_a_constant, of_no_dimensions, tried]


def tensors(shapes):
    rng = np.random.RandomState(3)
    return [paddle.to_tensor(rng.randn(*shape).astype("float32"), stop_gradient=False) for shape in shapes]


def outcome(function, shapes):
    given = tensors(shapes)
    results = list(function(*given))
    wanted = [not result.stop_gradient for result in results]
    sum((r * r).sum().astype("float32") for r, w in zip(results, wanted, strict=True) if w).backward()
    gradients = [np.zeros(x.shape) if x.grad is None else x.grad.numpy() for x in given]
    return [r.numpy() for r in results], gradients, wanted


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_loaded_file_of_open_sizes_gives_what_the_function_gives(function, tmp_path):
    with paddle.utils.unique_name.guard():
        specs = [InputSpec([None] * 4, "float32", name) for name in ("x", "y")]
        converted = paddle.jit.to_static(function, full_graph=True, input_spec=specs)
        paddle.jit.save(converted, str(tmp_path / "f"))
        loaded = paddle.jit.load(str(tmp_path / "f"))
        for shapes in IMAGES:
            wanted = outcome(function, shapes)
            for got in (outcome(converted, shapes), outcome(loaded, shapes)):
                assert [r.shape for r in got[0]] == [r.shape for r in wanted[0]]
                assert got[2] == wanted[2]
                for a, b in zip(got[0] + got[1], wanted[0] + wanted[1], strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_each_slice_is_repeated_as_often_as_a_tensor_of_no_dimensions_says():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], stop_gradient=False)
    y = paddle.repeat_interleave(x, paddle.to_tensor(2), 0)
    assert y.shape == [6, 2]
    (y * y).sum().backward()
    assert x.grad.tolist() == [[4.0, 8.0], [12.0, 16.0], [20.0, 24.0]]


def of_sizes(x):
    n = x.shape[1]
    twice = n / 7
    twice /= 7
    return [n / 49, int(n / 49), n / 3, -n / 10, (n + 1) / 0.3, twice, n * 100000, n ** 6, n + 2**31, n - 2**33,
            2**40 - n, (n * 123456789) % 7, 1 / n ** 5,
            float(n) + 0.1, 1.7 - float(n), round(n / 3, 2), round(3.3 + n, 2)]


def test_numbers_made_of_sizes_are_those_of_python(tmp_path):
    converted = paddle.jit.to_static(
        of_sizes, input_spec=[paddle.static.InputSpec([1, None], "float32")], full_graph=True)
    paddle.jit.save(converted, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for size in (49, 98, 196, 10, 55, 1000):
        x = paddle.ones([1, size])
        wanted = of_sizes(x)
        for found in (converted(x), loaded(x)):
            assert [value.item() for value in found] == wanted


def from_a_size(x):
    a, b = x.shape[0], 0
    for i in range(x.shape[1]):
        if x.sum() > 3:
            a = int(a * 0.5) + i
        b += a
    return a, b


def test_a_size_may_become_another_int_in_a_loop():
    converted = paddle.jit.to_static(
        from_a_size, input_spec=[paddle.static.InputSpec([None, None], "float32")], full_graph=True)
    for shape in ([2, 3], [1, 2], [7, 1]):
        assert [number.item() for number in converted(paddle.ones(shape))] == list(from_a_size(paddle.ones(shape)))


def of_several_sizes(x):
    n, m = x.shape
    k = n * m
    k = k * k if x.sum() > 0 else n
    return [n * m * n * m, (n * m) ** 2 // m, n ** m, m + n * m * n * n * m, np.prod(x.shape) * k, k * 1.0, 1 / (k * k)]


def test_products_of_sizes_are_those_of_python(tmp_path, recwarn):
    converted = paddle.jit.to_static(
        of_several_sizes, input_spec=[paddle.static.InputSpec([None, None], "float32")], full_graph=True)
    paddle.jit.save(converted, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for size in ((300, 5), (2, 61), (1, 1)):
        x = paddle.ones(size)
        n, m = size
        k = (n * m) ** 2
        wanted = [k, k // m, n ** m, m + k * n, n * m * k, float(k), 1 / k ** 2]
        for found in (converted(x), loaded(x)):
            assert [value.item() for value in found] == wanted
    assert not recwarn.list
