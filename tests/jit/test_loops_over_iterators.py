"""What a tensor lets Python leave out (the rest of an iterator, an operand) is not done: it is refused as a Program."""

import proa as paddle
import pytest


class Doubling:
    def __init__(self, x):
        self.x, self.taken = x, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.taken == 3:
            raise StopIteration
        self.taken += 1
        return self.x * self.taken


def changes_a_tensor(x):
    def halves(t):
        for _ in range(3):
            t.scale_(0.5)
            yield t

    y = x + 0
    for k, t in enumerate(halves(y)):
        if t.sum() > -10:
            break
    return y * (k + 1)


def changes_a_list(x):
    taken = []

    def multiples():
        for k in range(3):
            taken.append(x * k)
            yield x * k

    for t in multiples():
        if t.sum() > 2:
            break
    return sum(taken, x * 0)


def changes_an_enclosing_variable(x):
    count = 0

    def multiples():
        nonlocal count
        for k in range(3):
            count += 1
            yield x * k

    for _, t in zip("abc", multiples()):
        if t.sum() > 2:
            break
    return x * count


def changes_by_a_mapped_function(x):
    taken = []
    for t in map(lambda k: (taken.append(k), x * k)[1], [1, 2, 3]):
        if t.sum() > 2:
            break
    return x * len(taken)


def draws_numbers(x):
    def noisy():
        for _ in range(3):
            yield x + paddle.rand([3])

    paddle.seed(1)
    for t in noisy():
        if t.sum() > 2:
            break
    return paddle.rand([3])


def goes_on_behind(x):
    items = iter([x, x * 2, x * 3])
    for t in items:
        if t.sum() > 5:
            break
    return sum(list(items), x * 0)


def asks_the_iterator(x):
    items = Doubling(x)
    for t in items:
        if t.sum() > 2:
            break
    return x * items.taken


def goes_on_behind_what_counts(x):
    items = iter([x, x * 2, x * 3])
    for _, t in enumerate(items):
        if t.sum() > 5:
            break
    return sum(list(items), x * 0)


def goes_on_behind_what_maps(x):
    items = iter([x, x * 2, x * 3])
    for _, t in zip(range(4), map(lambda t: t * 2, items)):
        if t.sum() > 5:
            break
    return sum(list(items), x * 0)


@pytest.mark.parametrize("function", [changes_a_tensor, changes_a_list, changes_an_enclosing_variable,
                                      changes_by_a_mapped_function, draws_numbers, goes_on_behind,
                                      goes_on_behind_what_counts, goes_on_behind_what_maps, asks_the_iterator],
                         ids=lambda f: f.__name__)
def test_what_taking_an_item_does_is_refused_as_a_program(function):
    x = paddle.ones([3])
    with pytest.warns(paddle.jit.FallbackWarning, match="a tensor decides whether this loop goes on"):
        found = paddle.jit.to_static(function)(x)
    assert found.tolist() == function(x).tolist()
    with pytest.raises(RuntimeError, match="a tensor decides whether this loop goes on"):
        paddle.jit.to_static(function, full_graph=True)(x)


def of_a_generator(x):
    def multiples(t):
        for k in range(4):
            yield t * k

    for t in (q * 2 for q in multiples(x)):
        if t.sum() > 4:
            return t
    return x


def of_an_object_nobody_has(x):
    for k, t in enumerate(Doubling(x)):
        if t.sum() > 4:
            break
    return t * k


def of_items_and_mapped(x):
    for (_, t), u in zip({"a": x, "b": x * 2}.items(), map(lambda k: k * x, range(3)), strict=False):
        if (t + u).sum() > 4:
            break
    return t + u


@pytest.mark.parametrize("function", [of_a_generator, of_an_object_nobody_has, of_items_and_mapped],
                         ids=lambda f: f.__name__)
