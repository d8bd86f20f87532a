"""Values at the edges, and errors, of the functions in gamma, bessel, inverses, numbers, selection and random_fill."""

import numpy as np
import proa as paddle
import pytest

NAN, INF = float("nan"), float("inf")


def given(values, dtype="float64"):
    return paddle.to_tensor(values, dtype)


@pytest.mark.parametrize(("function", "values", "expected"), [
    (paddle.lgamma, [1.0, 2.0, 0.0, -1.0, INF, NAN, 1e10], [0, 0, INF, INF, INF, NAN, 220258509288.811]),
    (paddle.digamma, [1.0, 0.0, -1.0, NAN], [-0.5772156649015329, NAN, NAN, NAN]),
    (lambda x: paddle.polygamma(x, 1), [1.0, -1.5, 0.0, -3.0], [np.pi**2 / 6, 9.379246644989124, INF, INF]),
    (paddle.erfinv, [0.0, 1.0, -1.0, 2.0, NAN], [0, INF, -INF, NAN, NAN]),
    (paddle.i0, [0.0, 1e2, NAN], [1, 1.0737517071310738e42, NAN]),
    (paddle.i1e, [0.0, -1e4], [0, -0.0039892731959836]),
    (paddle.angle, [1.0, -1.0, NAN], [0, np.pi, 0]),
    (lambda x: paddle.frexp(x)[0], [0.0, 1.0, -3.0], [0, 0.5, -0.75]),
    (lambda x: paddle.frexp(x)[1], [0.0, 1.0, -3.0], [0, 1, 2]),
    (lambda x: paddle.nan_to_num(x, 5.0, 9.0, 7.0), [NAN, INF, -INF, 1.0], [5, 9, 7, 1]),
    (lambda x: paddle.fmax(x, given([NAN, NAN, 1.0])), [1.0, NAN, NAN], [1, NAN, 1]),
    (lambda x: paddle.fmin(x, given([NAN, NAN, 1.0])), [1.0, NAN, NAN], [1, NAN, 1]),
    (lambda x: paddle.hypot(x, x), [0.0, 3.0], [0, 18**0.5]),
    (paddle.deg2rad, [180.0], [np.pi]),
    (paddle.rad2deg, [np.pi], [180]),
])
def test_values(function, values, expected):
    np.testing.assert_allclose(function(given(values)).numpy(), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_mode_of_many_elements(dtype):  # which once were compared with each other, all of them at a time
    x = np.random.default_rng(0).integers(0, 50, (2, 40_000)).astype(dtype)
    x[1, :3] = [51, 51, 51]
    values, places = paddle.mode(paddle.to_tensor(x), 1)
    for row, value, place in zip(x, values.numpy(), places.numpy(), strict=True):
        elements, counts = np.unique(row, return_counts=True)
        assert value == elements[counts.argmax()] and place == np.flatnonzero(row == value)[-1]
    if dtype == "float32":
        x[0, 7] = NAN
        assert paddle.mode(paddle.to_tensor(x), 1)[1][0] == 39_999
    assert paddle.mode(given([[3.0, 1.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0]]), 0)[1].tolist() == [1, 0, 1, 0]
    assert paddle.mode(paddle.zeros([0, 3]), 1)[1].shape == [0]
    with pytest.raises(ValueError, match="must have an element"):
        paddle.mode(paddle.zeros([2, 0]), 1)


def test_complex_numbers():
    z = paddle.polar(given([1.0, 2.0]), given([0.0, np.pi / 2]))
    np.testing.assert_allclose(z.numpy(), [1, 2j], atol=1e-12)
    np.testing.assert_allclose(paddle.conj(z).numpy(), [1, -2j], atol=1e-12)
    np.testing.assert_allclose(paddle.sgn(paddle.to_tensor([3 + 4j, 0j])).numpy(), [0.6 + 0.8j, 0])
    assert paddle.is_complex(z)
    assert paddle.is_floating_point(given([1.0]))
    assert paddle.is_integer(given([1], "int32"))
    assert not paddle.is_integer(given([True], "bool"))


@pytest.mark.parametrize("function", [
    paddle.erf, paddle.erfinv, paddle.digamma, paddle.lgamma, paddle.i0, paddle.i0e, paddle.i1, paddle.i1e,
    paddle.nn.functional.gelu, lambda x: paddle.polygamma(x, 1)])
def test_functions_of_real_numbers_refuse_complex_ones(function):
    with pytest.raises(TypeError, match="real numbers alone.*complex64"):
        function(paddle.to_tensor([1 + 2j]))


@pytest.mark.parametrize("function", [
    paddle.acos, paddle.acosh, paddle.asin, paddle.asinh, paddle.atan, paddle.atanh, paddle.cos, paddle.cosh,
    paddle.exp, paddle.expm1, paddle.log, paddle.log10, paddle.log1p, paddle.log2, paddle.reciprocal, paddle.rsqrt,
    paddle.nn.functional.sigmoid, paddle.nn.functional.silu, paddle.sin, paddle.sinh, paddle.sqrt, paddle.square,
    paddle.tan, paddle.tanh])
def test_gradients_of_complex_numbers_in_every_quadrant(function):
    draw = np.random.RandomState(0)
    at, step = draw.rand(8) * 6 - 3 + 1j * (draw.rand(8) * 4 - 2), draw.randn(8) + 1j * draw.randn(8)

    def loss(z):
        parts = paddle.as_real(function(z))
        return (parts * parts * paddle.arange(1.0, 17.0, dtype="float64").reshape([8, 2])).sum()

    z = paddle.to_tensor(at, stop_gradient=False)
    loss(z).backward()
    difference = (loss(paddle.to_tensor(at + 1e-6 * step)) - loss(paddle.to_tensor(at - 1e-6 * step))).item() / 2e-6
    assert np.allclose((np.conj(z.grad.numpy()) * step).real.sum(), difference, rtol=1e-6)


def test_shapes():
    assert [x.shape for x in paddle.atleast_2d(given(1.0), given([2.0]))] == [[1, 1], [1, 1]]
    assert paddle.atleast_3d(given([[1.0, 2.0]])).shape == [1, 2, 1]
    assert [part.shape for part in paddle.vsplit(given(np.zeros((4, 2))), [1, 3])] == [[1, 2], [3, 2]]
    np.testing.assert_array_equal(paddle.tril_indices(3, 4, 1).numpy(), np.tril_indices(3, 1, 4))
    np.testing.assert_array_equal(paddle.triu_indices(2, 4, -1, "int32").numpy(), np.triu_indices(2, -1, 4))
    assert paddle.combinations(given([1.0, 2.0]), 0).shape == [0]
    np.testing.assert_array_equal(given(np.zeros((4, 2))).fill_diagonal_(5.0, 0, True).numpy()[:, 0], [5, 0, 0, 5])
    np.testing.assert_array_equal(given(np.zeros((3, 3))).fill_diagonal_tensor(given([1.0, 2.0, 3.0])).numpy(),
                                  np.diag([1.0, 2.0, 3.0]))


def test_places_outside():
    x = given([1.0, 2.0, 3.0])
    with pytest.raises(IndexError):
        paddle.take(x, given([5], "int64"))
    with pytest.raises(ValueError, match="mode"):
        paddle.take(x, given([0], "int64"), mode="bounce")
    with pytest.raises(TypeError, match="int32 or int64"):
        paddle.take(x, x)
    with pytest.raises(ValueError, match="outside"):
        paddle.as_strided(x, [2], [3])
    with pytest.raises(ValueError, match="does not fit"):
        paddle.crop(x, [3], [1])
    with pytest.raises(TypeError, match="integers"):
        paddle.gcd(x, x)
    with pytest.raises(ValueError, match="at least 1"):
        paddle.diff(x, 0)
    with pytest.raises(ValueError, match="one of them"):
        paddle.trapezoid(x, x, 1.0)


def test_in_place_functions_change_their_tensor():
    x = given([1.0, 4.0])
    assert paddle.lgamma_(x) is x
    np.testing.assert_allclose(x.numpy(), [0, np.log(6)], atol=1e-12)
    y = given([1.0, -1.0])
    assert paddle.where_(y > 0, y, given([9.0, 9.0])) is y
    np.testing.assert_array_equal(y.numpy(), [1, 9])
    flags = given([1, 0], "bool")
    flags.logical_not_()
    np.testing.assert_array_equal(flags.numpy(), [False, True])


def test_filling_with_random_values():
    paddle.seed(7)
    assert given(np.zeros(20000)).exponential_(2.0).mean().item() == pytest.approx(0.5, rel=0.05)
    assert np.median(given(np.zeros(20001)).cauchy_(3.0, 0.5).numpy()) == pytest.approx(3.0, abs=0.05)
    trials = given(np.zeros(20000)).geometric_(0.25).numpy()
    assert trials.mean() == pytest.approx(4.0, rel=0.05)
    assert trials.min() == 1
    assert (trials == np.rint(trials)).all()


def test_limits_of_dtypes():
    assert paddle.finfo(paddle.float32).eps == np.finfo("float32").eps
    assert [paddle.finfo(t).resolution for t in ("bfloat16", "float16", "float32", "float64")] == [
        0.01, 0.001, 1e-6, 1e-15]
    assert paddle.iinfo("int32").max == 2**31 - 1
    assert repr(paddle.iinfo("int8")) == "paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)"
    assert repr(paddle.finfo("float32")) == (
        "paddle.finfo(min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, resolution=1e-06, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, bits=32, dtype=float32)")
    with pytest.raises(ValueError, match="floating"):
        paddle.finfo("int32")
    with pytest.raises(ValueError, match="integer"):
        paddle.iinfo("float32")


def test_batches():
    assert list(paddle.batch(lambda: range(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="at least 1"):
        paddle.batch(lambda: range(5), 0)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_sign_of_a_complex_number_is_its_direction(dtype):
    found = paddle.sign(paddle.to_tensor(np.array([3 + 4j, -2, 0, 1j], dtype)))
    assert found.dtype.name == dtype
    np.testing.assert_allclose(found.numpy(), np.array([0.6 + 0.8j, -1, 0, 1j], dtype), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])
def test_negative_powers_of_integers_are_the_whole_part(dtype):
    x, y = given([2, 1, -1, -1, 3, 0], dtype), given([-1, -2, -3, -2, 2, 3], dtype)
    found = x ** y
    assert found.dtype.name == dtype and found.tolist() == [0, 1, -1, 1, 9, 0]
    assert (2 ** given([-1, 0, 3], dtype)).tolist() == [0, 1, 8]
    assert (given([2, 1, -1], dtype) ** -3).tolist() == [0, 1, -1]
    assert paddle.pow(given([3, 1, -1], dtype), -2).tolist() == [0, 1, 1]
    assert paddle.pow(given([3, 1, 0], "uint8"), -2).tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("bound", [0, 1, 9])
def test_a_histogram_between_equal_bounds_is_that_of_the_values(dtype, bound):
    assert paddle.histogram(given([0, 1, 2, 3, 5], dtype), 4, bound, bound).tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize("start", [1.5, [1.5]])
def test_a_logspace_of_integers_has_integers_as_exponents(start):
    start = given(start) if isinstance(start, list) else start
    assert paddle.logspace(start, 3, 3, dtype="int64").tolist() == [10, 100, 1000]
    floats = paddle.logspace(start, 2.5, 3, dtype="float64")
    np.testing.assert_allclose(floats.numpy(), [10 ** 1.5, 100, 10 ** 2.5])


def test_celu_of_a_negative_alpha():
    x = given([-0.3, -2.0, 1.5, 0.0])
    x.stop_gradient = False
    found = paddle.nn.functional.celu(x, -0.5)
    found.sum().backward()
    np.testing.assert_allclose(found.numpy(), [-0.5 * np.expm1(0.6), -0.5 * np.expm1(4.0), 1.5, 0])
    np.testing.assert_allclose(x.grad.numpy(), [np.exp(0.6), np.exp(4.0), 1, 1])


def test_the_length_of_complex_numbers_has_a_second_derivative():
    a, b = (paddle.to_tensor(values, "float64", stop_gradient=False) for values in ([0.3, -1.2], [0.7, 0.4]))
    length = paddle.abs(paddle.complex(a, b))
    [slope] = paddle.grad((length * length * length).sum(), a, create_graph=True)
    [second] = paddle.grad(slope.sum(), a)
    r = np.hypot(a.numpy(), b.numpy())
    np.testing.assert_allclose(slope.numpy(), 3 * r * a.numpy())
    np.testing.assert_allclose(second.numpy(), 3 * r + 3 * a.numpy() ** 2 / r)


@pytest.mark.parametrize("function", [paddle.abs, paddle.angle])
def test_gradients_at_a_complex_0_are_0(function):
    z = paddle.to_tensor([0j, 3 + 4j], stop_gradient=False)
    function(z).sum().backward()
    assert z.grad[0].item() == 0 and abs(z.grad[1].item()) > 0.1


@pytest.mark.parametrize(("values", "slopes"), [  # slopes: PaddlePaddle 2.6.2's
    ([-INF, 0, 1], [0, 2.8068242, 2.1931756]), ([0, -INF, 1], [3.8068242, 0, 2.1931756]), ([-INF, -INF, 2], [0, 0, 3]),
    ([1, 2, -INF], [2.344707, 3.6552927, 0]), ([-INF, -INF, -INF], [0, 0, 0]),
])
def test_what_is_minus_infinity_has_no_share_in_running_sums_of_exponentials(values, slopes):
    x = given(values, "float32")
    x.stop_gradient = False
    paddle.logcumsumexp(x, 0).backward(given([1.0, 2.0, 3.0], "float32"))
    np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-5)


@pytest.mark.parametrize("p", [1e-308, 1e-50])
def test_a_norm_whose_p_float32_rounds_to_0_counts(p):
    x = paddle.to_tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]])
    assert paddle.cdist(x, x, p).tolist() == [[0.0, 2.0], [2.0, 0.0]]
    assert float(paddle.dist(x[0], x[1], p)) == 2.0 == float(paddle.linalg.norm(x[0], p))


