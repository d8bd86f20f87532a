"""One protocol of traces: what one has, all have, and a trace around another hands it on."""

import re

import numpy as np
import proa as paddle
import pytest
from package_files import package_files
from proa.amp.debugging import Watching
from proa.dygraph.eager import EAGER
from proa.ops.amp.autocast import AutocastTrace
from proa.ops.core.trace import ArrayTrace, Trace, current_trace, in_to_static_mode, using
from proa.ops.core.trace_around import TraceAround
from proa.static.building.layer_helper import LayerHelper
from proa.static.building.trace import ProgramTrace

OF_THE_CHAIN = {"bare", "uncast", "watched"}  # what a trace around another one answers for itself
OWN = {"device", "source", "seen", "serve",  # what a kind of trace has for itself and for who makes it
       "forget_names", "put_stops_back",
       "stops_at", "stops_from_here",  # what converted code asks of the trace that writes its Program
       "eager",  # what computes around the function that is traced
       "plain", "new", "of_gradient", "hook", "backward", "adds_up",  # what a value asks of the trace of its class
       "is_default",  # whether a Program's is that of the default ones
       "variable_class",  # of the variables that stand for its values while a function is traced
       "train_mode", "eval_mode"}  # what 1.x's tracer is told
ASKED = re.compile(r"(?:isinstance|getattr|hasattr)\((?:state\.trace|current_trace\(\)|trace)\b")


def _public(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


def _kinds(kind=Trace):
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


def test_no_trace_has_what_others_have_not():
    import proa.distributed.fleet
    import proa.jit.tracing.capture
    import proa.profiler.observed
    import proa.static.amp.rewriting

    assert {ProgramTrace, proa.jit.tracing.capture.CaptureTrace, proa.profiler.observed.ObservedTrace} <= set(_kinds())
    for kind in _kinds():
        if kind.__module__.startswith("proa."):
            assert _public(kind) - _public(Trace) - OWN == set(), kind


def test_a_trace_around_another_hands_everything_on():
    copied = {"computes", "captures", "is_default", "variables_are_true", "least_rank",
              "tensors_are_variables"}  # when it is made
    assert _public(Trace) - _public(TraceAround) - OF_THE_CHAIN == copied
    program = ProgramTrace(paddle.static.Program(), paddle.static.Program())
    program.role, program.captures = 2, True
    around = TraceAround(AutocastTrace(program, None))
    assert (around.computes, around.captures, around.role) == (False, True, 2)
    assert around.main is program.main and around.startup is program.startup and around.block is program.block
    with around.meant_for("gpu:1"):
        assert program.device == "gpu:1"
    assert program.device == ""


def test_no_module_asks_a_trace_what_it_is():
    files = list(package_files())
    found = [f"{path}: {line}" for path in files for line in path.read_text("utf-8").splitlines() if ASKED.search(line)]
    assert len(files) > 700 and found == []


@pytest.mark.parametrize("trace", [EAGER, ArrayTrace(np), TraceAround(EAGER)])
@pytest.mark.parametrize("what", ["main", "startup", "block"])
def test_where_no_program_is_written_there_is_none(trace, what):
    with pytest.raises(RuntimeError, match="computed at once here. Call paddle.enable_static"):
        getattr(trace, what)


def test_what_a_trace_cannot_do_it_says():
    arrays = ArrayTrace(np)
    with pytest.raises(NotImplementedError, match="ArrayTrace cannot update parameters"):
        arrays.updating()
    with pytest.raises(NotImplementedError, match="ArrayTrace cannot differentiate"):
        arrays.derivatives([], [], [], None, False)
    with pytest.raises(NotImplementedError, match="Trace cannot apply an operator"):
        Trace().apply((paddle.ones([1]) * 2).grad_fn or type("Op", (), {"type": "scale"}), (), {})


def test_eager_answers_of_what_programs_do():
    x = paddle.ones([1])
    assert EAGER.lift(x, "x") is x and EAGER.variable_of(x) is None and EAGER.writes(x, 1) is False
    assert EAGER.called(len) is len
    with EAGER.apart("nothing"), EAGER.meant_for("cpu"):
        EAGER.look_at(x)
    with pytest.raises(TypeError, match="can take the value of a Tensor. Received str"):
        x._rebind("text")


class _One(Watching):
    def seen(self, op, results):
        pass


class _Two(_One):
    pass


def test_traces_are_found_and_taken_away():
    casting = AutocastTrace(EAGER, None)
    chain = casting.watched(_One).watched(_Two)
    two = chain.find(_Two)
    assert chain.find(AutocastTrace) is chain and type(chain.inner) is _Two and type(two.inner) is _One
    assert chain.find(ProgramTrace) is None
    assert chain.without(two) is chain and chain.find(_Two) is None and type(chain.inner) is _One
    assert chain.without(chain.find(AutocastTrace)).inner is EAGER
    assert EAGER.without(casting) is EAGER and EAGER.find(ProgramTrace) is None


def test_converted_code_is_known_as_such_within_auto_cast():
    seen = []

    @paddle.jit.to_static
    def function(x):
        with paddle.amp.auto_cast():
            seen.append((in_to_static_mode(), current_trace().captures))
            return x * 2

    function(paddle.ones([2]))
    assert seen == [(True, True)]


def test_a_gradient_stopped_within_auto_cast_leaves_what_was_read_before():
    @paddle.jit.to_static
    def function(x):
        y = x * 1
        with paddle.amp.auto_cast(level="O1"):
            z = y * y
            y.stop_gradient = True
            return z + y * 2

    x = paddle.to_tensor([3.0], stop_gradient=False)
    function(x).backward()
    assert x.grad.item() == 6.0


def test_saved_tensors_hooks_leave_mixed_precision_on():
    x = paddle.ones([2, 2])
    with paddle.amp.auto_cast(), paddle.autograd.saved_tensors_hooks(lambda t: t, lambda t: t):
        assert paddle.matmul(x, x).dtype == paddle.float16


def test_layers_made_lazily_leave_mixed_precision_on():
    x = paddle.ones([2, 2])
    with paddle.amp.auto_cast(), paddle.LazyGuard():
        assert paddle.matmul(x, x).dtype == paddle.float16
        assert paddle.nn.Linear(2, 2).weight.dtype == paddle.float32


def test_hooks_of_one_program_are_not_those_of_another():
    seen = []
    programs = [paddle.static.Program() for _ in range(2)]
    for number, program in enumerate(programs):
        with paddle.static.program_guard(program):
            x = paddle.static.data(f"x{number}", [2])
            x.stop_gradient = False
            y = x * 2
            y.register_hook(lambda g, number=number: seen.append(number))
            paddle.static.gradients(y, x)
    assert seen == [0, 1]


def test_using_puts_any_trace_in_charge():
    program = paddle.static.Program()
    with using(TraceAround(ProgramTrace(program))):
        x = LayerHelper("x").create_variable_for_type_inference("float32", shape=[1])
    assert x.block.program is program
