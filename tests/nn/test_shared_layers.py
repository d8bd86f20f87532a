"""A layer that stands in several places of another."""

import numpy as np
from proa import nn


class Shared(nn.Layer):
    """One linear layer by three names, one parameter by two."""

    def __init__(self):
        super().__init__()
        self.key = nn.Linear(2, 2)
        self.query = self.key
        self.both = nn.Sequential(self.key, nn.ReLU())
        self.weight = self.create_parameter([2])
        self.same = self.weight


def test_its_state_is_there_by_each_name():
    layer, other = Shared(), Shared()
    state = layer.state_dict()
    assert list(state) == ["weight", "same", "key.weight", "key.bias", "query.weight", "query.bias", "both.0.weight",
                           "both.0.bias"]
    assert state["query.weight"] is state["key.weight"]
    assert [name for name, _ in layer.named_parameters()] == ["weight", "key.weight", "key.bias"]
    assert other.set_state_dict(state) == ([], [])
    np.testing.assert_array_equal(other.query.weight.numpy(), layer.key.weight.numpy())


def test_a_state_without_some_of_the_names_lacks_nothing():
    state = {name: value for name, value in Shared().state_dict().items() if not name.startswith(("query", "both"))}
    assert Shared().set_state_dict(state) == ([], [])
