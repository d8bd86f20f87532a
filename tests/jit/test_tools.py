"""The tools around `to_static`: what it shows of a function, what it logs, its switches, TracedLayer, dy2static."""

import copy
import logging
import os

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.jit.errors import ConversionError
from proa.static import InputSpec


def ones(*shape):
    return paddle.ones(list(shape))


def test_what_a_static_function_shows():
    def shown(x, *, scale=1.0):
        """Doc."""
        if x.sum() > 0:
            x = x * scale
        return x, x + 1

    f = paddle.jit.to_static(shown, input_spec=[InputSpec([None, 2], "float32", "x")])
    assert f.code.startswith("def shown(x, *, scale=1.0):") and "if_stmt" in f.code
    assert (f.__name__, f.__doc__) == ("shown", "Doc.") and f.dygraph_function is shown
    assert [v.name for v in f.inputs] == ["x"] and len(f.outputs) == 2
    assert f.main_program is f.concrete_program.main_program
    assert f.concrete_program.main_program.global_block().var("x").shape == (-1, 2)
    assert f.get_traced_count() == 1 == len(f.program_cache)
    f(ones(3, 2), scale=2.0)
    assert f.get_traced_count() == 2
    concrete, runs = f.get_concrete_program(ones(3, 2), scale=2.0)
    assert f.get_concrete_program(ones(4, 2), scale=2.0) == (concrete, runs)
    assert runs([ones(3, 2)])[0].tolist() == [[2.0, 2.0]] * 3
    assert f.function_spec.name.endswith("shown")
    assert f.rollback() is shown and "to_static" in repr(f)


def test_rollback_of_a_layer():
    net = paddle.jit.to_static(nn.Sequential(nn.Linear(2, 2)))
    converted = net.forward
    assert converted.rollback().__self__ is net and not isinstance(net.forward, paddle.jit.StaticFunction)
    net.forward = paddle.jit.to_static(net.forward)
    assert net(ones(1, 2)).shape == [1, 2]


def test_arguments_of_to_static_are_honoured_or_refused():
    for wrong, kind, message in (
            ({"backend": "X"}, ValueError, "backend"), ({"backend": "CINN"}, NotImplementedError, "no CINN"),
            ({"build_strategy": 3}, TypeError, "BuildStrategy"), ({"full_graph": 3}, TypeError, "True or False"),
            ({"what": 3}, TypeError, "unexpected arguments"), ({"input_spec": 3}, TypeError, "list or tuple")):
        with pytest.raises(kind, match=message):
            paddle.jit.to_static(lambda x: x, **wrong)
    for target in (3, nn.Linear, staticmethod(len)):
        with pytest.raises(TypeError, match="function, a method or a Layer"):
            paddle.jit.to_static(target)


def test_switches():
    def double(x):
        kinds.append(type(x).__name__)
        return x * 2

    kinds = []
    f = paddle.jit.to_static(double)
    translator = paddle.jit.ProgramTranslator()
    assert translator is paddle.jit.ProgramTranslator.get_instance() and translator.enable_to_static
    try:
        for off in (lambda: paddle.jit.enable_to_static(False), lambda: translator.enable(False)):
            off()
            assert not translator.enable_to_static
            f(ones(1))
            paddle.jit.ProgramTranslator.reset()
    finally:
        paddle.jit.enable_to_static(True)
    assert translator.enable_to_static and kinds == ["Tensor", "Tensor"]
    f(ones(1))
    assert kinds[2:] == ["Tensor"] and f.get_traced_count() == 1  # as the user wrote it, and once, for the Program


def test_program_translator_shows_functions():
    translator = paddle.jit.ProgramTranslator()

    def function(x):
        return x * 2 if x.sum() > 0 else x

    assert "if_exp" in translator.get_code(function)
    assert isinstance(translator.get_func(function), paddle.jit.StaticFunction)
    assert translator.get_output(function, ones(1)).item() == 2.0


@pytest.fixture
def quiet_again():
    yield
    paddle.jit.set_verbosity(0)
    paddle.jit.set_code_level(0)


