"""Sums of thin products as one product: what is joined, what is left as it is, and that the values stay."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.array.gradient_shapes import sum_to
from proa.static.compiler.passes.eliminate import merge_common, remove_dead
from proa.static.compiler.passes.thin_products import sum_thin_products
from proa.static.compiler.unit import unit_of
from proa.static.compiler.verify import verify

from .programs import build, unit_for

WIDE = 64
PRODUCT = {"transpose_x": True}


def _passed(unit):
    sum_thin_products(unit)
    verify(unit, "sum_thin_products")
    return [op.type for op in unit.ops]


def _product(x, g):
    return paddle.matmul(x, g, **PRODUCT)


def _same_values(function, *shapes):
    """The results of a Program with the pass against those of the function, on random numbers."""
    arrays = [np.random.default_rng(n).normal(size=shape).astype("float32") for n, shape in enumerate(shapes)]
    main, inputs, results = build(function, *shapes)
    found = paddle.static.Executor().run(main, feed=dict(zip(inputs, arrays)), fetch_list=results)
    wanted = function(*map(paddle.to_tensor, arrays))
    for mine, theirs in zip(found, wanted if isinstance(wanted, list) else [wanted], strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-5, atol=1e-5)


def _steps(count, rows=2):
    return [[rows, WIDE]] * (2 * count)


def _sum(values):
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def test_a_sum_of_products_is_one():
    def function(*values):
        return _sum([_product(x, g) for x, g in zip(values[::2], values[1::2])])

    unit = unit_for(function, *_steps(4))
    assert _passed(unit) == ["concat", "concat", "matmul_v2"]
    _same_values(function, *_steps(4))


def test_two_weights_and_a_bias_share_the_rows():
    def function(*values):
        x, h, g = values[:3], values[3:6], values[6:]
        weights = [_sum([_product(a, b) for a, b in zip(left, g)]) for left in (x, h)]
        return [*weights, _sum([sum_to(each, (WIDE,)) for each in g])]

    unit = unit_for(function, *[[2, WIDE]] * 9)
    assert sorted(_passed(unit)) == ["concat"] * 3 + ["matmul_v2"] * 2 + ["sum_to_shape"]
    _same_values(function, *[[2, WIDE]] * 9)


def test_rows_of_which_a_sum_takes_a_part_are_summed_once():
    """The two weights join rows that overlap: a bias' term must be counted in one of them alone."""
    def function(*values):
        x, g = values[:4], values[4:]
        pairs = list(zip(x, g))
        bias = _sum([sum_to(each, (WIDE,)) for each in g])
        return [_sum([_product(a, b) for a, b in pairs[1:]]), _sum([_product(b, a) for a, b in pairs[:3]]), bias]

    assert _passed(unit_for(function, *[[2, WIDE]] * 8)).count("matmul_v2") == 2
    _same_values(function, *[[2, WIDE]] * 8)


def test_other_terms_of_a_sum_stay():
    def function(*values):
        products = [_product(x, g) for x, g in zip(values[1:7:2], values[2:7:2])]
        return [_sum([values[0], *products]), _sum([products[0], values[0] * 2, values[0] * 3])]

    unit = unit_for(function, [WIDE, WIDE], *_steps(3))
    assert "concat" not in _passed(unit)  # one of the products is needed by itself: two are left, too few
    shapes = [WIDE, WIDE], *_steps(4)

    def longer(*values):
        products = [_product(x, g) for x, g in zip(values[1::2], values[2::2])]
        return [_sum([products[3], values[0], *products[:3]]), products[3] * 2]

    unit = unit_for(longer, *shapes)
    assert _passed(unit).count("matmul_v2") == 2
    _same_values(longer, *shapes)


def test_a_term_that_is_added_twice_counts_twice():
    def function(*values):
        pairs = list(zip(values[::2], values[1::2]))
        products, rows = [_product(x, g) for x, g in pairs], [sum_to(g, (WIDE,)) for _, g in pairs]
        return [_sum([*products[:3], products[3] + products[3]]), _sum([_product(g, x) for x, g in pairs]),
                _sum([rows[0], rows[1] + rows[1], *rows[2:]])]

    assert _passed(unit_for(function, *_steps(4))).count("matmul_v2") == 3
    _same_values(function, *_steps(4))


