"""What a Program was made from may change afterwards: hooks, functions of layers and classes. Eager is right."""

import functools
import types
import warnings

import numpy as np
import other_functions
import proa as paddle
import pytest
from other_functions import FUNCTIONS
from proa import nn
from proa.jit import FallbackWarning


class Sub(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def step(self, x):
        return self.fc(x) * 1.5

    def forward(self, x):
        return self.step(x)


class Scorer:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor

    def applied(self, x):
        return self(x)

    @classmethod
    def doubled(cls, x):
        return x * 2

    @staticmethod
    def tripled(x):
        return x * 3

    @property
    def offset(self):
        return 4


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.sub, self.lin, self.act, self.drop = Sub(), nn.Linear(2, 2), nn.LeakyReLU(), nn.Dropout(0.0)
        self.items, self.seq = nn.LayerList([nn.Linear(2, 2)]), nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU())
        self.named = nn.LayerDict({"a": nn.Linear(2, 2)})
        self.scorer, self.partial = Scorer(2.0), functools.partial(paddle.scale, scale=3.0)
        self.function, self.by_name, self.kept = paddle.tanh, {"f": paddle.sin}, [nn.Linear(2, 2)]

    def forward(self, x):
        x = self.sub(x) + self.lin(x) + self.partial(self.scorer(self.function(x)))
        for layer in self.items:
            x = layer(x)
        x = self.by_name["f"](self.named["a"](x)) + self.kept[0](x)
        x = x + self.scorer.applied(x) + Scorer.doubled(x) + Scorer.tripled(x) + self.scorer.offset
        x = other_functions.shift(x) + FUNCTIONS["first"](x) + aside(x)
        return self.drop(self.act(self.seq(x)))


def aside(x):
    return x * 0.25


