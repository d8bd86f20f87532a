"""Tensor streams and combined parameter files."""

import io
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from format_helpers import FIXTURES, ask_oracle, damaged, needs_oracle, value_or_refusal
from proa.core.files import CorruptFileError
from proa.static.format import framework_pb2 as pb
from proa.static.format import tensor_stream
from proa.static.format.tensor_stream import ELEMENTS, read_combined, read_stream, write_combined, write_stream

NET_NAMES = ["batch_norm1d_1.b_0", "batch_norm1d_1.w_0", "batch_norm1d_1.w_1", "batch_norm1d_1.w_2", "buffer",
             "linear_1.b_0", "linear_1.w_0"]


def stream(array, number, lod=()):
    file = io.BytesIO()
    write_stream(file, array, number, lod)
    return file.getvalue()


@pytest.mark.parametrize("number", ELEMENTS)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3, 4)])
def test_round_trip(number, shape):
    rng = np.random.default_rng(0)
    array = rng.integers(0, 2, shape).astype(ELEMENTS[number])
    back = read_stream(stream(array, number))
    assert (back.number, back.lod) == (number, ())
    assert back.array.dtype == array.dtype
    assert back.array.flags.writeable
    np.testing.assert_array_equal(back.array, array)
    assert back.array.shape == shape


def test_order_and_byte_order_do_not_matter():
    array = np.arange(12, dtype=">f4").reshape(3, 4)
    for given in (array, np.asfortranarray(array), array[:, ::-1][:, ::-1]):
        assert stream(given, 5) == stream(np.arange(12, dtype="<f4").reshape(3, 4), 5)


def test_lod():
    lod = ((0, 1, 3), (0, 2, 2, 5))
    assert read_stream(stream(np.zeros((5, 1), "f4"), 5, lod)).lod == lod


@pytest.mark.parametrize("name, number, lod, values", [
    ("lod", 5, ((0, 1, 3),), [[1.0], [1.0], [1.0]]), ("bfloat16", 22, (), [0x3F80, 0x4000]), ("scalar", 5, (), 2.5),
    ("empty", 5, (), []), ("bool", 0, (), [True, False])])
def test_paddle_wrote(name, number, lod, values):
    data = (FIXTURES / f"{name}.stream").read_bytes()
    back = read_stream(FIXTURES / f"{name}.stream")
    assert (back.number, back.lod, back.array.tolist()) == (number, lod, values)
    assert stream(back.array, number, lod) == data


def test_paddle_wrote_a_combined_file():
    path = FIXTURES / "net.pdiparams"
    found = read_combined(path, NET_NAMES)
    assert list(found) == NET_NAMES
    assert {t.array.shape for t in found.values()} == {(3,), (2, 3)}
    np.testing.assert_array_equal(found["buffer"].array, [1.0, 2.0, 3.0])
    file = io.BytesIO()
    write_combined(file, found.values())
    assert file.getvalue() == path.read_bytes()


def test_wrong_dtype_is_refused():
    with pytest.raises(ValueError, match="number of float32.*float64"):
        write_stream(io.BytesIO(), np.zeros(2), 5)
    with pytest.raises(ValueError, match="not an element type"):
        write_stream(io.BytesIO(), np.zeros(2), 7)


def test_truncation_at_every_byte(tmp_path):
    data = (FIXTURES / "net.pdiparams").read_bytes()
    path = tmp_path / "cut.pdiparams"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(CorruptFileError, match="variable") as caught:
            read_combined(path, NET_NAMES)
        assert caught.value.file == str(path)


def test_too_much_is_told(tmp_path):
    path = tmp_path / "long.pdiparams"
    path.write_bytes((FIXTURES / "net.pdiparams").read_bytes() + b"\0")
    with pytest.raises(CorruptFileError, match="1 bytes follow"):
        read_combined(path, NET_NAMES)
    with pytest.raises(CorruptFileError, match="38 bytes follow|bytes follow.*another model"):
        read_combined(FIXTURES / "net.pdiparams", NET_NAMES[:-1])
    with pytest.raises(CorruptFileError, match="ends after 7 of 8.*|.*'zzz'"):
        read_combined(FIXTURES / "net.pdiparams", [*NET_NAMES, "zzz"])


