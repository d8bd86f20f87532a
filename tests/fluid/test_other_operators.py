"""Operators of 1.x that few scripts use, beside PaddlePaddle 1.8.5."""

import numpy as np
import proa.fluid as fluid
import pytest
from fluid_calls import cases
from test_calls import check


@pytest.mark.parametrize("call", cases("other_operators"), ids=str)
def test_as_in_paddle(call):
    if call.type == "filter_by_instag":
        call.output_lods.pop("LossWeight", None)
    if call.type == "roi_perspective_transform":  # what it keeps for the gradients of devices
        call.outputs = {slot: value for slot, value in call.outputs.items() if not slot.startswith("Out2In")}
    check(call)


@pytest.fixture
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        yield fluid.layers


def run(fetches, **feed):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetches, return_numpy=False)


def sequences(values, lengths):
    return fluid.create_lod_tensor(np.array(values), [lengths], fluid.CPUPlace())


def test_random_crop(program):
    x = np.arange(24, dtype="float32").reshape(1, 2, 3, 4)
    np.random.seed(3)
    found = run([program.random_crop(fluid.data("x", [None, 2, 3, 4]), [2, 2])], x=x)[0]
    assert np.array(found).tolist() == [[[[2, 3], [6, 7]], [[16, 17], [20, 21]]]]  # 1.8.5's
    (op,) = fluid.default_main_program().global_block().ops
    assert op.input("Seed") == op.output("SeedOut") == ["random_crop_seed_0"]
    exe, places = fluid.Executor(), set()
    for _ in range(20):
        (cropped,) = exe.run(feed={"x": x}, fetch_list=[op.output("Out")[0]])
        places.add(int(cropped[0, 0, 0, 0]))
    assert places == {0, 1, 2, 4, 5, 6}
    with pytest.raises(ValueError, match="sizes of at most x's"):
        program.random_crop(fluid.data("y", [None, 3, 4]), [4, 4])


def test_filter_by_instag(program):
    kept = program.filter_by_instag(fluid.data("ins", [None, 2], lod_level=1), fluid.data(
        "tags", [None, 1], "int64", lod_level=1), fluid.data("wanted", [None], "int64"), True)
    rows, weight = run(kept, ins=sequences([[0.0, 1.0], [2, 3], [4, 5]], [1, 2]),
                       tags=sequences([[1], [2], [3]], [2, 1]), wanted=np.array([3]))
    assert np.array(rows).tolist() == [[2, 3], [4, 5]] and rows.lod() == [[0, 2]] and np.array(weight).tolist() == [[1]]
    with pytest.raises(ValueError, match=r"filter_by_instag\(ins, ins_tag\): must be equally many"):
        run(kept, ins=sequences([[0.0, 1.0]], [1]), tags=sequences([[1], [2]], [1, 1]), wanted=np.array([3]))


def test_regions_of_images(program):
    x, boxes = np.arange(48, dtype="float32").reshape(1, 4, 3, 4), sequences(np.float32([[0, 0, 2, 2]]), [1])
    image, rois = fluid.data("x", [None, 4, 3, 4]), fluid.data("rois", [None, 4], lod_level=1)
    shifts = fluid.data("shifts", [None, 2, 2, 2])
    of_all, of_own = (program.deformable_roi_pooling(image, rois, shifts, False, 1.0, group, 2, 2, [2, 2], 2, 0.1, own)
                      for group, own in (([1, 1], False), ([2, 2], True)))
    found = run([of_all, of_own], x=x, rois=boxes, shifts=np.ones((1, 2, 2, 2), "float32"))
    first = np.array([[1.375, 2.775], [6.875, 8.275]])  # 1.8.5's
    np.testing.assert_allclose(np.array(found[0])[0], first + 12 * np.arange(4)[:, None, None], rtol=1e-6)
    np.testing.assert_allclose(np.array(found[1])[0, 0], first + [[0, 12], [24, 36]], rtol=1e-6)
    with pytest.raises(TypeError, match=r"roi_perspective_transform\(transformed_height\)"):
        program.roi_perspective_transform(image, rois, 2.0, 2)


