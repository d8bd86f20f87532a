"""PyTorch's files: read as they were written, damaged ones and others' code refused, and fitted to Layers."""

import os
import pathlib
import zipfile

import numpy as np
import proa as paddle
import pytest
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError

FILES = pathlib.Path(__file__).parent.parent / "fixtures" / "pytorch"


class Parts(paddle.nn.Layer):
    """The Layer that make_files.py's module is."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.conv = nn.Conv2DTranspose(2, 3, 3)
        self.bn = nn.BatchNorm2D(3)
        self.act = nn.PReLU(3)
        self.inorm = nn.InstanceNorm2D(3)
        self.lstm = nn.LSTM(3, 4, 2, direction="bidirect")
        self.gru = nn.GRU(8, 8)
        self.decoder = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)
        self.bilinear = nn.Bilinear(8, 8, 5)
        self.fc = nn.Linear(5, 2)

    def forward(self, x):
        x = self.inorm(self.act(self.bn(self.conv(x))))
        x, _ = self.lstm(x.flatten(2).transpose([0, 2, 1]))
        y, _ = self.gru(x)
        x = self.decoder(x, y)
        return self.fc(self.bilinear(x[:, 0], y[:, 0]))


@pytest.mark.parametrize("file", ["values.pt", "older.pt"])
def test_values_of_all_kinds_are_as_they_were_saved(file):
    got = paddle.load(str(FILES / file), return_numpy=True)
    assert (got["epoch"], got["name"], got["rate"], got["size"], got["device"]) == (3, "a", 0.5, (1, 2), "cpu")
    shared = np.arange(12, dtype=np.float32).reshape(3, 4)
    for name, wanted in {
        "parameter": np.arange(6, dtype=np.float32).reshape(2, 3), "transposed": shared.T, "row": shared[1],
        "every_other": np.array([3, 5]), "empty": np.zeros((0, 3), np.float32), "scalar": np.array(5),
        "half": np.ones(2, np.float16), "bool": np.array([True, False]), "complex": np.array([1 + 2j], np.complex64),
    }.items():
        np.testing.assert_array_equal(got[name], wanted, strict=True)
        assert got[name].flags.c_contiguous and got[name].flags.writeable
    assert got["bfloat16"].astype(np.float32).tolist() == [1.5, -2.0]
    assert got["list"][1]["x"].tolist() == [1.0]


@pytest.mark.parametrize("file", ["kinds.pt", "older_kinds.pt"])
def test_kinds_that_paddle_has_no_dtype_for_are_dense_arrays_of_others(file):
    got = paddle.load(str(FILES / file), return_numpy=True)
    rows = np.array([[0, 0, 3, 0], [4, 0, 5, 0]], np.float32)
    for name, wanted in {
        "uint16": np.array([1, 65535], np.int32), "uint32": np.array([1, 2**32 - 1]),
        "uint64": np.array([1, 2**63 - 1]),
        **dict.fromkeys(("coo", "csr", "csc", "bsr", "bsc"), rows),
        "adding up": np.array([[[0], [0], [3]], [[9], [0], [0]]], np.float32),
        "per tensor": np.array([[0.5], [-1.0], [2.0]], np.float32),
        "per channel": np.array([[0.5, -1.0], [3.0, 4.0]], np.float32),
    }.items():
        np.testing.assert_array_equal(got[name], wanted, strict=True)
        assert got[name].flags.c_contiguous and got[name].flags.writeable


def test_a_checkpoint_with_milestones_and_floats_of_8_bits_is_read():
    pytest.importorskip("ml_dtypes")
    got = paddle.load(str(FILES / "checkpoint.pt"))
    assert got["scheduler"]["milestones"] == {2: 2, 5: 1}
    assert [str(got[name].dtype) for name in ("e4m3fn", "e5m2")] == ["paddle.float8_e4m3fn", "paddle.float8_e5m2"]
    assert got["e4m3fn"].astype("float32").tolist() == [[1.5, 0.25], [-2.0, 448.0]]
    assert got["e5m2"].astype("float32").tolist() == [[1.5, -2.0], [0.25, 448.0]]


def test_a_number_beyond_int64_is_told():
    with pytest.raises(CorruptFileError, match="a uint64 tensor holds 18446744073709551615"):
        paddle.load(str(FILES / "beyond.pt"))


def test_parts_of_sparse_and_quantized_tensors_that_do_not_fit_are_refused():
    from proa.core.pickle_values import Constructor
    from proa.interchange.pytorch_kinds import dense, dequantized

    one, at = np.ones(1, np.float32), np.zeros((2, 1), np.int64)
    coo, csr = (lambda *parts: dense(("torch.sparse_coo", parts))), (lambda *parts: dense(("torch.sparse_csr", parts)))
    for make, parts in ((coo, (at + 3, one, (2, 2))), (coo, (at - 1, one, (2, 2))), (coo, (at, one, (2,))),
                        (coo, (at, one, (1 << 20, 1 << 20))), (coo, (at, np.ones(2), (2, 2))), (coo, (at, one, "22")),
                        (csr, (np.array([0, 2, 1]), at[0], one, (2, 2))), (csr, (np.array([0, 1]), at[0], one, (2, 2))),
                        (csr, (at, at, one, (2, 2))), (csr, (np.array([0, 1, 1]), at[0] + 2, one, (2, 2)))):
        with pytest.raises(ValueError):
            make(*parts)
    scheme = Constructor("torch.per_channel_affine", lambda args: None)
    for given in ((scheme, np.ones(3), np.zeros(3), 0), (scheme, np.ones(2), np.zeros(2), 2), (scheme,), ("a", 1.0, 0)):
        with pytest.raises(ValueError):
            dequantized(np.ones((2, 2), np.int8), given)


def test_a_tensor_is_a_tensor():
    got = paddle.load(str(FILES / "values.pt"))
    assert isinstance(got["row"], paddle.Tensor) and got["bfloat16"].dtype == paddle.bfloat16


def test_a_layer_with_the_module_s_values_computes_what_it_computes():
    net = Parts()
    missing, unexpected = net.set_state_dict(paddle.interchange.from_pytorch(net, paddle.load(str(FILES / "parts.pt"))))
    assert (missing, unexpected) == ([], [])
    net.eval()
    case = np.load(FILES / "parts.npz")
    np.testing.assert_allclose(net(paddle.to_tensor(case["x"])).numpy(), case["y"], rtol=1e-5, atol=1e-6)


def test_names_of_a_module_that_ran_on_several_devices_lose_their_prefix():
    state = {"module.weight": np.ones((3, 2), np.float32), "module.bias": np.zeros(3, np.float32)}
    assert paddle.interchange.from_pytorch(paddle.nn.Linear(2, 3), state)["weight"].shape == (2, 3)


def test_names_and_shapes_that_do_not_agree_are_told():
    layer = paddle.nn.Linear(2, 3)
    with pytest.raises(KeyError, match=r"needs \['bias'\]; the state also has \['beta'\]"):
        paddle.interchange.from_pytorch(layer, {"weight": np.ones((3, 2)), "beta": np.ones(3)})
    with pytest.raises(ValueError, match=r"'weight' has the shape \[2, 3\] in the layer"):
        paddle.interchange.from_pytorch(layer, {"weight": np.ones((2, 3)), "bias": np.ones(3)})


def test_conjugates_and_opposites_that_the_storage_does_not_hold():
    got = paddle.load(str(FILES / "marked.pt"), return_numpy=True)
    assert got["conjugate"].tolist() == [1 - 2j, 3 + 4j]
    assert got["opposite"].tolist() == [-2.0, 4.0]


@pytest.mark.parametrize(("file", "words"), [
    ("complex32.pt", "of torch.complex32, which there is nothing like"), ("bits8.pt", "of torch.bits8"),
    ("meta.pt", "has a shape and no values"), ("nested.pt", r"Save a list: x.unbind\(\)")])
def test_what_no_array_holds_is_told(file, words):
    with pytest.raises(CorruptFileError, match=words):
        paddle.load(str(FILES / file))


@pytest.mark.parametrize(("file", "error", "words"), [
    ("module.pt", UnsafePickleError, "torch.nn.modules.linear.Linear"), ("script.pt", CorruptFileError, "TorchScript"),
])
def test_what_is_code_is_refused_by_name(file, error, words):
    with pytest.raises(error, match=words):
        paddle.load(str(FILES / file))


def _changed(folder, change):
    """values.pt with each member's bytes changed."""
    path = folder / "changed.pt"
    with zipfile.ZipFile(FILES / "values.pt") as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.namelist():
            content = change(entry, source.read(entry))
            if content is not None:
                target.writestr(entry, content)
    return str(path)


