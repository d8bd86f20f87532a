"""A second face: Tensors with methods of their own, run by the same engine beside the first."""

import threading

import numpy as np
import proa as paddle
import pytest
from proa.autograd import PyLayer
from proa.core.hooks import add_hook
from proa.core.place import CPUPlace
from proa.distributed.fleet.utils import recompute
from proa.dygraph.eager import EAGER, eager_trace
from proa.dygraph.parameter import EagerParameter
from proa.dygraph.tensor import Tensor
from proa.dygraph.value import EagerValue
from proa.ops.array import creation, full
from proa.ops.core.trace import state, using
from proa.ops.linalg import products as linalg
from proa.ops.math import elementwise, reduce, unary


class FlowTensor(EagerValue):
    """A value whose methods have other names, and none of Paddle's."""

    __slots__ = ()

    @property
    def requires_grad(self):
        return not self.stop_gradient

    @requires_grad.setter
    def requires_grad(self, value):
        self.stop_gradient = not value

    def mul(self, other):
        return elementwise.multiply(self, other)

    def relu_sum(self):
        return reduce.sum(elementwise.maximum(self, creation.zeros_like(self)))

    def add_(self, other):
        return self._rebind(elementwise.add(self._alias(), other))

    def to_host(self):
        return self._moved(CPUPlace())

    def keep_grad(self):
        self._retain_gradient()

    def backward(self):
        self._eager.backward([self], [None], False)

    def on_gradient(self, hook):
        add_hook(self._hooks(), self._eager.hook(hook))


class FlowParameter(FlowTensor, EagerParameter):
    """Its parameter."""

    __slots__ = ()


FLOW = eager_trace(FlowTensor, FlowParameter)


def _flow(*values):
    with using(FLOW):
        x = creation.to_tensor(list(values), "float32")
    x.requires_grad = True
    return x


def _all(kind, *values):
    return all(type(value) is kind for value in values)


def test_results_have_the_class_of_the_trace():
    with using(FLOW):
        x = _flow(1.0, -2.0)
        y = x.mul(x)
        parts = paddle.split(y, 2)
        values, places = paddle.topk(y, 1)
        assert _all(FlowTensor, x, y, *parts, values, places, y + 1, y > 0, y[0], -y, y.detach(), y.to_host())
        assert _all(FlowTensor, x.relu_sum(), full.full([2], 1.0), creation.assign(y), linalg.matmul(y, y))
        assert y.mul(y).tolist() == [1.0, 16.0]
        y.add_(y)
        assert type(y) is FlowTensor and y.tolist() == [2.0, 8.0]
    assert type(paddle.ones([1]) + 1) is Tensor


def test_gradients_have_the_class_of_what_they_are_of():
    x = _flow(1.0, 3.0)
    seen = []
    x.on_gradient(lambda g: seen.append(type(g)))
    x._edge.observers = {}
    add_hook(x._edge.observers, lambda: seen.append(type(x.grad * 2)))
    with using(FLOW):
        y = x.mul(x)
        y.keep_grad()
        y.on_gradient(lambda g: seen.append(type(g * 2)))
        loss = y.relu_sum()
    loss.backward()  # by whichever trace is in charge
    assert _all(FlowTensor, x.grad, y.grad) and x.grad.tolist() == [2.0, 6.0]
    assert seen == [FlowTensor] * 3
    x._edge.grad, x._edge.cleared = None, True
    assert type(x.grad) is FlowTensor


def test_a_face_has_the_methods_of_its_own_alone():
    x = _flow(1.0)
    for name in ("multiply", "reshape", "astype", "numel", "cpu", "clear_grad", "register_hook"):
        assert not hasattr(x, name)
    with using(FLOW):
        rows = paddle.nn.functional.embedding(paddle.to_tensor([1, 1]), _flow(1.0, 2.0)[:, None], sparse=True)
    assert type(rows) is FlowTensor
    table = _table()
    with using(FLOW):
        reduce.sum(paddle.nn.functional.embedding(paddle.to_tensor([1, 1]), table, sparse=True)).backward()
    assert isinstance(table.grad, FlowTensor) and table.grad.is_selected_rows()
    assert type(table.grad.merged_values()) is FlowTensor and not hasattr(table.grad, "clear_grad")


