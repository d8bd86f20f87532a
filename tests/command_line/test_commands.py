"""The commands: what they print, what they write, and how they end."""

import errno
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import fluid
from proa.command_line import main
from proa.static import InputSpec
from proa.static.format.tensor_stream import write_combined


@pytest.fixture
def model(tmp_path):
    paddle.seed(0)
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3), paddle.nn.ReLU(), paddle.nn.AdaptiveAvgPool2D(1),
                               paddle.nn.Flatten(), paddle.nn.Linear(4, 10))
    net.eval()
    prefix = str(tmp_path / "net")
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="image")])
    paddle.save(net.state_dict(), prefix + ".pdparams")
    return net, prefix


def run(capsys, *arguments, status=0):
    assert main([str(argument) for argument in arguments]) == status
    return capsys.readouterr()


def test_a_pickle_that_asks_for_code_is_told_of_in_a_line(tmp_path, capsys):
    (tmp_path / "state.pdparams").write_bytes(b"\x80\x04cos\nsystem\n")
    said = run(capsys, "inspect", tmp_path / "state.pdparams", status=1).err
    assert "os.system, which was refused" in said and "Traceback" not in said and said.count("\n") == 1


def test_inspect_tells_what_a_model_is(model, capsys):
    net, prefix = model
    for name in (prefix, prefix + ".pdmodel"):
        said = run(capsys, "inspect", name).out
        assert "image" in said and "[-1, 3, -1, -1]" in said and "conv2d 1" in said and "Paddle 2.6.2" in said
        assert f"{sum(p.size for p in net.parameters()):,} numbers" in said and "not supported" not in said
    found = json.loads(run(capsys, "inspect", prefix, "--json").out)
    assert found["operators"]["conv2d"] == 1 and found["inputs"][0]["name"] == "image" and not found["unsupported"]


def test_inspect_tells_inputs_in_the_order_in_which_a_call_takes_them(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    specs = [InputSpec([2], "float32", name) for name in ("left", "right")]
    paddle.jit.save(paddle.jit.to_static(lambda x, y: x - y, input_spec=specs), "two")
    told = json.loads(run(capsys, "inspect", "two", "--json").out)
    assert [row["name"] for row in told["inputs"]] == ["left", "right"]


def test_inspect_names_operators_that_cannot_run_here(model, capsys):
    prefix = model[1]
    with open(prefix + ".pdmodel", "rb") as file:
        content = file.read()
    with open(prefix + ".pdmodel", "wb") as file:
        file.write(content.replace(b"\x04relu", b"\x04rulu"))
    assert "not supported here: rulu" in run(capsys, "inspect", prefix).out


def test_inspect_says_when_the_values_are_not_whole(model, capsys):
    prefix, file = model[1], Path(model[1] + ".pdiparams")
    content = file.read_bytes()
    for damaged, said in ((content[:-7], "the file ends after"), (content + b"more", "4 bytes follow"),
                          (content[:100], "the file ends after"), (b"", "the file ends after 0 of 4"),
                          (content.replace(b"\x10\x0a", b"\x10\x05", 1), ".pdiparams: ")):
        file.write_bytes(damaged)
        told = run(capsys, "inspect", prefix, status=1)
        assert "conv2d 1" in told.out and said in told.err and told.err.count("\n") == 1, told.err
    assert said in json.loads(run(capsys, "inspect", prefix, "--json", status=1).out)["damage"]
    other = paddle.nn.Linear(5, 5)
    paddle.jit.save(other, prefix + "2", input_spec=[InputSpec([None, 5])])
    paddle.jit.save(paddle.nn.Linear(5, 6), prefix + "3", input_spec=[InputSpec([None, 5])])
    Path(prefix + "2.pdiparams").write_bytes(Path(prefix + "3.pdiparams").read_bytes())
    assert "belongs to another model" in run(capsys, "inspect", prefix + "2", status=1).err
    values = paddle.load(prefix + "3")  # sizes of 1 are as PaddlePaddle's writers of quantized files leave them
    with open(prefix + "3.pdiparams", "wb") as written:
        write_combined(written, [(values[name][None], 5) for name in sorted(values)])
    run(capsys, "inspect", prefix + "3")
    file.unlink()
    said = run(capsys, "inspect", prefix, status=1)
    assert "conv2d 1" in said.out and "there is no file of their values" in said.err and said.err.count("\n") == 1
    run(capsys, "inspect", prefix, "--cost", "--shape", "1,3,8,8", status=1)
    assert "no file of their values" in json.loads(run(capsys, "inspect", prefix, "--json", status=1).out)["damage"]


def test_inspect_says_when_a_value_of_a_folder_is_missing_or_damaged(capsys, tmp_path):
    main_program, startup, executor = paddle.static.Program(), paddle.static.Program(), paddle.static.Executor()
    with paddle.static.program_guard(main_program, startup):
        y = fluid.layers.fc(fluid.data("x", [None, 3]), 2)
        executor.run(startup)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], executor, main_program)
    bias, weight = sorted(path for path in tmp_path.iterdir() if path.name != "__model__")
    assert run(capsys, "inspect", tmp_path).err == ""
    bias.write_bytes(bias.read_bytes()[:-1])
    assert bias.name in run(capsys, "inspect", tmp_path, status=1).err
    bias.unlink()
    assert bias.name in run(capsys, "inspect", tmp_path, status=1).err
    weight.unlink()
    assert "there is no file of their values" in run(capsys, "inspect", tmp_path, status=1).err


