"""`to_static` on functions, methods and Layers: values, gradients, the cache, control flow."""

import copy
import threading

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core.errors import ModifiedInPlaceError
from proa.static import InputSpec


class Net(nn.Layer):
    def __init__(this):  # not called self, on purpose
        super().__init__()
        this.linear = nn.Linear(4, 3)
        this.norm = nn.BatchNorm1D(3)
        this.calls = 0

    def forward(this, x, scale=2.0):
        this.calls += 1
        y = this.norm(this.linear(x))
        if y.mean() > 0.1:
            y = y * scale
        else:
            y = y - 1.0
        return y


def pair():
    """An eager Net and a converted one of equal weights."""
    eager = Net()
    static = copy.deepcopy(eager)
    return eager, paddle.jit.to_static(static)


def batch(seed, rows=6):
    return paddle.to_tensor(np.random.RandomState(seed).randn(rows, 4).astype("float32"))


def test_values_gradients_and_statistics_equal_eager():
    eager, static = pair()
    for seed in range(4):
        results = []
        for net in (eager, static):
            x = batch(seed)
            x.stop_gradient = False
            y = net(x)
            (y * y).mean().backward()
            results.append([y, x.grad, *[p.grad for p in net.parameters() if p.trainable], net.norm._mean,
                            net.norm._variance])
        for a, b in zip(*results):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_training_converted_equals_eager():
    eager, static = pair()
    losses = []
    for net in (eager, static):
        adam = paddle.optimizer.Adam(0.05, parameters=net.parameters())
        found = []
        for seed in range(10):
            loss = (net(batch(seed)) ** 2).mean()
            loss.backward()
            adam.step()
            adam.clear_grad()
            found.append(float(loss))
        losses.append(found)
    np.testing.assert_allclose(*losses, rtol=1e-4)


def test_traced_once_for_each_kind_of_call():
    _, net = pair()
    for rows in (2, 2, 3):
        net(batch(0, rows))
    assert net.forward.get_traced_count() == 2 and net.calls == 3
    net(batch(0, 2), scale=3.0)
    assert net.forward.get_traced_count() == 3
    net.eval()
    net(batch(0, 2))
    net(batch(1, 2))
    assert net.forward.get_traced_count() == 4 and net.calls == 6


