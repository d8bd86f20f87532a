"""What losses, graphs and masks do beside what fixtures hold: errors, chance, steadiness, sparse attention."""

import functools
import itertools

import numpy as np
import proa as paddle
import pytest
from proa import geometric as G
from proa import nn
from proa.core.flags import flags_guard
from proa.nn import functional as F

floats = np.random.default_rng(0).standard_normal
ones = paddle.ones


def _ints(*values, dtype="int64"):
    return paddle.to_tensor(list(values), dtype=dtype)


def _matrix(*shape):
    return paddle.to_tensor(floats(shape).astype("float32"))


CTC = (_matrix(4, 2, 3), paddle.to_tensor([[1, 2], [2, 2]], dtype="int32"), _ints(4, 4), _ints(2, 1))
WRONG = {
    "a bound of no size": lambda: nn.ClipGradByValue(0.0),
    "bounds in the wrong order": lambda: nn.ClipGradByValue(-1.0),
    "a probability above 1": lambda: paddle.distribution.Bernoulli(1.5),
    "labels of ctc": lambda: F.ctc_loss(CTC[0], CTC[1] + 2, *CTC[2:]),
    "lengths of ctc": lambda: F.ctc_loss(CTC[0], CTC[1], _ints(5, 4), CTC[3]),
    "blank of ctc": lambda: F.ctc_loss(*CTC, blank=3),
    "rank of ctc": lambda: F.ctc_loss(CTC[0][0], *CTC[1:]),
    "reduction": lambda: nn.CTCLoss(reduction="max"),
    "lengths of rnnt": lambda: F.rnnt_loss(_matrix(1, 2, 2, 3), _ints(1).reshape([1, 1]), _ints(3), _ints(1)),
    "labels of rnnt": lambda: F.rnnt_loss(_matrix(1, 2, 2, 3), _ints(3).reshape([1, 1]), _ints(2), _ints(1)),
    "labels of a tree": lambda: F.hsigmoid_loss(ones([1, 2]), _ints(4), 4, ones([3, 2])),
    "features of a tree": lambda: F.hsigmoid_loss(ones([1, 2]), _ints(3), 4, ones([3, 3])),
    "ways without turns": lambda: F.hsigmoid_loss(ones([1, 2]), _ints(3), 4, ones([3, 2]), None, _ints(0).reshape(
        [1, 1])),
    "ways of a complete tree": lambda: nn.HSigmoidLoss(2, 4)(ones([1, 2]), _ints(3), _ints(0), _ints(0)),
    "label of a margin": lambda: F.margin_cross_entropy(ones([1, 3]) * 0.5, _ints(3)),
    "shapes of dice": lambda: F.dice_loss(ones([2, 3]), ones([2, 2])),
    "epsilon": lambda: F.poisson_nll_loss(ones([1]), ones([1]), epsilon=0.0),
    "variance": lambda: F.gaussian_nll_loss(ones([2, 3]), ones([2, 3]), ones([3, 2])),
    "margin": lambda: F.triplet_margin_loss(ones([1, 2]), ones([1, 2]), ones([1, 2]), margin=-1.0),
    "weight": lambda: F.multi_margin_loss(ones([1, 2]), _ints(1), weight=ones([3])),
    "cosine margin": lambda: nn.CosineEmbeddingLoss(margin=2.0),
    "maxlen": lambda: F.sequence_mask(_ints(1), -2),
    "parents": lambda: F.gather_tree(_ints(1).reshape([1, 1, 1]), _ints(1).reshape([1, 1, 1])),
    "samples": lambda: F.class_center_sample(_ints(1), 3, 4),
    "classes": lambda: F.class_center_sample(_ints(3), 3, 2),
    "edges": lambda: G.send_u_recv(ones([2, 1]), _ints(2), _ints(0)),
    "targets": lambda: G.send_u_recv(ones([2, 1]), _ints(1), _ints(1), out_size=1),
    "reduce_op": lambda: G.send_u_recv(ones([2, 1]), _ints(1), _ints(1), "median"),
    "message_op": lambda: G.send_uv(ones([2, 1]), ones([2, 1]), _ints(1), _ints(1), "pow"),
    "segments that fall": lambda: G.segment_sum(ones([2]), _ints(1, 0)),
    "segments of other rows": lambda: G.segment_sum(ones([2]), _ints(1)),
    "nodes": lambda: G.sample_neighbors(_ints(0), _ints(0, 1), _ints(1)),
    "no eids": lambda: G.sample_neighbors(_ints(0), _ints(0, 1), _ints(0), return_eids=True),
    "counts": lambda: G.reindex_graph(_ints(0), _ints(0, 1), _ints(1)),
    "identity": lambda: paddle.incubate.identity_loss(ones([1]), "max"),
    "causal": lambda: paddle.incubate.softmax_mask_fuse_upper_triangle(ones([1, 1, 2, 3])),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused(call):
    with pytest.raises(ValueError, match="Received|must"):
        call()


@pytest.mark.parametrize("call", [lambda: F.margin_cross_entropy(ones([1, 2]), _ints(1), group=object()),
                                  lambda: F.class_center_sample(_ints(1), 3, 2, group=object())])
def test_groups_of_processes_are_refused(call):
    with pytest.raises(NotImplementedError, match="group"):
        call()


def test_ctc_of_long_sequences_stays_finite():
    scores = paddle.to_tensor((floats((600, 2, 20)) * 30).astype("float32"), stop_gradient=False)
    labels = paddle.to_tensor(np.random.default_rng(1).integers(1, 20, (2, 60)), dtype="int32")
    loss = F.ctc_loss(scores, labels, _ints(600, 500), _ints(60, 41))
    loss.backward()
    assert np.isfinite(loss.item()) and np.isfinite(scores.grad.numpy()).all()
    np.testing.assert_allclose(scores.grad.numpy().sum(2), 0, atol=1e-5)
    assert not scores.grad.numpy()[500:, 1].any()


def test_third_derivatives_of_ctc_are_refused():
    scores = paddle.to_tensor(CTC[0].numpy(), stop_gradient=False)
    first = paddle.grad(F.ctc_loss(scores, *CTC[1:]), scores, create_graph=True)[0]
    second = paddle.grad((first ** 2).sum(), scores, create_graph=True)[0]
    with pytest.raises(NotImplementedError, match="twice"):
        paddle.grad((second ** 2).sum(), scores)


def test_losses_train():
    """Each loss falls when its network follows the gradient."""
    paddle.seed(0)
    x = _matrix(6, 2, 4)
    net = nn.Linear(4, 5)
    rule = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    labels, lengths = paddle.to_tensor([[1, 2], [3, 4]], dtype="int32"), (_ints(6, 6), _ints(2, 2))
    losses = []
    for _ in range(40):
        loss = nn.CTCLoss()(net(x), labels, *lengths)
        loss.backward()
        rule.step()
        rule.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_focal_loss_without_focus_is_cross_entropy():
    x, y = _matrix(3, 4), paddle.to_tensor((floats((3, 4)) > 0).astype("float32"))
    np.testing.assert_allclose(F.sigmoid_focal_loss(x, y, alpha=0.5, gamma=0.0).item(),
                               0.5 * F.binary_cross_entropy_with_logits(x, y, reduction="sum").item(), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("options", [{}, {"reduction": "none"}, {"weight": ones([3]) * 2}, {"label_smoothing": 0.1},
                                     {"ignore_index": 2}])
@pytest.mark.parametrize("column", [False, True])
def test_class_numbers_that_are_whole_floats(dtype, options, column):
    """PaddlePaddle takes them, in its forward."""
    labels = _ints(1, 0, 2)
    labels, scores = labels.unsqueeze(1) if column else labels, _matrix(3, 3).numpy()
    for loss in (F.cross_entropy, paddle.jit.to_static(lambda *args, **options: F.cross_entropy(*args, **options))):
        found = []
        for given in (labels, labels.astype(dtype)):
            x = paddle.to_tensor(scores, stop_gradient=False)
            value = loss(x, given, **options)
            value.sum().backward()
            found.append(np.concatenate([value.numpy().ravel(), x.grad.numpy().ravel()]))
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"reduction": "none"}, {"reduction": "sum"}])
def test_smoothed_distributions_need_no_soft_label(options):
    """Labels of the scores' shape are distributions where they are smoothed, as PaddlePaddle's own example has it."""
    x, labels = _matrix(4, 3), _ints(0, 2, 1, 1)
    wanted = F.cross_entropy(x, labels, label_smoothing=0.4, **{**options, "axis": -1}).numpy().ravel()
    for dtype in ("float32", "float64", "int64"):
        given = F.one_hot(labels, 3).astype(dtype)
        np.testing.assert_allclose(F.cross_entropy(x, given, label_smoothing=0.4, **options).numpy().ravel(), wanted,
                                   rtol=1e-6)