def test_code_is_shown(capsys, quiet_again):
    paddle.jit.set_code_level(also_to_stdout=True)

    def shown(x):
        return x * 2 if x.sum() > 0 else x

    paddle.jit.to_static(shown)(ones(1))
    out, err = capsys.readouterr()
    for text in (out, err):
        assert f'File "{__file__}", line {shown.__code__.co_firstlineno}, in shown' in text
        assert "def shown(x):" in text and "if_exp" in text
    paddle.jit.set_code_level(0)

    def silent(x):
        return x

    paddle.jit.to_static(silent)(ones(1))
    assert capsys.readouterr() == ("", "")


def test_verbosity(capsys, quiet_again):
    def make(source):
        space = {"paddle": paddle}
        exec(source, space)
        return space

    helper = make("def helper(x):\n    return x + 1")["helper"]

    def told(x):
        return helper(x)

    def told_more(x):
        return helper(x)

    paddle.jit.set_verbosity(1)
    paddle.jit.to_static(told)(ones(1))
    text = capsys.readouterr().err
    assert f'converted: File "{__file__}", line {told.__code__.co_firstlineno}, in told' in text
    assert "helper" not in text
    paddle.jit.set_verbosity(2)
    paddle.jit.to_static(told_more)(ones(1))
    text = capsys.readouterr().err
    assert 'called as it is: File "<string>", line 1, in helper: there is no source' in text
    paddle.jit.set_verbosity(None)
    assert paddle.jit.dy2static.logging_utils.get_verbosity() == 0
    for function in (paddle.jit.set_verbosity, paddle.jit.set_code_level):
        function(None)
        with pytest.raises(TypeError, match="must be an int"):
            function("all")


def test_logging_can_be_directed(quiet_again):
    records = []

    class Collecting(logging.Handler):
        def emit(self, record):
            records.append(record.getMessage())

    handler = Collecting()
    logging.getLogger("proa.jit").addHandler(handler)
    try:
        paddle.jit.set_verbosity(1)

        def directed(x):
            return x

        paddle.jit.to_static(directed)(ones(1))
    finally:
        logging.getLogger("proa.jit").removeHandler(handler)
    assert any("in directed" in message for message in records)


# TracedLayer

class Gate(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)

    def forward(self, x, y):
        if x.sum() > 0:
            x = x * 2
        return self.fc(x), y + 1


