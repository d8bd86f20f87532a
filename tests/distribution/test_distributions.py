"""Samples have the moments they should, gradients reach the parameters, and what is wrong is refused."""

import numpy as np
import proa as paddle
import pytest
from proa import distribution as D
from proa.nn import functional as F

_trapezoid = getattr(np, "trapezoid", None) or np.trapz  # its name in NumPy 2, and in 1


KINDS = {
    "Normal": lambda a, b: D.Normal(a, b),
    "LogNormal": lambda a, b: D.LogNormal(a * 0.2, b * 0.3),
    "Uniform": lambda a, b: D.Uniform(a, a + b),
    "Bernoulli": lambda a, b: D.Bernoulli(a * 0.3),
    "Geometric": lambda a, b: D.Geometric(a * 0.3),
    "Beta": lambda a, b: D.Beta(a, b),
    "Dirichlet": lambda a, b: D.Dirichlet(paddle.stack([a, b], -1)),
    "Laplace": lambda a, b: D.Laplace(a, b),
    "Gumbel": lambda a, b: D.Gumbel(a, b),
    "Multinomial": lambda a, b: D.Multinomial(5, paddle.stack([a, b], -1)),
}
WITH_GRADIENTS = ["Normal", "LogNormal", "Uniform", "Laplace", "Gumbel"]
SAMPLED_WITH_GRADIENTS = {"Normal", "LogNormal", "Uniform"}
"""Those whose `sample` is that of `rsample`, as in PaddlePaddle: policies and autoencoders are trained through it."""


def parameters():
    return [paddle.to_tensor(values, stop_gradient=False) for values in ([0.5, 1.5], [1.0, 2.0])]


@pytest.mark.parametrize("kind", KINDS)
def test_moments_of_samples(kind):
    paddle.seed(11)
    made = KINDS[kind](*parameters())
    samples = made.sample([20000])
    assert samples.stop_gradient == (kind not in SAMPLED_WITH_GRADIENTS)
    samples = samples.detach()
    np.testing.assert_allclose(samples.numpy().mean(0), made.mean.numpy(), rtol=0.06, atol=0.03)
    np.testing.assert_allclose(samples.numpy().var(0), made.variance.numpy(), rtol=0.12, atol=0.03)


@pytest.mark.parametrize("kind", WITH_GRADIENTS)
def test_gradients_reach_the_parameters_through_samples(kind):
    first, second = parameters()
    KINDS[kind](first, second).rsample([4]).sum().backward()
    assert (first.grad.numpy() != 0).all()
    assert (second.grad.numpy() != 0).all()


SAMPLED = {
    "Normal": lambda a, b: D.Normal(a, b),
    "LogNormal": lambda a, b: D.LogNormal(a, b),
    "Uniform": lambda a, b: D.Uniform(a, a + b),
    "Transformed": lambda a, b: D.TransformedDistribution(D.Normal(a, b), [D.TanhTransform()]),
    "Independent": lambda a, b: D.Independent(D.Normal(a, b), 1),
}


@pytest.mark.parametrize("kind", SAMPLED)
def test_gradients_flow_through_sample_where_they_do_in_paddle(kind):
    first, second = parameters()
    paddle.seed(3)
    SAMPLED[kind](first, second).sample([4]).sum().backward()
    assert (first.grad.numpy() != 0).all()
    assert (second.grad.numpy() != 0).all()


def test_a_policy_is_trained_through_its_samples_in_a_program_too():
    def score(mean, spread):
        return (D.Normal(mean, spread).sample([64]) ** 2).mean()

    paddle.seed(5)
    for run in (score, paddle.jit.to_static(score, full_graph=True)):
        mean, spread = parameters()
        run(mean, spread).backward()
        assert (mean.grad.numpy() > 0).all()
        assert (spread.grad.numpy() > 0).all()


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "Multinomial"])
def test_gradients_reach_the_parameters_through_densities(kind):
    first, second = parameters()
    made = KINDS[kind](first, second)
    made.log_prob(made.sample()).sum().backward()
    assert np.isfinite(first.grad.numpy()).all()


def test_density_integrates_to_one():
    x = np.linspace(-30, 30, 60001, dtype="float64")
    for made in (D.Normal(0.5, 2.0), D.Laplace(0.5, 2.0), D.Gumbel(0.5, 2.0)):
        density = made.prob(paddle.to_tensor(x.astype("float32"))).numpy()
        assert _trapezoid(density, x) == pytest.approx(1, abs=1e-3)


