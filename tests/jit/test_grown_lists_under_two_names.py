"""Lists that grow where a tensor decides, and that get another name, or a place in something, only behind that."""

import numpy as np
import proa as paddle
import pytest

SPEC = [paddle.static.InputSpec([None, 3], "float32")]


def count(x):
    return paddle.shape(x)[0]


def named_again(x):
    out = []
    for i in range(count(x)):
        out.append(x[i : i + 1] * 2)
    rows = out
    for i in range(count(x)):
        rows.append(x[i : i + 1] * 3)
    return paddle.concat(out), len(rows)


def _rows_and_sizes(x, whole=False):
    if whole:
        given = [x]
    else:
        rows, sizes = [], []
        for i in range(count(x)):
            rows.append(x[i : i + 1] * 2)
            sizes.append(count(rows[-1]))
    found = given if whole else rows
    return found, paddle.stack(sizes)


def given_by_a_function(x):
    """As detectors collect what they propose, image by image."""
    rows, sizes = _rows_and_sizes(x)
    return paddle.concat(rows) if len(rows) > 1 else rows[0], sizes


def put_in_a_dict(x):
    out = []
    for i in range(count(x)):
        out.append(x[i : i + 1] * 2)
    held = {"rows": out}
    while x.sum() > 1:
        x = x * 0.5
        held["rows"].append(x)
    return paddle.concat(out)


def made_anew_in_each_turn(x):
    keep = None
    for k in range(3):
        rows = []
        for i in range(count(x)):
            rows.append(x[i : i + 1] * k)
        keep = rows
    return paddle.concat(keep)


def made_anew_behind_another_name(x):
    out = [x]
    before = out
    out = [x * 2]
    while x.sum() > 1:
        x = x * 0.5
        out.append(x)
    return paddle.concat(out) * len(before)


def its_method_behind(x):
    out = [x]
    if x.sum() > 2:
        out.append(x * 2)
    add = out.append
    if x.sum() > 3:
        add(x * 3)
    return paddle.concat(out)


def two_at_once(x):
    out = []
    for i in range(count(x)):
        out.append(x[i : i + 1])
    a, b = out, out
    a.append(x[:1] * 9)
    return paddle.concat(b)


def grown_within_finally(x):
    a = [x]
    try:
        if x.sum() > 2:
            a.append(x)
        b = a
    finally:
        if x.sum() > 1:
            b.append(x * 3)
    return paddle.concat(a)


def named_before(x):
    out = [x]
    other = out
    while x.sum() > 1:
        x = x * 0.5
        out.append(x)
    return paddle.concat(other)


def named_in_the_loop(x):
    out = other = [x]
    out = [x]
    while x.sum() > 1:
        x = x * 0.5
        out.append(x)
        other = out
    other.append(x)
    return paddle.concat(out)


def named_in_a_turn_before(x):
    out, keep = [], None
    for k in range(2):
        for i in range(count(x)):
            out.append(x[i : i + 1] * k)
        keep = out
    return paddle.concat(keep)


def arrays(found):
    return [np.asarray(each) for each in (found if isinstance(found, (tuple, list)) else (found,))]


@pytest.mark.parametrize("function", [
    named_again, given_by_a_function, put_in_a_dict, made_anew_in_each_turn, made_anew_behind_another_name,
    its_method_behind, two_at_once, grown_within_finally], ids=lambda f: f.__name__)
def test_a_name_that_comes_behind_does_not_matter(function, tmp_path):
    converted = paddle.jit.to_static(function, input_spec=SPEC, full_graph=True)
    paddle.jit.save(converted, str(tmp_path / "saved"))
    saved = paddle.jit.load(str(tmp_path / "saved"))
    for x in (paddle.ones([2, 3]) * 3, paddle.arange(3.0).reshape([1, 3]) * 0.3, paddle.ones([4, 3])):
        wanted = arrays(function(x))
        for each in (converted, saved):
            for one, other in zip(arrays(each(x)), wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize(
    "function", [named_before, named_in_the_loop, named_in_a_turn_before], ids=lambda f: f.__name__)
def test_a_name_that_came_before_is_refused(function):
    with pytest.raises(TypeError, match=r"another variable or the caller.*one name only"):
        paddle.jit.to_static(function, input_spec=SPEC, full_graph=True)(paddle.ones([2, 3]))
