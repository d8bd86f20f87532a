"""Gradients under their names, and the callbacks of `append_backward`."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from trained_by_hand import fetched, weight


def network():
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    h = paddle.tanh(paddle.matmul(x, weight("w", 0.5, (3, 2))))
    return x, h, (h * h + h).mean()


X = np.arange(6, dtype="float32").reshape(2, 3) / 10


def test_every_value_on_the_way_has_a_named_gradient(programs):
    x, h, loss = network()
    [(_, gradient)] = static.append_backward(loss)
    assert gradient.name == "w@GRAD"
    out = np.tanh(X @ np.full((3, 2), 0.5, "float32"))
    of_h = (2 * out + 1) / 4
    found = fetched([f"{loss.name}@GRAD", f"{h.name}@GRAD", "x@GRAD", "w@GRAD"], x=X)
    inner = of_h * (1 - out * out)
    for array, expected in zip(found, [1.0, of_h, inner @ np.full((2, 3), 0.5), X.T @ inner]):
        np.testing.assert_allclose(array, expected, rtol=1e-5)


def test_a_gradient_is_true_and_another_variable_is_an_error(programs):
    x, h, loss = network()
    pairs = static.append_backward(loss, parameter_list=[x, h, static.data("unused", [1])])
    assert [variable.name for variable, gradient in pairs if gradient] == [x.name, h.name]
    with pytest.raises(TypeError, match="has no value while the Program is being built"):
        bool(h)


def test_a_gradient_of_two_values_has_both_names(programs):
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    y = x + 1.0
    given = static.data("g", [2, 3])
    [gradient] = static.gradients(y, [x], target_gradients=given)
    assert gradient.name == "x@GRAD"
    for array in fetched([f"{y.name}@GRAD", "x@GRAD"], x=X, g=X * 2):
        np.testing.assert_array_equal(array, X * 2)


def test_the_target_is_among_the_inputs(programs):
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    y = x * 2.0
    found = static.gradients([y, y * 3.0], [y, x])
    np.testing.assert_array_equal(fetched(found, x=X), [np.full((2, 3), 4.0), np.full((2, 3), 8.0)])


def test_later_passes_have_names_of_their_own(programs):
    w = weight("w", 2.0)
    names = [static.append_backward((w * k).sum())[0][1].name for k in (1.0, 2.0, 3.0)]
    assert names == ["w@GRAD", "grad/grad/w@GRAD", "grad/grad/grad/w@GRAD"]
    assert np.concatenate(fetched(names)).tolist() == [1.0, 2.0, 3.0]


def test_callbacks_are_told_of_operations_and_names(programs):
    x, h, loss = network()
    calls = []

    def callback(block, context):
        operation = context["__current_op_desc__"]
        named = {n: context[n] for n in operation.output_arg_names() if n in context}
        calls.append((block.idx, operation.type(), named))

    before = len(programs[0].global_block().ops)
    static.append_backward(loss, callbacks=[callback])
    assert len(calls) == len(programs[0].global_block().ops) - before
    named = {key: value for _, _, names in calls for key, value in names.items()}
    assert named["w@GRAD"] == "w" and named["x@GRAD"] == "x" and named[f"{h.name}@GRAD"] == h.name
    assert {block for block, _, _ in calls} == {0}


def test_a_callback_changes_what_flows_on(programs):
    x, h, loss = network()

    def clip(block, context):
        for name in context["__current_op_desc__"].output_arg_names():
            if name == f"{h.name}@GRAD":
                block.append("clip", {"X": [name]}, {"Out": [name]}, {"min": -0.3, "max": 0.3})

    static.append_backward(loss, callbacks=[clip])
    out = np.tanh(X @ np.full((3, 2), 0.5, "float32"))
    inner = np.clip((2 * out + 1) / 4, -0.3, 0.3) * (1 - out * out)
    np.testing.assert_allclose(fetched(["w@GRAD"], x=X)[0], X.T @ inner, rtol=1e-5)


def test_an_optimizer_passes_callbacks_on(programs):
    called = []
    pairs = paddle.optimizer.SGD(0.1).backward((weight("w", 1.0) * 2.0).sum(),
                                               callbacks=[lambda block, context: called.append(block)])
    assert called and [p.name for p, _ in pairs] == ["w"]


def test_callbacks_that_cannot_be_called_are_refused(programs):
    with pytest.raises(TypeError, match="append_backward.callbacks.: must be a list or tuple of functions"):
        static.append_backward(weight("w", 1.0).sum(), callbacks=print)


def test_parameters_come_in_the_order_they_are_listed_in(programs):
    a, b = weight("a", 1.0), weight("b", 2.0)
    pairs = static.append_backward((a * b).sum(), parameter_list=["b", a])
    assert [(p.name, g.name) for p, g in pairs] == [("b", "b@GRAD"), ("a", "a@GRAD")]


def test_operations_of_gradients_have_the_line_of_what_they_are_the_gradient_of():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2])
        x.stop_gradient = False
        y = paddle.exp(x)
        z = paddle.tanh(y)
        paddle.static.gradients(z, x)
    exp, tanh, *backward = main.global_block().ops
    assert exp.source != tanh.source
    assert [op.source for op in backward[1:]].index(exp.source) > 0
    assert {op.source for op in backward[1:]} == {exp.source, tanh.source}


def test_append_backward_gives_gradients_of_what_is_computed_between_too():
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [2, 3])
        hidden = static.nn.fc(x, 2)
        loss = paddle.sum(hidden * hidden)
        pairs = static.append_backward(loss, parameter_list=[hidden.name, main.all_parameters()[0]])
    assert [(value.name, gradient.name) for value, gradient in pairs] == [
        (value.name, f"{value.name}@GRAD") for value in (hidden, main.all_parameters()[0])]
    executor = static.Executor()
    executor.run(startup)
    value, found = executor.run(main, {"x": np.ones((2, 3), "float32")}, [hidden, pairs[0][1]])
    np.testing.assert_allclose(found, 2 * value, rtol=1e-6)


@pytest.mark.parametrize("given", ["fc_0.w_0", 1, [1]])
def test_lists_of_something_else_than_variables_are_refused(given):
    with static.program_guard(static.Program(), static.Program()):
        x = static.data("x", [2, 3])
        loss = paddle.mean(static.nn.fc(x, 2))
        for argument in ("parameter_list", "no_grad_set"):
            with pytest.raises(TypeError, match=argument):
                static.append_backward(loss, **{argument: given})
        with pytest.raises(TypeError, match="targets"):
            static.gradients(given, x)
        with pytest.raises(TypeError, match="inputs"):
            static.gradients(loss, given)


def test_the_gradient_of_what_a_loop_begins_with_has_the_name(programs):
    """The loop overwrites i and x; `x@GRAD` is that of what was fed."""
    i, x = static.data("i", [1]), static.data("x", [1])
    i.stop_gradient = x.stop_gradient = False
    _, result = static.nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * i], [i, x])
    static.append_backward(result.mean())
    found = fetched([result, "i@GRAD", "x@GRAD"], i=np.ones(1, "float32"), x=np.ones(1, "float32"))
    assert [array.item() for array in found] == [2, 3, 2]


def test_no_inputs_have_no_gradients_and_starts_are_variables(programs):
    x, _, loss = network()
    assert static.gradients(loss, []) == []
    with pytest.raises(TypeError, match="target_gradients"):
        static.gradients(loss, x, target_gradients="x@GRAD")


def test_the_gradient_of_what_is_linear_can_be_differentiated_with_respect_to(programs):
    """Nothing leads on from it: its own gradient is that of what was computed of it."""
    x, start = static.data("x", [2, 3]), static.data("g", [2, 3])
    x.stop_gradient = False
    [slope] = static.gradients(x * 2.0, x, target_gradients=start)
    [found] = static.gradients((slope * slope).sum(), slope)
    np.testing.assert_allclose(fetched([found], x=X, g=X)[0], 4 * X, rtol=1e-6)
    static.gradients(x, x, target_gradients=start)
    assert start.stop_gradient
