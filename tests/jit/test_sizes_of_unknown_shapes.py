"""Sizes that only the run knows, in Python code: with each size open in turn, the eager result or the way out."""

import math
import warnings

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec

F = paddle.nn.functional


def divided(x):
    quotient, rest = divmod(x.shape[1], 3)
    return x * quotient + rest


def centred(x):
    height, width = x.shape
    down, across = 8 - height, 8 - width
    return F.pad(x.reshape([1, 1, height, width]), [across // 2, across - across // 2, down // 2, down - down // 2])


def halved(x):
    n = x.shape[1]
    while n > 1:
        n = n // 2
    return x * n


def checked(x):
    assert x.shape[1] % 4 == 0, f"no multiple of 4: {x.shape}"
    return x if x.shape[1] > 2 else -x


def by_default(x):
    def scaled(y, n=x.shape[1]):
        return y * n

    return scaled(x)


def repeated(x):
    size = x.shape[1]
    if isinstance(size, int):
        size = (size, size)
    return paddle.zeros(size) + x.sum()


def positions(x):
    place = paddle.arange(x.shape[0]).astype("float32").unsqueeze(1)
    return paddle.sin(place * paddle.exp(paddle.arange(0, x.shape[1], 2).astype("float32")
                                         * (-math.log(10000.0) / x.shape[1])))


RIGHT = {
    "size": lambda x: x.sum() / x.size, "numel": lambda x: x * x.numel(), "len": lambda x: x * len(x),
    "sqrt": lambda x: x / math.sqrt(x.shape[1]), "numpy's sqrt": lambda x: x / np.sqrt(x.shape[1]),
    "power": lambda x: x * x.shape[1] ** -0.5, "2 **": lambda x: x * 2 ** x.shape[1],
    "log": lambda x: x * math.log(x.shape[1]), "log of a base": lambda x: x * math.log(x.shape[1], 3),
    "log2": lambda x: x * np.log2(x.shape[1]), "pow": lambda x: x * math.pow(x.shape[1], 0.5),
    "ceil": lambda x: x * math.ceil(x.shape[1] / 3), "floor": lambda x: x * math.floor(x.shape[1] / 3),
    "numpy's ceil": lambda x: x * int(np.ceil(x.shape[1] / 3)),
    "round": lambda x: x * round(x.shape[1] * 0.3), "round a tie": lambda x: x * round(x.shape[1] * 0.625),
    "isqrt": lambda x: x * math.isqrt(x.shape[1] + 5), "divmod": divided,
    "floor division": lambda x: x * (-(-x.shape[1] // 3)), "remainder": lambda x: x * (-x.shape[1] % 3),
    "product": lambda x: x * np.prod(x.shape), "math.prod": lambda x: x.reshape([math.prod(x.shape)]),
    "reshape by a product": lambda x: x.reshape([int(np.prod(x.shape[:2]))]),
    "numpy's maximum": lambda x: x * np.maximum(x.shape[1], 2), "max of a shape": lambda x: x * np.max(x.shape),
    "sum of a shape": lambda x: x * np.sum(x.shape), "float32": lambda x: x * np.float32(x.shape[1]),
    "inverse": lambda x: x.sum(1) * (1 / x.shape[1]), "float": lambda x: x * float(x.shape[0]),
    "eye": lambda x: paddle.eye(x.shape[1]) + 0 * x.sum(),
    "eye of two": lambda x: paddle.eye(x.shape[0], x.shape[1]) + 0 * x.sum(),
    "pad of every dimension": lambda x: F.pad(x, [0, 0, (8 - x.shape[1]) // 2, 1], value=2.0), "centred": centred,
    "one_hot": lambda x: F.one_hot(paddle.argmax(x, 1), x.shape[1]),
    "dice_loss": lambda x: F.dice_loss(F.softmax(x), paddle.argmax(x, 1, keepdim=True)),
    "median": lambda x: paddle.median(x), "quantile": lambda x: paddle.quantile(x, 0.3, 1),
    "full": lambda x: paddle.full([x.shape[1], x.shape[0] * 2], x.shape[1], "float32") + 0 * x.sum(),
    "full_like": lambda x: paddle.full_like(x, x.shape[1]), "positions": positions,
    "linspace": lambda x: paddle.linspace(0, x.shape[1] - 1, x.shape[1]) + 0 * x.sum(),
    "arange": lambda x: paddle.arange(x.shape[0] * 2 + 1) + 0 * x.sum(),
    "slice": lambda x: x[1:x.shape[0] - 1, :x.shape[1] // 2], "item": lambda x: x[x.shape[0] - 1],
    "triu": lambda x: paddle.triu(x, x.shape[1] - x.shape[0]), "tril": lambda x: paddle.tril(x, x.shape[1] - 5),
    "mask behind what came before": lambda x: paddle.triu(
        paddle.full([x.shape[0], x.shape[1]], -math.inf), x.shape[1] - x.shape[0] + 1) + 0 * x.sum(),
    "tile": lambda x: paddle.tile(x, [1, x.shape[0]]),
    "expand": lambda x: x.unsqueeze(0).expand([x.shape[0] * 2, x.shape[0], x.shape[1]]),
    "split": lambda x: paddle.split(x, [x.shape[1] // 2, x.shape[1] - x.shape[1] // 2], 1)[1],
    "interpolate": lambda x: F.interpolate(x[None, None], size=[x.shape[0] * 2, x.shape[1] * 2 + 1], mode="bilinear"),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "to_tensor": lambda x: paddle.to_tensor(x.shape) * x.shape[0],
    "to_tensor of a list": lambda x: paddle.to_tensor([x.shape[0], 3, x.shape[1]]) + 0 * x.sum().astype("int64"),
    "while": halved, "assert": checked, "default argument": by_default, "isinstance": repeated,
}


def sized(open_axes):
    return [InputSpec([None if axis in open_axes else size for axis, size in enumerate((3, 4))])]


@pytest.mark.parametrize("open_axes", [(0,), (1,), (0, 1)], ids=["rows", "columns", "both"])
@pytest.mark.parametrize("name", RIGHT)
def test_the_eager_result(name, open_axes):
    function, x = RIGHT[name], paddle.to_tensor(np.random.default_rng(0).standard_normal((3, 4)).astype("float32"))
    expected = function(x)
    found = paddle.jit.to_static(function, sized(open_axes), full_graph=True)(x)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


WAYS_OUT = {
    "numpy's arange": (lambda x: x + np.arange(x.shape[1]), "paddle.arange"),
    "numpy's zeros": (lambda x: x + np.zeros(x.shape), "paddle.zeros"),
    "tril_indices": (lambda x: paddle.tril_indices(x.shape[1], 3), "Declare that size"),
    "unbind": (lambda x: paddle.unbind(x, 1)[0], "must be known"),
    "combinations": (lambda x: paddle.combinations(x[0]), "Declare that size"),
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_the_way_out(name):
    function, said = WAYS_OUT[name]
    with pytest.raises((TypeError, ValueError), match=said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paddle.jit.to_static(function, sized((0, 1)), full_graph=True)(paddle.ones([3, 4]))


def test_an_error_says_what_minus_one_is():
    with pytest.raises(ValueError, match=r"inner dimensions must agree.*-1 is a size that is not known"):
        paddle.jit.to_static(lambda x: x @ paddle.ones([5, 2]), sized((0,)), full_graph=True)(paddle.ones([3, 4]))


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("function", [
    lambda x: x / math.sqrt((x * x).mean()), lambda x: x / np.sqrt((x * x).mean()), lambda x: x * math.pow(x.mean(), 2),
    lambda x: x * np.maximum(x.mean(), 0.1), lambda x: x * np.prod([x.mean(), 2.0]), lambda x: x * math.log(x.sum()),
], ids=["math.sqrt", "np.sqrt", "math.pow", "np.maximum", "np.prod", "math.log"])
def test_no_gradient_flows_through_functions_of_numbers(function, full_graph):
    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=full_graph)):
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]], stop_gradient=False)
        y = run(x)
        y.sum().backward()
        found.append((y.numpy(), x.grad.numpy()))
    for eager, converted in zip(*found, strict=True):
        np.testing.assert_allclose(converted, eager, rtol=1e-6)


def divided(x):
    """As language models divide the product of one layer into queries, keys and values."""
    parts = x.reshape(x.shape[:-1] + [2, -1])
    width = parts.shape[-1] // 2
    a, b = paddle.split(parts, width, axis=-1)
    return a * b


def of_another(x):
    other = paddle.concat([x, x])
    return x.reshape([other.shape[0], -1])


@pytest.mark.parametrize("unknown", [(0,), (0, 1)])
def test_what_is_left_of_a_reshape_to_sizes_of_the_same_tensor_is_known(unknown):
    shape = [-1 if axis in unknown else size for axis, size in enumerate([2, 3, 8])]
    spec = [paddle.static.InputSpec(shape, "float32")]
    converted = paddle.jit.to_static(divided, spec, full_graph=True)
    for batch, words in ((2, 3), (5, 3 if 1 not in unknown else 7)):
        x = paddle.randn([batch, words, 8])
        np.testing.assert_allclose(converted(x).numpy(), divided(x).numpy(), rtol=1e-6)
    assert converted.concrete_program.outputs[0].shape == (*shape[:2], 2, 2)


def test_what_is_left_of_a_reshape_to_sizes_of_another_tensor_is_not_known():
    converted = paddle.jit.to_static(of_another, [paddle.static.InputSpec([None, 8], "float32")], full_graph=True)
    assert converted.concrete_program.outputs[0].shape == (-1, -1)
    assert converted(paddle.ones([3, 8])).shape == [6, 4]


def test_a_part_that_is_empty_whatever_the_size_is_known_to_be():
    def parts(x):
        return x[:0].reshape([0, 1]).sum() + x.mean(), x[-1:-3], x[2:1].sum(0), x[1:-1]

    converted = paddle.jit.to_static(parts, [InputSpec([None, 4])], full_graph=True)
    x = paddle.randn([3, 4])
    for mine, theirs in zip(converted(x), parts(x), strict=True):
        np.testing.assert_array_equal(mine.numpy(), theirs.numpy())
    assert [v.shape for v in converted.concrete_program.outputs] == [(), (0, 4), (4,), (-1, 4)]


WINDOWS = np.arange(18, dtype="float32").reshape(1, 2, 3, 3)


def transposed(x, like):
    return F.conv2d_transpose(x, paddle.to_tensor(WINDOWS), stride=2, padding=1, output_size=paddle.shape(like)[2:])


def transposed_to_one_size(x, like):
    return F.conv2d_transpose(x, paddle.to_tensor(WINDOWS), stride=[2, 1], dilation=[1, 2], output_size=[
        like.shape[2], x.shape[2] + 4])


def unpooled(x, like):
    y, places = F.max_pool2d(x, 2, 2, return_mask=True)
    return F.max_unpool2d(y * y, places, 2, 2, output_size=x.shape)


def unpooled_by_shape(x, like):
    y, places = F.max_pool2d(x, 2, 2, return_mask=True)
    return F.max_unpool2d(y * y, places, 2, 2, output_size=paddle.shape(x))


def unpooled_to_the_usual_size(x, like):
    y, places = F.max_pool1d(x[:, :, 0], 2, 2, return_mask=True)
    return F.max_unpool1d(y * y, places, 2, 2)


@pytest.mark.parametrize("spec", [None, [InputSpec([None, 1, None, None])] * 2], ids=["exact", "open"])
@pytest.mark.parametrize("function, added", [
    (transposed, (-1, 0)), (transposed_to_one_size, (1, 2)), (unpooled, (0, 0)), (unpooled_by_shape, (0, 0)),
    (unpooled_to_the_usual_size, (0, 0))])
def test_sizes_of_results_that_only_a_run_knows(function, added, spec):
    converted = paddle.jit.to_static(function, spec, full_graph=True)
    for size, more in ((4, added[0]), (4, added[1]), (6, added[0])):
        like = 2 * size + more
        found = []
        for run in (function, converted):
            x = paddle.to_tensor(np.sin(np.arange(2 * size * size, dtype="float32")).reshape(2, 1, size, size))
            x.stop_gradient = False
            y = run(x, paddle.ones([1, 1, like, like]))
            (y * y).sum().backward()
            found.append((y.numpy(), x.grad.numpy()))
        for eager, mine in zip(*found, strict=True):
            np.testing.assert_allclose(mine, eager, rtol=1e-5, atol=1e-4)  # sums of hundreds that cancel


def test_a_size_that_windows_do_not_allow_is_an_error_of_the_run():
    converted = paddle.jit.to_static(transposed, [InputSpec([None, 1, None, None])] * 2, full_graph=True)
    for size in (6, 9):
        with pytest.raises(AssertionError, match=r"conv2d_transpose\(output_size\): the sizes of the result"):
            converted(paddle.ones([1, 1, 4, 4]), paddle.ones([1, 1, size, size]))


@pytest.mark.parametrize("spec", [None, [InputSpec([None, 4]), InputSpec([3])]], ids=["exact", "open"])
@pytest.mark.parametrize("function", [lambda x, q: paddle.quantile(x, q, axis=0), paddle.quantile, paddle.nanquantile])
def test_quantiles_that_a_tensor_names(function, spec):
    converted = paddle.jit.to_static(lambda x, q: function(x, q) * 1.0, spec, full_graph=True)
    q = paddle.to_tensor([0.1, 0.5, 1.0])
    for rows in (5, 1):
        x = paddle.to_tensor(np.sin(np.arange(4 * rows, dtype="float32")).reshape(rows, 4))
        wanted = function(x, [float(each) for each in q])
        np.testing.assert_allclose(converted(x, q).numpy(), wanted.numpy(), rtol=1e-6)
        np.testing.assert_allclose(function(x, q).numpy(), wanted.numpy(), rtol=1e-6)
    with pytest.raises(AssertionError, match=r"q must lie in \[0, 1\]"):
        converted(x, q + 1)
    with pytest.raises(ValueError, match=r"q must lie in \[0, 1\]"):
        function(x, q + 1)
