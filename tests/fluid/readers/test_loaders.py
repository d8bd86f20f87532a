"""Loaders of generators: threads, exceptions, epochs, several places, what is not right."""

import gc
import multiprocessing
import threading
import time

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest


@pytest.fixture(autouse=True)
def programs():
    before = set(threading.enumerate())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()), \
            paddle.utils.unique_name.guard():
        yield
    if set(threading.enumerate()) - before:
        gc.collect()  # a traceback that a test has kept may hold an epoch
    assert set(threading.enumerate()) <= before, "a reader's thread is left"


@pytest.fixture
def exe():
    return fluid.Executor(fluid.CPUPlace())


def counting(count, rows=2):
    """A reader of batches of one array, which says when it was closed."""
    def batches():
        try:
            for n in range(count):
                batches.given = n + 1
                yield [np.full((rows, 1), n, "float32")]
        finally:
            batches.closed += 1

    batches.given = batches.closed = 0
    return batches


def endless():
    return counting(10**9)


def doubled(iterable=False, **kwargs):
    """x, 2x, and a loader of x."""
    x = fluid.layers.data("x", [1])
    return x, x * 2, fluid.io.DataLoader.from_generator([x], capacity=2, iterable=iterable, **kwargs)


def value(fetched):
    return float(np.asarray(fetched[0]).reshape(-1)[0])


@pytest.mark.parametrize("make", ["PyReader", "from_generator"])
def test_leaving_an_epoch_half_way_closes_the_generator(make):
    x = fluid.layers.data("x", [1])
    source = endless()
    if make == "PyReader":
        loader = fluid.io.PyReader([x], capacity=3)
        loader.decorate_batch_generator(source, fluid.CPUPlace())
    else:
        loader = fluid.io.DataLoader.from_generator([x], capacity=3).set_batch_generator(source, fluid.CPUPlace())
    for _ in range(2):
        for number, data in enumerate(loader()):
            assert value([data[0]["x"]]) == number
            if number == 3:
                break
    gc.collect()
    assert source.closed == 2


def test_it_reads_so_many_batches_ahead_and_no_more():
    x = fluid.layers.data("x", [1])
    source = endless()
    loader = fluid.io.DataLoader.from_generator([x], capacity=3).set_batch_generator(source, fluid.CPUPlace())
    epoch = iter(loader)
    next(epoch)
    deadline = time.monotonic() + 100
    while source.given < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert source.given == 5  # one taken, three waiting, one in the reader's hands
    epoch.close()
    assert source.closed == 1


def test_two_epochs_of_one_loader_at_once():
    x = fluid.layers.data("x", [1])
    loader = fluid.io.DataLoader.from_generator([x], capacity=2).set_batch_generator(counting(3), fluid.CPUPlace())
    pairs = [(value([a[0]["x"]]), value([b[0]["x"]])) for a in loader() for b in loader()]
    assert pairs == [(a, b) for a in range(3) for b in range(3)]


def fails():
    yield [np.zeros((1, 1), "float32")]
    raise KeyError("a broken sample")


def failing_line(info):
    return [entry.name for entry in info.traceback][-1]


def test_what_an_iterable_reader_raises_arrives_with_its_own_lines():
    x = fluid.layers.data("x", [1])
    loader = fluid.io.DataLoader.from_generator([x], capacity=2).set_batch_generator(fails, fluid.CPUPlace())
    epoch = iter(loader)
    next(epoch)
    with pytest.raises(KeyError, match="a broken sample") as info:
        next(epoch)
    assert failing_line(info) == "fails"


@pytest.mark.parametrize("make", ["loader", "py_reader"])
def test_what_a_programs_reader_raises_arrives_in_the_training_loop(exe, make):
    if make == "loader":
        x, y, reader = doubled()
        reader.set_batch_generator(fails)
    else:
        reader = fluid.layers.py_reader(2, [[-1, 1]], ["float32"])
        y = fluid.layers.read_file(reader) * 2
        reader.decorate_tensor_provider(fails)
    for _ in range(2):
        reader.start()
        exe.run(fetch_list=[y])
        with pytest.raises(KeyError, match="a broken sample") as info:
            exe.run(fetch_list=[y])
        assert failing_line(info) == "fails"
        reader.reset()


def test_a_reader_that_raises_stop_iteration_does_not_end_the_epoch_without_a_word():
    def stops():
        raise StopIteration("by mistake")

    x = fluid.layers.data("x", [1])
    loader = fluid.io.DataLoader.from_generator([x], capacity=2).set_batch_generator(stops, fluid.CPUPlace())
    with pytest.raises(RuntimeError, match="return from it"):
        list(loader())


