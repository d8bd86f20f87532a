"""Files of OFRecord: written by the messages that scripts import, read by jobs, refused where they are damaged."""

import os
import random
import struct

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.core.record.record_pb2 as ofrecord
import proa.oneflow.typing as tp
import pytest
from proa.core.files import CorruptFileError
from proa.oneflow.data.records import part_files, read_records
from proa.oneflow.job import session_guard


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def record(**features):
    made = {}
    for name, value in features.items():
        array = np.asarray(value) if not isinstance(value, bytes) else None
        kind = "bytes" if array is None else {"i": f"int{8 * array.itemsize}", "f": "float"}[array.dtype.kind]
        listed = getattr(ofrecord, f"{kind.capitalize()}List")(value=[value] if array is None else array.tolist())
        made[name] = ofrecord.Feature(**{f"{kind}_list": listed})
    return ofrecord.OFRecord(feature=made).SerializeToString()


def write(path, records):
    path.write_bytes(b"".join(struct.pack("<q", len(data)) + data for data in records))


def numbered(count, first=0):
    return [record(n=np.array([n], "int32"), x=np.array([n, n + 0.5], "float32")) for n in range(first, first + count)]


def reading(folder, batch_size=2, **options):
    @flow.global_function()
    def job() -> tp.Numpy:
        records = flow.data.ofrecord_reader(folder, batch_size, **options)
        return flow.data.OFRecordRawDecoder(records, "n", shape=(1,), dtype=flow.int32)

    return lambda: job().reshape(-1).tolist()


def decoding(folder, name="x", batch_size=1, **options):
    @flow.global_function()
    def job() -> tp.Numpy:
        records = flow.data.ofrecord_reader(folder, batch_size)
        return flow.data.OFRecordRawDecoder(records, name, **options)

    return job


def test_batches_go_on_behind_the_end(tmp_path):
    write(tmp_path / "part-0", numbered(3))
    write(tmp_path / "part-1", numbered(2, 3))
    job = reading(tmp_path, data_part_num=2)
    assert [job() for _ in range(5)] == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]]


def test_two_decoders_see_the_same_records(tmp_path):
    write(tmp_path / "part-0", numbered(4))

    @flow.global_function(type="predict")
    def job(add: tp.Numpy.Placeholder((2,))) -> tuple[tp.Numpy, tp.Numpy, tp.Numpy]:
        records = flow.data.ofrecord_reader(str(tmp_path), 2)
        n = flow.data.ofrecord_raw_decoder(records, "n", shape=(), dtype=flow.float)
        x = flow.data.OFRecordRawDecoder(records, "x", (2,), flow.float)
        return n + add, x, x * 2

    for first in (0, 2):
        n, x, twice = job(np.array([10, 20], "float32"))
        assert n.tolist() == [10 + first, 21 + first] and np.array_equal(twice, 2 * x)
        assert x.tolist() == [[first, first + 0.5], [first + 1, first + 1.5]]


def test_names_of_parts(tmp_path):
    for n in range(2):
        write(tmp_path / f"train-{n:05}", numbered(1, n))
    job = reading(tmp_path, data_part_num=2, part_name_prefix="train-", part_name_suffix_length=5)
    assert job() == [0, 1]
    with pytest.raises(FileNotFoundError, match=r"of 4 files these are missing: \S+/train-00002, \S+/train-00003. "):
        part_files(tmp_path, 4, "train-", 5)
    with pytest.raises(FileNotFoundError, match="part-2 and 1 more"):
        reading(tmp_path, data_part_num=4)()


def test_shuffled(tmp_path):
    write(tmp_path / "part-0", numbered(20))
    paddle.seed(1)
    job = reading(tmp_path, 20, random_shuffle=True, shuffle_buffer_size=20)
    first, second = job(), job()
    assert sorted(first) != first != second and sorted({*first, *second}) == list(range(20))
    paddle.seed(1)
    with session_guard():
        assert reading(tmp_path, 20, random_shuffle=True, shuffle_buffer_size=20)() == first


def test_files_in_another_order_each_time(tmp_path):
    for n in range(8):
        write(tmp_path / f"part-{n}", numbered(2, 2 * n))
    job = reading(tmp_path, 16, data_part_num=8, shuffle_after_epoch=True)
    first, second, third = job(), job(), job()
    assert first == list(range(16)) and sorted(second) == sorted(third) == first
    assert second != first and third != second
    assert all(b == a + 1 for a, b in zip(second[::2], second[1::2], strict=True))


@pytest.mark.parametrize("value, dtype, expected", [
    (np.array([1, -2, 3], "int32"), flow.int64, [1, -2, 3]), (np.array([1, 2, 3], "int64"), flow.float, [1, 2, 3]),
    (np.array([0.5, 1.5, 2.5], "float32"), flow.float32, [0.5, 1.5, 2.5]), (b"\x01\xff\x80", flow.int32, [1, -1, -128]),
    (b"\x01\xff\x80", flow.uint8, [1, 255, 128]), (np.array([1.7, -1.7, 0], "float32"), flow.int32, [1, -1, 0]),
])
def test_kinds_of_numbers(tmp_path, value, dtype, expected):
    write(tmp_path / "part-0", [record(v=value)])
    found = decoding(tmp_path, "v", shape=(3,), dtype=dtype)()
    assert found.dtype == dtype.dtype and found.tolist() == [expected]