def test_tdm_sampler(program):
    paths = np.array([[1, 3, 7], [1, 3, 8], [1, 4, 0], [2, 5, 0]], "int32")
    given = [fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(array))
             for array in (paths, np.arange(1, 9, dtype="int32")[:, None])]
    x = fluid.data("x", [None, 1], "int32")
    lists = fluid.contrib.layers.tdm_sampler(x, [1, 2, 1], [2, 4, 2], 4, *given)
    assert [v.shape for v in lists[0]] == [(-1, 2, 1), (-1, 3, 1), (-1, 2, 1)]
    values = run([*lists[0], *lists[1], *lists[2]], x=np.array([[0], [2], [3]], "int32"))
    (top, middle, last), labels, masks = (tuple(np.array(v)[..., 0] for v in values[n:n + 3]) for n in (0, 3, 6))
    assert top.tolist() == [[1, 2], [1, 2], [2, 1]] and last.tolist() == [[7, 8], [0, 0], [0, 0]]
    assert middle[:, 0].tolist() == [3, 4, 5] and all(len(set(row)) == 3 for row in middle.tolist())
    assert set(middle.reshape(-1)) <= {3, 4, 5, 6}
    assert [v.tolist() for v in labels] == [[[1, 0]] * 3, [[1, 0, 0]] * 3, [[1, 0], [0, 0], [0, 0]]]
    assert masks[2].tolist() == [[1, 1], [0, 0], [0, 0]] and masks[1].all()
    with pytest.raises(ValueError, match="must be less than the layer's nodes"):
        fluid.contrib.layers.tdm_sampler(x, [2], [2], 1)


def test_a_diagonal_of_uniform_values(program):
    values = program.create_parameter([3, 4], "float32", default_initializer=fluid.initializer.Uniform(
        0, 1, diag_num=2, diag_step=5, diag_val=9.0))
    found = np.array(run([values])[0])
    assert np.argwhere(found == 9).tolist() == [[0, 0], [1, 2]] and (found[found != 9] < 1).all()
    with pytest.raises(ValueError, match="the last place is 15, beyond the 12 elements"):
        program.create_parameter([3, 4], "float32", default_initializer=fluid.initializer.Uniform(
            0, 1, diag_num=4, diag_step=4))


def test_what_is_refused(program):
    with pytest.raises(ValueError, match=r"similarity_focus\(indexes\): must be places along dimension 1, of size 2"):
        program.similarity_focus(fluid.data("x", [None, 2, 3, 4]), 1, [2])
    with pytest.raises(ValueError, match=r"hash\(input\): must be rows of int32 or int64"):
        program.hash(fluid.data("y", [None, 2]), 10)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_quotients_sums_and_means_of_integers_are_integers(program, dtype):
    x, y = (fluid.data(name, [2, 3], dtype) for name in "xy")
    found = run([program.elementwise_div(x, y), program.reduce_sum(x), program.reduce_sum(x, dim=1),
                 program.reduce_mean(x, dim=0)],
                x=np.array([[7, -7, 3], [5, 2, -9]], dtype), y=np.array([[2, 2, -2], [3, 5, 4]], dtype))
    assert [np.array(value).dtype.name for value in found] == [dtype] * 4
    assert [np.array(value).tolist() for value in found] == [
        [[3, -3, -1], [1, 0, -2]], [1], [3, -2], [6, -2, -3]]  # 1.8.5's


@pytest.mark.parametrize("x, y, turned", [((4,), (3,), (True, True)), ((4,), (1, 3), (True, False)),
                                          ((4,), (2, 1, 3), (True, False)), ((2, 4, 1), (3,), (False, True)),
                                          ((4,), (1,), (True, False))])
def test_a_vector_that_matmul_turns_is_a_matrix(program, x, y, turned):
    """As 1.8.5's `matmul` says: x of shape [D] is [1, D], transposed [D, 1]; y is [D, 1], transposed [1, D]."""
    random = np.random.RandomState(0)
    feed = {"x": random.rand(*x).astype("float32"), "y": random.rand(*y).astype("float32")}
    left, right = (fluid.data(name, value.shape) for name, value in feed.items())
    left.stop_gradient = right.stop_gradient = False
    product = program.matmul(left, right, *turned, alpha=0.5)
    slopes = fluid.gradients(program.reduce_sum(program.square(product)), [left, right])
    found, dx, dy = map(np.array, run([product, *slopes], **feed))
    rows = feed["x"][:, None] if turned[0] else feed["x"]
    columns = feed["y"][None] if turned[1] else feed["y"]
    np.testing.assert_allclose(found, 0.5 * rows @ columns, rtol=1e-6)
    assert product.shape == found.shape
    for slope, name in ((dx, "x"), (dy, "y")):  # the squares' sum is of the second degree in each
        assert slope.shape == feed[name].shape
        np.testing.assert_allclose((slope * feed[name]).sum(), 2 * (found**2).sum(), rtol=1e-5)
