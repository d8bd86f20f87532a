"""A batch of another number of images: computed one by one at first, with no code made for it, and the same numbers."""

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import onednn
from proa.backend.onednn import routine
from proa.core.flags import flags_guard
from proa.static import InputSpec

pytestmark = pytest.mark.skipif(not onednn.is_ready(), reason="oneDNN is not there")


class Pictures(paddle.nn.Layer):
    """Convolutions, one of groups, one with a sum, relu and another activation; maxima, and means of whole images."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = paddle.nn.Conv2D(3, 32, 3, padding=1, stride=2), paddle.nn.BatchNorm2D(32)
        self.deep = paddle.nn.Conv2D(32, 32, 3, padding=1, groups=32, bias_attr=False)
        self.last = paddle.nn.Conv2D(32, 32, 1)

    def forward(self, x):
        f = paddle.nn.functional
        x = f.max_pool2d(f.hardswish(self.norm(self.first(x))), 2)
        x = f.relu(self.last(f.relu(self.deep(x))) + x)
        return x, f.adaptive_avg_pool2d(x, 1)


@pytest.fixture
def opened(tmp_path):
    routine.forget()  # what other tests have had made, and how often they asked
    paddle.seed(4)
    net, prefix = Pictures(), str(tmp_path / "model")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="x")])
    with flags_guard({"FLAGS_cpu_engines": "onednn"}):  # loops, where others have made them, take single images
        yield lambda: inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))


@pytest.fixture
def made(monkeypatch):
    """The titles of the routines that were made."""
    found, before = [], routine._made

    def make(key, build, arguments):
        result = before(key, build, arguments)
        found.append(getattr(result, "title", None))
        return result

    monkeypatch.setattr(routine, "_made", make)
    return found


def images(count, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 3, 30, 26), dtype="float32")


def of_size(height, width, count=1, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 3, height, width), dtype="float32")


def run(predictor, x):
    return [tensor.numpy() for tensor in predictor.run([x])]


def test_images_are_computed_one_by_one_until_so_many_have_come_often(opened, made):
    predictor, x = opened(), images(4)
    alone = [run(predictor, x[n:n + 1]) for n in range(4)]
    assert any(title and title.startswith("convolution") for title in made)
    assert any(title and title.startswith("pooling") for title in made)
    made.clear()
    for _ in range(2):
        for found, *each in zip(run(predictor, x), *alone, strict=True):
            np.testing.assert_array_equal(found.view("i4"), np.concatenate(each).view("i4"))
    assert made == []
    for found, *each in zip(run(predictor, x), *alone, strict=True):
        np.testing.assert_allclose(found, np.concatenate(each), 1e-5, 1e-6)
    assert {title.split()[0] for title in made} == {"convolution", "pooling"}


def test_each_number_of_images_counts_by_itself(opened, made):
    predictor = opened()
    run(predictor, images(1))
    made.clear()
    for count in (2, 3, 2, 3):
        run(predictor, images(count))
    assert made == []


def test_more_images_than_that_have_their_own_code_at_once(opened, made):
    predictor = opened()
    x = images(17)
    alone = [run(predictor, x[n:n + 1]) for n in range(17)]
    made.clear()
    for found, *each in zip(run(predictor, x), *alone, strict=True):
        np.testing.assert_allclose(found, np.concatenate(each), 1e-5, 1e-6)
    assert made


def test_images_that_lie_in_another_order(opened):
    predictor, other = opened(), opened()
    x = np.ascontiguousarray(images(3).transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    run(predictor, x[:1])
    for found, expected in zip(run(predictor, x), run(other, x), strict=True):
        np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_sizes_that_are_far_from_all_that_there_is_code_for_have_their_own_at_once(opened, made):
    predictor = opened()
    run(predictor, of_size(30, 26))
    made.clear()
    run(predictor, of_size(200, 200))
    assert any("filters [32, 32, 1, 1]" in title for title in made if title)


class Elements(paddle.nn.Layer):
    """Windows of one element right behind the input, and a sum with another input."""

    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Conv2D(16, 24, 1)

    def forward(self, x, other):
        return paddle.nn.functional.relu(self.first(x) + other)


def test_code_for_images_in_one_order_computes_none_that_lie_otherwise(tmp_path):
    paddle.seed(5)
    net, prefix = Elements(), str(tmp_path / "model")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 16, None, None], name="x"),
                                             InputSpec([None, 24, None, None], name="other")])
    random = np.random.default_rng(6)
    orders = [np.ascontiguousarray,
              lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)]
    with flags_guard({"FLAGS_cpu_engines": "onednn"}):
        for first in ((a, b) for a in orders for b in orders):
            predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
            for sizes, (of_x, of_other) in [((9, 8), first), *(((8, 7), (a, b)) for a in orders for b in orders)]:
                x, other = [random.standard_normal((1, c, *sizes), dtype="float32") for c in (16, 24)]
                found = predictor.run([of_x(x), of_other(other)])[0].numpy()
                weight, bias = net.first.weight.numpy()[:, :, 0, 0], net.first.bias.numpy()
                expected = np.einsum("nchw,oc->nohw", x, weight) + bias[:, None, None] + other
                np.testing.assert_allclose(found, np.maximum(expected, 0), 1e-4, 1e-5)
