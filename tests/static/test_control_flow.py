"""`cond`, `while_loop`, `case` and `switch_case` in Programs: values and gradients, against eager Python."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.dygraph.eager import EAGER
from proa.ops.core.trace import using


def both(build, feeds, wanted=("x",)):
    """Outputs and gradients of `build(**values)` as a Program and eagerly, for each feed."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        variables = {}
        for name, array in feeds[0].items():
            variables[name] = static.data(name, [None] * array.ndim, str(array.dtype))
            variables[name].stop_gradient = name not in wanted
        loss = build(**variables).sum()
        gradients = static.gradients(loss, [variables[name] for name in wanted])
    results = []
    for feed in feeds:
        ran = static.Executor().run(main, feed=feed, fetch_list=[loss, *gradients])
        with using(EAGER):
            values = {n: paddle.to_tensor(a, stop_gradient=n not in wanted) for n, a in feed.items()}
            eager = build(**values).sum()
            expected = paddle.grad(eager, [values[n] for n in wanted])
        np.testing.assert_allclose(ran[0], eager.numpy(), rtol=1e-5)
        for got, right in zip(ran[1:], expected):
            np.testing.assert_allclose(got, right.numpy(), rtol=1e-5, atol=1e-6)
        results.append(ran[0])
    return results


X = np.array([0.5, -1.0, 2.0], "float32")


def test_cond_takes_the_branch_and_its_gradient():
    def build(x):
        return static.nn.cond(x.sum() > 0, lambda: x * x, lambda: x.exp())

    both(build, [{"x": X}, {"x": -X}])


def test_branches_may_use_values_made_outside_and_nothing():
    def build(x):
        y = x.tanh()
        return static.nn.cond(x.sum() > 0, lambda: y * 2.0, lambda: y) + y

    both(build, [{"x": X}, {"x": -X}])


def test_nested_conditions():
    def build(x):
        def inner():
            return static.nn.cond(x.max() > 1.5, lambda: x * 3.0, lambda: x * x)

        return static.nn.cond(x.sum() > 0, inner, lambda: -x)

    both(build, [{"x": X}, {"x": X * 0.5}, {"x": -X}])


def test_structures_and_numbers():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [1])
        pair = static.nn.cond(x > 0, lambda: {"a": x, "b": [1, x * 2.0]}, lambda: {"a": -x, "b": [2.5, x]})
        assert set(pair) == {"a", "b"}
    fetch = [pair["a"], *pair["b"]]
    positive = static.Executor().run(main, feed={"x": np.ones(1, "float32")}, fetch_list=fetch)
    negative = static.Executor().run(main, feed={"x": -np.ones(1, "float32")}, fetch_list=fetch)
    assert [v.tolist() for v in positive] == [[1.0], 1.0, [2.0]]
    assert [v.tolist() for v in negative] == [[1.0], 2.5, [-1.0]]


def test_branches_that_do_not_fit_are_told():
    with static.program_guard(static.Program()):
        x = static.data("x", [2, 2])
        with pytest.raises(ValueError, match="same structure"):
            static.nn.cond(x.sum() > 0, lambda: (x, x), lambda: x)
        for one, other in ((lambda: None, lambda: x), (lambda: x, lambda: None)):
            with pytest.raises(ValueError, match="None"):
                static.nn.cond(x.sum() > 0, one, other)
        with pytest.raises(TypeError, match="value 1 is None"):
            static.nn.cond(x.sum() > 0, lambda: [x, None], lambda: [x, x])
        with pytest.raises(TypeError, match="callable"):
            static.nn.cond(x.sum() > 0, x, x)


def _of_ranks(i, x):
    with pytest.warns(UserWarning, match=r"value 0 has shape \[2, 3\] in true_fn and \[6\] in false_fn"):
        return static.nn.cond(i < 1, lambda: x * 2, lambda: (x * 3).reshape([6]))


