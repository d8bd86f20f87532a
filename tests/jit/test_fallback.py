"""What cannot become a Program: a warning once and the function as it was written, or an error; never half of it."""

import asyncio
import datetime
import operator
import os
import queue
import random
import time
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core import unique_name
from proa.jit import FallbackWarning
from proa.jit.errors import ConversionError
from proa.static import InputSpec


def ones(*shape):
    return paddle.ones(list(shape))


def falls_back(function, *arguments, reason):
    """The results of a converted function in three calls, which give one warning with this reason."""
    converted = paddle.jit.to_static(function)
    with pytest.warns(FallbackWarning, match=reason) as given:
        results = [converted(*arguments) for _ in range(3)]
    assert len(given) == 1 and not converted.program_cache
    with pytest.raises(Exception, match=reason):
        paddle.jit.to_static(function, full_graph=True)(*arguments)
    return results


def executed(source, **names):
    space = {"paddle": paddle, "__name__": "typed_at_a_prompt", **names}
    exec(source, space)
    return space


SIGN = "def sign(x):\n    if x.sum() > 0:\n        return x * 2\n    return x - 1\n"


def test_executed_text():
    sign = executed(SIGN)["sign"]
    results = falls_back(sign, ones(2), reason=r'File "<string>", line 1, in sign: there is no source')
    assert [r.tolist() for r in results] == [[2.0, 2.0]] * 3


def test_typed_at_a_prompt():
    space = {"paddle": paddle, "__name__": "__main__"}
    exec(compile(SIGN, "<stdin>", "exec"), space)
    falls_back(space["sign"], ones(2), reason="no source to read in '<stdin>'")


def test_executed_decorator_and_training_goes_on():
    source = ("class Net(paddle.nn.Layer):\n    def __init__(self):\n        super().__init__()\n"
              "        self.fc = paddle.nn.Linear(2, 1)\n    @paddle.jit.to_static\n    def forward(self, x):\n"
              "        y = self.fc(x)\n        if y.mean() > 0:\n            y = y * 2\n        return y.mean()\n")
    net = executed(source)["Net"]()
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    losses = []
    with pytest.warns(FallbackWarning) as given:
        for _ in range(3):
            for mode in (net.train, net.eval):
                mode()
                loss = net(ones(4, 2))
                loss.backward()
                sgd.step()
                sgd.clear_grad()
                losses.append(float(loss))
    assert len(given) == 1 and losses == sorted(losses, reverse=True) and losses[0] > losses[-1]


def test_compiled_function():
    results = falls_back(operator.neg, ones(2), reason="neg: it is no Python function")
    assert results[0].tolist() == [-1.0, -1.0]


def test_the_value_of_a_symbol():
    def normalized(x):
        return x / max(x.tolist())

    results = falls_back(normalized, ones(2) * 4.0, reason=r"x\.tolist\(\)")
    assert results[0].tolist() == [1.0, 1.0]


def test_a_caught_error_does_not_hide_that_a_value_was_wanted():
    def careful(x):
        try:
            return x * int(x.tolist()[0])
        except TypeError:
            return x * 0.0

    assert falls_back(careful, ones(2) * 3.0, reason="tolist")[0].tolist() == [9.0, 9.0]


def test_generators_and_coroutines():
    def halves(x):
        yield x / 2

    async def later(x):
        return x + 1

    assert next(iter(falls_back(halves, ones(1), reason="generators and coroutines")[0])).tolist() == [0.5]
    converted = paddle.jit.to_static(later)
    with pytest.warns(FallbackWarning, match="coroutines"):
        assert asyncio.run(converted(ones(1))).tolist() == [2.0]


class Found:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("result", [
    lambda x: (v * 2 for v in (x, x)), lambda x: map(operator.neg, [x]), lambda x: {1: [lambda: x * 2]},
    lambda x: Found([lambda: x * 2])])
