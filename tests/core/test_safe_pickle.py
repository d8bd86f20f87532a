"""States: what Paddle wrote is read, what is written opens everywhere, and nothing that is read is ever run."""

import errno
import io
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
import warnings
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError, dump_state, join_big_parameters, load_state, split_big_parameters

FIXTURES = Path(__file__).parents[1] / "fixtures" / "files"
ORACLE = os.environ.get("PROA_ORACLE_PYTHON")
PADDLE_FILES = sorted(p.name for p in FIXTURES.iterdir() if p.suffix in (".pdparams", ".pdopt", ".pkl"))
SHARED = [1, 2]
STATE = {
    "c": np.arange(6.0).reshape(2, 3), "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(10)[::2], "scalar": np.array(3, "<f4"), "empty": np.zeros((0, 3), "i1"),
    "bool": np.array([True, False]), "complex": np.array([1 + 2j]), "text": np.array(["aé", "b"]),
    "bytes array": np.array([b"ab"]), "large": np.arange(100_000), "numpy scalar": np.float32(2.5),
    "integers": [0, 1, -1, 255, 256, 65535, 65536, -128, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63, 2**2000],
    "floats": [0.1, float("inf"), -0.0], "complex number": 1 - 2j, "none": None, "bools": [True, False],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], "bytes": [b"", b"\xff\x00a", b"x" * 300], "str": "é" * 300,
    "bytearray": bytearray(b"ab"), "set": {1, 2}, "frozenset": frozenset((1,)), "ordered": OrderedDict(b=1, a=[2]),
    "twice": [SHARED, SHARED], 3: "a key", ("a", 1): "another",
}


def dumped(value, protocol=4):
    file = io.BytesIO()
    dump_state(value, file, protocol)
    return file.getvalue()


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_same(found[key], value)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    else:
        assert repr(found) == repr(expected)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_round_trip(protocol):
    found = load_state(dumped(STATE, protocol))
    assert_same(found, STATE)
    assert found["twice"][0] is found["twice"][1]
    assert all(v.flags.writeable for v in found.values() if isinstance(v, np.ndarray))


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_python_opens_ours(protocol):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2 warns of the name that NumPy 1 needs
        assert_same(pickle.loads(dumped(STATE, protocol)), STATE)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_opens_what_python_wrote(protocol):
    assert_same(load_state(pickle.dumps(STATE, protocol)), STATE)


def test_equal_bytes_are_not_shared():
    """Python keeps one object for equal bytes of length 0 and 1, so that arrays and values share them in a pickle."""
    first, second, value, empty = load_state(pickle.dumps([np.array([5], "i1"), np.array([5], "i1"), b"\5", b""], 4))
    first[0] = 7
    assert (second.tolist(), value, empty) == ([5], b"\5", b"")


def test_numpy_1_opens_ours():
    """The names of NumPy 1 are in the file, whichever runs."""
    for protocol in (2, 3, 4):
        data = dumped({"a": np.arange(3), "s": np.float32(1)}, protocol)
        assert b"numpy.core.multiarray" in data
        assert b"numpy._core" not in data