@pytest.mark.parametrize("options", [{"weight": ones([3]) * 2}, {"label_smoothing": 0.3},
                                     {"weight": paddle.to_tensor([0.5, 1.0, 3.0]), "label_smoothing": 0.3}])
@pytest.mark.parametrize("kind", ["numbers", "column", "distributions"])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_classes_that_are_not_the_last_dimension(options, kind, reduction):
    """Weights and smoothing go along `axis`; here as many places as classes, so that a wrong dimension would fit."""
    x, labels = paddle.rand([4, 3, 3]), paddle.randint(0, 3, [4, 3])
    first, last = {"numbers": (labels, labels), "column": (labels.unsqueeze(1), labels.unsqueeze(2)),
                   "distributions": (lambda y: (y.transpose([0, 2, 1]), y))(F.softmax(paddle.rand([4, 3, 3])))}[kind]
    options = {**options, "reduction": reduction, "soft_label": kind == "distributions"}
    wanted = F.cross_entropy(x.transpose([0, 2, 1]), last, **options).numpy()
    given = F.cross_entropy(x, first, axis=1, **options).numpy()
    np.testing.assert_allclose(given, wanted.reshape(given.shape), rtol=1e-5)


def test_class_numbers_of_other_kinds():
    x = _matrix(2, 2)
    for loss in (F.cross_entropy, lambda x, y: F.softmax_with_cross_entropy(x, y).mean()):
        np.testing.assert_array_equal(loss(x, paddle.to_tensor([True, False])), loss(x, _ints(1, 0)))
        with pytest.raises(ValueError, match="must be whole.*soft_label=True"):
            loss(x, paddle.to_tensor([0.3, 1.0]))
    with pytest.raises(TypeError, match=r"label.astype\('int64'\)"):
        F.nll_loss(x, paddle.to_tensor([1.0, 0.0]))


