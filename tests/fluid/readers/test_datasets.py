"""Datasets of text files: training by them, pipe commands, memory, threads, what is not right."""

import gc
import gzip
import random
import sys
import threading
import time

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.io.multi_slot.text import parser


@pytest.fixture(autouse=True)
def programs():
    before = set(threading.enumerate())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()), \
            paddle.utils.unique_name.guard():
        yield
    if set(threading.enumerate()) - before:
        gc.collect()
    assert set(threading.enumerate()) <= before, "a reader's thread is left"


@pytest.fixture
def variables():
    return [fluid.layers.data("words", [1], dtype="int64", lod_level=1),
            fluid.layers.data("label", [1], dtype="int64")]


@pytest.fixture
def write(tmp_path):
    def write(name, *lines):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return str(path)

    return write


def dataset_of(variables, files, kind="QueueDataset", batch_size=2, thread=1, command="cat"):
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var(variables)
    dataset.set_batch_size(batch_size)
    dataset.set_thread(thread)
    dataset.set_filelist(files)
    dataset.set_pipe_command(command)
    return dataset


def lines(first, last):
    return [f"2 {n} {n + 1} 1 {n}" for n in range(first, last)]


def labels(dataset, **kwargs):
    return [np.array(batch["label"]).reshape(-1).tolist() for batch in dataset.batches(**kwargs)]


def test_a_program_is_trained_by_a_dataset(write, variables, capsys):
    x, y = fluid.layers.data("x", [2]), fluid.layers.data("y", [1])
    predicted = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.0)))
    loss = paddle.mean((predicted - y) * (predicted - y))
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(0.05).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    dataset = dataset_of([x, y], [write("a", *(f"2 1 {n % 3} 1 {n % 3 + 2}" for n in range(40)))], batch_size=4)
    assert exe.train_from_dataset(fluid.default_main_program(), dataset, fetch_list=[loss], fetch_info=["loss"],
                                  print_period=5) is None
    printed = capsys.readouterr().out
    losses = [float(line.split("[")[1].rstrip("]")) for line in printed.splitlines() if "data:" in line]
    assert printed.startswith(f"loss\t{loss.name}\t\tlod: {{}}\n\tdim: ") and "\tdtype: float\n" in printed
    assert len(losses) == 2 and losses[1] < losses[0]
    exe.infer_from_dataset(test, dataset, fetch_list=[loss], print_period=10)
    assert capsys.readouterr().out.startswith(f"{loss.name}\t{loss.name}\t\t")


def test_what_is_printed_of_sequences(write, variables, capsys):
    same = paddle.scale(variables[0], 2.0)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.train_from_dataset(dataset=dataset_of(variables, [write("a", "2 1 2 1 0", "1 3 1 0")]), fetch_list=[same],
                           fetch_info=["W"], print_period=1)
    assert capsys.readouterr().out == (
        f"W\t{same.name}\t\tlod: {{{{0, 2, 3}}}}\n\tdim: 3, 1\n\tlayout: NCHW\n\tdtype: int64_t\n\tdata: [2 4 6]\n\t\n")


def test_a_fetch_handler_is_told(write, variables):
    told = []

    class Handler(fluid.executor.FetchHandler):
        def handler(self, res_dict):
            told.append(res_dict["label"].tolist())

    exe = fluid.Executor(fluid.CPUPlace())
    dataset = dataset_of(variables, [write("a", *lines(0, 4))])
    exe.train_from_dataset(dataset=dataset, fetch_handler=Handler({"label": variables[1]}, period_secs=0))
    assert told == [[[0], [1]], [[2], [3]]]
    exe.train_from_dataset(dataset=dataset, fetch_handler=Handler({"label": variables[1]}, period_secs=600))
    assert len(told) == 2
    with pytest.raises(ValueError, match="var_dict"):
        fluid.executor.FetchHandler()


def test_a_handler_prints_unless_a_subclass_says_otherwise(capsys):
    fluid.executor.FetchHandler({"auc": "auc"}).handler({"auc": np.array([0.5])})
    fluid.executor.FetchHandler.help()
    assert "auc[0]: [0.5]" in capsys.readouterr().out


