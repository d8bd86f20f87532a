"""What a job may be called with."""

import typing

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard

X = np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def test_lists_with_an_array_a_device_may_be_smaller_and_are_traced_for_each_shape():
    traced = []

    @flow.global_function()
    def total(x: tp.ListNumpy.Placeholder((2, 3))) -> tp.Numpy:
        traced.append((x.shape, x.is_dynamic))
        w = flow.get_variable("w", (1,), initializer=lambda shape, dtype: np.ones(shape))
        return (x * float(x.shape[0])).sum() * w

    assert total([X]) == 12 and total([X[:1]]) == 3 and total([X]) == 12
    assert traced == [((2, 3), True), ((1, 3), True)]
    with pytest.raises(ValueError, match=r"total\(x\): takes a list with an array of shape \[2, 3\].*or smaller. "
                                         r"Received an array of shape \[3, 3\]"):
        total([np.ones((3, 3), np.float32)])
    with pytest.raises(TypeError, match="a list with one item, since there is one device. Received a list of 2"):
        total([X, X])
    with pytest.raises(TypeError, match="Received an array of shape"):
        total(X)


def test_nested_and_named_arguments():
    @flow.global_function()
    def job(pair: typing.Tuple[tp.Numpy.Placeholder((2, 3)), tp.Numpy.Placeholder((1,))],  # noqa: UP006
            z: tp.Numpy.Placeholder((1,))) -> tp.Numpy:
        return pair[0] + pair[1] * z

    one = np.ones(1, np.float32)
    assert job((X, one), one).tolist() == job(z=one, pair=(X, one)).tolist() == (X + 1).tolist()
    with pytest.raises(TypeError, match=r"job\(pair\): takes a tuple of 2 arrays. Received an array"):
        job(X[0], one)
    with pytest.raises(ValueError, match=r"job\(pair\)\[1\]: takes an array of shape \[1\]"):
        job((X, X), one)
    with pytest.raises(TypeError, match=r"job\(\) takes 2 arguments: pair, z. Received 1"):
        job((X, one))


def test_arguments_of_older_scripts_are_declared_as_defaults():
    @flow.global_function(flow.FunctionConfig())
    def job(x=flow.FixedTensorDef((2, 3), dtype=flow.float), more=(flow.MirroredTensorDef((2, 3)),)):
        return x + more[0]

    assert job(X, ([X],)).get().tolist() == (2 * X).tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8])
def test_numbers_of_the_same_kind_are_converted(dtype):
    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((2, 3))) -> tp.Numpy:
        return x

    assert job(X.astype(dtype)).dtype == np.float32


def test_annotations_written_as_text():
    def job(x: "tp.Numpy.Placeholder((2, 3))") -> "tp.Numpy":
        return x

    assert flow.global_function()(job)(X).shape == (2, 3)


@pytest.mark.parametrize(("function", "text"), [
    (lambda x: x, "is annotated with what it takes"),
    (lambda *x: x, r"takes no \*args"),
    (lambda x=3: x, "has the default 3"),
])
def test_parameters_that_are_not_declared_are_refused(function, text):
    with pytest.raises(TypeError, match=text):
        flow.global_function()(function)


def test_what_is_not_a_kind_of_job_is_refused():
    with pytest.raises(ValueError, match="must be 'train' or 'predict'. Received 'test'"):
        flow.global_function("test")
    with pytest.raises(ValueError, match="with a function write @flow.global_function"):
        flow.global_function(lambda: None)
    with pytest.raises(ValueError, match="sizes must be known"):
        tp.Numpy.Placeholder((-1, 3))
