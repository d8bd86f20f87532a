"""`paddle.grad` in a converted function: derivatives that the function itself computes with."""

import traceback
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn

POINTS = np.random.default_rng(0).standard_normal((24, 2)).astype("float32")


class Field(nn.Layer):
    """The residual of a differential equation of second order, as physics-informed networks have it."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        x.stop_gradient = False
        u = self.body(x)
        (slope,) = paddle.grad(u, x, create_graph=True)
        (bend,) = paddle.grad(slope[:, 0], x, create_graph=True)
        residual = bend[:, 0:1] + u if u.mean() > 0.1 else bend[:, 0:1] - u * 0.5
        return (residual**2).mean() + ((slope[:, 1] - 1.0) ** 2).mean()


class Penalty(nn.Layer):
    """A critic whose slope is held near 1 (Gulrajani et al. 2017)."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))

    def forward(self, real):
        mixed = real * 0.5
        mixed.stop_gradient = False
        (slope,) = paddle.grad(self.score(mixed).sum(), mixed, create_graph=True)
        return ((slope.norm(axis=1) - 1.0) ** 2).mean() - self.score(real).mean()


def losses(layer):
    optimizer = paddle.optimizer.Momentum(0.01, parameters=layer.parameters())
    found = []
    for _ in range(20):
        loss = layer(paddle.to_tensor(POINTS))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        found.append(float(loss))
    return found


@pytest.mark.parametrize("kind", [Field, Penalty])
def test_training_equals_the_eager_one(kind):
    paddle.seed(1)
    plain, converted = kind(), kind()
    converted.set_state_dict(plain.state_dict())
    expected = losses(plain)
    # Float32 rounding, grown over twenty steps through derivatives of second order.
    np.testing.assert_allclose(losses(paddle.jit.to_static(converted, full_graph=True)), expected, rtol=1e-4, atol=1e-6)
    assert expected[-1] < expected[0]


def both(function, *arguments):
    return function(*arguments), paddle.jit.to_static(function, full_graph=True)(*arguments)


def test_with_respect_to_parameters_and_with_a_start():
    weight = paddle.create_parameter([2, 3], "float32")

    def function(x, start):
        (g,) = paddle.grad(paddle.matmul(x, weight), [weight], grad_outputs=[start])
        return g

    eager, converted = both(function, paddle.to_tensor(POINTS), paddle.rand([24, 3]))
    np.testing.assert_allclose(converted, eager, rtol=1e-5)
    assert eager.stop_gradient and converted.stop_gradient


def test_through_a_loop_that_a_tensor_ends():
    def function(x, n):
        y = x
        for _ in range(n):
            y = y * x
        return paddle.grad(y, x, create_graph=True)[0]

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for found in both(function, x, paddle.to_tensor(3)):
        found.sum().backward()
        assert found.tolist() == [4.0, 32.0] and x.grad.tolist() == [12.0, 48.0]
        x.clear_grad()


def test_what_nothing_depends_on():
    def function(x, other, unused):
        return paddle.grad(x * 2.0, [x, other], allow_unused=unused)[0]

    x, other = (paddle.ones([2], dtype="float32") for _ in range(2))
    x.stop_gradient = other.stop_gradient = False
    for found in both(function, x, other, True):
        assert found.tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match=r"do not depend on inputs\[1\]"):
        paddle.jit.to_static(function, full_graph=True)(x, other, False)


def test_no_gradient_passes_through_what_is_held():
    def function(x):
        y = x * x
        return paddle.grad(y * x, x, no_grad_vars=y)[0]

    for found in both(function, paddle.to_tensor([3.0], stop_gradient=False)):
        assert found.tolist() == [9.0]


def of_an_input(x):
    if x.sum() > 0:
        [g] = paddle.grad((x * x * x).sum(), x, create_graph=True)
    else:
        g = x
    return g


def of_a_value_around(x):
    y = x * 2.0
    if x.sum() > 0:
        g = paddle.grad((y * y * x).sum(), y, create_graph=True)[0] * x
    else:
        g = y
    return g


def of_a_leaf(x):
    y, g = x * 2.0, x
    if x.sum() > 0:
        q = y.detach()
        q.stop_gradient = False
        if x.max() > 1.5:
            g = paddle.grad((q * q * q).sum(), q)[0]
    return g + x