def test_input_spec_gives_one_program_for_all_sizes():
    eager, _ = pair()
    net = paddle.jit.to_static(copy.deepcopy(eager), input_spec=[InputSpec([None, 4], "float32")])
    for rows in (2, 3, 7):
        x = batch(rows, rows)
        np.testing.assert_allclose(net(x).numpy(), eager(x).numpy(), rtol=1e-5, atol=1e-6)
    assert net.forward.get_traced_count() == 1 and net.calls == 3
    assert net.forward.concrete_program.inputs[0].shape == (-1, 4)
    assert not net.forward.concrete_program.startup_program.global_block().ops


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("sizes", [[2, 4], [None, 4]])
def test_what_does_not_match_input_spec_gets_a_program_of_its_own(sizes, full_graph):
    class Sized(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x, scale=1.0):
            return self.fc(x).reshape([x.shape[0], -1]) * x.shape[0] * scale

    eager = Sized()
    net = paddle.jit.to_static(copy.deepcopy(eager), input_spec=[InputSpec(sizes, "float32")], full_graph=full_graph)
    for shape in ([2, 4], [5, 4], [5, 2, 4], [3, 4], [2, 4]):
        x = paddle.rand(shape)
        np.testing.assert_allclose(net(x).numpy(), eager(x).numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(net(x, 3.0).numpy(), eager(x, 3.0).numpy(), rtol=1e-5, atol=1e-6)
    assert net(x.astype("float64")).dtype is eager(x.astype("float64")).dtype
    assert net.forward.get_traced_count() == (4 if sizes[0] is None else 6)
    with pytest.raises(ValueError, match=r"inner dimensions must agree. Received x.shape=\[(2|-1), 5\]"):
        net(paddle.ones([2, 5]))
    assert net.forward.concrete_program.inputs[0].shape == (-1 if sizes[0] is None else 2, 4)


def test_nested_and_plain_arguments_that_do_not_match_input_spec():
    def total(xs, factor=2):
        return sum([x.sum() for x in xs]) * factor * len(xs)

    one = InputSpec([2], "float32")
    converted = paddle.jit.to_static(total, input_spec=[[one, one]], full_graph=True)
    for xs in ([paddle.ones([2])] * 2, [paddle.ones([3]), paddle.ones([4])], [paddle.ones([2])] * 3,
               (paddle.ones([2]), paddle.ones([5]))):
        assert converted(xs).item() == total(xs).item()
        assert converted(xs, 5).item() == total(xs, 5).item()
    fixed = paddle.jit.to_static(lambda x, factor=2: x.sum() * factor, input_spec=[one, 3], full_graph=True)
    assert fixed(paddle.ones([2])).item() == 6.0  # as PaddlePaddle has it
    assert fixed(paddle.ones([2]), 5).item() == 10.0
    optional = paddle.jit.to_static(lambda x, y=None: x.sum() if y is None else x.sum() + y.sum(),
                                    input_spec=[one, one], full_graph=True)
    assert optional(paddle.ones([2])).item() == 2.0
    assert optional(paddle.ones([2]), paddle.ones([7])).item() == 9.0


def test_decorated_method_belongs_to_its_object():
    class Decorated(nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter([1])

        @paddle.jit.to_static
        def forward(self, x):
            return x * self.w

    a, b = Decorated(), Decorated()
    a.w.set_value(np.array([2.0], "float32"))
    b.w.set_value(np.array([3.0], "float32"))
    assert (a(paddle.ones([1])).item(), b(paddle.ones([1])).item()) == (2.0, 3.0)
    c = copy.deepcopy(a)
    c.w.set_value(np.array([5.0], "float32"))
    assert (a(paddle.ones([1])).item(), c(paddle.ones([1])).item()) == (2.0, 5.0)


def test_parameters_are_read_anew_and_may_be_frozen():
    _, net = pair()
    net.eval()
    x = batch(0)
    before = net(x).numpy()
    net.linear.weight.set_value(net.linear.weight.numpy() * 2)
    assert np.abs(net(x).numpy() - before).max() > 1e-3
    net.linear.weight.stop_gradient = True
    net(x).sum().backward()
    assert net.linear.weight.grad is None and net.linear.bias.grad is not None
    net.linear.weight.stop_gradient = False
    net(x).sum().backward()
    assert net.linear.weight.grad is not None


def test_second_order_gradients():
    w = paddle.to_tensor(np.random.RandomState(0).randn(3, 3), stop_gradient=False)

    def penalty(x):
        return paddle.tanh(x @ w).sum()

    results = []
    for function in (penalty, paddle.jit.to_static(penalty)):
        x = paddle.to_tensor(np.random.RandomState(1).randn(2, 3), stop_gradient=False)
        [g] = paddle.grad(function(x), x, create_graph=True)
        w.clear_gradient(False)
        (g * g).sum().backward()
        results.append((x.grad.numpy(), w.grad.numpy()))
    for a, b in zip(*results):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_a_parameter_changed_before_backward_is_noticed_where_the_gradient_reads_it():
    for net in pair():
        x = batch(0)
        loss = net(x).sum()
        net.linear.weight.set_value(net.linear.weight.numpy() * 2)
        loss.backward()  # the argument's gradient alone would read the weight
        x.stop_gradient = False
        loss = net(x).sum()
        net.linear.weight.set_value(net.linear.weight.numpy() * 2)
        with pytest.raises(ModifiedInPlaceError):
            loss.backward()


def test_no_gradient_is_recorded_without_need():
    _, net = pair()
    with paddle.no_grad():
        assert net(batch(0)).stop_gradient
    assert not net(batch(0)).stop_gradient


@paddle.jit.to_static
def early_return(x):
    if x.sum() > 0:
        return x * 2
    y = x - 1
    return y


@paddle.jit.to_static
def count_down(x, limit):
    steps = paddle.zeros([1], "int64")
    while x.sum() > limit:
        x = x / 2
        steps += 1
    return x, steps


@paddle.jit.to_static
def running_sum(x, n):
    total = x * 0.5
    for i in range(n):
        if i % 2 == 0:
            continue
        if i > 5:
            break
        total = total + x * i
    return total


@paddle.jit.to_static
def rows(x):
    total = paddle.zeros([2])
    for row in x:
        total = total + row.tanh()
    return total


@pytest.mark.parametrize(("function", "arguments"), [
    (early_return, lambda: [paddle.to_tensor([1.0, 2.0])]),
    (early_return, lambda: [paddle.to_tensor([-1.0, -2.0])]),
    (count_down, lambda: [paddle.to_tensor([64.0]), paddle.to_tensor(3.0)]),
    (count_down, lambda: [paddle.to_tensor([1.0]), paddle.to_tensor(3.0)]),
    (running_sum, lambda: [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(4)]),
    (running_sum, lambda: [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(0)]),
    (running_sum, lambda: [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(20)]),
    (running_sum, lambda: [paddle.to_tensor([1.0, 2.0]), 7]),
    (rows, lambda: [paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])]),
])
def test_control_flow_on_tensors(function, arguments):
    results = []
    for run in (function, function.dygraph_function):
        given = arguments()
        given[0].stop_gradient = False
        out = run(*given)
        out = out if isinstance(out, tuple) else (out,)
        (out[0] * out[0]).sum().backward()
        results.append([*out, given[0].grad])
    for a, b in zip(*results):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_structures_in_and_out():
    @paddle.jit.to_static
    def f(pair, options, flag=True, *, extra=None):
        a, b = pair
        return {"sum": a + b, "options": options["k"] * 2.0, "flag": flag, "list": [a, (b, None)]}

    one = paddle.ones([2])
    out = f((one, one * 2.0), {"k": one})
    assert out["sum"].tolist() == [3.0, 3.0] and out["options"].tolist() == [2.0, 2.0]
    assert out["flag"] is True and out["list"][1][1] is None
    assert len(f.program_cache) == 1
    f((one, one), {"k": one}, flag=False)
    assert len(f.program_cache) == 2


