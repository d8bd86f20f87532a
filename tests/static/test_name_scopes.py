"""`name_scope`: the attribute `op_namescope` of operations, as Paddle has it."""

import threading

import proa as paddle
import pytest
from proa import fluid, static
from proa.static.ir import name_scopes


@pytest.fixture
def main():
    program, before = static.Program(), name_scopes._current.scope
    name_scopes._current.scope = name_scopes._Scope(name_scopes.OUTSIDE)
    with static.program_guard(program, static.Program()), paddle.utils.unique_name.guard():
        yield program
    name_scopes._current.scope = before


def paths(program):
    return [op.attr("op_namescope") for op in program.global_block().ops]


@pytest.mark.parametrize("name_scope", [fluid.name_scope, static.name_scope])
def test_the_second_scope_of_a_name_is_numbered(main, name_scope):
    with name_scope("s1"):
        y = static.data("x", [3]) + 1
        with name_scope("s2"):
            y = y * 2
        with name_scope("s2"):
            y = y * 2
    with name_scope("s1"):
        y = y - 2
    y = y - 2
    assert paths(main) == ["/s1/", "/s1/s2/", "/s1/s2_1/", "/s1_1/", "/"]


def test_results_and_gradients_are_those_without_scopes(main):
    x = static.data("x", [3])
    x.stop_gradient = False
    with static.name_scope("s"):
        loss = (x * x).sum()
        [gradient] = static.gradients(loss, x)
    assert all(("op_namescope" in op.attrs) is not op._is_backward_op() for op in main.global_block().ops)
    [found] = static.Executor().run(main, feed={"x": [1.0, 2.0, 3.0]}, fetch_list=[gradient])
    assert found.tolist() == [2.0, 4.0, 6.0]


def test_operations_appended_by_hand_have_it(main):
    block = main.global_block()
    x, out = static.data("x", [3]), block.create_var(name="out", shape=[3], dtype="float32")
    with static.name_scope("s"):
        block.append_op(type="relu", inputs={"X": [x]}, outputs={"Out": [out]})
    assert paths(main) == ["/s/"]
    assert paths(static.Program.parse_from_string(main.desc.serialize_to_string())) == ["/s/"]


def test_each_thread_has_scopes_of_its_own(main):
    found = []
    with static.name_scope("s"):
        thread = threading.Thread(target=lambda: found.append(name_scopes.current_path()))
        thread.start()
        thread.join()
    assert found == ["/"]


def test_an_empty_name_is_told(main):
    with pytest.raises(ValueError, match=r"name_scope\(prefix\): must be a text"), static.name_scope():
        pass