def test_results_that_hold_tensors_unseen(result):
    def function(x):
        return result(x * 1.0)

    with pytest.raises(ConversionError, match="it returns a"):
        paddle.jit.to_static(function, full_graph=True)(ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert type(paddle.jit.to_static(function)(ones(2))).__name__ == type(function(ones(2))).__name__


# Random numbers

HELD = np.random.default_rng(0)
START, STARTED = time.time(), time.perf_counter_ns()


def by_numpy(x):
    return x * np.random.rand()


def by_python(x):
    return x + 1 if random.random() < 0.5 else x


def by_choice(x):
    return x * random.choice([1.0, 2.0, 3.0])


def by_a_held_generator(x):
    return x * HELD.random()


@pytest.mark.parametrize("function", [by_numpy, by_python, by_choice, by_a_held_generator])
def test_random_numbers_of_python_are_drawn_as_without_conversion(function):
    def drawn(run):
        np.random.seed(3)
        random.seed(3)
        HELD.bit_generator.state = np.random.default_rng(3).bit_generator.state
        return [float(run(ones(1))) for _ in range(6)]

    wanted = drawn(function)
    with pytest.warns(FallbackWarning, match=f"in {function.__name__}: .*draws random numbers"):
        assert drawn(paddle.jit.to_static(function)) == wanted
    with pytest.warns(UserWarning, match=r"every run uses the same ones.*paddle\.rand"):
        assert drawn(paddle.jit.to_static(function, full_graph=True)) == wanted[:1] * 6


def by_the_clock(x):
    return x * (time.perf_counter_ns() - STARTED)


def by_the_date(x):
    return x * (datetime.datetime.now().timestamp() - START)


@pytest.mark.parametrize("function", [by_the_clock, by_the_date])
def test_times_are_asked_as_without_conversion(function):
    converted = paddle.jit.to_static(function)
    with pytest.warns(FallbackWarning, match="is asked while the Program is built"):
        first = float(converted(paddle.ones([1], "float64")))
    time.sleep(0.001)
    assert float(converted(paddle.ones([1], "float64"))) > first
    whole = paddle.jit.to_static(function, full_graph=True)
    with pytest.warns(UserWarning, match="every run uses the time of then"):
        assert len({float(whole(paddle.ones([1], "float64"))) for _ in range(3)}) == 1


def test_a_model_that_draws_numbers_of_python_in_training_alone_is_saved_without_a_word(tmp_path):
    class Skips(nn.Layer):
        def forward(self, x):
            if self.training and random.random() < 0.5:
                return x
            return x * 2

    net = Skips()
    net.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.jit.save(net, str(tmp_path / "model"), [paddle.static.InputSpec([None])])
    assert paddle.jit.load(str(tmp_path / "model"))(ones(1)).item() == 2


def test_constants_from_an_own_generator_are_converted():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        np.random.seed(1)
        return x * float(np.random.RandomState(3).rand())

    assert function(ones(1)).item() == function(ones(1)).item()


# Nothing is left behind

class Counting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1D(2)
        self.register_buffer("seen", paddle.zeros([1]))
        self.calls, self.kept, self.last, self.table = 0, [], None, {}

    def forward(self, x, table):
        self.calls += 1
        self.kept.append(self.calls)
        self.table["calls"] = self.calls
        table["calls"] = self.calls
        self.seen = self.seen + x.shape[0]
        self.fc.bias.stop_gradient = False
        y = nn.ReLU()(self.norm(self.fc(x)))
        y = nn.functional.dropout(y, 0.5, training=self.training)
        self.last = y
        np.random.rand(2)  # refused here, after all of this
        y.tolist()  # or here, where numbers are drawn once
        return y * float(y.numpy().max())


def test_state_before_the_failure_is_put_back():
    found = []
    for convert in (lambda net: net, paddle.jit.to_static):
        paddle.seed(0)
        np.random.seed(0)
        table = {}
        with unique_name.guard():
            net = convert(Counting())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FallbackWarning)
                results = [net(ones(3, 2) * n, table).numpy() for n in range(3)]
            found.append([results, net.calls, net.kept, net.table, table, float(net.seen), net.norm._mean.numpy(),
                          np.random.rand(), paddle.rand([1]).item(), unique_name.generate("re_lu"),
                          net.last.shape])
    np.testing.assert_equal(*found)


