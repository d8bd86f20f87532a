"""Python in a Program: py_func, Print, and gradients of the user's own."""

import numpy as np
import proa as paddle
import pytest
from proa import static

ONES = np.ones((1, 3), "float32")


def run(main, fetch, x=ONES):
    return static.Executor().run(main, feed={"x": x}, fetch_list=fetch)


def variable(shape=(-1, 3), name=None):
    return static.default_main_program().current_block().create_var(name, shape, "float32")


def test_py_func_and_its_gradient(programs):
    main, _ = programs
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    seen = []

    def backward(x, y, dy):
        seen.append((type(x), x.shape, y.shape))
        return dy * (1 - y * y)

    y = static.py_func(np.tanh, x, variable(), backward)
    [g] = static.gradients(y, x)
    out, gradient = run(main, [y, g])
    np.testing.assert_allclose(out, np.tanh(ONES), rtol=1e-6)
    np.testing.assert_allclose(gradient, 1 - np.tanh(ONES) ** 2, rtol=1e-6)
    assert seen == [(np.ndarray, (1, 3), (1, 3))]


def test_py_func_without_some_inputs_in_its_gradient(programs):
    main, _ = programs
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    y = static.py_func(lambda x: [x * 2, x + 1], x, outs := [variable(), variable()],
                       lambda y, z, dy, dz: dy * 2 + dz, skip_vars_in_backward_input=x)
    assert y is outs
    [g] = static.gradients([y[0] * 3.0, y[1]], x)
    np.testing.assert_allclose(run(main, [g])[0], ONES * 7)


def test_py_func_runs_for_its_effect_and_stops_gradients(programs):
    main, _ = programs
    x = static.data("x", [None, 3])
    seen = []
    static.py_func(seen.append, x, None)
    assert static.py_func(lambda x: x, x, variable()).stop_gradient
    run(main, [])
    assert len(seen) == 1


def test_py_func_errors(programs):
    main, _ = programs
    x = static.data("x", [None, 3])
    with pytest.raises(TypeError, match="func"):
        static.py_func(3, x, variable())
    with pytest.raises(TypeError, match=r"py_func\(x\)"):
        static.py_func(np.tanh, ONES, variable())
    with pytest.raises(ValueError, match="neither in x nor in out"):
        static.py_func(np.tanh, x, variable(), np.tanh, skip_vars_in_backward_input="nothing")
    y = static.py_func(lambda x: (x, x), x, variable())
    with pytest.raises(ValueError, match="must give 1 values"):
        run(main, [y])
    main.global_block().ops[-1].attrs["forward_callable_id"] = 10**6
    with pytest.raises(RuntimeError, match="the process that built it"):
        static.deserialize_program(static.serialize_program(x, y, program=main))
        main.version += 1
        run(main, [y])


def test_print_by_phase_and_count(programs, capsys):
    main, _ = programs
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    both = static.Print(x, message="both", print_tensor_name=False)
    forward = static.Print(x, message="forward", print_phase="forward", print_tensor_name=False)
    back = static.Print(x, message="back", print_phase="backward", print_tensor_name=False)
    few = static.Print(x, message="few of this test", first_n=2, print_phase="forward", print_tensor_name=False)
    [g] = static.gradients(both * 2.0 + forward + back * 3.0 + few, x)
    for _ in range(3):
        run(main, [g])
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("both shape=[1, 3]") for line in lines) == 3
    assert "both gradient shape=[1, 3] dtype=float32 [[2.0, 2.0, 2.0]]" in lines
    assert "back gradient shape=[1, 3] dtype=float32 [[3.0, 3.0, 3.0]]" in lines
    assert not any(line.startswith(("forward gradient", "back shape")) for line in lines)
    assert sum(line.startswith("few of this test") for line in lines) == 2
    with pytest.raises(ValueError, match="print_phase"):
        static.Print(x, print_phase="never")


def test_pylayer_has_the_gradient_it_is_given(programs):
    main, _ = programs
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    y, z = static.nn.static_pylayer(lambda a, b: (a * b, a + b), [x, x * 2.0], lambda dy, dz: (dy * 10.0, dz * 100.0))
    [g] = static.gradients([y, z], x)
    [second] = static.gradients(g * x, x)
    out, found, slope = run(main, [y, g, second])
    np.testing.assert_allclose(out, ONES * 2)
    np.testing.assert_allclose(found, ONES * 210)
    np.testing.assert_allclose(slope, ONES * 210)
    saved = static.normalize_program(main, [x], [y])
    written = static.deserialize_program(static.serialize_program([x], [y], program=main))
    again = [op.type for op in written.global_block().ops]
    assert [op.type for op in saved.global_block().ops] == again and "custom_gradient" in again
    assert "custom_gradient" not in {op.type for op in saved.clone(for_test=True).global_block().ops}
    assert static.nn.static_pylayer(lambda a: a * 2.0, [x]).stop_gradient


def test_pylayer_errors(programs):
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    with pytest.raises(TypeError, match="forward_fn"):
        static.nn.static_pylayer(None, [x])
    with pytest.raises(TypeError, match="inputs"):
        static.nn.static_pylayer(lambda a: a, [ONES])
    y = static.nn.static_pylayer(lambda a: a, [x], lambda g: (g, g))
    with pytest.raises(ValueError, match="as many gradients"):
        static.gradients(y, x)
    with paddle.ops.core.trace.using(paddle.dygraph.eager.EAGER), pytest.raises(RuntimeError, match="autograd.PyLayer"):
        static.nn.static_pylayer(lambda a: a, [paddle.ones([1])])
