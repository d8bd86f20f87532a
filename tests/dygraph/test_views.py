"""What is done in place to a view is done to what it is a view of, and gradients flow through what was written.

The values are those of PaddlePaddle 2.6.2, which `tests/crossing/differences` asks about what differs; the gradients
are those of the same arithmetic written without a change in place.
"""

import gc
import weakref

import numpy as np
import proa as paddle
import pytest

GIVEN = np.arange(12, dtype="float32").reshape(3, 4)

VIEWS = {
    "int": (lambda x: x[1], lambda a: a[1]),
    "negative": (lambda x: x[-1], lambda a: a[-1]),
    "range": (lambda x: x[1:, ::2], lambda a: a[1:, ::2]),
    "backwards": (lambda x: x[::-1], lambda a: a[::-1]),
    "added": (lambda x: x[:, None, 1], lambda a: a[:, None, 1]),
    "whole": (lambda x: x[:], lambda a: a),
    "ellipsis": (lambda x: x[...], lambda a: a),
    "by a tensor": (lambda x: x[paddle.to_tensor(1)], lambda a: a[1]),
    "chain": (lambda x: x[1:][0][2:], lambda a: a[1, 2:]),
    "element": (lambda x: x[1, 2], lambda a: a[1:2, 2]),
    "reshape": (lambda x: x.reshape([2, 6])[1], lambda a: a.reshape(2, 6)[1]),
    "flatten": (lambda x: x.flatten(), lambda a: a.reshape(-1)),
    "view": (lambda x: x.view([4, 3])[0], lambda a: a.reshape(4, 3)[0]),
    "transpose": (lambda x: x.transpose([1, 0])[1], lambda a: a.T[1]),
    "t": (lambda x: x.t()[0:2], lambda a: a.T[0:2]),
    "squeeze": (lambda x: x.unsqueeze(0).squeeze(0)[1], lambda a: a[1]),
    "slice": (lambda x: paddle.slice(x, [0, 1], [0, 1], [2, 3]), lambda a: a[0:2, 1:3]),
    "strided": (lambda x: paddle.strided_slice(x, [1], [3], [0], [-2]), lambda a: a[:, 3:0:-2]),
    "diagonal": (lambda x: x.diagonal(offset=1), lambda a: np.lib.stride_tricks.as_strided(a[0:, 1:], [3], [20])),
    "detach": (lambda x: x.detach()[1], lambda a: a[1]),
    "as dtype": (lambda x: x.view("int32").view("float32")[1], lambda a: a[1]),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("converted", [False, True])
def test_what_is_done_to_a_view_is_done_to_the_value(name, converted):
    take, of_array = VIEWS[name]

    def change(given):
        x = given * 1.0
        take(x).scale_(2.0)
        take(x).add_(paddle.ones([1]))
        return x

    if converted:
        change = paddle.jit.to_static(change, full_graph=True)
    wanted = GIVEN.copy()
    part = of_array(wanted)
    part *= 2.0
    part += 1.0
    np.testing.assert_array_equal(change(paddle.to_tensor(GIVEN)).numpy(), wanted)


COPIES = {
    "by an index tensor": lambda x: x[paddle.to_tensor([0, 1])], "mask": lambda x: x[x > 3.0],
    "split": lambda x: paddle.split(x, 3)[0], "chunk": lambda x: x.chunk(2, 1)[0], "cast": lambda x: x.cast("float32"),
    "clone": lambda x: x.clone(), "assign": paddle.assign, "expand": lambda x: x.expand([2, 3, 4]),
    "flip": lambda x: x.flip(0), "crop": lambda x: paddle.crop(x, [2, 2]), "tile": lambda x: x.tile([1, 1]),
    "gather": lambda x: x.gather(paddle.to_tensor([1])), "to_tensor": paddle.to_tensor,
    "after numpy": lambda x: paddle.to_tensor(x[0].numpy()), "sum": lambda x: x[0] + x[1],
}


@pytest.mark.parametrize("name", COPIES)
def test_what_is_done_to_a_copy_does_not_concern_the_value(name):
    x = paddle.to_tensor(GIVEN)
    COPIES[name](x).fill_(50.0)
    np.testing.assert_array_equal(x.numpy(), GIVEN)


def test_ways_to_write():
    x = paddle.to_tensor(GIVEN)
    x[0][1] = 50.0
    x[1].set_value(np.full(4, 60.0, "float32"))
    paddle.assign(paddle.full([2], 70.0), x[2, :2])
    x[2, 2:].copy_(paddle.full([2], 80.0), True)
    for row in x:
        row[3] = 90.0
    wanted = [[0, 50, 2, 90], [60, 60, 60, 90], [70, 70, 80, 90]]
    assert x.tolist() == wanted


def test_integers_and_flags():
    x = paddle.zeros([2, 3], "int64")
    x[1][2] = 7
    x.t()[0].fill_(3)
    assert x.tolist() == [[3, 0, 0], [3, 0, 7]]
    mask = paddle.zeros([2, 2], "bool")
    mask[0][1] = True
    assert mask.tolist() == [[False, True], [False, False]]


def test_a_change_goes_on_with_the_values_of_now():
    x = paddle.to_tensor(GIVEN)
    row = x[1]
    x[1] = 5.0
    row.add_(paddle.ones([4]))
    assert row.tolist() == x[1].tolist() == [6.0] * 4
    x.scale_(2.0)
    row.fill_(1.0)
    assert x.tolist() == [[0, 2, 4, 6], [1, 1, 1, 1], [16, 18, 20, 22]]


def test_the_shape_of_a_view_may_change_in_place():
    x = paddle.to_tensor(GIVEN)
    part = x[1]
    part.reshape_([2, 2])
    part[0] = 50.0
    assert x.tolist()[1] == [50, 50, 6, 7]
    part.unsqueeze_(0)
    part.fill_(2.0)
    assert x.tolist()[1] == [2, 2, 2, 2]


def test_a_view_whose_shape_changes_often_is_one_of_the_same_value():
    x = paddle.to_tensor(GIVEN)
    part = x[1]
    for _ in range(2000):
        part.reshape_([2, 2])
        part.unsqueeze_(0)
        part.squeeze_(0)
        part.flatten_()
    part[3] = 50.0
    assert x.tolist()[1] == [4, 5, 6, 50]


def test_a_value_of_another_shape_by_now_is_the_same_memory():
    x = paddle.to_tensor(GIVEN)
    row = x[1]
    x.reshape_([4, 3])
    row.fill_(50.0)
    assert row.tolist() == [50.0] * 4
    assert x.flatten().tolist() == [0.0, 1.0, 2.0, 3.0, 50.0, 50.0, 50.0, 50.0, 8.0, 9.0, 10.0, 11.0]


def written(x):
    y = x * 2.0
    y[0].scale_(3.0)
    y[1][1] = x[0, 0]
    y.reshape([12])[7:9] *= 2.0
    y.t()[0].add_(x[:, 1])
    return y * y


def without_writing(x):
    y = x * 2.0
    rows = [y[0] * 3.0, paddle.concat([y[1, :1], x[0, :1], y[1, 2:]]), y[2]]
    flat = paddle.concat(rows)
    flat = paddle.concat([flat[:7], flat[7:9] * 2.0, flat[9:]]).reshape([3, 4])
    y = paddle.concat([flat[:, :1] + x[:, 1:2], flat[:, 1:]], 1)
    return y * y


@pytest.mark.parametrize("converted", [False, True])
def test_gradients_flow_through_what_was_written(converted):
    function = paddle.jit.to_static(written, full_graph=True) if converted else written
    found = []
    for f in (function, without_writing):
        x = paddle.to_tensor(GIVEN / 10.0, stop_gradient=False)
        result = f(x)
        (result * paddle.to_tensor(GIVEN)).sum().backward()
        found.append((result.numpy(), x.grad.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


def test_parameters_take_what_is_written_as_an_update():
    w = paddle.create_parameter([2, 2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    w[0].fill_(5.0)
    w.t()[1][1] = 7.0
    with paddle.no_grad():
        w[1][0].fill_(6.0)
    assert w.tolist() == [[5.0, 5.0], [6.0, 7.0]]
    assert w.is_leaf and not w.stop_gradient
    (w * w).sum().backward()
    assert w.grad.tolist() == [[10.0, 10.0], [12.0, 14.0]]


def test_what_a_detached_value_is_given_leaves_the_gradient_as_it_was():
    x = paddle.ones([2], "float32")
    x.stop_gradient = False
    y = x * 3.0
    y.detach()[0] = 10.0
    assert y.tolist() == [10.0, 3.0]
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("condition", [1.0, -1.0])
def test_in_branches_and_loops_of_a_converted_function(condition):
    def function(x):
        y = x * 1.0
        if x.sum() > 0:
            y[0].fill_(1.0)
        else:
            y[1][2] = 9.0
        i = paddle.zeros([], "int64")
        while i < 3:
            y[i].scale_(2.0)
            i = i + 1
        return y

    x = paddle.to_tensor((GIVEN + 1.0) * condition)
    np.testing.assert_array_equal(paddle.jit.to_static(function, full_graph=True)(x).numpy(), function(x).numpy())


def test_a_view_keeps_nothing_alive():
    x = paddle.ones([2, 2])
    x.stop_gradient = True
    row = x[0]
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    row.fill_(3.0)
    assert row.tolist() == [3.0, 3.0]


def test_an_error_leaves_both_as_they_were():
    x = paddle.to_tensor(GIVEN)
    row = x[1]
    with pytest.raises(ValueError):
        row.add_(paddle.ones([3]))
    with pytest.raises(ValueError):
        row[0:2] = paddle.ones([3])
    np.testing.assert_array_equal(x.numpy(), GIVEN)
    np.testing.assert_array_equal(row.numpy(), GIVEN[1])


MOVED = {
    "flatten": lambda x: x.t().flatten(), "reshape": lambda x: x[:, 1:].reshape([-1]),
    "chain": lambda x: x.t().reshape([12])[0:2], "in place": lambda x: x.t().reshape_([12]),
    "detached": lambda x: x.detach().t().flatten().detach(),
}


@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("name", MOVED)
def test_a_shape_for_which_elements_must_move_is_a_copy(name, converted):
    def change(given):
        x = given * 1.0
        MOVED[name](x).fill_(50.0)
        return x

    if converted:
        change = paddle.jit.to_static(change, full_graph=True)
    np.testing.assert_array_equal(change(paddle.to_tensor(GIVEN)).numpy(), GIVEN)


@pytest.mark.parametrize("converted", [False, True])
def test_a_shape_for_which_no_element_moves_is_a_view_of_a_view(converted):
    def change(given):
        x = given * 1.0
        x[:, 1:3].reshape([1, 3, 2]).fill_(50.0)
        x.t().reshape([2, 2, 3])[1, 1, 0] = 60.0
        x[0, 0].reshape([1]).fill_(70.0)
        return x

    if converted:
        change = paddle.jit.to_static(change, full_graph=True)
    assert change(paddle.to_tensor(GIVEN)).tolist() == [[70, 50, 50, 60], [4, 50, 50, 7], [8, 50, 50, 11]]


def test_an_index_that_changes_later_moves_no_view():
    x, i = paddle.to_tensor(GIVEN), paddle.to_tensor(0)
    row = x[i]
    paddle.increment(i)
    row.fill_(50.0)
    row[1] = 60.0
    assert x.tolist() == [[50, 60, 50, 50], [4, 5, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize("converted", [False, True])
def test_increment_of_a_view(converted):
    def change(given):
        x = given * 1.0
        element = x[1, 0:1]
        paddle.increment(element, 5.0)
        x.scale_(2.0)
        paddle.increment(element)
        return x

    if converted:
        change = paddle.jit.to_static(change, full_graph=True)
    assert change(paddle.to_tensor(GIVEN)).tolist()[1] == [19, 10, 12, 14]


def test_what_a_converted_function_does_to_a_view_of_a_value_outside():
    x = paddle.to_tensor(GIVEN)
    first, last = x[0], x[2]

    def change(row):
        row.add_(paddle.ones([4]))
        first.add_(paddle.ones([4]))
        last.set_value(paddle.full([4], 5.0))

    paddle.jit.to_static(change, full_graph=True)(x[1])
    assert x.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [5, 5, 5, 5]]


def test_an_optimizer_of_a_view_changes_the_value():
    x = paddle.to_tensor(GIVEN)
    for view in (lambda: x[0].detach(), x.detach):
        trained = view()
        trained.stop_gradient = False
        (trained * 1.0).sum().backward()
        paddle.optimizer.SGD(1.0, parameters=[trained]).step()
    assert x.tolist() == trained.tolist() == [[-2, -1, 0, 1], [3, 4, 5, 6], [7, 8, 9, 10]]


def of_a_view_of_before(x):
    y = x * 2.0
    row = y[0]
    y.zero_()
    with paddle.no_grad():
        row.fill_(7.0)
    return y.sum() + row.sum()


def of_a_detached_value(x):
    y = (x * 2.0).detach()
    y.detach()[0] = x[1]
    return y + x


@pytest.mark.parametrize("function, wanted", [(of_a_view_of_before, 0.0), (of_a_detached_value, 1.0)])
@pytest.mark.parametrize("converted", [False, True])
def test_gradients_stop_in_a_converted_function_where_they_do_without(function, wanted, converted):
    x = paddle.to_tensor(GIVEN, stop_gradient=False)
    (paddle.jit.to_static(function, full_graph=True) if converted else function)(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(GIVEN, wanted))


ONE = paddle.to_tensor(1)
ROW = paddle.full([4], 100.0)


def incremented(x, i):
    y = x * 1.0
    row = y[i]
    paddle.increment(i)
    row.fill_(50.0)
    return y, i


def in_a_branch(x, i):
    y = x * 1.0
    row = y[i]
    if x.sum() > 0:
        i.add_(ONE)
        row.fill_(50.0)
    return y, i


def in_a_loop(x, i):
    y = x * 1.0
    row = y[i]
    j = paddle.zeros([], "int64")
    while j < 2:
        row.add_(ROW)
        i.add_(ONE)
        j = j + 1
    row.scale_(2.0)
    return y, i


def changed_in_rounds_before(x, i):
    y = x * 1.0
    row = y[0]
    j = paddle.zeros([], "int64")
    while j < 3:
        row.add_(ROW)
        y.scale_(2.0)
        j = j + 1
    return y, row


def behind_a_loop_that_does_not_run(x, i):
    y = x * 1.0
    row = y[0]
    y.scale_(3.0)
    while i < 0:
        row.add_(ROW)
        i = i + 1
    row.add_(ROW)
    return y, row


def one_element(x, i):
    y = x[0, 1:2] * 1.0
    element = y.reshape([])
    paddle.increment(y)
    element.scale_(3.0)
    return y, element


@pytest.mark.parametrize("function", [incremented, in_a_branch, in_a_loop, changed_in_rounds_before,
                                      behind_a_loop_that_does_not_run, one_element])
def test_a_converted_function_writes_where_the_view_was_taken(function):
    wanted = function(paddle.to_tensor(GIVEN), paddle.to_tensor(0))
    found = paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(GIVEN), paddle.to_tensor(0))
    assert [value.tolist() for value in found] == [value.tolist() for value in wanted]


def test_a_converted_function_whose_own_index_is_changed():
    index = paddle.to_tensor(0)

    def change(x):
        y = x * 1.0
        row = y[index]
        index.add_(ONE)
        row.fill_(50.0)
        return y

    changed = paddle.jit.to_static(change, full_graph=True)
    for turn in range(3):
        wanted = GIVEN.copy()
        wanted[turn] = 50.0
        np.testing.assert_array_equal(changed(paddle.to_tensor(GIVEN)).numpy(), wanted)
    assert index.item() == 3


def test_a_program_by_hand_refuses_a_view_whose_index_was_changed():
    with paddle.static.program_guard(paddle.static.Program()), static_mode():
        x, i = paddle.static.data("x", [3, 4]), paddle.static.data("i", [], "int64")
        row = x[i]
        paddle.increment(i)
        with pytest.raises(RuntimeError, match="was changed in place since"):
            row.fill_(1.0)


class static_mode:
    def __enter__(self):
        paddle.enable_static()

    def __exit__(self, *_):
        paddle.disable_static()


def add_to_first(x, z):
    x.add_(paddle.ones([4]))
    return z * 1.0


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("given", [lambda x: (x, x), lambda x: (x[1], x), lambda x: (x.detach(), x),
                                   lambda x: (x[1:][0], x)])
def test_a_converted_function_refuses_values_of_which_one_changes_with_another(given):
    changed = paddle.jit.to_static(add_to_first, full_graph=True)
    changed(paddle.ones([4]), paddle.ones([3, 4]))
    x = paddle.to_tensor(GIVEN)
    with pytest.raises(RuntimeError, match="shares its memory"):
        changed(*given(x))
    np.testing.assert_array_equal(x.numpy(), GIVEN)
    wanted = add_to_first(*given(x))
    x = paddle.to_tensor(GIVEN)
    np.testing.assert_array_equal(paddle.jit.to_static(add_to_first)(*given(x)).numpy(), wanted.numpy())


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_a_converted_function_refuses_to_change_a_view_and_read_its_value():
    x = paddle.to_tensor(GIVEN)
    row = x[1]

    def change(y):
        row.add_(y)
        return x.sum()

    with pytest.raises(RuntimeError, match="shares its memory"):
        paddle.jit.to_static(change, full_graph=True)(paddle.ones([4]))
    assert paddle.jit.to_static(change)(paddle.ones([4])).item() == GIVEN.sum() + 4.0


@pytest.mark.parametrize("converted", [False, True])
def test_set_value_and_copy_of_a_computed_value(converted):
    def change(x):
        y = x * 2.0
        before = y.sum()
        y.set_value(x * 3.0)
        y[0].copy_(x[1], True)
        return y * y, before

    x = paddle.to_tensor(GIVEN, stop_gradient=False)
    y, before = (paddle.jit.to_static(change, full_graph=True) if converted else change)(x)
    before.backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(GIVEN, 2.0))
    wanted = GIVEN * 3.0
    wanted[0] = GIVEN[1]
    np.testing.assert_array_equal(y.numpy(), wanted ** 2)


@pytest.mark.parametrize("take", [lambda y: y[1:], lambda y: y.detach()])
@pytest.mark.parametrize("converted", [False, True])
def test_the_shape_of_a_view_changes_in_place_behind_a_change_of_its_value_or_a_branch(take, converted):
    def change(x):
        y = x * 1.0
        first, second = take(y), take(y)
        y.scale_(2.0)
        first.reshape_([-1])
        first[-1] = 50.0
        if x.sum() > 0:
            second.clip_(0.0, 20.0)
        second.reshape_([-1])
        second[-2] = 60.0
        return y

    if converted:
        change = paddle.jit.to_static(change, full_graph=True)
    assert change(paddle.to_tensor(GIVEN)).tolist()[2] == [16, 18, 60, 20]


def chosen_by_a_branch(x, i):
    y, z = x * 1.0, x * 2.0
    if x.sum() > 0:
        chosen = y
    else:
        chosen = z
    chosen.scale_(0.5)
    return y, z, chosen


def left_by_a_branch_that_does_not_run(x, i):
    y = x * 1.0
    same = y
    if i > 5:
        y = y * 2.0
    y.add_(x)
    return y, same


def kept_in_a_dict(x, i):
    y = x * 1.0
    held = {"first": y}
    if x.sum() > 0:
        held["second"] = y
    else:
        held["second"] = y * 2.0
    held["second"].scale_(2.0)
    return y, held["second"]


@pytest.mark.parametrize("function", [chosen_by_a_branch, left_by_a_branch_that_does_not_run, kept_in_a_dict])
def test_a_value_that_a_tensor_chooses_changes_where_it_is_chosen(function):
    found = []
    for form in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor(GIVEN, stop_gradient=False)
        results = form(x, paddle.to_tensor(1))
        sum((result * (n + 1)).sum() for n, result in enumerate(results)).backward()
        found.append([*(result.tolist() for result in results), x.grad.tolist()])
    assert found[0] == found[1]


def item_of_a_list(x, i):
    items = [x * 1.0, x * 2.0]
    items[i].scale_(0.5)
    return items[0]


def each_of_a_list(x, i):
    items = []
    for _ in range(i):
        items.append(x * 1.0)
    for item in items:
        item.add_(x)
    return paddle.stack(items)


def view_of_a_branch(x, i):
    y = x * 1.0
    row = y[0]
    if i > 0:
        row = y[1]
    row.fill_(9.0)
    return y


def view_of_a_loop(x, i):
    y, j = x * 1.0, i * 0
    row = y[0]
    while j < i:
        j = j + 1
        row = y[j]
    row.fill_(9.0)
    return y


def view_of_the_round_before(x, i):
    y, j = x * 1.0, i * 0
    row = y[0]
    while j < i:
        j = j + 1
        row.fill_(9.0)
        row = y[j]
    return y


def view_of_what_a_loop_gives_anew(x, i):
    y = x * 1.0
    rows = y[1:]
    for k in range(i + 1):
        rows.fill_(4.0)
        y[k] = 0.1
    return y


@pytest.mark.parametrize("function", [item_of_a_list, each_of_a_list, view_of_a_branch, view_of_a_loop,
                                      view_of_the_round_before, view_of_what_a_loop_gives_anew])
@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_a_change_of_what_cannot_be_told_before_a_run_is_refused(function):
    given = paddle.to_tensor(GIVEN), paddle.to_tensor(1)
    with pytest.raises(RuntimeError, match="is changed in place"):
        paddle.jit.to_static(function, full_graph=True)(*given)
    np.testing.assert_array_equal(paddle.jit.to_static(function)(*given).numpy(), function(*given).numpy())


def view_of_before_a_branch(x, i):
    y = x * 1.0
    row = y[i]
    y[1] = 7.0
    if x.sum() < 0:
        row = row * 2.0
    row[0:1].fill_(5.0)
    return y, row


def changed_behind_the_choice(x, i):
    y, z = x * 1.0, x * 2.0
    if i > 0:
        chosen = y
    else:
        chosen = z
    y.scale_(3.0)
    chosen.add_(x)
    return y, z, chosen


@pytest.mark.parametrize("function", [view_of_before_a_branch, changed_behind_the_choice])
@pytest.mark.parametrize("index", [0, 1])
def test_a_chosen_value_is_changed_as_it_is_by_then(function, index):
    given = paddle.to_tensor(GIVEN), paddle.to_tensor(index)
    found = paddle.jit.to_static(function, full_graph=True)(*given)
    assert [value.tolist() for value in found] == [value.tolist() for value in function(*given)]


@pytest.mark.parametrize("converted", [False, True])
def test_assign_of_a_constant_leaves_the_gradient_as_it_was(converted):
    def change(x):
        y = x * 2.0
        paddle.assign(paddle.full([3, 4], 7.0), y)
        return y * 3.0

    x = paddle.to_tensor(GIVEN, stop_gradient=False)
    (paddle.jit.to_static(change, full_graph=True) if converted else change)(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(GIVEN, 6.0))


def _parts_scaled(x):
    x = x * 1.0
    first, second = x.unbind(0)
    first.scale_(2.0)
    second[0] = 5.0
    return (x * x).sum() + first.sum() + second.sum()


def _parts_clipped(x):
    x = x * 1.0
    left, right = paddle.unbind(x, -1)
    left.clip_(0.0, 1.5)
    right.add_(left)
    return (x * x).sum()


def _parts_in_a_loop(x):
    x = x * 1.0
    for part in x.unbind(1):
        part.scale_(3.0)
    return (x * x).sum()


@pytest.mark.parametrize(("function", "wanted", "slopes"), [
    (_parts_scaled, 76.0, [[10.0, 18.0], [0.0, 9.0]]), (_parts_clipped, 42.5, [[8.0, 6.0], [0.0, 11.0]]),
    (_parts_in_a_loop, 270.0, [[18.0, 36.0], [54.0, 72.0]])])
@pytest.mark.parametrize("converted", [False, True])
def test_what_unbind_gave_are_views(function, wanted, slopes, converted):
    given = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    call = paddle.jit.to_static(function, full_graph=True) if converted else function
    found = call(given)
    found.backward()
    assert found.item() == wanted and given.grad.tolist() == slopes


@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("take", [lambda x: x.reshape([-1]), lambda x: x.detach(), lambda x: x.t()])
def test_two_views_of_a_value_that_nobody_has_any_more(take, converted):
    def function(b):
        x = paddle.zeros([2, 2]) + b
        row = x[0]
        x = take(x)
        row.fill_(1.0)
        x.scale_(2.0)
        return x

    call = paddle.jit.to_static(function, full_graph=True) if converted else function
    assert sorted(call(paddle.zeros([2, 2])).flatten().tolist()) == [0.0, 0.0, 2.0, 2.0]


@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("take", [lambda x: x[0:2], lambda x: x.reshape([3, 1])[0:2, 0], lambda x: x[:][:2]])
def test_a_view_of_a_value_that_has_a_gradient_since(take, converted):
    """The value had none when the view was taken: what it was given before the view was changed keeps its gradient."""
    def change(w):
        x = paddle.zeros([3])
        view = take(x)
        x[0] = w[0] * 2.0
        view.add_(w[1:])
        return x, view

    slopes = []
    for part in (0, 1):
        w = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        given = (paddle.jit.to_static(change, full_graph=True) if converted else change)(w)[part]
        assert not given.stop_gradient and given[:2].tolist() == [4.0, 3.0]
        (given * given).sum().backward()
        slopes.append(w.grad.tolist())
    assert slopes == [[16.0, 8.0, 6.0]] * 2


def test_views_stay_with_a_value_that_is_seen_in_another_shape():
    x = paddle.to_tensor(np.arange(4.0, dtype="float32"), stop_gradient=False)
    a = x.reshape([2, 2]) * 1.0
    row, twin = a[0], a.detach()
    part = row[1:]
    a.reshape_([4])
    row.unsqueeze_(0)
    a.scale_(2.0)
    part.add_(paddle.ones([1]))
    assert (a.tolist(), twin.tolist()) == ([0.0, 3.0, 4.0, 6.0], [[0.0, 3.0], [4.0, 6.0]])
    assert (row.tolist(), part.tolist()) == ([[0.0, 3.0]], [3.0])
    (a * a + row.sum()).sum().backward()
    assert x.grad.tolist() == [8.0, 20.0, 16.0, 24.0]


@pytest.mark.parametrize("converted", [False, True])
def test_a_view_in_another_shape_is_behind_no_change(converted):
    def function(x):
        a = x * 1.0
        row = a[0]
        row.unsqueeze_(0)
        a.scale_(2.0)
        row.scale_(5.0)
        return a * 1, row * 1

    call = paddle.jit.to_static(function, full_graph=True) if converted else function
    a, row = call(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert (a.tolist(), row.tolist()) == ([[10.0, 20.0], [6.0, 8.0]], [[10.0, 20.0]])


def test_a_transposed_value_is_seen_as_it_lies_in_memory():
    a = paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]])
    row = a[0]
    a.transpose_([1, 0])
    a[0] = paddle.to_tensor([5.0, 6.0])
    assert (a.tolist(), row.tolist()) == ([[5.0, 6.0], [1.0, 3.0]], [5.0, 1.0])


@pytest.mark.parametrize(("form", "arguments"), [
    ("reshape_", ([3, 2],)), ("flatten_", ()), ("unsqueeze_", (0,)), ("transpose_", ([1, 0],)), ("scale_", (2.0,))])
def test_another_shape_without_gradients_leaves_the_gradient_its_shape(form, arguments):
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x.stop_gradient = False
    y = x * 2
    row = y[0]
    with paddle.no_grad():
        getattr(y, form)(*arguments)
    ((y * paddle.arange(6, dtype="float32").reshape(y.shape)).sum() + row.sum() * 0.5).backward()
    assert x.grad.tolist() == [[1.0, 3.0, 5.0], [6.0, 8.0, 10.0]]
