"""Gradients of weights that are used step after step: sums of products that are computed together."""

import numpy as np
import proa as paddle
import pytest
from proa.backend.selected_rows import SelectedRows
from proa.ops.core import deferred
from proa.ops.core.deferred import Deferred

ROWS, WIDTH = 16, 160  # large enough for products, and for sums of rows, to wait


def _values(*shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _recurrent(dtype="float32", steps=40, rows=ROWS):
    """A weight, a bias and the last state of a plain recurrent loop, and the gradients by formulas."""
    weight = paddle.to_tensor(_values(WIDTH, WIDTH, dtype=dtype) / WIDTH ** 0.5, stop_gradient=False)
    bias = paddle.to_tensor(_values(WIDTH, dtype=dtype, seed=1), stop_gradient=False)
    state = paddle.to_tensor(_values(rows, WIDTH, dtype=dtype, seed=2))
    states = [state]
    for _ in range(steps):
        state = paddle.tanh(paddle.nn.functional.linear(state, weight, bias))
        states.append(state)
    g, of_weight, of_bias = np.ones((rows, WIDTH)), 0.0, 0.0
    for before, after in zip(states[-2::-1], states[:0:-1]):
        g = g * (1 - after.numpy().astype("float64") ** 2)
        of_weight = of_weight + before.numpy().astype("float64").T @ g
        of_bias = of_bias + g.sum(axis=0)
        g = g @ weight.numpy().astype("float64").T
    return weight, bias, state, of_weight, of_bias


@pytest.mark.parametrize("dtype, tolerance", [("float32", 2e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("rows", [1, ROWS, deferred.MOST_ROWS, deferred.MOST_ROWS + 1])
def test_weights_of_a_loop_have_the_gradients_of_the_formulas(dtype, tolerance, rows):
    weight, bias, state, of_weight, of_bias = _recurrent(dtype, rows=rows)
    state.sum().backward()
    for found, wanted in ((weight.grad, of_weight), (bias.grad, of_bias)):
        assert found.dtype == weight.dtype and type(found._array) is np.ndarray
        np.testing.assert_allclose(found.numpy(), wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max())


def _through(weights, x, times=4):
    """x through the weights in turn, so many times: the last value, and the gradients of all by formulas."""
    y, states, arrays = x, [x.numpy().astype("float64")], [w.numpy().astype("float64") for w in weights] * times
    for w, array in zip(list(weights) * times, arrays):
        y = paddle.matmul(y, w)
        states.append(states[-1] @ array)
    g, found = np.ones(states[-1].shape), [0.0] * len(weights)
    for number in range(len(arrays))[::-1]:
        found[number % len(weights)] = found[number % len(weights)] + states[number].T @ g
        g = g @ arrays[number].T
    return y, [g, *found]


@pytest.mark.parametrize("rows, sizes", [
    (16, (128, 512)), (9, (131, 514)), (16, (512, 512)), (33, (512, 130)), (70, (64, 1024)), (16, (256, 66)),
    (16, (160,) * 11), (300, (64, 128)), (64, (17, 300))])
def test_weights_that_a_walk_meets_again(rows, sizes):
    """Of one that lies in rows next to one another, of views, and again after the weights have changed."""
    shapes = [*zip(sizes, (*sizes[1:], sizes[0]))]
    weights = [paddle.to_tensor(_values(*shape, seed=n) / shape[0] ** 0.5) for n, shape in enumerate(shapes)]
    wide = [paddle.to_tensor(np.repeat(w.numpy(), 2, 0))[::2] for w in weights]
    for layout in (weights, wide):
        for w in layout:
            w.stop_gradient = False
        for scale in (1.0, 0.5):
            x = paddle.to_tensor(_values(rows, sizes[0], seed=20), stop_gradient=False)
            y, wanted = _through(layout, x)
            y.sum().backward()
            for one, other in zip([x.grad, *(w.grad for w in layout)], wanted):
                np.testing.assert_allclose(one.numpy(), other, rtol=2e-5, atol=2e-6 * np.abs(other).max())
            with paddle.no_grad():
                for w in layout:
                    w.clear_gradient(False)
                    w.scale_(scale)


@pytest.mark.parametrize("with_both", [True, False])
def test_a_walk_within_a_walk_meets_weights_as_they_are_then(with_both):
    """A hook changes a weight that both use, and walks back from a product with the new one."""
    own, shared = (paddle.to_tensor(_values(WIDTH, WIDTH, seed=n) / WIDTH ** 0.5, stop_gradient=False) for n in (0, 1))
    x = paddle.to_tensor(_values(ROWS, WIDTH, seed=2), stop_gradient=False)
    wanted, seen = _through([own], x, 6)[1][0], []

    def hook(g):
        shared.set_value(shared.numpy() * 2)
        inner = paddle.to_tensor(x.numpy(), stop_gradient=False)
        with paddle.enable_grad():
            y, formulas = _through([shared, own] if with_both else [shared], inner)
            y.sum().backward()
        seen.append((inner.grad.numpy(), formulas[0]))

    y = x
    for step in range(6):
        y = paddle.matmul(y, own)
        if step in (1, 3):
            y.register_hook(hook)
    y.sum().backward()
    for one, other in [(x.grad.numpy(), wanted), *seen]:
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6 * np.abs(other).max())
    assert len(seen) == 2


def test_a_walk_meets_memory_as_others_have_left_it_before():
    """As another library does that shares a weight's memory: within a hook, and between two walks."""
    own, shared = (paddle.to_tensor(_values(WIDTH, WIDTH, seed=n) / WIDTH ** 0.5, stop_gradient=False) for n in (0, 1))
    pairs = []

    def walk_over_shared(g=None):
        shared._array[...] *= 2
        x = paddle.to_tensor(_values(ROWS, WIDTH, seed=2), stop_gradient=False)
        with paddle.enable_grad():
            y, formulas = _through([shared], x, 3)
            y.sum().backward()
        pairs.append((x.grad.numpy(), formulas[0]))

    walk_over_shared()
    walk_over_shared()
    x = paddle.to_tensor(_values(ROWS, WIDTH, seed=3), stop_gradient=False)
    y = paddle.matmul(paddle.matmul(paddle.matmul(x, own), shared), shared)
    y.register_hook(walk_over_shared)
    z = paddle.matmul(paddle.matmul(y, own), own)
    z.register_hook(walk_over_shared)
    z.sum().backward()
    assert len(pairs) == 4
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6 * np.abs(other).max())


def test_a_weight_that_is_changed_while_it_is_walked_over_is_an_error():
    own = paddle.to_tensor(_values(WIDTH, WIDTH) / WIDTH ** 0.5, stop_gradient=False)
    y = paddle.to_tensor(_values(ROWS, WIDTH, seed=1), stop_gradient=False)
    for step in range(6):
        y = paddle.matmul(y, own)
        if step == 2:
            y.register_hook(lambda g: None if own.scale_(2.0) is own else g)
    with pytest.raises(RuntimeError, match="changed in place"):
        y.sum().backward()


def test_terms_are_computed_together_and_not_more_than_so_many_rows_wait(monkeypatch):
    counts = []
    plain = Deferred.array

    def array(self):
        if self.terms and self.compute.__name__ == "_of_weight":  # the bias's the compiled form sums at once
            counts.append(self.rows)
        return plain(self)

    monkeypatch.setattr(Deferred, "array", array)
    weight, _, state, *_ = _recurrent()
    state.sum().backward()
    assert weight.grad is not None
    assert len(counts) == 2 and max(counts) <= deferred._ROWS_AT_ONCE and sum(counts) == 40 * ROWS


def test_large_terms_do_not_wait(monkeypatch):
    monkeypatch.setattr(deferred, "_ELEMENTS_AT_ONCE", 4 * ROWS * WIDTH)
    weight, _, state, of_weight, _ = _recurrent()
    state.sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), of_weight, rtol=1e-4, atol=1e-4)


