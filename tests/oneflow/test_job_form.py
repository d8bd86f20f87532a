"""Names that are functions in jobs and modules elsewhere: what a call means is seen from its arguments."""

import copy

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard
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


MADE = {"MSELoss": ("sum",), "L1Loss": (), "BCELoss": (), "BCEWithLogitsLoss": (), "KLDivLoss": (),
        "MarginRankingLoss": (0.5,), "TripletMarginLoss": (0.5,), "GroupNorm": (2, 4), "InstanceNorm1d": (4,),
        "InstanceNorm2d": (4,), "InstanceNorm3d": (4,), "PixelShuffle": (2,)}


@pytest.mark.parametrize("name", MADE)
def test_names_of_both_apis_are_both(name):
    shape = {"InstanceNorm1d": (2, 4, 3), "InstanceNorm3d": (2, 4, 2, 2, 2),
             "TripletMarginLoss": (2, 4)}.get(name, (2, 4, 3, 3))  # lengths along dimension 1 there, the last one here
    values = {"MarginRankingLoss": 3, "TripletMarginLoss": 3}.get(name, 2 if name.endswith("Loss") else 1)
    form = getattr(flow.nn, name)
    more = {"GroupNorm": (2,), "PixelShuffle": (2,)}.get(name, ())

    with session_guard():
        @flow.global_function()
        def job(x: tp.Numpy.Placeholder(shape)) -> tp.Numpy:
            return form(*[flow.math.sigmoid(x * (1.0 + n)) for n in range(values)], *more)

        x = np.random.default_rng(0).standard_normal(shape).astype("float32")
        in_job = job(x)
    module = form(*(() if name.endswith("Loss") else MADE[name]))
    assert isinstance(module, flow.nn.Module)
    assert isinstance(form(*MADE[name]), flow.nn.Module) and type(copy.deepcopy(module)) is form
    eager = module(*[flow.sigmoid(flow.tensor(x) * (1.0 + n)) for n in range(values)]).numpy()
    np.testing.assert_allclose(in_job.reshape(eager.shape), eager, rtol=1e-3, atol=1e-5)