@pytest.mark.parametrize("shapes", [
    [[WIDE, WIDE]] * 8,  # as many rows as columns
    [[-1, WIDE]] * 8,  # nobody knows how many
])
def test_what_is_not_thin_stays(shapes):
    def function(*values):
        return _sum([_product(x, g) for x, g in zip(values[::2], values[1::2])])

    assert "concat" not in _passed(unit_for(function, *shapes))


def test_many_rows_are_joined_in_parts():
    def function(*values):
        return _sum([_product(x, g) for x, g in zip(values[::2], values[1::2])])

    assert _passed(unit_for(function, *[[100, 1024]] * 26)) == [
        *["concat", "concat", "matmul_v2"] * 2, "elementwise_add"]
    assert _passed(unit_for(function, *[[100, 1024]] * 24)).count("matmul_v2") == 3  # two are too few


def test_rows_that_are_updated_are_read_before():
    """An update writes over the memory of what a product reads: that product must not wait."""
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [2, WIDE])
            w = paddle.static.create_parameter([2, WIDE], "float32")
            loss = paddle.mean(x * w)
            before = [_product(w, x), _product(x, w), _product(x, x)]
            paddle.optimizer.SGD(1.0).minimize(loss, startup)
            total = _sum([*before, _product(w, w)])
            exe = paddle.static.Executor()
            exe.run(startup)
            value = np.random.default_rng(0).normal(size=(2, WIDE)).astype("float32")
            old = np.array(paddle.static.global_scope().find_var(w.name).get_tensor())
            found, new = exe.run(main, feed={"x": value}, fetch_list=[total, w])
    finally:
        paddle.disable_static()
    wanted = old.T @ value + value.T @ old + value.T @ value + new.T @ new
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def _random_network(rng):
    """A loop over steps with shared weights, some used twice, transposed, or seen by another loss as well."""
    kinds = rng.integers(0, 4, size=3)
    width, steps, rows = int(rng.integers(33, 70)), int(rng.integers(2, 9)), int(rng.integers(1, 4))

    class Network(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.of_input = paddle.nn.Linear(width, width)
            self.of_state = paddle.nn.Linear(width, width, bias_attr=None if kinds[0] % 2 else False)

        def forward(self, x):
            h = paddle.zeros([rows, width])
            loss = 0.0
            for t in range(steps):
                a = self.of_input(x[:, t])
                if kinds[0] == 2:
                    a = a + self.of_input(h) * 0.5
                b = paddle.matmul(h, self.of_state.weight, transpose_y=True) if kinds[1] == 1 else self.of_state(h)
                h = paddle.tanh(a + b)
                if kinds[2] == 3:
                    loss = loss + (self.of_state.weight * 0.01).sum() * h.mean()
            return h.sum() + loss

    paddle.seed(0)
    return Network(), rng.normal(size=(rows, steps, width)).astype("float32")


@pytest.mark.parametrize("seed", range(12))
def test_gradients_of_random_loops_are_those_of_eager_code(seed):
    answers = []
    for convert in (lambda net: net, lambda net: paddle.jit.to_static(net, full_graph=True)):
        net, data = _random_network(np.random.default_rng(seed))
        x, call = paddle.to_tensor(data, stop_gradient=False), convert(net)
        for _ in range(2):  # the second pass adds to the gradients of the first
            loss = call(x)
            loss.backward()
        gradients = [p.grad.numpy() for p in net.parameters() if p.grad is not None]
        answers.append([loss.numpy(), x.grad.numpy(), *gradients])
    for mine, theirs in zip(*answers, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=2e-5, atol=2e-5)


def test_the_backward_half_of_a_loop_has_one_product_a_weight():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x, h = paddle.static.data("x", [2, 5, WIDE]), paddle.static.data("h", [2, WIDE])
            w, b = (paddle.static.create_parameter(shape, "float32") for shape in ([WIDE, WIDE], [WIDE]))
            for t in range(5):
                h = paddle.tanh(paddle.nn.functional.linear(x[:, t] + h, w, b))
            grads = paddle.static.gradients([h], [w, b])
    finally:
        paddle.disable_static()
    block = main.global_block()
    unit = unit_of(block, block.ops, ["x", "h", w.name, b.name], [g.name for g in grads])
    merge_common(unit)
    remove_dead(unit)
    kinds = _passed(unit)
    assert kinds.count("matmul_v2") == 5 + 4 + 1 and kinds.count("sum_to_shape") == 1
