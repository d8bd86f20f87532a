"""IrGraph: nodes of operations and values, as passes of users' own walk and change them."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.base import core
from proa.base.framework import IrGraph, IrOpNode, IrVarNode


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.fixture
def net(static_mode, programs):
    """relu(x @ w + b), its Program and what runs it."""
    x = static.data("x", [None, 3])
    y = static.nn.fc(x, 2, activation="relu", name="layer",
                     weight_attr=paddle.nn.initializer.Constant(0.5), bias_attr=paddle.nn.initializer.Constant(-1.0))
    exe = static.Executor()
    exe.run(programs[1])
    return programs[0], y, exe


def _graph(main, for_test=True):
    return IrGraph(core.Graph(main.desc), for_test=for_test)


def _op(graph, kind):
    return next(node for node in graph.all_op_nodes() if node.name() == kind)


def _var(graph, name):
    return next(node for node in graph.all_var_nodes() if node.name() == name)


def _run(exe, program, y, x=None):
    feed = {"x": np.full((1, 3), 2.0, "float32") if x is None else x}
    return exe.run(program, feed=feed, fetch_list=[y.name])[0].tolist()


def _scaled(graph, old, name="twice"):
    """The value of another node times 2, with its links."""
    made = graph.create_var_node(name, old.type(), old.shape(), old.dtype())
    scale = graph.create_op_node("scale", {"scale": 2.0}, {"X": old}, {"Out": [made]})
    graph.link_to(old, scale)
    graph.link_to(scale, made)
    return made


def test_what_nodes_tell(net):
    graph = _graph(net[0])
    assert sorted(node.name() for node in graph.all_op_nodes()) == ["elementwise_add", "mul", "relu"]
    assert {node.name() for node in graph.all_persistable_nodes()} == {"layer.w_0", "layer.b_0"}
    assert len(graph.all_nodes()) == 3 + len(graph.all_var_nodes())
    mul, x = _op(graph, "mul"), _var(graph, "x")
    assert isinstance(mul, IrOpNode) and isinstance(x, IrVarNode)
    assert mul.node_type() is core.Node.Type.Operation and x.node_type() is core.Node.Type.Variable
    assert [node.name() for node in mul.inputs] == mul.input_arg_names() == ["x", "layer.w_0"]
    assert mul.input("X") == ["x"] and mul.op().type() == "mul" and mul.is_op() and not mul.is_var()
    assert x.shape() == [-1, 3] and x.dtype() == paddle.float32 and not x.persistable() and x.var().name() == "x"
    assert x.outputs == [mul] and x.inputs == [] and x.node.id() == x.id() != mul.id()
    assert [node.name() for node in graph.topology_sort()] == ["mul", "elementwise_add", "relu"]
    assert graph.build_adjacency_list()[_op(graph, "relu")] == {_op(graph, "elementwise_add")}
    assert graph.graph_num() == 1 and not graph.has_circle()


def test_an_operation_put_in_between_stands_before_its_reader(net):
    main, y, exe = net
    graph = _graph(main)
    x, mul = _var(graph, "x"), _op(graph, "mul")
    graph.update_input_link(x, _scaled(graph, x), mul)
    changed = graph.to_program()
    assert [op.type for op in changed.global_block().ops] == ["scale", "mul", "elementwise_add", "relu"]
    assert _run(exe, main, y) == [[2.0, 2.0]] and _run(exe, changed, y) == [[5.0, 5.0]]


def test_nodes_taken_away_with_their_variable(net):
    main, y, exe = net
    graph = _graph(main)
    relu = _op(graph, "relu")
    before, behind = relu.inputs[0], relu.outputs[0]
    graph.safe_remove_nodes([relu, behind])
    changed = graph.to_program()
    assert [op.type for op in changed.global_block().ops] == ["mul", "elementwise_add"]
    assert not changed.global_block().has_var(y.name) and before.outputs == []
    assert _run(exe, changed, changed.global_block().var(before.name()), np.zeros((1, 3), "float32")) == [[-1.0, -1.0]]
    with pytest.raises(ValueError, match="must be of this graph"):
        graph.safe_remove_nodes(relu)


def test_a_weight_is_put_in_the_place_of_another(net):
    main, y, exe = net
    graph = _graph(main)
    w, mul = _var(graph, "layer.w_0"), _op(graph, "mul")
    other = graph.create_persistable_node("other", w.type(), w.shape(), w.dtype())
    static.global_scope().var("other").get_tensor().set(np.ones((3, 2), "float32"), paddle.CPUPlace())
    graph.update_input_link(w, other, mul)
    graph.safe_remove_nodes(w)
    changed = graph.to_program()
    assert changed.global_block().has_var("other") and not changed.global_block().has_var("layer.w_0")
    assert _run(exe, changed, y) == [[5.0, 5.0]]


def test_a_result_is_written_elsewhere(net):
    main, y, exe = net
    graph = _graph(main)
    add, relu = _op(graph, "elementwise_add"), _op(graph, "relu")
    old = add.outputs[0]
    new = graph.create_var_node("sum", old.type(), old.shape(), old.dtype())
    graph.update_output_link(old, new, add)
    graph.update_input_link(old, new, relu)
    assert add.output("Out") == ["sum"] and relu.input_arg_names() == ["sum"]
    assert _run(exe, graph.to_program(), y) == [[2.0, 2.0]]


def test_what_reads_a_parameter_stands_before_its_update(programs):
    """A value that is written again has two nodes; a late reader of the first stands before what overwrites it."""
    loss = static.nn.fc(static.data("x", [1, 1]), 1, bias_attr=False, name="layer",
                        weight_attr=paddle.nn.initializer.Constant(3.0)).sum()
    paddle.optimizer.SGD(1.0).minimize(loss)
    exe = static.Executor()
    exe.run(programs[1])
    graph = _graph(programs[0], for_test=False)
    first, second = sorted((n for n in graph.all_var_nodes() if n.name() == "layer.w_0"), key=lambda n: n.id())
    assert [node.name() for node in second.inputs] == ["sgd"] and first.inputs == []
    _scaled(graph, first)
    changed = graph.to_program()
    assert [op.type for op in changed.global_block().ops][-2:] == ["scale", "sgd"]
    twice = exe.run(changed, feed={"x": np.ones((1, 1), "float32")}, fetch_list=["twice"])[0]
    assert twice.tolist() == [[6.0]]


def test_links_in_a_circle_are_refused(net):
    graph = _graph(net[0])
    link = graph.create_control_dep_var()
    assert link.is_ctrl_var() and link.var() is None
    graph.link_to(_op(graph, "relu"), link)
    graph.link_to(link, _op(graph, "mul"))
    assert graph.has_circle()
    with pytest.raises(ValueError, match="go in a circle"):
        graph.to_program()


def test_attributes_types_and_names(net):
    graph = _graph(net[0])
    relu = _op(graph, "relu")
    relu.set_type("tanh")
    relu.set_attr("mine", 3)
    assert relu.name() == "tanh" and relu.op().attr("mine") == 3
    relu.rename_input(relu.input("X")[0], "x")
    assert relu.input_arg_names() == ["x"]
    assert graph._find_node_by_name(graph.all_var_nodes(), "x").name() == "x"
    with pytest.raises(ValueError, match="No node has the name 'none'"):
        graph._find_node_by_name(graph.all_var_nodes(), "none")
    with pytest.raises(ValueError, match="has the slots"):
        graph.create_op_node("relu", {}, {"Y": _var(graph, "x")}, {})


def test_passes_and_nodes_take_turns(net):
    main, y, exe = net
    graph = _graph(main)
    scope = static.global_scope()
    x, mul = _var(graph, "x"), _op(graph, "mul")
    graph.update_input_link(x, _scaled(graph, x), mul)
    static.quantization.QuantizationTransformPass(scope=scope, activation_quantize_type="abs_max").apply(graph)
    (shown,) = [n for n in graph.all_op_nodes() if "twice" in n.input_arg_names()]
    assert shown.name() == "fake_quantize_dequantize_abs_max" and shown in graph.topology_sort()
    assert abs(_run(exe, graph.to_program(), y)[0][0] - 5.0) < 0.1
    assert {n.name() for n in graph.clone().all_op_nodes()} == {n.name() for n in graph.all_op_nodes()}


def test_a_graph_for_each_block(programs):
    x = static.data("x", [2, 2])
    static.nn.cond(x.sum() > 0, lambda: paddle.matmul(x, x), lambda: x - 1.0)
    graph = _graph(programs[0])
    parts = graph.all_sub_graphs()
    assert [{n.name() for n in part.all_op_nodes()} >= {kind} for part, kind in
            zip(parts, ("conditional_block", "matmul_v2"), strict=False)] == [True, True]
    (product,) = [n for part in parts for n in part.all_op_nodes() if n.name() == "matmul_v2"]
    product.set_attr("trans_x", True)
    (op,) = [op for block in graph.to_program().blocks for op in block.ops if op.type == "matmul_v2"]
    assert op.attr("trans_x") is True
    with pytest.raises(IndexError, match="blocks"):
        graph.get_sub_graph(9)


def test_drawn(net, tmp_path, monkeypatch):
    graph = _graph(net[0])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="Graphviz"):
        graph.draw(str(tmp_path / "pictures"), "net", marked_nodes={_op(graph, "relu")})
    text = (tmp_path / "pictures" / "net.dot").read_text()
    assert text.count("->") == 8 and text.count("yellow") == 1