def test_files_are_read_in_turn_by_several_threads(write, variables):
    files = [write("a", *lines(0, 5)), write("b", *lines(10, 12)), write("c", *lines(20, 21))]
    assert labels(dataset_of(variables, files)) == [[0, 1], [2, 3], [4, 10], [11, 20]]
    assert labels(dataset_of(variables, files, thread=2)) == [[0, 1], [10, 11], [2, 3], [4, 20]]
    assert labels(dataset_of(variables, files, thread=99)) == [[0, 1], [10, 11], [20], [2, 3], [4]]
    assert labels(dataset_of(variables, files), thread=3) == [[0, 1], [10, 11], [20], [2, 3], [4]]


def test_batches_for_places(write, variables):
    files = [write("a", *lines(0, 5)), write("b", *lines(10, 13))]
    loader = fluid.io.DataLoader.from_dataset(dataset_of(variables, files), fluid.cpu_places(2), drop_last=True)
    assert [[np.array(b["label"]).reshape(-1).tolist() for b in group] for group in loader()] == [[[0, 1], [10, 11]]]
    loader = fluid.io.DataLoader.from_dataset(dataset_of(variables, files), fluid.cpu_places(2), drop_last=False)
    assert [[np.array(b["label"]).reshape(-1).tolist() for b in group] for group in loader()] == [
        [[0, 1], [10, 11]], [[2, 3], [12]], [[4]]]
    with pytest.raises(ValueError, match="2 files for 3 places"):
        fluid.io.DataLoader.from_dataset(dataset_of(variables, files), fluid.cpu_places(3))
    with pytest.raises(TypeError, match="DatasetFactory"):
        fluid.io.DataLoader.from_dataset([1], fluid.cpu_places(1))


def test_leaving_a_dataset_half_way_ends_its_threads_and_its_command(write, variables):
    dataset = dataset_of(variables, [write("a", *lines(0, 9))], command="while true; do cat; echo 1 1 1 1; done")
    for batch in dataset.batches():
        assert np.array(batch["label"]).tolist() == [[0], [1]]
        break


def test_leaving_a_dataset_half_way_does_not_wait_for_a_command_that_is_busy(write, variables):
    dataset = dataset_of(variables, [write("a", *lines(0, 3)), write("b", *lines(0, 3))], thread=2,
                         command="head -n 2; sleep 1000")
    begin = time.monotonic()
    for _ in dataset.batches():
        break
    assert time.monotonic() - begin < 100


@pytest.mark.parametrize("name", ["plain name", "a;touch trap", "$(touch trap)", "quoted'"])
def test_a_pipe_command_gets_the_file_and_not_its_name(write, variables, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dataset = dataset_of(variables, [write(name, *lines(0, 3))], command="sed s/2/5/3 | head -n 2")
    assert labels(dataset) == [[0, 1]]
    assert not (tmp_path / "trap").exists()


def test_packed_files(tmp_path, variables):
    path = tmp_path / "part.gz"
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines(0, 3)) + "\n")
    assert labels(dataset_of(variables, [str(path)])) == [[0, 1], [2]]
    assert labels(dataset_of(variables, [str(path)], command="head -n 1")) == [[0]]


@pytest.mark.parametrize("command", ["exit 3", "false | cat", "no_such_command"])
def test_a_pipe_command_that_fails(write, variables, command):
    exe = fluid.Executor(fluid.CPUPlace())
    with pytest.raises(RuntimeError, match="exit code"):
        exe.train_from_dataset(dataset=dataset_of(variables, [write("a", *lines(0, 3))], command=command))


