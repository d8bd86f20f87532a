"""recompute: the same values and gradients, with less kept; random numbers, buffers, nesting, compiled steps."""

import gc
import weakref

import numpy as np
import proa as paddle
import pytest
from proa.core.errors import GraphFreedError, ModifiedInPlaceError
from proa.distributed.fleet.utils import recompute
from proa.incubate.distributed.fleet import recompute_hybrid, recompute_sequential
from proa.profiler.memory import LiveBytes

nn, F = paddle.nn, paddle.nn.functional


def plainly(function, *args, **kwargs):
    kwargs.pop("preserve_rng_state", None)
    return function(*args, **kwargs)


def leaf(*shape, seed=0):
    x = paddle.to_tensor(np.random.RandomState(seed).standard_normal(shape).astype("float32"))
    x.stop_gradient = False
    return x


def block(width, normalize=False):
    layers = [nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width), nn.GELU()]
    if normalize:
        layers.insert(1, nn.BatchNorm1D(width))
    return nn.Sequential(*layers)


def outcome(call, build, *inputs):
    """Values and gradients with `call` in place of recompute, everything else the same."""
    paddle.seed(5)
    layer = build()
    for x in inputs:
        x.clear_gradient(set_to_zero=False)
    y = call(layer, *inputs)
    (y * y).sum().backward()
    gradients = [x.grad.numpy() for x in (*inputs, *layer.parameters()) if not x.stop_gradient]
    return [y.numpy(), *gradients, *[v.numpy() for v in layer.state_dict().values()], paddle.rand([2]).numpy()]


def assert_same(build, *inputs):
    for a, b in zip(outcome(plainly, build, *inputs), outcome(recompute, build, *inputs), strict=True):
        np.testing.assert_array_equal(a, b)


def test_values_and_gradients_are_the_same():
    assert_same(lambda: block(4), leaf(3, 4))


def test_dropout_draws_the_same_numbers_and_the_generator_goes_on_as_usual():
    assert_same(lambda: nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2)), leaf(3, 4))


def test_without_preserving_the_random_state_dropout_differs():
    x = leaf(64)
    y = recompute(F.dropout, x, preserve_rng_state=False)
    y.sum().backward()
    assert not np.array_equal(y.numpy() != 0, x.grad.numpy() != 0)


def test_buffers_are_written_once():
    assert_same(lambda: block(4, normalize=True), leaf(3, 4))


def test_buffers_of_layers_in_a_closure_are_written_once():
    norm, x = nn.BatchNorm1D(4), leaf(3, 4)
    y = recompute(lambda t: norm(t), x)
    after = norm._mean.numpy()
    (y * y).sum().backward()
    np.testing.assert_array_equal(norm._mean.numpy(), after)


