"""Operations that code of 1.x appends by hand, and where gradients stop: what 1.8.5 gives."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.static.building import mode

layers = fluid.layers


@pytest.fixture(autouse=True)
def main():
    mode.set_least_rank(1)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield
    mode.set_least_rank(0)


def run(fetch, **kwargs):
    return fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program(), fetch_list=fetch, **kwargs)


def appended(kind, inputs, results, **attrs):
    block = fluid.default_main_program().global_block()
    outputs = {slot: [block.create_var(name=f"{slot}_{i}") for i in range(count)] for slot, count in results.items()}
    block.append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs)
    return [variable for slot in results for variable in outputs[slot]]


def test_a_mean_has_one_dimension():
    x = fluid.data("x", [2, 2])
    (mean,) = appended("mean", {"X": x}, {"Out": 1})
    assert (mean.shape, (mean * 2.0).shape, mean.stop_gradient) == ((1,), (1,), False)
    [g] = fluid.gradients(mean * 3.0, mean)
    found = run([mean, g], feed={"x": np.ones((2, 2), "float32")})
    assert [v.tolist() for v in found] == [[1.0], [3.0]]


def test_a_dtype_by_its_number():
    x = fluid.data("x", [2, 1], dtype="int64")
    (out,) = appended("one_hot", {"X": x}, {"Out": 1}, depth=3, dtype=5)
    assert run([out], feed={"x": np.array([[1], [2]])})[0].tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_slots_that_nobody_asks_for():
    rois = fluid.data("x", [None, 4], lod_level=1)
    levels = appended("distribute_fpn_proposals", {"FpnRois": rois}, {"MultiFpnRois": 3, "RestoreIndex": 1},
                      min_level=2, max_level=4, refer_level=3, refer_scale=60)
    rows = (np.arange(24).reshape(6, 4) ** 2).astype("float32")
    found = run(levels, feed={"x": fluid.create_lod_tensor(rows, [[4, 2]], fluid.CPUPlace())}, return_numpy=False)
    assert [v.lod() for v in found[:3]] == [[[0, 4, 4]], [[0, 0, 2]], [[0, 0, 0]]]


def test_gradients_by_what_is_computed_of_an_input():
    x = fluid.data("x", [2, 2])
    y = x * 2.0
    h = layers.tanh(y)
    z = layers.reduce_sum(h * h)
    assert [v.stop_gradient for v in (x, y, h, z)] == [True, False, False, False]
    assert fluid.gradients(z, x) == []
    [g] = fluid.gradients(z, y)
    np.testing.assert_allclose(run([g], feed={"x": np.ones((2, 2), "float32")})[0], 0.13621867, rtol=1e-5)


def test_an_input_that_wants_a_gradient_after_all():
    x = fluid.data("x", [2, 2])
    h = layers.tanh(x * 2.0)
    z = layers.reduce_sum(h * h)
    x.stop_gradient = False
    [g] = fluid.gradients(z, x)
    np.testing.assert_allclose(run([g], feed={"x": np.ones((2, 2), "float32")})[0], 0.27243733, rtol=1e-5)
    h.stop_gradient = True
    assert fluid.gradients(z, x) == []


def test_edges_of_scaled_images():
    boxes, sizes = fluid.data("x", [None, 4], lod_level=1), fluid.data("sizes", [None, 3])
    cut = layers.box_clip(boxes, sizes)
    rows = np.tile(np.array([[-1, 2, 20, 20]], "float32"), (2, 1))
    found = run([cut], feed={"x": fluid.create_lod_tensor(rows, [[1, 1]], fluid.CPUPlace()),
                             "sizes": np.array([[8, 9, 2], [10, 12, 1]], "float32")})
    assert found[0].tolist() == [[0.0, 2.0, 4.0, 3.0], [0.0, 2.0, 11.0, 9.0]]


def test_one_step_between_prior_boxes_is_none():
    x, image = fluid.data("x", [1, 2, 3, 4]), fluid.data("image", [1, 3, 30, 40])
    given, _ = layers.prior_box(x, image, [4.0], steps=[5.0, 0.0])
    none, _ = layers.prior_box(x, image, [4.0])
    feed = {"x": np.ones((1, 2, 3, 4), "float32"), "image": np.ones((1, 3, 30, 40), "float32")}
    found = run([given, none], feed=feed)
    np.testing.assert_array_equal(*found)


def test_kept_boxes_and_their_numbers_are_of_images():
    boxes, scores = fluid.data("x", [2, 3, 4]), fluid.data("scores", [2, 2, 3])
    found = run(list(layers.matrix_nms(boxes, scores, 0.1, 0.05, 4, 3, return_index=True)), return_numpy=False, feed={
        "x": np.arange(24, dtype="float32").reshape(2, 3, 4), "scores": np.linspace(0, 1, 12, dtype="float32").reshape(
            2, 2, 3)})
    assert [v.lod() for v in found] == [[[0, 3, 6]], [[0, 3, 6]]]


X = np.arange(6, dtype="float32").reshape(2, 3)


def applied(kind, x, results=("Out",), slot="X", **attrs):
    inputs = {} if x is None else {slot: fluid.data("given", x.shape, x.dtype.name)}
    made = appended(kind, inputs, dict.fromkeys(results, 1), **attrs)
    return [value.tolist() for value in run(made, feed={} if x is None else {"given": x})]


@pytest.mark.parametrize("kind, attrs, expected", [
    ("roll", {"dims": [1], "shifts": [1]}, [[2, 0, 1], [5, 3, 4]]), ("flip", {"dims": [1]}, [[2, 1, 0], [5, 4, 3]]),
    ("fill_any_like", {"value": 2.0, "dtype": -1}, [[2, 2, 2], [2, 2, 2]]), ("fill_any_like", {}, [[0] * 3] * 2),
    ("reduce_sum", {}, [3, 5, 7]), ("reduce_mean", {}, [1.5, 2.5, 3.5]), ("reduce_max", {}, [3, 4, 5]),
    ("reduce_min", {}, [0, 1, 2]), ("reduce_prod", {}, [0, 4, 10]), ("reduce_sum", {"reduce_all": True}, [15]),
])
def test_attributes_of_1_and_those_that_are_left_out(kind, attrs, expected):
    assert applied(kind, X, **attrs) == [expected]


def test_a_trace_by_the_attributes_of_1():
    assert applied("trace", X, slot="Input", dim1=0, dim2=1, offset=1) == [[6.0]]


def test_unique_of_1_keeps_the_order_and_gives_places():
    found = applied("unique", np.array([3, 1, 3, 2]), ("Out", "Index"), dtype=2)
    assert found == [[3, 1, 2], [0, 1, 0, 2]]


@pytest.mark.parametrize("kind, attrs, expected", [
    ("assign_value", {"shape": [2], "dtype": 5, "fp32_values": [1.0, 2.5]}, [1.0, 2.5]),
    ("assign_value", {"shape": [2], "dtype": 2, "int32_values": [1, 2]}, [1, 2]),
    ("fill_constant", {"shape": [2]}, [0.0, 0.0]), ("eye", {"num_rows": 2}, [[1.0, 0.0], [0.0, 1.0]]),
])
def test_values_of_1_without_an_input(kind, attrs, expected):
    assert applied(kind, None, **attrs) == [expected]


def test_a_helper_takes_attributes_of_1_too():
    helper = fluid.layer_helper.LayerHelper("rolled")
    out = helper.create_variable_for_type_inference("float32")
    helper.append_op(type="roll", inputs={"X": fluid.data("x", [2, 3])}, outputs={"Out": out},
                     attrs={"dims": [1], "shifts": [1]})
    assert run([out], feed={"x": X})[0].tolist() == [[2, 0, 1], [5, 3, 4]]


def test_an_operator_that_is_several_here():
    x, y = fluid.data("x", [2, 3]), fluid.data("y", [2, 3])
    x.stop_gradient = False
    (out,) = appended("dist", {"X": x, "Y": y}, {"Out": 1}, p=2.0)
    [g] = fluid.gradients(out, x)
    found = run([out, g], feed={"x": X, "y": 0 * X})
    np.testing.assert_allclose(found[0], [55 ** 0.5], rtol=1e-6)
    np.testing.assert_allclose(found[1], X / 55 ** 0.5, rtol=1e-6)
    with pytest.raises(ValueError, match=r"append_op\('dist', inputs\): has the slots \['X', 'Y'\]"):
        appended("dist", {"Z": x}, {"Out": 1})


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_variable_that_is_fed_though_it_is_no_data(level, by_hand):
    x = fluid.default_main_program().global_block().create_var(
        name="x", shape=[-1, 2], dtype="float32", lod_level=level)
    if by_hand:
        out, _ = appended("sequence_pool", {"X": x}, {"Out": 1, "MaxIndex": 1}, pooltype="SUM")
    else:
        out = layers.sequence_pool(x * 2.0, "sum") / 2.0
    rows = fluid.create_lod_tensor(np.arange(6, dtype="float32").reshape(3, 2), [[1, 2]], fluid.CPUPlace())
    assert run([out], feed={"x": rows})[0].tolist() == [[0.0, 1.0], [6.0, 8.0]]


def test_cosines_of_rows_of_any_rank():
    """What belongs to one row is one vector: a cosine for each, [N, 1], as 1.8.5 gives."""
    x, y = fluid.data("x", [3, 2, 2]), fluid.data("y", [1, 2, 2])
    x.stop_gradient = y.stop_gradient = False
    cosine = layers.cos_sim(x, y)
    assert cosine.shape == (3, 1)
    a, b = np.arange(1, 13, dtype="float32").reshape(3, 2, 2), np.array([[[1, -1], [2, 0.5]]], "float32")
    found, dx, dy = run([cosine, *fluid.gradients(cosine, [x, y])], feed={"x": a, "y": b})
    rows, row = a.reshape(3, 4), b.reshape(1, 4)
    across, along = np.linalg.norm(rows, axis=1, keepdims=True), np.linalg.norm(row)
    expected = rows @ row.T / (across * along)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    slope = row / (across * along) - expected * rows / across ** 2
    np.testing.assert_allclose(dx.reshape(3, 4), slope, rtol=1e-3, atol=1e-6)  # differences of nearly equal parts
    slope = (rows / (across * along) - expected * row / along ** 2).sum(axis=0)
    np.testing.assert_allclose(dy.reshape(4), slope, rtol=1e-3, atol=1e-6)


def test_a_row_of_zeros_has_the_cosine_zero_and_slopes():
    """As in 1.8.5, where a row's length is 1e-4 at least: sums over words that all are padding are zeros."""
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 4])
    x.stop_gradient = y.stop_gradient = False
    cosine = layers.cos_sim(x, y)
    found = run([cosine, *fluid.gradients(cosine, [x, y])],
                feed={"x": np.array([[0] * 4, [4e-5] * 4], "float32"), "y": np.array([[0] * 4, [1] * 4], "float32")})
    for values, expected in zip(found, ([[0], [0.8]], [[0] * 4, [1800] * 4], [[0] * 4, [0] * 4]), strict=True):
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)