def epoch_of(exe, program, reader, fetched):
    found = []
    reader.start()
    try:
        while True:
            found.append(value(exe.run(program, fetch_list=[fetched])))
    except fluid.core.EOFException as error:
        assert "reset()" in str(error)
        reader.reset()
    return found


@pytest.mark.parametrize("form", ["plain", "compiled", "clone", "compiled clone", "with data parallel"])
def test_epochs_of_a_programs_reader_repeat(exe, form):
    _, y, reader = doubled()
    reader.set_batch_generator(counting(3))
    program = fluid.default_main_program()
    if "clone" in form:
        program = program.clone(for_test=True)
    if "compiled" in form:
        program = fluid.CompiledProgram(program)
    if form == "with data parallel":
        program = fluid.CompiledProgram(program).with_data_parallel(places=fluid.cpu_places(1))
    assert [epoch_of(exe, program, reader, y) for _ in range(3)] == [[0, 2, 4]] * 3


def test_each_of_several_places_takes_a_batch_of_a_programs_reader(exe):
    _, y, reader = doubled()
    reader.set_batch_generator(counting(5, rows=1))
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=fluid.cpu_places(2))
    for _ in range(2):
        found = []
        reader.start()
        with pytest.raises(fluid.core.EOFException):
            while True:
                found.append(exe.run(program, fetch_list=[y])[0].reshape(-1).tolist())
        reader.reset()
        assert found == [[0, 2], [4, 6]]  # the fifth is left over: too few for both places


def epoch_on_two_places(exe, program, reader, y):
    found = []
    reader.start()
    with pytest.raises(fluid.core.EOFException):
        while True:
            found.append(exe.run(program, fetch_list=[y])[0].reshape(-1).tolist())
    reader.reset()
    return found


@pytest.mark.parametrize("trained", [False, True])
def test_what_is_left_over_at_the_end_is_computed_by_fewer_places_unless_they_train(exe, trained):
    x = fluid.data("x", [None, 1])
    reader = fluid.io.DataLoader.from_generator([x], capacity=2, iterable=False, drop_last=False)
    y = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(2.0)))
    loss = paddle.mean(y)
    if trained:
        paddle.optimizer.SGD(0.0).minimize(loss)
    exe.run(fluid.default_startup_program())
    reader.set_batch_generator(counting(5, rows=1))
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss_name=loss.name if trained else None, places=fluid.cpu_places(2))
    rest = [] if trained else [[8]]
    assert [epoch_on_two_places(exe, program, reader, y) for _ in range(2)] == [[[0, 2], [4, 6], *rest]] * 2


def test_fewer_batches_than_places_are_fed_to_what_is_not_trained(exe):
    _, y, loader = doubled(iterable=True, drop_last=False)
    loader.set_batch_generator(counting(3, rows=1), places=fluid.cpu_places(2))
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=fluid.cpu_places(2))
    found = [exe.run(program, feed=data, fetch_list=[y])[0].reshape(-1).tolist() for data in loader()]
    assert found == [[0, 2], [4]]
    with pytest.raises(ValueError, match="there are 2. Received 3"):
        exe.run(program, feed=[{}, {}, {}], fetch_list=[y])


def test_several_places_are_fed_by_an_iterable_loader(exe):
    _, y, loader = doubled(iterable=True)
    loader.set_batch_generator(counting(4, rows=1), places=fluid.cpu_places(2))
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=fluid.cpu_places(2))
    found = [exe.run(program, feed=data, fetch_list=[y])[0].reshape(-1).tolist() for data in loader()]
    assert found == [[0, 2], [4, 6]]


def test_the_end_stays_the_end_till_the_reader_is_started_again(exe):
    _, y, reader = doubled()
    reader.set_batch_generator(counting(1))
    reader.start()
    exe.run(fetch_list=[y])
    for _ in range(2):
        with pytest.raises(fluid.core.EOFException):
            exe.run(fetch_list=[y])
    reader.start()
    assert value(exe.run(fetch_list=[y])) == 0
    reader.reset()


def test_reset_half_way_begins_anew(exe):
    _, y, reader = doubled()
    source = endless()
    reader.set_batch_generator(source)
    for _ in range(3):
        reader.start()
        assert [value(exe.run(fetch_list=[y])) for _ in range(2)] == [0, 2]
        reader.reset()
    assert source.closed == 3
    reader.reset()


def test_a_program_trained_by_its_reader_is_saved_for_inference(exe, tmp_path):
    _, _, reader = doubled()
    x = fluid.default_main_program().global_block().var("x")
    y = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(3.0)))
    exe.run(fluid.default_startup_program())
    reader.set_batch_generator(counting(2))
    assert epoch_of(exe, None, reader, y) == [0, 3]
    fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe)
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        assert feeds == ["x"]
        assert value(exe.run(program, feed={"x": np.ones((1, 1), "float32")}, fetch_list=fetches)) == 3


