"""Gradients that hold some rows of a table: what they are, how they add up, what optimizers and clippers do."""

import tracemalloc

import numpy as np
import proa as paddle
import pytest
from proa.backend.selected_rows import SelectedRows

nn = paddle.nn
ROWS, WIDTH = 6, 2


def embedding(sparse=True, padding_idx=None, rows=ROWS, width=WIDTH):
    layer = nn.Embedding(rows, width, padding_idx=padding_idx, sparse=sparse)
    layer.weight.set_value(np.arange(rows * width, dtype="float32").reshape(rows, width) / 10)
    return layer


def look_up(layer, numbers):
    y = layer(paddle.to_tensor(numbers))
    (y * y).sum().backward()
    return layer.weight.grad


# SelectedRows

def selected(rows=(2, 0, 2), height=4):
    values = np.arange(1.0, 2 * len(rows) + 1).reshape(-1, 2)
    return SelectedRows(np.array(rows, "int64"), values, height)


def test_merge_and_to_dense():
    g = selected()
    assert g.shape == (4, 2) and g.ndim == 2 and g.size == 8 and len(g) == 4 and g.dtype == np.float64
    merged = g.merge()
    assert merged.rows.tolist() == [0, 2] and merged.values.tolist() == [[3, 4], [6, 8]]
    assert merged.merge() is merged
    assert g.to_dense().tolist() == [[3, 4], [0, 0], [6, 8], [0, 0]]


def test_adding_and_scaling_keep_rows():
    g = selected()
    total = g + selected((1,))
    assert isinstance(total, SelectedRows) and total.rows.tolist() == [2, 0, 2, 1]
    assert isinstance(g * 2, SelectedRows) and isinstance(2 * g, SelectedRows)
    np.testing.assert_array_equal((np.float64(2) * g).to_dense(), 2 * g.to_dense())


@pytest.mark.parametrize("operation", [
    lambda x, y: x + y, lambda x, y: y + x, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: -x,
    lambda x, y: np.square(x), lambda x, y: np.add(x, y), lambda x, y: x + 1, lambda x, y: x @ y.T,
    lambda x, y: x.sum(axis=0), lambda x, y: np.concatenate([x, y]), lambda x, y: x[1:], lambda x, y: x.reshape(2, 4),
    lambda x, y: np.add(y, x, out=np.zeros((4, 2)))])
def test_to_everything_else_it_is_the_whole_matrix(operation):
    dense = np.arange(8.0).reshape(4, 2)
    found = operation(selected(), dense)
    np.testing.assert_array_equal(np.asarray(found), operation(selected().to_dense(), dense))


def test_no_rows_at_all():
    g = SelectedRows(np.zeros(0, "int64"), np.zeros((0, 2), "float32"), 3)
    assert g.merge().rows.size == 0 and g.to_dense().tolist() == [[0, 0]] * 3 and (g + g).to_dense().dtype == np.float32


# The gradient of an embedding

def test_the_gradient_holds_the_rows_looked_up():
    layer, dense = embedding(), embedding(sparse=False)
    g, expected = look_up(layer, [[1, 3], [3, 5]]), look_up(dense, [[1, 3], [3, 5]])
    assert g.is_selected_rows() and not g.is_dense() and not expected.is_selected_rows()
    assert g.rows() == [1, 3, 3, 5] and g.get_selected_rows().height == ROWS
    assert g.shape == [ROWS, WIDTH] and g.dtype is paddle.float32 and g.size == 12 and g.ndim == 2
    np.testing.assert_array_equal(g.numpy(), expected.numpy())
    assert isinstance(g, paddle.Tensor) and "Tensor(shape=[6, 2]" in repr(g)


def test_gradients_add_up_by_their_rows():
    layer, dense = embedding(), embedding(sparse=False)
    for numbers in ([1, 3], [3, 0]):
        g, expected = look_up(layer, numbers), look_up(dense, numbers)
    assert g.rows() == [1, 3, 3, 0]
    np.testing.assert_array_equal(g.numpy(), expected.numpy())


def test_two_uses_in_one_pass():
    layer = embedding()
    y = layer(paddle.to_tensor([1])).sum() + layer(paddle.to_tensor([1, 2])).sum()
    y.backward()
    assert sorted(layer.weight.grad.rows()) == [1, 1, 2]
    assert layer.weight.grad.numpy()[:, 0].tolist() == [0, 2, 1, 0, 0, 0]


def test_beside_a_use_of_the_whole_table_the_gradient_is_whole():
    layer, dense = embedding(), embedding(sparse=False)
    for one in (layer, dense):
        ((one(paddle.to_tensor([1, 1])) ** 2).sum() + (one.weight**2).sum()).backward()
    assert layer.weight.grad.is_dense()
    np.testing.assert_allclose(layer.weight.grad.numpy(), dense.weight.grad.numpy())