def test_logarithms_of_binary_cross_entropy_are_cut_at_100():
    x = paddle.to_tensor([0.0, 1.0, 0.0, 1.0])
    loss = F.binary_cross_entropy(x, paddle.to_tensor([1.0, 0.0, 0.0, 1.0]), reduction="none")
    np.testing.assert_allclose(loss, [100.0, 100.0, 0.0, 0.0])


def test_margin_cross_entropy_without_margins_is_cross_entropy():
    x, y = paddle.to_tensor(np.tanh(floats((3, 4))).astype("float32")), _ints(1, 0, 3)
    loss, softmax = F.margin_cross_entropy(x, y, 1.0, 0.0, 0.0, 8.0, return_softmax=True, reduction="sum")
    np.testing.assert_allclose(loss.item(), F.cross_entropy(x * 8, y, reduction="sum").item(), rtol=1e-4)
    np.testing.assert_allclose(softmax.numpy(), F.softmax(x * 8).numpy(), rtol=1e-4)


def test_the_sum_over_all_classes_of_a_tree_is_one():
    x, weight, bias = _matrix(1, 3), _matrix(7, 3), _matrix(7, 1)
    chances = [np.exp(-F.hsigmoid_loss(x, _ints(c), 8, weight, bias).item()) for c in range(8)]
    np.testing.assert_allclose(sum(chances), 1, rtol=1e-5)


def test_sparse_attention_sees_what_the_pattern_names():
    q, k, v = (_matrix(1, 2, 4, 3) for _ in range(3))
    q.stop_gradient = False
    offset = paddle.to_tensor([[[0, 2, 4, 5, 5], [0, 1, 2, 3, 4]]], dtype="int32")
    columns = paddle.to_tensor([[[0, 1, 1, 3, 2], [3, 2, 1, 0, 0]]], dtype="int32")
    seen = np.zeros((1, 2, 4, 4), bool)
    for head, (starts, places) in enumerate(zip(offset.numpy()[0], columns.numpy()[0], strict=True)):
        for row, (a, b) in enumerate(itertools.pairwise(starts)):
            seen[0, head, row, places[a:b]] = True
    seen[..., 1] = False
    padding = paddle.to_tensor([[1, 0, 1, 1]])
    scores = np.einsum("bhid,bhjd->bhij", q.numpy(), k.numpy()) / np.sqrt(3)
    weights = np.exp(scores) * seen
    weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-9)
    found = F.sparse_attention(q, k, v, offset, columns, padding)
    np.testing.assert_allclose(found.numpy(), weights @ v.numpy(), rtol=1e-5, atol=1e-6)
    found.sum().backward()
    assert not q.grad.numpy()[0, 0, 3].any()


