"""State that functions change: buffers, attributes, variables of enclosing functions, tensors in place."""

import copy
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core.errors import GraphFreedError
from proa.jit import FallbackWarning
from proa.jit.errors import ConversionError


def both(make, steps):
    """What `steps(made)` comes to as written and converted."""
    found = []
    for convert in (lambda made: made, lambda made: paddle.jit.to_static(made, full_graph=True)):
        paddle.seed(0)
        found.append(steps(convert(make())))
    return found


class Recurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)
        self.register_buffer("mean", paddle.zeros([3]))
        self.hidden, self.first_mean, self.same = None, self.mean, None
        self.stats = {"steps": paddle.zeros([1]), "last": (None, None)}

    def forward(self, x):
        if self.hidden is None:
            self.hidden = paddle.zeros([2, 3])
        self.hidden = paddle.tanh(self.cell(x) + self.hidden)
        self.mean = self.mean * 0.9 + 0.1 * self.hidden.detach().mean(0)
        self.stats["steps"] = self.stats["steps"] + 1
        self.stats["last"] = (x, self.hidden)
        self.same = self.hidden
        return self.hidden.sum() + self.mean.sum()


def train(net):
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    values = np.random.RandomState(0)
    found = []
    for step in range(12):
        loss = net(paddle.to_tensor(values.randn(2, 3).astype("float32")))
        if step % 3 == 2:  # back through the three calls
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            net.hidden = net.hidden.detach() if step % 2 else None
            net.stats["last"] = (None, None)
        found.append([float(loss), float(net.mean.sum()), float(net.first_mean.sum()), float(net.stats["steps"]),
                      float(net.same is net.hidden)])
    return found


def test_attributes_carry_values_and_gradients_from_call_to_call():
    np.testing.assert_allclose(*both(Recurrent, train), rtol=1e-4, atol=1e-6)


def test_a_program_for_each_kind_of_state():
    net = paddle.jit.to_static(Recurrent(), full_graph=True)
    for _ in range(4):
        net(paddle.ones([2, 3]))
    count = net.forward.get_traced_count()
    net.hidden = None
    for _ in range(3):
        net(paddle.ones([2, 3]))
    assert net.forward.get_traced_count() <= count + 1 <= 4