def test_inspect_tells_the_cost_for_a_shape(model, capsys):
    assert "float32[2, 4, 6, 6]" in run(capsys, "inspect", model[1], "--cost", "--shape", "image=2,3,8,8").out
    assert "numbers with commas" in run(capsys, "inspect", model[1], "--cost", "--shape", "2x3", status=2).err
    assert "there is no input 'x'" in run(capsys, "inspect", model[1], "--cost", "--shape", "x=2,3,8,8", status=2).err
    assert "--shape is for --cost" in run(capsys, "inspect", model[1], "--shape", "2,3,8,8", status=2).err


def test_inspect_lists_parameters(model, capsys, tmp_path):
    said = run(capsys, "inspect", model[1] + ".pdparams").out
    assert "0.weight" in said and "[4, 3, 3, 3]" in said and "4 arrays" in said
    paddle.save({"a": {"b": [paddle.ones([2])]}}, str(tmp_path / "deep"))
    assert "a.b.0" in run(capsys, "inspect", tmp_path / "deep").out


def test_predict_runs_on_an_array_and_writes_the_outputs(model, capsys, tmp_path):
    net, prefix = model
    x = np.random.default_rng(0).random((2, 3, 8, 8), np.float32)
    np.save(tmp_path / "x.npy", x)
    said = run(capsys, "predict", prefix, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz", "--top", 3).out
    wanted = net(paddle.to_tensor(x)).numpy()
    (result,) = np.load(tmp_path / "y.npz").values()
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
    assert f"  {wanted[0].argmax()}: " in said and said.splitlines()[1].count(":") == 3
    np.savez(tmp_path / "x.npz", image=x)
    assert run(capsys, "predict", prefix, "--input", tmp_path / "x.npz", "--top", 3).out == said


def test_predict_scales_a_picture_as_asked(model, capsys, tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (8, 6, 3)).astype(np.uint8)
    image.fromarray(pixels).save(tmp_path / "x.png")
    run(capsys, "predict", model[1], "--input", f"image={tmp_path / 'x.png'}", "--mean", "0.5,0.4,0.3", "--std", "0.2",
        "--output", tmp_path / "y.npz")
    x = ((pixels / 255 - [0.5, 0.4, 0.3]) / 0.2).transpose(2, 0, 1)[None].astype(np.float32)
    (result,) = np.load(tmp_path / "y.npz").values()
    np.testing.assert_allclose(result, model[0](paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)
    run(capsys, "predict", model[1], "--input", tmp_path / "x.png", "--size", "16,16")


def test_predict_takes_pictures_of_16_bits_and_turned_ones_as_they_are_meant(capsys, tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    paddle.jit.save(paddle.nn.Flatten(), "same", input_spec=[InputSpec([None, 1, None, None], name="x")])
    pixels = np.array([[0, 255, 256], [20000, 40000, 65535]], np.uint16)

    def seen(file):
        run(capsys, "predict", "same", "--input", file, "--output", "y.npz")
        (values,) = np.load("y.npz").values()
        return values

    for file in ("deep.png", "deep.tif"):
        image.fromarray(pixels).save(file)
        np.testing.assert_allclose(seen(file), np.array([[0, 0, 1, 78, 156, 255]]) / 255, rtol=1e-6)
    turned, exif = image.fromarray(np.array([[0, 255]], np.uint8)), image.Exif()
    exif[0x0112] = 3  # upside down
    turned.save("turned.png", exif=exif)
    assert seen("turned.png").tolist() == [[1.0, 0.0]]
    image.fromarray(np.ones((2, 2), np.float32)).save("float.tif")
    said = run(capsys, "predict", "same", "--input", "float.tif", status=1).err
    assert "float.tif" in said and "Give an array" in said


def test_predict_refuses_what_does_not_fit(model, capsys, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 5, 8, 8), np.float32))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    for given, words in (([tmp_path / "x.npy"], "channels"), ([tmp_path / "no.npy"], "there is no file"),
                         ([tmp_path / "objects.npy"], "holds Python objects")):
        options = [part for file in given for part in ("--input", file)]
        said = run(capsys, "predict", model[1], *options, status=1).err
        assert said.startswith("proa predict: ") and words in said and "Traceback" not in said
    twice = ["--input", tmp_path / "x.npy"] * 2
    assert "more values than inputs" in run(capsys, "predict", model[1], *twice, status=2).err


def test_predict_names_the_file_or_the_option_that_is_to_blame(model, capsys, tmp_path):
    prefix = model[1]
    (tmp_path / "text.npz").write_text("hi")
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY")
    np.savez(tmp_path / "objects.npz", image=np.array([{}]))
    for name in ("text.npz", "cut.npy", "objects.npz"):
        assert name in run(capsys, "predict", prefix, "--input", tmp_path / name, status=1).err
    pillow = pytest.importorskip("PIL.Image")
    pillow.new("L", (6, 6)).save(tmp_path / "x.png")
    (tmp_path / "chopped.png").write_bytes((tmp_path / "x.png").read_bytes()[:30])
    said = run(capsys, "predict", prefix, "--input", tmp_path / "chopped.png", status=1).err
    assert said.count("\n") == 1 and "chopped.png" in said
    options = ["predict", prefix, "--input", tmp_path / "x.png", "--std", "1,0,1"]
    assert "divides nothing" in run(capsys, *options, status=2).err
    fixed = paddle.nn.Conv2D(1, 1, 3)
    paddle.jit.save(fixed, prefix + "2", input_spec=[InputSpec([None, 1, 6, 6])])
    options = ["predict", prefix + "2", "--input", tmp_path / "x.png", "--size"]
    assert "pictures of [6, 6] alone" in run(capsys, *options, "8,6", status=2).err
    run(capsys, *options, "6,6")


def test_a_model_without_its_values_is_told(model, capsys, tmp_path):
    Path(model[1] + ".pdiparams").unlink()
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 8, 8), np.float32))
    for call in (["predict", model[1], "--input", tmp_path / "x.npy"], ["bench", model[1], "--shape", "1,3,8,8"]):
        said = run(capsys, *call, status=1).err
        assert "4 parameters" in said and ".pdiparams" in said and "Errno" not in said


