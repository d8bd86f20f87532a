"""Plans that run line by line, before Python compiles them: the same values, the same words, the same memory."""

import gc
import weakref

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.flags import flags_guard
from proa.static.compiler import compile_plan
from proa.static.compiler import plan as plans
from proa.static.compiler.plan import Plan
from proa.static.compiler.stepped import Stepped
from programs import build

F = paddle.nn.functional


@pytest.fixture(autouse=True)
def _as_users_have_it():
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 23}):
        yield


def _compiled(function, *shapes):
    """The plan of what a function makes of inputs of these shapes, and arrays for it."""
    plan, _, _ = compile_plan(*build(function, *shapes))
    generator = np.random.default_rng(0)
    return plan, [generator.normal(size=[3 if n is None else n for n in shape]).astype("float32") for shape in shapes]


def _several(x, y):
    parts = paddle.split(paddle.concat([x, y], 1), 2, 1)
    values, places = paddle.topk(parts[0], 2)
    return [*parts, values, places, paddle.add_n([x, y, x]), F.softmax(x @ y.t()), x]


def _form(plan):
    run = plan._runs[True, True]
    return run.run if isinstance(run, plans._Prepared) else run


@pytest.mark.parametrize("shape", [[3, 4], [None, 4]])
def test_the_same_bits_as_in_python(shape):
    plan, arrays = _compiled(_several, shape, [3, 4])
    by_line = plan(np, arrays)
    assert isinstance(_form(plan), Stepped)
    for _ in range(plans._BY_LINE):
        as_python = plan(np, arrays)
    assert not isinstance(_form(plan), Stepped)
    for mine, theirs in zip(by_line, as_python, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_is_prepared_is_prepared_once(monkeypatch):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(2, 3, 3), paddle.nn.BatchNorm2D(3))
    net.eval()
    converted, calls = paddle.jit.to_static(net, full_graph=True), []
    kernel, x = Stepped.__call__, paddle.rand([1, 2, 5, 5])
    monkeypatch.setattr(Stepped, "__call__", lambda self, *a: calls.append(self) or kernel(self, *a))
    with paddle.no_grad():
        answers = [converted(x).numpy() for _ in range(plans._BY_LINE + 3)]
    assert all((answer == answers[0]).all() for answer in answers)
    made = {id(each): calls.count(each) for each in calls}
    assert sorted(made.values())[0] == 1 and sum(made.values()) <= plans._BY_LINE + 2


def test_a_failure_names_the_operation_and_the_line_that_appended_it():
    def function(x, y):
        return paddle.nn.functional.relu(paddle.reshape(x, [2, -1])) + 1.0

    plan, arrays = _compiled(function, [None, 4], [3, 4])
    with pytest.raises(ValueError, match=r"in the operation 'reshape2' appended at .*test_stepped\.py") as caught:
        plan(np, [np.ones((3, 3), "float32"), arrays[1]])
    assert isinstance(_form(plan), Stepped) and "Received x.shape=[3, 3]" in str(caught.value)


def test_what_has_loops_is_compiled_at_once():
    def function(x):
        begin = [paddle.zeros([1], "int64"), x]
        return static.nn.while_loop(lambda i, v: i < 3, lambda i, v: [i + 1, v * 2.0], begin)[1]

    plan, (x,) = _compiled(function, [3, 4])
    (found,) = plan(np, [x])
    np.testing.assert_array_equal(found, x * 8)
    assert not isinstance(_form(plan), Stepped)


def test_values_are_let_go_after_their_last_reader(monkeypatch):
    plan, (x,) = _compiled(lambda x: paddle.cumsum(paddle.sort(paddle.flip(x, 0), 0), 0), [300, 4])
    alive, flipped = [], []
    plan(np, [x])
    run = _form(plan)
    for number, step in enumerate(run.steps):
        def observed(xp, *given, inner=step[3], **attrs):
            alive.append(sum(each() is not None for each in flipped))
            found = inner(xp, *given, **attrs)
            flipped.append(weakref.ref(found[0] if isinstance(found, tuple) else found))
            return found

        run.steps[number] = (step[0], [], None, observed, *step[4:])
    gc.collect()
    plan(np, [x])
    assert len(alive) == 3 and max(alive) <= 1


def test_a_plan_that_is_due_for_segments_at_once_gets_them():
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        plan, arrays = _compiled(lambda x, y: paddle.tanh(x + y) * x - y, [3, 4], [3, 4])
        first = plan(np, arrays)
        second = plan(np, arrays)
    assert isinstance(plan, Plan)
    np.testing.assert_array_equal(first[0], second[0])
