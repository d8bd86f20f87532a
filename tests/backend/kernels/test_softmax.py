"""softmax, log_softmax and cross entropy as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import cross_entropy, softmax

pytestmark = needs_loops

SHAPES = [((64, 10), -1), ((64, 10), 0), ((3, 1000), 1), ((1, 257), -1), ((300, 1), -1), ((2, 7, 5, 9), 1),
          ((4, 3, 130), 1), ((2, 3, 200), 0), ((1000, 40), -1), ((200,), 0)]


@pytest.mark.parametrize("shape,axis", SHAPES)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_and_its_gradient(name, shape, axis):
    x, g = normal(*shape) * 5, normal(*shape, seed=1)
    y = agree(name, getattr(softmax, name), x, axis=axis)
    agree(f"{name}_grad", getattr(softmax, f"{name}_grad"), y, g, axis=axis, atol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [0, 1])
def test_values_that_are_not_finite(name, axis):
    x = normal(16, 16)
    x[1, 2], x[3, 4], x[5, 6] = np.nan, np.inf, -np.inf
    x[7], x[8, 0], x[:, 9] = -np.inf, 1e30, -np.inf
    agree(name, getattr(softmax, name), x, axis=axis)


def test_any_order_in_memory():
    x = normal(40, 50)
    agree("softmax", softmax.softmax, x.T)
    agree("softmax_grad", softmax.softmax_grad, softmax.softmax(x), np.broadcast_to(np.float32(2), x.shape))


@pytest.mark.parametrize("x", [normal(3, 4), normal(40, 50, dtype="float64"), normal(40, 50, dtype="float16")])
def test_small_and_other_arrays_are_left_to_numpy(x):
    assert softmax.softmax(x) is NotImplemented


LABELS = np.random.default_rng(2).integers(0, 10, 64)
IGNORED = np.where(LABELS == 3, -100, LABELS)


@pytest.mark.parametrize("label", [LABELS, LABELS[:, None], LABELS.astype("int32"), IGNORED])
def test_cross_entropy_of_numbers(label):
    x = normal(64, 10) * 5
    found, _ = agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x, label)
    for g in normal(64, 1, seed=3), np.broadcast_to(np.float32(1 / 64), (64, 1)):
        agree("cross_entropy_backward", cross_entropy.cross_entropy_backward, x, found, label, g)


@pytest.mark.parametrize("shape,axis", [((10, 64), 0), ((2, 7, 5, 9), 1), ((3, 19, 130), -2), ((2, 3, 40), 0)])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_cross_entropy_of_numbers_along_any_dimension(shape, axis, dtype):
    x, lead, behind = normal(*shape) * 5, shape[:axis % len(shape)], shape[axis % len(shape) + 1:]
    label = np.random.default_rng(2).integers(0, shape[axis], (*lead, *behind)).astype(dtype)
    label.flat[::5] = -100
    for given in label, label.reshape(*lead, 1, *behind):
        found, _ = agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x, given, axis=axis)
        g = normal(*lead, 1, *behind, seed=3)
        agree("cross_entropy_backward", cross_entropy.cross_entropy_backward, x, found, given, g, axis=axis)
    agree("cross_entropy_mean", cross_entropy.cross_entropy_mean, x, label, axis=axis)
    ignored_class = {"axis": axis, "ignore_index": 1}
    label = np.where(label < 0, 1, label)
    agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x, label, **ignored_class)
    agree("cross_entropy_backward", cross_entropy.cross_entropy_backward, x, found, label, g, **ignored_class)


@pytest.mark.parametrize("shape", [(64, 10), (4, 6, 50)])
def test_cross_entropy_of_distributions(shape):
    x, label, g = normal(*shape), np.abs(normal(*shape, seed=1)), normal(*shape[:-1], 1, seed=3)
    found, _ = agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x, label, soft_label=True)
    agree("cross_entropy_backward", cross_entropy.cross_entropy_backward, x, found, label, g, soft_label=True)


def test_cross_entropy_of_values_that_are_not_finite():
    x = normal(64, 10)
    x[1, 2], x[3, 4], x[5, 6] = np.nan, np.inf, -np.inf
    agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x, LABELS)
    agree("softmax_with_cross_entropy", cross_entropy.softmax_with_cross_entropy, x.T.copy(), LABELS, axis=0)


@pytest.mark.parametrize("wrong", [10, -1, 2**40])
def test_labels_out_of_range_are_left_to_the_kernel_that_tells(wrong):
    x, label = normal(64, 10), LABELS.copy()
    label[5] = wrong
    assert cross_entropy.softmax_with_cross_entropy(x, label) is NotImplemented
    assert cross_entropy.cross_entropy_backward(x, x, label, normal(64, 1)) is NotImplemented
    x = x.T.copy()
    assert cross_entropy.softmax_with_cross_entropy(x, label, axis=0) is NotImplemented
    assert cross_entropy.cross_entropy_backward(x, x, label, normal(1, 64), axis=0) is NotImplemented


@pytest.mark.parametrize("attrs", [{"use_softmax": False}, {"axis": 2}])
def test_what_is_left_to_numpy(attrs):
    label = np.zeros(64, "int64")
    assert cross_entropy.softmax_with_cross_entropy(normal(64, 10), label, **attrs) is NotImplemented
