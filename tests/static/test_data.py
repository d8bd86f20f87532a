"""`static.data`, `create_parameter` and `create_global_var`: a name stands for one variable."""

from contextlib import nullcontext

import numpy as np
import proa as paddle
import pytest
from proa import static
from trained_by_hand import fetched, weight


@pytest.mark.parametrize("shape, dtype", [([4, 3], "float32"), ([None, 3], "float32"), ([2, 3], "int64")])
def test_an_input_is_not_declared_as_another(programs, shape, dtype):
    static.data("x", [2, 3])
    with pytest.raises(ValueError, match="static.data.name.: the Program has a variable 'x' already"):
        static.data("x", shape, dtype)


def test_an_input_that_is_declared_again_is_the_same(programs):
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    assert static.data("x", (2, 3)) is x and x.stop_gradient


def test_a_parameter_is_not_declared_as_another(programs):
    weight("w", 1.0, (2, 3))
    for make in (lambda: weight("w", 1.0, (4, 3)), lambda: static.data("w", [2, 3]),
                 lambda: static.create_parameter([2, 3], "float64", name="w")):
        with pytest.raises(ValueError, match="the Program has a variable 'w' already: a value that is kept between"):
            make()
    static.data("x", [2, 3])
    with pytest.raises(ValueError, match="variable 'x' already: a value of one run"):
        weight("x", 1.0, (2, 3))
    with pytest.raises(ValueError, match="variable 'w' already"):
        static.create_global_var([3], 0.0, "float32", persistable=True, name="w")


def test_a_parameter_that_is_declared_again_is_shared(programs):
    first, second = weight("w", 1.0), weight("w", 2.0)
    assert np.concatenate(fetched([first, second])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("mode", ["eager", "static"])
def test_names_of_parameters(mode):
    """As PaddlePaddle calls them, so that files of values fit on both sides."""
    cases = [({"name": "a"}, "a"), ({}, "create_parameter_0.w_0"), ({"is_bias": True}, "create_parameter_1.b_0"),
             ({"name": "b", "attr": paddle.ParamAttr(learning_rate=0.1)}, "b.w_0"),
             ({"name": "b", "attr": paddle.ParamAttr(), "is_bias": True}, "b.b_0"),
             ({"name": "b", "attr": paddle.ParamAttr(name="c")}, "c")]
    program = static.program_guard(static.Program(), static.Program()) if mode == "static" else nullcontext()
    with paddle.utils.unique_name.guard(), program:
        names = [paddle.create_parameter([2], "float32", **given).name for given, _ in cases]
    assert names == [expected for _, expected in cases]


def test_what_is_computed_of_a_variable_goes_to_its_own_program():
    """As in 2.6.2, where operators of Python append to the Program that a variable is of, whichever is the default."""
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.program_guard(main, startup):
        y = static.data("x", [2]) * 2
    paddle.enable_static()
    try:
        made = [y + 1, 1 - y, y > 3, y.astype("int32"), -y, y[0], y.sum()]
        with static.program_guard(static.Program()):
            made += [y * y, y.T, y.detach(), y.cpu()]
    finally:
        paddle.disable_static()
    assert all(each.block.program is main for each in made)
    found = exe.run(main, feed={"x": np.array([1, 2], "float32")}, fetch_list=made)
    assert [each.tolist() for each in found] == [[3, 5], [-1, -3], [False, True], [2, 4], [-2, -4], 2, 6, [4, 16],
                                               [2, 4], [2, 4], [2, 4]]
