"""The compiled form of applying an operator does what Python's does: same values, same nodes, same errors."""

import gc
import operator
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import proa as paddle
import pytest
from proa.core.errors import GraphFreedError, ModifiedInPlaceError
from proa.dygraph.eager import EAGER
from proa.ops.array.reshape import reshape
from proa.ops.core import native
from proa.ops.core.kernels import Choice
from proa.ops.core.operator import find
from proa.ops.core.operator_node import SingleResultNode
from proa.ops.core.trace import apply, state
from proa.ops.math.elementwise import add_op

pytestmark = pytest.mark.filterwarnings("error")
compiled = pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")


def tensor(*shape, trained=True, dtype="float32", seed=0):
    values = np.asarray(np.random.RandomState(seed + len(shape)).rand(*shape) + 0.5)
    return paddle.to_tensor(values.astype(dtype), stop_gradient=not trained)


def in_python(op, *inputs, **attrs):
    return state.trace.apply(op, inputs, attrs)


def same(one, other):
    if isinstance(one, np.ndarray):
        return type(other) is np.ndarray and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return one is other or one == other


CASES = {
    "two": ("elementwise_add", lambda: (tensor(2, 3), tensor(2, 3, seed=1)), {}),
    "broadcast": ("elementwise_mul", lambda: (tensor(2, 3), tensor(3)), {}),
    "without dimensions": ("elementwise_sub", lambda: (tensor(), tensor()), {}),
    "empty": ("elementwise_add", lambda: (tensor(0, 3), tensor(0, 3)), {}),
    "one wants a gradient": ("elementwise_mul", lambda: (tensor(2, 3, trained=False), tensor(2, 3)), {}),
    "none wants one": ("elementwise_mul", lambda: (tensor(2, trained=False), tensor(2, trained=False)), {}),
    "no gradient at all": ("less_than", lambda: (tensor(3), tensor(3, seed=1)), {}),
    "complex": ("elementwise_mul", lambda: (tensor(3, dtype="complex64"), tensor(3, dtype="complex64", seed=2)), {}),
    "16 bits": ("elementwise_mul", lambda: (tensor(3, dtype="float16"), tensor(3, dtype="float16", seed=2)), {}),
    "dtypes differ": ("elementwise_mul", lambda: (tensor(3, trained=False), tensor(3) > 1), {}),
    "an attribute": ("elementwise_add", lambda: (tensor(2, 3), tensor(2)), {"axis": 0}),
    "one": ("exp", lambda: (tensor(4),), {}),
    "large": ("exp", lambda: (tensor(40_000),), {}),
    "optional left out": ("scale", lambda: (tensor(4), None), {"scale": 2.0}),
    "optional given": ("scale", lambda: (tensor(4), tensor(1, trained=False)), {"scale": 1.0}),
    "matrices": ("matmul_v2", lambda: (tensor(2, 3), tensor(3, 4)), {"trans_x": False, "trans_y": False}),
    "several results": ("top_k_v2", lambda: (tensor(5), None), {"k": 2}),
    "a list": ("concat", lambda: ([tensor(2), tensor(3)], None), {"axis": 0}),
    "a list that wants nothing": ("concat", lambda: ([tensor(2, trained=False), tensor(3, trained=False)], None), {}),
    "a list of dtypes": ("concat", lambda: ([tensor(2, trained=False), tensor(3, trained=False) > 1], None), {}),
    "a list, in rows": ("stack", lambda: ([tensor(2, 3), tensor(2, 3, trained=False)],), {"axis": 1}),
    "an empty list": ("concat", lambda: ([tensor(0, 3), tensor(2, 3)], None), {"axis": 0}),
    "several results that want nothing": ("top_k_v2", lambda: (tensor(5, trained=False), None), {"k": 2}),
    "a repeated result": ("split", lambda: (tensor(4, 2), None, None), {"num": 2, "axis": 0}),
    "a repeated result that wants nothing": ("unbind", lambda: (tensor(4, 2, trained=False),), {"axis": 1}),
    "nothing is given": ("fill_constant", lambda: (None, None, None), {
        "shape": (2, 3), "dtype": paddle.float32, "value": 1.5}),
    "no inputs": ("eye", lambda: (), {"num_rows": 3, "dtype": paddle.float64}),
    "numbers of two dtypes": ("lookup_table_v2", lambda: (tensor(3, dtype="int64", trained=False), tensor(4, 2)), {}),
    "a number": ("scale", lambda: (tensor(2, 3), None), {"scale": 1.5}),
    "the same number": ("scale", lambda: (tensor(2, 3, dtype="float64"), None), {"scale": 1.5}),
    "a whole number": ("scale", lambda: (tensor(2, 3), None), {"bias": 2}),
    "a large number": ("scale", lambda: (tensor(2, 3), None), {"scale": 1e300}),
    "no number": ("scale", lambda: (tensor(2, 3), None), {"bias_after_scale": False}),
    "integers and a number": ("scale", lambda: (tensor(2, 3, dtype="int64", trained=False), None), {"scale": 2.5}),
    "an extreme": ("reduce_max", lambda: (tensor(2, 3),), {"dim": [1], "keep_dim": True, "reduce_all": False}),
    "many inputs": ("where", lambda: (tensor(3) > 1, tensor(3), tensor(3, seed=4)), {}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("recorded", [True, False])
def test_both_forms_give_the_same(case, recorded):
    type_, make, attrs = CASES[case]
    op, inputs = find(type_), make()
    with paddle.set_grad_enabled(recorded), np.errstate(over="ignore"):
        ours, meant = apply(op, *inputs, **attrs), in_python(op, *inputs, **attrs)
    if isinstance(meant, (list, tuple)):
        assert type(ours) is type(meant)
        for a, b in zip(ours, meant, strict=True):
            assert same(a._array, b._array) and type(a._edge) is type(b._edge)
        return
    assert type(ours) is type(meant) and same(ours._array, meant._array)
    assert type(ours._edge) is type(meant._edge)
    if type(meant._edge) is SingleResultNode:
        one, other = ours._edge, meant._edge
        assert (one.op, one.attrs, one.hooks) == (other.op, other.attrs, other.hooks)
        assert same(list(one.edges), list(other.edges)) and same(one.saved, other.saved)
        assert one.order < other.order
    assert (ours.stop_gradient, ours.is_leaf, ours.grad) == (meant.stop_gradient, meant.is_leaf, meant.grad)


def test_errors_are_the_operators_own_in_both_forms():
    x, y = tensor(2, 3), tensor(4, 5)
    for op, attrs in (("elementwise_add", {}), ("matmul_v2", {"trans_x": False, "trans_y": False})):
        texts = []
        for form in (apply, in_python):
            with pytest.raises(ValueError) as raised:
                form(find(op), x, y, **attrs)
            texts.append(str(raised.value))
        assert texts[0] == texts[1] and "[2, 3]" in texts[0] and raised.value.__cause__ is not None
    with pytest.raises(TypeError, match="must be a Tensor"):
        apply(find("elementwise_add"), x, object())


@pytest.mark.parametrize("form", [apply, in_python])
@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError, AttributeError, MemoryError, KeyboardInterrupt])
def test_a_kernel_that_fails_runs_once(form, error, monkeypatch):
    op, ran = find("exp"), []

    def kernel(*_, **__):
        ran.append(1)
        raise error("as planned")

    monkeypatch.setitem(op.kernels.of_dtype, np.dtype("float64"), Choice(None, kernel, 1 << 60, kernel, kernel))
    with pytest.raises(error, match="as planned") as raised:
        form(op, tensor(3, dtype="float64"))
    assert ran == [1] and raised.traceback[-1].name == "kernel"