def _case_of_ranks(i, x):
    with pytest.warns(UserWarning, match="has shape"):
        return static.nn.case([(i < 1, lambda: x), (i < 2, lambda: x.sum())], lambda: x.reshape([1, 2, 3]))


def _switch_of_ranks(i, x):
    with pytest.warns(UserWarning, match="has shape"):
        return static.nn.switch_case(i, {0: lambda: x, 1: lambda: x.sum(0)}, lambda: x.reshape([1, 2, 3]))


def _sizes_unknown(i, x):
    with pytest.warns(UserWarning, match=r"\[-1, 3\] in true_fn and \[-1\] in false_fn"):
        return static.nn.cond(i < 1, lambda: x[:i + 1], lambda: x[0, i:])


@pytest.mark.parametrize("branches, results", [
    (_of_ranks, [lambda x: x * 2, lambda x: (x * 3).ravel(), lambda x: (x * 3).ravel()]),
    (_case_of_ranks, [lambda x: x, np.sum, lambda x: x[None]]),
    (_switch_of_ranks, [lambda x: x, lambda x: x.sum(0), lambda x: x[None]]),
    (_sizes_unknown, [lambda x: x[:1], lambda x: x[0, 1:], lambda x: x[0, 2:]]),
])
def test_branches_of_several_ranks(branches, results, tmp_path):
    main, x = static.Program(), np.arange(6, dtype="float32").reshape(2, 3)
    with static.program_guard(main):
        i, v = static.data("i", [1], "int32"), static.data("x", [2, 3])
        v.stop_gradient = False
        found = branches(i, v)
        after = paddle.tanh(found * 2.0 + 1.0)
        total = after.sum()
        [gradient] = static.gradients(total, v)
    exe = static.Executor()
    static.save_inference_model(str(tmp_path / "m"), [i, v], [after], exe, program=main)
    loaded, _, fetches = static.load_inference_model(str(tmp_path / "m"), exe)
    for number, expected in enumerate(results):
        feed = {"i": np.array([number], "int32"), "x": x}
        given, then, slope = exe.run(main, feed=feed, fetch_list=[found, after, gradient])
        np.testing.assert_allclose(given, expected(x))
        np.testing.assert_allclose(then, np.tanh(expected(x) * 2 + 1), rtol=1e-6)
        step = np.float32(1e-3)
        moved = sum(np.tanh(expected(x + side * step) * 2 + 1).sum() * side for side in (1, -1)) / (2 * step)
        np.testing.assert_allclose(slope.sum(), moved, rtol=2e-2, atol=2e-3)
        np.testing.assert_array_equal(exe.run(loaded, feed=feed, fetch_list=fetches)[0], then)


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_while_with_a_trip_count_from_data(rounds):
    def build(x, n):
        i = paddle.zeros([], "int64")
        _, y = static.nn.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * x + y.tanh()], [i, x * 1.0])
        return y

    both(build, [{"x": X, "n": np.array(rounds, "int64")}])


def test_while_until_a_value_is_reached():
    def build(x):
        return static.nn.while_loop(lambda y: y.sum() < 100.0, lambda y: [y * 1.5 + x.abs()], [x.abs()])[0]

    both(build, [{"x": X}, {"x": X * 30}])


def test_variables_may_change_places():
    def build(x, n):
        i = paddle.zeros([], "int64")
        _, a, b = static.nn.while_loop(lambda i, a, b: i < n, lambda i, a, b: [i + 1, b, a * 2.0], [i, x, x * x])
        return a + b * 3.0

    both(build, [{"x": X, "n": np.array(k, "int64")} for k in (0, 1, 2, 5)])


def test_condition_within_a_loop_and_loop_within_a_loop():
    def build(x, n):
        def body(i, y):
            y = static.nn.cond(y.sum() > 1.0, lambda: y * 0.5, lambda: y * y + x)
            _, y = static.nn.while_loop(lambda j, y: j < 2, lambda j, y: [j + 1, y * x], [paddle.zeros([], "int64"), y])
            return [i + 1, y]

        return static.nn.while_loop(lambda i, y: i < n, body, [paddle.zeros([], "int64"), x * 1.0])[1]

    both(build, [{"x": X, "n": np.array(k, "int64")} for k in (0, 1, 3)])


