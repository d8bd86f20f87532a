"""What readers, feeders and datasets give: the same code under proa and under PaddlePaddle 1.8.5, as JSON."""

import os
import random
import tempfile

import numpy as np


def shown(value):
    """A batch as plain values: [array, dtype, offsets] for each LoD tensor."""
    if isinstance(value, dict):
        return {name: shown(value[name]) for name in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [shown(part) for part in value]
    array = np.array(value)
    return [array.tolist(), str(array.dtype), value.lod()]


def samples(count=5):
    def reader():
        for n in range(count):
            yield np.full(3, n, "float32"), n, list(range(n + 1))

    return reader


def inputs(fluid):
    return [fluid.layers.data("x", [3]), fluid.layers.data("y", [1], dtype="int64"),
            fluid.layers.data("w", [1], dtype="int64", lod_level=1)]


def iterable_loaders(fluid, paddle):
    """Every form that an iterable loader gives batches in."""
    found = []
    variables = inputs(fluid)
    for places, return_list, drop_last in [(1, False, True), (2, False, True), (2, False, False), (1, True, True),
                                           (2, True, False)]:
        loader = fluid.io.DataLoader.from_generator(variables, capacity=2, return_list=return_list,
                                                    drop_last=drop_last)
        loader.set_sample_generator(samples(), batch_size=2, drop_last=drop_last, places=fluid.cpu_places(places))
        found.append([shown(batch) for batch in loader()])
    return found


def py_readers(fluid, paddle):
    """The three kinds of generators that a PyReader takes."""
    x, y, w = inputs(fluid)
    first = fluid.io.PyReader([x, y], capacity=2)
    first.decorate_sample_generator(lambda: (s[:2] for s in samples()()), batch_size=2, places=fluid.CPUPlace())
    second = fluid.io.PyReader([x, y, w], capacity=2)
    second.decorate_sample_list_generator(paddle.batch(samples(), 2), places=fluid.CPUPlace())
    third = fluid.io.PyReader([x, y], capacity=2)
    third.decorate_batch_generator(
        lambda: iter([[np.zeros((2, 3), "float32"), np.ones((2, 1), "int64")]]), places=[fluid.CPUPlace()])
    return [[shown(batch) for batch in reader()] for reader in (first, second, third)]


def _epochs(fluid, main, startup, reader, out, epochs=2):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    found = []
    for _ in range(epochs):
        reader.start()
        losses = []
        try:
            while True:
                losses.append(float(np.array(exe.run(main, fetch_list=[out.name])[0]).reshape(-1)[0]))
        except fluid.core.EOFException:
            losses.append("end")
            reader.reset()
        found.append(losses)
    return found


def _sum(fluid, x, y):
    return fluid.layers.fc(x, 1, num_flatten_dims=1, param_attr=fluid.ParamAttr(
        initializer=fluid.initializer.Constant(0.5))), fluid.layers.fc(
            x, 2, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.25)))


def _batches():
    for n in range(3):
        yield [np.full((2, 3), n, "float32"), np.full((2, 1), n, "int64")]


def program_readers(fluid, paddle):
    """Programs that read their own input: their epochs, and the operations and variables that stand in them."""
    found = []
    for kind in ("loader", "unbuffered", "py_reader", "by_data"):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            if kind in ("loader", "unbuffered"):
                x, y = inputs(fluid)[:2]
                reader = fluid.io.DataLoader.from_generator([x, y], capacity=2, iterable=False,
                                                            use_double_buffer=kind == "loader")
                reader.set_batch_generator(_batches)
            elif kind == "py_reader":
                reader = fluid.layers.py_reader(2, [[-1, 3], [-1, 1]], ["float32", "int64"], name="train")
                x, y = fluid.layers.read_file(reader)
                reader.decorate_tensor_provider(_batches)
            else:
                reader = fluid.layers.create_py_reader_by_data(2, inputs(fluid)[:2], name="given")
                x, y = fluid.layers.read_file(reader)
                reader.decorate_batch_generator(_batches)
            out, _ = _sum(fluid, x, y)
        found.append({"epochs": _epochs(fluid, main, startup, reader, out),
                      "test": _epochs(fluid, main.clone(for_test=True), startup, reader, out, 1),
                      "main": _reading(main), "startup": _reading(startup),
                      "out": [[v.name, list(v.shape), v.stop_gradient] for v in (x, y)]})
    return found


def _reading(program):
    """The operations that read, with the numbers of loaders taken away."""
    found = []
    for op in program.global_block().ops:
        if "read" in op.type:
            slots = {slot: op.input(slot) for slot in op.input_names}
            slots.update({slot: op.output(slot) for slot in op.output_names})
            attrs = {name: op.attr(name) for name in ("shape_concat", "ranks", "lod_levels", "dtypes", "drop_last",
                                                      "throw_eof_exp", "infer_out") if op.has_attr(name)}
            found.append([op.type, {slot: [_unnumbered(n) for n in names] for slot, names in slots.items()}, attrs])
    return found


def _unnumbered(name):
    head = name.rpartition("_")[0]
    return head if head in ("lod_tensor_blocking_queue", "create_py_reader", "double_buffer") else name