def test_what_a_kernel_gives_that_is_no_array_becomes_one(monkeypatch):
    op = find("exp")
    kernel = lambda *_, **__: np.float64(2.0)
    monkeypatch.setitem(op.kernels.of_dtype, np.dtype("float64"), Choice(None, kernel, 1 << 60, kernel, kernel))
    found = apply(op, tensor(dtype="float64"))
    assert type(found._array) is np.ndarray and found.shape == [] and float(found) == 2.0


def test_kernels_are_asked_for_anew_when_a_flag_changes():
    x = tensor(3)
    before = apply(find("exp"), x)
    with paddle.core.flags.flags_guard({"FLAGS_cpu_engines": ""}):
        assert np.allclose(apply(find("exp"), x), before)
    with paddle.core.flags.flags_guard({"FLAGS_check_nan_inf": True}), pytest.raises(FloatingPointError), \
            np.errstate(divide="ignore"):
        paddle.log(paddle.zeros([2]))


# Python's operators

def test_operators_meet_numbers_arrays_and_each_other():
    x, a = tensor(2, trained=False), np.array([3.0, 4.0], "float32")
    for found, meant in ((x + 1.5, x._array + 1.5), (1.5 + x, x._array + 1.5), (x - 1, x._array - 1),
                         (1 - x, 1 - x._array), (x * 2, x._array * 2), (2 * x, x._array * 2),
                         (x + a, x._array + a), (a + x, x._array + a), (a - x, a - x._array), (a * x, a * x._array),
                         (x.__add__(a), x._array + a), (x.__rsub__(1.0), 1 - x._array)):
        assert isinstance(found, paddle.Tensor) and np.array_equal(found.numpy(), meant.astype("float32"))
    with pytest.raises(TypeError, match="must be a number"):
        x + object()