@pytest.mark.parametrize("name", PADDLE_FILES)
def test_what_paddle_wrote(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        data = (FIXTURES / name).read_bytes()
        if int(np.__version__.split(".")[0]) < 2:
            data = _with_names_of_numpy_1(data)
        expected = pickle.loads(data)
    assert_same(load_state(FIXTURES / name), expected)


def _with_names_of_numpy_1(data):
    """For the comparison only: Python's own unpickler, under NumPy 1, must find NumPy's functions."""
    frame = data[2:11] if data[1] == 4 else b""  # counts the bytes that follow, and may be left out
    data = data.replace(frame, b"", 1).replace(b"cnumpy._core.", b"cnumpy.core.")
    return data.replace(b"\x8c\x16numpy._core.multiarray", b"\x8c\x15numpy.core.multiarray")


def test_the_forms_of_paddle():
    name, array = load_state(FIXTURES / "tensor_protocol4.pdparams")
    assert isinstance(name, str)
    assert array.tolist() == [[1.0, 2.0]]
    assert load_state(FIXTURES / "lod_tensor.pdparams").tolist() == [[1.0], [1.0], [1.0]]
    assert load_state(FIXTURES / "bfloat16.pdparams")["x"].dtype == np.uint16
    optimizer = load_state(FIXTURES / "adam.pdopt")
    assert optimizer["LR_Scheduler"]["last_epoch"] == 1
    assert optimizer["linear_0.w_0_beta1_pow_acc_0"].shape == (1,)


def test_files_and_paths(tmp_path):
    path = tmp_path / "deep" / "a.pdparams"
    dump_state({"a": 1}, path)
    assert load_state(str(path)) == load_state(path) == {"a": 1}
    with open(path, "ab") as file:
        dump_state([2], file)
    with open(path, "rb") as file:
        assert load_state(file) == {"a": 1}
        assert load_state(file) == [2]
    with pytest.raises(CorruptFileError, match="follow"):
        load_state(path)
    with pytest.raises(FileNotFoundError):
        load_state(tmp_path / "missing")


@pytest.mark.parametrize("protocol", [0, 1, 5, "4", None])
def test_protocols(protocol):
    with pytest.raises(ValueError, match="2, 3 or 4"):
        dump_state({}, io.BytesIO(), protocol)


@pytest.mark.parametrize("value", [print, object(), type("Mine", (), {})(), np.array([object()]),
                                   np.zeros(2, "M8[s]"), lambda: 0])
def test_what_is_not_plain_is_not_saved(value, tmp_path):
    path = tmp_path / "file"
    dump_state([1], path)
    with pytest.raises(TypeError, match="(?i)save|convert"):
        dump_state({"a": [1, value]}, path)
    assert load_state(path) == [1]
    assert os.listdir(tmp_path) == ["file"]


def test_big_parameters_in_parts():
    state = {"w": np.arange(12.0).reshape(3, 4), "b": np.ones(2)}
    parts = split_big_parameters(state, limit=40)
    assert parts["UnpackBigParamInfor@@"] == {"w": {"OriginShape": (3, 4), "slices": ["w@@.0", "w@@.1", "w@@.2"]}}
    joined = load_state(pickle.dumps(parts, 2))
    assert set(joined) == {"w", "b"}
    np.testing.assert_array_equal(joined["w"], state["w"])
    for damage in ({"w": 3}, 5, {"w": {"OriginShape": (3, 5), "slices": ["w@@.0"]}}, {"w": {"slices": ["zzz"]}},
                   {"w": {"OriginShape": (4,), "slices": [["w"]]}}):
        with pytest.raises(CorruptFileError):
            load_state(pickle.dumps({**parts, "UnpackBigParamInfor@@": damage}, 2))
    assert join_big_parameters([1]) == [1]


class Calls:
    """Pickles as a call of a function."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


HOSTILE_CALLS = [
    (os.system, "touch pwned"), (eval, "open('pwned', 'w')"), (exec, "open('pwned', 'w')"), (open, "pwned", "w"),
    (__import__, "antigravity"), (getattr, "a", "b"), (subprocess.Popen, ["touch", "pwned"]), (pickle.loads, b"N."),
    (eval, "data", {"data": 1, "__builtins__": {}}), (eval, "x", {"data": np.ones(1)}), (np.load, "pwned"),
    (print, "x"), (type, "A", (), {}), (map, print, [1]), (range, 10**9), (bytearray, 10**12),
    (np.fromfile, "pwned"), (np.ndarray, (10**9,)), (OrderedDict, 5), (set, 5), (compile, "1", "a", "eval"),
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("call", HOSTILE_CALLS, ids=lambda c: c[0].__name__)
def test_nothing_is_called(call, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evil.pdparams"
    path.write_bytes(pickle.dumps({"w": Calls(*call)}, protocol))
    with pytest.raises((UnsafePickleError, CorruptFileError), match="evil.pdparams"):
        load_state(path)
    assert os.listdir(tmp_path) == ["evil.pdparams"]


def test_the_refused_name_is_told(tmp_path):
    path = tmp_path / "evil.pdparams"
    path.write_bytes(pickle.dumps(Calls(os.system, "touch pwned"), 4))
    with pytest.raises(UnsafePickleError, match=rf"evil.pdparams.*{os.system.__module__}.system") as caught:
        load_state(path)
    assert isinstance(caught.value, pickle.UnpicklingError)


class Reduced:
    """Pickles with a state, items and an object that is rebuilt by its class."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce_ex__(self, protocol):
        return self.reduced


def _object_array():
    return np.array([os.system, 1], dtype=object)


HOSTILE_PICKLES = {
    "object array": pickle.dumps(_object_array(), 4), "record array": pickle.dumps(np.zeros(2, "i4,f4"), 4),
    "class": pickle.dumps(OrderedDict, 4), "function": pickle.dumps(np.load, 4),
    "module function": b"\x80\x02cos\nsystem\n.",
    "extension": b"\x80\x02\x82\x01.", "persistent": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "old persistent": b"\x80\x02Pa\n.",
    "instance": b"\x80\x02(ios\nsystem\n.", "object": b"\x80\x02(cos\nsystem\no.",
    "new object": b"\x80\x02cos\nsystem\n)\x81.",
    "protocol 0": b"cos\nsystem\n(S'touch pwned'\ntR.", "dotted": b"\x80\x04\x8c\x05numpy\x8c\x0bndarray.mro\x93.",
    "private": b"\x80\x04\x8c\x08builtins\x8c\x07globals\x93)R.", "numpy alone": b"\x80\x02cnumpy\nndarray\n.",
    "array unbuilt": b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R.",
    "names from a stack": b"\x80\x04]]\x93.", "build on a dict": b"\x80\x02}}b.", "build on a list": b"\x80\x02]}b.",
    "matrix": b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nmatrix\nK\x00\x85U\x01b\x87R.",
    "buffer": b"\x80\x05\x97.", "codec": b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00hex\x86R.",
}


@pytest.mark.parametrize("name", HOSTILE_PICKLES)
def test_hostile_pickles(name):
    with pytest.raises((UnsafePickleError, CorruptFileError)):
        load_state(HOSTILE_PICKLES[name])


def test_a_list_that_holds_itself_or_repeats_without_end():
    """Neither hangs; whoever walks a loaded value need not fear them."""
    with pytest.raises((CorruptFileError, UnsafePickleError)):
        load_state(b"\x80\x02]q\x00h\x00a.")
    doubling = b"\x80\x02]q\x00" + b"".join(
        b"](h" + bytes([n]) + b"h" + bytes([n]) + b"eq" + bytes([n + 1]) for n in range(60)) + b"."
    with pytest.raises((CorruptFileError, UnsafePickleError)):
        load_state(doubling)


@pytest.mark.parametrize("data", [
    b"\x80\x04\x8e" + b"\xff" * 7 + b"\x00", b"\x80\x02X\xff\xff\xff\x7f", b"\x80\x02\x8b\xff\xff\xff\x7f",
    b"\x80\x05\x96" + b"\xff" * 7 + b"\x00", b"\x80\x02Nr\xff\xff\xff\xff.", b"\x80\x04\x95" + b"\xff" * 8 + b"N.",
    b"\x80\x02" + b"(" * 100_000 + b".", b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    b"\x80\x02N" + b"\x85" * 100_000 + b".", b"\x80\x02}N" + b"\x85" * 200_000 + b"Ns.",
    b"\x80\x02T\xff\xff\xff\x7f", b"\x80\x02" + b"2" * 10, b"\x80\x02cos\n" + b"a" * 100_000,
])
def test_no_bomb_goes_off(data):
    tracemalloc.start()
    try:
        with pytest.raises(CorruptFileError):
            value = load_state(data)
            assert value is None
            raise CorruptFileError("a", 0, "a harmless value is fine too")
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_an_array_larger_than_its_data():
    data = dumped(np.arange(3, dtype="i1")).replace(b"K\x03\x85", b"J\xff\xff\xff\x7f\x85")
    with pytest.raises(CorruptFileError, match="shape|bytes"):
        load_state(data)


def test_truncation_at_every_byte(tmp_path):
    for name in ("nested_protocol2.pdparams", "nested_protocol4.pdparams"):
        data = (FIXTURES / name).read_bytes()
        for size in range(len(data)):
            path = tmp_path / "cut.pdparams"
            path.write_bytes(data[:size])
            with pytest.raises(CorruptFileError, match=r"cut.pdparams: byte \d+"):
                load_state(path)


def test_fuzz():
    source = random.Random(7)
    files = [(FIXTURES / name).read_bytes() for name in PADDLE_FILES]
    files += [pickle.dumps(STATE["text"], 4), dumped(STATE["ordered"])]
    tracemalloc.start()
    try:
        for _ in range(1500):
            data = bytearray(source.choice(files))
            for _ in range(source.randint(1, 3)):
                at = source.randrange(len(data))
                data[at] = source.choice((data[at] ^ 1 << source.randrange(8), source.randrange(256)))
            try:
                load_state(bytes(data))
            except (CorruptFileError, UnsafePickleError) as error:
                assert str(error)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_large_arrays_are_not_copied(tmp_path):
    path = tmp_path / "large.pdparams"
    state = {"w": np.zeros(8_000_000, np.uint8)}
    tracemalloc.start()
    try:
        dump_state(state, path)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
        tracemalloc.reset_peak()
        start = tracemalloc.get_traced_memory()[0]
        loaded = load_state(path)
        assert tracemalloc.get_traced_memory()[1] - start < 10_000_000
        assert loaded["w"].size == 8_000_000
    finally:
        tracemalloc.stop()


def test_a_full_disk():
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left") as caught:
        dump_state(STATE, Full())
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.skipif(not ORACLE, reason="PROA_ORACLE_PYTHON names no Python with PaddlePaddle")
def test_paddle_opens_ours(tmp_path):
    state = {"w": np.arange(6, dtype="f4").reshape(2, 3), "LR_Scheduler": {"last_epoch": 1, "last_lr": 0.1},
             "StructuredToParameterName@@": {"w": "linear_0.w_0"}}
    for protocol in (2, 3, 4):
        dump_state(state, tmp_path / f"{protocol}.pdparams", protocol)
    code = """
import zlib, sys, paddle
for protocol in (2, 3, 4):
    state = paddle.load(f"{sys.argv[1]}/{protocol}.pdparams")
    print(state["w"].tolist(), state["LR_Scheduler"], state["w"].name)
"""
    done = subprocess.run([ORACLE, "-W", "ignore", "-c", code, str(tmp_path)], capture_output=True, text=True,
                          timeout=120, check=True)
    assert done.stdout.splitlines() == 3 * [
        "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] {'last_epoch': 1, 'last_lr': 0.1} linear_0.w_0"]
    assert sys.getrecursionlimit() > 0
