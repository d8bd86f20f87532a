"""Names that are functions in jobs and modules elsewhere: what a call means is seen from its arguments."""

import proa as paddle
import pytest
from proa.oneflow.nn.job_form import also_function


def weighted(input, target, weight=None, reduction="mean"):
    return "value", input, target, weight, reduction


@also_function(weighted, 2)
class Weighted:
    def __init__(self, weight=None, reduction="mean"):
        self.weight, self.reduction = weight, reduction


class Derived(Weighted):
    def __init__(self, first, second):
        super().__init__(first)
        self.second = second


def test_values_for_all_of_the_first_arguments_call_the_function():
    x, y, w = paddle.ones([1]), paddle.zeros([1]), paddle.ones([2])
    assert Weighted(x, y) == ("value", x, y, None, "mean")
    assert Weighted(x, target=y, reduction="sum") == ("value", x, y, None, "sum")
    assert Weighted(target=y, input=x, weight=w) == ("value", x, y, w, "mean")
    assert Weighted(x, y, w, "none") == ("value", x, y, w, "none")


def test_options_make_a_module_though_one_is_a_value():
    w = paddle.ones([2])
    for made in (Weighted(w), Weighted(w, "sum"), Weighted(weight=w), Weighted(reduction="sum"), Weighted()):
        assert type(made) is Weighted
    assert Weighted(w, "sum").weight is w and Weighted(reduction="sum").reduction == "sum"


def test_derived_classes_are_called_as_usual():
    made = Derived(paddle.ones([1]), paddle.zeros([1]))
    assert type(made) is Derived and made.second.tolist() == [0.0]
    with pytest.raises(TypeError):
        Derived(paddle.ones([1]))