@pytest.mark.parametrize("function", [paddle.lgamma, paddle.digamma, lambda x: paddle.polygamma(x, 2)])
def test_few_values_are_what_they_are_among_many(function):
    x = given(np.linspace(-12.3, 30.0, 2001))
    many = function(x).numpy()
    few = np.concatenate([function(part).numpy() for part in x.split([200] * 10 + [1])])
    np.testing.assert_allclose(few, many, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("smallest", [1.0, 1e-3, 1e-9, 0.0])
def test_the_gradient_of_a_determinant_is_the_cofactors(dtype, smallest):
    rng = np.random.default_rng(0)
    (u, _), (v, _) = (np.linalg.qr(rng.standard_normal((2, 5, 5)) + (1j if dtype == "complex128" else 0)) for _ in "uv")
    values = (u * [1.5, 1.25, 1.0, 0.75, smallest]) @ v
    x = given(values, dtype)
    x.stop_gradient = False
    paddle.linalg.det(x).real().sum().backward() if dtype == "complex128" else paddle.linalg.det(x).sum().backward()
    wanted = [[[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(5)]
               for i in range(5)] for a in values.astype(dtype).astype(values.dtype)]
    np.testing.assert_allclose(x.grad.numpy(), np.conj(wanted), rtol=1e-4 if dtype == "float32" else 1e-9,
                               atol=1e-5 if dtype == "float32" else 1e-10)


def _complex():
    rng = np.random.default_rng(3)
    return rng.standard_normal((3, 4)) + 1j * rng.standard_normal((3, 4))


@pytest.mark.parametrize(("function", "meant"), [
    (paddle.norm, np.linalg.norm), (paddle.std, lambda a: a.std(ddof=1)),
    (lambda x: paddle.dist(x, given(1.0)), lambda a: np.linalg.norm(a - 1)),
    (lambda x: paddle.norm(x, 3.0, 1), lambda a: (np.abs(a) ** 3).sum(1) ** (1 / 3)),
    (lambda x: paddle.norm(x, 2, [0, 1]), np.linalg.norm), (lambda x: paddle.var(x, 0), lambda a: a.var(0, ddof=1)),
    (lambda x: paddle.nn.functional.normalize(x), lambda a: a / np.linalg.norm(a, axis=1, keepdims=True)),
    (lambda x: paddle.renorm(x, 2.0, 0, 1.0),
     lambda a: a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1.0)),
    (lambda x: paddle.nn.functional.pairwise_distance(x, x * 2, epsilon=0.0), lambda a: np.linalg.norm(a, axis=1)),
    (lambda x: paddle.cdist(x, x), lambda a: np.linalg.norm(a[:, None] - a, axis=-1)),
    (lambda x: paddle.nn.ClipGradByNorm(1.0)([(x, x)])[0][1], lambda a: a / np.linalg.norm(a)),
    (lambda x: paddle.nn.ClipGradByGlobalNorm(1.0)([(x, x)])[0][1], lambda a: a / np.linalg.norm(a)),
])
def test_the_size_of_complex_numbers_counts(function, meant):
    array = _complex()
    found, wanted = function(given(array, "complex128")), meant(array)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)
    assert found.dtype.is_complex == np.iscomplexobj(wanted)