class InPlace(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("total", paddle.zeros([2]))
        self.register_buffer("scale", paddle.ones([2]))

    def forward(self, x):
        y = self.fc(x)
        self.total.add_(y.detach().mean(0))
        self.scale.set_value(self.scale * 0.5 + self.total)
        paddle.assign(self.scale * 2, self.total)
        if self.total.sum() > 0:
            self.total[0] = 7.0
        return y + self.total * self.scale


def test_buffers_changed_in_place():
    def steps(net):
        buffer, found = net.total, []
        for number in range(4):
            y = net(paddle.ones([2, 2]) * number)
            y.sum().backward()
            found += [float(y.sum()), *net.total.tolist(), *net.scale.tolist(), *net.fc.weight.grad.numpy().ravel()]
        assert net.total is buffer
        return found

    np.testing.assert_allclose(*both(InPlace, steps), rtol=1e-5)


def test_buffers_of_a_copy_are_its_own():
    net = paddle.jit.to_static(InPlace(), full_graph=True)
    net(paddle.ones([2, 2]))
    other = copy.deepcopy(net)
    before = net.scale.tolist()
    other(paddle.ones([2, 2]))
    assert net.scale.tolist() == before and other.scale.tolist() != before


def test_arguments_changed_in_place():
    def function(x, y):
        x[0] = 5.0
        x.add_(paddle.ones([2]))
        y.scale_(2.0) if hasattr(y, "scale_") else y.multiply_(paddle.full([1], 2.0))
        return x * 2

    def steps(run):
        w = paddle.to_tensor([1.0], stop_gradient=False)
        x, y = paddle.zeros([2]), w * 3
        out = run(x, y)
        y.sum().backward()
        return [*out.tolist(), *x.tolist(), *y.tolist(), *w.grad.tolist()]

    np.testing.assert_allclose(*both(lambda: function, steps))


def test_a_leaf_that_wants_a_gradient_is_not_changed_in_place():
    w = paddle.to_tensor([1.0], stop_gradient=False)

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        w.add_(x)
        return w * x

    with pytest.raises(RuntimeError, match="cannot be changed in place"):
        function(paddle.ones([1]))

    @paddle.jit.to_static(full_graph=True)
    def setting(x):
        w.set_value(x)
        return w * x

    setting(paddle.full([1], 3.0)).backward()  # which set_value leaves alone
    assert w.tolist() == [3.0] and w.grad.tolist() == [3.0] and w.is_leaf


count = paddle.zeros([1])


def counted(x):
    global count
    count = count + x.sum()
    return x + count


def enclosed():
    last = None

    def sums(x):
        nonlocal last
        last = x if last is None else last + x
        return last * 1
    return sums


def test_globals_and_variables_of_enclosing_functions():
    global count
    found = []
    for convert in (lambda made: made, lambda made: paddle.jit.to_static(made, full_graph=True)):
        count = paddle.zeros([1])
        a, b = convert(counted), convert(enclosed())
        found.append([float(run(paddle.ones([1]))) for _ in range(4) for run in (a, b)] + [float(count)])
    assert found[0] == found[1]


def test_one_value_in_two_places():
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = self.b = paddle.zeros([1])

        def forward(self, x):
            self.a = self.a + x
            self.b = self.b + self.a * 2
            return self.a + self.b

    first, second = both(Two, lambda net: [float(net(paddle.ones([1]))) for _ in range(5)])
    assert first == second


def test_a_fixed_value_that_is_in_the_state_too():
    class Teacher(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("start", paddle.ones([1]))
            self.now = self.start

        def forward(self, x):
            self.now = self.now * 2 + x
            return self.now + self.start

    first, second = both(Teacher, lambda net: [float(net(paddle.ones([1]))) for _ in range(5)])
    assert first == second


def test_what_grows_in_every_call_runs_as_written():
    def make():
        held = {"all": None}

        def function(x):
            held["all"] = x if held["all"] is None else paddle.concat([held["all"], x])
            return held["all"].sum()
        return function

    converted = paddle.jit.to_static(make())
    with pytest.warns(FallbackWarning, match=r"`held\['all'\]` holds has another shape"):
        assert [float(converted(paddle.ones([2]))) for _ in range(12)] == [2.0 * n for n in range(1, 13)]


def test_a_list_that_collects_tensors():
    class Collecting(nn.Layer):
        def __init__(self):
            super().__init__()
            self.features = []

        def forward(self, x):
            self.features.append(x * 2)
            return x

    net = paddle.jit.to_static(Collecting())
    with pytest.warns(FallbackWarning, match=r"the list `self\.features` outlives the call"):
        for _ in range(3):
            net(paddle.ones([1]))
    assert [f.item() for f in net.features] == [2.0, 2.0, 2.0]
    with pytest.raises(ConversionError, match="features"):
        paddle.jit.to_static(Collecting(), full_graph=True)(paddle.ones([1]))


def test_shared_parameters_and_modes():
    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(3, 3)
            self.again = self.inner
            self.out = nn.Linear(3, 3)
            self.out.weight = self.inner.weight
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(self.out(self.again(self.inner(x))))

    def steps(net):
        found = []
        for mode in (net.train, net.eval, net.train, net.eval):
            mode()
            paddle.seed(1)
            y = net(paddle.ones([4, 3]))
            y.sum().backward()
            found += [y.numpy(), net.inner.weight.grad.numpy(), net.out.bias.grad.numpy()]
        return found

    for a, b in zip(*both(Tied, steps)):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_value_written_before_a_branch_writes_it_again():
    w = paddle.to_tensor([[0.3, 0.1], [0.2, 0.5]], stop_gradient=False)
    shift = paddle.to_tensor([0.0, 0.0], stop_gradient=False)

    def make():
        total, scale = paddle.zeros([2]), paddle.ones([2])

        def function(x):  # the additions could be one loop, but what is between them could not
            y = paddle.matmul(x, w) + shift
            total.add_(y.detach().mean(0))
            if total.sum() > 0:
                total[0] = 7.0
            return y + total * scale
        return function

    first, second = both(make, lambda run: [run(paddle.ones([2, 2]) * n).numpy() for n in range(3)])
    np.testing.assert_allclose(first, second, rtol=1e-6)


# What a Program relies on

class Masked(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.mask, self.pair = paddle.ones([2]), (paddle.ones([1]), paddle.ones([1]))
        self.listed = [paddle.ones([1])]
        self.register_buffer("ready", paddle.zeros([1]))

    def forward(self, x):
        y = self.fc(x) * self.mask + self.pair[0] * self.pair[1].detach() + self.listed[0]
        if self.ready.item() == 0:
            y = y * 10
        return y


def test_tensors_put_elsewhere_between_calls():
    def steps(net):
        x, found = paddle.ones([1, 2]), []
        for number in range(12):
            net.mask = paddle.full([2], float(number))
            found.append(net(x).numpy())
        net.mask = paddle.ones([1])
        found.append(net(x).numpy())
        net.pair = (paddle.full([1], 5.0), paddle.full([1], 6.0))
        found.append(net(x).numpy())
        net.listed[0] = paddle.full([1], 3.0)
        found.append(net(x).numpy())
        net.ready.set_value(np.ones(1, "float32"))
        found.append(net(x).numpy())
        net.fc = nn.Linear(2, 2)
        found.append(net(x).numpy())
        net.fc.weight = paddle.create_parameter([2, 2], "float32")
        found.append(net(x).numpy())
        net.mask = paddle.full([2], 2.0)
        net.mask.stop_gradient = False
        net(x).sum().backward()
        found.append(net.mask.grad.numpy())
        return found

    for a, b in zip(*both(Masked, steps)):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_another_tensor_of_the_kind_needs_no_other_program():
    net = paddle.jit.to_static(Masked(), full_graph=True)
    for number in range(4):
        net.mask = paddle.full([2], float(number))
        net(paddle.ones([1, 2]))
    assert net.forward.get_traced_count() == 1


def test_a_value_looked_at_behind_a_change():
    total = paddle.zeros([1])

    def function(x):
        total.add_(x)
        return x * 2 if total.item() > 1 else x

    converted = paddle.jit.to_static(function)
    with pytest.warns(FallbackWarning, match="has changed it before"):
        assert [float(converted(paddle.ones([1]))) for _ in range(3)] == [1.0, 2.0, 2.0]


class _Moves(paddle.nn.Layer):
    """A delay line of attributes, one in a list, and parameters that change places."""

    def __init__(self):
        super().__init__()
        for name in ("now", "last", "before"):
            self.register_buffer(name, paddle.zeros([2]))
        self.recent = [paddle.zeros([2]), paddle.ones([2]), paddle.full([2], 2.0)]
        self.given = None
        self.p, self.q = (self.create_parameter([2], default_initializer=paddle.nn.initializer.Constant(v))
                          for v in (1.0, 3.0))

    def forward(self, x):
        y = x * self.p + self.now + self.last * 10.0 + self.before * 100.0 + self.recent[0] * self.recent[2]
        if self.given is not None:
            y = y + self.given
        self.given = self.now
        self.before, self.last, self.now = self.last, self.now, x.mean(0)
        self.recent = [x.sum(0), *self.recent[:2]]
        self.p, self.q = self.q, self.p
        return y


def test_tensors_move_from_place_to_place_in_every_call():
    written, converted = _Moves(), paddle.jit.to_static(_Moves(), full_graph=True)
    for k in range(1, 8):
        x = paddle.full([3, 2], float(k))
        np.testing.assert_allclose(converted(x), written(x))
        for name in ("now", "last", "before", "given", "p", "q"):
            np.testing.assert_allclose(getattr(converted, name), getattr(written, name), err_msg=name)
    assert len(converted.forward.program_cache) <= 2
    converted(x).sum().backward()
    written(x).sum().backward()
    np.testing.assert_allclose(converted.q.grad, written.q.grad)
    assert converted.p.grad is None


def test_a_tensor_that_has_moved_is_that_tensor():
    net = paddle.jit.to_static(_Moves())
    p, last = net.p, net.last
    net(paddle.ones([3, 2]))
    assert net.q is p and net.before is last


class _RemembersData(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([2])
        self.last = paddle.zeros([2])

    def forward(self, x):
        y = x * self.w + self.last
        self.last = x.mean(0)
        return y


def test_state_without_a_gradient_has_none_though_the_results_have():
    net = paddle.jit.to_static(_RemembersData())
    for _ in range(3):
        net(paddle.ones([3, 2])).sum().backward()
        assert net.last.stop_gradient
    np.testing.assert_array_equal(net.w.grad, [9.0, 9.0])


class _MovesWhatItUses(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("scale", paddle.ones([4]))

    def forward(self, x):
        y = paddle.tanh(self.linear(x))
        with paddle.no_grad():
            self.scale.add_(y.mean(0))
        return y * self.scale


def test_a_gradient_of_a_gradient_through_state_that_the_call_has_moved():
    def steps(layer):
        found = []
        for turn in range(3):
            x = paddle.to_tensor(np.linspace(-0.3, 0.4, 8, dtype="float32").reshape(2, 4) + turn / 10,
                                 stop_gradient=False)
            y = layer(x)
            slope, = paddle.grad(y.sum(), [x], create_graph=True)
            (y.sum() + (slope * slope).sum()).backward()
            found += [x.grad.numpy(), *[p.grad.numpy() for p in layer.parameters()]]
            for p in layer.parameters():
                p.set_value(p - 0.1 * p.grad)
                p.clear_grad()
        return [*found, layer.scale.numpy()]

    written, converted = both(_MovesWhatItUses, steps)
    for one, other in zip(written, converted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


class Counting:
    """An object whose methods change it."""

    made = 0

    def __init__(self, x):
        self.x, self.n = x, 1

    def take(self, x):
        self.x = x
        self.n += 1


CALLS, SEEN = 0, []


def count_globally():
    global CALLS
    CALLS += 1


def count_in_a_class():
    Counting.made += 1


def in_a_branch(x):
    o = Counting(x)
    if x.sum() > 0:
        o.take(x * 2)
    return o.x * 1, o.n


def in_a_function_of_a_branch(x):
    o = Counting(x)

    def change(by):
        o.n += by

    if x.sum() > 0:
        change(2)
    else:
        [change(1) for _ in range(3)]
    return o.x * 1, o.n


def in_a_loop(x):
    o = Counting(x)
    while o.x.sum() > -3:
        o.take(o.x - 1)
    return o.x * 1, o.n


def in_nested_statements(x):
    objects = [Counting(x), Counting(x * 2)]
    for _ in range(2):
        if x.sum() > 0:
            if x.max() > 0.6:
                objects[1].take(x * 3)
    return objects[1].x * 1, objects[0].n, objects[1].n


def where_one_branch_gives_it_first(x):
    o = Counting(x)

    def name():
        o.extra = x * 5

    if x.sum() > 0:
        name()
    else:
        o.extra = x
    return o.extra * 1, o.n


@pytest.mark.parametrize("function", [in_a_branch, in_a_function_of_a_branch, in_a_loop, in_nested_statements,
                                      where_one_branch_gives_it_first])
def test_what_functions_called_in_a_branch_change_is_changed_there_alone(function):
    new = paddle.jit.to_static(function, full_graph=True)
    for value in (0.5, -1.0, 1.0):
        x = paddle.full([2], value)
        for got, wanted in zip(new(x), function(x), strict=True):
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted))


@pytest.mark.parametrize("count", [count_globally, count_in_a_class])
def test_globals_and_classes_that_a_function_changes_in_a_branch_count_its_runs(count):
    global CALLS
    CALLS = Counting.made = 0

    @paddle.jit.to_static(full_graph=True)
    def called(x):
        if x.sum() > 0:
            count()
        return x * 2

    for value in (1.0, -1.0, -2.0, 1.0):
        called(paddle.full([2], value))
    assert int(CALLS) + int(Counting.made) == 2
    CALLS = Counting.made = 0


def test_a_global_list_that_a_function_fills_in_a_branch_is_refused():
    def note():
        SEEN.append(1)

    @paddle.jit.to_static(full_graph=True)
    def noted(x):
        if x.sum() > 0:
            note()
        return x

    with pytest.raises(TypeError, match="`SEEN` is changed in place"):
        noted(paddle.ones([2]))


class Restarting(nn.Layer):
    """A cell that keeps its state, and begins anew."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", paddle.zeros([2]))
        self.turns = 0

    def reset(self):
        self.state = paddle.zeros([2])
        self.turns = 0

    def step(self, x):
        self.state = self.state * 0.5 + x
        self.turns += 1

    def forward(self, x):
        if x.sum() > 5:
            self.reset()
        else:
            self.step(x)
        return self.state * 1


def test_a_method_that_a_branch_calls_changes_buffers_and_numbers():
    plain, converted = Restarting(), paddle.jit.to_static(Restarting(), full_graph=True)
    for value in (1.0, 2.0, 9.0, 1.5, -1.0):
        x = paddle.full([2], value)
        np.testing.assert_allclose(converted(x).numpy(), plain(x).numpy())
        np.testing.assert_allclose(converted.state.numpy(), plain.state.numpy())
        assert int(converted.turns) == plain.turns


class Adding(nn.Layer):
    """Keeps what it gave, with its gradient, and reads it on one way."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2, weight_attr=nn.initializer.Constant(0.5))
        self.register_buffer("kept", paddle.zeros([2]))

    def forward(self, x):
        if x.sum() > 0:
            y = self.fc(x)
        else:
            y = self.fc(x) + self.kept
        self.kept = y.mean(0) * 0.9
        return y


@pytest.mark.parametrize("converted", [False, True])
def test_state_whose_gradient_is_freed_may_stand_on_a_way_that_is_not_taken(converted):
    layer = Adding()
    called = paddle.jit.to_static(layer, full_graph=True) if converted else layer
    for _ in range(3):
        called(paddle.ones([1, 2])).sum().backward()
    np.testing.assert_array_equal(layer.fc.weight.grad.numpy(), np.full((2, 2), 3.0, "float32"))
    with pytest.raises(GraphFreedError):
        called(-paddle.ones([1, 2])).sum().backward()


# What Python looks at of tensors that state is given

class Flagged(paddle.nn.Layer):
    """What one call finds decides what the next one does."""

    def __init__(self, decide):
        super().__init__()
        self.flag, self.decide = False, decide

    def forward(self, x):
        y = x * 2 if self.flag else x
        self.flag = self.decide(x)
        return y


class Turning(paddle.nn.Layer):
    """A dict of state, of which Python looks at one number."""

    def __init__(self, _):
        super().__init__()
        self.state = {"h": paddle.zeros([4]), "turns": paddle.to_tensor(1)}

    def forward(self, x):
        h = self.state["h"]
        for _ in range(self.state["turns"].item()):
            h = h * 0.5 + x.sum(0)
        self.state = {"h": h, "turns": (x.sum() > 13).astype("int64") + 1}
        return h


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("made, decide", [
    (Flagged, lambda x: x.shape[0] > 3), (Flagged, lambda x: x.sum() > 13), (Flagged, lambda x: bool(x.sum() > 13)),
    (Turning, None)])
def test_a_tensor_that_python_looks_at_and_that_the_call_replaces(made, decide, full_graph):
    spec = [paddle.static.InputSpec([None, 4])]
    net, converted = made(decide), paddle.jit.to_static(made(decide), spec, full_graph=full_graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows in (3, 2, 4, 5, 7, 3, 2, 8, 2):
            x = paddle.ones([rows, 4])
            np.testing.assert_array_equal(converted(x).numpy(), net(x).numpy())
