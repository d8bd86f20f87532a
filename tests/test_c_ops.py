"""`paddle._C_ops` gives what PaddlePaddle 2.6.2's gives for the same arguments in the same order."""

import pathlib
import sys

import numpy as np
import proa as paddle
import pytest
from proa import _C_ops

FOLDER = pathlib.Path(__file__).with_name("fixtures") / "c_ops"
sys.path.insert(0, str(FOLDER))

from c_ops_calls import CALLS, answers  # noqa: E402 - found by the line above


@pytest.fixture(scope="module")
def wanted():
    with np.load(FOLDER / "answers.npz") as held:
        return dict(held)


@pytest.mark.parametrize("name", CALLS)
def test_answers(name, wanted):
    found = answers(paddle, _C_ops, (paddle.float32, paddle.int64), name)
    assert len(found) == sum(key.rpartition("/")[0] == name for key in wanted)
    for place, array in enumerate(found):
        there = wanted[f"{name}/{place}"]
        assert (array.dtype, array.shape) == (there.dtype, there.shape)
        np.testing.assert_allclose(array, there, 1e-4, 1e-5)


def test_gradients_flow():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    _C_ops.sum(_C_ops.multiply(x, x), [], None, False).backward()
    assert x.grad.tolist() == [2, 4]


def test_sixteen_bits_go_by_a_copy():
    parameter, copy = paddle.ones([2], "float16"), paddle.ones([2])
    _C_ops.sgd_(parameter, paddle.to_tensor([1e-4]), paddle.ones([2], "float16"), copy, True)
    assert copy.tolist() == pytest.approx([0.9999, 0.9999]) and parameter.tolist() == [1, 1]


def test_what_is_not_there():
    with pytest.raises(AttributeError, match=r"'flash_attn_unpadded'. Call the public function.*_legacy_C_ops"):
        _C_ops.flash_attn_unpadded
    with pytest.raises(TypeError, match="p_norm takes 1 inputs and the attributes porder"):
        _C_ops.p_norm(paddle.ones([2]), 2.0, -1, 1e-12, False, False, "more")


def test_operators_by_their_types_change_their_first_input():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    y = x * 1
    assert paddle._legacy_C_ops.scale_(y, "scale", 0.5) is y and y.tolist() == [[0.5, 1.0]]
    assert paddle._legacy_C_ops.reshape2_(y, None, None, "shape", [2])[0] is y and y.shape == [2]
    y.sum().backward()
    assert x.grad.tolist() == [[0.5, 0.5]] and x.grad._inplace_version() == 0
    paddle._legacy_C_ops.scale_(x.grad, "scale", 4.0)
    x._reset_grad_inplace_version(False)
    assert x.grad._inplace_version() == 1
    x._reset_grad_inplace_version(True)
    assert x.grad._inplace_version() == 0 and x.grad.tolist() == [[2.0, 2.0]]


def test_slots_of_operators_stand_in_their_described_order():
    legacy, x = paddle._legacy_C_ops, paddle.to_tensor([[3.0, 4.0]])
    unit, length = legacy.norm(x, "axis", 1, "epsilon", 0.0)
    np.testing.assert_allclose(unit, [[0.6, 0.8]], 1e-6)
    assert length.tolist() == [[5.0]]
    assert legacy.lookup_table(paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[1]])).tolist() == [[2.0]]
    gate, reset, hidden = legacy.gru_unit(paddle.ones([2, 9]), paddle.ones([2, 3]), paddle.ones([3, 9]), None)
    assert (gate.shape, reset.shape, hidden.shape) == ([2, 9], [2, 3], [2, 3])
    image, offset, filter = paddle.ones([1, 1, 3, 3]), paddle.zeros([1, 18, 1, 1]), paddle.ones([1, 1, 3, 3])
    halves = paddle.full([1, 9, 1, 1], 0.5)
    assert legacy.deformable_conv(image, offset, filter, halves, "strides", [1, 1], "paddings", [0, 0], "dilations",
                                  [1, 1], "im2col_step", 1).tolist() == [[[[4.5]]]]