def test_numpy_arguments_and_closures():
    factor = paddle.to_tensor([3.0])
    table = {"shift": 1.0}

    @paddle.jit.to_static
    def f(x):
        return x * factor + table["shift"]

    assert f(np.ones(1, "float32")).tolist() == [4.0]
    factor.set_value(np.array([5.0], "float32"))
    assert f(np.ones(1, "float32")).tolist() == [6.0]


def test_random_numbers_are_drawn_anew_and_repeat_with_the_seed():
    @paddle.jit.to_static
    def f(x):
        return nn.functional.dropout(x, 0.5)

    x = paddle.ones([1000])
    paddle.seed(3)
    first, second = f(x).numpy(), f(x).numpy()
    paddle.seed(3)
    assert (first != second).any()
    np.testing.assert_array_equal(f(x).numpy(), first)


def test_switching_it_off_and_rolling_it_back():
    _, net = pair()
    paddle.jit.enable_to_static(False)
    try:
        for _ in range(2):
            net(batch(0))
        assert net.calls == 2
    finally:
        paddle.jit.enable_to_static(True)
    assert net.forward.rollback().__func__ is Net.forward
    assert not isinstance(net.forward, paddle.jit.StaticFunction)


def test_not_to_static_is_left_alone():
    seen = []

    @paddle.jit.not_to_static
    def helper(x):
        seen.append(type(x).__name__)
        return x + 1.0

    @paddle.jit.to_static
    def f(x):
        return helper(x) * 2.0

    assert f(paddle.ones([1])).tolist() == [4.0]
    assert seen == ["Variable"]


def test_error_stands_in_the_users_line():
    @paddle.jit.to_static
    def f(x):
        y = x + 1.0
        return paddle.matmul(y, x)

    with pytest.raises(ValueError, match="inner dimensions") as caught:
        f(paddle.ones([2, 3]))
    frames = []
    trace = caught.value.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    first = f.dygraph_function.__code__.co_firstlineno
    assert (__file__, first + 3) in frames


def test_values_cannot_be_asked_for():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        return x * sum(x.tolist())

    with pytest.raises(TypeError, match="no value while"):
        f(paddle.ones([2]))


def test_parameters_made_in_forward_are_refused():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        return nn.Linear(2, 2)(x)

    with pytest.raises(ValueError, match="__init__"):
        f(paddle.ones([2, 2]))


def test_several_threads():
    eager, net = pair()
    eager.eval()
    net.eval()
    found = {}

    def work(number):
        found[number] = [net(batch(number, number + 1)).numpy() for _ in range(5)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for number, results in found.items():
        for result in results:
            np.testing.assert_allclose(result, eager(batch(number, number + 1)).numpy(), rtol=1e-5, atol=1e-6)


def test_nested_converted_functions_become_one_program():
    @paddle.jit.to_static
    def inner(x):
        if x.sum() > 0:
            x = x * 2.0
        return x

    @paddle.jit.to_static
    def outer(x):
        return inner(x) + inner(-x)

    assert outer(paddle.ones([1])).tolist() == [1.0]
    assert not inner.program_cache and len(outer.program_cache) == 1


def test_what_cannot_be_converted_is_refused():
    with pytest.raises(TypeError, match="function, a method or a Layer"):
        paddle.jit.to_static(3)
    with pytest.raises(ValueError, match="2 specs for the 1 arguments"):
        paddle.jit.to_static(lambda x: x, input_spec=[InputSpec([1]), InputSpec([1])])(paddle.ones([1]))


def with_a_default(x, scale=paddle.full([1], 2.0), *more):
    return x * scale


def test_a_default_that_is_a_tensor_is_there_in_later_calls_too():
    new = paddle.jit.to_static(with_a_default, full_graph=True)
    x = paddle.to_tensor([1.0, -2.0])
    assert [new(x).tolist() for _ in range(3)] == [[2.0, -4.0]] * 3
    assert new(x, paddle.full([1], 3.0)).tolist() == [3.0, -6.0]
    assert new(x).tolist() == [2.0, -4.0]
