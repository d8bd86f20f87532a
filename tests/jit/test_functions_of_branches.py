"""Functions that are defined where a tensor decides, and call themselves."""

import warnings

import proa as paddle
import pytest


def in_a_branch(x):
    if x.sum() > 0:
        def halved(t, n):
            return t if n == 0 else halved(t * 0.5, n - 1)
        x = halved(x, 2)
    return x


def behind_a_return(x):
    if x.sum() > 100:
        return x

    def doubled(t, n):
        return t if n == 0 else doubled(t * 2, n - 1)
    return doubled(x, 2)


def in_a_loop(x):
    for i in range(3):
        if x.sum() > 0:
            def lowered(t, n):
                return t - 1 if n == 0 else lowered(t * 0.5, n - 1)
            x = lowered(x, i)
    return x


@pytest.mark.parametrize("function", [in_a_branch, behind_a_return, in_a_loop])
def test_a_function_that_calls_itself_belongs_to_its_branch(function):
    staged = paddle.jit.to_static(function, full_graph=True)
    for start in (1.0, -1.0, 200.0):
        x = paddle.full([2], start)
        assert staged(x).tolist() == function(x).tolist()


def test_what_a_name_is_later_is_seen_by_the_function_that_was_called_so():
    def rebound(x):
        def name(t, n):
            return t if n == 0 else name(t * 0.5, n - 1)
        first = name
        if x.sum() > 0:
            name = shifted
        return first(x, 2)

    def shifted(t, n):
        return t + n

    for start in (1.0, -1.0):
        x = paddle.full([2], start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
            found = paddle.jit.to_static(rebound)(x)
        assert found.tolist() == rebound(x).tolist()