def test_gradients_do_not_stumble_over_the_operations_that_read(exe):
    reader = fluid.layers.py_reader(2, [[-1, 2], [-1, 1]], ["float32", "float32"])
    x, label = fluid.layers.read_file(reader)
    y = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.0)))
    loss = paddle.mean((y - label) * (y - label))
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe.run(fluid.default_startup_program())
    reader.decorate_paddle_reader(fluid.io.batch(lambda: (([1.0, 2.0], 5.0) for _ in range(12)), 2))
    losses = epoch_of(exe, None, reader, loss)
    assert len(losses) == 6 and losses[-1] < losses[0] / 10


def test_fed_variables_are_not_read(exe):
    _, y, reader = doubled()
    reader.set_batch_generator(counting(1))
    assert value(exe.run(feed={"x": np.ones((1, 1), "float32")}, fetch_list=[y])) == 2
    reader.start()
    assert value(exe.run(feed={"x": np.ones((1, 1), "float32")}, fetch_list=[y])) == 2
    assert value(exe.run(fetch_list=[y])) == 0
    reader.reset()


def test_sequences_come_as_lod_tensors(exe):
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    reader = fluid.io.DataLoader.from_generator([words], capacity=2, iterable=False)
    reader.set_sample_generator(lambda: (([n] * (n + 1),) for n in range(3)), batch_size=3)
    same = paddle.scale(words, 1.0)
    reader.start()
    found = exe.run(fetch_list=[same], return_numpy=False)[0]
    assert found.lod() == [[0, 1, 3, 6]] and np.array(found).tolist() == [[0], [1], [1], [2], [2], [2]]
    reader.reset()


def test_a_py_reader_of_sequences(exe):
    reader = fluid.layers.py_reader(2, [[-1, 1]], ["int64"], lod_levels=[1])
    words = fluid.layers.read_file(reader)
    reader.decorate_tensor_provider(
        lambda: iter([[fluid.create_lod_tensor(np.arange(5).reshape(5, 1), [[2, 3]], fluid.CPUPlace())]]))
    reader.start()
    found = exe.run(fetch_list=[paddle.scale(words, 2.0)], return_numpy=False)[0]
    assert found.lod() == [[0, 2, 5]] and np.array(found).tolist() == [[0], [2], [4], [6], [8]]
    reader.reset()


def test_a_py_reader_gives_batches_of_other_sizes_than_it_was_told(exe):
    reader = fluid.layers.py_reader(2, [[-1, 3]], ["float32"])
    y = fluid.layers.reduce_sum(fluid.layers.read_file(reader))
    reader.decorate_tensor_provider(lambda: ([np.ones((n, n), "float32")] for n in (3, 5)))
    reader.start()
    assert [value(exe.run(fetch_list=[y])) for _ in range(2)] == [9, 25]
    reader.reset()


def test_two_programs_that_read_one_py_reader(exe):
    reader = fluid.layers.py_reader(2, [[-1, 1]], ["float32"], name="shared")
    first = fluid.layers.read_file(reader) * 2
    second = fluid.layers.read_file(reader) * 3
    reader.decorate_tensor_provider(counting(4))
    reader.start()
    assert [float(v.reshape(-1)[0]) for v in exe.run(fetch_list=[first, second])] == [0, 3]
    assert [float(v.reshape(-1)[0]) for v in exe.run(fetch_list=[first, second])] == [4, 9]
    reader.reset()


def test_a_dict_for_each_place(exe):
    x = fluid.layers.data("x", [1])
    loader = fluid.io.DataLoader.from_generator([x], capacity=4, drop_last=False)
    loader.set_batch_generator(counting(5), places=fluid.cpu_places(2))
    assert [[value([part["x"]]) for part in data] for data in loader()] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("use_multiprocess", [False, True])
def test_eager_code_gets_tensors(use_multiprocess):
    def samples():
        for n in range(5):
            yield np.full(2, n, "float32"), n

    paddle.disable_static()
    loader = paddle.io.DataLoader.from_generator(capacity=2, use_multiprocess=use_multiprocess)
    loader.set_sample_list_generator(paddle.batch(samples, 2))
    found = [[t.numpy().tolist() for t in batch] for batch in loader()]
    assert found == [[[[0, 0], [1, 1]], [0, 1]], [[[2, 2], [3, 3]], [2, 3]], [[[4, 4]], [4]]]


def test_leaving_an_epoch_does_not_wait_for_a_process_that_is_busy():
    def slow():
        yield [np.zeros(2)]
        time.sleep(1000)

    paddle.disable_static()
    loader = paddle.io.DataLoader.from_generator(capacity=2, use_multiprocess=True).set_batch_generator(slow)
    begin = time.monotonic()
    for batch in loader():
        assert batch[0].shape == [2]
        break
    assert time.monotonic() - begin < 100 and not multiprocessing.active_children()