def test_sizes_may_grow():
    def build(x, n):
        i = paddle.zeros([], "int64")
        return static.nn.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, paddle.concat([y, x * 2.0])],
                                    [i, x * 1.0])[1]

    both(build, [{"x": X, "n": np.array(k, "int64")} for k in (0, 2)])


def test_loop_variables_keep_their_kind():
    with static.program_guard(static.Program()):
        x = static.data("x", [2])
        with pytest.raises(TypeError, match="keeps its dtype"):
            static.nn.while_loop(lambda y: y.sum() < 1.0, lambda y: [y.astype("float64")], [x])
        with pytest.raises(ValueError, match="as many as loop_vars"):
            static.nn.while_loop(lambda y: y.sum() < 1.0, lambda y: [y, y], [x])
        with pytest.raises(TypeError, match=r"while_loop\(body\): must give the loop variables. It gave None"):
            static.nn.while_loop(lambda y: y.sum() < 1.0, lambda y: None, [x])
        with pytest.raises(ValueError, match="loop_vars"):
            static.nn.while_loop(lambda: True, lambda: [], [])


def test_case_and_switch():
    def chosen(x, k):
        first = static.nn.case([(x.sum() > 10.0, lambda: x * 3.0), (x.sum() > 0.0, lambda: x * 2.0)], lambda: -x)
        second = static.nn.switch_case(k, {1: lambda: x, 3: lambda: x * x}, lambda: x * 0.5)
        return first + second

    both(chosen, [{"x": X * s, "k": np.array(k, "int64")} for s in (-1, 1, 9) for k in (1, 2, 3)])


def test_plain_python_with_values():
    assert static.nn.cond(paddle.to_tensor(False), lambda: 1, lambda: 2) == 2
    assert static.nn.while_loop(lambda i: i < 5, lambda i: i + 2, [paddle.to_tensor(0)])[0].item() == 6


def test_switch_case_says_what_it_takes():
    with static.program_guard(static.Program()):
        index = static.data("i", [1], "int64")
        with pytest.raises(ValueError, match=r"each index must occur once. Received \[0, 0\]"):
            static.nn.switch_case(index, [(0, lambda: 1), (0, lambda: 2)])
        with pytest.raises(ValueError, match="at least one function"):
            static.nn.switch_case(index, [])
        with pytest.raises(TypeError, match="pairs of an int and a function"):
            static.nn.switch_case(index, {"a": lambda: 1})
        with pytest.raises(TypeError, match=r"must be an integer tensor. Received 1\."):
            static.nn.switch_case(1, [lambda: 1])
        with pytest.raises(TypeError, match="must be an integer tensor. Received dtype float32"):
            static.nn.switch_case(static.data("f", [1]), [lambda: 1, lambda: 2])


def test_an_optimizer_within_a_branch_is_left_out_of_evaluation():
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        out = static.nn.fc(static.data("x", [1, 3]), 1)
        loss = (out * out).mean()
        static.nn.cond(out.sum() > -100.0, lambda: paddle.optimizer.SGD(0.1).minimize(loss) and None, lambda: None)
        test, exe = main.clone(for_test=True), static.Executor()
        exe.run(startup)
        losses = [float(exe.run(p, feed={"x": X[None]}, fetch_list=[loss.name])[0]) for p in (test, main, test, test)]
    assert losses[0] == losses[1] > losses[2] == losses[3]


@pytest.mark.parametrize(("given", "told"), [
    (lambda i: True, "Received True"), (lambda i: 1, "Received 1"), (lambda i: i + 1, "Received one of int64"),
    (lambda i: paddle.full([2], True, "bool"), r"of bool, shape \[2\]")])
