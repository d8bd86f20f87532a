"""Sparse tensors beyond what PaddlePaddle computes on a CPU: products, attention, gradients of gradients, refusals."""

import copy
import pickle

import numpy as np
import proa as paddle
import pytest
from proa import sparse

F = sparse.nn.functional


def _random(shape, seed=0, density=0.5, sparse_dim=None):
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal(shape) * (rng.random(shape) < density)
    return dense, paddle.to_tensor(dense).to_sparse_coo(sparse_dim or len(shape))


def _formats(x):
    return [x, x.to_sparse_csr()]


def _leaf(array):
    return paddle.to_tensor(array, stop_gradient=False)


@pytest.mark.parametrize("shapes", [((4, 5), (5, 3)), ((2, 4, 5), (2, 5, 3)), ((2, 4, 5), (5, 3)), ((3, 2), (2, 0))])
@pytest.mark.parametrize("kind", [0, 1])
def test_product_with_a_dense_matrix_and_its_gradients(shapes, kind):
    dense, x = _random(shapes[0])
    x = _formats(x)[kind]
    x.stop_gradient = False
    y = _leaf(np.random.default_rng(1).standard_normal(shapes[1]))
    out = sparse.matmul(x, y)
    np.testing.assert_allclose(out.numpy(), dense @ y.numpy(), atol=1e-12)
    (out * out).sum().backward()
    a, b = _leaf(dense), _leaf(y.numpy())
    other = paddle.matmul(a, b)
    (other * other).sum().backward()
    np.testing.assert_allclose(x.grad.to_dense().numpy(), a.grad.numpy() * (dense != 0), atol=1e-12)
    np.testing.assert_allclose(y.grad.numpy(), b.grad.numpy(), atol=1e-12)


@pytest.mark.parametrize("shapes", [((4, 5), (5, 3)), ((2, 4, 5), (2, 5, 3))])
@pytest.mark.parametrize("kind", [0, 1])
def test_product_of_two_sparse_matrices(shapes, kind):
    (a, x), (b, y) = _random(shapes[0]), _random(shapes[1], seed=1)
    x, y = _formats(x)[kind], _formats(y)[kind]
    x.stop_gradient = y.stop_gradient = False
    out = x @ y
    assert out.is_sparse_csr() == x.is_sparse_csr()
    np.testing.assert_allclose(out.to_dense().numpy(), a @ b, atol=1e-12)
    sparse.square(out).to_dense().sum().backward()
    p, q = _leaf(a), _leaf(b)
    paddle.square(p @ q).sum().backward()
    np.testing.assert_allclose(x.grad.to_dense().numpy(), p.grad.numpy() * (a != 0), atol=1e-12)
    np.testing.assert_allclose(y.grad.to_dense().numpy(), q.grad.numpy() * (b != 0), atol=1e-12)


def test_large_products_are_taken_in_pieces():
    dense, x = _random((300, 400), density=0.2)
    y = np.random.default_rng(1).standard_normal((400, 200))
    np.testing.assert_allclose(sparse.matmul(x, paddle.to_tensor(y)).numpy(), dense @ y, atol=1e-10)


def test_vector_masked_and_added_products():
    dense, x = _random((4, 5))
    vec, y, base = (np.random.default_rng(n).standard_normal(s) for n, s in enumerate([(5,), (5, 3), (4, 3)]))
    np.testing.assert_allclose(sparse.mv(x, paddle.to_tensor(vec)).numpy(), dense @ vec)
    out = sparse.addmm(paddle.to_tensor(base), x.to_sparse_csr(), paddle.to_tensor(y), beta=2.0, alpha=0.5)
    np.testing.assert_allclose(out.numpy(), base * 2 + dense @ y * 0.5)
    square, s = _random((4, 4), seed=3)
    out = sparse.addmm(s, s, s, alpha=3.0)
    np.testing.assert_allclose(out.to_dense().numpy(), square + 3 * square @ square)
    left, right = _leaf(np.ones((4, 2))), _leaf(np.arange(8.0).reshape(2, 4))
    for mask in _formats(s):
        out = sparse.masked_matmul(left, right, mask)
        np.testing.assert_allclose(out.to_dense().numpy(), (left @ right).numpy() * (square != 0))
    out.values().sum().backward()
    np.testing.assert_allclose(right.grad.numpy(), np.tile((square != 0).sum(0), (2, 1)))


