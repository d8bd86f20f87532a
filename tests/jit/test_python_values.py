"""Python values that a function reads and changes: eager's result is the truth, in call after call."""

import collections
import types

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.jit import FallbackWarning
from proa.jit.errors import ConversionError

RATE, SEEN = 1.0, []


class Settings:
    power = 1.0
    made = 0


class Reader(nn.Layer):
    offset = 0.0

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2, weight_attr=nn.initializer.Constant(0.5))
        self.drop = nn.Dropout(0.5)
        self.temperature, self.mode, self.mask, self.sizes = 1.0, "plain", None, (1, 2)
        self.config, self.scales, self.weights = {"k": 1.0}, [1.0, 2.0], np.ones(2)
        self.space, self.activation = types.SimpleNamespace(v=1.0), paddle.nn.functional.relu

    def forward(self, x):
        y = self.activation(self.drop(self.fc(x))) * self.temperature * self.config["k"] * self.scales[1]
        y = y * Settings.power * RATE * self.sizes[0] * self.space.v * float(self.weights[0]) + self.offset
        if self.mask is not None:
            y = y * self.mask
        if getattr(self, "extra", None):
            y = y + self.extra
        return -y if self.mode == "negated" else y


def _put(name, value):
    return lambda net: setattr(net, name, value)


CHANGES = {
    "a number": _put("temperature", 2.0), "a string": _put("mode", "negated"), "a tuple": _put("sizes", (3, 2)),
    "a tensor for None": _put("mask", paddle.full([1], 2.0)), "a function": _put("activation", paddle.tanh),
    "an attribute for one of the class": _put("offset", 3.0), "a new attribute": _put("extra", 4.0),
    "an entry": lambda net: net.config.update(k=3.0), "an item": lambda net: net.scales.__setitem__(1, 5.0),
    "an array in place": lambda net: net.weights.__setitem__(0, 7.0),
    "a namespace": lambda net: setattr(net.space, "v", 2.0),
    "a setting of a layer": lambda net: setattr(net.drop, "p", 0),
    "a class": lambda net: setattr(Settings, "power", Settings.power + 1),
    "a global": lambda net: globals().update(RATE=RATE + 1)}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_changed_between_calls_is_read_again(change):
    net = paddle.jit.to_static(Reader(), full_graph=True)
    x, found = paddle.ones([3, 2]), []

    def both():
        for run in (net, net.forward.dygraph_function):
            paddle.seed(3)
            found.append(run(x).numpy())
        np.testing.assert_allclose(found[-2], found[-1], rtol=1e-6)

    both()
    both()
    assert net.forward.get_traced_count() == 1
    change(net)
    both()
    assert not np.allclose(found[0], found[-1])


class Counting(nn.Layer):
    """Counts, notes and collects what it does not read."""

    def __init__(self):
        super().__init__()
        self.steps, self.rows, self.log, self.last, self.ready = 0, 0, [], None, False

    def forward(self, x):
        self.steps += 1
        self.rows += x.shape[0]
        self.log.append(x.shape[0])
        SEEN.append(len(x.shape))
        self.last = [x.shape[0], "rows"]
        self.ready = True
        Settings.made += 1
        return x * 2


def test_counters_and_lists_that_grow_need_no_other_program():
    def steps(net):
        Settings.made = 0
        SEEN.clear()
        for rows in (3, 3, 5, 3, 5):
            net(paddle.ones([rows, 2]))
        return net.steps, net.rows, net.log, net.last, net.ready, Settings.made, list(SEEN)

    converted = paddle.jit.to_static(Counting(), full_graph=True)
    assert steps(converted) == steps(Counting())
    assert converted.forward.get_traced_count() == 2
    converted.last.append("changed by its holder")
    converted(paddle.ones([5, 2]))
    assert converted.last == [5, "rows"]


class Alternating(nn.Layer):
    def __init__(self):
        super().__init__()
        self.flip, self.order = False, [1.0, 2.0]

    def forward(self, x):
        self.flip = not self.flip
        self.order = self.order[::-1]
        return x * self.order[0] if self.flip else -x


