"""Gradients in train jobs, watched, of what OneFlow's functions compute: as the same functions have at once."""

import inspect

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
import test_array_functions
import test_math_functions
from job_runs import run_in_job
from proa.oneflow.job import session_guard

CASES = {f"{module.__name__}-{number}": (case[0], *case[2:]) for module in (test_math_functions, test_array_functions)
         for number, case in enumerate(module.CASES)}
CASES.update((name, (getattr(flow.math, name), case[0])) for name, case in test_math_functions.UNARY.items())


def _eager_slopes(function, moving, arrays):
    values = [paddle.to_tensor(array, stop_gradient=n not in moving) for n, array in enumerate(arrays)]
    result = function(*values)
    if result.stop_gradient or not result.dtype.is_differentiable:
        return None
    slopes = paddle.grad(result.sum(), [values[n] for n in moving], allow_unused=True)
    return [None if slope is None else slope.numpy() for slope in slopes]


@pytest.mark.parametrize("name", CASES)
def test_watched_gradients(name):
    function, *arrays = CASES[name]
    moving = [n for n, array in enumerate(arrays) if array.dtype.kind == "f"]
    with np.errstate(all="ignore"):
        wanted = moving and _eager_slopes(function, moving, arrays)
    if not wanted:
        return
    found = {}

    def watcher(n):
        def see(slope: tp.Numpy):
            found[n] = slope
        return see

    def job(*blobs):
        blobs = list(blobs)
        for n in moving:
            blobs[n] += flow.get_variable(f"v{n}", arrays[n].shape, initializer=flow.zeros_initializer())
            if wanted[moving.index(n)] is not None:
                flow.watch_diff(blobs[n], watcher(n))
        result = function(*blobs)
        flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.001]), momentum=0).minimize(result)
        return result

    job.__signature__ = inspect.Signature([
        inspect.Parameter(f"x{n}", inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          annotation=tp.Numpy.Placeholder(array.shape, str(array.dtype)))
        for n, array in enumerate(arrays)], return_annotation=tp.Numpy)
    with session_guard(), np.errstate(all="ignore"):
        flow.global_function(type="train")(job)(*arrays)
    for n, slope in zip(moving, wanted, strict=True):
        if slope is not None:
            np.testing.assert_allclose(found[n], slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype, value", [
    ("float32", 1), ("float32", -1.5), ("float32", np.inf), ("float32", -np.inf), ("int32", 1.0), ("int32", 2**31 - 1),
    ("int32", -2**31), ("int64", 2**62 + 1),
])
def test_constants(dtype, value):
    assert run_in_job(lambda: flow.constant(value, dtype, (2,))).tolist() == [np.dtype(dtype).type(value)] * 2
