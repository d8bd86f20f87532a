"""Linear algebra and transforms at their edges: what cannot be, empty batches, equal values, large sizes, Programs."""

import inspect
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest

SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
WIDE, SQUARE = np.ones((2, 3)), np.eye(3)


def tensor(array, gradient=False):
    return paddle.to_tensor(np.asarray(array), stop_gradient=not gradient)


@pytest.mark.parametrize("call, words", [
    (lambda: paddle.linalg.inv(tensor(SINGULAR)), "singular"),
    (lambda: paddle.linalg.solve(tensor(SINGULAR), tensor(SINGULAR)), "singular"),
    (lambda: paddle.linalg.matrix_power(tensor(SINGULAR), -2), "singular"),
    (lambda: paddle.linalg.cond(tensor(SINGULAR), 1), "singular"),
    (lambda: paddle.linalg.cholesky(tensor(-SQUARE)), "positive definite"),
    (lambda: paddle.linalg.triangular_solve(tensor(np.zeros((2, 2))), tensor(SINGULAR)), "0 on its diagonal"),
    (lambda: paddle.linalg.inv(tensor(WIDE)), "square"),
    (lambda: paddle.linalg.inv(tensor([1.0])), "2 or more dimensions"),
    (lambda: paddle.linalg.inv(tensor([[1]])), "floating"),
    (lambda: paddle.linalg.solve(tensor(SQUARE), tensor(WIDE)), "as many rows"),
    (lambda: paddle.linalg.eigh(tensor(SQUARE), "X"), "UPLO"),
    (lambda: paddle.linalg.qr(tensor(SQUARE), "whole"), "mode"),
    (lambda: paddle.linalg.lstsq(tensor(SQUARE), tensor(SQUARE), driver="gelsx"), "driver"),
    (lambda: paddle.linalg.lstsq(tensor(SINGULAR), tensor(SINGULAR), driver="gels"), "full rank"),
    (lambda: paddle.linalg.multi_dot([tensor(SQUARE)]), "at least two"),
    (lambda: paddle.linalg.multi_dot([tensor(SQUARE), tensor(WIDE)]), "as many columns"),
    (lambda: paddle.linalg.cond(tensor(SQUARE), 3), "one of"),
    (lambda: paddle.linalg.cov(tensor(np.ones((2, 1)))), "observations"),
    (lambda: paddle.linalg.cov(tensor(WIDE), fweights=tensor([1, 2])), "a weight for each"),
    (lambda: paddle.linalg.pca_lowrank(tensor(SQUARE), 9), "q must lie"),
    (lambda: paddle.linalg.householder_product(tensor(WIDE), tensor([1.0])), "m >= n"),
    (lambda: paddle.linalg.slogdet(tensor(SQUARE + 0j)), "must be real"),
    (lambda: paddle.fft.fft(tensor(WIDE), n=0), "positive"),
    (lambda: paddle.fft.fft(tensor(WIDE), axis=4), "axis"),
    (lambda: paddle.fft.fft(tensor(WIDE), norm="half"), "norm"),
    (lambda: paddle.fft.fftn(tensor(WIDE), s=(1,), axes=(0, 1)), "one length"),
    (lambda: paddle.fft.fftn(tensor(WIDE), axes=(1, 1)), "differ"),
    (lambda: paddle.fft.fft2(tensor([1.0, 2.0])), "dimension"),
    (lambda: paddle.fft.rfft(tensor(WIDE + 0j)), "x must be real"),
    (lambda: paddle.fft.irfft(tensor([1.0])), "n=1"),
    (lambda: paddle.fft.fftfreq(0), "positive"),
    (lambda: paddle.signal.stft(tensor(np.ones(8)), 16), "n_fft"),
    (lambda: paddle.signal.stft(tensor(np.ones(32)), 16, window=tensor(np.ones(8))), "window"),
    (lambda: paddle.signal.stft(tensor(np.ones(32) + 0j), 16), "onesided=False"),
    (lambda: paddle.signal.istft(tensor(np.ones((8, 3)) + 0j), 16), "frequencies"),
    (lambda: paddle.signal.istft(tensor(np.ones((9, 3)) + 0j), 16, center=False, window=tensor(np.hanning(16))),
     "leave elements out"),
    (lambda: paddle.signal.frame(tensor(np.ones(8)), 9, 1), "frame_length"),
    (lambda: paddle.signal.frame(tensor(np.ones((8, 8))), 4, 1, axis=1), "axis"),
])
def test_what_cannot_be_is_told(call, words):
    with pytest.raises(ValueError, match=words):
        call()