def test_a_buffer_that_the_function_sets_is_found_as_it_was():
    class Averaging(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("average", paddle.ones([1]))

        def forward(self, x):
            self.average.set_value((self.average * 2).detach())
            return x * self.average * x

    layer, x = Averaging(), leaf(3)
    recompute(layer, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * x.numpy(), rtol=1e-6)
    assert layer.average.tolist() == [2.0]


class Moving(nn.Layer):
    """A buffer that `way` moves, and that the result depends on."""

    def __init__(self, way):
        super().__init__()
        self.way, self.inner = way, nn.Linear(4, 4)
        self.register_buffer("mean", paddle.zeros([4]))

    def part(self, x):
        h = self.inner(x)
        self.way(self, h.detach().mean(0))
        return h * 0.5 + self.mean

    def forward(self, x):
        return recompute(lambda t: self.part(t), x) + recompute(lambda t: self.part(t), x * 2)


def given_anew(layer, mean):
    layer.mean = layer.mean * 0.5 + mean


def a_view_changed(layer, mean):
    layer.mean[1:3].add_(mean[1:3])


def filled(layer, mean):
    layer.mean.fill_(float(mean.sum()))


@pytest.mark.parametrize("way", [
    given_anew, a_view_changed, filled, lambda layer, mean: paddle.assign(layer.mean * 0.5 + mean, layer.mean),
    lambda layer, mean: paddle.assign(mean, layer.mean), lambda layer, mean: layer.mean.set_value(mean.numpy()),
    lambda layer, mean: layer.mean.scale_(0.5).add_(mean)])
def test_what_a_closure_does_to_buffers_is_done_once(way):
    results = []
    for call in (Moving.forward, lambda layer, x: layer.part(x) + layer.part(x * 2)):
        paddle.seed(3)
        layer, x = Moving(way), leaf(3, 4)
        for _ in range(2):
            call(layer, x).tanh().sum().backward()
            layer.inner.weight.set_value((layer.inner.weight - 0.1 * layer.inner.weight.grad).detach())
        results.append([layer.mean.numpy(), layer.inner.weight.numpy(), x.grad.numpy()])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_spectral_norm_in_a_closure_goes_one_step():
    paddle.seed(3)
    layer, x = nn.utils.spectral_norm(nn.Linear(4, 4)), leaf(3, 4)
    y = recompute(lambda t: layer(t), x)
    after = layer.weight_u.numpy()
    y.sum().backward()
    np.testing.assert_array_equal(layer.weight_u.numpy(), after)


def test_what_changes_of_a_tensor_of_around_is_found_as_it_was():
    x = leaf(3)
    h = x * 2

    def doubling(t):
        h.multiply_(t)
        return h * h

    recompute(doubling, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 16 * x.numpy() ** 3, rtol=1e-5)


def test_parameters_get_gradients_where_no_argument_wants_one():
    layer, x = nn.Linear(3, 2), paddle.rand([4, 3])
    y = recompute(layer, x)
    assert not y.stop_gradient
    y.sum().backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), np.tile(x.numpy().sum(0)[:, None], 2), rtol=1e-6)


def test_gradients_flow_to_values_of_the_closure():
    x = leaf(3)
    outer = paddle.exp(x)
    recompute(lambda t: t * outer, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.numpy()) * (1 + x.numpy()), rtol=1e-5)


def test_nothing_is_recorded_without_gradients():
    layer, x = block(4), leaf(3, 4)
    with paddle.no_grad():
        assert recompute(layer, x).stop_gradient
    assert recompute(lambda t: t * 2, paddle.ones([2])).stop_gradient


def test_nested():
    x = leaf(3)
    y = recompute(lambda t: recompute(lambda u: paddle.exp(u * u), t * 3) * t, x)
    y.sum().backward()
    expected = np.exp(9 * x.numpy() ** 2) * (1 + 18 * x.numpy() ** 2)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-4)


def test_arguments_and_results_of_any_kind():
    x = leaf(2, 3)

    def function(pair, factor, *, more=None, name="a"):
        a, b = pair["a"], pair["b"]
        return {"product": [a * b * factor, name], "count": 3, "rows": paddle.argmax(a), "none": None, "same": a,
                "more": more * 2}

    results = recompute(function, {"a": x, "b": x}, 2.0, more=x, name="n")
    assert results["count"] == 3 and results["none"] is None and results["product"][1] == "n" and results["same"] is x
    (results["product"][0] + results["more"]).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * x.numpy() + 2, rtol=1e-6)


def test_a_result_that_nothing_uses():
    x = leaf(3)
    y, _ = recompute(lambda t: (t * 2, t * 3), x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0] * 3


def test_a_result_given_twice():
    x = leaf(3)

    def twice(t):
        y = t * t
        return y, y

    a, b = recompute(twice, x)
    (a + b).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * x.numpy(), rtol=1e-6)


def test_paddle_grad_adds_to_no_leaf():
    layer, x = nn.Linear(3, 3), leaf(2, 3)
    [g] = paddle.grad(recompute(layer, x).sum(), x)
    assert layer.weight.grad is None and x.grad is None
    np.testing.assert_allclose(g.numpy(), np.tile(layer.weight.numpy().sum(1), (2, 1)), rtol=1e-6)


def test_second_order():
    x = leaf(3)
    [g] = paddle.grad(recompute(lambda t: t * t * t, x).sum(), x, create_graph=True)
    [gg] = paddle.grad(g.sum(), x)
    np.testing.assert_allclose(gg.numpy(), 6 * x.numpy(), rtol=1e-5)


def test_a_second_pass_needs_retain_graph():
    x = leaf(3)
    y = recompute(lambda t: t * t, x).sum()
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * x.numpy(), rtol=1e-6)
    with pytest.raises(GraphFreedError):
        y.backward()