def test_attention_is_that_of_dense_tensors_with_a_mask():
    rng = np.random.default_rng(0)
    q, k, v = (_leaf(rng.standard_normal((2, 3, 4, 5)).astype("float32")) for _ in range(3))
    seen = np.tril(np.ones((4, 4), "float32"))
    mask = paddle.to_tensor(np.tile(seen, (6, 1, 1))).to_sparse_csr()
    padding = np.ones((2, 4), "float32")
    padding[1, 2] = 0
    other = np.ones((4, 4), "float32")
    other[3, 1] = 0
    out = F.attention(q, k, v, mask, paddle.to_tensor(padding), paddle.to_tensor(other))
    whole = seen[None, None] * padding[:, None, None, :] * other
    bias = paddle.to_tensor(np.where(whole == 0, -1e30, 0).astype("float32"))
    scores = paddle.nn.functional.softmax(q @ k.transpose([0, 1, 3, 2]) / 5 ** 0.5 + bias)
    np.testing.assert_allclose(out.numpy(), (scores @ v).numpy(), atol=1e-6)
    found = paddle.grad(out.square().sum(), [q, k, v])
    wanted = paddle.grad((scores @ v).square().sum(), [q, k, v])
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), atol=1e-5)


def test_gradients_of_gradients():
    x = sparse.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [1.0, 2.0, 3.0], [3, 3], stop_gradient=False)
    [g] = paddle.grad(sparse.pow(x, 3).to_dense().sum(), x, create_graph=True)
    assert g.is_sparse_coo() and g.values().tolist() == [3.0, 12.0, 27.0]
    assert paddle.grad(g.values().sum(), x)[0].values().tolist() == [6.0, 12.0, 18.0]


def test_gradient_reaches_the_tensor_of_values():
    values = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x = sparse.sparse_coo_tensor([[0, 1]], values * 3, [2], stop_gradient=False)
    (x.to_dense() * 2).sum().backward()
    assert values.grad.tolist() == [6.0, 6.0]
    assert sparse.sparse_coo_tensor([[0, 1]], values, [2]).stop_gradient


def test_accumulates_clears_retains_and_hooks():
    x = sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3], stop_gradient=False)
    seen = []
    x.register_hook(lambda g: seen.append(g.values().tolist()))
    y = sparse.square(x)
    y.retain_grads()
    y.backward(y)
    sparse.square(x).to_dense().sum().backward()
    assert x.grad.values().tolist() == [4.0, 20.0] and y.grad.values().tolist() == [1.0, 4.0]
    assert seen == [[2.0, 16.0], [2.0, 4.0]]
    x.clear_grad()
    assert x.grad.values().tolist() == [0.0, 0.0]


def test_entries_of_one_place_add_up():
    x = sparse.sparse_coo_tensor([[1, 0, 1], [0, 2, 0]], [1.0, 2.0, 3.0], [2, 3], stop_gradient=False)
    assert x.to_dense().tolist() == [[0.0, 0.0, 2.0], [4.0, 0.0, 0.0]]
    assert x.to_sparse_csr().values().tolist() == [2.0, 4.0]
    assert sparse.add(x, x).values().tolist() == [4.0, 8.0]
    x.coalesce().to_dense().sum().backward()
    assert x.grad.values().tolist() == [1.0, 1.0, 1.0]


def test_python_s_operators():
    dense, x = _random((3, 4))
    for s in _formats(x):
        for found, wanted in ((s + s, 2 * dense), (s - s, 0 * dense), (s * s, dense * dense), (2 * s, 2 * dense),
                              (s / 2, dense / 2), (-s, -dense), (s ** 2, dense ** 2), (abs(s), abs(dense)),
                              (s.T, dense.T)):
            np.testing.assert_allclose(found.to_dense().numpy(), wanted)
        np.testing.assert_allclose((s @ paddle.to_tensor(dense.T)).numpy(), dense @ dense.T)
        assert s.astype("float32").dtype is paddle.float32
        assert s.is_sparse() and not s.is_dense() and not s.is_selected_rows()
        assert (s.ndim, s.size, int(s.numel()), len(s), s.element_size()) == (2, 12, 12, 3, 8)


def test_without_entries():
    for x in _formats(paddle.zeros([2, 3]).to_sparse_coo(2)):
        assert x.nnz() == 0 and x.to_dense().tolist() == [[0.0] * 3] * 2
        assert sparse.add(x, x).nnz() == 0 and F.softmax(x).nnz() == 0
        assert sparse.sum(x).to_dense().sum().item() == 0
        assert sparse.matmul(x, paddle.ones([3, 2])).tolist() == [[0.0, 0.0]] * 2
        assert sparse.transpose(x, [1, 0]).shape == [3, 2]
    empty = paddle.zeros([1, 3, 3, 3, 2]).to_sparse_coo(4)
    assert F.subm_conv3d(empty, paddle.ones([3, 3, 3, 2, 1])).nnz() == 0
    assert F.conv3d(empty, paddle.ones([3, 3, 3, 2, 1])).nnz() == F.max_pool3d(empty, 2).nnz() == 0