def test_hooks_observers_and_asked_gradients_see_tensors():
    weight, bias, state, of_weight, of_bias = _recurrent()
    seen = []
    weight.register_hook(lambda g: seen.append(g.numpy()) or g * 2)
    [found, of_the_bias] = paddle.grad(state.sum(), [weight, bias], retain_graph=True)
    state.sum().backward(retain_graph=True)
    np.testing.assert_allclose(weight.grad.numpy(), 2 * of_weight, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.numpy(), of_weight, rtol=1e-4, atol=1e-4)  # whose hook is for grad
    np.testing.assert_allclose(of_the_bias.numpy(), of_bias, rtol=1e-4, atol=1e-4)
    state.sum().backward()  # adds to what is there
    np.testing.assert_allclose(bias.grad.numpy(), 2 * of_bias, rtol=1e-4, atol=1e-4)
    assert len(seen) == 2 and all(type(one) is np.ndarray for one in seen)


def test_a_gradient_of_gradients_is_of_tensors():
    weight, _, state, of_weight, _ = _recurrent(steps=3)
    [found] = paddle.grad(state.sum(), weight, create_graph=True)
    np.testing.assert_allclose(found.numpy(), of_weight, rtol=1e-4, atol=1e-4)
    (found ** 2).sum().backward()
    assert weight.grad is not None


def test_a_table_that_is_also_a_weight():
    """Rows that were looked up, and products, come to one gradient."""
    table = paddle.nn.Embedding(WIDTH, WIDTH, sparse=True)
    x = paddle.to_tensor(_values(ROWS, WIDTH))
    y = paddle.matmul(paddle.matmul(x, table.weight), table.weight) + table(paddle.to_tensor([1, 1, 2] + [0] * 13))
    y.sum().backward()
    w, g = table.weight.numpy().astype("float64"), np.ones((ROWS, WIDTH))
    wanted = (x.numpy() @ w).T @ g + x.numpy().T @ (g @ w.T)
    wanted[0] += 13
    wanted[1] += 2
    wanted[2] += 1
    np.testing.assert_allclose(np.asarray(table.weight.grad.numpy()), wanted, rtol=1e-4, atol=1e-4)


def test_recomputed_parts_give_weights_the_same_gradients():
    from proa.distributed.fleet.utils import recompute

    cell = paddle.nn.Linear(WIDTH, WIDTH)
    x = paddle.to_tensor(_values(ROWS, WIDTH), stop_gradient=False)
    found = []
    for call in (cell, lambda y: recompute(cell, y)):
        y = x
        for _ in range(5):
            y = paddle.tanh(call(y))
        y.sum().backward()
        found.append([p.grad.numpy() for p in (x, cell.weight, cell.bias)])
        cell.clear_gradients()
        x.clear_grad()
    for one, other in zip(*found):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_sums_with_what_is_none():
    def of_rows(x):
        return x.sum(axis=0)

    def term():
        return Deferred(of_rows, np.ones((2, 3), "float32"))

    dense = np.full(3, 5.0, "float32")
    assert (dense + term()).tolist() == (term() + dense).tolist() == [7, 7, 7]
    done = term()
    done.array()
    assert (term() + done).tolist() == [4, 4, 4]
    assert (done + term()).array().tolist() == [4, 4, 4]
    rows = SelectedRows(np.array([1]), np.ones((1,), "float32"), 3)
    assert np.asarray(term() + rows).tolist() == np.asarray(rows + term()).tolist() == [2, 3, 2]
