"""Transforms and distributions of users, by the methods that Paddle asks of them."""

import numpy as np
import proa as paddle
import pytest
from proa import distribution as D
from proa.distribution import constraint, transform, variable


class Cube(D.Transform):
    _type = transform.Type.BIJECTION

    def _forward(self, x):
        return x ** 3

    def _inverse(self, y):
        return y ** (1 / 3)

    def _forward_log_det_jacobian(self, x):
        return (3 * x ** 2).log()


class Doubled(D.Transform):
    """A row twice as long, by the inverse's determinant; two dimensions of output make one value."""

    @property
    def _domain(self):
        return variable.Independent(variable.real, 1)

    @property
    def _codomain(self):
        return variable.Independent(variable.real, 2)

    def _forward(self, x):
        return paddle.stack([x, x * 2], -1)

    def _inverse(self, y):
        return y[..., 0]

    def _inverse_log_det_jacobian(self, y):
        return -y.abs().sum([-1, -2])

    def _forward_shape(self, shape):
        return (*shape, 2)

    def _inverse_shape(self, shape):
        return shape[:-1]


def test_a_transform_by_its_methods():
    x = paddle.to_tensor([1.0, 2.0])
    cube = Cube()
    assert cube.forward(x).tolist() == [1.0, 8.0] and cube._is_injective()
    np.testing.assert_allclose(cube.forward_log_det_jacobian(x).numpy(), np.log([3.0, 12.0]), rtol=1e-6)
    np.testing.assert_allclose(cube.inverse_log_det_jacobian(cube.forward(x)).numpy(), -np.log([3.0, 12.0]), rtol=1e-6)
    cubed = D.TransformedDistribution(D.Normal(paddle.zeros([2]), paddle.ones([2])), [cube])
    expected = D.Normal(0.0, 1.0).log_prob(x).numpy() - np.log([3.0, 12.0])
    np.testing.assert_allclose(cubed.log_prob(cube.forward(x)).numpy(), expected, rtol=1e-5)


def test_a_transform_of_rows():
    x, doubled = paddle.to_tensor([[1.0, 2.0], [3.0, -4.0]]), Doubled()
    assert doubled.forward_shape([5, 2]) == (5, 2, 2) and doubled.inverse_shape((5, 2, 2)) == (5, 2)
    assert doubled.forward_log_det_jacobian(x).tolist() == [9.0, 21.0]
    with pytest.raises(ValueError, match="at least 2 dimension"):
        doubled.inverse(paddle.ones([2]))
    chain = D.ChainTransform([D.ExpTransform(), doubled])
    assert (chain._domain.event_rank, chain._codomain.event_rank) == (1, 2)
    np.testing.assert_allclose(chain.forward_log_det_jacobian(x).numpy(),
                               (x.sum(-1) + 3 * x.exp().sum(-1)).numpy(), rtol=1e-6)


def test_a_transform_without_a_determinant_says_so():
    class Bare(D.Transform):
        def _forward(self, x):
            return x

    with pytest.raises(NotImplementedError, match="Bare has no log-determinant"):
        Bare().forward_log_det_jacobian(paddle.ones([1]))
    with pytest.raises(NotImplementedError, match="must define _inverse"):
        Bare().inverse(paddle.ones([1]))


@pytest.mark.parametrize("made, injective, domain, codomain", [  # as 2.6.2 answers
    (D.AbsTransform(), False, 0, 0), (D.AffineTransform(1.0, 2.0), True, 0, 0), (D.SigmoidTransform(), True, 0, 0),
    (D.StickBreakingTransform(), True, 1, 1), (D.SoftmaxTransform(), False, 1, 1),
    (D.ReshapeTransform((4,), (2, 2)), True, 1, 2), (D.IndependentTransform(D.ExpTransform(), 1), True, 1, 1),
    (D.StackTransform([D.ExpTransform(), D.AbsTransform()]), False, 0, 0),
    (D.ChainTransform([D.ExpTransform(), D.AbsTransform()]), False, 0, 0)])
def test_what_a_transform_says_of_itself(made, injective, domain, codomain):
    assert (made._is_injective(), made._domain.event_rank, made._codomain.event_rank) == (injective, domain, codomain)


def test_what_comes_out_meets_its_constraint():
    x = paddle.to_tensor([[-2.0, 0.5, 3.0]])
    for made in (D.AbsTransform(), D.ExpTransform(), D.SigmoidTransform(), D.TanhTransform(), D.SoftmaxTransform(),
                 D.StickBreakingTransform()):
        y = made.forward(x)
        assert made._codomain.constraint(y).all(), type(made).__name__
        assert not made._codomain.constraint(y - 30.0).any(), type(made).__name__


def test_constraints():
    x = paddle.to_tensor([[0.25, 0.75], [0.5, float("nan")]])
    assert constraint.real(x).tolist() == [[True, True], [True, False]]
    assert constraint.positive(x - 0.5).tolist() == [[False, True], [True, False]]
    assert constraint.Range(0.25, 0.5)(x).tolist() == [[True, False], [True, False]]
    assert constraint.simplex(x).tolist() == [True, False]
    with pytest.raises(NotImplementedError, match="must define __call__"):
        constraint.Constraint()(x)
    with pytest.raises(NotImplementedError, match="without a constraint"):
        variable.Variable().constraint(x)
    with pytest.raises(ValueError, match="at least 3"):
        variable.Independent(variable.real, 3).constraint(x)
    with pytest.raises(ValueError, match="dimension 2"):
        variable.Stack([variable.real, variable.real], 2).constraint(x)
    assert variable.Stack([variable.Real(1), variable.positive], -2).event_rank == 2


def test_logits_and_probabilities():
    made, probs = D.Distribution(), paddle.to_tensor([0.25, 0.75])
    np.testing.assert_allclose(made._probs_to_logits(probs).numpy(), np.log([0.25, 0.75]), rtol=1e-6)
    np.testing.assert_allclose(made._logits_to_probs(made._probs_to_logits(probs)).numpy(), [0.25, 0.75], rtol=1e-6)
    odds = made._probs_to_logits(probs, is_binary=True)
    np.testing.assert_allclose(odds.numpy(), np.log([1 / 3, 3]), rtol=1e-6)
    np.testing.assert_allclose(made._logits_to_probs(odds, is_binary=True).numpy(), [0.25, 0.75], rtol=1e-6)


def test_affine_transforms_say_what_shapes_become():
    affine = paddle.distribution.AffineTransform(paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([1.0, 2.0, 3.0]))
    assert affine.loc.shape == [2, 1] and affine.scale.shape == [3]
    assert affine.forward_shape((3,)) == affine.inverse_shape([]) == (2, 3)
    assert affine.forward(paddle.ones([3])).shape == [2, 3]


@pytest.mark.parametrize("method", ["forward", "inverse", "forward_log_det_jacobian", "inverse_log_det_jacobian",
                                    "forward_shape", "inverse_shape"])
def test_what_is_no_tensor_and_no_shape_is_refused(method):
    with pytest.raises(TypeError, match=f"ExpTransform.{method}"):
        getattr(paddle.distribution.ExpTransform(), method)(0)
