"""The commands on folders of Paddle 1.x, with their values under any name, and on models of sequences."""

import shutil
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa.command_line import main

FIXTURES = Path(__file__).parents[1] / "fixtures/fluid"


def run(capsys, *arguments, status=0):
    assert main([str(argument) for argument in arguments]) == status
    return capsys.readouterr()


@pytest.fixture(params=["a file for each", "__params__", "params"])
def folder(request, tmp_path):
    """The model of x [N, 4], its values as a folder, as the usual file, or as a file of another name."""
    name = {"a file for each": "files/model"}.get(request.param, "files/combined")
    made = Path(shutil.copytree(FIXTURES / name, tmp_path / "net"))
    if request.param != "a file for each":
        (made / "model").rename(made / "__model__")
        (made / "params").rename(made / request.param)
    (made / "README").write_text("a model")
    return made


def test_every_command_takes_a_folder(folder, capsys, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 4), "float32"))
    assert "4 parameters" not in run(capsys, "inspect", folder, "--cost").err
    run(capsys, "predict", folder, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    (wanted,) = np.load(tmp_path / "y.npz").values()
    run(capsys, "convert", folder, "--to", "pdmodel", "--output", tmp_path / "new.pdmodel")
    got = paddle.jit.load(str(tmp_path / "new"))(paddle.ones([2, 4]))
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)
    run(capsys, "convert", folder, "--to", "npz")
    values = np.load(tmp_path / "net.npz")
    assert sorted(values) == ["fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0"]
    assert "median run" in run(capsys, "bench", folder, "--runs", 1).out


def test_a_folder_becomes_onnx(folder, capsys, tmp_path):
    pytest.importorskip("paddle2onnx")
    run(capsys, "convert", folder, "--to", "onnx")
    assert b"MatMul" in (tmp_path / "net.onnx").read_bytes()


def test_a_folder_with_one_model_of_today_becomes_onnx(capsys, tmp_path):
    pytest.importorskip("paddle2onnx")
    spec = [paddle.static.InputSpec([None, 2])]
    paddle.jit.save(paddle.nn.Linear(2, 3), str(tmp_path / "net/model"), input_spec=spec)
    run(capsys, "convert", tmp_path / "net", "--to", "onnx")
    assert (tmp_path / "net.onnx").stat().st_size


def test_a_model_of_any_name_is_taken_with_the_file_of_its_values(capsys, tmp_path):
    model = FIXTURES / "files/combined/model"
    np.save(tmp_path / "x.npy", np.ones((2, 4), "float32"))
    for command in (["inspect"], ["bench", "--runs", 1], ["predict", "--input", tmp_path / "x.npy"],
                    ["convert", "--to", "npz", "--output", tmp_path / "v.npz"],
                    ["convert", "--to", "pdmodel", "--output", tmp_path / "v.pdmodel"]):
        run(capsys, command[0], model, *command[1:], "--params-file", "params")
        there = model.parent / "params"
        if command[0] != "convert":
            run(capsys, command[0], model, *command[1:], "--params-file", there)
    assert "With --params-file NAME" in run(capsys, "bench", model, status=1).err
    assert "no file 'no'" in run(capsys, "bench", model, "--params-file", "no", status=1).err


def test_values_that_may_be_either_of_two_files_are_asked_for(capsys, tmp_path):
    folder = Path(shutil.copytree(FIXTURES / "models/tagger", tmp_path / "net"))
    shutil.copy(folder / "__params__", folder / "second")
    (folder / "__params__").rename(folder / "first")
    for command in (["inspect"], ["bench"], ["convert", "--to", "npz"], ["convert", "--to", "onnx"]):
        said = run(capsys, command[0], folder, *command[1:], status=1).err
        assert "--params-file NAME" in said and "params_filename" not in said and said.count("\n") == 1
    run(capsys, "inspect", folder, "--params-file", "second")


def test_sequences_are_told_by_an_option(capsys, tmp_path):
    model, words = FIXTURES / "models/tagger", np.arange(5)[:, None] % 4
    np.save(tmp_path / "x.npy", words)
    call = ["predict", model, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz"]
    said = run(capsys, *call, status=1).err
    assert "--lod words=0,2,5" in said and "set_lod" not in said
    found = {}
    for lod in ("0,2,5", "words=0,5"):
        run(capsys, *call, "--lod", lod)
        (found[lod],) = np.load(tmp_path / "y.npz").values()
    predictor = paddle.inference.create_predictor(paddle.inference.Config(str(model)))
    predictor.get_input_handle("words").copy_from_cpu(words)
    for lod, offsets in (("0,2,5", [0, 2, 5]), ("words=0,5", [0, 5])):
        predictor.get_input_handle("words").set_lod([offsets])
        predictor.run()
        (name,) = predictor.get_output_names()
        np.testing.assert_array_equal(found[lod], predictor.get_output_handle(name).copy_to_cpu())
    for lod, status, words in (("0,2,x", 2, "whole numbers"), ("1,5", 2, "0"), ("x=0,5", 2, "no input 'x'"),
                               ("0,1/0,5", 2, "has 1 level of sequences"), ("0,2", 1, "5 rows")):
        assert words in run(capsys, *call, "--lod", lod, status=status).err
    said = run(capsys, "predict", FIXTURES / "files/model", "--input", tmp_path / "x.npy", "--lod", "0,5", status=2).err
    assert "no input of the model is made of sequences" in said


def test_bench_makes_sequences(capsys):
    model = FIXTURES / "models/tagger"
    assert "int64[1, 1] in sequences [[0, 1]]" in run(capsys, "bench", model, "--runs", 1).out
    assert "int64[7, 1] in sequences [[0, 3, 7]]" in run(capsys, "bench", model, "--lod", "0,3,7", "--runs", 1).out
    assert "[[0, 4]]" in run(capsys, "bench", model, "--shape", "4,1", "--runs", 1).out