def test_a_folder_with_several_models_asks_for_one(model, capsys, tmp_path):
    assert "conv2d 1" in run(capsys, "inspect", tmp_path).out
    assert "conv2d 1" in run(capsys, "inspect", model[1] + ".pdiparams.info").out
    paddle.jit.save(paddle.nn.Linear(2, 2), str(tmp_path / "other"), input_spec=[InputSpec([None, 2])])
    said = run(capsys, "inspect", tmp_path, status=1).err
    assert "holds 2 models: net.pdmodel, other.pdmodel" in said


def test_errors_speak_of_no_objects_of_the_compilers(model, capsys, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 5, 8, 8), np.float32))
    said = run(capsys, "predict", model[1], "--input", tmp_path / "x.npy", status=1).err
    assert "channels" in said and " object at " not in said


def test_errors_of_any_class_are_a_line(monkeypatch, capsys, tmp_path):
    def fails(*arguments):
        raise ArithmeticError("odd")

    monkeypatch.setattr("proa.command_line.inspection.model_file", fails)
    said = run(capsys, "inspect", tmp_path, status=1).err
    assert said == "proa inspect: ArithmeticError: odd (`proa --traceback …` shows where)\n"


def test_sizes_of_what_is_not_installed(monkeypatch, capsys):
    monkeypatch.setattr("proa.bundling.space.distributions", list)
    assert "is not installed" in run(capsys, "sizes", status=1).err


