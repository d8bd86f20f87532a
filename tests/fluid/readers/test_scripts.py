"""Scripts of Paddle 1.x that read data, as `python -m proa run` runs them."""

import subprocess
import sys

GENERATOR = """
import paddle.fluid.incubate.data_generator as dg


class Lines(dg.MultiSlotDataGenerator):
    def generate_sample(self, line):
        def samples():
            words = [int(word) for word in line.split()]
            yield [("words", words), ("label", [len(words)])]

        return samples


Lines().run_from_stdin()
"""

TRAINED_BY_A_DATASET = """
import sys
import numpy as np
import paddle.fluid as fluid

with open("part-0", "w") as file:
    file.write("7 8 9\\n5\\n4 4\\n")
words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_batch_size(2)
dataset.set_use_var([words, label])
dataset.set_pipe_command(sys.executable + " generator.py")
dataset.set_filelist(["part-0"])
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
exe.train_from_dataset(program=fluid.default_main_program(), dataset=dataset, fetch_list=[label], fetch_info=["label"],
                       print_period=1)
"""


TRAINED_AND_MEASURED = """
import os
import numpy
import paddle
import paddle.fluid as fluid

os.environ["CPU_NUM"] = "2"


def digits(count, seed):
    def reader():
        random = numpy.random.RandomState(seed)
        for _ in range(count):
            label = random.randint(0, 4)
            image = random.normal(scale=0.3, size=16).astype("float32")
            image[label * 4:label * 4 + 4] += 1
            yield image, label

    return reader


def network(iterable):
    image = fluid.layers.data(name="image", dtype="float32", shape=[16])
    label = fluid.layers.data(name="label", dtype="int64", shape=[1])
    reader = fluid.io.PyReader(feed_list=[image, label], capacity=8, iterable=iterable)
    hidden = fluid.layers.fc(input=image, size=12, act="relu")
    prediction = fluid.layers.fc(input=hidden, size=4, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(input=prediction, label=label))
    return loss, fluid.layers.accuracy(input=prediction, label=label), reader


def build(train, iterable):
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 7
    with fluid.program_guard(main, startup):
        with fluid.unique_name.guard():  # so that both Programs have the same parameters
            loss, accuracy, reader = network(iterable)
            if train:
                fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
    return main, startup, loss, accuracy, reader


def run_iterable(program, fetched, reader):
    return [exe.run(program=program, feed=data, fetch_list=fetched) for data in reader()]


def run_non_iterable(program, fetched, reader):
    found = []
    reader.start()
    try:
        while True:
            found.append(exe.run(program=program, fetch_list=fetched))
    except fluid.core.EOFException:
        reader.reset()
    return found


for iterable in (True, False):
    train_prog, train_startup, train_loss, _, train_reader = build(True, iterable)
    test_prog, test_startup, test_loss, test_accuracy, test_reader = build(False, iterable)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(train_startup)
    exe.run(test_startup)
    train_prog = fluid.CompiledProgram(train_prog).with_data_parallel(loss_name=train_loss.name)
    test_prog = fluid.CompiledProgram(test_prog).with_data_parallel(share_vars_from=train_prog)
    places = fluid.cpu_places() if iterable else None
    train_reader.decorate_sample_list_generator(
        paddle.batch(paddle.reader.shuffle(digits(256, 1), buf_size=256), 16), places=places)
    test_reader.decorate_sample_list_generator(paddle.batch(digits(128, 2), 16), places=places)
    run = run_iterable if iterable else run_non_iterable
    for epoch in range(6):
        losses = run(train_prog, [train_loss.name], train_reader)
        measured = run(test_prog, [test_loss.name, test_accuracy.name], test_reader)
    print(iterable, len(losses), len(measured), numpy.mean([m[1] for m in measured]) > 0.95)
"""

THREE_KINDS = """
import numpy as np
import paddle
import paddle.fluid as fluid


def by_samples():
    for n in range(40):
        yield np.full((6,), n, "float32"), np.array([n % 10], "int64")


def by_batches():
    for n in range(3):
        yield np.full((8, 6), n, "float32"), np.full((8, 1), n, "int64")


def inputs(number):
    return [fluid.layers.data(name="image%d" % number, dtype="float32", shape=[6]),
            fluid.layers.data(name="label%d" % number, dtype="int64", shape=[1])]


places = fluid.cpu_places(2)
first = fluid.io.PyReader(feed_list=inputs(1), capacity=10, iterable=True)
first.decorate_sample_generator(by_samples, batch_size=8, places=places)
second = fluid.io.PyReader(feed_list=inputs(2), capacity=10, iterable=True)
batches = paddle.reader.shuffle(paddle.batch(by_samples, batch_size=8), buf_size=64)
second.decorate_sample_list_generator(batches, places=places)
third = fluid.io.PyReader(feed_list=inputs(3), capacity=10, iterable=True)
third.decorate_batch_generator(by_batches, places=places)
for reader in (first, second, third):
    print([[sorted((name, tuple(value.shape())) for name, value in part.items()) for part in data][0]
           for data in reader()][-1], len(list(reader())))
"""


def run(folder, script, **files):
    for name, text in {"main": script, **files}.items():
        (folder / f"{name}.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "proa", "run", "main.py"], capture_output=True, text=True, cwd=folder,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_network_is_trained_and_measured_by_readers(tmp_path):
    assert run(tmp_path, TRAINED_AND_MEASURED) == "True 8 4 True\nFalse 8 4 True\n"


def test_the_three_kinds_of_generators(tmp_path):
    shape = "[('image{0}', (8, 6)), ('label{0}', (8, 1))] {1}"
    assert run(tmp_path, THREE_KINDS).splitlines() == [shape.format(*pair) for pair in ((1, 2), (2, 2), (3, 1))]


def test_a_pipe_command_that_imports_paddle_finds_proa_too(tmp_path):
    printed = run(tmp_path, TRAINED_BY_A_DATASET, generator=GENERATOR)
    assert [line.strip() for line in printed.splitlines() if "data:" in line] == ["data: [3 1]", "data: [2]"]