def test_traced_layer(tmp_path):
    net = Gate()
    out, traced = paddle.jit.TracedLayer.trace(net, inputs=[ones(1, 2), ones(2)])
    results = traced([ones(1, 2), ones(2)])
    assert isinstance(results, list) and isinstance(out, tuple)
    for a, b in zip(out, results, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
    for x in (-ones(1, 2), ones(1, 2)):
        np.testing.assert_allclose(traced([x, ones(2)])[0].numpy(), net(x, ones(2))[0].numpy(), rtol=1e-6)
        net.fc.weight.set_value(net.fc.weight.numpy() * 2)
    assert isinstance(traced.program, paddle.static.Program)
    traced.set_strategy()
    prefix = str(tmp_path / "gate")
    traced.save_inference_model(prefix, feed=[0], fetch=[0])
    loaded = paddle.jit.load(prefix)(ones(1, 2))
    np.testing.assert_allclose(loaded.numpy(), net(ones(1, 2), ones(2))[0].numpy(), rtol=1e-6)


SOURCELESS = """
class Net(Layer):
    def forward(self, x):
        y = x * 2 if x.shape[0] > 1 else x
        return y + 1
class Asking(Layer):
    def forward(self, x):
        return x if x.sum() > 0 else -x
"""


def test_a_layer_without_source_is_traced_as_it_was_written(tmp_path):
    made = {"Layer": nn.Layer}
    exec(SOURCELESS, made)
    out, traced = paddle.jit.TracedLayer.trace(made["Net"](), ones(2, 1))
    assert out.tolist() == traced([ones(2, 1)])[0].tolist() == [[3.0], [3.0]]
    traced.save_inference_model(str(tmp_path / "net"))
    assert paddle.jit.load(str(tmp_path / "net"))(ones(2, 1)).tolist() == [[3.0], [3.0]]
    with pytest.raises(TypeError, match="has no value while the Program is being built"):
        paddle.jit.TracedLayer.trace(made["Asking"](), ones(2, 1))


def test_traced_layer_refuses():
    with pytest.raises(TypeError, match="must be a Layer"):
        paddle.jit.TracedLayer.trace(3, [ones(1)])
    with pytest.raises(TypeError, match="is made by"):
        paddle.jit.TracedLayer(paddle.static.Program())
    _, traced = paddle.jit.TracedLayer.trace(nn.Linear(2, 2), ones(1, 2))
    with pytest.raises(ValueError, match="takes 1 inputs"):
        traced([ones(1, 2), ones(1, 2)])
    with pytest.raises(ValueError, match="numbers from 0 to 0"):
        traced.save_inference_model("nowhere", fetch=[3])
    with pytest.raises(TypeError, match="BuildStrategy"):
        traced.set_strategy(3)

    class Unfit(nn.Layer):
        def forward(self, x):
            return x * sum(x.tolist())

    with pytest.raises(TypeError, match="has no value"):
        paddle.jit.TracedLayer.trace(Unfit(), [ones(1)])


# dy2static

def test_places_of_the_names():
    jit = paddle.jit
    assert jit.api.to_static is jit.to_static and jit.api.TracedLayer is jit.TracedLayer
    assert jit.dy2static.program_translator.ProgramTranslator is jit.ProgramTranslator
    assert jit.dy2static.convert_call_func.convert_call is jit.dy2static.convert_call is jit.dy2static.Call
    assert jit.dy2static.convert_operators.convert_ifelse is jit.dy2static.IfElse
    assert issubclass(ConversionError, jit.dy2static.utils.Dygraph2StaticException)
    assert jit.dy2static.utils.Dygraph2StaticException("why").args == ("why",)
    assert jit.dy2static.logging_utils.set_verbosity is jit.set_verbosity


def decorated(x):
    # a note
    text = "# none"  # another
    return text * x


def test_sources_and_what_decorators_hide():
    d = paddle.jit.dy2static
    marked = paddle.jit.to_static(decorated)
    wanted = 'def decorated(x):\n\n    text = "# none"\n    return text * x\n'
    assert d.utils.func_to_source_code(decorated) == wanted == d.utils.func_to_source_code(marked.dygraph_function)
    method = paddle.jit.TracedLayer.set_strategy
    assert d.utils.func_to_source_code(method, dedent=False).startswith("    def set_strategy(")
    assert d.utils.func_to_source_code(method).startswith("def set_strategy(")
    for wrong in (3, len):
        with pytest.raises(TypeError, match="must be a function or a method"):
            d.utils.func_to_source_code(wrong)
    assert d.utils.unwrap(marked) is decorated and d.utils.type_name(3) == "int"
    assert d.program_translator.unwrap_decorators(marked) == ([marked], decorated)
    assert d.program_translator.unwrap_decorators(decorated) == ([], decorated)


def left(x):
    if x.shape[0] > 1:
        x = x + 1
    return x


def test_the_code_of_what_is_left_as_it_is():
    assert paddle.jit.to_static(nn.functional.relu).code.startswith("def relu(")
    marked = paddle.jit.to_static(paddle.jit.not_to_static(left))
    assert "if x.shape[0] > 1:" in marked.code and marked(ones(2)).tolist() == [2.0, 2.0]


def test_branches_that_disagree_are_told_by_either_name():
    def returned(x):
        if x.sum() > 0:
            return x, x + 1
        return x

    for kind in (TypeError, paddle.jit.dy2static.utils.Dygraph2StaticException):
        with pytest.raises(kind, match="a tensor decides this `if`"):
            paddle.jit.to_static(returned, full_graph=True)(ones(1))


def test_specs_that_go_together():
    go = paddle.jit.dy2static.utils.input_specs_compatible
    assert go([InputSpec([None, 2]), 3], [InputSpec([3, 2]), 3]) and go([InputSpec([3])], [InputSpec([-1])])
    for other in ([InputSpec([4, 2])], [InputSpec([3])], [InputSpec([3, 2], "int64")], [3], []):
        assert not go([InputSpec([3, 2], "float32")], other)
    assert not go([3], [4]) and not go([1], [True])


def test_what_runs_a_program_and_the_tensors_of_a_layer():
    d = paddle.jit.dy2static
    f = paddle.jit.to_static(lambda x: nn.functional.dropout(x, 0.5) * 2, full_graph=True)
    found, runs = f.get_concrete_program(ones(2))
    assert isinstance(runs, d.partial_program.PartialProgramLayer)
    assert d.partial_program.partial_program_from(found) is runs
    assert found.program is found.train_program is found.main_program and found.kwargs["is_train"] is True
    assert found.infer_program.global_block().ops[0].attrs["is_test"] is True
    assert found.infer_program is found.infer_program is not found.train_program
    f.eval()
    assert f.get_concrete_program(ones(2))[1].program.global_block().ops[0].attrs["is_test"] is True
    norm = paddle.jit.to_static(nn.BatchNorm1D(2))
    norm.eval()
    norm(ones(1, 2))
    _, (_, runs) = norm.forward.program_cache.last()
    assert runs.program is runs.infer_program
    assert set(d.function_spec.get_parameters(norm)) == {p.name for p in norm.parameters()}
    norm.register_buffer("kept", ones(1))
    assert set(d.function_spec.get_buffers(norm)) == {norm.kept.name}
    assert d.function_spec.get_parameters(None) == {}


def by_hand(x):
    d = paddle.jit.dy2static
    y = x

    def get():
        return (y,)

    def put(values):
        nonlocal y
        (y,) = values

    def double():
        nonlocal y
        y = y * 2

    d.convert_ifelse(x.sum() > 1, double, lambda: None, get, put, ["y"])
    d.convert_while_loop(lambda: y.sum() < 10, double, get, put, ["y"])
    return y, d.convert_len(x), d.convert_logical_and(lambda: x.sum() > 0, lambda: x.sum() < 9)


def test_control_flow_by_hand():
    d = paddle.jit.dy2static
    marked = paddle.jit.to_static(full_graph=True)(by_hand)
    for value in (1.0, 3.0):
        for a, b in zip(by_hand(ones(1) * value), marked(ones(1) * value), strict=True):
            assert float(a) == float(b)
    assert d.convert_call(len)([1]) == 1 and d.convert_len([1, 2]) == 2
    assert d.convert_logical_or(lambda: 0, lambda: "x") == "x" and d.convert_logical_not(0) is True
    assert d.convert_var_dtype("3", "int") == 3 and list(d.convert_range(2)) == [0, 1]
    assert list(d.convert_zip([1], [2])) == [(1, 2)] and list(d.convert_enumerate("a")) == [(0, "a")]
    with pytest.raises(AssertionError, match="no"):
        d.convert_assert(False, "no")
    with pytest.raises(ValueError, match="'bool', 'int' or 'float'"):
        d.convert_var_dtype(1, "str")


def test_a_function_for_programs_that_are_written():
    from proa.fluid.dygraph import dygraph_to_static_func

    assert dygraph_to_static_func is paddle.jit.api.dygraph_to_static_func

    @dygraph_to_static_func
    def doubled_until(x):
        turns = 0
        while x.sum() < 10:
            x, turns = x * 2, turns + 1
        if turns > 2:
            x = x + 0.5
        return x, turns

    eager = [paddle.to_tensor(value).item() for value in doubled_until(paddle.full([1], 1.5))]
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            outputs = doubled_until(paddle.static.data("x", [1]))
            given = {"x": np.full([1], 1.5, "float32")}
            assert [a.item() for a in paddle.static.Executor().run(main, given, list(outputs))] == eager == [12.5, 3]
            paddle.jit.enable_to_static(False)
            with pytest.raises(TypeError, match="has no value"):
                doubled_until(paddle.static.data("y", [1]))
    finally:
        paddle.jit.enable_to_static(True)
        paddle.disable_static()


# Modes of functions

def test_a_function_has_modes_of_its_own():
    norm = nn.BatchNorm1D(2)

    @paddle.jit.to_static
    def dropped(x):
        return norm(nn.functional.dropout(x, 0.5))

    x = paddle.to_tensor([[1.0, 5.0], [3.0, 7.0]])
    dropped.eval()
    for _ in range(3):
        before = norm._mean.numpy()
        np.testing.assert_allclose(dropped(x).numpy(), (x / 1.00001 ** 0.5).numpy() - before, rtol=1e-4)
    assert before.tolist() == [0.0, 0.0]
    dropped.train()
    dropped(paddle.ones([64, 2]))
    assert norm._mean.abs().max() > 0


def test_a_method_has_the_mode_of_its_layer():
    net = paddle.jit.to_static(nn.Linear(2, 2))
    for change in (net.forward.train, net.forward.eval):
        with pytest.raises(RuntimeError, match="Call (train|eval)\\(\\) of the Layer"):
            change()


def test_what_a_function_tells_in_static_mode_only():
    f = paddle.jit.to_static(lambda x: x + 1, input_spec=[InputSpec([2])])
    paddle.enable_static()
    try:
        for name in ("concrete_program", "inputs", "outputs", "main_program"):
            with pytest.raises(RuntimeError, match="only available in dynamic mode"):
                getattr(f, name)
    finally:
        paddle.disable_static()


def test_arguments_that_a_function_does_not_take():
    f = paddle.jit.to_static(lambda x, a=1: x + a)
    for error in (TypeError, ValueError):
        with pytest.raises(error, match="unexpected keyword argument 'other'.*x, a=1"):
            f(ones(2), other=2)
        with pytest.raises(error, match="missing a required argument: 'x'"):
            f.get_concrete_program()


def test_program_cache_shows_the_last_call():
    double = paddle.jit.to_static(lambda x: x * 2, full_graph=True)
    with pytest.raises(AssertionError, match="no Program yet"):
        double.program_cache.last()
    for n in (2, 3, 2, 2):
        double(paddle.ones([n]))
    key, (concrete, runs) = double.program_cache.last()
    assert double.program_cache[key] is concrete is runs and concrete.inputs[0].shape == (2,)
    assert runs.training
    assert [made.inputs[0].shape for made in double.program_cache.concrete_programs()] == [(2,), (3,)]
    double.program_cache.clear()
    assert len(double.program_cache) == double.get_traced_count() == 0
    assert double(paddle.ones([3])).tolist() == [2, 2, 2] and len(double.program_cache) == 1


class Described(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.rate = paddle.nn.Linear(2, 2), 3

    @paddle.jit.to_static(full_graph=True)
    def forward(self, x):
        return self.fc(x) * self.frames()

    @paddle.jit.to_static(property=True)
    def frames(self):
        return self.rate

    @paddle.jit.to_static(property=True, full_graph=True)
    def names(self):
        return ["a", "b"]


def test_a_property_gives_a_value_and_is_not_saved(tmp_path):
    net = Described()
    assert net.frames() == 3 and net.names() == ["a", "b"]
    assert net.frames.is_property and not net.forward.is_property
    np.testing.assert_allclose(net(paddle.ones([1, 2])).numpy(), net.fc(paddle.ones([1, 2])).numpy() * 3, 1e-6)
    for ask in (lambda: net.frames.concrete_program, lambda: paddle.jit.save(net.frames, str(tmp_path / "frames"))):
        with pytest.raises(RuntimeError, match="test_tools.py.*property=True.*no Program"):
            ask()
    paddle.jit.save(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 2])])
    assert sorted(os.listdir(tmp_path)) == ["net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    assert not copy.deepcopy(net).frames.program_cache and copy.deepcopy(net).frames() == 3
    with pytest.raises(TypeError, match="property"):
        paddle.jit.to_static(lambda: 1, property="yes")


def test_a_method_that_its_class_decorates_is_rolled_back_for_the_object_alone():
    class Net(paddle.nn.Layer):
        @paddle.jit.to_static(full_graph=True)
        def forward(self, x):
            return x + 1

        @paddle.jit.to_static(full_graph=True)
        def doubled(self, x):
            return x * 2

    net, other = Net(), Net()
    kind = type(net.doubled)
    plain = net.doubled.rollback()
    assert not isinstance(net.doubled, kind) and isinstance(other.doubled, kind)
    assert net.doubled(paddle.ones([1])).item() == other.doubled(paddle.ones([1])).item() == 2.0
    assert plain(paddle.ones([1])).item() == 2.0
    net.forward.rollback()
    assert not isinstance(net.forward, kind) and net(paddle.ones([1])).item() == 2.0
