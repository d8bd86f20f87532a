"""Views that are read behind a change of what they are of, in converted functions: as in eager code, or refused."""

import numpy as np
import proa as paddle
import pytest


def read_behind_a_change(x):
    a = x * 1.0
    y = a.reshape([-1])
    a[0] = 5.0
    return y * 1.0


def changed_in_a_branch(x):
    a = x * 1.0
    y = a.t()
    if x.sum() > 0:
        a[0] = 7.0
    return y + 0.0


def read_in_turns(x):
    a = x * 1.0
    y, s, i = a.flatten(), paddle.zeros([]), paddle.zeros([], "int64")
    while i < 3:
        s = s + y.sum()
        a.add_(paddle.ones([2, 3]))
        i = i + 1
    return s + y.sum()


def a_row_that_a_loop_begins_with(x):
    a = x * 1.0
    row, i = a[0], paddle.zeros([], "int64")
    while i < 2:
        row = row * 2.0
        a[i] = row
        i = i + 1
    return a + row


def chosen_in_a_branch(x):
    a = x * 1.0
    y = a[0]
    if x.sum() > 0:
        y = a[1]
    a.fill_(9.0)
    return y * 1


def seen_in_another_shape(x):
    a = x * 1.0
    y, d = a[0], a.detach()
    a.reshape_([6])
    z = a[1:4]
    if x.sum() > 0:
        a.add_(x.flatten())
    y.scale_(2.0)
    return y * 1, z * 2, a * 1, d * x


def seen_in_another_shape_without_gradient(x):
    a = x.detach() * 1.0
    y = a[0]
    with paddle.no_grad():
        a.unsqueeze_(0)
        a.scale_(3.0)
    return y * x[1]


def detached_behind_a_change(x):
    a = x * 1.0
    y = a[0]
    a.scale_(2.0)
    q, w = y.detach(), y[1:].detach()
    q.stop_gradient = False
    [g] = paddle.grad((q * q).sum(), q)
    w += 5.0
    return g * x[0], y * 1, a * 1


def transposed_in_place(x):
    a = paddle.concat([x, x[:1] * 2])
    y = a[0]
    a.transpose_([1, 0])
    a[0] = x[0]
    return y * 1, a * 1


def of_another_dtype(x):
    a = x * 1.0
    y = a[0]
    a.add_(x)
    a.cast_("float64")
    a.add_(x.astype("float64"))
    return y * 2, a.astype("float32")


def cut_off_behind(x):
    a = x * 2.0
    y = a.flatten()
    z = y[1:3]
    a.add_(x)
    y.detach_()
    w = a[0]
    a.scale_(2.0)
    a.detach_()
    return z * 3.0, y * x.flatten(), a * x, w * 1


def cut_off_in_a_branch(x):
    a = x * 2.0
    y = a[0]
    if x.sum() > 0:
        y.detach_()
    return y * 3.0 + a


def cut_off_as_another(x):
    a, b = x * 2.0, x * 3.0
    z = a if x.sum() > 0 else b
    z.stop_gradient = True
    return z * x + 3 * a + 2 * b


def chosen_view_cut_off(x):
    a = x * 2.0
    y = a[0]
    if x.sum() > 0:
        y = a[1]
    a.add_(x)
    y.stop_gradient = True
    a.add_(x)
    return y * x[0] + a


def hook_without_gradients(x):
    a = x * 2.0
    y = a[0]
    y.register_hook(lambda g: g * g)
    with paddle.no_grad():
        a.scale_(3.0)
    return y * y + y, a * x


def hook_on_a_view(x):
    a = x * 2.0
    y = a.flatten()
    y.register_hook(lambda g: g * g)
    z = y[1:3]
    a.add_(x)
    return y * y + y, z * 2, a * a


def hook_of_before_a_branch(x):
    a = x * 2.0
    y = a[0]
    y.register_hook(lambda g: g * g)
    if x.sum() > 0:
        a.add_(x)
    return y * y + y


def hook_on_what_a_view_has_changed(x):
    a = x * 2.0
    y = a[0]
    y.add_(x[1])
    a.register_hook(lambda g: g * 3)
    return y * 3.0 + a[1]


def hook_in_turns(x):
    a, i, s = x * 2.0, paddle.zeros([], "int64"), paddle.zeros([3])
    while i < 2:
        y = a[0]
        y.register_hook(lambda g: g * 2)
        a.add_(x)
        s = s + y * y
        i = i + 1
    return s + a[1]


def item_that_a_tensor_chooses(x):
    a = x * 1.0
    rows = [a[1], a[0]]
    a.add_(x)
    return rows[(x.sum() > 0).astype("int64")] * 2


def condition_that_is_a_view(x):
    f = x > 100
    v, n = f[0, 0], paddle.zeros([], "int64")
    f.logical_not_()
    while v:
        f.fill_(False)
        n = n + 1
    return x * n.astype("float32")


def condition_that_changes_later(x):
    a, b = x * 1.0, x * 2.0
    c = x.sum() > 0
    z = a if c else b
    if x.mean() < 100:
        c.logical_not_()
    z.add_(x)
    return z * 1, b * 1, a * 1


