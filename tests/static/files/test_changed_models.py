"""Models that PaddlePaddle's Predictor has optimized, or that were quantized there: the numbers are its own."""

from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import inference, static
from proa.core.files import CorruptFileError
from proa.static.files.inference_model import program_bytes, program_of

FIXTURES = Path(__file__).parents[2] / "fixtures/static/decomposed"
MODELS = sorted(path.stem for path in FIXTURES.glob("*.npz"))


@pytest.fixture
def model(request, tmp_path):
    """The prefix of a model's files, its inputs and results."""
    with np.load(FIXTURES / f"{request.param}.npz") as arrays:
        kept = dict(arrays)
    for what in ("pdmodel", "pdiparams"):
        (tmp_path / f"net.{what}").write_bytes(kept[what].tobytes())
    return (str(tmp_path / "net"), *([kept[f"{side}{n}"] for n in range(len(kept)) if f"{side}{n}" in kept]
                                     for side in ("in", "out")))


def same(found, expected, name):
    # bfloat16, in which the engine there computes, has 8 bits: here everything is float32
    close = {"rtol": 0.05, "atol": 0.05} if "bfloat16" in name else {"rtol": 1e-4, "atol": 1e-5}
    assert len(found) == len(expected)
    for here, there in zip(found, expected, strict=True):
        assert np.shape(here) == there.shape
        np.testing.assert_allclose(here, there, **close)


@pytest.mark.parametrize("model, name", [(name, name) for name in MODELS], indirect=["model"])
def test_a_predictor_gives_what_paddles_gives(model, name):
    prefix, inputs, expected = model
    predictor = inference.create_predictor(inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams"))
    for handle, array in zip(predictor.get_input_names(), inputs, strict=True):
        predictor.get_input_handle(handle).copy_from_cpu(array)
    predictor.run()
    same([predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()], expected, name)


@pytest.mark.parametrize("model, name", [(name, name) for name in MODELS], indirect=["model"])
def test_a_model_is_loaded_and_saved(model, name, tmp_path):
    prefix, inputs, expected = model
    layer = paddle.jit.load(prefix)
    paddle.jit.save(layer, str(tmp_path / "again"))
    found = paddle.jit.load(str(tmp_path / "again"))(*map(paddle.to_tensor, inputs))
    same([value.numpy() for value in (found if isinstance(found, (list, tuple)) else [found])], expected, name)


@pytest.mark.parametrize("model", ["optimized_residual", "optimized_encoder", "quantized_in_training_old"],
                         indirect=True)
def test_a_model_is_trained_further(model):
    prefix, inputs, _ = model
    layer = paddle.jit.load(prefix)
    layer.train()
    optimizer = paddle.optimizer.Adam(0.01, parameters=layer.parameters())
    losses = []
    for _ in range(5):
        found = layer(*map(paddle.to_tensor, inputs))
        found = found[0] if isinstance(found, (list, tuple)) else found
        loss = (found - 1.0).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("model", ["optimized_residual"], indirect=True)
def test_an_inference_model_is_loaded(model):
    prefix, inputs, expected = model
    executor = static.Executor()
    program, feeds, fetches = static.load_inference_model(prefix, executor)
    same(executor.run(program, feed=dict(zip(feeds, inputs, strict=True)), fetch_list=fetches), expected, "")


@pytest.mark.parametrize("type, slot", [("feed", "outputs"), ("fetch", "inputs")])
def test_what_goes_in_or_comes_out_without_a_name_is_told_with_its_place(type, slot, tmp_path):
    prefix = str(tmp_path / "net")
    paddle.jit.save(paddle.nn.Linear(2, 3), prefix, input_spec=[static.InputSpec([None, 2])])
    program = program_of((tmp_path / "net.pdmodel").read_bytes(), "net.pdmodel")
    for op in program.global_block().ops:
        if op.type == type:
            getattr(op, slot).clear()
    (tmp_path / "net.pdmodel").write_bytes(program_bytes(program))
    for read in (lambda: inference.create_predictor(inference.Config(prefix)), lambda: paddle.jit.load(prefix)):
        with pytest.raises(CorruptFileError, match=rf"net.pdmodel: block 0.*\({type}\): it names no value"):
            read()


def test_a_program_is_normalized_alone():
    with pytest.raises(TypeError, match=r"normalize_program\(program\): must be a Program. Received str"):
        static.normalize_program("main", [], [])
