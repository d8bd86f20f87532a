"""What is done to a written ONNX file before it is given: each name once, and each before it is read."""

import pytest
from proa.interchange.onnx_graph import finished
from proa.interchange.onnx_messages import Model


def _graph(graph, inputs, outputs, *nodes):
    for name in inputs:
        graph.input.add(name=name)
    for kind, read, given in nodes:
        graph.node.add(op_type=kind, input=read, output=given)
    for name in outputs:
        graph.output.add(name=name)
    return graph


def _finished(model):
    result = Model()
    result.ParseFromString(finished(model.SerializeToString(), lambda name: f"the operator that makes {name!r}"))
    return result.graph


def test_a_sound_graph_stays_as_it_is():
    model = Model()
    _graph(model.graph, ["x"], ["y"], ("Relu", ["x"], ["a"]), ("Clip", ["a", "", "x"], ["y", ""]))
    assert _finished(model) == model.graph


@pytest.mark.parametrize(("nodes", "outputs", "said"), [
    ([("Relu", ["b"], ["a"]), ("Exp", ["x"], ["b"])], ["a"], "its node Relu reads 'b'.*the operator that makes 'b'"),
    ([("Relu", ["x"], ["a"])], ["c"], "the result of a graph reads 'c'"),
])
def test_what_nothing_gives_is_an_error(nodes, outputs, said):
    model = Model()
    _graph(model.graph, ["x"], outputs, *nodes)
    with pytest.raises(NotImplementedError, match=said):
        _finished(model)


def test_inner_graphs_read_what_is_around_them_before_their_node():
    model = Model()
    graph = _graph(model.graph, ["x"], ["r"], ("If", ["x"], ["r"]))
    inner = graph.node[0].attribute.add(name="then_branch").g
    _graph(inner, [], ["a"], ("Relu", ["x"], ["a"]))
    assert _finished(model) == model.graph
    inner.node[0].input[:] = ["r"]
    with pytest.raises(NotImplementedError, match="its node Relu reads 'r'"):
        _finished(model)


def test_names_that_are_given_twice_are_told_apart():
    model = Model()
    graph = _graph(model.graph, ["x"], ["s"], ("Relu", ["x"], ["s"]), ("Loop", ["s"], ["s"]))
    inner = graph.node[1].attribute.add(name="body").g
    _graph(inner, ["s"], ["s"], ("Exp", ["s"], ["t"]), ("Exp", ["t"], ["s"]))
    graph.node.add(op_type="Abs", input=["s"], output=["x"])
    result = _finished(model)
    body = result.node[1].attribute[0].g
    assert [value.name for value in body.input] == ["s@2"]
    assert [(list(node.input), list(node.output)) for node in body.node] == [(["s@2"], ["t"]), (["t"], ["s@3"])]
    assert [value.name for value in body.output] == ["s@3"]
    assert [(list(node.input), list(node.output)) for node in result.node] == [
        (["x"], ["s@1"]), (["s@1"], ["s"]), (["s"], ["x@1"])]
    assert [value.name for value in result.output] == ["s"]