class Wrapped(nn.Layer):
    """As adapters wrap a layer."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.a = self.create_parameter([2, 2], default_initializer=nn.initializer.Constant(0.5))

    def forward(self, x):
        return self.inner(x) + x @ self.a


class Other(Sub):
    def forward(self, x):
        return x * 11


def twos():
    return nn.Linear(2, 2, weight_attr=nn.initializer.Constant(2.0))


def times_three(layer, inputs, outputs=None):
    return inputs[0] * 3 if outputs is None else outputs * 3


def _weight_norm(net):
    nn.utils.weight_norm(net.lin)
    net.lin.weight_g.set_value(net.lin.weight_g * 2)


# With what undoes them where they reach beyond the net, and what they need: (owner, name).
CHANGES = {
    "a hook before": lambda net: net.sub.register_forward_pre_hook(times_three),
    "a hook behind": lambda net: net.sub.register_forward_post_hook(times_three),
    "a hook of our layer": lambda net: net.lin.register_forward_post_hook(times_three),
    "a hook deep inside": lambda net: net.seq[0].register_forward_pre_hook(times_three),
    "a hook of a container": lambda net: net.seq.register_forward_post_hook(times_three),
    "a hook of the net": lambda net: net.register_forward_post_hook(times_three),
    "forward": lambda net: setattr(net.sub, "forward", lambda x: x * 5),
    "forward of our layer": lambda net: setattr(net.act, "forward", lambda x: x * 5),
    "forward as a method": lambda net: setattr(net.lin, "forward", types.MethodType(
        lambda self, x: x @ self.weight * 5, net.lin)),
    "a method": lambda net: setattr(net.sub, "step", lambda x: x * 5),
    "the class": lambda net: setattr(net.sub, "__class__", Other),
    "append": lambda net: net.items.append(twos()), "insert": lambda net: net.items.insert(0, twos()),
    "extend": lambda net: net.items.extend([twos()]), "an item": lambda net: net.items.__setitem__(0, twos()),
    "an item of Sequential": lambda net: net.seq.__setitem__(1, nn.Sigmoid()),
    "add_sublayer": lambda net: net.seq.add_sublayer("7", nn.Sigmoid()),
    "order": lambda net: net.seq._sub_layers.move_to_end("0"),
    "an entry": lambda net: net.named.update({"a": twos()}), "a layer in a list": lambda net: net.kept.__setitem__(
        0, SPARE),
    "a wrapped layer": lambda net: setattr(net, "lin", Wrapped(net.lin)),
    "a wrapped inner layer": lambda net: setattr(net.sub, "fc", Wrapped(net.sub.fc)),
    "weight_norm": _weight_norm, "spectral_norm": lambda net: nn.utils.spectral_norm(net.lin),
    "a callable object": lambda net: setattr(net, "scorer", Scorer(5.0)),
    "a partial object": lambda net: setattr(net, "partial", functools.partial(paddle.scale, scale=7.0)),
    "a function": lambda net: setattr(net, "function", paddle.sin),
    "a function in a dict": lambda net: net.by_name.update(f=paddle.cos),
    "a method of one object": lambda net: setattr(net.scorer, "applied", lambda x: x * 9)}
FOR_ALL = {
    "forward of a class": (Sub, "forward", lambda self, x: self.fc(x) * 7),
    "forward of our class": (nn.Linear, "forward", lambda self, x: x * 7),
    "a method of a layer": (Sub, "step", lambda self, x: x * 7),
    "a method of an object": (Scorer, "applied", lambda self, x: x * 7),
    "the call of an object": (Scorer, "__call__", lambda self, x: x * 7),
    "a classmethod": (Scorer, "doubled", classmethod(lambda cls, x: x * 7)),
    "a staticmethod": (Scorer, "tripled", staticmethod(lambda x: x * 7)),
    "a property": (Scorer, "offset", property(lambda self: 7)),
    "a function of a module": (other_functions, "shift", lambda x: x * 7),
    "a global function": (None, "aside", lambda x: x * 7)}
SPARE = None


def _pair(full_graph):
    nets = []
    for _ in range(2):
        paddle.seed(3)
        nets.append(Net())
        nets[-1].eval()
    nets[0] = paddle.jit.to_static(nets[0], full_graph=full_graph)
    return nets


def _same(nets):
    found = []
    for net in nets:
        paddle.seed(5)
        found.append(net(paddle.to_tensor([[0.1, -0.2], [0.05, 0.3]])).numpy())
    np.testing.assert_allclose(*found, rtol=1e-5)
    return found[1]


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_changed_behind_the_first_call_counts(change, full_graph):
    global SPARE
    SPARE = twos()
    nets = _pair(full_graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FallbackWarning)
        before = _same(nets)
        _same(nets)
        for net in nets:
            paddle.seed(4)
            change(net)
        assert not np.allclose(before, _same(nets))
    assert nets[0].forward.get_traced_count() <= 2


@pytest.mark.parametrize(("owner", "name", "new"), FOR_ALL.values(), ids=FOR_ALL)
def test_what_is_patched_in_a_class_or_module_counts_and_so_does_putting_it_back(owner, name, new):
    nets = _pair(full_graph=True)
    before = _same(nets)
    _same(nets)
    held = globals() if owner is None else vars(owner)
    old = held[name]
    put = held.__setitem__ if owner is None else functools.partial(setattr, owner)
    put(name, new)
    try:
        assert not np.allclose(before, _same(nets))
    finally:
        put(name, old)
    np.testing.assert_array_equal(before, _same(nets))
    assert nets[0].forward.get_traced_count() == 2


SCALE = [2.0]


def by_a_global(layer, inputs, outputs):
    if outputs.sum() != 0:
        outputs = outputs * SCALE[0]
    return outputs


class Hook:
    def __init__(self):
        self.factor = 2.0

    def __call__(self, layer, inputs, outputs):
        return outputs * self.factor

    def method(self, layer, inputs, outputs):
        return outputs * self.factor


@pytest.mark.parametrize("place", ["sub", "lin", "seq", "seq.0"])
@pytest.mark.parametrize("kind", ["function", "object", "method", "partial"])
def test_a_hook_reads_its_own_state_at_each_call(kind, place):
    nets, held = _pair(full_graph=True), Hook()
    hook = {"function": by_a_global, "object": held, "method": held.method,
            "partial": functools.partial(Hook.method, held)}[kind]
    SCALE[0] = 2.0
    before = _same(nets)
    handles = [dict(net.named_sublayers())[place].register_forward_post_hook(hook) for net in nets]
    hooked = _same(nets)
    _same(nets)
    SCALE[0] = held.factor = 9.0
    changed = _same(nets)
    assert not np.allclose(before, hooked) and not np.allclose(hooked, changed)
    for handle in handles:
        handle.remove()
    np.testing.assert_array_equal(before, _same(nets))
    assert nets[0].forward.get_traced_count() == 3


def test_a_hook_that_keeps_what_a_layer_gives():
    nets, features = _pair(full_graph=True), {}

    def keep(layer, inputs, outputs):
        features["lin"] = outputs

    _same(nets)
    for net in nets:
        net.lin.register_forward_post_hook(keep)
    for scale in (1.0, 2.0, 3.0):
        x = paddle.full([2, 2], scale)
        found = []
        for net in nets:
            net(x)
            found.append(features.pop("lin").numpy())
        np.testing.assert_allclose(*found, rtol=1e-6)


def test_another_layer_in_a_variable_or_object():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    held, table, current = types.SimpleNamespace(net=first), {"net": first}, first

    @paddle.jit.to_static(full_graph=True)
    def run(x):
        return held.net(x) + table["net"](x) * 10 + current(x) * 100

    def put_current(layer):
        nonlocal current
        current = layer

    x = paddle.ones([1, 2])
    puts = [lambda layer: setattr(held, "net", layer), lambda layer: table.update(net=layer), put_current]
    for put in (None, *puts):
        if put is not None:
            put(second)
        for _ in range(2):
            np.testing.assert_allclose(run(x).numpy(), run.dygraph_function(x).numpy(), rtol=1e-6)


def test_an_attribute_that_is_not_there_yet():
    held = types.SimpleNamespace()

    def attempt(x):
        try:
            return x * held.factor
        except AttributeError:
            return x * getattr(held, "other", 3.0)

    converted, x = paddle.jit.to_static(attempt, full_graph=True), paddle.ones([1])
    assert converted(x).item() == 3.0
    held.other = 4.0
    assert converted(x).item() == 4.0
    held.factor = 5.0
    assert converted(x).item() == 5.0


class Called(nn.Layer):
    """Whose class has its own way of being called."""

    def __call__(self, x, factor=2):
        return super().__call__(x) * factor

    def forward(self, x):
        if x.sum() > 0:
            x = x * 3
        return x


class Calling(nn.Layer):
    def __init__(self):
        super().__init__()
        self.called, self.seq = Called(), nn.Sequential(Called())

    def forward(self, x):
        return self.called(x, 5) + self.called.__call__(x, factor=4) + self.seq(x)


def test_a_layer_whose_class_has_its_own_call():
    x = paddle.ones([2])
    net, eager = paddle.jit.to_static(Calling(), full_graph=True), Calling()
    assert net(x).tolist() == eager(x).tolist() == [33.0, 33.0]
    assert paddle.jit.to_static(Called(), full_graph=True)(x, 5).tolist() == [15.0, 15.0]


def test_a_hook_that_is_another_in_call_after_call_says_so():
    net = paddle.jit.to_static(Net())
    with pytest.warns(FallbackWarning, match=r"what `self.sub` holds is another value in call after call"):
        for n in range(12):
            handle = net.sub.register_forward_post_hook(lambda layer, inputs, outputs, n=n: outputs * n)
            net(paddle.ones([2, 2]))
            handle.remove()


def test_changes_elsewhere_make_no_program():
    nets = _pair(full_graph=True)
    for n in range(5):
        _same(nets)
        other = Net()
        other.sub.register_forward_post_hook(times_three)
        other.act = nn.Sigmoid()
        nets[0].callback = lambda n=n: n
        nets[0].register_forward_pre_hook(lambda layer, inputs: None)
    assert nets[0].forward.get_traced_count() == 1


def test_a_sublayer_is_replaced_by_a_layer_or_none():
    net = Net()
    with pytest.raises(TypeError, match=r"'act' is a sublayer of Net; assign a Layer or None.* Received function"):
        net.act = lambda x: x
    net.act = None
    assert net.act is None


def test_tables_of_a_converted_net_are_the_same_each_time(capsys):
    net, tables = paddle.jit.to_static(Net()), []
    net(paddle.ones([1, 2]))
    for _ in range(3):
        paddle.summary(net, (1, 2))
        paddle.flops(net, [1, 2])
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1] == tables[2] and "Linear" in tables[0] and "Total Flops: 0" not in tables[0]
    assert net.forward.get_traced_count() == 1
