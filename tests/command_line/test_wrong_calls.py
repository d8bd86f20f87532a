"""Calls that are wrong, or odd: the status, one line for what cannot be done, and never a traceback."""

import sys

import numpy as np
import proa as paddle
import pytest
from proa.command_line import main
from proa.interchange import onnx
from proa.static import InputSpec


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3), paddle.nn.Flatten(), paddle.nn.ReLU())
    paddle.jit.save(net, "net", input_spec=[InputSpec([None, 3, None, None], name="image")])
    np.save("x.npy", np.ones((1, 3, 4, 4), "float32"))
    return "net"


def run(capsys, *arguments, status=0):
    assert main([str(argument) for argument in arguments]) == status
    return capsys.readouterr()


@pytest.mark.parametrize("call, words", [
    ("predict net --input x.npy --mean a,b", "'--mean'"), ("predict net --input x.npy --mean nan,0,0", "'--mean'"),
    ("predict net --input x.npy --size 0,0", "'--size'"), ("predict net --input x.npy --size 3.5,4", "'--size'"),
    ("predict net --input x.npy --std 0", "divides nothing"), ("predict net --input x=x.npy", "no input 'x'"),
    ("bench net --shape 1,3,x,4", "--shape 1,3,x,4"), ("bench net --shape foo=1,3", "no input 'foo'"),
    ("bench net --shape=-1,3,4,4", "is negative"), ("bench net --shape ''", "numbers with commas"),
    ("bench net --runs 0", "'--runs'"), ("inspect x.npy --cost", "is for models"),
    ("inspect x.npy --shape 1", "--shape is for --cost"), ("convert net --to onnx --opset 3", "'--opset'"),
    ("convert net --to pdmodel --output net", "is a file that is read"),
    ("convert net --to safetensors --output net.npz", "is a name for the format npz"),
    ("convert net --to onnx --output .", "no name of a file"),
    ("convert net --to npz --output a/", "no name of a file"),
    ("convert net --to npz --output ''", "no name of a file"),
    ("demo --epochs 0", "'--epochs'"), ("demo --seed=-1", "'--seed'"),
])
def test_a_wrong_call_is_status_two(prefix, capsys, call, words):
    said = run(capsys, *[part.strip("'") for part in call.split()], status=2)
    assert words in said.err and "Traceback" not in said.err and "Usage: proa" in said.err


def test_a_model_that_leaves_sizes_open_asks_for_them(prefix, capsys):
    for call in (["bench", prefix], ["inspect", prefix, "--cost"]):
        said = run(capsys, *call, status=1).err
        assert "give --shape image=SIZES" in said and said.count("\n") == 1
    said = run(capsys, "bench", prefix, "--shape", "1,5,4,4", status=1).err
    assert said.count("\n") == 1 and "in the operation" not in said and "--shape" not in said


def test_memory_that_is_not_enough_is_told(prefix, capsys, monkeypatch):
    said = run(capsys, "bench", prefix, "--shape", "1,3,99999999,99999999", status=1).err
    assert said.startswith("proa bench: there is not enough memory. ")

    def fails(*arguments):
        raise MemoryError

    monkeypatch.setattr("proa.command_line.timing.predictor_of", fails)
    assert run(capsys, "bench", prefix, status=1).err == "proa bench: there is not enough memory.\n"


def test_a_shape_that_no_array_has_is_told(prefix, capsys):
    said = run(capsys, "bench", prefix, "--shape", "99999999999999999999,3,4,4", status=1).err
    assert said.startswith("proa bench: there is not enough memory. No array has the shape [99999999999999999999, 3, ")


def test_an_input_of_another_shape_is_told_once(prefix, capsys, tmp_path):
    np.save(tmp_path / "scalar.npy", np.float32(3))
    said = run(capsys, "predict", prefix, "--input", str(tmp_path / "scalar.npy"), status=1).err
    assert said.count(" takes shape ") == 1 and "Received shape []" in said


def test_the_cost_is_without_what_files_alone_have(prefix, capsys):
    said = run(capsys, "inspect", prefix, "--cost", "--shape", "1,3,4,4").out
    assert "flatten" in said and "float32[0," not in said


def test_convert_replaces_files_when_it_is_told_to(prefix, capsys, tmp_path):
    run(capsys, "convert", prefix, "--to", "npz")
    (tmp_path / "net.npz").write_text("mine")
    assert "'net.npz' is there already: --force" in run(capsys, "convert", prefix, "--to", "npz", status=1).err
    assert (tmp_path / "net.npz").read_text() == "mine"
    run(capsys, "convert", prefix, "--to", "npz", "--force")
    assert len(np.load(tmp_path / "net.npz")) == 2
    (tmp_path / "new.pdiparams").write_text("mine")
    call = ["convert", prefix, "--to", "pdmodel", "--output", "new"]
    assert "'new.pdiparams' is there already" in run(capsys, *call, status=1).err
    run(capsys, *call, "--force")
    assert "new.pdmodel was written" not in run(capsys, "inspect", "new").out


def test_onnx_says_what_can_be_done_where_the_converter_cannot_be_had():
    assert onnx._way_to_converter((3, 12)) == ": pip install 'proa[onnx]'."
    for version in ((3, 13), (3, 14)):
        assert "with a Python 3.12" in onnx._way_to_converter(version)


def test_export_without_the_converter_names_the_way(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=f"paddle2onnx{'.*3.12' if sys.version_info >= (3, 13) else ': pip install'}"):
        onnx.export(paddle.nn.Linear(2, 2), str(tmp_path / "x"))
