"""Jobs: what is traced, what is shared, what is refused."""

import contextlib
import threading

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import default_session, session_guard


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def counting(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape)


def test_a_job_is_traced_once_and_called_with_arrays():
    traced = []

    @flow.global_function()
    def twice(x: tp.Numpy.Placeholder((2, 3), dtype=flow.float)) -> tp.Numpy:
        traced.append(x.shape)
        return x + x

    x = np.ones((2, 3), np.float32)
    for n in range(3):
        np.testing.assert_array_equal(twice(x * n), 2 * x * n)
    assert traced == [(2, 3)]
    assert [op.type for op in twice.job.program.global_block().ops] == ["elementwise_add"]


def test_jobs_share_variables_by_name(session):
    @flow.global_function()
    def write(x: tp.Numpy.Placeholder((3,))) -> tp.Numpy:
        w = flow.get_variable("w", (3,), initializer=counting)
        paddle.assign(w + x, w)
        return x

    @flow.global_function()
    def read() -> tp.Numpy:
        return flow.get_variable("w", (3,))

    np.testing.assert_array_equal(read(), [0, 1, 2])
    write(np.ones(3, np.float32))
    np.testing.assert_array_equal(read(), [1, 2, 3])
    assert session.variables["w"].jobs == {"read", "write"}
    session.set_value("w", np.zeros(3))
    np.testing.assert_array_equal(read(), [0, 0, 0])
    session.initialize(["w"])
    np.testing.assert_array_equal(session.value("w"), [0, 1, 2])


def test_another_shape_or_dtype_of_a_variable_is_refused():
    @flow.global_function()
    def one() -> tp.Numpy:
        return flow.get_variable("w", (3,), initializer=counting)

    @flow.global_function()
    def other() -> tp.Numpy:
        return flow.get_variable("w", (3, 1), flow.float64, initializer=counting)

    with pytest.raises(ValueError, match=r"'w' of shape \[3\], dtype float32 already, in one. "
                                         r"Received shape \[3, 1\], dtype float64"):
        one()
    assert default_session().variables["w"].shape == (3,)


@pytest.mark.parametrize(("value", "kind", "text"), [
    (np.ones((2, 2), np.float32), ValueError, r"f\(x\): takes an array of shape \[2, 3\], dtype float32. Received an "
                                              r"array of shape \[2, 2\], dtype float32"),
    (np.ones((2, 3), np.complex64), TypeError, r"f\(x\).*dtype float32. Received.*complex64"),
    ([np.ones((2, 3), np.float32)], TypeError, r"f\(x\).*Received a list of arrays"),
])
def test_arguments_that_do_not_fit_are_named(value, kind, text):
    @flow.global_function()
    def f(x: tp.Numpy.Placeholder((2, 3))) -> tp.Numpy:
        return x

    with pytest.raises(kind, match=text):
        f(value)


def dense_job(kind):
    def job(x: tp.Numpy.Placeholder((4, 3))) -> tp.Numpy:
        y = flow.layers.dense(x, 5, kernel_initializer=flow.ones_initializer(), name="fc")
        if kind == "train":
            flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1]), momentum=0).minimize(y)
        return y

    return flow.global_function(type=kind)(job)


def test_a_job_is_traced_and_run_whatever_is_in_charge_around():
    x = np.ones((4, 3), np.float32)
    values, written = [], len(paddle.static.default_main_program().global_block().ops)
    for around in (contextlib.nullcontext, paddle.no_grad, paddle.amp.auto_cast, static_mode,
                   lambda: paddle.static.program_guard(paddle.static.Program())):
        with session_guard(), around():
            train, predict = dense_job("train"), dense_job("predict")
            values.append([train(x), predict(x), train(x)])
        assert len(paddle.static.default_main_program().global_block().ops) == written
    for value in values:
        np.testing.assert_array_equal(value, values[0])
    assert (values[0][1] < values[0][0]).all()


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def test_a_job_runs_in_any_thread():
    x, found = np.ones((4, 3), np.float32), []
    predict = dense_job("predict")
    threads = [threading.Thread(target=lambda: found.append(predict(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((value == 3).all() for value in found)


def test_jobs_go_on_when_another_session_begins():
    x = np.ones((4, 3), np.float32)
    first = dense_job("train")
    before = first(x)
    flow.clear_default_session()
    second = dense_job("train")
    np.testing.assert_array_equal(second(x), before)
    assert (first(x) < before).all() and first.job.session is not second.job.session


def test_a_job_that_cannot_be_traced_leaves_nothing_behind(session):
    fails = [True]

    @flow.global_function()
    def job() -> tp.Numpy:
        w = flow.get_variable("w", (2,) if fails else (3,), initializer=counting)
        if fails:
            raise ZeroDivisionError
        return w

    with pytest.raises(ZeroDivisionError):
        job()
    assert not session.variables
    with pytest.raises(RuntimeError, match="'job' has not been traced yet"):
        job.job.program
    fails.clear()
    assert job().tolist() == [0, 1, 2]


def test_a_job_is_exported_as_a_model(session, tmp_path):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    predict = dense_job("predict")
    wanted = predict(x)
    job, prefix = predict.job, str(tmp_path / "model")
    with paddle.static.scope_guard(session.scope):
        paddle.static.save_inference_model(prefix, job.inputs, job.outputs, paddle.static.Executor(),
                                           program=job.program)
    np.testing.assert_array_equal(paddle.jit.load(prefix)(paddle.to_tensor(x)).numpy(), wanted)


def test_a_variable_without_an_initializer_wants_a_value(session):
    @flow.global_function()
    def job() -> tp.Numpy:
        return flow.get_variable("w", (2,))

    with pytest.raises(ValueError, match="'w' has no initializer, and no value was loaded"):
        job()
    session.set_value("w", [1, 2])
    assert job().tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"set_value\('w'\): the variable has shape \[2\].*Received shape \[3\]"):
        session.set_value("w", [1, 2, 3])
    with pytest.raises(KeyError, match="no variable 'v' in this session. There are: .'w'"):
        session.value("v")


def test_variables_draw_by_their_seed_or_by_everyones():
    def drawn(seed, name="w"):
        with session_guard():
            @flow.global_function()
            def job() -> tp.Numpy:
                return flow.get_variable(name, (5,), initializer=flow.random_normal_initializer(), random_seed=seed)

            return job()

    paddle.seed(1)
    one, two, free = drawn(7), drawn(7), drawn(None)
    paddle.seed(2)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, drawn(7))
    assert (free != drawn(None)).all() and (drawn(None) != drawn(None)).all() and (one != drawn(8)).all()
    paddle.seed(1)
    np.testing.assert_array_equal(free, drawn(None))