EMPTY = {
    "cholesky": (), "det": (), "eig": (), "eigh": (), "eigvals": (), "eigvalsh": (), "inv": (), "lu": (),
    "matrix_rank": (), "pinv": (), "qr": (), "slogdet": (), "svd": (), "matrix_power": (3,),
}


@pytest.mark.parametrize("name", EMPTY)
def test_no_matrices_give_no_results(name):
    results = getattr(paddle.linalg, name)(paddle.zeros([0, 3, 3]), *EMPTY[name])
    for result in results if isinstance(results, (list, tuple)) else [results]:
        assert 0 in result.shape


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_no_axis_of_a_transform_is_the_last(name):
    x, transform = paddle.arange(6.0).reshape([2, 3]), getattr(paddle.fft, name)
    for n in (None, 2):
        np.testing.assert_array_equal(transform(x, n=n, axis=None), transform(x, n=n))


def test_no_signals_give_no_spectra():
    assert paddle.fft.fft(paddle.zeros([0, 4])).shape == [0, 4]
    assert paddle.linalg.solve(paddle.zeros([0, 3, 3]), paddle.zeros([0, 3, 2])).shape == [0, 3, 2]


@pytest.mark.parametrize("name", ["slogdet", "lu", "qr"])
def test_gradients_that_singular_matrices_do_not_have(name):
    """NaN for such a matrix, as in PaddlePaddle; the others beside it keep theirs."""
    def slope(array):
        x = tensor(array, gradient=True)
        outs = getattr(paddle.linalg, name)(x)
        parts = [out for out in outs if not out.stop_gradient]
        paddle.add_n([part.sum() * (n + 1) for n, part in enumerate(parts)]).backward()
        return x.grad.numpy()

    whole = np.array([[2.0, 1.0], [1.0, 3.0]])
    found = slope(np.stack([np.zeros((2, 2)), whole]))
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1], slope(whole), rtol=1e-12)


def test_gradient_of_the_determinant_of_a_singular_matrix():
    x = tensor(SINGULAR, True)
    paddle.linalg.det(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [[4, -2], [-2, 1]], atol=1e-12)


@pytest.mark.parametrize("function", [
    lambda x: paddle.linalg.eigvalsh(x), lambda x: paddle.linalg.svd(x)[1], lambda x: paddle.linalg.eigh(x)[0],
    lambda x: paddle.linalg.cond(x), lambda x: paddle.linalg.pinv(x), lambda x: paddle.linalg.lstsq(x, x)[0]])
def test_gradients_where_values_are_equal_are_finite(function):
    x = tensor(SQUARE * 2, True)
    function(x).sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_large_systems():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 150, 150)) + 20 * np.eye(150), rng.standard_normal((2, 150, 3))
    for upper in (True, False):
        found = paddle.linalg.triangular_solve(tensor(x), tensor(y), upper=upper)
        np.testing.assert_allclose((np.triu(x) if upper else np.tril(x)) @ found.numpy(), y, atol=1e-10)
    packed, pivots = paddle.linalg.lu(tensor(rng.standard_normal((2, 130, 170))))
    p, lower, upper = paddle.linalg.lu_unpack(packed, pivots)
    again, _ = paddle.linalg.lu(p @ lower @ upper)
    np.testing.assert_allclose(again.numpy(), packed.numpy(), atol=1e-10)
    assert np.abs(lower.numpy()).max() == 1


def test_first_zero_pivot():
    _, _, infos = paddle.linalg.lu(tensor(np.stack([SQUARE, np.zeros((3, 3)), np.diag([1.0, 1, 0])])), get_infos=True)
    assert infos.tolist() == [0, 1, 3]


def test_lu_without_exchange():
    packed, pivots = paddle.linalg.lu(tensor([[1.0, 2.0], [4.0, 3.0]]), pivot=False)
    assert packed.tolist() == [[1, 2], [4, -5]] and pivots.tolist() == [1, 2]