def test_shown_copied_and_pickled():
    x = sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3], stop_gradient=False)
    assert repr(x) == ("Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=False,\n"
                       "       indices=[[0, 1],\n                [2, 0]],\n       values=[1., 2.])")
    assert repr(x.to_sparse_csr()).endswith("crows=[0, 1, 2],\n       cols=[2, 0],\n       values=[1., 2.])")
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone()):
        assert other.to_dense().tolist() == x.to_dense().tolist() and not other.stop_gradient
        assert other.values() is not x.values()
    assert x.detach().stop_gradient and not x.stop_gradient


def test_dense_operators_say_what_to_do():
    x = sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [2])
    for act in (lambda: paddle.exp(x), lambda: paddle.ones([2]) + x, lambda: x[0], x.numpy, lambda: x.mean(),
                lambda: paddle.concat([x, x]), lambda: x.set_value(np.ones(2, "float32"))):
        with pytest.raises(TypeError, match=r"x.to_dense\(\)|must be given sparse tensors"):
            act()
    for name in ("nnz", "values", "indices", "crows", "cols", "coalesce"):
        with pytest.raises(TypeError, match=rf"{name}\(\): is of sparse .*to_sparse_coo"):
            getattr(paddle.ones([2]), name)()
    assert paddle.ones([2]).to_dense().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("act", "error", "match"), [
    (lambda x, d: sparse.sin(d), TypeError, r"paddle\.sparse\.sin\(x\): must be given sparse tensors"),
    (lambda x, d: sparse.add(x, x.to_sparse_csr()), TypeError, "both must be coo.* or both csr"),
    (lambda x, d: sparse.add(x, sparse.reshape(x, [2, 3])), ValueError, "both must have one shape"),
    (lambda x, d: sparse.matmul(x, d[:1]), ValueError, r"\[\*, M, K\] goes with"),
    (lambda x, d: sparse.matmul(d, x), TypeError, "must be given sparse tensors"),
    (lambda x, d: sparse.mv(x, d), ValueError, r"vec \[N\]"),
    (lambda x, d: sparse.masked_matmul(d, d, x), ValueError, "go with a mask"),
    (lambda x, d: sparse.transpose(x, [0, 0]), ValueError, "must name each of 2 dimensions once"),
    (lambda x, d: sparse.reshape(x, [4]), ValueError, "must hold the 6 elements"),
    (lambda x, d: sparse.slice(x, [0], [2], [1]), ValueError, "must end behind its start"),
    (lambda x, d: sparse.coalesce(x.to_sparse_csr()), TypeError, "takes coo tensors"),
    (lambda x, d: F.softmax(x.to_sparse_csr(), 0), NotImplementedError, "axis must be the last one"),
    (lambda x, d: F.conv3d(x, paddle.ones([1, 1, 1, 2, 2])), ValueError, r"sparse_dim=4"),
    (lambda x, d: sparse.nn.BatchNorm(2)(x), ValueError, "all dimensions but the channels"),
    (lambda x, d: sparse.nn.BatchNorm(2)(d), TypeError, "must be given sparse tensors"),
    (lambda x, d: sparse.nn.Conv3D(2, 2, 3, groups=2), ValueError, "groups must be 1"),
    (lambda x, d: sparse.nn.MaxPool3D(2, return_mask=True), NotImplementedError, "there is no mask"),
    (lambda x, d: sparse.sparse_coo_tensor([[0, 5]], [1.0, 2.0], [3]), ValueError, r"must lie in \[0, 3\)"),
    (lambda x, d: sparse.sparse_coo_tensor([[0.0]], [1.0], [3]), TypeError, "must be integers"),
    (lambda x, d: sparse.sparse_coo_tensor([0], [1.0], [3]), ValueError, r"\[sparse_dim, nnz\]"),
    (lambda x, d: sparse.sparse_csr_tensor([0, 2, 1], [0], [1.0], [2, 2]), ValueError, "rise, and end"),
    (lambda x, d: sparse.sparse_csr_tensor([0, 1], [0], [1.0], [2, 2]), ValueError, r"2 \+ 1 elements"),
    (lambda x, d: d.to_sparse_coo(3), ValueError, r"\[1, 2\] for 2 dimensions"),
    (lambda x, d: d[0].to_sparse_csr(), ValueError, "2 or 3 dimensions"),
])
def test_refusals(act, error, match):
    d = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    with pytest.raises(error, match=match):
        act(d.to_sparse_coo(2), d)