def test_zeros_have_signs_and_a_nan_is_itself():
    class Divided(nn.Layer):
        def __init__(self):
            super().__init__()
            self.zero, self.array = 0.0, np.array([1.0, np.nan])

        def forward(self, x):
            return x / paddle.to_tensor(self.zero) + float(self.array[0])

    net = paddle.jit.to_static(Divided())
    for zero in (0.0, -0.0, 0.0):
        net.zero = zero
        assert net(paddle.ones([1])).item() == (-np.inf if str(zero) == "-0.0" else np.inf)
    net(paddle.ones([1]))
    assert net.forward.get_traced_count() == 2


def test_values_that_come_back_have_programs_of_their_own():
    net, eager = paddle.jit.to_static(Alternating(), full_graph=True), Alternating()
    for _ in range(10):
        assert net(paddle.ones([1])).item() == eager(paddle.ones([1])).item()
        assert (net.flip, net.order) == (eager.flip, eager.order)
    assert net.forward.get_traced_count() == 2


class Warmup(nn.Layer):
    def __init__(self):
        super().__init__()
        self.step, self.temperature = 0, 1.0

    def forward(self, x):
        self.step += 1
        self.temperature = self.temperature * 0.5
        return x * self.step * self.temperature


def test_a_number_that_is_read_and_changed_runs_as_written():
    net, eager = paddle.jit.to_static(Warmup()), Warmup()
    with pytest.warns(FallbackWarning, match=r"`self.step`.*another value in call after call") as given:
        for _ in range(12):
            assert net(paddle.ones([1])).item() == eager(paddle.ones([1])).item()
    assert len(given) == 1 and net.step == 12


def test_a_file_cannot_hold_a_number_that_changes(tmp_path):
    spec = [paddle.static.InputSpec([3, 2])]
    net = Warmup()
    with pytest.raises(ConversionError, match=r"(?s)test_python_values.py.*'self.step'.*buffer"):
        paddle.jit.save(net, str(tmp_path / "m"), input_spec=spec)
    assert net.step == 0
    counting = Counting()
    paddle.jit.save(counting, str(tmp_path / "m"), input_spec=spec)
    assert counting.steps == 0 and counting.log == [] and counting.last is None


def test_default_values_that_collect():
    def collect(x, kept=[]):
        kept.append(x.sum())
        return sum(kept)

    def outer(x):
        return collect(x)

    with pytest.warns(FallbackWarning, match="outlives the call"):
        converted = paddle.jit.to_static(outer)
        assert [converted(paddle.ones([2])).item() for _ in range(3)] == [2.0, 4.0, 6.0]


def test_an_argument_that_is_changed_in_place():
    def double(batch):
        batch["y"] = batch["x"] * 2
        return batch["y"]

    batch = {"x": paddle.ones([2])}
    with pytest.warns(FallbackWarning, match="the dict in the argument `batch` is changed in place"):
        paddle.jit.to_static(double)(batch)
    assert batch["y"].tolist() == [2.0, 2.0]


def test_a_key_that_only_the_program_knows():
    cache = {}

    @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([None, 2])])
    def positions(x):
        if x.shape[0] not in cache:
            cache[x.shape[0]] = x * 2
        return cache[x.shape[0]]

    with pytest.raises(ConversionError, match="`in` looks for a value in a dict"):
        positions(paddle.ones([3, 2]))
    assert not cache


@pytest.mark.parametrize("values", [[-2.0, 3.0, 0.1], [2.0, -3.0, 1.0]])
def test_gradients_behind_changes_in_place(values):
    def clipped(x):
        y = x * 3
        y.clip_(min=-1.0)
        return y * 1

    def times(x):
        y = x * 3
        z = y * y
        y.add_(paddle.ones([3]))  # PaddlePaddle and eager execution refuse the gradient
        if x.sum() > 0:
            y.multiply_(x)
        return z + y

    given = [paddle.to_tensor(values, stop_gradient=False) for _ in range(3)]
    clipped(given[0]).sum().backward()
    paddle.jit.to_static(clipped, full_graph=True)(given[1]).sum().backward()
    assert given[0].grad.tolist() == given[1].grad.tolist()
    paddle.jit.to_static(times, full_graph=True)(given[2]).sum().backward()
    x = np.array(values)
    np.testing.assert_allclose(given[2].grad.numpy(), 18 * x + (6 * x + 1 if x.sum() > 0 else 3), rtol=1e-5)


