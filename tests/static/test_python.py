"""Python in a Program: py_func, Print, and gradients of the user's own."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.static.run.lod_tensor import LoDTensor

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
    with pytest.raises(TypeError, match=r"py_func\(skip_vars_in_backward_input\): must be a Variable"):
        static.py_func(np.tanh, x, variable(), np.tanh, skip_vars_in_backward_input=3)
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


def lengthened(x):
    """Each sequence with its first row once more; how long they were."""
    rows = [np.concatenate([x[a:b], x[a:a + 1]]) for a, b in zip(x.lod()[0][:-1], x.lod()[0][1:], strict=True)]
    made = LoDTensor()
    made.set(np.concatenate(rows), paddle.CPUPlace())
    made.set_recursive_sequence_lengths([[len(row) for row in rows]])
    return made, np.array(x.recursive_sequence_lengths()[0])


@pytest.mark.parametrize("copied", [False, True])
def test_a_function_on_sequences(copied):  # numbers are PaddlePaddle 1.8.5's
    main, exe = static.Program(), static.Executor()
    with static.program_guard(main):
        x = static.data("x", [None, 2], lod_level=1)
        y = main.current_block().create_var("y", [-1, 2], "float32", lod_level=1)
        lengths = main.current_block().create_var("lengths", [-1], "int64")
        static.py_func(lengthened, x * 2.0, [y, lengths])
        total = static.nn.sequence_pool(y, "sum")
    fed = LoDTensor(np.arange(6, dtype="float32").reshape(3, 2), [[0, 1, 3]])
    found = exe.run(main.clone(for_test=True) if copied else main, feed={"x": fed}, fetch_list=[y, lengths, total],
                    return_numpy=False)
    assert found[0].lod() == [[0, 2, 5]] and np.array(found[1]).tolist() == [1, 2]
    assert np.array(found[2]).tolist() == [[0, 4], [16, 22]]


def test_a_function_that_gives_no_sequences_where_they_were_declared():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2], lod_level=1)
        y = main.current_block().create_var("y", [-1, 2], "float32", lod_level=1)
        static.py_func(lambda array: array + 1, x, y)
    fed = LoDTensor(np.zeros((3, 2), "float32"), [[0, 1, 3]])
    with pytest.raises(ValueError, match="result 0 of <lambda> was made with lod_level=1, and must be a LoDTensor"):
        static.Executor().run(main, feed={"x": fed}, fetch_list=[y])


def test_a_file_holds_no_offsets_for_a_function():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2], lod_level=1)
        y = main.current_block().create_var("y", [-1], "int64")
        static.py_func(lambda array: np.array(array.recursive_sequence_lengths()[0]), x, y)
    read = static.Program.parse_from_string(main.serialized())
    fed = LoDTensor(np.zeros((3, 2), "float32"), [[0, 1, 3]])
    assert static.Executor().run(main, feed={"x": fed}, fetch_list=[y])[0].tolist() == [1, 2]
    with pytest.raises(ValueError, match="a file, or a copy for sequences of other levels, has none"):
        static.Executor().run(read, feed={"x": fed}, fetch_list=["y"])
