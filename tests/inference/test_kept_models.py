"""What an earlier process compiled of a model, a later one takes from the disk: the same results and errors."""

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.core.files import CorruptFileError
from proa.core.flags import flags_guard
from proa.inference import opening as module
from proa.static.compiler import kept_plans
from proa.static.files import inference_model, model_program
from proa.static.format.attributes import IntList, LongList, LongValue, ScalarValue, StringList, VarValue


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


def opened(prefix, **limits):
    config = inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    for name, value in limits.items():
        getattr(config, name)(value)
    return inference.create_predictor(config)


@pytest.fixture
def read(monkeypatch):
    """The Programs that have been read since, in a list."""
    found = []
    read = model_program.program_of_model
    monkeypatch.setattr(model_program, "program_of_model", lambda *args: found.append(args[1]) or read(*args))
    return found


def test_a_kept_model_runs_without_its_program(prefix, read):
    x = np.random.default_rng(0).random((3, 6), "float32")
    first = opened(prefix)
    assert len(read) == 1
    again = opened(prefix)
    np.testing.assert_array_equal(run(again, x), run(first, x))
    np.testing.assert_array_equal(run(again.clone(), x), run(first, x))
    assert again.run([paddle.to_tensor(x)])[0].shape == [3, 6]
    handle = again.get_input_handle("x")
    assert (handle.name, handle.type()) == ("x", inference.DataType.FLOAT32)
    assert opened(prefix).get_input_handle("x").shape() == [-1, 6]
    with pytest.raises(TypeError, match="takes dtype float32"):
        handle.copy_from_cpu(x.astype("complex64"))
    assert len(read) == 1
    assert "one call" in again.describe({"x": (3, 6)})
    assert len(read) == 2


def test_what_other_files_of_the_package_made_is_made_anew(prefix, tmp_path, read, monkeypatch):
    opened(prefix)
    state, changed = kept_plans._state, {"unknown.py", module.__file__}
    monkeypatch.setattr(kept_plans, "_state", lambda place: (0, 0) if place in changed else state(place))
    opened(prefix)
    opened(prefix)
    assert len(read) == 2
    changed.remove(module.__file__)
    opened(prefix)
    opened(prefix)
    assert len(read) == 3
    assert len(list((tmp_path / "kept").glob("*.plan"))) == 1


def test_a_plan_is_kept_once_and_only_where_the_package_tells_all(prefix, tmp_path, monkeypatch):
    opened(prefix)
    assert len(list((tmp_path / "kept").glob("*.plan"))) == 1
    program = module.Source(inference_model.read_program(prefix + ".pdmodel")).program
    assert kept_plans.may_be_kept(program)
    monkeypatch.setattr(kept_plans, "_PACKAGE", "another.")  # as where an operator is the user's own
    assert not kept_plans.may_be_kept(program)


def test_other_content_limits_flags_and_seeds_are_other_models(prefix, read, tmp_path):
    opened(prefix)
    opened(prefix, set_loop_limit=5)
    opened(prefix, set_memory_limit_mb=100)
    with flags_guard({"FLAGS_verify_passes": not paddle.get_flags("FLAGS_verify_passes")["FLAGS_verify_passes"]}):
        opened(prefix)
    paddle.static.Program().global_seed(3)
    try:
        opened(prefix)
    finally:
        paddle.static.Program().global_seed(0)
    assert len(read) == 5
    opened(prefix)
    assert len(read) == 5
    with flags_guard({"FLAGS_keep_plans": False}):
        opened(prefix)
    assert len(read) == 6
    layers = [layer for _ in range(20) for layer in (paddle.nn.Linear(6, 6), paddle.nn.Hardsigmoid())]
    net = paddle.nn.Sequential(*layers)
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 6], name="x")])
    x = np.ones((1, 6), "float32")
    np.testing.assert_allclose(run(opened(prefix), x), net(paddle.to_tensor(x)).numpy(), rtol=1e-5)
    assert len(read) == 7


def test_a_damaged_cache_is_not_believed(prefix, read, tmp_path):
    x = np.ones((2, 6), "float32")
    expected = run(opened(prefix), x)
    for damage in (lambda kept: kept[:-1], lambda kept: kept[:40] + bytes([kept[40] ^ 1]) + kept[41:], lambda _: b""):
        for path in (tmp_path / "kept").glob("*.plan"):
            path.write_bytes(damage(path.read_bytes()))
        before = len(read)
        np.testing.assert_array_equal(run(opened(prefix), x), expected)
        assert len(read) == before + 1


def test_damaged_values_of_a_kept_model_are_told(prefix, read):
    opened(prefix)
    with open(prefix + ".pdiparams", "rb") as file:
        data = file.read()
    for changed, told in ((data[:-1], "the file ends"), (data + b"\0", "bytes follow")):
        with open(prefix + ".pdiparams", "wb") as file:
            file.write(changed)
        with pytest.raises(CorruptFileError, match=told):
            opened(prefix)
    assert len(read) == 1


def test_errors_of_a_kept_model_name_the_operation(prefix, read):
    opened(prefix)
    again = opened(prefix)
    with pytest.raises(ValueError, match="in the operation 'fused_linear'"):
        run(again, np.ones((3, 5), "float32"))
    assert len(read) == 2


def test_attributes_whose_types_files_tell_are_kept_apart():
    plain = kept_plans._plain
    values = [StringList(), IntList(), LongList([1]), IntList([1]), [1], LongValue(1), 1, VarValue("a"), "a"]
    assert len({repr(plain(value)) for value in values}) == len(values)
    with pytest.raises(kept_plans._NotPlain):
        plain(ScalarValue(1))
