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
