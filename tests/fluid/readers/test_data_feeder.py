"""DataFeeder and create_lod_tensor: what does not fit is said. What they give is in `reader_cases.py`."""

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest


@pytest.fixture(autouse=True)
def programs():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.layers.data("x", [2])
        fluid.layers.data("label", [1], dtype="int64")
        fluid.layers.data("words", [1], dtype="int64", lod_level=1)
        yield


@pytest.mark.parametrize("names, batch, error, says", [
    (["x", "label"], [([1, 2],)], ValueError, "2 variables .*'label'.* Received 1 fields"),
    (["x"], [3], ValueError, "Received int"),
    (["x"], [([1, 2],), ([1, 2, 3],)], ValueError, "'x' .*lod_level=1"),
    (["x"], [([1, 2, 3],)], ValueError, None),
    (["label"], [("a",)], ValueError, "int64"),
    (["label"], [(1,), ([1, 2],)], ValueError, "one shape"),
    (["words"], [(3,)], TypeError, "'words'.*list of its rows"),
])
def test_samples_that_do_not_fit(names, batch, error, says):
    feeder = fluid.DataFeeder(names, fluid.CPUPlace())
    if says is None:  # what has as many dimensions is left for the Executor to judge, as in 1.8.5
        assert feeder.feed(batch)["x"].shape() == [1, 3]
        return
    with pytest.raises(error, match=says):
        feeder.feed(batch)


def test_rows_that_cannot_be_brought_into_the_shape():
    image = fluid.layers.data("image", [1, 2, 2])
    with pytest.raises(ValueError, match=r"'image' is declared with shape \[-1, 1, 2, 2\].* \[1, 3\]"):
        fluid.DataFeeder([image], fluid.CPUPlace()).feed([([1, 2, 3],)])


def test_feed_lists_that_do_not_fit():
    with pytest.raises(ValueError, match="no variable 'y'"):
        fluid.DataFeeder(["y"], fluid.CPUPlace())
    with pytest.raises(TypeError, match="Received int"):
        fluid.DataFeeder([1], fluid.CPUPlace())
    other = fluid.Program()
    with fluid.program_guard(other):
        fluid.layers.data("there", [1])
    assert fluid.DataFeeder(["there"], fluid.CPUPlace(), program=other).feed_names == ["there"]


def test_batches_for_several_devices():
    feeder = fluid.DataFeeder(["x"], fluid.CPUPlace())
    batches = [[([n, n],)] for n in range(3)]
    with pytest.raises(ValueError, match="each of the 2 devices. Received 3"):
        feeder.feed_parallel(batches, 2)
    with pytest.raises(ValueError, match="1 batches are left over"):
        list(feeder.decorate_reader(lambda: iter(batches), True, 2, drop_last=False)())
    assert len(list(feeder.decorate_reader(lambda: iter(batches), True, 2)())) == 1


def test_an_executor_takes_what_a_feeder_gives():
    block = fluid.default_main_program().global_block()
    total = block.var("x").sum() + block.var("label").astype("float32").sum()
    feeder = fluid.DataFeeder(["x", "label"], fluid.CPUPlace())
    exe = fluid.Executor(fluid.CPUPlace())
    for feed in (feeder.feed([([1, 2], 3), ([4, 5], 6)]), list(feeder.feed_parallel([[([1, 2], 3), ([4, 5], 6)]], 1))):
        assert float(exe.run(feed=feed, fetch_list=[total])[0]) == 21


def test_feeders_by_their_other_names():
    assert fluid.DataFeeder is paddle.base.DataFeeder is fluid.data_feeder.DataFeeder


@pytest.mark.parametrize("data, lengths, error, says", [
    ([[1, 2], [3]], [[1, 2]], ValueError, r"the lengths \[\[2, 1\]\]"),
    (np.zeros((3, 1)), [[1, 1]], ValueError, "3 rows"),
    (np.zeros((3, 1)), [[2], [1, 1, 1]], ValueError, "level"),
    ("abc", [[3]], TypeError, "Received str"),
])
def test_lengths_that_do_not_add_up(data, lengths, error, says):
    with pytest.raises(error, match=says):
        fluid.create_lod_tensor(data, lengths, fluid.CPUPlace())


def test_sizes_of_random_rows():
    with pytest.raises(TypeError, match="base_shape"):
        fluid.create_random_int_lodtensor([[1]], 3, fluid.CPUPlace(), 0, 1)
    made = fluid.create_random_int_lodtensor([[2, 1], [5, 0, 40]], [3], fluid.CPUPlace(), -2, 2)
    assert made.shape() == [45, 3] and sorted({*np.array(made).reshape(-1).tolist()}) == [-2, -1, 0, 1, 2]