def of_what_is_around(x):
    y = x * 1.0
    z = (y**3).sum()
    return paddle.grad(z, y, create_graph=True)[0] * x if x.sum() > 0 else y


def through_what_is_around(x):
    y = x * x
    g = x
    if x.sum() > 0:
        w = y * x
        if x.max() > 1.5:
            g = paddle.grad(w, x, create_graph=True)[0]
        g = g + paddle.grad(y.sum() * w, y, create_graph=True)[0]
    return g


def in_a_loop(x):
    y, n = x * 1.0, paddle.to_tensor(0)
    while n < 2:
        q = y.detach()
        q.stop_gradient = False
        y = y - 0.1 * paddle.grad((q * q * q * x).sum(), q, create_graph=True)[0]
        n += 1
    return y


@pytest.mark.parametrize("values", [[1.0, 2.0], [-1.0, -2.0]])
@pytest.mark.parametrize("function", [
    of_an_input, of_a_value_around, of_a_leaf, of_what_is_around, through_what_is_around, in_a_loop])
def test_in_a_branch_of_what_is_computed_there(function, values):
    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor(values, stop_gradient=False)
        y = run(x)
        y.sum().backward()
        found.append((y.numpy(), x.grad.numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def beyond(x):
    y = x * x if x.max() > 0 else x
    if x.sum() > 0:
        return paddle.grad(y * x, x)[0]
    return x


def in_a_loop_beyond(x):
    y, n = x * 0.0, paddle.to_tensor(0)
    while n < 2:
        y = y + paddle.grad((y * x * x).sum(), x, retain_graph=True)[0]
        n += 1
    return y


@pytest.mark.parametrize("function, line, value", [
    (beyond, "return paddle.grad(y * x, x)[0]", [3.0, 12.0]),
    (in_a_loop_beyond, "y = y + paddle.grad((y * x * x).sum(), x, retain_graph=True)[0]", [0.0, 0.0])])
def test_in_a_branch_it_is_refused_with_the_line_where_it_reaches_beyond(function, line, value):

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match="inside of an `if` or a loop") as caught:
        paddle.jit.to_static(function, full_graph=True)(x)
    lines = [entry.line for entry in traceback.extract_tb(caught.value.__traceback__) if entry.filename == __file__]
    assert lines[-1] == line
    with pytest.warns(paddle.jit.FallbackWarning):
        assert paddle.jit.to_static(function)(x).tolist() == value


class Energy(nn.Layer):
    """The slope of something at a point that is cut off from what it was made of, kept in a buffer."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([2], default_initializer=nn.initializer.Constant(0.5))
        self.register_buffer("center", paddle.full([2], 0.25))

    def forward(self, x):
        point = (x * self.weight).detach()
        point.stop_gradient = False
        center = self.center.detach()
        center.stop_gradient = False
        energy = (paddle.tanh(point) * point * center).sum()
        slopes = paddle.grad(energy, [point, center], create_graph=True)
        return (slopes[0] * slopes[1]).sum() + point.sum() + (x * self.weight).sum()


def test_what_is_detached_stays_so_when_it_is_told_to_want_a_gradient(tmp_path):
    x = paddle.to_tensor([[1.0, -2.0], [0.5, 3.0]], stop_gradient=False)
    found = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s).*only proa has")
        paddle.jit.save(Energy(), str(tmp_path / "energy"), input_spec=[paddle.static.InputSpec([None, 2], "float32")])
    for layer in (Energy(), paddle.jit.to_static(Energy(), full_graph=True), paddle.jit.load(str(tmp_path / "energy"))):
        layer(x).backward()
        found.append((x.grad.numpy().copy(), layer.parameters()[0].grad.numpy()))
        x.clear_grad()
    np.testing.assert_array_equal(found[0][0], [[0.5, 0.5], [0.5, 0.5]])
    for of_input, of_weight in found[1:]:
        np.testing.assert_allclose(of_input, found[0][0], rtol=1e-6)
        np.testing.assert_allclose(of_weight, found[0][1], rtol=1e-6)


# stop_gradient set by hand


def penalty(x, w):
    """The gradient penalty of a Wasserstein critic: with respect to a value where gradients end."""
    h = (x * w).detach()
    h.stop_gradient = False
    slope = paddle.grad((h * h * w).sum(), h, create_graph=True)[0]
    return (slope - 1) ** 2 * w


def begun_without_gradient(x, w):
    with paddle.no_grad():
        h = x * w
    h.stop_gradient = False
    return h * w


def begun_with_a_constant(x, w):
    z = paddle.full([2], 3.0)
    z.stop_gradient = False
    return paddle.grad((z * z * w).sum(), z, create_graph=True)[0] * x


def stopped_after_a_use(x, w):
    h = x * w
    y = h * w
    h.stop_gradient = True
    return y + h * w


def stopped_and_begun_again(x, w):
    h = x * w
    h.stop_gradient = True
    y = h * w
    h.stop_gradient = False
    return y + h * h * w


def stopped_in_a_loop(x, w):
    i = paddle.zeros([])
    while i < 3:
        h = x * w
        y = h * w
        h.stop_gradient = True
        x = x + y * h
        i = i + 1
    return x


def stopped_in_a_branch(x, w):
    if x.sum() > 0:
        h = x * w
        y = h + w
        h.stop_gradient = True
        y = y * h
    else:
        y = x * w
    return y


def stopped_around_a_branch(x, w):
    h = x * w
    y = h * h
    h.stop_gradient = True
    if x.sum() > 0:
        y = y + h * w
    return y * h


@pytest.mark.parametrize("function", [
    penalty, begun_without_gradient, begun_with_a_constant, stopped_after_a_use, stopped_and_begun_again,
    stopped_in_a_loop, stopped_in_a_branch, stopped_around_a_branch])
def test_stop_gradient_set_by_hand_holds_from_there_on(function):
    for sign in (1.0, -1.0):
        found = []
        for form in (function, paddle.jit.to_static(function, full_graph=True)):
            x, w = (paddle.to_tensor([a * sign, b], stop_gradient=False) for a, b in ((2.0, 0.5), (3.0, -0.25)))
            out = form(x, w)
            out.sum().backward()
            found.append([out.numpy(), *[None if v.grad is None else v.grad.numpy() for v in (x, w)]])
        for eager, converted in zip(*found, strict=True):
            assert (eager is None) == (converted is None)
            if eager is not None:
                np.testing.assert_allclose(converted, eager, rtol=1e-5)


def detached_round(h):
    return h.detach()


def quiet_round(h):
    with paddle.no_grad():
        return h * 3.0


def stopped_round(h):
    h = paddle.tanh(h)
    h.stop_gradient = True
    return h


@pytest.mark.parametrize("turn", [detached_round, quiet_round, stopped_round])
def test_a_round_that_lets_no_gradient_through_ends_the_gradient_of_what_the_loop_carries(turn):
    def function(x):
        h = x * 2.0
        i = paddle.to_tensor(0)
        while i < 2:
            h = turn(h)
            i += 1
        return (h + x).sum()

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for run in (function, paddle.jit.to_static(function, full_graph=True)):
        run(x).backward()
        assert x.grad.tolist() == [1.0, 1.0]
        x.clear_grad()


def test_casts_to_integers_and_back_let_gradients_through_as_without_conversion():
    def function(x):
        steps = (x * 10.0).astype("int64")
        doubled = (steps + steps).reshape([-1])
        positive = x.astype("bool").astype("float32")
        return (doubled.astype("float32") * x * 0.7).sum() + (positive * 0.3).sum()

    def slope(run):
        x = paddle.to_tensor([1.5, 2.5], stop_gradient=False)
        run(x).backward()
        return x.grad.numpy()

    np.testing.assert_allclose(slope(paddle.jit.to_static(function, full_graph=True)), slope(function))


def test_a_cast_to_bools_within_a_chain_of_operations_gives_ones():
    def function(x):
        return (x * 2.0).astype("bool").astype("float32") * 3.0 + x

    values = paddle.to_tensor([0.3, 0.0, -2.5, float("nan")])
    found = paddle.jit.to_static(function, full_graph=True)(values)
    np.testing.assert_allclose(found.numpy(), function(values).numpy())


@pytest.mark.parametrize("condition", [1.0, -1.0])
def test_a_branch_under_no_grad_that_hands_on_what_it_was_given(condition):
    def function(x, c):
        with paddle.no_grad():
            if c.sum() > 0:
                y = x
            else:
                y = x + 1.0
        return (y * x).sum()

    found = []
    for f in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        f(x, paddle.to_tensor([condition])).backward()
        found.append(x.grad.tolist())
    assert found == [[2.0, 4.0] if condition > 0 else [2.0, 3.0]] * 2


def _flipped(a, b):
    m = a * 3.0
    m.stop_gradient = True
    u = m * m
    m.stop_gradient = False
    return (m * m).sum() + u.sum()


def _changed_while_stopped(a, b):
    m = a * 3.0
    m.stop_gradient = True
    m.scale_(2.0)
    m.stop_gradient = False
    return (m * m).sum()


def _flipped_twice(a, b):
    m = a * 3.0
    for _ in range(2):
        m.stop_gradient = True
        m.stop_gradient = False
    m = m * b
    return (m * m).sum()


def _flipped_in_a_branch(a, b):
    m = a * 3.0
    if b.sum() > 0:
        m.stop_gradient = True
        m.stop_gradient = False
    return (m * m).sum()


def _flipped_in_a_loop(a, b):
    k, m = paddle.zeros([]), a * 1.0
    while k < 2:
        m = m * b
        m.stop_gradient = True
        m.stop_gradient = False
        k = k + 1
    return (m * m).sum()


def _flipped_and_asked_for(a, b):
    m = a * 3.0
    m.stop_gradient = True
    m.stop_gradient = False
    [g] = paddle.grad((m * m).sum(), m, create_graph=True)
    return (g * m).sum()


def _detached_and_asked_for(a, b):
    m = (a * 3.0).detach()
    m.stop_gradient = False
    [g] = paddle.grad((m * m).sum(), m, create_graph=True)
    return (g * a).sum()


@pytest.mark.parametrize(("function", "of_a"), [
    (_flipped, [18.0, 36.0]), (_changed_while_stopped, [36.0, 72.0]), (_flipped_twice, [72.0, 900.0]),
    (_flipped_in_a_branch, [18.0, 36.0]), (_flipped_in_a_loop, [32.0, 2500.0]), (_flipped_and_asked_for, [36.0, 72.0]),
    (_detached_and_asked_for, [6.0, 12.0])])
def test_what_was_stopped_for_a_while_flows_on(function, of_a):
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        a, b = (paddle.to_tensor(values, stop_gradient=False) for values in ([1.0, 2.0], [2.0, 5.0]))
        call(a, b).backward()
        assert a.grad.tolist() == of_a


def _detached_in_a_branch(a, b):
    y = a * 2.0
    if b.sum() > 0:
        y.detach_()
    return y * a


@pytest.mark.parametrize(("sign", "of_a"), [(1.0, [2.0, 4.0]), (-1.0, [4.0, 8.0])])
def test_detached_in_place_in_a_branch(sign, of_a):
    for call in (_detached_in_a_branch, paddle.jit.to_static(_detached_in_a_branch, full_graph=True)):
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        call(a, paddle.to_tensor([sign])).sum().backward()
        assert a.grad.tolist() == of_a


def _told_what_it_does_anyway(a, b):
    y = a * b
    y.stop_gradient = False
    return y, y * y


def _told_behind_a_value_that_begins(a, b):
    y = (a * b).detach()
    y.stop_gradient = False
    z = y * a
    z.stop_gradient = False
    return y, z * z


@pytest.mark.parametrize("function", [_told_what_it_does_anyway, _told_behind_a_value_that_begins])
@pytest.mark.parametrize("stopped", [(False, False), (False, True), (True, False), (True, True)])
def test_what_is_told_to_have_a_gradient_begins_where_nothing_flows_into_it(function, stopped):
    found = []
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        a, b = (paddle.to_tensor(values, stop_gradient=stops)
                for values, stops in zip(([1.0, 2.0], [3.0, 5.0]), stopped))
        y, z = call(a, b)
        if not z.stop_gradient:
            (y + z).sum().backward()
        grads = [None if x.grad is None else x.grad.tolist() for x in (a, b, y)]
        found.append((y.is_leaf, z.is_leaf, grads))
    assert found[0] == found[1]


def test_outputs_are_no_constants_though_no_grad_vars_names_them():
    def f(x):
        q = x * 1.0
        m = q * 3.0
        e = m * 5.0 + q * q * 7.0
        found = [paddle.grad(outputs, [q, m], no_grad_vars=[stopped], create_graph=True, allow_unused=True)
                 for outputs, stopped in (([e, m], m), ([e], m), ([e], e), ([m], m))]
        return [paddle.zeros([2]) if gradient is None else gradient for each in found for gradient in each]

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for mine, theirs in zip(paddle.jit.to_static(f, full_graph=True)(x), f(x), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-6)


def _of_a_loops_result(x):
    h, count = x * 2.0, paddle.to_tensor(0)
    while count < 3:
        h, count = h * 3.0, count + 1
    return paddle.grad((h * h).sum(), h)


def _of_what_a_loop_began_with(x):
    h, count = x * 2.0, paddle.to_tensor(0)
    before = h
    while count < 3:
        h, count = h * 3.0, count + 1
    return paddle.grad([(h * h).sum(), h], [before, h, x], create_graph=True)


def _between_two_loops(x):
    before = x
    for _ in range(2):
        count = paddle.to_tensor(0)
        while count < 3:
            x, count = x * 3.0, count + 1
        between = x if before is None else before
        before = None
    return paddle.grad((x * between).sum(), [x])


def _of_a_loop_of_functions(x):
    h = x * 2.0
    _, g = paddle.static.nn.while_loop(lambda i, t: i < 3, lambda i, t: [i + 1, t * 3.0], [paddle.to_tensor(0), h])
    return paddle.grad((g * g).sum(), [h, g, x])


@pytest.mark.parametrize("function", [_of_a_loops_result, _of_what_a_loop_began_with, _between_two_loops,
                                      _of_a_loop_of_functions])
def test_a_name_that_a_loop_carries_is_what_it_holds_when_the_gradient_is_asked_for(function):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for mine, theirs in zip(paddle.jit.to_static(function, full_graph=True)(x), function(x), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-6)


def _both_of_a_branch(a, b):
    if b.sum() < 100:
        a = a * 3
        b = b + a * a
    return a, b


def _both_of_a_loop(a, b):
    i = paddle.zeros([1], "int64")
    while i < 2:
        a, i = a * 3, i + 1
        b = b + a * a
    return a, b


def _both_of_a_branch_in_a_loop(a, b):
    i = paddle.zeros([1], "int64")
    while i < 2:
        a, b = _both_of_a_branch(a, b)
        i = i + 1
    return a, b


def _one_behind_the_other(a, b):
    i = paddle.zeros([1], "int64")
    while i < 2:
        b = b + a * a
        a, i = a * 3, i + 1
    return a, b


def _of_the_first(several):
    def function(x):
        a, b = several(x * 1.0, x * 0.5)
        (found,) = paddle.grad((a * a + b).sum(), a)
        return found
    return function


@pytest.mark.parametrize("several", [_both_of_a_branch, _both_of_a_loop, _both_of_a_branch_in_a_loop])
def test_what_a_branch_or_loop_computed_from_another_of_its_results(several):
    function, x = _of_the_first(several), paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    expected = function(x)
    with pytest.raises(RuntimeError, match="Compute the other value behind it, or ask for the gradient inside"):
        paddle.jit.to_static(function, full_graph=True)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        assert paddle.jit.to_static(function)(x).tolist() == expected.tolist()


def test_what_a_loop_computed_before_another_of_its_results():
    function, x = _of_the_first(_one_behind_the_other), paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    assert paddle.jit.to_static(function, full_graph=True)(x).tolist() == function(x).tolist() == [36.0, 54.0]


class BranchesInside(nn.Layer):
    def forward(self, x):
        h = x * 1.0
        if paddle.all(x > 0):
            h[1] = 1.0
        return paddle.grad(h.sum(), [x])[0]


def test_a_file_with_a_gradient_through_a_branch_says_who_runs_it(tmp_path):
    with pytest.warns(UserWarning, match="only proa has"):
        paddle.jit.save(BranchesInside(), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([3], "float32")])
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    assert paddle.jit.load(str(tmp_path / "m"))(x).tolist() == [1.0, 0.0, 1.0]