def test_the_gradient_of_a_complex_norm_is_along_the_number():
    x = given(_complex(), "complex128")
    x.stop_gradient = False
    paddle.norm(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), x.numpy() / np.linalg.norm(x.numpy()), rtol=1e-9)


_F = paddle.nn.functional


@pytest.mark.parametrize("function", [
    lambda x: paddle.quantile(x, 0.5), paddle.histogram, _F.relu, _F.relu6, _F.leaky_relu, _F.hardtanh, _F.hardsigmoid,
    _F.elu, _F.celu, _F.selu, _F.hardshrink, _F.softshrink, _F.thresholded_relu, paddle.max, paddle.amin, paddle.argmax,
    paddle.sort, paddle.argsort, lambda x: paddle.topk(x, 1), paddle.cummax, paddle.median, lambda x: x > x,
    lambda x: x <= 1.0, lambda x: paddle.maximum(x, x), lambda x: paddle.minimum(paddle.real(x), x),
    lambda x: _F.layer_norm(x, 4), lambda x: _F.instance_norm(x[None]),
])
@pytest.mark.parametrize("convert", [lambda f: f, lambda f: paddle.jit.to_static(f, full_graph=True)])
def test_complex_numbers_have_no_order(function, convert):
    with pytest.raises(TypeError, match="have no order"):
        convert(lambda x: function(x))(given(_complex(), "complex64"))


