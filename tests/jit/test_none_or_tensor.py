"""What is None on some ways through a Program; lists with two names only at `return`; shapes by name."""

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


def given(x, mask=None):
    if x.sum() > 0:
        mask = x * 2
    return x if mask is None else x + mask


def captured(x):
    mask = None

    def add():
        return x if mask is None else x + mask

    if x.sum() > 0:
        mask = x
    return add()


def to_a_layer(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    if found is not None and x.mean() > 0.1:
        return paddle.nn.functional.relu(found)
    return paddle.nn.Identity()(x)


def in_a_dict(x):
    out = {"mask": None, "pair": (x, None)}
    if x.sum() > 0:
        out["mask"] = x * 2
        out["pair"] = (x, x * 3)
    if out["mask"] is None and out["pair"][1] is None:
        return x
    return out["mask"] + out["pair"][0] * out["pair"][1]


def compared_with_equals(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    if found == None:  # noqa: E711 - as people write it
        return x
    return found


@pytest.mark.parametrize("function", [compared, passed_on, given, captured, to_a_layer, in_a_dict,
                                      compared_with_equals])
def test_none_on_some_ways_is_asked_for(function):
    converted = staged(function)
    for x in (X, -X, X[:1], X * 0.02):
        a, b = (paddle.to_tensor(x, stop_gradient=False) for _ in range(2))
        got, wanted = converted(a), function(b)
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6)
        (got * got).sum().backward()
        (wanted * wanted).sum().backward()
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-6)


def returned(x):
    if x.sum() > 0:
        return x * 2, {"state": (x, x.sum())}
    return x, {"state": None}


def test_none_is_returned_where_the_function_returns_it(tmp_path):
    converted = staged(returned)
    (a, held), (b, other) = converted(paddle.to_tensor(X)), converted(paddle.to_tensor(-X))
    np.testing.assert_allclose(held["state"][0].numpy(), X)
    assert a.tolist() == (X * 2).tolist() and held["state"][1].item() == X.sum()
    assert b.tolist() == (-X).tolist() and other == {"state": None}
    with pytest.warns(UserWarning, match="None in some runs"):
        paddle.jit.save(staged(returned), str(tmp_path / "saved"))
    assert [r.tolist() for r in paddle.jit.load(str(tmp_path / "saved"))(paddle.to_tensor(X))] == [
        (X * 2).tolist(), X.tolist(), X.sum()]


def as_a_condition(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    return x if found else -x


def kept(x):
    KEPT["found"] = None
    if x.sum() > 0:
        KEPT["found"] = x * 2
    return x


def of_an_unconverted_class(x):
    found = None
    if x.sum() > 0:
        found = x * 2
    return HOLDER(found).value


class HOLDER:
    def __init__(self, value):
        self.value = value + 1


KEPT = {}


def test_a_dict_of_the_module_is_left_with_none_in_some_calls():
    converted = staged(kept)
    for x in (X, -X, X[:1]):
        converted(paddle.to_tensor(x))
        assert (KEPT["found"] is None) == (x.sum() <= 0)
        assert KEPT["found"] is None or KEPT["found"].tolist() == (x * 2).tolist()
    KEPT.clear()


def test_what_is_none_on_some_ways_is_no_condition_with_several_elements():
    with pytest.raises(ValueError, match="is one truth value"):
        staged(as_a_condition)(paddle.to_tensor(X))


def test_a_class_checks_what_it_is_given():
    converted = staged(of_an_unconverted_class)
    assert converted(paddle.to_tensor(X)).tolist() == (X * 2 + 1).tolist()
    with pytest.raises(AssertionError, match="Here it was None"):
        converted(paddle.to_tensor(-X))


def entry_in_one_branch(x):
    kept = {"a": x}
    if x.sum() > 0:
        kept["b"] = x * 2
    return kept["b"] if "b" in kept else kept["a"]


def test_whether_a_branch_has_made_an_entry():
    converted = staged(entry_in_one_branch)
    for x in (X, -X):
        wanted = entry_in_one_branch(paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted)


def test_a_name_that_was_none_is_not_read_in_silence():
    converted = staged(used)
    np.testing.assert_allclose(converted(paddle.to_tensor(X)).numpy(), X * 3)
    with pytest.raises(AssertionError, match=r"`found` is None after one branch of this `if`(?s:.)*Here it was None"):
        converted(paddle.to_tensor(-X))


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


def _unfinished(ids, unfinished, end):
    if isinstance(end, int):
        return paddle.logical_and(unfinished, ids != end)
    found = None
    for each in end:
        here = ~_unfinished(ids, unfinished, each)
        found = here if found is None else paddle.logical_or(found, here)
    return ~found


def _generated(x, end):
    """As language models generate text, until each row has come to an end."""
    unfinished, ids, count = x[:, 0] > -1e9, x[:, 0] * 0, 0
    while True:
        ids = paddle.floor(ids + x[:, 1])
        if end is not None:
            unfinished = _unfinished(ids, unfinished, end)
        count += 1
        if count > 20 or not paddle.any(unfinished):
            break
    if end is not None:
        ids = ids + (end if isinstance(end, int) else len(end))
    return ids + count


def added_where_it_is_a_tensor(x):
    more = None
    if x.sum() > 5:
        more = x[0, 0] * 6
    y = x.abs()
    while y.sum() < 30:
        if more is not None:
            y = y + more
        y = y + x.abs()
    return y if more is None else y + more


@pytest.mark.parametrize("function", [
    lambda x: _generated(x, 6), lambda x: _generated(x, [6, 4]), lambda x: _generated(x, None),
    added_where_it_is_a_tensor], ids=["a number", "numbers", "none", "on some ways"])
def test_a_name_that_a_loop_only_compares_with_none_keeps_what_it_holds(function):
    converted = staged(function)
    for x in (np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], "float32"), np.ones([2, 2], "float32")):
        wanted, found = function(paddle.to_tensor(x)), converted(paddle.to_tensor(x))
        np.testing.assert_allclose(found.numpy(), wanted.numpy())


