"""Programs that write samples as text, and the reader of a process's own batches."""

import io

import numpy as np
import proa.fluid as fluid
import pytest
from proa.distributed import fleet
from proa.fluid.incubate.data_generator import MultiSlotDataGenerator, MultiSlotStringDataGenerator


def generator(base, samples_of, **methods):
    def generate_sample(self, line):
        return lambda: iter(samples_of(line))

    return type("Made", (base,), {"generate_sample": generate_sample, **methods})()


def written(made, capsys, monkeypatch, text=None):
    if text is None:
        made.run_from_memory()
    else:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        made.run_from_stdin()
    return capsys.readouterr().out


def test_numbers(capsys, monkeypatch):
    made = generator(MultiSlotDataGenerator, lambda line: [
        None, [("words", [1926, np.int64(8)]), ("score", [1])], [("words", [3]), ("score", [0.5])]])
    assert written(made, capsys, monkeypatch) == "2 1926 8 1 1\n1 3 1 0.5\n"
    assert made._proto_info == [("words", "uint64"), ("score", "float")]


def test_lines_of_the_standard_input(capsys, monkeypatch):
    made = generator(MultiSlotStringDataGenerator, lambda line: [[("words", line.split()), ("label", ["1"])]])
    assert written(made, capsys, monkeypatch, "a b\nc\n") == "2 a b 1 1\n1 c 1 1\n"


def test_batches_are_changed_as_a_whole(capsys, monkeypatch):
    sizes = []

    def generate_batch(self, samples):
        sizes.append(len(samples))
        return lambda: reversed(samples)

    made = generator(MultiSlotDataGenerator, lambda line: [[("n", [n])] for n in range(5)],
                     generate_batch=generate_batch)
    made.set_batch(2)
    assert written(made, capsys, monkeypatch) == "1 1\n1 0\n1 3\n1 2\n1 4\n" and sizes == [2, 2, 1]


def test_lines_of_files(tmp_path):
    (tmp_path / "a").write_text("1\n2\n")
    made = generator(MultiSlotDataGenerator, lambda line: [[("n", [int(line)])]])
    assert list(made.run_from_files([str(tmp_path / "a")], 2)) == ["1 1\n", "1 2\n"]


@pytest.mark.parametrize("samples, says", [
    ([5], "list or tuple"), ([[(3, [1])]], "a str"), ([[("n", (1,))]], "a list. Received tuple"),
    ([[("n", [])]], "no values"), ([[("n", ["1"])]], "ints or floats. Received '1'"),
    ([[("n", [1])], [("m", [1])]], r"The first has \['n'\]; received \['m'\]"),
    ([[("n", [1])], [("n", [1]), ("m", [1])]], "same slots"),
])
def test_samples_that_do_not_fit(samples, says):
    with pytest.raises(ValueError, match=says):
        generator(MultiSlotDataGenerator, lambda line: samples).run_from_memory()


def test_what_a_subclass_does_not_say():
    with pytest.raises(NotImplementedError, match="generate_sample"):
        MultiSlotDataGenerator().run_from_memory()
    with pytest.raises(NotImplementedError, match="MultiSlotDataGenerator"):
        generator(fluid.incubate.data_generator.DataGenerator, lambda line: [[]]).run_from_memory()
    with pytest.raises(ValueError, match="at least 1"):
        MultiSlotDataGenerator()._set_line_limit(0)
    assert fleet.MultiSlotDataGenerator is MultiSlotDataGenerator


@pytest.mark.parametrize("count, number, wanted", [(1, 0, [0, 1, 2, 3, 4]), (2, 0, [0, 2]), (2, 1, [1, 3]),
                                                   (3, 2, [2])])
def test_every_process_reads_batches_of_its_own(monkeypatch, count, number, wanted):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", str(count))
    monkeypatch.setenv("PADDLE_TRAINER_ID", str(number))
    assert list(fluid.contrib.reader.distributed_batch_reader(lambda: range(5))()) == wanted


def test_a_process_that_there_is_not(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    with pytest.raises(ValueError, match="Received 2 and 2"):
        fluid.contrib.reader.distributed_batch_reader(lambda: range(5))