def test_principal_components():
    paddle.seed(1)
    rng = np.random.default_rng(0)
    for m, n in ((20, 6), (6, 20)):
        x = rng.standard_normal((2, m, 3)) @ rng.standard_normal((2, 3, n)) + 5
        u, s, v = paddle.linalg.pca_lowrank(tensor(x), q=4)
        assert (u.shape, s.shape, v.shape) == ([2, m, 4], [2, 4], [2, n, 4])
        centred = x - x.mean(-2, keepdims=True)
        np.testing.assert_allclose((u * s.unsqueeze(-2)).numpy() @ v.numpy().swapaxes(-1, -2), centred, atol=1e-8)
        np.testing.assert_allclose(s.numpy(), np.linalg.svd(centred, compute_uv=False)[:, :4], atol=1e-8)


def test_tensors_of_limits():
    x = tensor(np.stack([np.diag([1.0, 0.1]), np.diag([1.0, 0.1])]))
    found = paddle.linalg.pinv(x, tensor([0.5, 0.01]))
    np.testing.assert_allclose(found.numpy(), [np.diag([1.0, 0]), np.diag([1.0, 10])], atol=1e-12)


def test_single_precision_stays():
    x = paddle.rand([2, 3, 3]) + paddle.eye(3)
    assert paddle.fft.fft(x).dtype == "complex64" and paddle.fft.irfft(x).dtype == "float32"
    assert paddle.linalg.eig(x)[0].dtype == "complex64" and paddle.linalg.svd(x)[1].dtype == "float32"
    assert paddle.linalg.lstsq(x, x)[0].dtype == "float32" and paddle.linalg.inv(x.astype("float16")).dtype == "float16"


def test_methods_have_their_signatures():
    for name in ("qr", "lu", "stft", "lstsq", "inverse", "cov"):
        assert "name" in inspect.signature(getattr(paddle.Tensor, name)).parameters


def test_modules_by_their_names(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import signal\nimport paddle.fft\nimport paddle.linalg\nimport paddle.signal\n"
                      "import paddle.sysconfig\n"
                      "from paddle.signal import stft\nassert paddle.signal.stft is stft and signal.SIGINT\n"
                      "assert paddle.linalg.inv is paddle.inverse and paddle.fft.fft\n")
    subprocess.run([sys.executable, "-m", "proa", "run", str(script)], check=True, cwd=tmp_path)


def test_program_of_matrices_of_unknown_count():
    from proa import static

    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            x = static.data("x", [-1, 3, 3], "float64")
            results = [paddle.linalg.inv(x), paddle.linalg.pinv(x), *paddle.linalg.svd(x), paddle.fft.fftshift(x),
                       paddle.fft.rfft2(x), paddle.signal.istft(paddle.signal.stft(x.flatten(1), 4), 4)]
        fed = np.random.default_rng(0).standard_normal((4, 3, 3))
        found = static.Executor().run(program, feed={"x": fed}, fetch_list=results)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found[0], np.linalg.inv(fed))
    np.testing.assert_allclose(found[1], np.linalg.pinv(fed))
    np.testing.assert_allclose(found[5], np.fft.fftshift(fed))
    assert [list(v.shape) for v in found[-2:]] == [[4, 3, 2], [4, 9]]


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("staged", [False, True])
def test_the_gradient_of_pinv_is_the_slope_where_singular_values_are_cut(staged, hermitian):
    rng = np.random.default_rng(1)
    array, weights = rng.normal(size=(2, 4, 4 if hermitian else 3)), rng.normal(size=(2, 4 if hermitian else 3, 4))
    turns = np.linalg.svd(array)
    array = turns[0][..., :array.shape[-1]] * np.array([5.0, 3.0, 0.7, 0.2])[:array.shape[-1]] @ turns[2]
    if hermitian:
        array = turns[0] * np.array([5.0, 3.0, 0.7, 0.2]) @ turns[0].swapaxes(-1, -2)

    def total(x):
        x = (x + x.transpose([0, 2, 1])) * 0.5 if hermitian else x
        return (paddle.linalg.pinv(x, 0.3, hermitian) * paddle.to_tensor(weights)).sum()

    x = paddle.to_tensor(array, stop_gradient=False)
    (paddle.jit.to_static(total, full_graph=True) if staged else total)(x).backward()
    along = rng.normal(size=array.shape)
    slope = total(paddle.to_tensor(array + 1e-5 * along)) - total(paddle.to_tensor(array - 1e-5 * along))
    np.testing.assert_allclose((x.grad.numpy() * along).sum(), slope.item() / 2e-5, rtol=1e-6)