def test_state_is_put_back_behind_an_error_too():
    net = paddle.jit.to_static(Counting(), full_graph=True)
    for _ in range(2):
        with pytest.raises((ConversionError, TypeError), match="tolist"):
            net(ones(3, 2), {})
        assert (net.calls, net.kept, net.last, net.table, float(net.seen)) == (0, [], None, {}, 0.0)


def test_names_are_not_taken_by_a_failed_trace():
    constant = ones(1)

    def function(x):
        return (x + constant).tolist()[0] + x

    with unique_name.guard():
        with pytest.raises(TypeError):
            paddle.jit.to_static(function, full_graph=True)(ones(1))
        assert constant._name is None and unique_name.generate("generated_tensor") == "generated_tensor_0"


# Whose error it is

def test_an_error_of_the_users_own_is_the_users():
    class Wrong(Exception):
        pass

    def function(x):
        y = x + 1
        if y.shape[0] == 2:
            raise Wrong("two")
        return y

    converted = paddle.jit.to_static(function)
    with pytest.raises(Wrong, match="two") as caught:
        converted(ones(2))
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno) == (__file__, function.__code__.co_firstlineno + 2)
    assert caught.value.__context__ is None
    assert converted(ones(3)).tolist() == [2.0] * 3 and len(converted.program_cache) == 1


