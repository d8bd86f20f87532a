"""The choice of kernels: by dtype and size, by engines that are turned on and off, and of engines from outside."""

import sys
import threading

import numpy as np
import proa as paddle
import pytest
from proa.backend import engines
from proa.backend.engines import LOOPS
from proa.core.dtype import float16, float32, int64
from proa.core.flags import flags_guard, get_flag, set_flags
from proa.ops.core import native
from proa.ops.core.infer import same
from proa.ops.core.kernels import by, register_kernel
from proa.ops.core.operator import find, is_declared, operator
from proa.ops.core.spec import Spec
from proa.ops.core.trace import apply
from proa.ops.math.elementwise import add_op
from proa.static.compiler import compile_plan
from proa.static.compiler.plan import _BY_LINE


def _twice(xp, x, *, plus: float = 0.0):
    return x + x + plus


def twice_op():
    return find("twice_of_tests") if is_declared("twice_of_tests") else operator(
        "twice_of_tests", "X -> Out", kernel=_twice, infer=same,
        grad={"X": lambda g: apply(twice_op(), g)})


@pytest.fixture
def engine():
    """An engine of the name "test", which is taken away again with its kernels."""
    op = twice_op()
    engines.add("test")
    yield "test"
    engines.remove("test")
    op.kernels.registered = ()


class Counted:
    """A kernel that counts its calls; it gives what the plain one does."""

    def __init__(self, declines=lambda x: False):
        self.calls, self.declines = 0, declines

    def __call__(self, x, *, plus=0.0):
        self.calls += 1
        return NotImplemented if self.declines(x) else 2 * x + plus


def program(size):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [size, 2])
        y = apply(twice_op(), x, plus=1.0)
    return main, y


def run(main, y, rows=3):
    array = np.arange(2.0 * rows, dtype="float32").reshape(rows, 2)
    found, = paddle.static.Executor().run(main, {"x": array}, [y])
    np.testing.assert_array_equal(found, 2 * array + 1)


def test_an_engine_from_outside_computes_in_eager_code_and_in_plans(engine):
    op, kernel = twice_op(), Counted()
    main, y = program(3)
    run(main, y)  # a plan that was bound before the engine had a kernel
    register_kernel(op, engine, kernel)
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    z = apply(op, x, plus=1.0)
    assert z.tolist() == [[3.0, 5.0]] and kernel.calls == 1
    z.sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0]] and kernel.calls == 2  # the gradient is the operator itself
    run(main, y)
    assert kernel.calls == 3
    run(*program(-1))
    assert kernel.calls == 4
    f = paddle.jit.to_static(lambda x: apply(op, x))
    f(x)
    f(x)
    assert kernel.calls == 6


def test_an_engine_from_outside_computes_gradients_of_small_products(engine):
    shapes = []

    def product(x, y, trans_x=False, trans_y=False):
        shapes.append((x.shape, y.shape))
        return np.matmul(x.T if trans_x else x, y.T if trans_y else y)

    op, bias = find("matmul_v2"), find("sum_to_shape")
    x, w, b = (paddle.ones(shape) for shape in ([2, 3], [3, 4], [4]))
    w.stop_gradient = b.stop_gradient = False
    try:
        register_kernel(op, engine, product)
        register_kernel(bias, engine, lambda g, like=None, shape=(): shapes.append(shape) or g.sum(0))
        paddle.nn.functional.linear(x, w, b).sum().backward()
    finally:
        op.kernels.registered = bias.kernels.registered = ()
    assert shapes == [((2, 3), (3, 4)), (4,), ((2, 3), (2, 4))]


def test_an_engine_that_is_turned_off_computes_nothing(engine):
    op, kernel = twice_op(), Counted()
    register_kernel(op, engine, kernel)
    main, y = program(3)
    x = paddle.to_tensor([[1.0, 2.0]])
    assert {"onednn", "loops", "panels", "test"} <= set(get_flag("FLAGS_cpu_engines").split(","))
    for wanted, calls in (("onednn,loops", 0), ("", 0), ("test", 2), ("onednn,loops", 2), ("test,loops", 4)):
        with flags_guard({"FLAGS_cpu_engines": wanted}):
            apply(op, x)
            run(main, y)
        assert kernel.calls == calls


def test_an_engine_that_cannot_be_had_computes_nothing():
    op, kernel, ready = twice_op(), Counted(), []
    engines.add("absent", is_ready=lambda: bool(ready))
    try:
        register_kernel(op, "absent", kernel)
        apply(op, paddle.ones([2]))
        assert kernel.calls == 0
        ready.append(True)
        engines.generation.changed()
        apply(op, paddle.ones([2]))
        assert kernel.calls == 1
    finally:
        engines.remove("absent")
        op.kernels.registered = ()


def test_who_set_the_flag_decides():
    before = get_flag("FLAGS_cpu_engines")
    with flags_guard({"FLAGS_cpu_engines": "loops"}):
        engines.add("late")
        try:
            assert not engines.is_wanted("late")
            set_flags({"FLAGS_cpu_engines": "late, loops"})
            assert engines.is_wanted("late")
        finally:
            engines.remove("late")
    assert get_flag("FLAGS_cpu_engines") == before


def test_the_latest_is_asked_first_and_what_it_declines_the_next(engine):
    op = twice_op()
    first, second = Counted(), Counted(declines=lambda x: x.flags.f_contiguous and not x.flags.c_contiguous)
    register_kernel(op, engine, first)
    register_kernel(op, engine, second)
    x = np.ones((2, 3), "float32")
    apply(op, paddle.to_tensor(x))
    assert (first.calls, second.calls) == (0, 1)
    apply(op, paddle.to_tensor(x).t())
    assert (first.calls, second.calls) == (1, 2)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        y = apply(op, paddle.transpose(paddle.static.data("x", [2, 3]), [1, 0]))
    paddle.static.Executor().run(main, {"x": x}, [y])
    assert (first.calls, second.calls) == (2, 3)


