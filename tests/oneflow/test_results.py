"""What a job's call gives, by the annotation of its result, and what annotations may be."""

import typing

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard

X = np.array([1, 2], np.float32)


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def job(returned, annotation):
    def f(x: tp.Numpy.Placeholder((2,))):
        return returned(x)

    if annotation is not ...:
        f.__annotations__["return"] = annotation
    return flow.global_function()(f)


@pytest.mark.parametrize(("returned", "annotation", "wanted"), [
    (lambda x: x, tp.Numpy, [1, 2]),
    (lambda x: x, tp.ListNumpy, [[1, 2]]),
    (lambda x: x, tp.ListListNumpy, [[[1, 2]]]),
    (lambda x: (x, x * 2.0), typing.Tuple[tp.Numpy, tp.ListNumpy], ([1, 2], [[2, 4]])),  # noqa: UP006
    (lambda x: (x, x), tuple[tp.Numpy, ...], ([1, 2], [1, 2])),
    (lambda x: [x, x], list[tp.Numpy], [[1, 2], [1, 2]]),
    (lambda x: {"a": x}, dict[str, tp.Numpy], {"a": [1, 2]}),
    (lambda x: {"a": (x, [x])}, tp.Bundle[tp.Numpy], {"a": ([1, 2], [[1, 2]])}),
    (lambda x: None, None, None),
])
def test_results_are_as_annotated(returned, annotation, wanted):
    def plain(value):
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return value if value is None else type(value)(map(plain, value))

    assert plain(job(returned, annotation)(X)) == wanted
    if annotation is not None and typing.get_origin(annotation) is not tp.Bundle:
        got = []
        assert job(returned, tp.Callback[annotation])(X)(got.append) is None
        assert plain(got) == [wanted]


def test_without_annotation_a_call_gives_blobs_to_get():
    one = job(lambda x: x, ...)(X).get()
    assert one.numpy().tolist() == one.numpy_list()[0].tolist() == [1, 2]
    assert (one + 1).tolist() == [2, 3] and one.mean() == 1.5 and one[1] == 2 and len(one) == 2 and one.shape == (2,)
    assert f"{(one * 1)[0]:.2f}" == "1.00" and np.asarray(one).tolist() == [1, 2]
    got = []
    job(lambda x: (x, x), ...)(X).async_get(got.append)
    assert got[0][1].numpy().tolist() == [1, 2]
    assert job(lambda x: None, ...)(X) is None


@pytest.mark.parametrize(("returned", "annotation", "text"), [
    (lambda x: (x, x), tp.Numpy, "annotated to return Numpy, and returned a tuple of 2"),
    (lambda x: x, tuple[tp.Numpy, tp.Numpy], "returned a blob of shape"),
    (lambda x: (x,), tuple[tp.Numpy, tp.Numpy], "returned a tuple of 1"),
    (lambda x: x, None, "annotated to return None, and returned a blob"),
    (lambda x: 3, tp.Numpy, "a global function returns blobs.*Received int"),
    (lambda x: x, int, "annotated with <class 'int'>"),
])
def test_results_that_do_not_fit_are_refused(returned, annotation, text):
    with pytest.raises(TypeError, match=text):
        job(returned, annotation)(X)


def test_a_result_is_an_array_of_its_own():
    @flow.global_function()
    def same(x: tp.Numpy.Placeholder((2,))) -> tuple[tp.Numpy, tp.Numpy]:
        return x, flow.get_variable("w", (2,), initializer=lambda shape, dtype: np.ones(shape))

    x = X.copy()
    for _ in range(2):
        first, w = same(x)
        assert w.tolist() == [1, 1]
        first += 1
        w += 1
    assert x.tolist() == [1, 2]
