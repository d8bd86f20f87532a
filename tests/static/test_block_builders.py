"""Blocks that are written in a `with` statement: loops, branches, steps of a recurrence; gradients through them."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.static.building.block_builders import While, branch, enclosing_block
from proa.static.building.tensor_arrays import create_array
from proa.static.run.lod_tensor import LoDTensor

X = np.arange(6, dtype="float32").reshape(2, 3)
W = np.eye(3, dtype="float32") * 0.5 + 0.1


@pytest.fixture(autouse=True)
def main():
    program = static.Program()
    with static.program_guard(program, static.Program()), static.scope_guard(static.Scope()):
        yield program


def run(feed, fetch):
    exe = static.Executor()
    exe.run(static.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetch)


def weight():
    return static.create_parameter([3, 3], "float32", name="w",
                                   default_initializer=paddle.nn.initializer.Assign(W))


def numeric(function, at, step=1e-3):
    """The gradient of a function of an array, in float64, by differences."""
    found = np.zeros(at.shape)
    for place in np.ndindex(at.shape):
        moved = np.zeros(at.shape)
        moved[place] = step
        found[place] = (function(at + moved) - function(at - moved)) / (2 * step)
    return found


def counted(i, n, going):
    """A round is done: the index is one more, and the condition is asked again."""
    paddle.increment(i)
    paddle.assign(i < n, going)


def test_a_loop_overwrites_variables_and_has_a_gradient():
    x, w = static.data("x", [2, 3]), weight()
    x.stop_gradient = False
    i, n, h = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64"), paddle.full([2, 3], 1.0)
    h.stop_gradient = False
    going = i < n
    loop = While(going)
    with loop.block():
        paddle.assign(paddle.matmul(h, w) + x, h)
        counted(i, n, going)
    loss = paddle.mean(h * h)
    ((_, gradient),) = static.append_backward(loss)

    def expected(x, w):
        h = np.ones((2, 3))
        for _ in range(3):
            h = h @ w + x
        return (h * h).mean()

    got = run({"x": X}, [loss, gradient, "x@GRAD", i])
    np.testing.assert_allclose(got[0], expected(X, W), rtol=1e-6)
    np.testing.assert_allclose(got[1], numeric(lambda w: expected(X, w), W), rtol=1e-4)
    np.testing.assert_allclose(got[2], numeric(lambda x: expected(x, W), X), rtol=1e-4)
    assert got[3].tolist() == [3]


def test_what_a_round_overwrites_in_its_middle_keeps_each_value_for_the_gradient():
    """The index is read before it is counted up, and after; a value is squared, overwritten, and squared again."""
    x, w = static.data("x", [2, 3]), weight()
    x.stop_gradient = False
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
    total = paddle.zeros([2, 3])
    total.stop_gradient = False
    items = create_array()
    items.stop_gradient = False
    items.write(i, x)
    going = i < n
    loop = While(going)
    with loop.block():
        item = items.read(i)
        paddle.assign(total + item * item, total)
        paddle.assign(paddle.tanh(total), total)
        paddle.increment(i)
        items.write(i, paddle.matmul(item, w) + total * total)
        paddle.assign(i < n, going)
    last = items.read(n)
    loss = paddle.mean(last * total)
    ((_, gradient),) = static.append_backward(loss)

    def expected(x, w):
        total, item = np.zeros((2, 3)), x
        for _ in range(3):
            total = np.tanh(total + item * item)
            item = item @ w + total * total
        return (item * total).mean()

    got = run({"x": X / 4}, [loss, gradient, "x@GRAD"])
    np.testing.assert_allclose(got[0], expected(X / 4, W), rtol=1e-6)
    np.testing.assert_allclose(got[1], numeric(lambda w: expected(X / 4, w), W), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(got[2], numeric(lambda x: expected(x, W), X / 4), rtol=1e-3, atol=1e-6)


def test_gradients_of_two_losses_of_one_loop():
    x, w = static.data("x", [2, 3]), weight()
    i, n, h = paddle.full([1], 0, "int64"), paddle.full([1], 2, "int64"), paddle.full([2, 3], 1.0)
    h.stop_gradient = False
    going = i < n
    loop = While(going)
    with loop.block():
        paddle.assign(paddle.tanh(paddle.matmul(h, w) + x), h)
        counted(i, n, going)
    first = static.gradients(paddle.sum(h), [w])
    second = static.gradients(paddle.sum(h * 2), [w])
    a, b = run({"x": X}, [*first, *second])
    np.testing.assert_allclose(2 * a, b, rtol=1e-6)


@pytest.mark.parametrize(("value", "expected"), [(1.0, 10.0), (-1.0, 5.0)])
def test_a_branch_assigns_to_what_is_around_it(value, expected):
    x, y = static.data("x", [1]), paddle.full([1], 5.0)
    with branch([x > 0]):
        paddle.assign(y * 2, y)
    assert run({"x": np.float32([value])}, [y])[0].tolist() == [expected]


def test_a_branch_runs_where_nothing_that_it_reads_is_empty():
    x, y = static.data("x", [None, 3]), paddle.full([1], 5.0)
    with branch([x > 0], is_scalar=False):
        paddle.assign(paddle.sum(x).reshape([1]), y)
    assert run({"x": X}, [y])[0].tolist() == [15.0]


def test_within_a_block_the_one_around_it_can_be_written(main):
    x = static.data("x", [1])
    with branch([x > 0]):
        with enclosing_block() as outer:
            y = x + 1
        paddle.assign(y, x)
    assert y.block is outer is main.global_block() and len(main.blocks) == 2


def test_what_is_refused(main):
    x = static.data("x", [2])
    with pytest.raises(TypeError, match=r"While\(cond\).*float32"):
        While(x)
    with pytest.raises(TypeError, match=r"While\(cond\).*\[2\]"):
        While(x > 0)
    with pytest.raises(TypeError, match=r"While\(cond\).*bool"):
        While(True)
    going = paddle.full([1], True, "bool")
    with pytest.raises(ValueError, match="would not end"), While(going).block():
        x + 1
    with pytest.raises(ZeroDivisionError), branch([going]):
        raise ZeroDivisionError
    assert main.current_block_idx == 0


def test_a_list_keeps_the_lod_of_its_items(main):
    x = static.data("x", [None, 2], lod_level=2)
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 2, "int64")
    items = create_array()
    items.write(i, x)
    going = i < n
    loop = While(going)
    with loop.block():
        item = items.read(i)
        paddle.increment(i)
        items.write(i, item * 2)
        paddle.assign(i < n, going)
    last = items.read(n)
    assert len(last.lod) == 2
    fed = LoDTensor(np.ones((4, 2), "float32"))
    fed.set_lod([[0, 1, 2], [0, 1, 4]])
    got = static.Executor().run(feed={"x": fed}, fetch_list=[last], return_numpy=False)[0]
    assert got.lod() == [[0, 1, 2], [0, 1, 4]] and np.array(got).tolist() == [[4.0, 4.0]] * 4
    with pytest.raises(ValueError, match=r"equally many levels of LoD.*has 2.*of 0"):
        items.write(n, paddle.ones([1, 2]))


def test_a_file_holds_no_lists_of_offsets(main):
    x = static.data("x", [None, 2], lod_level=1)
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 2, "int64")
    items = create_array()
    items.write(i, x)
    going = i < n
    loop = While(going)
    with loop.block():
        item = items.read(i)
        paddle.increment(i)
        items.write(i, item * 2)
        paddle.assign(i < n, going)
    last = items.read(n)
    content = main.desc.serialize_to_string()
    assert b"lod_" not in content.replace(b"lod_array", b"") and b"@LOD" not in content
    again = static.Program.parse_from_string(content)
    fed = LoDTensor(np.ones((4, 2), "float32"))
    fed.set_lod([[0, 1, 4]])
    got = static.Executor().run(again, feed={"x": fed}, fetch_list=[last.name], return_numpy=False)[0]
    assert got.lod() == [[0, 1, 4]] and np.array(got).tolist() == [[4.0, 4.0]] * 4


def test_switch_and_conditional_block_of_the_older_path():
    from proa.static.nn.control_flow import ConditionalBlock, Switch

    main = static.Program()
    with static.program_guard(main):
        step, rate, count = static.data("step", [1]), paddle.full([1], 1.0), paddle.full([1], 0.0)
        with Switch() as switch:
            with switch.case(step < 5.0):
                paddle.assign(step, rate)
            with switch.case(step < 10.0):
                paddle.assign(step * 2.0, rate)
            with switch.default():
                paddle.assign(step * 3.0, rate)
        with ConditionalBlock([step < 5.0], is_scalar_condition=True).block():
            paddle.assign(count + 1.0, count)
    exe = static.Executor()
    found = [[float(v[0]) for v in exe.run(main, feed={"step": np.float32([n])}, fetch_list=[rate, count])]
             for n in (4, 7, 11)]
    assert found == [[4, 1], [14, 0], [33, 0]]
    with pytest.raises(ValueError, match=r"Switch.case\(\): must stand within"):
        with switch.case(step):
            pass
    with pytest.raises(TypeError, match=r"ConditionalBlock\(inputs\): must be Variables"):
        ConditionalBlock([True])