@pytest.mark.parametrize("dtype", [
    "float32", "float64", "float16", "int64", "int32", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("number", [
    2, 0, -1, 1.5, 0.0, -0.0, float("inf"), float("nan"), 2**31 - 1, -2**31, 2**31, 2**40, 2**63 - 1, -2**63, 2**70,
    1e300, True])
def test_numbers_meet_values_as_they_meet_functions(dtype, number):
    x = tensor(2, 3, trained=False, dtype=dtype)
    for one, other in ((operator.add, paddle.add), (operator.sub, paddle.subtract), (operator.mul, paddle.multiply),
                       (operator.truediv, paddle.divide), (operator.lt, paddle.less_than),
                       (operator.le, paddle.less_equal), (operator.eq, paddle.equal), (operator.ne, paddle.not_equal),
                       (operator.gt, paddle.greater_than), (operator.ge, paddle.greater_equal)):
        with np.errstate(all="ignore"):
            found, meant = _result(one, x, number), _result(other, x, number)
        assert type(found) is type(meant)
        if isinstance(meant, paddle.Tensor):
            assert found.dtype is meant.dtype and np.array_equal(found._array, meant._array, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_values_are_taken_from_numbers(dtype):
    x = tensor(2, 3, dtype=dtype, trained=dtype.startswith("float"))
    for number in (2, -3, 0, 2**20 + 1):
        found = number - x
        assert found.dtype is x.dtype and np.array_equal(found._array, (number - x._array).astype(dtype))
    if not x.stop_gradient:
        (3 - x).sum().backward()
        assert np.array_equal(x.grad._array, np.full((2, 3), -1, dtype))


def _result(function, *given):
    try:
        return function(*given)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        return error


def test_many_numbers_are_met():
    x = tensor(3)
    for number in [*range(1, 600), *(n / 7 for n in range(1, 600))]:
        assert np.array_equal((x * number)._array, x._array * np.float32(number))
    assert np.signbit((x * -0.0)._array).all() and not np.signbit((x * 0.0)._array).any()
    y = x * 2.0
    y.sum().backward()
    assert np.array_equal(x.grad._array, np.full(3, 2, "float32"))


def test_a_kernel_of_several_results_that_fails_says_why():
    for make in (lambda: paddle.concat([tensor(2, 3), tensor(2, 4)], axis=0), lambda: paddle.split(tensor(5), 2),
                 lambda: paddle.topk(tensor(3, trained=False), 7), lambda: paddle.stack([tensor(2), tensor(3)])):
        with pytest.raises(ValueError, match=r"\(x, "):
            make()


def test_shape_dtype_and_rank_of_what_holds_no_array_of_numpys():
    rows = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    assert (rows.shape, rows.dtype, rows.ndim) == ([3], paddle.float32, 1)
    x = tensor(2, 3)
    assert (x.shape, x.dtype, x.ndim) == ([2, 3], paddle.float32, 2)
    x.shape.append(4)  # a list of its own
    assert x.shape == [2, 3]
    with pytest.raises(AttributeError):
        x.shape = [6]


def test_subclasses_say_what_their_operators_do():
    class Loud(paddle.Tensor):
        def __add__(self, other):
            return "mine"

        def __rsub__(self, other):
            return "turned"

    loud, x = Loud([1.0]), tensor(1)
    assert loud + x == "mine" and x - loud == "turned"
    assert np.allclose((x + loud).numpy(), x.numpy() + 1) and np.allclose((x * loud).numpy(), x.numpy())


def test_values_are_pickled_referred_to_weakly_and_given_attributes():
    y = tensor(2, trained=False) + tensor(2, trained=False)
    y.note = "kept"
    copy = pickle.loads(pickle.dumps(y))
    assert np.array_equal(copy.numpy(), y.numpy()) and copy.note == "kept"
    held = weakref.ref(y)
    del y
    assert held() is None


def test_traces_of_threads_stay_apart():
    x, found = tensor(2), {}
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: found.update(there=(x * x).stop_gradient))
        thread.start()
        thread.join()
        found["here"] = (x * x).stop_gradient
    assert found == {"there": False, "here": True}


# The walk

def test_hooks_freed_graphs_and_changed_values_are_met_on_the_way_back():
    x, seen = tensor(3), []
    y = x * x
    y.register_hook(lambda g: seen.append(g.numpy()) or g * 2)
    z = y + x
    z.backward(retain_graph=True)
    assert np.allclose(x.grad, 4 * x.numpy() + 1) and len(seen) == 1
    z.backward()
    with pytest.raises(GraphFreedError):
        z.backward()
    a = tensor(2, trained=False)
    b = a * x[:2]
    a.add_(paddle.ones([2]))
    with pytest.raises(ModifiedInPlaceError):
        b.backward()


def test_second_derivatives_and_gradients_of_what_is_in_between():
    x = tensor(3)
    y = x * x
    z = y * x
    first, middle = paddle.grad(z.sum(), [x, y], create_graph=True)
    assert np.allclose(first, 3 * x.numpy() ** 2) and np.allclose(middle, x.numpy())
    assert np.allclose(paddle.grad(first.sum(), x)[0], 6 * x.numpy())


def test_a_failing_hook_leaves_gradients_as_they_were():
    x = tensor(2)
    y = x * x

    def fail(_):
        raise KeyError("as planned")

    y.register_hook(fail)
    with pytest.raises(KeyError):
        (y + x).backward()
    assert x.grad is None


def test_a_long_chain_is_walked_and_let_go():
    x = tensor(1)
    y = x
    for _ in range(5_000):
        y = y + x
    y.backward()
    assert float(x.grad) == 5_001.0
    del y
    gc.collect()


def test_what_the_walk_cannot_do_it_says():
    class Odd:
        gradient = None

    node = SingleResultNode(Odd(), {}, (None,), ())
    with pytest.raises(AttributeError):
        tensor(1)._eager.backward([_with_edge(node)], [None], False)


def _with_edge(node):
    value = paddle.ones([1])
    value._edge = node
    return value


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "float64", "bool"])
def test_quotients_and_remainders_with_numbers(dtype):
    """`x // number` and its like are what the functions give of a value and a number."""
    x = paddle.to_tensor(np.array([7, -7, 5, 0, 1])).astype(dtype)
    for number in (2, -3, 2.5, True, np.int64(3), 2**40, -1):
        for by_syntax, function in ((operator.floordiv, paddle.floor_divide), (operator.mod, paddle.mod)):
            for turned in (False, True):
                given = (number, x + 10) if turned else (x, number)
                meant = (paddle.to_tensor(given[0]).astype(given[1].dtype), given[1]) if turned else given
                if turned and (type(number) is not int or dtype == "bool" or number == 2**40 and dtype == "int32"):
                    continue
                try:
                    wanted = function(*meant)
                except (OverflowError, ValueError) as error:
                    with pytest.raises(type(error)):
                        by_syntax(*given)
                    continue
                found = by_syntax(*given)
                assert found.dtype == wanted.dtype
                assert np.array_equal(found.numpy(), wanted.numpy(), equal_nan=True)