class MakesInstances(collections.OrderedDict):
    """As registries of activations have it: an item is made when it is asked for."""

    def __getitem__(self, key):
        return super().__getitem__(key)()


class Registry(dict):
    """A dict that has a name of its own."""


ACTIVATIONS = MakesInstances(relu=nn.ReLU, tanh=nn.Tanh)


def test_a_dict_that_gives_out_something_else_than_it_holds_stays_as_it_is():
    def activated(x):
        return ACTIVATIONS["relu"](x) + len(ACTIVATIONS)

    converted = paddle.jit.to_static(activated, full_graph=True)
    assert [converted(paddle.ones([n]) - 3).tolist() for n in (1, 2)] == [[2.0], [2.0, 2.0]]
    assert list(ACTIVATIONS.values()) == [nn.ReLU, nn.Tanh] and type(ACTIVATIONS["tanh"]) is nn.Tanh

    def refused(x):
        return ACTIVATIONS["tanh" if x.sum() > 0 else "relu"](x)

    with pytest.raises(TypeError):
        paddle.jit.to_static(refused, full_graph=True)(paddle.ones([1]))
    assert list(ACTIVATIONS.values()) == [nn.ReLU, nn.Tanh]


@pytest.mark.parametrize("total", [3.0, -3.0])
def test_dicts_of_other_classes_in_a_branch(total):
    def entries(x, held):
        before = held["a"]
        if x.sum() > 0:
            held["a"] = x
            held["b"] = x * 2
        else:
            held["b"] = x * 3
        return held["a"] + held["b"] + before

    def of_a_factory(x):
        return entries(x, collections.defaultdict(list, a=x * 5))

    def ordered(x):
        return entries(x, collections.OrderedDict(a=x * 5))

    def own(x):
        return entries(x, Registry(a=x * 5))

    x = paddle.full([2], total)
    for function in (of_a_factory, ordered):
        assert paddle.jit.to_static(function, full_graph=True)(x).tolist() == function(x).tolist()
    with pytest.raises(TypeError, match="dict `held` is changed in place"):
        paddle.jit.to_static(own, full_graph=True)(x)


def number_or_another(x):
    return int(x.sum()) or 7


def tensor_and_another(x):
    return (x.sum() and x.max()) + x


def size_or_a_float(x):
    return x * (float(x.mean()) or 0.5)


def truth_of_both(x):
    return (x.sum() > 0 and x.max() < 5) * 1.0


@pytest.mark.parametrize("function", [number_or_another, tensor_and_another, size_or_a_float, truth_of_both])
def test_and_and_or_give_one_of_their_operands(function):
    new = paddle.jit.to_static(function, full_graph=True)
    for values in ([1.0, 2.0], [1.0, -1.0], [-3.0, 1.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_allclose(np.asarray(new(x)), np.asarray(function(x)))


class Counted:
    n = 0


def _count(o):
    o.n += 1
    return 1


def counts_behind_and(x):
    o = Counted()
    if x.sum() > 0 and _count(o) > 0:
        x = x + 1
    return x * o.n


def counts_in_an_expression(x):
    o = Counted()
    y = _count(o) if x.sum() > 0 else 0
    return x * y * o.n


@pytest.mark.parametrize("function", [counts_behind_and, counts_in_an_expression])
def test_what_an_expression_changes_only_on_some_ways_is_refused(function):
    with pytest.raises(ConversionError, match="changes `o.n`.*\n?.*Write it as an `if` statement"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))
    with pytest.warns(FallbackWarning, match="changes `o.n`"):
        new = paddle.jit.to_static(function)
        for value in (1.0, -1.0):
            x = paddle.full([2], value)
            np.testing.assert_allclose(new(x).numpy(), function(x).numpy())
