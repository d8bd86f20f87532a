"""flow.nn's losses: the values that OneFlow's documents show, and the formulas."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest

random = np.random.default_rng(0)


def tensor(values, dtype="float32"):
    return paddle.to_tensor(np.asarray(values, dtype))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def near(value, expected, tolerance=1e-5):
    np.testing.assert_allclose(value.numpy(), expected, rtol=tolerance, atol=1e-6)


LOGITS = [[4, 1, 2], [3, 2, 3], [1, 5, 10]]


def test_cross_entropies():
    near(flow.nn.sparse_softmax_cross_entropy_with_logits(labels=tensor([0, 1, 2], "int32"), logits=tensor(LOGITS)),
         [0.169846, 1.861995, 0.00683825])
    labels = tensor([[0.9, 0.05, 0.05], [0.3, 0.4, 0.3], [0.8, 0.1, 0.1]])
    near(flow.nn.softmax_cross_entropy_with_logits(labels=labels, logits=tensor(LOGITS)),
         -(labels.numpy() * np.log(softmax(np.asarray(LOGITS, float)))).sum(-1))
    prediction = tensor([[0.3, 0.7], [0.4, 0.6], [0.5, 0.5], [0.1, 0.9], [0.2, 0.8]])
    near(flow.nn.sparse_cross_entropy(labels=tensor([0, 1, 1, 0, 1], "int32"), prediction=prediction),
         [1.2039728, 0.5108256, 0.6931472, 2.3025851, 0.22314353])
    labels = tensor([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8]])
    near(flow.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=tensor([[4, 1], [3, 2], [1, 5]])),
         [[1.2181499, 1.0132617], [1.8485874, 0.926928], [1.1132617, 1.0067154]])


def test_sparse_labels_have_the_losses_shape_in_any_number_of_dimensions():
    logits, labels = random.standard_normal((2, 3, 4)).astype("float32"), random.integers(0, 4, (2, 3))
    expected = -np.log(np.take_along_axis(softmax(logits), labels[..., None], -1))[..., 0]
    for dtype in ("int32", "int64"):
        for given in (labels, labels[..., None]):
            near(flow.nn.sparse_softmax_cross_entropy_with_logits(tensor(given, dtype), tensor(logits)), expected)
            near(flow.nn.sparse_cross_entropy(tensor(given, dtype), tensor(softmax(logits))), expected)
            near(flow.nn.distributed_sparse_softmax_cross_entropy_with_logits(tensor(given, dtype), tensor(logits)),
                 expected)


def test_probability_0_counts_as_a_little():
    near(flow.nn.sparse_cross_entropy(tensor([0], "int32"), tensor([[0.0, 1.0]])), [-np.log(1e-20)])


def test_labels_that_are_no_classes_are_refused():
    for label in (-1, -100, 3):
        with pytest.raises(ValueError, match=r"\[0, 3\)"):
            flow.nn.sparse_softmax_cross_entropy_with_logits(tensor([label], "int32"), tensor([[1, 2, 3]]))
    with pytest.raises(TypeError, match="int32 or int64"):
        flow.nn.sparse_softmax_cross_entropy_with_logits(tensor([1.0]), tensor([[1, 2, 3]]))
    with pytest.raises(ValueError, match="one for each row"):
        flow.nn.sparse_softmax_cross_entropy_with_logits(tensor([1, 2], "int32"), tensor([[1, 2, 3]]))
    with pytest.raises(ValueError, match="one shape"):
        flow.nn.softmax_cross_entropy_with_logits(tensor([1.0]), tensor([[1, 2, 3]]))


def test_no_gradient_goes_to_distributions():
    logits, labels = tensor(LOGITS), tensor(softmax(np.asarray(LOGITS, float)))
    logits.stop_gradient = labels.stop_gradient = False
    flow.nn.softmax_cross_entropy_with_logits(labels, logits).sum().backward()
    near(logits.grad, np.zeros((3, 3)))


ONES = np.repeat([[1.0], [2.0], [7.0]], 3, 1)
FOURS = np.full((3, 3), 4.0)


def test_differences_of_the_documents():
    near(flow.nn.L1Loss(tensor(ONES), tensor(FOURS), reduction="mean", name="l1"), 2.6666667)
    near(flow.nn.L1Loss(tensor(ONES), tensor(FOURS), reduction="sum"), 24.0)
    near(flow.nn.MSELoss(tensor(ONES), tensor(FOURS)), 7.3333335)
    near(flow.nn.MSELoss(tensor(ONES), tensor(FOURS), "sum"), 66.0)
    near(flow.nn.MSELoss(tensor(ONES), tensor(FOURS), "none"), (ONES - FOURS) ** 2)
    near(flow.smooth_l1_loss(tensor([0.1, 0.4, 0.3, 0.5, 0.9]), tensor([0.3, 0.9, 2.5, 0.4, 0.3])),
         [0.02, 0.12499999, 1.7, 0.005, 0.17999998])


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_smooth_l1_loss(beta):
    x, y = random.standard_normal((2, 20)) * 2
    away = abs(x - y)
    near(flow.smooth_l1_loss(tensor(x), tensor(y), beta),
         np.where(away < beta, away ** 2 / (2 * beta), away - beta / 2), 1e-4)


def test_binary_cross_entropies_of_the_documents():
    x, target = tensor([[1.2, 0.2, -0.3], [0.7, 0.6, -2]]), tensor([[0, 1, 0], [1, 0, 1]])
    weight, positive = tensor(np.full((2, 3), 2.0)), tensor([1.2, 1.3, 1.4])
    near(flow.nn.BCELoss(paddle.nn.functional.sigmoid(x), target, weight, reduction="mean"), 2.0611262)
    near(flow.nn.BCEWithLogitsLoss(x, target, weight, positive, reduction="mean"), 2.4314096)
    near(flow.nn.BCEWithLogitsLoss(x, target, weight), 2.0611262)
    with pytest.raises(ValueError, match="3 classes"):
        flow.nn.BCEWithLogitsLoss(x, target, weight, tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="one shape"):
        flow.nn.BCELoss(x, target, tensor([1.0]))


def test_rankings_and_divergences_of_the_documents():
    counted = np.arange(1.0, 10).reshape(3, 3)
    twos, threes = tensor(np.full((3, 3), 2.0)), tensor(np.full((3, 3), 3.0))
    near(flow.nn.MarginRankingLoss(tensor(counted), twos, threes, margin=1.0), 0.5555556)
    near(flow.nn.TripletMarginLoss(tensor(counted), twos, threes, margin=1.0, p=2.0), 1.8449262)
    x = tensor([[0.1, 0.2, 0.7], [0.8, 0.9, 0.5], [0.5, 0.15, 0.35]])
    target = tensor([[0.3, 0.1, 0.6], [-0.3, 0.4, 0.4], [0.35, 0.25, 0.4]])
    near(flow.nn.KLDivLoss(x, target, log_target=False, reduction="none"),
         [[-0.39119187, -0.25025854, -0.7264954], [0.0, -0.72651625, -0.56651634],
          [-0.54243773, -0.3840736, -0.5065163]])
    x.stop_gradient = False
    flow.nn.KLDivLoss(x, target, reduction="sum").backward()
    near(x.grad, -np.maximum(target.numpy(), 0))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_triplets_are_measured_by_norms(p):
    a, b, c = random.standard_normal((3, 5, 4)).astype("float32")
    near, far = ((abs(a - other + 1e-6) ** p).sum(1) ** (1 / p) for other in (b, c))
    np.testing.assert_allclose(
        flow.nn.TripletMarginLoss(tensor(a), tensor(b), tensor(c), 0.5, p, reduction="none").numpy(),
        np.maximum(near - far + 0.5, 0), rtol=1e-4, atol=1e-5)
    with pytest.raises(NotImplementedError, match="OneFlow 0.6"):
        flow.nn.TripletMarginLoss(tensor(a), tensor(b), tensor(c), swap=True)


def test_logarithms_as_the_target_of_a_divergence():
    x, target = random.standard_normal((2, 3, 4)).astype("float32")
    near(flow.nn.KLDivLoss(tensor(x), tensor(target), True, "sum"), (np.exp(target) * (target - x)).sum(), 1e-4)


@pytest.mark.parametrize("loss", ["L1Loss", "MSELoss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss"])
def test_reductions_are_three(loss):
    half = tensor([0.5])
    with pytest.raises(ValueError, match=f"{loss}.reduction.*'none', 'mean' or 'sum'"):
        getattr(flow.nn, loss)(half, half, reduction="max")


@pytest.mark.parametrize(("m1", "m2", "m3"), [(1, 0.5, 0), (1, 0, 0.4), (2, 0.1, 0.2)])
def test_combined_margin_loss(m1, m2, m3):
    x = random.uniform(-0.9, 0.9, (3, 4)).astype("float32")
    labels = np.array([1, 0, 3])
    expected = x.copy()
    mine = np.arange(3), labels
    expected[mine] = np.cos(m1 * np.arccos(x[mine]) + m2) - m3
    cosines = tensor(x)
    cosines.stop_gradient = False
    out = flow.combined_margin_loss(cosines, tensor(labels, "int32"), m1, m2, m3)
    near(out, expected, 1e-4)
    out.sum().backward()
    slope = np.ones((3, 4))
    slope[mine] = m1 * np.sin(m1 * np.arccos(x[mine]) + m2) / np.sin(np.arccos(x[mine]))
    near(cosines.grad, slope, 1e-4)


# connectionist temporal classification

STEPS = np.array([
    [[-1.1031, -0.7998, -1.5200], [-0.9808, -1.1363, -1.1908]],
    [[-1.2258, -1.0665, -1.0153], [-1.1135, -1.2331, -0.9671]],
    [[-1.3348, -0.6611, -1.5118], [-0.9823, -1.2355, -1.0941]],
    [[-1.3850, -1.3273, -0.7247], [-0.8235, -1.4783, -1.0994]],
    [[-0.9049, -0.8867, -1.6962], [-1.4938, -1.3630, -0.6547]]])


def ctc(targets, steps=(5, 5), symbols=(3, 3), **options):
    return flow.ctc_loss(tensor(STEPS), tensor(targets, "int32"), tensor(steps, "int32"), tensor(symbols, "int32"),
                         **options)


def test_ctc_loss_of_the_documents():
    targets, losses = [[1, 2, 2], [1, 2, 2]], np.array([3.918017, 2.907672])
    near(ctc(targets, reduction="none"), losses, 1e-4)
    near(ctc(targets), (losses / 3).mean(), 1e-4)
    near(ctc(targets, reduction="sum"), losses.sum(), 1e-4)


def test_what_does_not_fit_into_its_steps_has_an_infinite_loss():
    targets, steps = [[1, 2, 2], [1, 1, 2]], (3, 5)
    lost = ctc(targets, steps, reduction="none").numpy()
    assert np.isinf(lost[0]) and np.isfinite(lost[1])
    assert ctc(targets, steps, reduction="none", zero_infinity=True).numpy()[0] == 0
    assert np.isfinite(ctc(targets, steps, (2, 3), reduction="none").numpy()).all()  # the third is behind the target
    assert np.isfinite(ctc([[1], [2]], (1, 1), (1, 1), reduction="none").numpy()).all()


def test_ctc_greedy_decoder_of_the_documents():
    log_probs = np.array([
        [[-1.54, -1.20, -1.95, -1.65, -1.81], [-1.84, -1.74, -1.58, -1.55, -1.12]],
        [[-1.68, -1.48, -1.89, -1.30, -2.07], [-1.13, -1.45, -1.24, -1.61, -1.66]],
        [[-1.56, -1.40, -2.83, -1.67, -1.48], [-1.20, -2.01, -2.05, -1.95, -1.24]],
        [[-2.09, -1.76, -1.36, -1.67, -1.45], [-1.85, -1.48, -1.34, -2.16, -1.55]]])
    decoded, total = flow.nn.ctc_greedy_decoder(tensor(log_probs), tensor([4, 4], "int64"), merge_repeated=True)
    assert decoded.tolist() == [[1, 3, 1, 2], [0, 2, 0, 0]]
    near(total, [[5.26], [4.79]])
    decoded, total = flow.nn.ctc_greedy_decoder(tensor(log_probs), tensor([2, 3], "int32"), merge_repeated=False)
    assert decoded.tolist() == [[1, 3, 0, 0], [0, 0, 0, 0]] and decoded.dtype == paddle.int32
    near(total, [[2.5], [3.45]])