def test_an_error_that_a_tensor_decides_about():
    def checked(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x

    converted = paddle.jit.to_static(checked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert converted(ones(1)).item() == 1.0
        with pytest.raises(ValueError, match="negative"):
            converted(-ones(1))


# Decisions

def test_decided_for_each_kind_of_call():
    traced = []

    @paddle.jit.to_static
    def function(x, exact):
        traced.append(exact)
        return x + x.numpy() if exact else x + x

    with pytest.warns(FallbackWarning) as given:
        for _ in range(3):
            for exact in (True, False):
                assert function(ones(1), exact).item() == 2.0
    assert len(given) == 1 and len(function.program_cache) == 1
    assert traced.count(True) == traced.count(False) == 3 and function.get_traced_count() == 1


def test_no_endless_tries():
    attempts = []

    def function(x):
        attempts.append(type(x).__name__)  # put back behind a failed trace
        if x.__class__.__name__ == "Variable":
            note(1)  # which nothing puts back
        return x + x.numpy()

    tries = queue.SimpleQueue()
    note = paddle.jit.not_to_static(lambda value: tries.put(value))
    converted = paddle.jit.to_static(function)
    with pytest.warns(FallbackWarning):
        for size in range(1, 12):
            converted(ones(size))
    assert tries.qsize() == 4 and attempts == ["Tensor"] * 11


def test_left_as_it_is_without_a_word():
    @paddle.jit.to_static
    @paddle.jit.not_to_static
    def function(x):
        return x * float(x.numpy().sum())

    assert function(ones(1)).item() == 1.0


def test_the_warning_says_all_and_can_be_an_error():
    def measured(x):
        size = x * 2
        return size.item()

    with pytest.warns(FallbackWarning) as given:
        paddle.jit.to_static(measured)(ones(1))
    text, line = str(given[0].message), measured.__code__.co_firstlineno
    assert f'File "{__file__}", line {line}, in measured' in text and f'line {line + 2}, in measured' in text
    assert "measured` runs as it was written" in text and "x.item()" in text
    assert "full_graph=True" in text and "not_to_static" in text and "filterwarnings" in text
    assert (given[0].filename, given[0].lineno) == (__file__, line)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FallbackWarning):
            paddle.jit.to_static(lambda x: x.item())(ones(1))


def test_save_says_line_reason_and_way_out(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            return x * max(x.tolist())

    net = Net()
    with pytest.raises(TypeError, match=rf"tolist\(\).*{Net.forward.__code__.co_firstlineno + 1}\).*keep to tensor"):
        paddle.jit.save(net, str(tmp_path / "net"), input_spec=[InputSpec([None, 2])])
    assert list(tmp_path.iterdir()) == []
    sign = executed(SIGN)["sign"]
    with pytest.raises(ConversionError, match="no source to read.*Keep the function in a file"):
        paddle.jit.save(sign, str(tmp_path / "net"), input_spec=[InputSpec([None, 2])])


def test_a_part_that_cannot_be_converted_takes_the_whole_along():
    part = executed(SIGN)["sign"]

    def whole(x):
        return part(x) + 1

    assert falls_back(whole, ones(2), reason="has no value")[0].tolist() == [3.0, 3.0]


def test_the_converted_parts_of_a_function_that_is_not():
    @paddle.jit.to_static
    def part(x):
        return x * 2 if x.sum() > 0 else x

    def whole(x):
        return part(x) * float(part(x).numpy().sum())

    with pytest.warns(FallbackWarning, match="whole"):
        paddle.jit.to_static(whole)(ones(2))
    assert len(part.program_cache) == 1


# Where no other way is left

def test_numpy_and_item_stand_for_the_tensor_without_its_gradient():
    def threshold(x, counts):
        total = paddle.zeros([3], "int64")
        if x.mean().numpy() > 1:
            x = x * x.max().item()
        for count in counts.numpy():
            total = total + count
        for _ in range(counts.numpy()[0]):
            x = x + 1
        return x * x.numpy(), total, counts.item(1), counts.reshape([1, 2]).item(0, 1)

    counts = paddle.to_tensor([2, 3])
    for value in (1.0, 4.0):
        rows = []
        for function in (threshold, paddle.jit.to_static(threshold, full_graph=True)):
            x = paddle.full([3], value)
            x.stop_gradient = False
            results = function(x, counts)
            results[0].sum().backward()
            rows.append([*(np.asarray(r) for r in results), x.grad.numpy()])
        for wanted, found in zip(*rows, strict=True):
            np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
@pytest.mark.parametrize("size", [3, None])
def test_elements_of_arrays_are_numbers_beside_tensors(dtype, size):
    def added(x):
        total, first = paddle.full([1], 0, "float32" if dtype == "float64" else "int32"), paddle.full([1], 2.0)
        for value in x.numpy():
            total = total + value
        for i, value in enumerate(x.numpy()[1:]):
            first = first * value + i
        return total, first, paddle.full([1], 7, "int32") - x.numpy()[0], paddle.full([1], 7, "int32") + x.numpy()

    x = paddle.to_tensor([1, 2, 3]).astype(dtype)
    static = paddle.jit.to_static(added, input_spec=[InputSpec([size], dtype)], full_graph=True)
    for wanted, found in zip(added(x), static(x), strict=True):
        assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist())


def test_the_place_of_a_tensor():
    @paddle.jit.to_static(full_graph=True)
    def beside(x):
        if x.place.is_gpu_place():
            return x
        return x + paddle.to_tensor([1.0], place=x.place), str(x.place), getattr(x, "place")

    total, text, place = beside(ones(1))
    assert (total.tolist(), text, place) == ([2.0], str(ones(1).place), ones(1).place)


def test_a_program_with_arrays_in_it_is_for_files_alone(tmp_path):
    @paddle.jit.to_static
    def largest(x):
        return x.numpy().max()

    paddle.jit.save(largest, str(tmp_path / "m"), input_spec=[InputSpec([2], "float32", "x")])
    assert float(paddle.jit.load(str(tmp_path / "m"))(ones(2))) == 1.0
    with pytest.warns(FallbackWarning, match="numpy"):
        assert isinstance(largest(ones(2)), np.floating)


def training_step():
    paddle.seed(3)
    net = nn.Linear(2, 1)
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())

    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return net, optimizer, step