def test_a_table_that_was_computed():
    w = paddle.ones([4, 2])
    w.stop_gradient = False
    nn.functional.embedding(paddle.to_tensor([1, 1]), w * 3, sparse=True).sum().backward()
    assert w.grad.numpy()[:, 0].tolist() == [0, 6, 0, 0]


def test_padding_gets_no_gradient():
    assert look_up(embedding(padding_idx=1), [1, 3, 1]).rows() == [3]


def test_operators_see_the_whole_matrix():
    g = look_up(embedding(), [1, 3])
    np.testing.assert_allclose((g * 2 + 1).numpy(), g.numpy() * 2 + 1)
    assert g.is_selected_rows()
    g.set_value(np.ones([ROWS, WIDTH], "float32"))
    assert g.is_dense() and g.numpy().sum() == 12
    with pytest.raises(ValueError, match="get_selected_rows"):
        g.rows()


def test_clearing_forgets_it():
    layer = embedding()
    look_up(layer, [1])
    layer.weight.clear_gradient()
    assert layer.weight.grad is None


def test_hooks_get_it_and_may_replace_it():
    layer, seen = embedding(), []

    def hook(g):
        seen.append(g.is_selected_rows())
        return g * 2

    layer.weight.register_hook(hook)
    g = look_up(layer, [1, 3])
    assert seen == [True]
    np.testing.assert_allclose(g.numpy(), 2 * look_up(embedding(sparse=False), [1, 3]).numpy())


def test_paddle_grad_and_second_order():
    layer = embedding()
    y = (layer(paddle.to_tensor([1, 1])) ** 3).sum()
    [g] = paddle.grad(y, layer.weight, retain_graph=True)
    assert g.is_selected_rows() and layer.weight.grad is None
    [g] = paddle.grad(y, layer.weight, create_graph=True)
    [gg] = paddle.grad(g.sum(), layer.weight)
    expected = np.zeros([ROWS, WIDTH], "float32")
    expected[1] = 2 * 6 * layer.weight.numpy()[1]
    np.testing.assert_allclose(gg.numpy(), expected, rtol=1e-6)


def test_a_compiled_step():
    layer, dense = embedding(), embedding(sparse=False)
    for one in (layer, dense):
        step = paddle.jit.to_static(lambda ids, one=one: (one(ids) ** 2).sum() + (one(ids + 1) ** 2).sum())
        step(paddle.to_tensor([1, 3, 3])).backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), dense.weight.grad.numpy(), rtol=1e-6)


# Optimizers and clippers

RULES = {
    "sgd": lambda p, **o: paddle.optimizer.SGD(0.1, parameters=p, **o),
    "sgd, decay": lambda p, **o: paddle.optimizer.SGD(0.1, parameters=p, weight_decay=0.1, **o),
    "momentum": lambda p, **o: paddle.optimizer.Momentum(0.1, 0.9, parameters=p, **o),
    "nesterov": lambda p, **o: paddle.optimizer.Momentum(
        0.1, 0.9, parameters=p, use_nesterov=True, rescale_grad=0.5, **o),
    "adam": lambda p, **o: paddle.optimizer.Adam(0.1, parameters=p, **o),
    "adam, decay": lambda p, **o: paddle.optimizer.Adam(0.1, parameters=p, weight_decay=0.1, **o),
    "adamw": lambda p, **o: paddle.optimizer.AdamW(0.1, parameters=p, lr_ratio=lambda p: 0.5, **o),
}
CLIPPERS = {"none": None, "global norm": nn.ClipGradByGlobalNorm(0.1), "norm": nn.ClipGradByNorm(0.1),
            "value": nn.ClipGradByValue(0.05), "value above 0": nn.ClipGradByValue(0.05, 0.01)}
BATCHES = [[[1, 3], [3, 5]], [[0, 1], [1, 1]], [[1, 3], [3, 5]]]


def trained(rule, sparse, clipper=None):
    layer = embedding(sparse)
    bias = paddle.create_parameter([1], "float32", attr=paddle.ParamAttr(initializer=nn.initializer.Constant(2.0)))
    optimizer = rule([layer.weight, bias], grad_clip=clipper)
    for numbers in BATCHES:
        y = layer(paddle.to_tensor(numbers)) * bias
        (y * y).sum().backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
    return layer, bias, optimizer


