"""Lists of a Program: what they hold, their gradients to second order, their form in files."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.program.tensor_arrays import ArrayValue
from proa.static.building.tensor_arrays import create_array
from proa.static.files.program_codec import to_desc
from proa.static.program import from_desc

X = np.arange(6, dtype="float32").reshape(2, 3) * 0.25 - 0.5


@pytest.fixture
def main():
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program, paddle.static.Program()):
        yield program
    paddle.disable_static()


def data():
    x, n = paddle.static.data("x", [2, 3], "float32"), paddle.static.data("n", [], "int64")
    x.stop_gradient = False
    return x, n


def run(main, turns, *fetched):
    return paddle.static.Executor().run(main, feed={"x": X, "n": np.array(turns)}, fetch_list=list(fetched))


def grown(x, n, out):
    """x, and then each item from the one before."""
    out.append(x)

    def turn(i):
        out.append(out[-1] * out[-1] + x * i.astype("float32"))
        return [i + 1]

    paddle.static.nn.while_loop(lambda i: i < n, turn, [paddle.full([], 0, "int64")])
    return out


def grown_in_python(x, turns):
    out = [x]
    for i in range(turns):
        out.append(out[-1] * out[-1] + x * float(i))
    return out


USES = {
    "stacked": lambda out: paddle.stack(out, axis=1),
    "joined": lambda out: paddle.concat(out, axis=1),
    "last": lambda out: out[-1] * 1.0,
    "popped": lambda out: out.pop() + paddle.stack(out).sum(0),
    "popped_first": lambda out: out.pop(0) * 2 + paddle.stack(out).sum(0),
    "inserted": lambda out: (out.insert(0, out[-1] * 3), paddle.concat(out))[1],
    "set": lambda out: (out.__setitem__(0, out[1] * 3), paddle.concat(out))[1],
    "part": lambda out: paddle.concat(out[1:]),
    "added": lambda out: paddle.concat(out + [out[0] * 2]),
    "added_before": lambda out: paddle.concat([out[0] * 2] + out),
}


@pytest.mark.parametrize("use", USES)
def test_values_and_gradients(main, use):
    x, n = data()
    y = USES[use](grown(x, n, create_array()))
    (first,) = paddle.static.gradients((y * y).sum(), x)
    (second,) = paddle.static.gradients((first * first).sum(), x)
    for turns in (1, 3, 2):
        found = run(main, turns, y, first, second)
        paddle.disable_static()
        t = paddle.to_tensor(X, stop_gradient=False)
        wanted = USES[use](grown_in_python(t, turns))
        (g,) = paddle.grad((wanted * wanted).sum(), t, create_graph=True)
        (h,) = paddle.grad((g * g).sum(), t)
        paddle.enable_static()
        for ours, theirs in zip(found, (wanted, g, h), strict=True):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_a_branch_that_writes_lets_gradients_by_where_it_is_not_taken(main):
    x, n = data()
    out = create_array()
    out.append(x * 2)
    y = x * 3
    paddle.static.nn.cond(n > 1, lambda: (out.clear(), out.append(x * 5), paddle.assign(x * 7, y))[0])
    (g,) = paddle.static.gradients(out[0].sum() + y.sum(), x)
    for turns, wanted in ((0, 5.0), (2, 12.0)):
        np.testing.assert_allclose(run(main, turns, g)[0], np.full_like(X, wanted))


def test_length_and_files(main):
    x, n = data()
    out = grown(x, n, create_array())
    out.pop()
    length, joined = out.length(), paddle.concat(out)
    assert joined.shape == (-1, 3)
    desc = to_desc(main)
    types = {op.type for block in desc.blocks for op in block.ops}
    assert types.isdisjoint({"empty_array", "array_slice", "share_data"})
    writes = [op for block in desc.blocks for op in block.ops if op.type == "write_to_array"]
    assert writes and all({slot.parameter for slot in op.inputs} == {"X", "I"} for op in writes)
    read = from_desc(desc, "memory")
    for turns in (4, 2):
        found, wanted = run(read, turns, length.name, joined.name), run(main, turns, length, joined)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_errors(main):
    x, n = data()
    out = create_array()
    with pytest.raises(TypeError, match="before anything was appended"):
        out[0]
    out.append(x)
    with pytest.raises(TypeError, match="one dtype and one number of dimensions"):
        out.append(n)
    for wrong in (None, "text", [x], out):
        with pytest.raises(TypeError, match="holds tensors and numbers"):
            out.append(wrong)
    with pytest.raises(TypeError, match="known only when the program runs.*stack"):
        paddle.tanh(out)
    with pytest.raises(TypeError, match="`for` statement"):
        list(out)
    with pytest.raises(TypeError, match=r"length\(\)"):
        len(out)
    with pytest.raises(TypeError, match="indices must be integers"):
        out["a"]
    with pytest.raises(TypeError, match="neither start nor stop"):
        out[1::2]
    item = out[n]
    with pytest.raises(IndexError, match="out of range: the item 3 of a list of 1"):
        run(main, 3, item)


def test_growing_takes_no_copy_and_changes_no_older_list():
    one = ArrayValue().written(0, "a")
    two, other = one.written(1, "b"), one.written(1, "c")
    assert [list(v) for v in (one, two, other)] == [["a"], ["a", "b"], ["a", "c"]]
    assert two._items is one._items
    assert list(ArrayValue().written(2, "z")) == [None, None, "z"] and two.get(5) is None


def test_joined_as_the_only_item_of_a_list(main):
    x, n = data()
    array = paddle.tensor.create_array("float32", [x, x * 2.0])
    joined, sizes = paddle.tensor.manipulation.tensor_array_to_tensor(array, axis=0)
    stacked, widths = paddle.tensor.manipulation.tensor_array_to_tensor(array, axis=1, use_stack=True)
    found = run(main, 1, joined, sizes, stacked, widths, paddle.concat([array], 1), paddle.stack([array]))
    for value, expected in zip(found, [np.concatenate([X, X * 2]), [2, 2], np.stack([X, X * 2], 1),
                                       [X.shape[1]] * 2, np.concatenate([X, X * 2], 1), np.stack([X, X * 2])],
                               strict=True):
        np.testing.assert_array_equal(value, expected)


def test_the_gradient_of_what_is_stacked_goes_to_its_items(main):
    x, n = data()
    x.stop_gradient = False
    array = paddle.tensor.create_array("float32", [x, x * 2.0])
    for axis in (0, 1, 2):  # behind the last dimension there are no sizes but 1
        stacked, _ = paddle.tensor.manipulation.tensor_array_to_tensor(array, axis=axis, use_stack=True)
        weights = np.moveaxis(np.stack([np.full_like(X, 3), np.full_like(X, 5)]), 0, axis)
        [slope] = paddle.static.gradients(paddle.sum(stacked * paddle.to_tensor(weights)), x)
        np.testing.assert_array_equal(run(main, 1, slope)[0], np.full_like(X, 13))