def test_iterators_that_only_give_items_become_programs(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for x in (paddle.ones([3]), paddle.ones([3]) * 3, paddle.zeros([3])):
        assert converted(x).tolist() == function(x).tolist()


def any_of_a_generator(x):
    taken = []

    def tells(t):
        taken.append(t)
        return t.sum() > 2

    found = any(tells(t) for t in [x, x * 2, x * 3])
    return x * len(taken) * found


def any_of_what_goes_on_behind(x):
    items = iter([x, x * 2, x * 3])
    found = any(t.sum() > 2 for t in items)
    return sum(items, x * found)


def all_of_what_goes_on_behind(x):
    items = iter([x.sum() < 2, x.sum() > 2, x.sum() > 4])
    return x * all(items) + len(list(items))


def all_mapped_of_what_goes_on_behind(x):
    items = iter([x * 0, x, x * 2])
    return x * all(map(lambda t: t.sum() > 2, items)) + len(list(items))


def any_mapped_of_what_goes_on_behind(x):
    items = iter([x, x * 2, x * 3])
    return x * any(t.sum() > 2 for _, t in enumerate(map(lambda t: t + 1, items))) + len(list(items))


def all_mapped(x):
    y = x + 0

    def tells(t):
        y.scale_(2.0)
        return t.sum() < 2

    all(map(tells, [x, x * 2, x * 3]))
    return y


def chained(x):
    y = x + 0

    def doubled(t):
        y.scale_(2.0)
        return t.sum()

    return y + (5 < doubled(x) < doubled(x * 2))


def behind_or(x):
    y = x + 0

    def tells(t):
        y.scale_(2.0)
        return t.sum() > 2

    return y + (tells(x) or tells(x * 2))


STATE = paddle.zeros([3])


def behind_or_state(x):
    STATE.zero_()

    def tells(t):
        paddle.assign(STATE + t, STATE)
        return t.sum() > 2

    return STATE + (tells(x) or tells(x * 2))


def behind_or_numbers(x):
    paddle.seed(1)
    return (x.sum() > 2 or (x + paddle.rand([3])).sum() > 2) + paddle.rand([3])


@pytest.mark.parametrize("function", [any_of_a_generator, any_of_what_goes_on_behind, all_of_what_goes_on_behind,
                                      all_mapped_of_what_goes_on_behind, any_mapped_of_what_goes_on_behind,
                                      all_mapped, chained, behind_or, behind_or_state, behind_or_numbers],
                         ids=lambda f: f.__name__)
def test_what_a_tensor_lets_python_leave_out_is_not_done(function):
    x = paddle.ones([3])
    with pytest.warns(paddle.jit.FallbackWarning, match="a tensor decides whether"):
        found = paddle.jit.to_static(function)(x)
    assert found.tolist() == function(x).tolist()
    with pytest.raises(RuntimeError, match="a tensor decides whether"):
        paddle.jit.to_static(function, full_graph=True)(x)


def test_iterators_of_iterators_that_nobody_else_holds_become_programs():
    def function(x):
        for _, (t, u) in enumerate(zip(map(lambda k: x * k, iter(range(4))), iter([x, x * 2, x, x]))):
            if (t + u).sum() > 4:
                break
        return t * any(map(lambda t: t.sum() > 5, filter(lambda t: t is not None, iter([x, x * 2]))))

    converted = paddle.jit.to_static(function, full_graph=True)
    for x in (paddle.ones([3]), paddle.ones([3]) * 3):
        assert converted(x).tolist() == function(x).tolist()


def asserts_in_a_generator(x):
    def checked(t):
        for k in range(3):
            assert (t * k < 2).all(), "too large"
            yield t * k

    for u in checked(x):
        if u.sum() > 2:
            break
    return u


def changes_its_own_tensors(x):
    def halves(t):
        for k in range(4):
            y = t * k
            y.scale_(0.5)
            if y.sum() > 100:
                y = y * 2
            yield y

    for u in halves(x):
        if u.sum() > 2:
            break
    return u


def of_fresh_iterators(x):
    first = any(t.sum() > 2 for t in iter([x, x * 2]))
    return x * first * all(t.sum() > 2 for _, t in enumerate([x, x * 2])) + sum(t for t in reversed([x, x * 3]))


def behind_and(x):
    def tells(t):
        y = t + 0
        y.scale_(2.0)
        return y.sum() > 2 and paddle.nn.functional.dropout(y, 0.5, training=False).sum() > 3

    return x * (x.sum() > 2 and tells(x)) * all(tells(t) for t in [x, x * 2] if t.max() > 0)


@pytest.mark.parametrize("function", [asserts_in_a_generator, changes_its_own_tensors, of_fresh_iterators,
                                      behind_and], ids=lambda f: f.__name__)
def test_what_nobody_sees_is_part_of_a_program(function):
    x = paddle.ones([3])
    assert paddle.jit.to_static(function, full_graph=True)(x).tolist() == function(x).tolist()


def _halved_as_it_is_given(x):
    def given(t):
        for _ in range(3):
            t.scale_(0.5)
            yield t * 1.0

    for item in given(x):
        if item.mean() > 0.0:
            break
    return x


def _halved_behind_and(x):
    return x if x.mean() > 9.0 and x.scale_(0.5).mean() > 0.0 else x * 2.0


@pytest.mark.parametrize("function", [_halved_as_it_is_given, _halved_behind_and])
def test_what_changes_a_tensor_is_refused_in_a_program_by_hand_too(function):
    static = paddle.static
    with static.program_guard(static.Program(), static.Program()), pytest.raises(
            RuntimeError, match="changes tensors in place|both sides are computed|changes a tensor in place"):
        paddle.jit.to_static(function, full_graph=True)(static.data("x", [2]) * 1.0)