def test_categorical_draws_by_the_softmax_of_its_logits():
    paddle.seed(3)
    weighted = D.Categorical(paddle.to_tensor([[1.0, 3.0], [2.0, -1.0]]))
    drawn = weighted.sample([4000])
    assert drawn.shape == [4000, 2]
    np.testing.assert_allclose(drawn.numpy().mean(0), [0.881, 0.047], atol=0.03)
    assert weighted.probs(paddle.to_tensor([[0, 1], [1, 0]])).shape == [2, 2]


def test_multinomial_counts_by_its_weights():
    paddle.seed(3)
    counts = D.Multinomial(4000, paddle.to_tensor([1.0, 0.0, 3.0])).sample()
    assert counts.numpy()[1] == 0
    np.testing.assert_allclose(counts.numpy() / 4000, [0.25, 0.0, 0.75], atol=0.03)


def test_bernoulli_samples_with_gradients_sharpen_with_the_temperature():
    paddle.seed(5)
    made = D.Bernoulli(paddle.to_tensor([0.3], stop_gradient=False))
    sharp = paddle.nn.functional.sigmoid(made.rsample([2000], temperature=0.01)).numpy()
    assert ((sharp < 0.01) | (sharp > 0.99)).mean() > 0.9
    assert sharp.mean() == pytest.approx(0.3, abs=0.05)
    with pytest.raises(ValueError, match="temperature"):
        made.rsample([1], temperature=0.0)


def test_geometric_divergence_is_that_of_a_sum():
    k = np.arange(400.0)
    p, q = 0.2 * 0.8**k, 0.5 * 0.5**k
    found = D.kl_divergence(D.Geometric(0.2), D.Geometric(0.5))
    assert float(found) == pytest.approx((p * np.log(p / q)).sum(), rel=1e-5)


def test_uniform_divergence():
    assert float(D.kl_divergence(D.Uniform(0.0, 1.0), D.Uniform(-1.0, 2.0))) == pytest.approx(np.log(3), rel=1e-6)


def test_a_rule_for_subclasses_is_preferred():
    class Mine(D.Normal):
        pass

    @D.register_kl(Mine, D.Normal)
    def seven(p, q):
        return paddle.full([], 7.0)

    assert float(Mine(0.0, 1.0).kl_divergence(D.Normal(0.0, 1.0))) == 7
    assert float(D.Normal(0.0, 1.0).kl_divergence(Mine(0.0, 1.0))) == 0
    with pytest.raises(NotImplementedError, match="register_kl"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Beta(1.0, 1.0))
    with pytest.raises(TypeError, match="subclass"):
        D.register_kl(int, D.Normal)


def test_entropy_of_an_exponential_family_of_ones_own():
    class Exponential(D.ExponentialFamily):
        def __init__(self, rate):
            self.rate = paddle.to_tensor(rate)
            super().__init__(self.rate.shape)

        _natural_parameters = property(lambda self: (-self.rate,))
        _mean_carrier_measure = 0.0

        def _log_normalizer(self, x):
            return -paddle.log(-x)

    np.testing.assert_allclose(Exponential([0.5, 2.0]).entropy().numpy(), 1 - np.log([0.5, 2.0]), rtol=1e-6)


def test_absolute_values_have_two_inverses():
    transform = D.AbsTransform()
    low, high = transform.inverse(paddle.to_tensor([2.0]))
    assert (low.tolist(), high.tolist()) == ([-2.0], [2.0])
    assert [d.tolist() for d in transform.inverse_log_det_jacobian(paddle.to_tensor([2.0]))] == [[0.0], [0.0]]
    with pytest.raises(NotImplementedError, match="not injective"):
        transform.forward_log_det_jacobian(paddle.to_tensor([2.0]))


def test_calling_a_transform():
    exponential, double = D.ExpTransform(), D.AffineTransform(0.0, 2.0)
    assert exponential(paddle.to_tensor(0.0)).tolist() == 1.0
    assert isinstance(exponential(D.Normal(0.0, 1.0)), D.TransformedDistribution)
    assert isinstance(exponential(double), D.ChainTransform)


