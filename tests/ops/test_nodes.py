"""The backward walk knows a node by the protocol of the base class alone."""

import numpy as np
import proa as paddle
import pytest
from proa.dygraph.py_layer import PyLayerNode
from proa.dygraph.recompute import RecomputeNode
from proa.jit.tracing.program_node import ProgramNode
from proa.ops.core.backward import Leaf, Node, Output, Walk
from proa.ops.core.operator_node import OperatorNode, SingleResultNode
from proa.static.autodiff.block_graph import ControlFlowNode
from proa.static.autodiff.recurrent import RecurrentNode


class Halves(Node):
    """Gives two halves of a value: what somebody may add without touching the walk."""

    __slots__ = ()

    @property
    def type(self):
        return "halves"

    @property
    def count(self):
        return 2

    def gradients(self, gs, saved):
        return [sum(g / 2 for g in gs if g is not None)]


def test_a_node_of_any_kind_is_walked():
    leaf = Leaf()
    node = Halves([leaf], ())
    roots = [(Output(node, 0), np.float32(3)), (Output(node, 1), np.float32(5))]
    found = Walk(lambda node: node.saved, True).run(roots)
    assert found == {leaf: 4.0}


def test_a_node_that_says_nothing_of_itself_is_refused():
    node = Node([Leaf()], ())
    for ask in (lambda: node.type, lambda: node.count, lambda: node.gradients([], ())):
        with pytest.raises(NotImplementedError):
            ask()
    assert list(node.kept_arrays()) == list(node.leaf_arrays()) == []


@pytest.mark.parametrize("kind", [OperatorNode, SingleResultNode, PyLayerNode, RecomputeNode, ProgramNode,
                                  ControlFlowNode, RecurrentNode])
def test_each_kind_says_what_it_is_called_and_has(kind):
    for name in ("type", "count", "gradients"):
        assert getattr(kind, name) is not getattr(Node, name)


def test_the_nodes_of_eager_code():
    x = paddle.ones([2, 2])
    x.stop_gradient = False
    assert type((x * 2).grad_fn) is SingleResultNode and (x * 2).grad_fn.type == "scale"
    values, _ = paddle.topk(x, 1)
    assert type(values.grad_fn) is OperatorNode and values.grad_fn.count == 2
    converted = paddle.jit.to_static(lambda x: (x * 2, x + 1))(x)[0].grad_fn
    assert (type(converted), converted.type, converted.count) == (ProgramNode, "run_program", 2)


def test_the_arrays_of_leaves_among_what_an_application_saved():
    x = paddle.ones([2])
    x.stop_gradient = False
    y = x * 2
    node = (y * x).grad_fn
    assert [a is x._array for a in node.leaf_arrays()] == [True]
    assert {id(a) for a in node.kept_arrays()} == {id(x._array), id(y._array)}