def test_lengths(tmp_path):
    write(tmp_path / "part-0", [record(v=np.array([1, 2, 3], "int32"), b=b"abc")])
    assert decoding(tmp_path, "v", shape=(2,), dtype=flow.int32, truncate=True)().tolist() == [[1, 2]]
    assert decoding(tmp_path, "v", shape=(2, 2), dtype=flow.int32, truncate=True)().tolist() == [[[1, 2], [3, 0]]]
    assert decoding(tmp_path, "b", shape=(2,), dtype=flow.int32)().tolist() == [[97, 98]]
    for name, shape in (("v", (2,)), ("v", (4,)), ("b", (4,))):
        with pytest.raises(ValueError, match=r"part-0: the record at byte 0 has 3 numbers, and shape=.* truncate=True"):
            decoding(tmp_path, name, shape=shape, dtype=flow.int32)()
    with pytest.raises(ValueError, match="truncate=True"):
        decoding(tmp_path, "v", shape=(2,), dtype=flow.int32, dim1_varying_length=True)()


def test_what_the_records_do_not_have(tmp_path):
    write(tmp_path / "part-0", [record(v=np.array([1], "int32"))])
    with pytest.raises(KeyError, match="part-0: the record at byte 0 has no feature 'w'. It has 'v'"):
        decoding(tmp_path, "w", shape=(1,), dtype=flow.int32)()
    write(tmp_path / "part-0", [ofrecord.OFRecord(feature={"v": ofrecord.Feature()}).SerializeToString()])
    with pytest.raises(ValueError, match="has nothing under 'v'"):
        decoding(tmp_path, "v", shape=(1,), dtype=flow.int32)()
    two = ofrecord.Feature(bytes_list=ofrecord.BytesList(value=[b"a", b"b"]))
    write(tmp_path / "part-0", [ofrecord.OFRecord(feature={"v": two}).SerializeToString()])
    with pytest.raises(ValueError, match="has 2 texts of bytes under 'v'"):
        decoding(tmp_path, "v", shape=(1,), dtype=flow.int32)()


@pytest.mark.parametrize("data, place", [
    (struct.pack("<q", 5) + b"abc", 0), (struct.pack("<q", -1), 0), (struct.pack("<q", 0) + b"abc", 0), (b"abc", 0),
    (struct.pack("<q", 1 << 60), 0), (struct.pack("<q", 3) + b"\xff\xff\xff", 0),
    (struct.pack("<q", len(numbered(1)[0])) + numbered(1)[0] + b"x", 8 + len(numbered(1)[0])),
], ids=["cut off", "negative", "three bytes behind it", "no length", "too long", "no message", "one byte behind it"])
def test_damaged_files(tmp_path, data, place):
    (tmp_path / "part-0").write_bytes(data)
    with pytest.raises(CorruptFileError, match=f"part-0: byte {place}: "):
        list(read_records(str(tmp_path / "part-0")))


def test_anything_is_read_or_refused(tmp_path):
    draw = random.Random(0)
    good = struct.pack("<q", len(numbered(1)[0])) + numbered(1)[0]
    for _ in range(300):
        data = bytearray(good * 3)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        (tmp_path / "part-0").write_bytes(data[:draw.randrange(len(data))])
        try:
            list(read_records(str(tmp_path / "part-0")))
        except CorruptFileError:
            pass


def test_files_without_records(tmp_path):
    (tmp_path / "part-0").write_bytes(b"")
    with pytest.raises(CorruptFileError, match="there is no record"):
        reading(tmp_path)()


def test_arguments(tmp_path):
    with pytest.raises(RuntimeError, match="ofrecord_reader belongs into a global function"):
        flow.data.ofrecord_reader(tmp_path)
    for options, message in (({"batch_size": 0}, "batch_size"), ({"data_part_num": 0}, "data_part_num"),
                             ({"random_shuffle": True, "shuffle_buffer_size": -1}, "shuffle_buffer_size")):
        write(tmp_path / "part-0", numbered(1))
        with pytest.raises(ValueError, match=rf"ofrecord_reader\({message}\)"):
            reading(tmp_path, **options)()

    @flow.global_function()
    def job() -> tp.Numpy:
        return flow.data.OFRecordRawDecoder("part-0", "x", (1,), flow.float)

    with pytest.raises(TypeError, match="what ofrecord_reader gives is expected. Received 'part-0'"):
        job()


def test_training_on_records(tmp_path):
    """A job without arguments, whose calls each take a batch: sums of what came are kept in a variable."""
    write(tmp_path / "part-0", numbered(4))

    @flow.global_function(type="train")
    def job() -> tp.Numpy:
        records = flow.data.ofrecord_reader(tmp_path, 2)
        n = flow.data.OFRecordRawDecoder(records, "n", (1,), flow.float)
        total = flow.get_variable("total", (1,), initializer=lambda shape, dtype: np.zeros(shape))
        sgd = flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [-1.0]), momentum=0)
        sgd.minimize(total * n.sum())
        return total + n.sum()

    flow.train.CheckPoint().init()
    assert [float(job()[0]) for _ in range(3)] == [1, 6, 7]
    assert os.listdir(tmp_path) == ["part-0"]


def test_the_older_way(tmp_path):
    write(tmp_path / "part-0", numbered(3))

    @flow.global_function()
    def job() -> tuple[tp.Numpy, tp.Numpy]:
        return flow.data.decode_ofrecord(
            str(tmp_path), (flow.data.BlobConf("n", shape=(1,), dtype=flow.int32, codec=flow.data.RawCodec()),
                            flow.data.BlobConf("x", (3,), flow.float, flow.data.RawCodec(truncate=True))), batch_size=2)

    n, x = job()
    assert n.tolist() == [[0], [1]] and x.tolist() == [[0, 0.5, 0], [1, 1.5, 0]]
    with pytest.raises(TypeError, match="numbers are decoded"):
        flow.data.BlobConf("x", (3,), flow.float, "jpeg")
    with pytest.raises(AttributeError, match="OFRecord files are read by flow.data.ofrecord_reader"):
        flow.data.ImageCodec