def test_how_many_results_there_are_may_be_said():
    rows = paddle._legacy_C_ops.unbind(paddle.to_tensor([[1], [2]]), 2, "axis", 0)
    assert [row.tolist() for row in rows] == [[1], [2]]
    boxes = paddle.to_tensor([[0.0, 0, 10, 10], [0, 0, 200, 220], [3, 3, 600, 700]])
    attributes = ("min_level", 2, "max_level", 4, "refer_level", 4, "refer_scale", 224, "pixel_offset", True)
    counts = paddle.to_tensor([1, 2], "int32")
    levels, restored, numbers = paddle._legacy_C_ops.distribute_fpn_proposals(boxes, counts, 3, 3, *attributes)
    assert [len(level) for level in levels] == [1, 1, 1] and restored.tolist() == [[0], [1], [2]]
    assert [number.tolist() for number in numbers] == [[1, 0], [0, 1], [0, 1]]
    again, there, places = _C_ops.distribute_fpn_proposals(boxes, counts, *attributes[1::2])
    assert [level.tolist() for level in again] == [level.tolist() for level in levels]
    assert [n.tolist() for n in there] == [n.tolist() for n in numbers] and places.tolist() == restored.tolist()


def test_what_suppresses_boxes_gives_no_offsets():
    boxes, scores = paddle.to_tensor([[[0.0, 0, 1, 1], [2, 2, 3, 3]]]), paddle.to_tensor([[[0.1, 0.2], [0.9, 0.8]]])
    result, places, count = paddle._legacy_C_ops.matrix_nms(boxes, scores, "score_threshold", 0.1, "nms_top_k", 2,
                                                            "keep_top_k", 2, "normalized", False)
    assert (result.shape, places.tolist(), count.tolist()) == ([2, 6], [[0], [1]], [2])
    answers = _C_ops.matrix_nms(boxes, scores, 0.1, 2, 2, 0.0, False, 2.0, 0, False)
    assert [answer.tolist() for answer in answers] == [result.tolist(), places.tolist(), count.tolist()]
    deltas = _C_ops.box_coder(boxes[0], None, boxes[0], "encode_center_size", False, 0, [0.1, 0.1, 0.2, 0.2])
    assert deltas.shape == [2, 2, 4] and deltas[1, 0].tolist() == [7.5, 7.5, 0, 0]


def test_a_value_is_a_variable_in_either_mode():
    from proa.common_ops_import import Variable

    tensor = paddle.ones([1])
    assert isinstance(tensor, Variable) and not isinstance(1.0, Variable)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            assert isinstance(paddle.static.data("x", [1]), Variable) and not isinstance(tensor, Variable)
    finally:
        paddle.disable_static()


def _values(*values):
    return [value.numpy().astype("float64").round(4).tolist() for value in values]


def test_results_are_written_to_what_is_given_for_them():
    legacy = paddle._legacy_C_ops
    x, ones, zeros = paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]]), paddle.ones([2]), paddle.zeros([2])
    mean, variance = paddle.zeros([2]), paddle.ones([2])
    found = legacy.batch_norm(x, ones, zeros, mean, variance, None, mean, variance, "momentum", 0.5, "is_test", False)
    assert _values(mean, variance) == [[1, 2], [1, 2.5]]
    assert _values(found[0]) == [[[-1, -1], [1, 1]]]
    other, flag = paddle.zeros([2, 2]), paddle.to_tensor([False])
    assert legacy.assign(x, other) is other and other.tolist() == x.tolist()
    legacy.check_finite_and_unscale([other, ones], paddle.to_tensor([2.0]), [other, ones], flag)
    assert _values(other, ones) == [[[0.5, 1], [1.5, 3]], [0.5, 0.5]] and not flag
    with pytest.raises(TypeError, match="perhaps what results are written to"):
        legacy.assign(x, x, x)