def test_a_data_generator_as_pipe_command(write, variables, tmp_path):
    script = tmp_path / "generator.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(__import__('pathlib').Path(paddle.__file__).parents[1])!r})\n"
        "import proa.fluid.incubate.data_generator as dg\n"
        "class Lines(dg.MultiSlotDataGenerator):\n"
        "    def generate_sample(self, line):\n"
        "        def samples():\n"
        "            words = [int(word) for word in line.split()]\n"
        "            yield [('words', words), ('label', [len(words)])]\n"
        "        return samples\n"
        "Lines().run_from_stdin()\n")
    dataset = dataset_of(variables, [write("a", "7 8 9", "5")], command=f"{sys.executable} {script}")
    (batch,) = dataset.batches()
    assert batch["words"].lod() == [[0, 3, 4]] and np.array(batch["label"]).tolist() == [[3], [1]]


def test_samples_in_memory_are_shuffled(write, variables):
    random.seed(3)
    dataset = dataset_of(variables, [write("a", *lines(0, 5)), write("b", *lines(5, 9))], "InMemoryDataset",
                         batch_size=9, thread=2)
    dataset.load_into_memory()
    assert labels(dataset) == [[*range(9)]] and dataset.get_shuffle_data_size() == 0
    dataset.local_shuffle()
    (once,) = labels(dataset)
    dataset.global_shuffle()
    (twice,) = labels(dataset)
    assert sorted(once) == sorted(twice) == [*range(9)] and len({*map(tuple, (once, twice, range(9)))}) == 3
    assert dataset.get_memory_data_size() == dataset.get_shuffle_data_size() == 9
    (batch,) = dataset.batches()
    firsts = np.array(batch["words"])[batch["words"].lod()[0][:-1], 0]
    assert firsts.tolist() == [n or 1 for n in twice]  # a sequence loses its zeros: 0 1 is 1
    dataset.release_memory()
    assert dataset.get_memory_data_size() == 0
    dataset.preload_into_memory()
    with pytest.raises(RuntimeError, match="wait_preload_done"):
        dataset.preload_into_memory()
    dataset.wait_preload_done()
    assert labels(dataset) == [[*range(9)]]


def test_the_values_of_a_slot_are_shuffled_by_themselves(write, variables):
    random.seed(1)
    dataset = dataset_of(variables, [write("a", *lines(1, 9))], "InMemoryDataset", batch_size=8)
    dataset.load_into_memory()
    with pytest.warns(UserWarning, match="set_fea_eval"):
        dataset.slots_shuffle(["label"])
    dataset.set_fea_eval(1, True)
    dataset.slots_shuffle(["label"])
    (batch,) = dataset.batches()
    found = np.array(batch["label"]).reshape(-1).tolist()
    assert np.array(batch["words"])[::2, 0].tolist() == [*range(1, 9)]
    assert sorted(found) == [*range(1, 9)] and found != sorted(found)


def test_2_x_sets_all_at_once(write, variables):
    files = [write("a", *lines(1, 5))]
    dataset = paddle.distributed.InMemoryDataset()
    dataset.init(batch_size=4, thread_num=1, use_var=variables, pipe_command="cat")
    dataset._init_distributed_settings(fea_eval=True)
    dataset.set_filelist(files)
    dataset.load_into_memory(is_shuffle=True)
    assert sorted(labels(dataset)[0]) == [1, 2, 3, 4] and dataset.get_shuffle_data_size() == 4
    dataset.update_settings(batch_size=3, pipe_command="head -n 3")
    dataset.load_into_memory()
    assert labels(dataset) == [[1, 2, 3]]
    queue = paddle.distributed.QueueDataset()
    queue.init(batch_size=2, use_var=variables)
    queue.set_filelist(files)
    paddle.static.Executor().train_from_dataset(fluid.default_main_program(), queue)
    queue.init(use_var=variables, fs_name="hdfs://there", fs_ugi="me")
    with pytest.raises(NotImplementedError, match="this machine"):
        queue.set_filelist(["hdfs://there/a"])


