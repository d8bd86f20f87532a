"""Regularizers that users write by Paddle's contract: the call gives what is added to the gradient."""

import numpy as np
import proa as paddle
import pytest
from proa import nn, static


class Quadratic(paddle.regularizer.WeightDecayRegularizer):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def __call__(self, param, grad, block):
        return param * self.factor

    def penalty(self, parameter):
        return (parameter * parameter).sum() * (self.factor / 2)


def _weight(rule, regularizer, own=False, **more):
    attr = paddle.ParamAttr(initializer=nn.initializer.Constant(1.0), regularizer=regularizer if own else None)
    layer = nn.Linear(2, 2, weight_attr=attr, bias_attr=False)
    update = rule(0.5, parameters=layer.parameters(), weight_decay=None if own else regularizer, **more)
    for _ in range(2):
        layer(paddle.ones([1, 2])).sum().backward()
        update.step()
        update.clear_grad()
    return layer.weight.numpy()


@pytest.mark.parametrize("rule", [paddle.optimizer.SGD, paddle.optimizer.Momentum, paddle.optimizer.Adam,
                                  paddle.optimizer.RMSProp])
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("clip", [None, nn.ClipGradByNorm(0.5)])
def test_as_the_one_that_it_equals(rule, own, clip):
    expected = _weight(rule, paddle.regularizer.L2Decay(0.25), own, grad_clip=clip)
    np.testing.assert_allclose(_weight(rule, Quadratic(0.25), own, grad_clip=clip), expected, rtol=1e-6)
    assert not np.allclose(_weight(rule, Quadratic(0.5), own, grad_clip=clip), expected, atol=1e-3)


def test_in_a_program():
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        weight = paddle.create_parameter([2], "float32", attr=paddle.ParamAttr(
            regularizer=Quadratic(0.5), initializer=nn.initializer.Constant(2.0)))
        paddle.optimizer.SGD(0.5).minimize(weight.sum())
        exe.run(startup)
        exe.run(main)
        # 2 - 0.5 * (1 + 1) is 1, and 1 - 0.5 * (1 + 0.5) is 0.25
        assert exe.run(main, fetch_list=[weight])[0].tolist() == [0.25, 0.25]


def test_what_is_not_defined_is_told():
    class Bare(paddle.regularizer.WeightDecayRegularizer):
        pass

    with pytest.raises(NotImplementedError, match=r"Bare must define __call__\(param, grad, block\)"):
        _weight(paddle.optimizer.SGD, Bare())