@pytest.mark.parametrize("change", [
    lambda name, data: None if name.endswith("data/0") else data,
    lambda name, data: data[:-4] if name.endswith("data/0") else data,
    lambda name, data: data.replace(b"FloatStorage", b"OtherStorage") if name.endswith("pkl") else data,
    lambda name, data: data.replace(b"_rebuild_tensor_v2", b"_rebuild_tensor_v9") if name.endswith("pkl") else data,
    lambda name, data: None if name.endswith("data.pkl") else data,
    lambda name, data: data[:40] if name.endswith("data.pkl") else data,
], ids=["storage gone", "storage short", "unknown storage", "unknown function", "no pickle", "pickle cut"])
def test_a_damaged_archive_is_refused(tmp_path, change):
    with pytest.raises((CorruptFileError, UnsafePickleError)):
        paddle.load(_changed(tmp_path, change))


@pytest.mark.parametrize("file", ["values.pt", "older.pt", "kinds.pt", "older_kinds.pt"])
def test_any_byte_may_be_wrong(tmp_path, file):
    good = (FILES / file).read_bytes()
    draw = np.random.default_rng(0)
    path = str(tmp_path / "mutant.pt")
    for _ in range(300):
        bad = bytearray(good[:draw.integers(1, len(good))] if draw.random() < 0.2 else good)
        for _ in range(draw.integers(1, 4)):
            bad[draw.integers(len(bad))] = draw.integers(256)
        with open(path, "wb") as file:
            file.write(bad)
        try:
            paddle.load(path, return_numpy=True)
        except (CorruptFileError, UnsafePickleError):
            pass