@pytest.mark.parametrize("ahead, settings", [
    ("1 i7 ", ["set_parse_ins_id"]), ("1 i7 1 text ", ["set_parse_ins_id", "set_parse_content"]),
    ("1 k ", ["set_parse_logkey"]),
])
def test_ids_and_texts_before_the_slots_are_left_aside(write, variables, ahead, settings):
    dataset = dataset_of(variables, [write("a", f"{ahead}2 4 6 1 1")], "InMemoryDataset")
    dataset.set_hdfs_config("name", "me")
    dataset.set_pv_batch_size(2)
    dataset.set_merge_by_sid(False)
    dataset.set_enable_pv_merge(False)
    for setting in settings:
        getattr(dataset, setting)(True)
    dataset.load_into_memory()
    [batch] = dataset.batches()
    assert np.array(batch["words"]).tolist() == [[4], [6]] and np.array(batch["label"]).tolist() == [[1]]


def test_a_line_without_the_announced_id(write, variables):
    dataset = dataset_of(variables, [write("a", "2 4 6 1 1")], "InMemoryDataset")
    dataset.set_parse_ins_id(True)
    with pytest.raises(ValueError, match="a:1: a line begins with 1 of an id"):
        dataset.load_into_memory()


@pytest.mark.parametrize("line, says", [
    ("0 1 5", "a:1: the slot 'words'.*at least 1"),
    ("2 1", "'words' has 1 values, and 2 are announced|2 values"),
    ("1 a 1 5", "'words' takes values of dtype int64"),
    ("1 1.5 1 5", "'words' takes values of dtype int64"),
    ("", "'words'"),
    ("1 1", "'label'"),
    ("1 1 2 5 6", r"'label' is a Variable of shape \[-1, 1\]"),
])
def test_lines_that_do_not_fit(write, variables, line, says):
    with pytest.raises(ValueError, match=says):
        labels(dataset_of(variables, [write("a", line)]))


def test_what_stands_behind_the_last_slot_is_warned_of(write, variables):
    with pytest.warns(UserWarning, match="behind the last slot, 'label'"):
        assert parser(dataset_of(variables, [])._slots())("1 4 1 5 1 6", "a", 1) == ((4,), (5,))


@pytest.mark.parametrize("act, error, says", [
    (lambda d, v: fluid.DatasetFactory().create_dataset("Other"), ValueError, "InMemoryDataset"),
    (lambda d, v: d.set_use_var([fluid.layers.data("z", [1], dtype="float64")]), ValueError, "float64"),
    (lambda d, v: d.set_batch_size(0), ValueError, "at least 1"),
    (lambda d, v: d.set_filelist("a.txt"), TypeError, "list of files"),
    (lambda d, v: d.local_shuffle(), NotImplementedError, "InMemoryDataset"),
    (lambda d, v: d.global_shuffle(), NotImplementedError, "InMemoryDataset"),
    (lambda d, v: d.set_filelist(["afs:/a"]), NotImplementedError, "this machine"),
    (lambda d, v: d.set_rank_offset("rank"), NotImplementedError, "page views"),
    (lambda d, v: fluid.InMemoryDataset().set_enable_pv_merge(True), NotImplementedError, "page views"),
    (lambda d, v: labels(dataset_of(v, ["no_such_file"])), FileNotFoundError, "no_such_file"),
    (lambda d, v: labels(dataset_of([], ["no_such_file"])), ValueError, "set_use_var"),
    (lambda d, v: labels(dataset_of(v, [], "InMemoryDataset")), RuntimeError, "load_into_memory"),
    (lambda d, v: fluid.InMemoryDataset().wait_preload_done(), RuntimeError, "preload_into_memory"),
    (lambda d, v: fluid.InMemoryDataset().set_merge_by_lineid(), NotImplementedError, "pipe command"),
    (lambda d, v: fluid.Executor().train_from_dataset(), RuntimeError, "DatasetFactory"),
    (lambda d, v: fluid.Executor().train_from_dataset(dataset=d, fetch_list=[v[1]], fetch_info=["a", "b"]), ValueError,
     "Received 2"),
])
def test_what_is_not_right_is_said(variables, act, error, says):
    with pytest.raises(error, match=says):
        act(fluid.QueueDataset(), variables)


def test_the_class_makes_a_dataset_too():
    """1.8.5's example asks the class, which takes the name for itself."""
    assert type(fluid.DatasetFactory.create_dataset("FileInstantDataset")) is fluid.dataset.QueueDataset