def test_neighbors_are_drawn_fairly():
    paddle.seed(3)
    row, colptr = paddle.arange(10), _ints(0, 4, 10)
    drawn = np.zeros(10)
    for _ in range(400):
        found, count = G.sample_neighbors(row, colptr, _ints(1, 0), 3)
        assert count.tolist() == [3, 3] and len(set(found.tolist())) == 6
        assert (found.numpy()[:3] >= 4).all() and (found.numpy()[3:] < 4).all()
        drawn[found.numpy()] += 1
    assert (abs(drawn[:4] - 300) < 45).all() and (abs(drawn[4:] - 200) < 50).all()
    weight = paddle.to_tensor([1.0, 1.0, 1.0, 9.0] + [1.0] * 6)
    picked = [G.weighted_sample_neighbors(row, colptr, weight, _ints(0), 1)[0].item() for _ in range(400)]
    assert abs(picked.count(3) - 300) < 45


def test_other_class_centers_are_drawn():
    paddle.seed(0)
    found = {tuple(F.class_center_sample(_ints(7, 2), 10, 4)[1].tolist()[2:]) for _ in range(30)}
    assert len(found) > 10 and all(len({2, 7, *pair}) == 4 for pair in found)


def test_extremes_give_each_equal_row_the_gradient():
    x = paddle.to_tensor([[1.0, 2.0], [1.0, 5.0]], stop_gradient=False)
    G.segment_max(x, _ints(0, 0)).sum().backward()
    assert x.grad.tolist() == [[1, 0], [1, 1]]


def test_integer_rows():
    rows = paddle.to_tensor([[1, 5], [3, 2], [7, 7]])
    assert G.segment_max(rows, _ints(0, 0, 2)).tolist() == [[3, 5], [0, 0], [7, 7]]
    assert G.segment_sum(rows, _ints(0, 0, 2)).tolist() == [[4, 7], [0, 0], [7, 7]]
    assert G.segment_sum(rows[:0], _ints(0)[:0]).shape == [0, 2]


def test_mask_of_a_length_that_a_program_learns():
    @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None], "int64")])
    def mask(lengths):
        return F.sequence_mask(lengths, lengths.max() + 1, "float32")

    assert mask(_ints(1, 2)).tolist() == [[1, 0, 0], [1, 1, 0]]


def test_edges_that_are_not_asked_for():
    """PaddlePaddle's example gives False for them, by its place."""
    row, colptr, nodes = _ints(3, 7, 0, 9), _ints(0, 2, 4), _ints(0, 1)
    found = paddle.incubate.graph_khop_sampler(row, colptr, nodes, [4], False)
    assert len(found) == 4 and found[0].shape == [4, 1]


def test_a_smoothed_number_in_a_file(tmp_path):
    """By other operators: PaddlePaddle's own reads a number of classes that there is not."""
    layer = paddle.nn.Layer()
    layer.forward = lambda x: F.label_smooth(x, epsilon=0.2) + F.label_smooth(x, paddle.full([1, 1], 0.5), 0.2)
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([], "float32")])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert "label_smooth" not in [op.type for op in loaded.program().global_block().ops]
    assert float(loaded(paddle.to_tensor(0.5))) == pytest.approx(0.6 + 0.5)


def test_prior_of_smoothed_labels_in_any_shape():
    labels, prior = np.array([[1.0, 0.0], [0.0, 1.0]], "float32"), np.array([0.2, 0.8], "float32")
    for shape in ((2,), (1, 2), (2, 1)):
        for given in (labels, labels[0]):
            found = F.label_smooth(paddle.to_tensor(given), paddle.to_tensor(prior.reshape(shape)), epsilon=0.1)
            np.testing.assert_allclose(found, given * 0.9 + prior * 0.1, rtol=1e-6)
    assert float(F.label_smooth(paddle.to_tensor(3.0), epsilon=0.1)) == pytest.approx(2.8)


