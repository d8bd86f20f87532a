"""What is None after one branch and a tensor after the other; lists with two names only at `return`; shapes by name."""

import numpy as np
import proa as paddle
import pytest

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")


def staged(function):
    return paddle.jit.to_static(function, input_spec=[paddle.static.InputSpec([None, 2], "float32")], full_graph=True)


def masked(x):
    """As language models make their masks: one for more than one word."""
    mask = None
    if x.shape[0] > 1:
        mask = paddle.tril(x)
    other = x * 2
    if x.shape[0] > 1:
        mask = mask + other
    else:
        mask = other
    return mask


def read_where_it_is_a_tensor(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    if x.sum() > 0:
        x = x + found
    return x


def none_in_the_other_branch(x):
    if x.sum() > 0:
        found = x * 2
    else:
        found = None
    return x * 3 if x.sum() <= 0 else x + found


def none_on_two_ways(x):
    found = None
    if x.sum() > 0:
        if x.mean() > 1:
            found = x * 2
        else:
            found = None
    if x.mean() > 1:
        x = x + found
    return x


@pytest.mark.parametrize("function", [masked, read_where_it_is_a_tensor, none_in_the_other_branch, none_on_two_ways])
def test_a_name_may_be_none_after_one_branch(function):
    converted = staged(function)
    for x in (X, -X, X[:1], X * 0.1):
        wanted = function(paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted, rtol=1e-6)


def test_gradients_flow_to_what_was_a_tensor():
    x = paddle.to_tensor(X, stop_gradient=False)
    staged(read_where_it_is_a_tensor)(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full_like(X, 3))


def used(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    return x + found


def compared(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    if found is not None:
        x = x + found
    return x


def passed_on(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    return given(-paddle.abs(x), found)


@pytest.mark.parametrize("function", [compared, passed_on])
def test_a_name_that_may_be_compared_with_none_is_refused(function):
    with pytest.raises(TypeError, match="`found` is .* after one branch and None after the other"):
        staged(function)(paddle.to_tensor(X))
    with pytest.warns(paddle.jit.FallbackWarning):
        got = paddle.jit.to_static(function)(paddle.to_tensor(-X))
    np.testing.assert_allclose(got.numpy(), function(paddle.to_tensor(-X)).numpy())


def test_a_name_that_was_none_is_not_read_in_silence():
    converted = staged(used)
    np.testing.assert_allclose(converted(paddle.to_tensor(X)).numpy(), X * 3)
    with pytest.raises(AssertionError, match=r"`found` is None after one branch of this `if`(?s:.)*Here it was None"):
        converted(paddle.to_tensor(-X))


def given(x, mask=None):
    if x.sum() > 0:
        mask = x * 2
    return x if mask is None else x + mask


def test_an_argument_whose_reads_are_not_checked_is_refused():
    with pytest.raises(TypeError, match="`mask` is .* after one branch and None after the other"):
        staged(given)(paddle.to_tensor(X))


def captured(x):
    mask = None

    def add():
        return x if mask is None else x + mask

    if x.sum() > 0:
        mask = x
    return add()


def test_a_captured_name_is_refused():
    with pytest.raises(TypeError, match="`mask` is .* after one branch and None after the other"):
        staged(captured)(paddle.to_tensor(X))


def path(rows):
    """As a Viterbi decoder goes back: an early return, then a list that is returned joined under its own name."""
    if rows.shape[0] == 1:
        return rows.sum(1), rows[0]
    last = paddle.zeros([2])
    steps = [last]
    for row in rows:
        last = last * 0.5 + row
        steps.append(last)
    steps = paddle.stack(steps, 1)
    return steps.sum(0), steps[0]


def test_a_list_is_not_held_by_a_return_of_its_name():
    converted = staged(path)
    for x in (X, X[:1], X[:2]):
        for got, wanted in zip(converted(paddle.to_tensor(x)), path(paddle.to_tensor(x)), strict=True):
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6)


def first_deleted(x):
    kept = [x]
    for i in range(x.shape[0]):
        kept.append(x * i)
        if i > 0:
            del kept[0]
    del kept[-1]
    return paddle.concat(kept)


def test_an_item_of_a_list_of_the_program_is_deleted():
    converted = staged(first_deleted)
    for x in (X, X[:2]):
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), first_deleted(paddle.to_tensor(x)).numpy())


def size_by_name(x):
    return x * getattr(x, "shape")[0]


def test_getattr_gives_sizes_of_the_program():
    converted = staged(size_by_name)
    for x in (X, X[:2]):
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), x * len(x))