@paddle.jit.not_to_static
def _looks_at_the_first(x):
    rows = iter(x)
    for row in rows:
        return row
    return None


@paddle.jit.not_to_static
def _adds_all(x):
    return sum(row for row in x)


def test_an_iterator_over_rows_that_only_a_run_counts_has_a_first_item():
    converted = staged(lambda x: _looks_at_the_first(x) * 2)
    np.testing.assert_allclose(converted(paddle.to_tensor(X)).numpy(), X[0] * 2)
    with pytest.raises(TypeError, match="iteration over an unknown first dimension"):
        staged(lambda x: _adds_all(x))(paddle.to_tensor(X))


def best_in_a_dict(x):
    kept = {"best": None, "n": 0}
    for row in x:
        if kept["best"] is None or row.max() > kept["best"]:
            kept["best"] = row.max()
        if kept["best"] is not None and kept["best"] > 3:
            kept["n"] += 1
    return kept["best"] + kept["n"]


def only_if_it_is_there(x):
    seen, n = None, 0
    while x.sum() > 1:
        if seen:
            n += 1
        x = x * (0.4 if not seen else 0.5)
        seen = x.sum() > 5
    return x + n


def a_tuple_that_is_there(x):
    cache, n = None, 0
    while x.sum() > 1:
        if cache:
            x = cache[0] * 0.5
        else:
            n, x = n + 1, x * 0.4
        cache = (x, x * 2)
    return cache[1] + n if cache else x


@pytest.mark.parametrize("function", [best_in_a_dict, only_if_it_is_there, a_tuple_that_is_there])
def test_none_decides_as_in_python(function):
    converted = staged(function)
    for x in (X, X[::-1].copy(), -X, X * 0.01, X * 10):
        wanted, found = function(paddle.to_tensor(x)), converted(paddle.to_tensor(x))
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)


def test_behind_or_an_assertion_holds_only_where_python_looks():
    def positive(x):
        assert x.min() > 0, "not positive"
        return x.sum() > 5

    converted = staged(lambda x: x * 2 if x.max() < 0 or positive(x) else x)
    np.testing.assert_allclose(converted(paddle.to_tensor(-X)).numpy(), -X * 2)
    np.testing.assert_allclose(converted(paddle.to_tensor(X)).numpy(), X * 2)
    with pytest.raises(AssertionError, match="not positive"):
        converted(paddle.to_tensor(X - 2))


def test_a_layer_is_called_with_none_where_that_is_its_default():
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.cell = paddle.nn.SimpleRNNCell(2, 2)

        def forward(self, x):
            state = None
            for row in x:
                _, state = self.cell(row.unsqueeze(0), states=state)
            return state

    paddle.seed(3)  # weights for which no tanh is close to 1, where its gradient has few digits
    net = Net()
    converted = staged(net.forward)
    for x in (X, X[:1]):
        net.clear_gradients()
        net(paddle.to_tensor(x)).sum().backward()
        gradients = [p.grad.numpy() for p in net.parameters()]
        net.clear_gradients()
        found = converted(paddle.to_tensor(x))
        np.testing.assert_allclose(found.numpy(), net(paddle.to_tensor(x)).numpy(), rtol=1e-6)
        found.sum().backward()
        for parameter, wanted in zip(net.parameters(), gradients, strict=True):
            np.testing.assert_allclose(parameter.grad.numpy(), wanted, rtol=1e-5, atol=1e-7)


