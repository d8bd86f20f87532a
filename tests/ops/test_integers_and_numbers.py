"""Integer tensors with Python numbers that their dtype cannot hold; operands that are no numbers at all."""

import operator

import numpy as np
import proa as paddle
import pytest


def _both(dtype, values, function):
    """The result for a Tensor, converted too, and what the lowest bits of exact arithmetic come to."""
    tensor = paddle.to_tensor(values, dtype=dtype)
    eager = function(tensor)
    converted = paddle.jit.to_static(lambda t: function(t), full_graph=True)(tensor)
    assert converted.dtype == eager.dtype
    np.testing.assert_array_equal(converted.numpy(), eager.numpy())
    return eager


@pytest.mark.parametrize("dtype, values", [("uint8", [0, 3, 127, 255]), ("int8", [-128, -3, 5, 127]), ("uint8", 7)])
@pytest.mark.parametrize("number", [255, -1, 300, -200, 127])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
@pytest.mark.parametrize("number_first", [False, True])
def test_arithmetic_keeps_the_lowest_bits(dtype, values, number, name, number_first):
    compute = getattr(operator, name)
    result = _both(dtype, values, (lambda t: compute(number, t)) if number_first else (lambda t: compute(t, number)))
    exact = np.asarray(values, "int64")
    expected = (compute(number, exact) if number_first else compute(exact, number)).astype(dtype)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("dtype, values", [("uint8", [0, 44, 255]), ("int8", [-1, 44, 127]), ("int64", [-1, 0, 7])])
@pytest.mark.parametrize("number", [-1, 300, 255, 2 ** 70])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons_are_by_value(dtype, values, number, name):
    compare = getattr(operator, name)
    assert _both(dtype, values, lambda t: compare(t, number)).tolist() == [compare(v, number) for v in values]


def test_bits_of_a_negative_number():
    assert (paddle.to_tensor([1, 255], dtype="uint8") & -2).tolist() == [0, 254]
    assert (paddle.to_tensor([1, 255], dtype="uint8") ^ -1).tolist() == [254, 0]


def test_a_picture_of_bytes_is_scaled_to_floats():
    picture = paddle.to_tensor([0, 127, 255], dtype="uint8")
    assert (-picture).tolist() == [0, 129, 1]
    np.testing.assert_allclose((picture.astype("float32") - 127).numpy() / 127.5, [-127 / 127.5, 0, 128 / 127.5])
    assert ((picture - 127) / 127.5).dtype == paddle.float32


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_division_by_a_number_that_does_not_fit_is_refused(dtype):
    with pytest.raises(OverflowError, match="300"):
        paddle.to_tensor([1], dtype=dtype) // 300


@pytest.mark.parametrize("other", [None, "x", object(), paddle.float32])
def test_what_is_no_number_is_not_equal(other):
    tensor = paddle.to_tensor([1.0, 2.0])
    assert (tensor == other) is False
    assert (other == tensor) is False
    assert (tensor != other) is True
    with pytest.raises(TypeError, match="not supported between"):
        tensor < other


def test_the_other_operand_may_know_how_to_compare():
    assert paddle.to_tensor(0.1 + 0.2, dtype="float64") == pytest.approx(0.3)


@pytest.mark.parametrize("dtypes", [("float32", "float64", "float64"), ("float64", "float32", "float32"),
                                    ("float32", "float32", "float64")])
def test_lerp_of_several_dtypes_is_in_one(dtypes):
    """Paddle's operator, which files hold, takes one."""
    given = [paddle.to_tensor(np.array(v, dtype)) for v, dtype in zip([[1.0, 2.0], [3.0, 5.0], [0.25, 0.5]], dtypes,
                                                                      strict=True)]
    converted = paddle.jit.to_static(lambda x, y, weight: paddle.lerp(x, y, weight), full_graph=True)
    eager, found = paddle.lerp(*given), converted(*given)
    [op] = [op for op in converted.concrete_program.main_program.global_block().ops if op.type == "lerp"]
    assert len({converted.concrete_program.main_program.global_block().var(n).dtype for n in op.input_arg_names}) == 1
    assert eager.dtype is found.dtype and eager.dtype.name == max(dtypes[:2])
    np.testing.assert_allclose(eager.numpy(), [1.5, 3.5])