def test_view_asks_for_the_file_first(capsys, tmp_path):
    assert "there is no file" in run(capsys, "view", tmp_path / "nothing", status=1).err


def test_view_says_that_a_port_is_taken(model, capsys, monkeypatch):
    def taken(*arguments, **keywords):
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setitem(sys.modules, "netron", types.SimpleNamespace(start=taken, wait=None))
    assert "--port 8080: something is served there" in run(capsys, "view", model[1], "--port", 8080, status=1).err


def test_bench_tells_times(model, capsys):
    said = run(capsys, "bench", model[1], "--shape", "1,3,8,8", "--runs", 3).out
    assert "float32[1, 3, 8, 8]" in said and "median run" in said and "of 3" in said


def test_convert_there_and_back(model, capsys, tmp_path):
    pytest.importorskip("safetensors")
    prefix = model[1]
    run(capsys, "convert", prefix + ".pdparams", "--to", "safetensors")
    run(capsys, "convert", prefix + ".safetensors", "--to", "npz", "--output", tmp_path / "a.npz")
    run(capsys, "convert", tmp_path / "a.npz", "--to", "pdparams", "--output", tmp_path / "b.pdparams")
    before, after = paddle.load(prefix + ".pdparams"), paddle.load(str(tmp_path / "b.pdparams"))
    assert list(before) and sorted(before) == sorted(after)
    for name, value in before.items():
        np.testing.assert_array_equal(value.numpy(), after[name].numpy())
    assert "is a file that is read" in run(capsys, "convert", prefix + ".pdparams", "--to", "pdparams", status=2).err
    assert "no model" in run(capsys, "convert", prefix + ".npz", "--to", "onnx", status=1).err


def test_a_checkpoint_is_told_where_its_parameters_are(capsys, tmp_path):
    state = paddle.nn.Linear(2, 2).state_dict()
    paddle.save({"epoch": 3, "model": state}, str(tmp_path / "all.pdparams"))
    said = run(capsys, "convert", tmp_path / "all.pdparams", "--to", "npz", status=1).err
    assert "all.pdparams')['model']" in said


def test_models_of_paddle_3_are_inspected_run_and_converted(capsys, tmp_path):
    prefix = Path(__file__).parents[1] / "fixtures/static/pir/linear"
    said = run(capsys, "inspect", f"{prefix}.json").out
    assert "Paddle 3, as 2.6.2 has it" in said
    assert "fetch_name_0" in said and "matmul_v2 2" in said and "not supported" not in said
    run(capsys, "convert", prefix, "--to", "pdmodel", "--output", tmp_path / "net.pdmodel")
    assert "matmul_v2 2" in run(capsys, "inspect", tmp_path / "net.pdmodel").out
    same = tmp_path / "net.pdmodel"
    assert "is a file that is read" in run(capsys, "convert", same, "--to", "pdmodel", "--output", same, status=2).err


def test_a_wrong_call_is_status_two(capsys):
    assert main(["inspect"]) == 2 and main(["nothing"]) == 2 and main(["predict", "--what"]) == 2
    assert "Usage" in capsys.readouterr().err
    assert "there is no file and no model" in run(capsys, "inspect", "/nowhere/at/all", status=1).err
    with pytest.raises(FileNotFoundError):
        main(["--traceback", "inspect", "/nowhere/at/all"])