def test_a_remainder_by_a_number_has_a_gradient():
    x = tensor(5)
    (x % 0.3).sum().backward()
    assert x.grad.tolist() == [1.0] * 5


# Memory

def _work():
    x, w = tensor(4, 4), tensor(4, 4, trained=False)
    y = reshape(x * w + x, [16])
    paddle.exp(y - y).sum().backward()
    parts = paddle.split(paddle.concat([x, w], axis=1), 2, axis=1)
    (parts[0] * 1.5 - 2 + paddle.stack([x, w]).sum(0) / 3.0).max().backward()
    w // 2, 2 % (w + 3)
    paddle.topk(w, 2), paddle.unbind(w), paddle.zeros([2, 3]), w < 0.5, w == w, -w, w.shape, w.dtype, w.ndim
    for wrong in (lambda: x + tensor(3), lambda: x + object(), lambda: paddle.concat([x, tensor(2, 3)], 0),
                  lambda: x * 10**400, lambda: w < 10**400, lambda: paddle.topk(w, 9), lambda: x < object()):
        try:
            wrong()
        except (ValueError, TypeError, OverflowError):
            pass


def test_nothing_is_left_behind():
    for _ in range(100):
        _work()
    shared = (find("elementwise_add"), None, np.dtype("float32"), state.trace, paddle.Tensor)
    for _ in range(3):  # tuples of tuples of constants are let go of by the collector one level at a time
        gc.collect()
    before, objects = [sys.getrefcount(one) for one in shared], len(gc.get_objects())
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    try:
        for _ in range(150):
            _work()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    after = [sys.getrefcount(one) for one in shared]
    assert all(abs(b - a) < 50 for a, b in zip(before, after, strict=True)), (before, after)
    assert abs(len(gc.get_objects()) - objects) < 50 and grown < 50_000


