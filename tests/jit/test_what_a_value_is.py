"""What converted code says of the type of what only a run knows, and of lists as conditions; integer results."""

import numpy as np
import proa as paddle
import pytest


def asked_for_its_class(x):
    s, n = x.sum().item(), int(x.sum())
    y = x * (2 if isinstance(s, float) else 3) * (5 if isinstance(s, paddle.Tensor) else 7)
    z = x * (2 if isinstance(n, int) else 3) * (5 if isinstance(n, (float, str)) else 7)
    kinds = [type(x) is paddle.Tensor, type(s) is float, type(n) == int, type(x).__name__ == "Tensor"]  # noqa: E721
    return y, z, x * sum(2**k for k, holds in enumerate(kinds) if holds)


def a_list_as_a_condition(x):
    queue, n = [x], 0
    while queue and n < 6:
        value = queue.pop(0)
        n += 1
        if value.sum() > 1:
            queue.append(value * 0.4)
            queue.append(value * 0.1)
    if not (queue or n > 6):
        n += 10
    return x * n


def numbers_in_a_list(x):
    """A list of as many as a tensor says: numbers stay numbers there, tensors tensors."""
    whole, halves, rows, kinds = [], [], [], 0
    while len(whole) < abs(x).sum():
        whole.append(len(whole))
        halves.append(len(whole) * 0.5)
        rows.append((len(whole), x * len(whole)))
    for n, half in zip(whole, halves):
        kinds += isinstance(n, int) + 10 * isinstance(half, float) + 100 * isinstance(half, (int, paddle.Tensor))
    for n, row in rows:
        match n:
            case int():
                kinds += 1000 * (isinstance(row, paddle.Tensor))
    return x * kinds, x.astype("float16") * halves[-1], x.astype("float16") * len(whole)


@pytest.mark.parametrize("function", [asked_for_its_class, a_list_as_a_condition, numbers_in_a_list])
def test_as_without_conversion(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in ([1.0, 2.0], [-1.0, -2.0], [5.0, 9.0]):
        x = paddle.to_tensor(value)
        for found, wanted in zip(converted(x), function(x), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
            assert found.dtype is wanted.dtype


def test_a_gradient_goes_on_through_a_whole_result():
    """As through `astype` in eager code."""
    for convert in (lambda function: function, paddle.jit.to_static):
        x = paddle.to_tensor([1.5, 2.0], stop_gradient=False)
        convert(lambda x: x.astype("int32"))(x).astype("float32").sum().backward()
        np.testing.assert_array_equal(x.grad, [1, 1])