LABELLED = {
    "binary_cross_entropy": F.binary_cross_entropy,
    "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
    "weighed logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=ones([3], x.dtype) * 2),
    "kl_div": F.kl_div, "log_loss": F.log_loss, "smooth_l1_loss": F.smooth_l1_loss,
    "sigmoid_focal_loss": F.sigmoid_focal_loss, "mse_loss": F.mse_loss, "l1_loss": F.l1_loss,
    "soft_margin_loss": F.soft_margin_loss, "hinge_embedding_loss": F.hinge_embedding_loss,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("labels", ["int64", "int32", "bool"])
@pytest.mark.parametrize("loss", LABELLED)
def test_a_loss_is_of_the_dtype_of_what_is_judged(loss, labels, dtype):
    x = paddle.to_tensor(np.random.default_rng(1).uniform(0.1, 0.9, [4, 3]).astype(dtype))
    y = paddle.to_tensor([[0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1]], dtype=labels)
    found, expected = LABELLED[loss](x, y), LABELLED[loss](x, y.astype(dtype))
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("loss", ["binary_cross_entropy", "binary_cross_entropy_with_logits", "weighed logits"])
@pytest.mark.parametrize("staged", [False, True])
def test_labels_of_binary_cross_entropy_are_constants(loss, staged):
    """A label that is computed from what is judged, as the overlap of boxes is, does not draw it to itself."""
    def judged(x):
        return LABELLED[loss](x, x * 0.5)

    x = paddle.to_tensor([0.2, 0.6, 0.7], stop_gradient=False)
    (paddle.jit.to_static(judged) if staged else judged)(x).backward()
    found, x.grad = x.grad.numpy(), None
    LABELLED[loss](x, (x * 0.5).detach()).backward()
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-6)


def test_labels_of_binary_cross_entropy_want_no_gradient():
    x, y = paddle.to_tensor([0.2, 0.7], stop_gradient=False), paddle.to_tensor([0.4, 0.6], stop_gradient=False)
    (F.binary_cross_entropy(x, y) + F.binary_cross_entropy_with_logits(x, y)).backward()
    assert y.grad is None
    np.testing.assert_allclose(x.grad.numpy(), [-0.62499994 + 0.07491697, 0.23809515 + 0.03409386], rtol=1e-5)


@pytest.mark.parametrize("shape", [(6, 3), (64, 10), (400, 30), (6, 3, 5)], ids=str)
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss, functools.partial(F.cross_entropy, use_softmax=False)],
                         ids=["cross_entropy", "nll_loss", "of probabilities"])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("engines", ["", "loops"])
def test_of_ignored_rows_nothing_passes_on(shape, loss, reduction, engines):
    """What is padded may hold anything, and what comes back to it may be NaN: 0 / 0 where all of a batch is ignored."""
    label = np.zeros((shape[0], *shape[2:]), "int64")
    label[::2] = -100
    x = np.exp(floats(shape)).astype("float32")
    x[0], x[2], x[4] = np.nan, np.inf, -np.inf
    x = paddle.to_tensor(x, stop_gradient=False)
    with flags_guard({"FLAGS_cpu_engines": engines}):
        found = loss(x, paddle.to_tensor(label), axis=1, reduction=reduction) if loss is not F.nll_loss else loss(
            x, paddle.to_tensor(label), reduction=reduction)
        given = np.where(label == -100, np.nan, 1.0).astype("float32").reshape(found.shape) if found.ndim else 1.0
        found.backward(paddle.to_tensor(given))
    assert np.isfinite(found.numpy()).all()
    assert (found.numpy()[::2] == 0).all() if reduction == "none" else found.item() != 0
    assert (x.grad.numpy()[::2] == 0).all() and np.isfinite(x.grad.numpy()).all()
    assert x.grad.numpy().any()


@pytest.mark.parametrize("use_softmax", [True, False])
def test_of_ignored_rows_nothing_passes_on_in_second_gradients(use_softmax):
    x = np.exp(floats((4, 3))).astype("float32")
    x[1] = np.nan
    x, label = paddle.to_tensor(x, stop_gradient=False), paddle.to_tensor([0, -100, 2, 1])
    first, = paddle.grad([F.cross_entropy(x, label, use_softmax=use_softmax)], [x], create_graph=True)
    second, = paddle.grad([(first * first).sum()], [x])
    assert np.isfinite(second.numpy()).all() and (second.numpy()[1] == 0).all() and second.numpy()[0].any()


def test_what_does_not_count_has_no_slope_whatever_comes_back():
    x = paddle.to_tensor([0.1, 0.2, 0.3], stop_gradient=False)
    loss = F.kl_div(x, paddle.to_tensor([-1.0, 0.0, 0.5]), reduction="none")
    loss.backward(paddle.to_tensor([np.nan, np.inf, 1.0]))
    assert x.grad.tolist() == [0.0, 0.0, -0.5]
    x = paddle.to_tensor([[1.0, 2.0, 4.0, 3.0]], stop_gradient=False)
    F.maxout(x.reshape([1, 4, 1, 1]), 2).backward(paddle.to_tensor([np.nan, np.inf]).reshape([1, 2, 1, 1]))
    np.testing.assert_array_equal(x.grad, [[0, np.nan, np.inf, 0]])