def test_complex_broadcasts_with_its_gradients_and_promotes():
    x = paddle.to_tensor([[1.0], [2.0]], stop_gradient=False)
    y = paddle.to_tensor([3.0, 4.0, 5.0], stop_gradient=False)
    z = paddle.complex(x, y)
    np.testing.assert_array_equal(z.numpy(), x.numpy() + 1j * y.numpy())
    (z.real() * 2 + z.imag() * 3).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[6], [6]])
    np.testing.assert_array_equal(y.grad.numpy(), [6, 6, 6])
    assert paddle.complex(x, y.astype("float64")).dtype == "complex128"
    assert paddle.complex(paddle.to_tensor([1]), paddle.to_tensor([2])).dtype == "complex64"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_there_are_no_complex_numbers_of_16_bits(dtype):
    x = paddle.ones([1], dtype)
    with pytest.raises(TypeError, match=f"complex.*Received {dtype}.*astype"):
        paddle.complex(x, x)


@pytest.mark.parametrize("shape, groups, axis, told", [
    ([], 2, 1, "dimension of channels"), ([1, 3, 2, 2], 2, 1, "divide the 3"), ([1, 4, 2, 2], 0, 1, "at least 2"),
    ([1, 4, 2, 2], 1, 1, "at least 2"), ([1, 4, 2, 2], 2, 5, "axis"), ([4], 2, 1, "axis")])
def test_maxout_says_what_it_does_not_take(shape, groups, axis, told):
    with pytest.raises(ValueError, match=f"maxout.*{told}"):
        paddle.nn.functional.maxout(paddle.ones(shape), groups, axis)


def test_bounds_of_several_elements_are_broadcast():
    x = paddle.to_tensor([[1.0, 2.25, 3.0], [4.0, 5.0, 5.25]], stop_gradient=False)
    low, high = paddle.to_tensor([[2.0], [5.0]]), paddle.to_tensor([[2.5], [5.5]])
    y = paddle.clip(x, low, high)
    assert y.tolist() == [[2.0, 2.25, 2.5], [5.0, 5.0, 5.25]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]  # 5.0 is at its bound
    assert x.clip(3.0, high).tolist() == [[2.5] * 3, [4.0, 5.0, 5.25]]
    assert x.clip(low, 3.0).tolist() == [[2.0, 2.25, 3.0], [3.0] * 3]
    assert paddle.clip(paddle.to_tensor([1, 5]), paddle.to_tensor([2.0, 2.0])).tolist() == [2, 5]
    assert x.detach().clip_(low, high).tolist() == y.tolist()


def test_bounds_of_several_elements_in_a_program():
    feed = {"x": np.arange(6, dtype="float32").reshape(2, 3), "low": np.array([[1], [4]], "float32")}
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            y = paddle.clip(paddle.static.data("x", [-1, 3]), paddle.static.data("low", [-1, 1]), 4.0)
            assert list(y.shape) == [-1, 3]
            assert paddle.static.Executor().run(feed=feed, fetch_list=[y])[0].tolist() == [[1, 1, 2], [4, 4, 4]]
    finally:
        paddle.disable_static()


def test_a_bound_of_one_element_is_one_of_all():
    x = paddle.ones([2, 3])
    assert x.clip(paddle.to_tensor([2.0]), paddle.to_tensor([[3.0]])).tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("function", [paddle.argmax, paddle.argmin])
def test_places_are_whole_numbers(function):
    with pytest.raises(ValueError, match="int32 or int64"):
        function(paddle.ones([2, 3]), 1, dtype="float32")
    assert function(paddle.ones([2, 3]), 1, dtype="int32").dtype == paddle.int32


@pytest.mark.parametrize("data", [None, {"a": 1}, object()])
def test_a_tensor_is_made_of_numbers(data):
    with pytest.raises(TypeError, match="to_tensor"):
        paddle.to_tensor(data)
    with pytest.raises(ValueError, match="rectangular"):
        paddle.to_tensor([[1], [2, 3]])


def test_whole_numbers_that_no_float_holds_fill_edges_and_are_limits():
    large = 2 ** 53 + 1
    for function in (lambda t: paddle.nn.functional.pad(t, [0, 1], value=large),
                     lambda t: paddle.nn.functional.pad(t.reshape([1, 1, 2]), [0, 1], value=large).flatten(),
                     lambda t: paddle.nn.functional.pad(t, [0, paddle.ones([], "int32")], value=large)):
        assert _both("int64", [1, 2], function).tolist() == [1, 2, large]
    assert _both("int64", [0, large + 9], lambda t: paddle.clip(t, 2, large)).tolist() == [2, large]
    assert _both("int64", [0, large + 9], lambda t: paddle.clip(t, min=large)).tolist() == [large, large + 9]
