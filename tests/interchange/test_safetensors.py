"""safetensors files: both ways, by `paddle.save` and `paddle.load`, and by the library's own module for Paddle."""

import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from proa.core.files import CorruptFileError

safetensors = pytest.importorskip("safetensors")

VALUES = {"float32": [[1.5, -2.0]], "float16": [1.0], "bfloat16": [3.0, 4.0], "float64": [0.1], "int64": [1, 2],
          "int8": [-1], "uint8": [255], "bool": [True, False], "complex64": [1 + 2j]}


def test_a_state_goes_and_comes_back(tmp_path):
    path = str(tmp_path / "state.safetensors")
    state = {name: paddle.to_tensor(value, dtype=name) for name, value in VALUES.items()}
    state["scalar"], state["empty"] = paddle.to_tensor(2.5), paddle.zeros([0, 3])
    state["view"] = paddle.arange(6).reshape([2, 3]).t()
    paddle.save(state, path)
    back = paddle.load(path)
    assert sorted(back) == sorted(state)
    for name, value in state.items():
        assert back[name].dtype == value.dtype and back[name].shape == value.shape
        np.testing.assert_array_equal(back[name].numpy(), value.numpy())
    assert isinstance(paddle.load(path, return_numpy=True)["int64"], np.ndarray)


def test_a_file_whose_first_byte_is_a_line_feed_s(tmp_path):
    """As a Program's is: the length of the header, which not every writer fills up to a multiple of 8."""
    path = tmp_path / "state.safetensors"
    header = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.ljust(256 + ord("\n"))
    path.write_bytes(len(header).to_bytes(8, "little") + header + np.float32(3).tobytes())
    assert paddle.load(str(path))["w"].tolist() == [3.0]


def test_a_layer_s_state_fits_it_again(tmp_path):
    path = str(tmp_path / "net.safetensors")
    one, other = paddle.nn.LSTM(3, 4), paddle.nn.LSTM(3, 4)
    paddle.save(one.state_dict(), path)
    assert other.set_state_dict(paddle.load(path)) == ([], [])
    np.testing.assert_array_equal(one.weight_ih_l0.numpy(), other.weight_ih_l0.numpy())


@pytest.mark.parametrize("value", [paddle.nn.Linear(1, 1), [1], {"a": 1}, {1: paddle.ones([1])}, {"a": {}}])
def test_what_is_no_dict_of_tensors_is_refused_and_nothing_is_written(tmp_path, value):
    with pytest.raises(TypeError):
        paddle.save(value, str(tmp_path / "x.safetensors"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 100, b"\x02\x00\x00\x00\x00\x00\x00\x00{}more"])
def test_a_damaged_file_is_named(tmp_path, content):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="x.safetensors"):
        paddle.load(str(path))


def test_the_library_s_module_for_paddle_works_under_the_other_name(tmp_path):
    path = str(tmp_path / "x.safetensors")
    code = f"""
import proa
proa.compat.install("paddle")
import paddle
from safetensors.paddle import load, load_file, save, save_file
state = {{"w": paddle.ones([2, 3]), "b": paddle.to_tensor([True, False]), "s": paddle.to_tensor(2.0)}}
save_file(state, {path!r})
for back in (load(save(state)), load_file({path!r})):
    assert sorted(back) == ["b", "s", "w"] and back["w"].shape == [2, 3], back
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert paddle.load(path)["b"].tolist() == [True, False]