@pytest.mark.parametrize("clipper", CLIPPERS)
@pytest.mark.parametrize("rule", RULES)
def test_training_is_that_with_whole_gradients(rule, clipper):
    layer, bias, _ = trained(RULES[rule], True, CLIPPERS[clipper])
    dense, dense_bias, _ = trained(RULES[rule], False, CLIPPERS[clipper])
    np.testing.assert_allclose(layer.weight.numpy(), dense.weight.numpy(), rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(bias.numpy(), dense_bias.numpy(), rtol=2e-5)


def lazily(rows_of_batches, kind, **options):
    """Adam on the rows looked up alone, in NumPy."""
    w = np.arange(ROWS * WIDTH, dtype="float64").reshape(ROWS, WIDTH) / 10
    m, v = np.zeros_like(w), np.zeros_like(w)
    for step, numbers in enumerate(rows_of_batches, 1):
        g = np.zeros_like(w)
        np.add.at(g, np.ravel(numbers), 2 * w[np.ravel(numbers)])
        for row in set(np.ravel(numbers)):
            if kind == "adamw":
                w[row] *= 1 - 0.1 * 0.01
            m[row] = 0.9 * m[row] + 0.1 * g[row]
            v[row] = 0.999 * v[row] + 0.001 * g[row] ** 2
            w[row] -= 0.1 * (m[row] / (1 - 0.9**step)) / (np.sqrt(v[row] / (1 - 0.999**step)) + 1e-8)
    return w


@pytest.mark.parametrize("kind, rule", [("adam", paddle.optimizer.Adam), ("adamw", paddle.optimizer.AdamW)])
def test_lazy_mode_touches_the_rows_looked_up_alone(kind, rule):
    layer = embedding()
    optimizer = rule(0.1, parameters=layer.parameters(), lazy_mode=True)
    for numbers in BATCHES:
        look_up(layer, numbers)
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(layer.weight.numpy(), lazily(BATCHES, kind), rtol=1e-4, atol=1e-5)


def test_lazy_mode_counts_for_rows_only():
    whole = [trained(lambda p, lazy=lazy, **o: paddle.optimizer.Adam(0.1, parameters=p, lazy_mode=lazy, **o), False)[0]
             for lazy in (False, True)]
    np.testing.assert_array_equal(whole[0].weight.numpy(), whole[1].weight.numpy())


def test_the_state_has_its_usual_names_and_shapes():
    _, _, optimizer = trained(RULES["adam"], True)
    _, _, dense = trained(RULES["adam"], False)
    shapes = [{key.partition("_")[2]: value.shape for key, value in o.state_dict().items()} for o in (optimizer, dense)]
    assert sorted(map(str, shapes[0].values())) == sorted(map(str, shapes[1].values()))


class Counted(np.ndarray):
    """An array that counts the elements that are read or written through it, and through its views."""

    touched = [0]

    def __getitem__(self, index):
        found = super().__getitem__(index).view(np.ndarray)
        Counted.touched[0] += found.size
        return found

    def __setitem__(self, index, value):
        Counted.touched[0] += self.view(np.ndarray)[index].size
        super().__setitem__(index, value)

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **kwargs):
        Counted.touched[0] += self.size
        plain = [x.view(np.ndarray) if isinstance(x, Counted) else x for x in (*inputs, *out)]
        given = {"out": tuple(plain[len(inputs):])} if out else {}
        result = getattr(ufunc, method)(*plain[:len(inputs)], **given, **kwargs)
        return out[0] if out else result


LOCAL = {"sgd": RULES["sgd"],
         "lazy adam": lambda p, **o: paddle.optimizer.Adam(0.1, parameters=p, lazy_mode=True, **o),
         "lazy adamw": lambda p, **o: paddle.optimizer.AdamW(0.1, parameters=p, lazy_mode=True, **o)}


def touched(rule, rows):
    layer = embedding(rows=rows)
    optimizer = rule(layer.parameters(), grad_clip=CLIPPERS["global norm"])
    look_up(layer, [1, 3, 3])
    optimizer.step()  # makes the moments
    tables = [layer.weight, *[v for v in optimizer.state_dict().values() if v.shape == layer.weight.shape]]
    for table in tables:
        table._array = table._array.view(Counted)
    optimizer.clear_grad()
    Counted.touched[0] = 0
    look_up(layer, [2, 2, 4, 1])
    optimizer.step()
    return Counted.touched[0]


@pytest.mark.parametrize("rule", LOCAL)
def test_a_step_touches_as_many_elements_whatever_the_size_of_the_table(rule):
    small = touched(LOCAL[rule], 10)
    assert 0 < small < 100
    assert touched(LOCAL[rule], 10_000) == small


@pytest.mark.parametrize("rule", LOCAL)
def test_a_step_makes_nothing_of_the_size_of_the_table(rule):
    layer = embedding(rows=100_000)
    optimizer = LOCAL[rule](layer.parameters(), grad_clip=CLIPPERS["global norm"])
    look_up(layer, [1, 3])
    optimizer.step()
    optimizer.clear_grad()
    tracemalloc.start()
    try:
        look_up(layer, [2, 4])
        optimizer.step()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000 * WIDTH * 4 / 4
