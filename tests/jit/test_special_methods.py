"""Special methods of users' classes in converted code: sizes that only a run knows, tensors that decide, reads."""

import numpy as np
import proa as paddle
import pytest

FACTOR = 2.0


class Rows:
    """Says everything by its number of rows, which an open size leaves to the run."""

    def __init__(self, values):
        self.values = values

    def count(self):
        return self.values * self.values.shape[0]

    def __add__(self, other):
        return NotImplemented if isinstance(other, str) else self.count() + other

    def __radd__(self, other):
        return self.count() - other

    def __matmul__(self, other):
        return self.count() + other.values if isinstance(other, Rows) else NotImplemented

    def __iadd__(self, other):
        self.values = self.values + other * self.values.shape[0]
        return self

    def __neg__(self):
        return -self.count()

    def __abs__(self):
        return self.count()

    def __getitem__(self, index):
        return self.values[index] * self.values.shape[0]

    def __setitem__(self, index, value):
        self.values = self.values + value * self.values.shape[0]

    def __delitem__(self, index):
        self.values = self.values * self.values.shape[0]

    def __eq__(self, other):
        return self.values.shape[0] == 3

    def __lt__(self, other):
        return self.values.shape[0] > other

    def __contains__(self, item):
        return self.values.shape[0] == item

    def __bool__(self):
        return self.values.shape[0] == 3

    def __int__(self):
        return self.values.shape[0]

    def __float__(self):
        return self.values.shape[0] * 0.5

    def __iter__(self):
        yield self.count()
        yield self.values

    def __enter__(self):
        return self.count()

    def __exit__(self, *error):
        self.values = None

    def __getattr__(self, name):
        if name != "rows":
            raise AttributeError(name)
        return self.values.shape[0]


class Taller(Rows):
    def __radd__(self, other):
        return self.count() * 10 + other.values


class Signed:
    """Asks a tensor."""

    def __init__(self, values):
        self.values = values

    def __mul__(self, other):
        if self.values.sum() > 0:
            return self.values * other
        return self.values - other

    def __len__(self):
        return int(self.values.sum() > 0)


def a_sum(x):
    return Rows(x) + 1


def a_sum_from_the_right(x):
    return 1 + Rows(x)


def a_sum_with_a_subclass(x):
    return Rows(x) + Taller(x)


def a_sum_that_is_refused(x):
    try:
        return Rows(x) + "text"
    except TypeError:
        return x


def a_sum_of_items(x):
    return sum([Rows(x), 1.0])


def a_product(x):
    return Rows(x) @ Rows(x)


def a_sum_in_place(x):
    rows = Rows(x)
    rows += 2
    return rows.values


def of_an_attribute_in_place(x):
    rows = Rows(Rows(x))
    rows.values += 2
    return rows.values.values


def a_negation(x):
    return -Rows(x)


def a_magnitude(x):
    return abs(Rows(x))


def an_item(x):
    return Rows(x)[0]


def a_slice(x):
    return Rows(x)[0:2]


def an_item_by_name(x):
    rows, i = Rows(x), 1
    return rows[i]


def items_that_are_set(x):
    rows, i = Rows(x), 1
    rows[0] = 1.0
    rows[i] = 2.0
    rows[0] += 3.0
    rows[i] += 4.0
    return rows.values


def an_item_that_is_deleted(x):
    rows = Rows(x)
    del rows[0]
    return rows.values


def an_equality(x):
    return x * 2 if Rows(x) == 1 else x * 3


def an_inequality(x):
    return x * 2 if Rows(x) != 1 else x * 3


def an_order(x):
    return x * 2 if Rows(x) < 4 else x * 3


def an_order_from_the_right(x):
    return x * 2 if 4 > Rows(x) else x * 3


def orders(x):
    return x * 2 if 1 > Rows(x) < 4 else x * 3


def containing(x):
    return x * 2 if 3 in Rows(x) else x * 3