def test_an_argument_changed_in_place_before_the_gradient_is_an_error():
    x = leaf(3)
    h = x * 1
    y = recompute(lambda t: t + 1, h)
    h.add_(h)
    with pytest.raises(ModifiedInPlaceError, match="recompute"):
        y.sum().backward()


def test_an_argument_set_to_other_values_is_taken_as_it_was():
    x = leaf(3)
    h = x * 1
    y = recompute(lambda t: t * t, h)
    h.set_value(h * 3)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), rtol=1e-6)


def test_an_argument_detached_afterwards_still_gets_its_gradient():
    x = leaf(3)
    h = x * 1
    y = recompute(lambda t: t * t, h)
    h.detach_()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), rtol=1e-6)


def test_statistics_given_as_arguments_are_written_once():
    x, mean, variance = leaf(3, 4), paddle.zeros([4]), paddle.ones([4])
    y = recompute(F.batch_norm, x, mean, variance, training=True)
    after = mean.numpy()
    (y * y).sum().backward()
    assert np.any(after) and np.array_equal(mean.numpy(), after)


def test_a_parameter_changed_before_the_gradient_is_an_error():
    layer, x = nn.Linear(3, 3), leaf(2, 3)
    y = recompute(layer, x)
    layer.weight.set_value(layer.weight * 2)
    with pytest.raises(ModifiedInPlaceError):
        y.sum().backward()


def test_hooks_are_called():
    x, seen = leaf(3), []
    y = recompute(lambda t: t * 2, x)
    y.register_hook(lambda g: seen.append("result"))
    x.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert seen == ["result"] and x.grad.tolist() == [20.0] * 3


def test_a_function_that_does_something_else_the_second_time_is_an_error():
    x, other, calls = leaf(3), leaf(3, seed=1), []

    def changing(t):
        calls.append(1)
        return t * (other if len(calls) > 1 else 2)

    with pytest.raises(RuntimeError, match="second run"):
        recompute(changing, x).sum().backward()


def test_an_error_in_the_function_passes_through():
    with pytest.raises(ValueError, match="matmul"):
        recompute(lambda t: paddle.matmul(t, t), leaf(2, 3))
    with pytest.raises(TypeError, match="recompute"):
        recompute(3, leaf(2))


class Kept(paddle.autograd.PyLayer):
    """Passes on its input and keeps a weak reference to what it saved."""

    saved: list = []

    @staticmethod
    def forward(ctx, x):
        kept = np.zeros(3)
        ctx.kept = kept
        Kept.saved.append(weakref.ref(kept))
        return x * 1

    @staticmethod
    def backward(ctx, dy):
        assert ctx.kept is not None
        return dy


def test_what_is_saved_inside_is_freed_and_made_again():
    Kept.saved.clear()
    x = leaf(3)
    y = recompute(lambda t: Kept.apply(t), x)
    gc.collect()
    assert [ref() is None for ref in Kept.saved] == [True]
    y.sum().backward()
    assert len(Kept.saved) == 2 and x.grad.tolist() == [1.0] * 3


def peak(run):
    """The most bytes that results of operators held at a time."""
    from proa import profiler

    with profiler.Profiler(on_trace_ready=lambda prof: None, profile_memory=True) as prof:
        run()
    return prof.profiler_result.peak_bytes


def test_the_peak_is_lower():
    blocks = [block(32) for _ in range(8)]
    x = leaf(256, 32)
    row = 256 * 32 * 4

    def train(call):
        h = x
        for layer in blocks:
            h = call(layer, h)
        h.sum().backward()

    assert peak(lambda: train(recompute)) < peak(lambda: train(plainly)) - 8 * row


def test_live_bytes_count_memory_once():
    live = LiveBytes()
    a = np.zeros(10)
    assert live.add([a, a[2:], {"b": a}]) == 80 and live.current == 80
    del a
    assert live.current == 0 and live.peak == 80


# Sequences

def test_sequential_has_the_same_values_and_gradients():
    def sequential(layer, x):
        return recompute_sequential({"segments": 3}, layer, x)

    x = leaf(3, 4)
    for a, b in zip(outcome(plainly, lambda: block(4), x), outcome(sequential, lambda: block(4), x), strict=True):
        np.testing.assert_array_equal(a, b)
    layer = nn.Linear(4, 4)
    assert recompute_sequential({}, [layer, layer], x).shape == [3, 4]