# Which form is in use

def test_it_can_be_left_out_and_info_says_so():
    program = "import proa, proa.compat.info as i; print(i.describe()); print(proa.ones([2]) + proa.ones([2]))"
    told = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PROA_NATIVE": "0"}, check=True,
                          capture_output=True, text=True).stdout
    assert "PROA_NATIVE says so" in told and "[2., 2.]" in told


@compiled
def test_classes_that_do_not_fit_are_refused():
    with pytest.raises(AttributeError):
        native.module.serve((object,) * 6, (None,) * 6, np, {}, (np.zeros(1), np.zeros(1)))
    with pytest.raises(AttributeError):
        native.module.serve_walk(object, object, object, object, len, {}, None)
    with pytest.raises(TypeError):
        native.module.walk(None, None, None)
    with pytest.raises(TypeError):
        native.module.apply()
    x = tensor(2)  # what was there before holds
    (x * x).sum().backward()
    assert np.allclose(x.grad, 2 * x.numpy())


def _made_of(kind):
    """A value whose node is of one result, of a repeated one, of several, or has a repeated input."""
    x = tensor(4, 4)
    if kind == "one":
        return paddle.tanh(x * x)
    if kind == "list":
        return paddle.split(x * 2.0, 2)[1]
    if kind == "several":
        return paddle.topk(x * 2.0, 2)[0]
    if kind == "several that are kept":
        return apply(find("lstm_gates"), tensor(2, 8), tensor(2, 2))[1]
    return paddle.add_n([x * 1.0, tensor(4, 4, trained=False), x * x]) if kind == "sum" else paddle.stack([x, x * x])