def test_a_tensor_cannot_reach_beyond_its_storage_or_repeat_it_without_end():
    from proa.interchange.pytorch_machine import Storage, _elements

    storage = Storage(np.dtype(np.float32), np.zeros(16, np.uint8))
    for offset, size, stride in ((3, (2,), (1,)), (0, (1 << 40,), (0,)), (0, (2, 2), (3, 1)), (-1, (1,), (1,)),
                                 (0, (2,), (-1,)), (0, (1,), (1, 1)), (True, (1,), ("1",))):
        with pytest.raises(ValueError):
            _elements(storage, np.dtype(np.float32), offset, size, stride)


def test_a_tensor_that_was_expanded_has_its_elements():
    from proa.interchange.pytorch_machine import Storage, _elements

    storage = Storage(np.dtype(np.float32), np.ones(2, np.float32).view(np.uint8))
    assert _elements(storage, storage.dtype, 1, (3, 100), (0, 0)).tolist() == [[1.0] * 100] * 3
    with pytest.raises(ValueError, match="repeats the 2 elements"):
        _elements(storage, storage.dtype, 0, (1 << 20,), (0,))


def _older(path, pickle, storages):
    """A file of before 1.6: the value's pickle without its end, and float32 storages by name."""
    from pickle import dumps

    mark, version = dumps(0x1950A86A20F9469CFC6C, 2), dumps(1001, 2)
    content = mark + version + dumps({"little_endian": True}, 2) + b"\x80\x02" + pickle + b"." + dumps([*storages], 2)
    for values in storages.values():
        content += len(values).to_bytes(8, "little") + np.array(values, np.float32).tobytes()
    path.write_bytes(content)
    return str(path)


# ("storage", torch.FloatStorage, "7", "cpu", 6, which part), kept outside of the pickle
_STORAGE = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x007X\x03\0\0\0cpuK\x06%stQ"
_PART_OF_IT = b"(X\x01\0\0\x009K\x02K\x03t"  # "9": from element 2 on, three
_A_TENSOR = b"ctorch._utils\n_rebuild_tensor\n(%sK\x01K\x02\x85K\x01\x85tR"  # from element 1 on, two


@pytest.mark.parametrize(("part", "wanted"), [(b"N", [1.0, 2.0]), (_PART_OF_IT, [3.0, 4.0])])
def test_tensors_of_the_first_pytorch_are_read(tmp_path, part, wanted):
    tensor = _A_TENSOR % (_STORAGE % part)
    got = paddle.load(_older(tmp_path / "first.pt", tensor, {"7": range(6)}), return_numpy=True)
    np.testing.assert_array_equal(got, np.array(wanted, np.float32), strict=True)