@pytest.mark.parametrize("function", [_F.mse_loss, lambda x, y: _F.square_error_cost(x, y).mean()])
def test_a_squared_error_of_complex_numbers_is_that_of_their_sizes(function):
    x = given(_complex(), "complex128")
    x.stop_gradient = False
    loss = function(x, x.detach() * 0.5)
    loss.backward()
    assert loss.item() == pytest.approx((np.abs(x.numpy() / 2) ** 2).mean())
    np.testing.assert_allclose(x.grad.numpy(), x.numpy() / x.size, rtol=1e-9)


def test_integers_keep_the_lowest_bits_of_what_they_come_to():
    assert (given([250], "uint8") + 10).tolist() == [4] and (given([1], "uint8") - 2).tolist() == [255]
    assert (given([1], "int32") * 2654435761).tolist() == [2654435761 - 2 ** 32]


@pytest.mark.filterwarnings("error")
def test_complex_nan_is_shown():
    assert "nan" in repr(given([complex(NAN, 1), 1j], "complex64"))


@pytest.mark.parametrize("value", [2.5, np.float32(7.0), 3])
def test_a_number_for_integers_is_cut_in_programs_as_eagerly(value):
    def fill(x, mask):
        return paddle.masked_fill(x, mask, value)

    x, mask = paddle.to_tensor([1, 2, 3]), paddle.to_tensor([True, False, True])
    converted = paddle.jit.to_static(fill, full_graph=True)
    assert fill(x, mask).tolist() == converted(x, mask).tolist() == [int(value), 2, int(value)]


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 0), (2, 0, 3)])
@pytest.mark.parametrize("axis", [-1, 0, [0, 1], None])
@pytest.mark.parametrize("convert", [lambda f: f, lambda f: paddle.jit.to_static(f, full_graph=True)])
def test_the_gradient_of_a_product_of_nothing_has_the_shape_of_it(shape, axis, convert):
    x = paddle.zeros(list(shape))
    x.stop_gradient = False
    convert(lambda x: paddle.prod(x, axis))(x).sum().backward()
    assert x.grad.shape == list(shape)


@pytest.mark.parametrize("shape, axis", [([0], None), ([0, 3], 0), ([0, 3], 1), ([2, 0], 1)])
def test_nothing_has_no_median(shape, axis):
    with pytest.raises(ValueError, match=r"median\(x\): x must have an element"):
        paddle.median(paddle.zeros(shape), axis)
