"""Gradients where values have been overwritten: parameters by updates, others by `assign` and loops; flags."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from trained_by_hand import fetched, weight

TWO = {"x": np.array([2.0], "float32")}


def test_an_update_is_not_differentiated(programs):
    """A clip before the loss: the gradient is with respect to what the loss is computed from."""
    w = weight("w", 3.0)
    paddle.assign(paddle.clip(w * 0.5, -1.2, 1.2), w)
    loss = (w * w * w).sum()
    [gradient] = static.gradients(loss, [w])
    np.testing.assert_allclose(fetched([w, gradient]), [[1.2], [3 * 1.2**2]], rtol=1e-6)


def test_a_parameter_that_is_set_to_a_constant_is_still_trained(programs):
    w = weight("w", 1.0)
    paddle.assign(paddle.full([1], 2.0), w)
    assert w.trainable
    paddle.optimizer.SGD(0.1).minimize((w * w).sum())
    assert fetched([w])[0].tolist() == [pytest.approx(1.6)]


def test_a_gradient_reads_what_was_there_before_an_assignment(programs):
    w = weight("w", 1.5)
    h = static.data("x", [1]) * w
    loss = (h * h).sum()
    paddle.assign(paddle.full([1], 5.0), h)
    [(_, gradient)] = static.append_backward(loss)
    np.testing.assert_allclose(fetched([h, gradient], **TWO), [[5.0], [12.0]])


def test_a_gradient_flows_through_an_assignment_once(programs):
    x = static.data("x", [1])
    x.stop_gradient = False
    h = x * 2.0
    paddle.assign(h * 3.0, h)
    [gradient] = static.gradients((h * h).sum(), [x])
    np.testing.assert_allclose(fetched([gradient], **TWO), [[2 * 12.0 * 6.0]])


def test_a_gradient_reads_what_was_there_before_a_loop(programs):
    x, w = static.data("x", [1]), weight("w", 3.0)
    y = x * w
    static.nn.while_loop(lambda x: x.sum() < 9.0, lambda x: [x + 1.0], [x])
    [(_, gradient)] = static.append_backward((y + x).sum())
    np.testing.assert_allclose(fetched([x, gradient], **TWO), [[9.0], [2.0]])


def test_the_gradient_of_a_loop_variable_is_that_of_its_first_value(programs):
    x = static.data("x", [1])
    x.stop_gradient = False
    s, i = x * 1.0, paddle.zeros([1], "int64")
    square = s * s
    static.nn.while_loop(lambda i, s: i < 2, lambda i, s: [i + 1, s * s], [i, s])
    found = static.gradients((s + square).sum(), [s, x])
    np.testing.assert_allclose(fetched([s, *found], **TWO), [[16.0], [4 * 8.0 + 4.0], [4 * 8.0 + 4.0]])


def test_an_index_that_is_incremented_is_read_as_it_was(programs):
    x, w, i = static.data("x", [3]), weight("w", 1.0, (3,)), paddle.zeros([1], "int64")
    taken = paddle.gather(x * w, i)
    paddle.increment(i)
    [(_, gradient)] = static.append_backward(taken.sum())
    found = fetched([i, gradient], x=np.array([1.0, 2.0, 3.0], "float32"))
    assert [array.tolist() for array in found] == [[1], [1.0, 0.0, 0.0]]


def test_a_loop_leaves_a_parameter_alone(programs):
    w, i = weight("w", 1.5), paddle.zeros([1], "int64")
    _, out = static.nn.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, y * 2.0], [i, w])
    paddle.optimizer.SGD(0.1).minimize(out.sum())
    np.testing.assert_allclose(fetched([w, out, i]), [[1.1], [6.0], [2]], rtol=1e-6)


def test_a_variable_given_twice_is_two_loop_variables(programs):
    a = paddle.full([1], 1.0)
    first, second = static.nn.while_loop(lambda a, b: a.sum() < 4.0, lambda a, b: [a * 2.0, b * 3.0], [a, a])
    assert [array.tolist() for array in fetched([a, first, second])] == [[4.0], [4.0], [9.0]]


def test_loop_variables_change_places(programs):
    a, b, i = paddle.full([1], 1.0), paddle.full([1], 2.0), paddle.zeros([1], "int64")
    static.nn.while_loop(lambda i, a, b: i < 3, lambda i, a, b: [i + 1, b, a], [i, a, b])
    assert [array.tolist() for array in fetched([a, b])] == [[2.0], [1.0]]


def test_converted_loops_leave_what_they_began_with(programs):
    with paddle.ops.core.trace.using(paddle.dygraph.eager.EAGER):
        @paddle.jit.to_static
        def repeated(x, n):
            y, i = x, paddle.zeros([1], "int64")
            while i < n:
                y = y * x
                i = i + 1
            _, z = static.nn.while_loop(lambda i, z: i < n * 2, lambda i, z: [i + 1, z * x], [i, y])
            return x + 0.0, y + 0.0, z

        x, n = paddle.to_tensor([2.0]), paddle.to_tensor([2])
        assert [float(v) for v in repeated(x, n)] == [2.0, 8.0, 32.0]


def test_layers_of_a_loop_that_is_traced_again_have_the_first_names(programs):
    main, startup = programs
    x, i = static.data("x", [2, 3]), paddle.zeros([1], "int64")
    static.nn.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, static.nn.fc(y, 3)], [i, x])
    static.nn.fc(x, 1)
    assert [p.name for p in main.all_parameters()] == ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]
    assert len(startup.global_block().ops) == 4


def test_what_is_assigned_decides_no_flag(programs):
    x, w = static.data("x", [1]), weight("w", 1.0)
    mean = static.create_global_var([1], 0.0, "float32", persistable=True)
    paddle.assign(mean * 0.9 + w * x, mean)
    hidden = x * w
    paddle.assign(hidden * 2.0, hidden)
    assert mean.stop_gradient and not hidden.stop_gradient
    paddle.assign(x, hidden)
    assert hidden.stop_gradient


def test_loops_before_a_second_minimize(programs):
    """The first pass's gradient of the loop is none of the second's business."""
    w = weight("w", 1.0)
    _, out = static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * w + w],
                                  [paddle.zeros([1], "int64"), static.data("x", [1]) * 1.0])
    first, second = (out * 2.0).sum(), out.sum()
    [(_, one)] = static.append_backward(first)
    [(_, two)] = static.append_backward(second)
    kinds = [op.type for op in programs[0].global_block().ops]
    assert kinds.count("while_grad") == 2 and kinds.count("while") == 1
    slope = 3 * 2.0 + 3 + 2 + 1  # of x w³ + w³ + w² + w
    np.testing.assert_allclose(fetched([one, two], **TWO), [[2 * slope], [slope]])


def test_a_second_loss_of_a_branch(programs):
    x, w = static.data("x", [1]), weight("w", 1.0)
    out = static.nn.cond(x.sum() > 0.0, lambda: x * w * w, lambda: w * 3.0)
    for scale in (1.0, 10.0):
        paddle.optimizer.SGD(0.1).minimize((out * scale).sum())
    after_first = 1.0 - 0.1 * 4.0
    # the second reads the updated w and x * w of before
    np.testing.assert_allclose(fetched([w], **TWO), [[after_first - (2.0 + 2.0 * after_first)]], rtol=1e-5)
    assert fetched([w], x=-TWO["x"])[0].tolist() == [pytest.approx(1.0 - 0.3 - 3.0)]


@pytest.mark.parametrize("make", [
    lambda: paddle.optimizer.Adam(0.1), lambda: paddle.incubate.LookAhead(paddle.optimizer.Momentum(0.1), k=1),
    lambda: static.amp.decorate(paddle.optimizer.SGD(0.1), init_loss_scaling=8.0)], ids=["adam", "lookahead", "amp"])
def test_the_losss_program_is_trained_whichever_is_the_default(programs, make):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        loss = (weight("w", 1.0) ** 2).sum()
    make().minimize(loss, startup_program=startup)
    assert not programs[0].global_block().ops and not programs[1].global_block().ops
    exe = static.Executor()
    exe.run(startup)
    exe.run(main)
    assert float(np.array(static.global_scope().find_var("w").get_tensor())[0]) < 0.95


def test_gradients_of_an_optimizer_are_applied_where_the_parameters_are(programs):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        loss = (weight("w", 1.0) ** 2).sum()
    optimizer = paddle.optimizer.SGD(0.1)
    optimizer.apply_gradients(optimizer.backward(loss, startup))
    assert [op.type for op in main.global_block().ops][-1] == "sgd" and not programs[0].global_block().ops