def test_steps_of_optimizers_by_their_operators():
    legacy, rate = paddle._legacy_C_ops, paddle.to_tensor([0.5])
    p = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    g, m, v = paddle.to_tensor([0.1, 0.2]), paddle.to_tensor([0.2, 0.4]), paddle.to_tensor([0.3, 0.6])
    one, two = paddle.to_tensor([0.9]), paddle.to_tensor([0.999])
    found = legacy.adamw(p, g, rate, m, v, one, two, None, p, m, v, one, two, None, "epsilon", 1e-8, "lazy_mode", False,
                         "min_row_size_to_use_multithread", 1000, "beta1", 0.9, "beta2", 0.999, "with_decay", True,
                         "coeff", 0.1, "multi_precision", False, "lr_ratio", 1.0)
    assert _values(p, m, v, one, two) == [[0.8951, 1.8224], [0.19, 0.38], [0.2997, 0.5994], [0.81], [0.998]]
    assert found[0] is p and len(found) == 6
    copy, half = paddle.ones([2]), paddle.ones([2], "float16")
    legacy.sgd(half, rate, g.astype("float16"), copy, half, copy, "multi_precision", True)
    assert _values(copy) == [[0.95, 0.9]] and half.dtype is paddle.float16 and _values(half) == [[0.9502, 0.8999]]
    elsewhere = paddle.zeros([2])
    legacy.sgd(copy, rate, g, None, elsewhere, None)
    assert _values(copy, elsewhere) == [[0.95, 0.9], [0.9, 0.8]]


def test_lars_momentum_updates_several_parameters():
    from proa import _legacy_C_ops

    def lists(value):
        return [paddle.full([3], value), paddle.full([2], value)]
    params, grads, velocities = lists(2.0), lists(0.5), lists(0.0)
    rates = [paddle.to_tensor([0.1]), paddle.to_tensor([1.0])]
    out = _legacy_C_ops.lars_momentum(
        params, grads, velocities, rates, params, velocities, "mu", 0.9, "lars_coeff", 0.001, "lars_weight_decay",
        [0.0005, 0.5], "multi_precision", False, "epsilon", 0.0, "rescale_grad", 0.5)
    assert out[0][0] is params[0] and out[1][1] is velocities[1]
    np.testing.assert_allclose(params[0].numpy(), [1.9998] * 3, 1e-7)
    np.testing.assert_allclose(velocities[1].numpy(), [0.002] * 2, 1e-6)


def _lstm_inputs():
    rng = np.random.RandomState(0)
    x = paddle.to_tensor(np.linspace(-1, 1, 24).reshape(3, 2, 4).astype("float32"), stop_gradient=False)
    weights = [paddle.to_tensor(rng.rand(*shape).astype("float32") - 0.5) for shape in ((20, 4), (20, 5), (20,), (20,))]
    return x, [paddle.zeros([1, 2, 5]), paddle.zeros([1, 2, 5])], weights, None, paddle.empty([0], "uint8")


def test_rnn_as_paddle_calls_it_and_as_it_did_before():
    out, _, (hidden, cell) = paddle._C_ops.rnn(*_lstm_inputs(), 0.0, False, 4, 5, 1, "LSTM", 0, False)
    np.testing.assert_allclose(out[2, 0].numpy(), [0.07441, -0.18726, -0.04907, 0.03756, -0.16196], atol=1e-5)
    assert float(hidden.sum()) == pytest.approx(-0.732344, abs=1e-5) and cell.shape == [1, 2, 5]
    inputs = _lstm_inputs()
    _, _, older, states = paddle._C_ops.rnn(
        *inputs, 2, "dropout_prob", 0.0, "is_bidirec", False, "input_size", 4, "hidden_size", 5, "num_layers", 1,
        "mode", "LSTM", "is_test", False)
    np.testing.assert_array_equal(older.numpy(), out.numpy())
    older.sum().backward()
    assert len(states) == 2 and inputs[0].grad.shape == [3, 2, 4]


def test_operators_by_their_types_stand_where_paddle_2_3_has_them():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert _values(paddle._C_ops.matmul_v2(x, x, "trans_x", False, "trans_y", True)) == [[[5.0, 11.0], [11.0, 25.0]]]