def test_a_program_has_no_sparse_values():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            with pytest.raises(NotImplementedError, match="^A Program cannot make a sparse coo.*Make it outside"):
                paddle.static.data("x", [2, 2]).to_sparse_coo(2)
    finally:
        paddle.disable_static()


def test_a_network_of_voxels_learns():
    paddle.seed(0)
    dense = (np.random.default_rng(0).random((2, 6, 6, 6, 1)) < 0.1).astype("float32")
    net = paddle.nn.Sequential(sparse.nn.SubmConv3D(1, 4, 3, padding=1, key="a"), sparse.nn.BatchNorm(4),
                               sparse.nn.ReLU(), sparse.nn.Conv3D(4, 4, 2, stride=2), sparse.nn.LeakyReLU(),
                               sparse.nn.MaxPool3D(3))
    head = paddle.nn.Linear(4, 1)
    optimizer = paddle.optimizer.Adam(0.05, parameters=[*net.parameters(), *head.parameters()])
    target = paddle.to_tensor([[1.0], [-1.0]])
    x = paddle.to_tensor(dense).to_sparse_coo(4)
    losses = []
    for _ in range(15):
        features = net(x).to_dense().reshape([2, 4])
        loss = (head(features) - target).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 4
    assert {name for name, _ in net.named_parameters()} >= {"0.weight", "0.bias", "1.weight", "3.weight"}
    restored = copy.deepcopy(net)
    restored.set_state_dict(net.state_dict())
    net.eval(), restored.eval()
    np.testing.assert_array_equal(restored(x).values().numpy(), net(x).values().numpy())


def test_batch_norm_uses_running_statistics_in_evaluation():
    layer = sparse.nn.BatchNorm(1)
    x = sparse.sparse_coo_tensor([[0, 0], [0, 1], [0, 1]], [[1.0], [3.0]], [1, 2, 2, 1])
    layer(x)
    layer.eval()
    mean, variance = layer._mean.item(), layer._variance.item()
    np.testing.assert_allclose(layer(x).values().numpy()[:, 0], (np.array([1, 3]) - mean) / np.sqrt(variance + 1e-5),
                               rtol=1e-5)
    assert type(sparse.nn.SyncBatchNorm.convert_sync_batchnorm(layer)) is sparse.nn.SyncBatchNorm


def test_same_padding_keeps_sizes_and_ceil_mode_counts_the_rest():
    x = paddle.ones([1, 3, 4, 5, 1]).to_sparse_coo(4)
    assert F.conv3d(x, paddle.ones([2, 3, 2, 1, 2]), padding="SAME").shape == [1, 3, 4, 5, 2]
    assert F.max_pool3d(x, 2, ceil_mode=True).shape == [1, 2, 2, 3, 1]
    padded = F.conv3d(x, paddle.ones([2, 3, 2, 1, 2]), padding="SAME").to_dense().numpy()
    dense = paddle.nn.functional.conv3d(x.to_dense(), paddle.ones([2, 1, 2, 3, 2]), padding="SAME",
                                        data_format="NDHWC").numpy()
    np.testing.assert_allclose(padded, dense)


def test_on_a_device():
    from devices_of_tests import KIND, on_device

    dense, _ = _random((4, 5))
    with on_device():
        x = paddle.to_tensor(dense).to_sparse_coo(2)
        x.stop_gradient = False
        y = paddle.to_tensor(dense.T.copy())
        out = sparse.matmul(x.to_sparse_csr(), y)
        (out * F.softmax(x @ x.T).to_dense()).sum().backward()
        assert out.place.kind == x.grad.values().place.kind == KIND
        np.testing.assert_allclose(out.numpy(), dense @ dense.T, atol=1e-12)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("places", [[[0, 1, 1], [1, 0, 2]], [[1, 0, 1], [0, 1, 2]], [[1, 0, 1], [0, 1, 0]]],
                         ids=["in order", "in another order", "one twice"])
def test_entries_at_the_same_places_are_combined(name, places):
    x, y = (paddle.sparse.sparse_coo_tensor(places, values, [2, 3]) for values in ([1.0, 2.0, 4.0], [3.0, 5.0, 7.0]))
    found = getattr(paddle.sparse, name)(x, y)
    wanted = getattr(paddle, name)(x.to_dense(), y.to_dense())
    assert found.to_dense().tolist() == wanted.tolist()
    assert found.nnz() == len({tuple(place) for place in zip(*places, strict=True)})
    rows = x.to_sparse_csr()
    assert rows.to_dense().tolist() == x.to_dense().tolist() and rows.nnz() == found.nnz()