def test_what_is_no_model_is_told_by_what_it_is(tmp_path, capsys):
    (tmp_path / "net.onnx").write_bytes(b"\x08\x07")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "folder").mkdir()
    for words in (("inspect",), ("predict", "--input", "x.npy"), ("bench",), ("convert", "--to", "onnx"),
                  ("convert", "--to", "pdmodel"), ("convert", "--to", "npz")):
        said = run(capsys, words[0], tmp_path / "net.onnx", *words[1:], status=1).err
        assert "is an ONNX file" in said and "x2paddle" in said
    for words in (("inspect",), ("predict", "--input", "x.npy"), ("view",), ("convert", "--to", "onnx")):
        assert "holds no model" in run(capsys, words[0], tmp_path / "folder", *words[1:], status=1).err
    assert "is no model by its name" in run(capsys, "bench", tmp_path / "notes.txt", status=1).err
    assert "there is no file" in run(capsys, "bench", tmp_path / "nothing", status=1).err


def test_help_names_every_command(capsys):
    said = run(capsys, "--help").out
    for name in ("run", "demo", "info", "inspect", "predict", "bench", "explain", "convert", "view", "snapshot"):
        assert f"\n  {name} " in said
        assert "Usage: proa" in run(capsys, name, "--help").out or name == "run"


SCRIPT = """
import paddle

class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.scaled = True

    @paddle.jit.to_static
    def forward(self, x):
        if self.scaled:
            x = x * 2
        if x.mean() > 0:
            x = x + 1
        return x

@paddle.jit.to_static
def as_written(x):
    return [float(v) for v in x.numpy()]

net = Net()
net(paddle.ones([2]))
net.scaled = False
net(paddle.ones([2]))
as_written(paddle.ones([2]))
print("done")
raise SystemExit(3)
"""