@compiled
@pytest.mark.parametrize("kind", ["one", "list", "several", "several that are kept", "sum", "repeated"])
def test_what_a_node_saved_is_connected_as_in_python(kind):
    edge = _made_of(kind)._edge
    node = getattr(edge, "node", edge)

    def connect(array, edge):
        value = paddle.Tensor.__new__(paddle.Tensor)
        value._array, value._edge = array, edge
        return value

    def seen(saved):
        return [seen(one) if isinstance(one, (list, tuple)) else (type(one), id(one._array), one._edge)
                if isinstance(one, paddle.Tensor) else (type(one), str(one)) for one in saved]

    assert seen(native.module.connected(node, paddle.Tensor)) == seen(node.connected(connect))


@compiled
def test_what_a_node_saved_is_connected_for_nodes_alone():
    freed = paddle.tanh(tensor(3))
    freed.sum().backward()
    for node, kind in ((object(), paddle.Tensor), (freed._edge, paddle.Tensor), (paddle.tanh(tensor(3))._edge, dict)):
        with pytest.raises(TypeError, match="connected"):
            native.module.connected(node, kind)


@pytest.mark.parametrize("graph", [False, True])
def test_gradients_meet_at_several_results_and_at_repeated_inputs(graph):
    x = tensor(4, 6)
    parts = paddle.split(x, 3, axis=1)
    joined = paddle.concat([parts[0], parts[2] * parts[0], parts[0]], axis=1)
    best, _ = paddle.topk(joined, 2)
    total = joined.sum() + (best * best).sum()
    [found] = paddle.grad(total, x, create_graph=graph)
    a, c = x.numpy()[:, :2], x.numpy()[:, 4:]
    values = np.concatenate([a, c * a, a], axis=1)
    g = np.ones_like(values)
    for row, places in enumerate(np.argsort(-values, axis=1, kind="stable")[:, :2]):
        g[row, places] += 2 * values[row, places]
    wanted = np.zeros((4, 6), "float32")
    wanted[:, :2] = g[:, :2] + g[:, 2:4] * c + g[:, 4:]
    wanted[:, 4:] = g[:, 2:4] * a
    np.testing.assert_allclose(found.numpy().sum(axis=1), wanted.sum(axis=1), rtol=1e-5)


def test_a_rule_that_gives_too_few_gradients_of_a_repeated_input_is_an_error(monkeypatch):
    op = find("stack")
    monkeypatch.setattr(op.gradient, "run", lambda gs, saved, attrs, wants: [[gs[0]]], raising=False)
    with pytest.raises(ValueError):
        paddle.stack([tensor(2), tensor(2, seed=1)]).sum().backward()


@compiled
def test_traces_around_the_eager_one_hand_on_to_the_compiled_form(monkeypatch):
    x = paddle.to_tensor(np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4), stop_gradient=False)
    w = paddle.to_tensor(np.linspace(0, 1, 8, dtype="float32").reshape(4, 2), stop_gradient=False)

    def computed():
        with paddle.amp.auto_cast(dtype="bfloat16"):
            y = paddle.matmul(x, w)
            z = paddle.nn.functional.softmax(y + 1.0)
        (z * z).sum().backward()
        found = [v.astype("float32").numpy().tobytes() for v in (y, z, x.grad, w.grad)]
        x.clear_grad(), w.clear_grad()
        return y.dtype, z.dtype, found

    with monkeypatch.context() as patched:
        patched.setattr(native, "module", None)
        wanted = computed()
    with monkeypatch.context() as patched:
        patched.setattr(type(EAGER), "apply", None)  # nothing here is left to Python
        assert computed() == wanted
    for wrong in ((), (EAGER, add_op, [x, x], {}), (EAGER, add_op, (x, x), None)):
        with pytest.raises(TypeError, match="a tuple of inputs and a dict"):
            native.module.apply_under(*wrong)
    with pytest.raises(ValueError, match="inner dimensions"), paddle.amp.auto_cast(dtype="bfloat16"):
        paddle.matmul(x, x)