@pytest.mark.parametrize(("make", "error", "words"), [
    (lambda: D.Multinomial(0, [0.5, 0.5]), ValueError, "total_count"),
    (lambda: D.Multinomial(2, 0.5), ValueError, "dimension"),
    (lambda: D.Dirichlet(1.0), ValueError, "dimension"),
    (lambda: D.Independent(D.Normal(0.0, 1.0), 1), ValueError, "reinterpreted_batch_rank"),
    (lambda: D.TransformedDistribution(1.0, []), TypeError, "Distribution"),
    (lambda: D.ChainTransform([1.0]), TypeError, "Transforms"),
    (lambda: D.ReshapeTransform((2,), (3,)), ValueError, "as many elements"),
    (lambda: D.StackTransform([D.ExpTransform()], 0).forward(paddle.ones([2])), ValueError, "as many slices"),
    (lambda: D.StickBreakingTransform().forward(paddle.ones([])), ValueError, "at least 1 dimension"),
    (lambda: D.Cauchy(0.0, 1.0).mean, ValueError, "no mean"),
    (lambda: D.Beta(1.0, 1.0).rsample(), NotImplementedError, "rsample"),
    (lambda: D.Normal(0.0, 1.0).sample("three"), TypeError, "ints"),
])
def test_what_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_numbers_and_arrays_become_parameters():
    assert D.Normal(0, 1).sample([2]).dtype == paddle.float32
    assert D.Normal(np.zeros(3), np.ones(3)).sample().dtype == paddle.float64
    assert tuple(D.Normal([0.0, 1.0], 1.0).batch_shape) == (2,)


def test_values_of_more_dimensions_after_a_transform():
    base = D.Normal(paddle.to_tensor([[0.0, 1.0]]), paddle.to_tensor([1.0, 2.0]))
    reshaped = D.TransformedDistribution(base, [D.ReshapeTransform((2,), (2, 1))])
    assert (tuple(reshaped.batch_shape), tuple(reshaped.event_shape)) == ((1,), (2, 1))
    assert reshaped.sample([3]).shape == [3, 1, 2, 1]
    value = paddle.to_tensor([[0.5, 0.2]])
    np.testing.assert_allclose(reshaped.log_prob(value.reshape([1, 2, 1])).numpy(),
                               base.log_prob(value).sum(-1).numpy(), rtol=1e-6)
    sticks = D.TransformedDistribution(base, [D.StickBreakingTransform()])
    assert (tuple(sticks.batch_shape), tuple(sticks.event_shape)) == ((1,), (3,))
    np.testing.assert_allclose(sticks.sample([5]).sum(-1).numpy(), np.ones((5, 1)), rtol=1e-6)


def test_bernoulli_rsample_gives_what_a_sigmoid_is_taken_of():
    probs = paddle.to_tensor([0.3, 0.9], stop_gradient=False)
    paddle.seed(1)
    drawn = paddle.distribution.Bernoulli(probs).rsample([1000], 0.01)
    assert drawn.min().item() < 0 and drawn.max().item() > 1
    np.testing.assert_allclose(paddle.nn.functional.sigmoid(drawn).mean(0).numpy(), [0.3, 0.9], atol=0.05)
    drawn.sum().backward()
    np.testing.assert_allclose(probs.grad.numpy(), 1000 / 0.01 / np.array([0.3 * 0.7, 0.9 * 0.1]), rtol=1e-4)


@pytest.mark.parametrize(("made", "value", "density"), [
    (lambda: D.Beta(2.0, 3.0), 0.4, 1.728),
    (lambda: D.Dirichlet(paddle.to_tensor([2.0, 3.0])), [0.4, 0.6], 1.728),
    (lambda: D.Gumbel(1.0, 2.0), 1.0, 0.5 / np.e),
    (lambda: D.LogNormal(0.0, 1.0), 1.0, (2 * np.pi) ** -0.5)])
def test_wider_values_are_computed_with_as_they_are(made, value, density):
    found = made().prob(paddle.to_tensor(value, "float64"))
    assert found.dtype == paddle.float64 and abs(found.item() - density) < 1e-7
    assert made().log_prob(paddle.to_tensor(value, "float32")).dtype == paddle.float32
    assert D.Normal(0.0, 1.0).log_prob(paddle.to_tensor(0.5, "float64")).dtype == paddle.float32