def a_truth(x):
    if Rows(x):
        return x * 2
    return x * 3


def no_truth(x):
    return x * 2 if not Rows(x) and len(x) else x * 3


def whole(x):
    return x * int(Rows(x)) + float(Rows(x))


def items_in_turn(x):
    for each in Rows(x):
        x = x + each
    return x


def unpacked(x):
    first, second = Rows(x)
    return first - second


def collected(x):
    return sum(2 * each for each in Rows(x)) + list(Rows(x))[0] + list(zip(Rows(x), [1, 2]))[0][0]


def a_manager(x):
    rows = Rows(x)
    with rows as count:
        y = count + 1
    return y if rows.values is None else x


def an_attribute_by_method(x):
    return x * Rows(x).rows


def by_a_tensor(x):
    return Signed(x) * 5


def a_length_by_a_tensor(x):
    return x * 2 if Signed(x) else x * 3


FUNCTIONS = [f for f in list(globals().values()) if callable(f) and getattr(f, "__module__", None) == __name__
             and not isinstance(f, type)]


@pytest.mark.parametrize("rows", [3, 5])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_computes_what_python_does(function, rows, tmp_path):
    layer = paddle.nn.Layer()
    layer.forward = paddle.jit.to_static(
        function, full_graph=True, input_spec=[paddle.static.InputSpec([None, 2], "float32")])
    paddle.jit.save(layer, str(tmp_path / "model"))
    loaded = paddle.jit.load(str(tmp_path / "model"))
    for sign in (1.0, -1.0):
        x = paddle.to_tensor(sign * np.arange(1.0, 2 * rows + 1, dtype="float32").reshape(rows, 2))
        expected = function(x).numpy()
        for run in (layer.forward, loaded):
            np.testing.assert_array_equal(run(x).numpy(), expected)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __getitem__(self, x):
        return x * self.factor * FACTOR

    def __rmul__(self, number):
        return number * self.factor


def test_what_special_methods_read_is_watched(monkeypatch):
    scaled = Scaled(3.0)
    converted = paddle.jit.to_static(lambda x: scaled[x] + 2 * scaled, full_graph=True)
    x = paddle.ones([2])
    assert converted(x).tolist() == [12.0, 12.0]
    scaled.factor = 4.0
    assert converted(x).tolist() == [16.0, 16.0]
    monkeypatch.setitem(globals(), "FACTOR", 1.0)
    assert converted(x).tolist() == [12.0, 12.0]
    monkeypatch.setattr(Scaled, "__getitem__", lambda self, x: x - self.factor)
    assert converted(x).tolist() == [5.0, 5.0]


class Counter:
    def __init__(self):
        self.total = paddle.zeros([])

    def __iadd__(self, value):
        self.total = self.total + value
        return self

    def __setitem__(self, key, value):
        self.total = self.total - value

    def __enter__(self):
        self.total = self.total + 100
        return self

    def __exit__(self, *error):
        return None


def test_what_special_methods_change_in_a_branch():
    def count(x):
        counter = Counter()
        if x.sum() > 0:
            counter += x.sum()
            counter[0] = x.max()
            with counter:
                pass
        return counter.total

    converted = paddle.jit.to_static(count, full_graph=True)
    for x in (paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([-1.0, -2.0])):
        assert converted(x).item() == count(x).item()


class Wrapper(paddle.nn.Layer):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)

    def forward(self, x):
        return self.module(x) * self.scale


class Inner(paddle.nn.Linear):
    scale = 2.0


def test_a_wrapper_hands_attributes_on():
    inner = Inner(2, 2)
    wrapper = Wrapper(inner)
    x = paddle.ones([1, 2])
    converted = paddle.jit.to_static(wrapper, full_graph=True)
    np.testing.assert_allclose(converted(x).numpy(), inner(x).numpy() * 2)
    inner.scale = 5.0
    np.testing.assert_allclose(converted(x).numpy(), inner(x).numpy() * 5)