@pytest.mark.parametrize("change, match", [
    (lambda d: b"\x01" + d[1:], "version 0"),
    (lambda d: d[:4] + b"\xff" * 8 + d[12:], "LoD levels"),
    (lambda d: d[:4] + b"\x01" + bytes(7) + b"\xf8" + b"\xff" * 7 + d[12:], "should follow"),
    (lambda d: d[:4] + b"\x01" + bytes(7) + b"\x07" + bytes(7) + d[12:], "64-bit offsets"),
    (lambda d: d[:16] + b"\xff\xff\xff\x7f" + d[20:], "description of"),
    (lambda d: d[:16] + b"\x00\x00\x00\x00" + d[20:], "description of 0"),
    (lambda d: d.replace(b"\x08\x05\x10\x03", b"\x08\x07\x10\x03"), "element type 7"),
    (lambda d: d.replace(b"\x08\x05\x10\x03", b"\x08\x63\x10\x03"), "not known"),
    (lambda d: d.replace(b"\x04\x00\x00\x00\x08\x05\x10\x03", b"\x0d\x00\x00\x00\x08\x05\x10" + b"\xff" * 9 + b"\x01"),
     "cannot be"),
    (lambda d: d.replace(b"\x04\x00\x00\x00\x08\x05\x10\x03", b"\x08\x00\x00\x00\x08\x05\x10" + b"\xff" * 4 + b"\x7f"),
     "should follow"),
])
def test_hostile_streams(change, match):
    data = stream(np.arange(3, dtype="f4"), 5)
    with pytest.raises(CorruptFileError, match=match) as caught:
        read_stream(change(data), "evil.bin")
    assert caught.value.file == "evil.bin"


def test_a_damaged_bool():
    data = bytearray(stream(np.array([True, False]), 0))
    data[-1] = 2
    with pytest.raises(CorruptFileError, match="neither 0 nor 1"):
        read_stream(bytes(data))


def test_fuzz():
    data = (FIXTURES / "net.pdiparams").read_bytes()
    tracemalloc.start()
    try:
        for copy in damaged(data, 800, 1):
            value_or_refusal(lambda bytes_: read_combined(bytes_, NET_NAMES), copy)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_large_arrays_are_not_copied():
    array = np.zeros(8_000_000, np.uint8)

    class Sink:
        def write(self, data):
            return len(data)

    tracemalloc.start()
    try:
        write_stream(Sink(), array, 20)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
        data = stream(array, 20)
        tracemalloc.reset_peak()
        start = tracemalloc.get_traced_memory()[0]
        read_stream(io.BytesIO(data))
        assert tracemalloc.get_traced_memory()[1] - start < 9_000_000
    finally:
        tracemalloc.stop()


@needs_oracle
def test_paddle_opens_ours(tmp_path):
    path = tmp_path / "ours.stream"
    with open(path, "wb") as file:
        write_stream(file, np.arange(6, dtype="i8").reshape(3, 2), 3, [[0, 1, 3]])
    printed = ask_oracle("import sys, paddle, numpy as np\npaddle.enable_static()\nt = paddle.load(sys.argv[1])\n"
                         "print(np.array(t).tolist(), t.lod())", path)
    assert printed == "[[0, 1], [2, 3], [4, 5]] [[0, 1, 3]]\n"


@pytest.mark.parametrize("shape", [(), (1,), (127, 128), (0, 3), (1 << 62, 1), (2**31, 300)])
def test_a_description_is_read_without_protobuf_as_protobuf_reads_it(shape):
    usual = tensor_stream._usual_desc
    message = pb.VarType.TensorDesc(data_type=5, dims=shape).SerializeToString()
    assert usual(message) == (5, shape)
    changed = [message[:place] + bytes([byte]) + message[place + 1:] for place in range(len(message))
               for byte in range(256)]
    changed += [message[:place] for place in range(len(message))] + [message + message, message + b"\x80\x00"]
    for data in changed:
        found = usual(data)
        if found is not None:
            desc = pb.VarType.TensorDesc.FromString(data)
            assert found == (desc.data_type, tuple(desc.dims)), data


def test_other_forms_of_a_description_are_left_to_protobuf():
    negative = pb.VarType.TensorDesc(data_type=5, dims=[-1]).SerializeToString()
    for data in (negative, b"\x12\x02\x02\x03\x08\x05", b"\x08\x85\x00\x10\x02", b"\x08\x07\x10\x02", b""):
        assert tensor_stream._usual_desc(data) is None
    packed = b"\x08\x05\x12\x02\x02\x03"  # dims as one field
    data = stream(np.zeros((2, 3), "f4"), 5)
    plain = b"\x08\x05\x10\x02\x10\x03"
    assert plain in data
    assert read_stream(data.replace(plain, packed)).array.shape == (2, 3)