class Keeper(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.held = None
        self.register_buffer("buffer", None)


class KeepsWhereItIsPositive(Keeper):
    def forward(self, x):
        if x.sum() > 0:
            self.held = [x * 2, x.shape[1]]
        return x if self.held is None else x + self.held[0].sum()


class ForgetsLargeOnes(Keeper):
    def forward(self, x):
        if x.sum() > 10:
            self.held = None
        else:
            self.held = x.sum()
        return x * 2


class KeepsNumbers(Keeper):
    def forward(self, x):
        self.held = 3 if x.sum() > 0 else None
        return x * 2


class KeepsInABuffer(Keeper):
    def forward(self, x):
        if x.sum() > 0:
            self.buffer = x.sum()
        return x if self.buffer is None else x + self.buffer


class KeepsInADict(Keeper):
    def __init__(self):
        super().__init__()
        self.held = {"last": None, "inner": {"sum": None}}

    def forward(self, x):
        if x.sum() > 0:
            self.held["last"] = x * 2
        for row in x:
            inner = self.held["inner"]
            inner["sum"] = row if inner["sum"] is None else inner["sum"] + row
        return x if self.held["last"] is None else x + self.held["last"].sum()


class KeepsOfALoop(Keeper):
    """As attention of speech synthesis: what the first turn has computed stays, and its size is read beside it."""

    def forward(self, x):
        self.held = self.buffer = None
        for row in x:
            x = self.turn(row, x)
        return x

    def turn(self, row, x):
        if self.held is None:
            self.held, self.buffer = row * 2, paddle.shape(row)[0]
        return paddle.concat([x, (x[:1] + self.held).reshape([1, self.buffer])])


@pytest.mark.parametrize(
    "kind", [KeepsWhereItIsPositive, ForgetsLargeOnes, KeepsNumbers, KeepsInABuffer, KeepsInADict, KeepsOfALoop])
def test_an_attribute_is_none_after_some_calls_and_a_tensor_after_others(kind):
    def shown(value):
        if isinstance(value, (list, tuple)):
            return [shown(item) for item in value]
        if isinstance(value, dict):
            return {key: shown(item) for key, item in value.items()}
        return value.tolist() if isinstance(value, paddle.Tensor) else value

    eager, layer = kind(), kind()
    converted = staged(layer.forward)
    for x in (-X, X * 0.1, -X[:2], X, X, -X):
        assert shown(converted(paddle.to_tensor(x))) == shown(eager(paddle.to_tensor(x)))
        assert shown((layer.held, layer.buffer)) == shown((eager.held, eager.buffer))


def path_scores(x):
    """As the decoders of random fields: the first turn is another than the rest."""
    score, moves = None, []
    for i, row in enumerate(x):
        if i == 0:
            score = row
            continue
        moves.append(score.argmax())
        score = score.max() + row
    return score, len(moves)


def first_of_while(x):
    score, turn = None, 0
    while turn < x.shape[0]:
        score = x[turn] if turn == 0 else score.exp() * x[turn]
        turn += 1
    return score, turn


def kept_in_a_dict(x):
    state = {"score": None, "turns": 0}
    for i in range(x.shape[0]):
        if i > 0:
            state["score"] = state["score"].tanh() + x[i]
        else:
            state["score"] = x[i]
        state["turns"] += 1
    return state["score"], state["turns"]


def told_by_a_truth(x):
    largest, is_first = None, True
    for row in x:
        if is_first:
            largest, is_first = row, False
        else:
            largest = largest.maximum(row)
    return largest, is_first


@pytest.mark.filterwarnings("ignore:.*None in some runs")  # without a turn
@pytest.mark.parametrize("function", [path_scores, first_of_while, kept_in_a_dict, told_by_a_truth])
def test_the_first_turn_of_a_loop_replaces_none(function, tmp_path):
    converted = staged(function)
    paddle.jit.save(converted, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for x in (X, X[:2], X[:1]):
        score, number = function(paddle.to_tensor(x))
        for found in (converted(paddle.to_tensor(x)), loaded(paddle.to_tensor(x))):
            np.testing.assert_allclose(found[0].numpy(), score.numpy(), rtol=1e-6)
            assert found[1] == number


def test_none_that_no_turn_replaces_is_the_users_error():
    def wrong(x):
        score = None
        for row in x:
            score = score.exp() + row
        return score

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'exp'"):
        staged(wrong)(paddle.to_tensor(X))