def bound_that_is_a_view(x):
    n = (x.sum() > 0).astype("int64").reshape([1]) + 2
    s = x * 1
    for i in range(n[0]):
        n.add_(paddle.ones([1], "int64"))
        s = s + x * i
    return s


FUNCTIONS = [
    read_behind_a_change, changed_in_a_branch, read_in_turns, a_row_that_a_loop_begins_with, chosen_in_a_branch,
    seen_in_another_shape, seen_in_another_shape_without_gradient, transposed_in_place, of_another_dtype,
    detached_behind_a_change,
    cut_off_behind, cut_off_in_a_branch, cut_off_as_another, chosen_view_cut_off, hook_without_gradients,
    hook_on_a_view, hook_of_before_a_branch,
    hook_on_what_a_view_has_changed, hook_in_turns, item_that_a_tensor_chooses, condition_that_is_a_view,
    condition_that_changes_later, bound_that_is_a_view]


def run(function, sign=1):
    x = paddle.to_tensor((np.arange(6, dtype="float32").reshape(2, 3) + 1) * sign, stop_gradient=False)
    given = function(x)
    given = given if isinstance(given, (tuple, list)) else [given]
    sum((y * paddle.arange(1.0, y.size + 1).reshape(y.shape)).sum() for y in given).backward()
    return [y.tolist() for y in given], x.grad.tolist()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_in_eager_code(function, sign):
    assert run(paddle.jit.to_static(function, full_graph=True), sign) == run(function, sign)


def elements_that_had_to_move(x):
    a = x * 1.0
    y = a.t().reshape([2, 3])
    a.add_(x)
    return y * 2, a[:, 1:].reshape([4]) * 1


@pytest.mark.parametrize("function", [
    seen_in_another_shape, transposed_in_place, cut_off_as_another, elements_that_had_to_move])
def test_sizes_that_only_a_run_knows_and_files(function, tmp_path):
    spec = [paddle.static.InputSpec([None, None], "float32", "x", stop_gradient=False)]
    paddle.jit.save(paddle.jit.to_static(function, full_graph=True, input_spec=spec), str(tmp_path / "f"))
    assert run(paddle.jit.load(str(tmp_path / "f"))) == run(function)


def left_to_the_next_turn(x):
    a = x * 1.0
    h, i = a[0], paddle.zeros([], "int64")
    while i < 2:
        t = h * 1.0
        h = a[i]
        a[i] = t + 1.0
        i = i + 1
    return a + h


def test_what_only_a_run_could_tell_is_refused():
    with pytest.raises(RuntimeError, match="leaves `h` a view of a value that the loop changes in place"):
        run(paddle.jit.to_static(left_to_the_next_turn, full_graph=True))


def read_in_a_branch(x):
    a = x * 2.0
    y = a[0]
    y.register_hook(lambda g: g * 2)
    if x.sum() > 0:
        a.add_(x)
        a = a + y
    return a * 2


def cut_off_in_a_branch_behind(x):
    a = x * 2.0
    y = a[0]
    a.add_(x)
    if x.sum() > 0:
        a.detach_()
    return y * 3.0 + a[1]


def view_cut_off_in_a_branch_behind(x):
    a = x * 2.0
    y = a[0]
    a.add_(x)
    if x.sum() > 0:
        y.detach_()
    return y * 3.0 + a[1]


def changed_and_replaced_in_turns(x):
    a, i = x * 1.0, paddle.zeros([], "int64")
    y = a[0]
    while i < 2:
        a[0] = x[1] * 5
        a = x * 2 + a
        i = i + 1
    return a + y


@pytest.mark.parametrize(("function", "says"), [
    (changed_and_replaced_in_turns, "a view of `a` is read"),
    (view_cut_off_in_a_branch_behind, "is a view of a value that was changed in place before"),
    (read_in_a_branch, "hooks on its gradient: they would not see the whole gradient"),
    (cut_off_in_a_branch_behind, "then cut off from its gradient in a branch or a loop")])
def test_what_a_branch_alone_knows_is_refused(function, says):
    with pytest.raises(RuntimeError, match=says):
        run(paddle.jit.to_static(function, full_graph=True))


def cropped(x):
    """As Swin transformers cut off what they have padded: the part of a branch is seen as another view behind it."""
    size = x.shape[1]
    padded = paddle.roll(x * 2, 2, 1)
    if size % 4 > 0:
        padded = padded[:, :size - 1]
    return padded.transpose([1, 0]).reshape([-1])


def test_a_view_of_what_a_branch_has_cut_is_read(tmp_path):
    converted = paddle.jit.to_static(
        cropped, input_spec=[paddle.static.InputSpec([None, None], "float32")], full_graph=True)
    paddle.jit.save(converted, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for size in (3, 4, 5):
        x = paddle.arange(2 * size, dtype="float32").reshape([2, size])
        assert converted(x).tolist() == loaded(x).tolist() == cropped(x).tolist()
