"""Layers that a converted function reaches and is not given: globals, items of lists, attributes of classes."""

import proa as paddle
import pytest
from proa import nn


class OfAUser(nn.BatchNorm1D):
    pass


class Holder:
    layer = nn.BatchNorm1D(3)


class OwnForward(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = OfAUser(3)

    def forward(self, x):
        return self.norm(x)


GLOBAL, LISTED, WITH_LAYERS = nn.BatchNorm1D(3), [OfAUser(3)], OwnForward()


@pytest.mark.parametrize("function, layer", [
    (lambda x: GLOBAL(x), GLOBAL), (lambda x: LISTED[0](x), LISTED[0]), (lambda x: Holder.layer(x), Holder.layer),
    (lambda x: WITH_LAYERS(x), WITH_LAYERS)])
def test_their_mode_is_what_it_is(function, layer):
    converted = paddle.jit.to_static(function, full_graph=True)
    x = paddle.arange(12).reshape([4, 3]).astype("float32")
    layer.train()
    converted(x)
    layer.eval()
    assert paddle.equal_all(converted(x), layer(x)).item()
    layer.train()
    assert abs(converted(x).mean().item()) < 1e-5 and converted.get_traced_count() == 2


def test_what_a_class_inherits_from_reads_of_them_is_what_it_is():
    layer, x = OfAUser(3), paddle.ones([2, 3])
    layer.eval()
    converted = paddle.jit.to_static(lambda x: layer(x), full_graph=True)
    converted(x)
    layer._epsilon = 3.0
    assert paddle.allclose(converted(x), x * 0.5).item()