def test_what_a_process_raises_arrives():
    loader = paddle.io.DataLoader.from_generator(capacity=2, use_multiprocess=True).set_batch_generator(fails)
    batches = iter(loader)
    next(batches)
    with pytest.raises(KeyError, match="a broken sample") as info:
        next(batches)
    assert "in fails" in str(info.value.__cause__)


@pytest.mark.parametrize("make", [fluid.io.DataLoader.from_generator, fluid.io.PyReader])
def test_under_a_guard_a_reader_gives_what_1_x_computes_with(make):
    with fluid.dygraph.guard():
        loader = make(capacity=2)
        set_source = loader.set_batch_generator if hasattr(loader, "set_batch_generator") else (
            loader.decorate_batch_generator)
        label = fluid.dygraph.to_variable(np.zeros(2))
        set_source(lambda: iter([[np.ones((2, 3), "float32"), label]]), fluid.CPUPlace())
        (batch,) = list(loader())
        kinds = {type(value) for value in batch}
        assert kinds == {type(label)} and batch[0].shape == [2, 3]


def test_the_dataloader_of_1_x_gives_dicts():
    class Squares(paddle.io.Dataset):
        def __getitem__(self, index):
            return np.array([index], "float32"), np.array([index * index], "int64")

        def __len__(self):
            return 3

    x, y = fluid.layers.data("x", [1]), fluid.layers.data("y", [1], dtype="int64")
    loader = fluid.io.DataLoader(Squares(), feed_list=[x, y], places=fluid.cpu_places(1), batch_size=2)
    assert [{name: np.asarray(v).tolist() for name, v in data[0].items()} for data in loader()] == [
        {"x": [[0], [1]], "y": [[0], [1]]}, {"x": [[2]], "y": [[4]]}]


def missing(method, **kwargs):
    return lambda: getattr(doubled(**kwargs)[2], method)


@pytest.mark.parametrize("act, error, says", [
    (lambda: fluid.io.PyReader(capacity=2), ValueError, "feed_list"),
    (lambda: fluid.io.PyReader(["x"], capacity=2), TypeError, "Variables"),
    (lambda: doubled()[2].set_batch_generator([1]), TypeError, "a generator"),
    (lambda: doubled()[2].set_sample_generator(counting(2), 0), ValueError, "batch_size"),
    (lambda: fluid.io.PyReader([fluid.layers.data("x", [1])]), ValueError, "capacity"),
    (lambda: doubled()[2].start(), RuntimeError, "no data source"),
    (lambda: list(doubled()[2]()), RuntimeError, "iterable=False"),
    (lambda: list(doubled(iterable=True)[2]()), RuntimeError, "no data source"),
    (lambda: doubled(iterable=True)[2].start(), RuntimeError, "iterable=False"),
    (lambda: doubled(iterable=True)[2].set_batch_generator(counting(1), []), ValueError, "places"),
    (lambda: fluid.layers.open_files(["a.recordio"]), NotImplementedError, "from_generator"),
    (lambda: fluid.layers.read_file(1), TypeError, "py_reader"),
    (lambda: fluid.layers.py_reader(2, [[-1, 1]], ["float32", "int64"]), ValueError, "2 dtypes"),
    (lambda: fluid.layers.create_py_reader_by_data(2, ["x"]), TypeError, "Variables"),
])
def test_what_is_not_right_is_said(act, error, says):
    with pytest.raises(error, match=says):
        act()


def test_a_reader_that_was_not_started_is_no_end_of_an_epoch(exe):
    _, y, reader = doubled()
    reader.set_batch_generator(counting(1))
    with pytest.raises(RuntimeError, match="not been started"):
        exe.run(fetch_list=[y])
    reader.start()
    with pytest.raises(RuntimeError, match="reset"):
        reader.start()
    reader.reset()


@pytest.mark.parametrize("batch, error, says", [
    ([np.zeros((1, 1), "float32")] * 2, ValueError, "a value for each of the 1 variables"),
    ([[[1.0, 2.0], [3.0]]], TypeError, "create_lod_tensor"),
    ([np.zeros((2, 3), "float32")], ValueError, "shape"),
    ([np.array(["a"])], TypeError, "dtype"),
])
def test_batches_that_do_not_fit(exe, batch, error, says):
    x = fluid.data("x", [None, 1])  # of other sizes `layers.data` takes any, as in 1.8.5
    y, reader = x * 2, fluid.io.DataLoader.from_generator([x], capacity=2, iterable=False)
    reader.set_batch_generator(lambda: iter([batch]))
    reader.start()
    with pytest.raises(error, match=says):
        exe.run(fetch_list=[y])
    reader.reset()