@pytest.mark.parametrize(("shapes", "axes", "whole"), [
    (([2, 3, 4, 5], [3, 2, 4, 6]), [[0, 1, 2], [1, 0]], ([0, 1, 2], [1, 0, 2])),
    (([2, 3, 4], [3, 2, 4]), [[0, 1], [1, 0, 2]], ([0, 1, 2], [1, 0, 2])),
    (([3, 4, 5], [3, 4, 5]), [[0, 1], []], ([0, 1], [0, 1])), (([3, 4, 5], [3, 4, 5]), [[], [0]], ([0], [0])),
    (([3, 4, 5], [3, 4, 2]), (0, 1), ([0, 1], [0, 1])), (([3, 4], [5, 6]), [], 0)])
def test_lists_of_axes_of_two_lengths(shapes, axes, whole):
    """The shorter list of `tensordot` goes on like the longer, as in PaddlePaddle."""
    x, y = (np.arange(np.prod(shape), dtype="float64").reshape(shape) for shape in shapes)
    for given in (axes, *([paddle.to_tensor(axes), np.array(axes), range(2)] if axes == (0, 1) else [])):
        found = paddle.tensordot(paddle.to_tensor(x), paddle.to_tensor(y), given)
        np.testing.assert_allclose(found, np.tensordot(x, y, whole))


def test_sizes_along_axes():
    one, many = paddle.rand([3, 1, 5]), paddle.rand([1, 4, 5])
    wanted = np.einsum("aic,abj->icbj", one.numpy(), np.broadcast_to(many.numpy(), [3, 4, 5]))
    np.testing.assert_allclose(paddle.tensordot(one, many, [[0], [0]]), wanted, rtol=1e-5)
    assert paddle.tensordot(one, many, [0, 1, 2]).shape == []
    for axes in ([1, 0], 2, [[0], [0]]):  # of the first the numbers of elements would fit
        with pytest.raises(ValueError, match=r"tensordot\(x, y, axes\): sizes along dimension"):
            paddle.tensordot(paddle.rand([3, 4, 5]), paddle.rand([4, 3, 2]), axes)
    for wrong in ([2, 1], [2, 4]):
        with pytest.raises(ValueError, match=r"inner\(x, y\): the last dimensions"):
            paddle.inner(paddle.rand(wrong), paddle.rand([4, 3]))
    for axes in (-1, 4):
        with pytest.raises(ValueError, match="must be 0 to 3"):
            paddle.tensordot(paddle.rand([3, 4, 5]), paddle.rand([4, 3, 2]), axes)


def test_inner_of_a_single_element_multiplies():
    x = paddle.arange(6.0).reshape([2, 3])
    for one in (paddle.to_tensor(2.0), paddle.to_tensor([2.0]), paddle.to_tensor([[2.0]])):
        assert paddle.inner(x, one).tolist() == paddle.inner(one, x).tolist() == (x * 2.0).tolist()
    assert paddle.inner(paddle.ones([1]), paddle.ones([3, 1])).shape == [3, 1]
    with pytest.raises(ValueError, match="inner"):
        paddle.inner(x, paddle.ones([2]))


@pytest.mark.parametrize("triangle", ["L", "U"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradient_of_hermitian_matrices_is_hermitian(dtype, triangle):
    """So that a step along it leaves one."""
    draw = np.random.RandomState(0).rand(3, 3) + np.eye(3) * 2
    x = tensor((draw + draw.T + (1j * (draw - draw.T) if dtype == "complex128" else 0)).astype(dtype), True)
    values, vectors = paddle.linalg.eigh(x, triangle)
    weights = paddle.to_tensor(np.arange(9.0).reshape(3, 3))
    gradient = paddle.grad((vectors.abs() * weights).sum() + values.sum(), x)[0].numpy()
    np.testing.assert_allclose(gradient, gradient.conj().T, atol=1e-12)
    step = np.array([[1, 2, 0], [2, -1, 0.5], [0, 0.5, 3]]) * 1e-6

    def at(matrix):
        values, vectors = paddle.linalg.eigh(tensor(matrix), triangle)
        return float((vectors.abs() * weights).sum() + values.sum())

    slope = (at(x.numpy() + step) - at(x.numpy() - step)) / 2
    np.testing.assert_allclose((gradient.real * step).sum(), slope, rtol=1e-5)


def test_a_list_of_one_share_is_that_share():
    x = tensor([[1.0, 4.0], [2.0, 8.0]])
    for quantile in (paddle.quantile, paddle.nanquantile):
        assert quantile(x, [0.5]).tolist() == 3.0 and quantile(x, (0.5,), 1).tolist() == [2.5, 5.0]