@pytest.mark.parametrize("segments", [0, 5])
def test_sequential_refuses_a_number_of_parts_without_sense(segments):
    with pytest.raises(ValueError, match="segments"):
        recompute_sequential({"segments": segments}, block(4), leaf(3, 4))


def test_hybrid():
    x = leaf(3)
    recompute_hybrid({"mp_group": None}, lambda t: t * t, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), rtol=1e-6)
    with pytest.raises(NotImplementedError, match="offload"):
        recompute_hybrid({"offload": True}, lambda t: t, x)


def test_other_names_of_distributed_are_not_there():
    with pytest.raises(AttributeError):
        paddle.distributed.no_such_name


# Compiled steps

class Net(nn.Layer):
    def __init__(self, call, normalize=False, dropout=0.0):
        super().__init__()
        self.blocks = nn.LayerList([block(8, normalize) for _ in range(3)])
        self.call, self.dropout = call, nn.Dropout(dropout)

    def forward(self, x):
        for layer in self.blocks:
            x = self.call(layer, x)
            x = self.call(self.dropout, x)
        return x


def compiled_outcome(call, x, **options):
    paddle.seed(5)
    net = Net(call, **options)
    x.clear_gradient(set_to_zero=False)
    compiled = paddle.jit.to_static(net)
    y = compiled(x)
    (y * y).sum().backward()
    return net, [y.numpy(), x.grad.numpy(), *[p.grad.numpy() for p in net.parameters() if not p.stop_gradient],
                 *[v.numpy() for v in net.state_dict().values()]]


@pytest.mark.parametrize("options", [{}, {"normalize": True}, {"dropout": 0.5}])
def test_a_compiled_step_is_the_same(options):
    x = leaf(4, 8)
    _, plain = compiled_outcome(plainly, x, **options)
    _, again = compiled_outcome(recompute, x, **options)
    for a, b in zip(plain, again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def halves_of(net):
    [concrete] = net.forward.program_cache.values()
    [halves] = concrete.run._halves.values()
    return halves


@pytest.mark.parametrize("options", [{}, {"normalize": True}])
def test_a_compiled_step_keeps_only_what_crosses(options):
    x = leaf(4, 8)
    plain, _ = compiled_outcome(plainly, x, **options)
    again, _ = compiled_outcome(recompute, x, **options)
    assert len(halves_of(plain).kept) >= 8
    assert len(halves_of(again).kept) == 2


def test_a_compiled_function_with_a_tensors_branch_inside():
    def branch(t):
        if t.sum() > 0:
            y = t * 2
        else:
            y = t * 3
        return y * t

    x = leaf(3)
    compiled = paddle.jit.to_static(lambda t: recompute(branch, t).sum())
    compiled(x).backward()
    factor = 2 if x.numpy().sum() > 0 else 3
    np.testing.assert_allclose(x.grad.numpy(), 2 * factor * x.numpy(), rtol=1e-6)


def test_a_compiled_sequential_of_layers_with_branches():
    class Branching(nn.Layer):
        def forward(self, t):
            if t.sum() > 0:
                t = t * 2
            return t * t

    layers = nn.Sequential(Branching(), Branching())
    compiled = paddle.jit.to_static(lambda t: recompute_sequential({"segments": 2}, layers, t).sum())
    x = paddle.ones([2])
    x.stop_gradient = False
    y = compiled(x)
    assert float(y) == 2 * 64.0
    y.backward()
    assert x.grad.tolist() == [256.0, 256.0]


def test_a_compiled_function_with_a_tensors_loop_inside():
    def turns(t, n):
        grown = paddle.zeros([3])
        for _ in range(n):
            grown = grown + 1
        return t.tanh() * grown

    x, n = leaf(3), paddle.to_tensor(2)
    wanted = paddle.grad(turns(x, n).sum(), x)[0].numpy()
    assert np.abs(wanted).min() > 0
    compiled = paddle.jit.to_static(lambda t, n: recompute(turns, t, n).sum(), full_graph=True)
    compiled(x, n).backward()
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-6)