def _table():
    with using(FLOW):
        table = full.ones([3, 2])
    table.requires_grad = True
    return table


def test_gradients_of_gradients():
    x = _flow(2.0)
    with using(FLOW):
        [g] = paddle.grad(x.mul(x).mul(x), x, create_graph=True)
        [h] = paddle.grad(g, x)
    assert _all(FlowTensor, g, h) and h.tolist() == [12.0]


def test_layers_and_parameters():
    with using(FLOW):
        layer = paddle.nn.Linear(2, 2)
        out = unary.tanh(layer(full.ones([1, 2])))
        reduce.sum(out).backward()
        paddle.optimizer.Adam(0.1, parameters=layer.parameters()).step()
    assert _all(FlowParameter, layer.weight, layer.bias) and isinstance(layer.weight, EagerParameter)
    assert _all(FlowTensor, out, layer.weight.grad, layer.weight.detach())


def test_a_py_layer_and_a_recomputed_function():
    seen = []

    class Double(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            seen.append((type(g), type(ctx.saved_tensor()[0]), type(g * 2)))
            return g * 2

    x = _flow(1.0)
    with using(FLOW):
        y = Double.apply(x)
        z = recompute(lambda v: v.mul(v), y)
    z.backward()
    assert _all(FlowTensor, y, z, x.grad) and x.grad.tolist() == [8.0]
    assert seen == [(FlowTensor, FlowTensor, FlowTensor)]


def test_under_traces_around_it():
    x = _flow(1.0, 2.0)
    kept = []
    with using(FLOW), paddle.amp.auto_cast(), paddle.autograd.saved_tensors_hooks(
            lambda t: kept.append(type(t)) or t.numpy(), lambda a: paddle.to_tensor(a)):
        y = linalg.matmul(x, x)
    y.backward()
    assert type(y) is FlowTensor and set(kept) == {FlowTensor} and type(x.grad) is FlowTensor
    assert x.grad.tolist() == [2.0, 4.0]
    with using(FLOW), paddle.LazyGuard():
        weight = paddle.nn.Linear(2, 2).weight
        weight.initialize()
        assert type(weight) is FlowParameter and abs(weight).item(0) > 0


def test_a_converted_function():
    function = paddle.jit.to_static(lambda a, b: (a * b, a.sum()))
    x = _flow(1.0, 2.0)
    with using(FLOW):
        results = function(x, x.detach())
        reduce.sum(results[0]).backward()
    assert _all(FlowTensor, *results, x.grad)
    assert type(function(paddle.ones([2]), paddle.ones([2]))[0]) is Tensor


def test_both_at_once_in_two_threads():
    turns = threading.Barrier(2, timeout=100)
    found = {}

    def work(trace, kind):
        with using(trace):
            values = []
            for turn in range(20):
                turns.wait()
                x = full.ones([turn + 1])
                x.stop_gradient = False
                reduce.sum(x * x).backward()
                values += [x, x.grad]
            found[kind] = values

    threads = [threading.Thread(target=work, args=pair) for pair in ((FLOW, FlowTensor), (EAGER, Tensor))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _all(FlowTensor, *found[FlowTensor]) and _all(Tensor, *found[Tensor]) and len(found) == 2


def test_values_of_one_face_meet_the_other():
    x, y = _flow(2.0), paddle.to_tensor([5.0], stop_gradient=False)
    z = x * y
    with using(FLOW):
        w = x * y
    (z + w).backward()
    assert (type(z), type(w)) == (Tensor, FlowTensor)
    assert (type(x.grad), type(y.grad)) == (FlowTensor, Tensor)
    np.testing.assert_allclose([x.grad.item(), y.grad.item()], [10.0, 4.0])


def test_the_face_in_charge_is_put_back():
    with pytest.raises(KeyError), using(FLOW):
        raise KeyError
    assert state.trace is EAGER