def test_a_training_step_runs_as_it_was_written_and_says_so():
    (eager, _, step), (net, _, other) = training_step(), training_step()
    converted = paddle.jit.to_static(other)
    x = paddle.ones([3, 2])
    with pytest.warns(FallbackWarning, match=r"in step: RuntimeError: backward\(\).*full_graph=True.*paddle.grad"):
        first = converted(x)
    losses = [first.item(), *(converted(x).item() for _ in range(2))]
    np.testing.assert_array_equal(losses, [step(x).item() for _ in range(3)])
    np.testing.assert_array_equal(net.weight.numpy(), eager.weight.numpy())


CHANGES = {
    "backward": lambda loss, optimizer: loss.backward(retain_graph=True),
    "step": lambda loss, optimizer: optimizer.step(),
    "clear_grad": lambda loss, optimizer: optimizer.clear_grad(),
    "minimize": lambda loss, optimizer: optimizer.minimize(loss),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changes_gradients_that_tensors_hold_is_no_part_of_a_program(change):
    """It happened once, while the Program was made, and never when that ran."""
    def make():
        net, optimizer, _ = training_step()
        loss = net(paddle.ones([1, 2])).mean()
        loss.backward(retain_graph=True)

        def function(x):
            change(loss, optimizer)
            return net(x)

        return net, function

    (eager, function), (net, other) = make(), make()
    converted = paddle.jit.to_static(other)
    x = paddle.ones([1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)  # given once for all of these
        for _ in range(3):
            converted(x).sum().backward()
            function(x).sum().backward()
    np.testing.assert_array_equal(net.weight.numpy(), eager.weight.numpy())
    np.testing.assert_array_equal(net.weight.grad.numpy(), eager.weight.grad.numpy())
    if change is CHANGES["backward"]:
        with pytest.raises(RuntimeError, match="was computed outside of the function.*return the loss"):
            paddle.jit.to_static(make()[1], full_graph=True)(x)


OF_ONE = {
    "weight.clear_grad()": lambda net: net.weight.clear_grad(),
    "weight.clear_gradient(False)": lambda net: net.weight.clear_gradient(False),
    "weight.grad = None": lambda net: setattr(net.weight, "grad", None),
    "weight.grad = zeros": lambda net: setattr(net.weight, "grad", paddle.zeros([2, 1])),
    "net.clear_gradients()": lambda net: net.clear_gradients(),
    "clip_grad_norm_": lambda net: nn.utils.clip_grad_norm_(net.parameters(), 0.1),
    "clip_grad_value_": lambda net: nn.utils.clip_grad_value_(net.parameters(), 0.1),
}


@pytest.mark.parametrize("change", OF_ONE.values(), ids=OF_ONE)
def test_what_changes_one_gradient_happens_at_each_call(change):
    """It happened while the Program was made, and at no later call; under full_graph each run does it."""
    def make():
        net, _, _ = training_step()

        def function(x):
            change(net)
            return net(x)

        return net, function

    for full_graph in (False, True):
        (eager, function), (net, other) = make(), make()
        converted = paddle.jit.to_static(other, full_graph=full_graph)
        x = paddle.ones([1, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            for _ in range(3):
                function(x).sum().backward()
                converted(x).sum().backward()
                np.testing.assert_array_equal(net.weight.grad.numpy(), eager.weight.grad.numpy())


def test_what_reads_a_gradient_reads_it_at_each_call():
    """It was read once, and what it was then used ever after."""
    for full_graph in (False, True):
        net, _, _ = training_step()
        converted = paddle.jit.to_static(
            lambda x, net=net: x * 0 if net.weight.grad is None else x * net.weight.grad.sum(), full_graph=full_graph)
        x = paddle.ones([1, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            assert converted(x).tolist() == [[0, 0]]
            for times in (1, 2, 3):
                net(x).sum().backward()
                assert converted(x).tolist() == [[2.0 * times, 2.0 * times]]


def test_what_full_graph_is_where_nobody_says_it(monkeypatch):
    def as_list(x):
        return x.tolist()

    monkeypatch.delenv("ENABLE_FALL_BACK", raising=False)
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.jit.api.sot_mode_guard(False):
        whole, may_fall_back = paddle.jit.to_static(as_list), paddle.jit.to_static(as_list, full_graph=False)
        with paddle.jit.api.sot_mode_guard(True):
            inner = paddle.jit.to_static(as_list, full_graph=None)
    assert "ENABLE_FALL_BACK" not in os.environ
    with pytest.raises(TypeError, match="has no value while the Program is being built"):
        whole(x)
    with pytest.warns(FallbackWarning):
        assert may_fall_back(x) == [1.0, 2.0]
    for function in (inner, paddle.jit.to_static(as_list, full_graph=None)):
        assert function(x) == [1.0, 2.0]
    monkeypatch.setenv("ENABLE_FALL_BACK", "False")
    with pytest.raises(TypeError, match="has no value"):
        paddle.jit.to_static(as_list)(x)
    with pytest.raises(TypeError, match=r"to_static\(full_graph\): must be True or False. Received 1"):
        paddle.jit.to_static(as_list, full_graph=1)


def widened(x, w):
    if x.sum() > 0:
        x = x + w
    return x * 2


def chosen_early(x, w):
    if x.sum() > 0:
        return x + w
    return x.reshape([-1])


def appended(x, w):
    items = []
    if x.sum() > 0:
        items.append(x)
    else:
        items.append(x * w)
    return items[0] * 3


@pytest.mark.parametrize("function", [widened, chosen_early, appended])
def test_branches_may_leave_different_numbers_of_dimensions_where_no_other_way_is_left(function, tmp_path):
    w = paddle.ones([3, 2])
    whole = paddle.jit.to_static(function, full_graph=True)
    specs = [InputSpec([1], "float32", "x"), InputSpec([3, 2], "float32", "w")]
    with pytest.warns(UserWarning, match="declares the larger number"):
        paddle.jit.save(paddle.jit.to_static(function), str(tmp_path / "m"), input_spec=specs)
    for kept in (whole, paddle.jit.load(str(tmp_path / "m"))):
        for value in (2.0, -2.0):
            x = paddle.to_tensor([value], stop_gradient=False)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "(?s).*declares the larger number")
                found = kept(x, w)
            wanted = function(x, w)
            assert found.shape == wanted.shape and found.tolist() == wanted.tolist()
            found.sum().backward()
            gradient = x.grad
            x.clear_gradient()
            wanted.sum().backward()
            assert gradient.tolist() == x.grad.tolist()
    with pytest.warns(FallbackWarning, match="one number of dimensions"):
        assert paddle.jit.to_static(function)(paddle.to_tensor([-2.0]), w).shape == function(x, w).shape


def named(x):
    y = x * 2
    y.name = "doubled"
    return y


def names_what_it_is_given(x):
    x.name = "given"
    return x + 1


def test_a_name_that_is_set_on_a_tensor_is_the_tensors_own():
    assert [result.name for result in falls_back(named, ones(2), reason="is named 'doubled'")] == ["doubled"] * 3
    x = ones(2)
    falls_back(names_what_it_is_given, x, reason="is named 'given'")
    assert x.name == "given"


def test_names_of_other_objects_are_attributes_as_any():
    class Net(nn.Layer):
        def forward(self, x):
            if x.sum() > 0:
                self.name = x * 2
            else:
                self.name = x * 3
            return self.name + 1

    net = Net()
    converted = paddle.jit.to_static(net, full_graph=True)
    assert converted(ones(2)).tolist() == [3.0, 3.0] and converted(-ones(2)).tolist() == [-2.0, -2.0]
    assert net.name.tolist() == [-3.0, -3.0]
