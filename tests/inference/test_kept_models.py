"""What an earlier process compiled of a model, a later one takes from the disk: the same results and errors."""

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.core.flags import flags_guard
from proa.inference import predictor as module


@pytest.fixture
def prefix(tmp_path):
    with flags_guard({"FLAGS_kernel_cache_dir": str(tmp_path / "kept"), "FLAGS_keep_plans": True}):
        layers = [layer for _ in range(20) for layer in (paddle.nn.Linear(6, 6), paddle.nn.Hardswish())]
        paddle.jit.save(paddle.nn.Sequential(*layers), str(tmp_path / "model"),
                        input_spec=[paddle.static.InputSpec([None, 6], name="x")])
        yield str(tmp_path / "model")


def run(predictor, x):
    predictor.get_input_handle("x").copy_from_cpu(x)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def test_a_kept_model_gives_the_same(prefix, monkeypatch):
    compiled = []
    compile_plan = module.compile_plan
    monkeypatch.setattr(module, "compile_plan", lambda *args: compiled.append(args) or compile_plan(*args))
    x = np.random.default_rng(0).random((3, 6), "float32")
    first, again = (inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
                    for _ in range(2))
    assert len(compiled) == 1
    np.testing.assert_array_equal(run(again, x), run(first, x))
    assert "one call" in again.describe({"x": (3, 6)})
    with pytest.raises(ValueError, match="in the operation|does not take|operators do not take"):
        run(again, np.ones((3, 5), "float32"))
