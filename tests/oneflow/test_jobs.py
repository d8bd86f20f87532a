"""Jobs: what is traced, what is shared, what is refused."""

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