def feeders(fluid, paddle):
    """What a DataFeeder makes of samples."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x, y, w = inputs(fluid)
        image = fluid.layers.data("image", [1, 2, 2])
        nested = fluid.layers.data("nested", [2], lod_level=2)
        fluid.layers.data("any", [-1, -1, 2], append_batch_size=False)
        flat = fluid.DataFeeder([x, y, w], fluid.CPUPlace())
        images = fluid.DataFeeder(["image", "y"], fluid.CPUPlace(), program=main)
        deep = fluid.DataFeeder([nested], fluid.CPUPlace())
        free = fluid.DataFeeder(["any"], fluid.CPUPlace())
    assert image.name == "image"
    several = flat.decorate_reader(paddle.batch(samples(4), 1), multi_devices=True, num_places=2)
    return [
        shown(flat.feed(list(samples(3)()))),
        shown(images.feed([([1, 2, 3, 4], 7), (np.arange(4.0), 8)])),
        shown(deep.feed([([[[1, 2]], [[3, 4], [5, 6]]],), ([[], [[7, 8]]],)])),
        shown(free.feed([(np.ones((1, 2)),), (np.zeros((1, 2)),)])),
        shown(list(flat.feed_parallel([list(samples(1)()), list(samples(2)())], 2))),
        [shown(batch) for batch in several()],
        [shown(batch) for batch in flat.decorate_reader(paddle.batch(samples(3), 2), multi_devices=False)()],
    ]


LINES = {"a.txt": "".join(f"{n % 3 + 1} {' '.join(map(str, range(n % 3 + 1)))} 1 {n} 2 0.5 {n}\n" for n in range(7)),
         "b.txt": "1 9 1 100 2 0.25 9\n2 18446744073709551615 -3 1 5 2 1e-3 -2\n"}


def datasets(fluid, paddle):
    """The batches of datasets of text files, and what they tell of themselves."""
    folder = tempfile.mkdtemp()
    for name, text in LINES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    words, label, dense = [fluid.layers.data("words", [1], dtype="int64", lod_level=1),
                           fluid.layers.data("label", [1], dtype="int64"), fluid.layers.data("dense", [2])]
    found = []
    for kind in ("QueueDataset", "InMemoryDataset"):
        for command in ("cat", "sed 's/100/7/' | head -n 6"):
            dataset = fluid.DatasetFactory().create_dataset(kind)
            dataset.set_use_var([words, label, dense])
            dataset.set_batch_size(3)
            dataset.set_thread(1)
            dataset.set_filelist([os.path.join(folder, name) for name in sorted(LINES)])
            dataset.set_pipe_command(command)
            sizes = []
            if kind == "InMemoryDataset":
                dataset.load_into_memory()
                sizes = [int(dataset.get_memory_data_size())]
            loader = fluid.io.DataLoader.from_dataset(dataset, fluid.cpu_places(1), False)
            batches = [{name: [np.array(value).tolist(), value.lod() if name == "words" else []]
                        for name, value in batch[0].items()} for batch in loader()]
            found.append({"desc": dataset.desc(), "batches": batches, "sizes": sizes})
    return found


def lod_tensors(fluid, paddle):
    """What create_lod_tensor gives."""
    np.random.seed(7)
    rows = np.arange(10.0).reshape(5, 2)
    place = fluid.CPUPlace()
    made = [fluid.create_lod_tensor(rows, [[2, 3]], place), fluid.create_lod_tensor(rows, [[1, 1], [2, 3]], place),
            fluid.create_lod_tensor([[1, 2], [3], [4, 5, 6]], [[2, 1, 3]], place),
            fluid.create_lod_tensor([[1.5, 2], [3]], [[2, 1]], place),
            fluid.create_lod_tensor(rows, [[0, 5, 0]], place),
            fluid.create_random_int_lodtensor([[2, 0, 1]], [2], place, 3, 9)]
    made.append(fluid.create_lod_tensor(made[0], [[4, 1]], place))
    return [shown(tensor) for tensor in made]


def reader_decorators(fluid, paddle):
    """Readers made of readers."""
    def counting(count):
        return lambda: iter(range(count))

    random.seed(5)
    io = fluid.io
    return [
        list(io.batch(counting(5), 2)()), list(io.batch(counting(5), 2, drop_last=True)()),
        list(io.shuffle(counting(7), 3)()), list(io.buffered(counting(4), 2)()), list(io.cache(counting(3))()),
        list(io.chain(counting(2), counting(3))()), [list(row) for row in io.compose(counting(2), counting(2))()],
        list(io.firstn(counting(9), 3)()), list(io.map_readers(lambda a, b: a * b, counting(3), counting(4))()),
        list(io.xmap_readers(lambda a: a * a, counting(6), 2, 3, order=True)()),
        sorted(io.multiprocess_reader([counting(2), counting(3)])()),
    ]


CASES = {case.__name__: case for case in (iterable_loaders, py_readers, program_readers, feeders, datasets, lod_tensors,
                                          reader_decorators)}


def results(fluid, paddle):
    found = {}
    for name, case in CASES.items():
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            found[name] = case(fluid, paddle)
    return found