def test_conditions_that_would_never_end(programs, given, told):
    with pytest.raises(TypeError, match=f"while_loop\\(cond\\): must give a bool Variable.*{told}"):
        static.nn.while_loop(given, lambda i: i + 1, [paddle.zeros([1], "int64")])


@pytest.mark.parametrize("build", [
    lambda i: static.nn.cond(i < 1, lambda: i + 1, lambda: 1 / 0),
    lambda i: static.nn.cond(i < 1, lambda: 1 / 0, lambda: i),
    lambda i: static.nn.while_loop(lambda i: i < 3, lambda i: 1 / 0, [i]),
    lambda i: static.nn.case([(i < 1, lambda: i), (i < 2, lambda: static.nn.cond(i < 1, None, lambda: 1 / 0))]),
])
def test_a_branch_that_fails_is_left(programs, build):
    """What is appended afterwards goes to the Program, and not to the branch."""
    i = static.data("i", [1])
    with pytest.raises(ZeroDivisionError):
        build(i)
    doubled = static.nn.cond(i < 1, lambda: i * 2, lambda: i * 3)
    assert static.default_main_program().current_block().idx == 0
    assert static.Executor().run(feed={"i": np.zeros(1, "float32") + 5}, fetch_list=[doubled])[0].item() == 15


def test_a_body_gives_as_many_values_as_there_are_loop_variables():
    with pytest.raises(ValueError, match="as many as loop_vars"):
        static.nn.while_loop(lambda i: i < 3, lambda i: (i + 1, i), [paddle.to_tensor(0)])


def test_what_a_loop_only_overwrites_may_begin_with_another_shape():
    """As `_` does in `_, h = gru(x)` before a loop of `_, h = cell(y, h)`, which is a loop variable in PaddlePaddle."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x, n = static.data("x", [2, 3]), static.data("n", [1], "int64")
        x.stop_gradient = False
        unused = paddle.transpose(paddle.unsqueeze(x, 0), [1, 0, 2])
        h, i = x * 1.0, paddle.zeros([1], "int64")
        condition = i < n
        with static.nn.control_flow.While(condition).block():
            twice = h * 2
            paddle.assign(twice, h)
            main.current_block().append_op(type="assign", inputs={"X": [twice]}, outputs={"Out": [unused]})
            paddle.increment(i)
            paddle.assign(i < n, condition)
        (gradient,) = static.gradients([h.sum()], [x])
    found = static.Executor().run(main, {"x": np.ones((2, 3), "float32"), "n": np.array([3])}, [gradient])
    assert found[0].tolist() == [[8] * 3] * 2


def test_structures_of_branches_and_pairs_are_checked():
    def one():
        return paddle.ones([1])

    with static.program_guard(static.Program(), static.Program()):
        pred = paddle.full([1], 1, "bool")
        for other in (lambda: {"a": one()}, lambda: [[one()]], one):
            with pytest.raises(ValueError, match="same structure"):
                static.nn.cond(pred, lambda: [one()], other)
        with pytest.raises(ValueError, match="same structure"):
            static.nn.cond(pred, lambda: {"b": one()}, lambda: {"a": one()})
        assert len(static.nn.cond(pred, lambda: [one()], lambda: (one(),))) == 1
        with pytest.raises(TypeError, match="switch_case"):
            static.nn.switch_case(paddle.full([1], 1, "int32"), [(1, one, 2)])
        with pytest.raises(TypeError, match="case"):
            static.nn.case([(pred, one, 1)], one)


def test_gradients_to_start_from_have_the_shape_of_what_they_are_of():
    with static.program_guard(static.Program(), static.Program()):
        x = static.data("x", [2])
        x.stop_gradient = False
        y = x * x
        with pytest.raises(ValueError, match=r"Received \[\] for .* of \[2\]"):
            static.gradients([y], [x], [y.sum()])
        with pytest.raises(TypeError, match="no_grad_set"):
            static.gradients([y], [x], None, "x")
        assert static.gradients([y.sum()], [x], [paddle.ones([1])])[0] is not None