@pytest.mark.parametrize("sample", [
    lambda x: D.Normal(x, 1.0).sample(), lambda x: D.Normal(x, F.softplus(x)).rsample([2]),
    lambda x: D.LogNormal(x, 1.0).rsample(),
    lambda x: D.Uniform(x, x + 1.0).sample([2]), lambda x: D.Laplace(x, 1.0).rsample(),
    lambda x: D.Gumbel(x, 1.0).rsample(), lambda x: D.Cauchy(x, 1.0).rsample(),
    lambda x: D.Geometric(F.sigmoid(x)).sample(),
    lambda x: D.Bernoulli(F.sigmoid(x)).rsample(), lambda x: D.Bernoulli(F.sigmoid(x)).sample([2]),
    lambda x: D.Beta(F.softplus(x), 1.0).sample(), lambda x: D.Dirichlet(F.softplus(x)).sample(),
    lambda x: D.Categorical(x).sample([2]), lambda x: D.Multinomial(3, F.softmax(x)).sample(),
    lambda x: D.Independent(D.Normal(x, 1.0), 1).rsample(),
])
def test_samples_where_only_a_run_knows_how_many_distributions_there_are(sample):
    layer = type("Sampler", (paddle.nn.Layer,), {"forward": lambda self, x: sample(x)})()
    spec = [paddle.static.InputSpec([None, None, 3], "float32")]
    converted = paddle.jit.to_static(layer, input_spec=spec, full_graph=True)
    for rows in (2, 4):
        x = paddle.linspace(-1.0, 1.0, rows * 6).reshape([rows, 2, 3])
        paddle.seed(3)
        found = converted(x)
        paddle.seed(3)
        np.testing.assert_allclose(found.numpy(), sample(x).numpy(), rtol=1e-5, atol=1e-6)


class _Waiting(D.ExponentialFamily):
    """rate · exp(-rate · x), without rules of its own."""

    def __init__(self, rate):
        super().__init__(rate.shape)
        self.rate = rate

    @property
    def _natural_parameters(self):
        return (-self.rate,)

    def _log_normalizer(self, theta):
        return -(-theta).log()

    _mean_carrier_measure = 0.0


class _Unfinished(_Waiting):
    @property
    def _mean_carrier_measure(self):
        return D.ExponentialFamily._mean_carrier_measure.fget(self)


def test_divergence_within_an_exponential_family_of_ones_own():
    p, q = _Waiting(paddle.to_tensor([1.0, 2.0])), _Waiting(paddle.to_tensor([1.0, 3.0]))
    found = D.kl_divergence(p, q).numpy()
    np.testing.assert_allclose(found, [0.0, np.log(2 / 3) + 3 / 2 - 1], rtol=1e-5, atol=1e-6)
    with pytest.raises(NotImplementedError, match="no rule for _Waiting and _Unfinished"):
        D.kl_divergence(p, _Unfinished(paddle.to_tensor([1.0, 2.0])))
    with pytest.raises(NotImplementedError, match="a carrier measure"):
        _Unfinished(0.5 * paddle.ones([2])).entropy()


def test_the_determinant_of_an_affine_transform_has_the_shape_of_scale_and_value():
    affine = D.AffineTransform(paddle.zeros([2, 3]), paddle.to_tensor([1.0, 2.0, 4.0]))
    for determinant in (affine.forward_log_det_jacobian, affine.inverse_log_det_jacobian):
        assert determinant(paddle.ones([3])).shape == [3] and determinant(paddle.ones([2, 3])).shape == [2, 3]
    assert affine.forward(paddle.ones([3])).shape == [2, 3]


def _of_vectors_of_classes(x):
    shares = D.Categorical(paddle.nn.functional.softmax(x))
    return shares.probs(x.argmax(-1)), shares.log_prob(paddle.to_tensor([0, 1]))


def _transformed(x):
    affine = D.AffineTransform(paddle.to_tensor(0.5), paddle.to_tensor([2.0] * 4))
    return (D.TransformedDistribution(D.Normal(x, 1.5), [affine]).log_prob(x),)


@pytest.mark.parametrize("function", [_of_vectors_of_classes, _transformed])
def test_batches_whose_size_only_a_run_knows(function):
    x = paddle.to_tensor(np.random.default_rng(0).random((3, 4), "float32"))
    spec = paddle.static.InputSpec([None, 4], "float32")
    converted = paddle.jit.to_static(function, input_spec=[spec], full_graph=True)
    for found, wanted in zip(converted(x), function(x), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