def test_parameters_of_the_first_pytorch_are_read(tmp_path):
    tensor, parameter = _A_TENSOR % (_STORAGE % b"N"), b"ctorch.nn.parameter\nParameter\n"
    by_argument = parameter + tensor + b"\x85\x81" + b"(\x88\x89}tb"  # trained, not for reading alone, no hooks
    by_state = parameter + b")\x81(" + tensor + b"N}\x88\x89tb"
    path = _older(tmp_path / "first.pt", b"(" + by_argument + by_state + b"t", {"7": range(6)})
    assert [value.tolist() for value in paddle.load(path, return_numpy=True)] == [[1.0, 2.0]] * 2


@pytest.mark.parametrize("storages", [{}, {"8": range(6)}, {"7": range(5)}, {"7": range(6), "8": [1.0]}],
                         ids=["none", "another", "a shorter one", "one more"])
def test_storages_that_are_not_the_tensors_are_refused(tmp_path, storages):
    path = _older(tmp_path / "first.pt", _A_TENSOR % (_STORAGE % b"N"), storages)
    with pytest.raises(CorruptFileError, match="storage"):
        paddle.load(path)


def test_code_in_an_older_file_is_refused(tmp_path):
    with pytest.raises(UnsafePickleError, match="os.system"):
        paddle.load(_older(tmp_path / "first.pt", b"cos\nsystem\nX\x02\0\0\0ls\x85R", {}))


def test_many_tensors_of_one_storage_do_not_fill_the_memory():
    from proa.interchange.pytorch_machine import Storage, _elements

    storage = Storage(np.dtype(np.float32), np.zeros(1 << 20, np.uint8))
    for _ in range(20):  # what honest files share
        _elements(storage, storage.dtype, 0, (1 << 18,), (1,))
    with pytest.raises(ValueError, match="repeat a storage of 1048576 bytes more than 100 times"):
        for _ in range(200):
            _elements(storage, storage.dtype, 0, (1 << 18,), (1,))


def test_a_compressed_archive_is_refused(tmp_path):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/data.pkl", b"\x80\x02" + b"0" * 100_000)
    with pytest.raises(CorruptFileError, match="compressed"):
        paddle.load(os.fspath(path))


class _OtherNames(paddle.nn.Layer):
    """The parts of `net` below, in their order, under other names."""

    def __init__(self):
        super().__init__()
        self.body = paddle.nn.LayerList([paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2)])
        self.head = paddle.nn.Linear(2, 3)


def _state_of_a_module():
    draw = np.random.default_rng(0)
    shapes = {"features.0.weight": (2, 1, 3, 3), "features.0.bias": (2,), "features.1.weight": (2,),
              "features.1.bias": (2,), "features.1.running_mean": (2,), "features.1.running_var": (2,),
              "features.1.num_batches_tracked": (), "classifier.weight": (3, 2), "classifier.bias": (3,)}
    return {name: draw.random(shape, "float32") for name, shape in shapes.items()}


def test_parts_of_other_names_in_the_same_order():
    layer, state = _OtherNames(), _state_of_a_module()
    with pytest.raises(KeyError, match="in_order=True"):
        paddle.interchange.from_pytorch(layer, state)
    found = paddle.interchange.from_pytorch(layer, state, in_order=True)
    np.testing.assert_array_equal(found["head.weight"], state["classifier.weight"].T)
    np.testing.assert_array_equal(found["body.1._variance"], state["features.1.running_var"])
    assert layer.set_state_dict(found) == ([], [])


def test_parts_in_another_order_are_refused():
    state = _state_of_a_module()
    swapped = dict(sorted(state.items()))  # biases before weights
    with pytest.raises(KeyError, match="value 0 is 'body.0.weight' in the layer and 'classifier.bias' in the state"):
        paddle.interchange.from_pytorch(_OtherNames(), swapped, in_order=True)
    state.pop("classifier.bias")
    with pytest.raises(KeyError, match="the layer has 8 values and the state 7"):
        paddle.interchange.from_pytorch(_OtherNames(), state, in_order=True)