def test_where_a_kernel_is_asked(engine):
    op, kernel, asked = twice_op(), Counted(), []

    def has_two_columns(x, **attrs):
        asked.append((x, attrs))
        return x.rank == 2 and x.shape[1] == 2 and x.dtype is float32

    register_kernel(op, engine, kernel, least=6, when=has_two_columns)
    for shape, calls in (([2, 2], 0), ([3, 2], 1), ([2, 3], 1), ([3, 2], 2), ([3, 2], 3)):
        apply(op, paddle.ones(shape))
        assert kernel.calls == calls
    assert asked == [(Spec((3, 2), float32), {}), (Spec((2, 3), float32), {})]  # once for each shape, where it is large
    apply(op, paddle.ones([3, 2], "float64"))
    assert kernel.calls == 3
    for size in (3, -1):  # a plan asks when it is made, or where a size is not known, at each run
        kernel.calls = 0
        run(*program(size))
        assert kernel.calls == 1


def test_16_bits_are_computed_in_float32_by_any_engine(engine):
    op, dtypes = twice_op(), []

    def kernel(x, *, plus=0.0):
        dtypes.append(x.dtype.name)
        return 2 * x + plus

    register_kernel(op, engine, kernel)
    result = apply(op, paddle.ones([2], "float16"), plus=0.5)
    assert result.dtype == paddle.float16 and result.tolist() == [2.5, 2.5] and dtypes == ["float32"]


def behind(kernel):
    """What a compiled form leaves to Python; the kernel itself where it is none."""
    return getattr(kernel, "kernel", kernel)


def test_a_selection_says_what_computes():
    small, large = Spec((3,), float32), Spec((1 << 20,), float32)
    plain = add_op.select((small, small), {"axis": -1})
    assert behind(plain.function) is np.add and plain.engines == ()
    assert add_op.select((small, small), {"axis": 0}).function is None
    with flags_guard({"FLAGS_cpu_engines": LOOPS}):
        assert len(add_op.select((large, small), {}).engines) == engines.is_usable(LOOPS, "cpu")
    with flags_guard({"FLAGS_cpu_engines": ""}):
        assert add_op.select((large, small), {}).engines == ()
    assert add_op.select((large, small), {}, "gpu").engines == ()
    assert find("softmax").select((Spec((3,), float16),), {}).kernel is not find("softmax").kernel  # it rounds
    assert behind(find("relu").select((Spec((3,), int64),), {}).kernel) is find("relu").kernel


def test_what_a_declaration_names_is_asked_in_its_order():
    names = []
    op = find("ordered_of_tests") if is_declared("ordered_of_tests") else operator(
        "ordered_of_tests", "X -> Out", kernel=lambda xp, x: names.append("plain") or x, infer=same, engines=[
            by("numpy", lambda x: names.append("first") or NotImplemented),
            by(LOOPS, lambda x: names.append("second") or NotImplemented)])
    with flags_guard({"FLAGS_cpu_engines": ""}):
        apply(op, paddle.ones([1]))
    assert names == ["first", "plain"]


def test_what_is_refused(engine):
    with pytest.raises(ValueError, match="There is no engine 'unknown'.*engines.add"):
        register_kernel(twice_op(), "unknown", _twice)
    with pytest.raises(ValueError, match="there already"):
        engines.add("test")
    for name, place in (("a,b", "cpu"), ("", "cpu"), ("x", "tpu")):
        with pytest.raises(ValueError, match="a name without commas"):
            engines.add(name, place)


def test_engines_are_turned_on_and_off_while_threads_compute(engine):
    op, kernel, wrong = twice_op(), Counted(), []
    register_kernel(op, engine, kernel)
    main, y = program(3)
    done = threading.Event()

    def work():
        x = paddle.to_tensor([[1.0, 2.0]])
        while not done.is_set():
            if apply(op, x, plus=1.0).tolist() != [[3.0, 5.0]]:
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    with flags_guard({"FLAGS_cpu_engines": "loops"}):
        for n in range(40):
            set_flags({"FLAGS_cpu_engines": "test" if n % 2 else "onednn,loops,test"})
            set_flags({"FLAGS_cpu_engines": "loops"})
            run(main, y)
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_plan_asks_for_arrays_of_other_dtypes_than_the_program_declares():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [3, 2])
        y = paddle.nn.functional.softmax(x)
    plan = compile_plan(main, ["x"], [y.name])[0]
    array = np.linspace(-1, 2, 6, dtype="float32").reshape(3, 2)
    wide, = plan(np, [array])
    narrow, = plan(np, [array.astype("float16")])
    assert wide.dtype == np.float32 and narrow.dtype == np.float16
    np.testing.assert_allclose(narrow, wide, rtol=4e-3)
    np.testing.assert_array_equal(plan(np, [array])[0], wide)


def test_a_plan_calls_what_was_chosen_and_nothing_around_it():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2, 2])
        y = paddle.matmul(x, paddle.add(x, x))
    plan = compile_plan(main, ["x"], [y.name])[0]
    called, array = [], np.ones((2, 2), "float32")
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 30}):  # no segment yet
        for _ in range(_BY_LINE + 1):  # which go line by line at first
            run = plan.function(True, [array])
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        run(np, array)
    finally:
        sys.setprofile(None)
    assert called == (["run"] if native.module else ["run", "matmul_kernel"])
