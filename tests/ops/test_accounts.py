"""Errors of kernels and of rules for shapes name the operator and what that was given, whoever raised them."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.core.accounts import is_in_words
from proa.ops.core.operator import operator
from proa.ops.core.spec import Spec
from proa.ops.core.trace import apply
from proa.static.run.executor import Executor

F = paddle.nn.functional


def _kernel(xp, x, *, kind: str = ""):
    if kind == "words":
        raise KeyError("accounts_example(kind): must be something else.")
    return {"divides": lambda: 1 // 0, "indexes": lambda: [][1], "key": lambda: {}["no"], "none": lambda: None.size,
            "numpy": lambda: x.reshape(7), "library": lambda: np.take_along_axis(x, x, 0),
            "memory": lambda: np.empty(1 << 60, "int8"), "asserts": _asserts}[kind]()


def _asserts():
    raise AssertionError


@pytest.fixture(scope="module")
def op():
    from proa.ops.core import operator as module

    made = operator("accounts_example", "X -> Out", kernel=_kernel, infer=lambda x, *, kind="": Spec(x.shape, x.dtype),
                    only_here=True)
    yield made
    del module._registry["accounts_example"]


@pytest.mark.parametrize(("kind", "error", "hint"), [
    ("divides", ValueError, "divides by is 0: (integer )?division"), ("indexes", IndexError, "list index out of range"),
    ("key", ValueError, "a name is not known to it"), ("none", TypeError, "has no attribute 'size'"),
    ("numpy", ValueError, "cannot reshape array of size 6"), ("library", IndexError, "does not fit together"),
    ("memory", MemoryError, "does not fit into memory"), ("asserts", ValueError, "does not fit together")])
def test_an_error_without_words_gets_them(op, kind, error, hint):
    with pytest.raises(error, match=rf"accounts_example: cannot be computed, .*{hint}.*"
                                    rf"Received X: float32\[2, 3\], kind='{kind}'\.") as caught:
        apply(op, paddle.ones([2, 3]), kind=kind)
    assert type(caught.value) is error and caught.value.__cause__ is not None


def test_words_are_left_as_they_are(op):
    with pytest.raises(KeyError, match="must be something else"):
        apply(op, paddle.ones([2]), kind="words")


def test_what_the_users_function_raises_is_the_users():
    class Mine(KeyError):
        pass

    def fails(x):
        raise Mine("mine")

    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [2])
            out = main.global_block().create_var("out", [2], "float32")
            paddle.static.py_func(fails, x, out)
        with pytest.raises(Exception, match="mine"):
            Executor().run(main, feed={"x": np.ones(2, "float32")}, fetch_list=[out])
    finally:
        paddle.disable_static()


def test_raised_by_a_raise_of_ours_or_not():
    for function, expected in ((lambda: [][0], False), (lambda: np.take_along_axis(np.ones(3), np.ones(3), 0), False),
                               (lambda: F.relu(3), True)):
        with pytest.raises(Exception) as caught:
            function()
        assert is_in_words(caught.value) is expected
    assert not is_in_words(ValueError("never raised"))


@pytest.mark.parametrize(("call", "text"), [
    (lambda x: F.adaptive_avg_pool2d(x, 0), r"pool\(x, output_size\): each size must be at least 1"),
    (lambda x: F.adaptive_max_pool2d(x, [2, -1]), r"each size must be at least 1. Received \[2, -1\]"),
    (lambda x: F.group_norm(x, 0), "group_norm: .* groups=0"),
    (lambda x: F.temporal_shift(x, 0), "temporal_shift: .* seg_num=0"),
    (lambda x: F.conv2d(x, paddle.ones([2, 4, 0, 3])), "conv"),
    (lambda x: F.conv2d(x, paddle.ones([2, 4, 3, 3]), groups=0), "groups=0"),
])
def test_sizes_of_nothing_are_refused_by_name(call, text):
    with pytest.raises(ValueError, match=text):
        call(paddle.ones([2, 4, 5, 5]))


def test_a_diagonal_far_outside_is_empty():
    """NumPy reads outside of the array at -2**31."""
    x = paddle.arange(6).reshape([2, 3])
    for offset in (-2**31, 2**31 - 1, -4, 4):
        assert paddle.diagonal(x, offset).shape == [0] and int(paddle.trace(x, offset)) == 0
        assert paddle.diag(x, offset).shape == [0]
    assert paddle.diagonal(x, 2).tolist() == [2] and paddle.diagonal(x, -1).tolist() == [3]


def test_polygamma_of_a_high_order():
    x = paddle.to_tensor([1.5], "float64")
    assert np.isinf(paddle.polygamma(x, 171).numpy()) and np.isfinite(paddle.polygamma(x, 170).numpy())


def test_an_image_without_rows_has_no_windows():
    """As in PaddlePaddle 2.6.2; gradients are zeros."""
    x, w = paddle.zeros([2, 4, 0, 5]), paddle.ones([6, 4, 1, 1])
    x.stop_gradient = w.stop_gradient = False
    y = F.conv2d(x, w)
    y.sum().backward()
    assert y.shape == [2, 6, 0, 5] and x.grad.shape == x.shape and not w.grad.numpy().any()
    layer = paddle.jit.to_static(lambda x: F.conv2d(x, w))
    assert layer(x).shape == [2, 6, 0, 5]
    assert F.conv2d(x, paddle.ones([4, 1, 1, 1]), groups=4).shape == [2, 4, 0, 5]
    for wrong in (lambda: F.conv2d(x, paddle.ones([6, 4, 3, 1])), lambda: F.max_pool2d(x, 2)):
        with pytest.raises(ValueError, match="no window fits"):
            wrong()


def test_labels_of_no_classes_are_smoothed_to_nothing():
    assert F.label_smooth(paddle.zeros([3, 0])).shape == [3, 0]


ONE, ROW = paddle.ones([]), paddle.ones([4])


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: paddle.as_strided(ROW, [-1, 3], [1, 1]), ValueError, r"as_strided\(shape\): sizes must be at least 0"),
    (lambda: paddle.combinations(ROW, 2**31 - 1), ValueError, r"combinations\(r\)"),
    (lambda: paddle.create_parameter([-2, 3], "float32"), ValueError, r"shape \[-2, 3\] has no first value"),
    (lambda: paddle.diagonal_scatter(ONE, ONE), ValueError, r"diagonal_scatter\(x\): must have at least 2 dimensions"),
    (lambda: paddle.diagonal_scatter(paddle.ones([2, 2]), ROW, axis1=5), ValueError, r"diagonal_scatter\(x, axis1\)"),
    (lambda: paddle.take_along_axis(paddle.ones([2, 2]), paddle.zeros([2], "int64"), 0), ValueError, r"\(indices\)"),
    (lambda: paddle.select_scatter(paddle.ones([0, 2]), paddle.ones([2]), 0, 0), ValueError, "has no slice 0 along 0"),
    (lambda: paddle.unfold(ONE, 0, 1, 1), ValueError, r"unfold\(x\)"),
    (lambda: paddle.nan_to_num(ROW > 0), TypeError, "must hold numbers"),
    (lambda: paddle.geometric_(paddle.ones([2]), float("inf")), ValueError, r"geometric_\(probs\)"),
    (lambda: F.conv2d(ROW, paddle.ones([1, 1, 1, 1])), ValueError, r"conv\(x\): must have at least 2"),
    (lambda: F.embedding(paddle.zeros([2], "int64"), ONE), ValueError, r"embedding\(weight\)"),
    (lambda: F.multi_margin_loss(paddle.ones([1, 2]), ONE), ValueError, r"multi_margin_loss\(input, label\)"),
    (lambda: paddle.linalg.householder_product(ROW, ROW), ValueError, r"householder_product\(x, tau\)"),
    (lambda: paddle.linalg.lstsq(ONE, ONE), ValueError, r"lstsq\(x\)"),
    (lambda: paddle.linalg.lu_unpack(paddle.eye(2), paddle.ones([], "int32")), ValueError, r"lu_unpack\(y\)"),
    (lambda: paddle.vision.ops.prior_box(paddle.ones([1, 1, 1, 1]), paddle.ones([1, 1, 4, 4]), [2.0], steps=[]),
     ValueError, r"prior_box\(steps\)"),
    (lambda: paddle.audio.functional.create_dct(2, 0), ValueError, r"create_dct\(n_mfcc, n_mels\)"),
    (lambda: paddle.incubate.nn.functional.fused_feedforward(ROW, ROW, ROW, activation="nonsense"), ValueError,
     r"fused_feedforward\(activation\)"),
])
def test_arguments_are_looked_at_before_they_are_taken_apart(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(("sequence", "values"), [([0, 5], [0, 4]), ([2, 0], [2, 4]), ([2, 5], [2, 0])])
def test_places_in_sequences_of_nothing(sequence, values):
    """As PaddlePaddle 2.6.2 gives them."""
    found = paddle.searchsorted(paddle.zeros(sequence), paddle.zeros(values))
    assert found.shape == values and not found.numpy().any()
    with pytest.raises(ValueError, match="the same sizes but for the last"):
        paddle.searchsorted(paddle.zeros([3, 2]), paddle.zeros([2, 2]))


def test_what_is_empty_stays_empty():
    q = paddle.ones([1, 2, 2, 0])
    assert F.scaled_dot_product_attention(q, q, q).shape == [1, 2, 2, 0]
    assert paddle.diff(ROW, n=2**31 - 1).shape == [0]
    assert np.isnan(paddle.pow(paddle.full([2], 2, "int64"), float("nan")).numpy()).all()


def test_tables_of_many_places_are_no_lists():
    """2**20 places took a second as Python's tuples."""
    from proa.ops.vision.resample_tables import table

    for kind, taps in (("nearest", 1), ("linear", 2), ("cubic", 4)):
        found = table(kind, 3, 7, 0.0, False, 1)
        assert len(found) == taps and all(isinstance(positions, np.ndarray) for positions, _ in found)
    assert F.interpolate(paddle.ones([1, 1, 2, 2]), [1, 2**20], mode="bilinear").shape == [1, 1, 1, 2**20]


def test_shapes_that_cannot_be_joined_are_told_whole():
    with pytest.raises(ValueError, match=r"Received shapes \[8, 8\], \[7, 3\]\."):
        paddle.concat([paddle.ones([8, 8]), paddle.ones([7, 3])], axis=1)
    with pytest.raises(ValueError, match=r"Received shapes \[2\], \[3\]\."):
        paddle.stack([paddle.ones([2]), paddle.ones([3])])