def test_explain_tells_what_became_of_each_function(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    ran = subprocess.run([sys.executable, "-W", "ignore", "-m", "proa", "explain", "script.py"], cwd=tmp_path,
                         capture_output=True, text=True)
    assert ran.returncode == 3 and ran.stdout == "done\n"
    for words in ('"script.py", line 9, in forward: `Net.forward`', "relies on: self.scaled = True",
                  "made again since self.scaled changed", "in it: branch around script.py:14\n", "`as_written`",
                  "runs as it was written", "x.numpy()"):
        assert words in ran.stderr, ran.stderr


def test_explain_of_no_script_says_that_alone(capsys, tmp_path):
    said = run(capsys, "explain", tmp_path / "nope.py", status=2).err
    assert said == f"proa explain: there is no file {str(tmp_path / 'nope.py')!r}\n"


def proa(*arguments, **options):
    """A command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "proa", *map(str, arguments)], text=True, stderr=subprocess.PIPE,
                          **{"stdout": subprocess.PIPE, **options})


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_scripts_traceback_begins_with_the_script(tmp_path, command):
    (tmp_path / "script.py").write_text("import paddle\n\ndef fails():\n    raise ValueError('oh')\n\nfails()\n")
    (tmp_path / "wrong.py").write_text("def f(:\n")
    ran = proa(command, "script.py", cwd=tmp_path)
    before, _, traceback = ran.stderr.partition("Traceback (most recent call last):\n")
    assert ran.returncode == 1 and traceback.startswith('  File "script.py", line 6, in <module>\n    fails()\n')
    assert traceback.endswith("ValueError: oh\n") and traceback.count("File ") == 2 and "File" not in before
    ran = proa(command, "wrong.py", cwd=tmp_path)
    assert ran.returncode == 1 and "Traceback" not in ran.stderr and '  File "wrong.py", line 1\n' in ran.stderr


def test_what_follows_a_command_that_there_is_not(capsys):
    assert "Did you mean 'inspect'?" in run(capsys, "inspec", status=2).err
    assert "Did you mean" not in run(capsys, "frobnicate", status=2).err


def test_names_that_a_console_cannot_write(tmp_path):
    paddle.save({"größe \u2192": paddle.ones([2])}, str(tmp_path / "u.pdparams"))
    ran = proa("inspect", tmp_path / "u.pdparams", encoding="latin-1", env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert ran.returncode == 0 and "gr\xf6\xdfe \\u2192" in ran.stdout, ran.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
@pytest.mark.parametrize("command", ["info", "--help"])
def test_a_full_disk_is_told_in_a_line(command):
    with open("/dev/full", "w") as full:
        ran = proa(command, stdout=full)
    assert ran.returncode == 1 and ran.stderr.startswith("proa: ") and ran.stderr.count("\n") == 1, ran.stderr


def test_predict_says_what_it_takes(model, capsys, tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("no numbers")
    (tmp_path / "x.png").write_bytes(b"no picture")
    said = run(capsys, "predict", model[1], "--input", tmp_path / "notes.txt", status=1).err
    assert "this is no array (.npy)" in said and "pickle" not in said
    assert "x>=1" in run(capsys, "predict", model[1], "--input", "x.npy", "--top", 0, status=2).err
    monkeypatch.setitem(sys.modules, "PIL", None)
    said = run(capsys, "predict", model[1], "--input", tmp_path / "x.png", status=1).err
    assert "pip install 'proa[vision]'" in said


def test_a_folder_that_is_no_snapshot_is_told(capsys, tmp_path):
    assert "is no snapshot" in run(capsys, "snapshot", "list", tmp_path, status=1).err
    assert "Errno" not in run(capsys, "snapshot", "list", tmp_path / "nothing", status=1).err


@pytest.mark.parametrize("command", ["inspect", "convert", "explain"])
def test_shells_complete_files(command):
    asked = {"_PROA_COMPLETE": "bash_complete", "COMP_WORDS": f"proa {command} ne", "COMP_CWORD": "2"}
    assert proa(env={**os.environ, **asked}).stdout == "file,ne\n"


@pytest.mark.parametrize("content, told", [
    (b"", "the file is empty"), (b"hello world\n", "the file is text: 'hello world'"),
    (b"<!DOCTYPE html><html>", "a web page"), (b"version https://git-lfs.github.com/spec/v1\noid 4d\n", "git lfs pull"),
    (b"m/\0" + bytes(254) + b"ustar" + bytes(200), "tar archive")])
@pytest.mark.parametrize("name", ["m.pdmodel", "m.json", "m.pdparams", "m.pt", "m.safetensors", "m", "m.npz"])
def test_what_a_file_is_instead_is_told_in_a_line(tmp_path, capsys, name, content, told):
    (tmp_path / name).write_bytes(content)
    said = run(capsys, "inspect", tmp_path / name, status=1).err
    assert said.count("\n") == 1 and str(tmp_path / name) in said
    assert told in said


def test_an_input_of_another_size_is_named(model, tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.zeros((2, 5, 8, 8), np.float32))
    said = run(capsys, "predict", model[1], "--input", tmp_path / "x.npy", status=1).err
    assert "input: 'image' takes shape [-1, 3, -1, -1] (-1: any size), and received [2, 5, 8, 8]" in said
    paddle.jit.save(paddle.nn.Linear(3, 4), str(tmp_path / "linear"), input_spec=[InputSpec([None, 3], name="x")])
    said = run(capsys, "bench", tmp_path / "linear", "--shape", "2,4", status=1).err
    assert "received [2, 4]" in said and "inner dimensions must agree" in said


def test_values_that_are_something_else_or_named_for_the_model_are_told(model, tmp_path, capsys):
    values = Path(model[1] + ".pdiparams")
    said = run(capsys, "convert", values, "--to", "npz", status=1).err
    assert "holds a model's values" in said
    values.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n")
    assert "git lfs pull" in run(capsys, "bench", model[1], status=1).err
    os.mkfifo(tmp_path / "pipe.pdmodel")
    assert "a pipe or a device" in run(capsys, "inspect", tmp_path / "pipe.pdmodel", status=1).err


def test_files_of_numpy_are_inspected(tmp_path, capsys):
    np.savez(tmp_path / "x.npz", image=np.ones([2, 3], "float32"))
    np.save(tmp_path / "x.npy", np.ones([2, 3], "float32"))
    assert "image  [2, 3]  float32" in run(capsys, "inspect", tmp_path / "x.npz").out
    assert "[2, 3]" in run(capsys, "inspect", tmp_path / "x.npy").out
    np.save(tmp_path / "o.npy", np.array([object()], dtype=object), allow_pickle=True)
    assert "holds Python objects" in run(capsys, "inspect", tmp_path / "o.npy", status=1).err
    (tmp_path / "y.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:100])
    assert "is damaged" in run(capsys, "convert", tmp_path / "y.npz", "--to", "pdparams", status=1).err
