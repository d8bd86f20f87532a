"""Names that models written for Paddle take from places other than the documented ones."""

import hashlib
import importlib.util
import subprocess
import sys
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn


def test_module_of_a_functions_name_does_not_hide_the_function():
    code = """
import proa
proa.compat.install("paddle")
import paddle
from paddle.amp.auto_cast import amp_state
from paddle.nn.functional.flash_attention import flash_attention
with paddle.amp.auto_cast():
    assert amp_state() is not None
assert amp_state() is None and paddle.amp.auto_cast is proa.amp.auto_cast and callable(proa.amp.auto_cast)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_attr_as_models_ask_for_it():
    assert paddle.ParamAttr._to_attr(False) is False
    assert paddle.ParamAttr._to_attr("w").name == "w" and paddle.ParamAttr._to_attr(None).name is None
    assert [attr and attr.name for attr in paddle.ParamAttr._to_attr(["w", None, False])] == ["w", None, False]


def test_helpers_of_transformers():
    from proa.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list

    mask = _convert_attention_mask(paddle.to_tensor([[True, False]]), "float32")
    np.testing.assert_array_equal(mask.numpy(), np.float32([[0, -1e9]]))
    assert _convert_attention_mask(None, "float32") is None
    assert [attr.name for attr in _convert_param_attr_to_list(paddle.ParamAttr(name="w"), 2)] == ["w_0", "w_1"]
    assert _convert_param_attr_to_list(False, 2) == [False, False]
    attrs = _convert_param_attr_to_list([None, False], 2)
    assert attrs[0].name is None and attrs[1] is False
    with pytest.raises(ValueError, match="3 entries"):
        _convert_param_attr_to_list([None], 3)


def test_layer_tells_its_default_dtype():
    assert nn.Layer()._helper.get_default_dtype() == "float32"


def test_layers_know_that_they_are_converted():
    from proa.nn.layer.layers import in_declarative_mode

    seen = []

    @paddle.jit.to_static
    def function(x):
        seen.append(in_declarative_mode())
        return x + 1

    function(paddle.ones([1]))
    assert seen == [True] and not in_declarative_mode()


def test_flash_attention_is_attention():
    q, k, v = (paddle.to_tensor(np.random.RandomState(n).randn(2, 5, 2, 4).astype("float32")) for n in range(3))
    flash = nn.functional.flash_attention.flash_attention
    out, weights = flash(q, k, v, causal=True)
    np.testing.assert_array_equal(out, nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
    assert weights is None
    again, weights = flash(q, k, v, causal=True, return_softmax=True)
    np.testing.assert_allclose(again, out, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(weights.sum(-1), np.ones([2, 2, 5]), rtol=1e-5)
    assert not np.triu(weights.numpy()[0, 0], 1).any()


def test_structures():
    utils = paddle.utils
    nested = {"b": [1, (2,)], "a": 3}
    assert utils.pack_sequence_as(nested, utils.flatten(nested)) == nested
    assert utils.map_structure(lambda x, y: x + y, [1, (2,)], [10, (20,)]) == [11, (22,)]
    utils.assert_same_structure([1, (2,)], [3, (4,)])
    utils.assert_same_structure([1, (2,)], [3, [4]], check_types=False)
    with pytest.raises(TypeError, match="tuple and list"):
        utils.assert_same_structure([1, (2,)], [3, [4]])
    with pytest.raises(ValueError, match="4 leaves"):
        utils.pack_sequence_as([1, 2, 3, 4], [1])
    with pytest.raises(ValueError, match="at least one"):
        utils.map_structure(abs)


def test_files_that_would_be_downloaded(tmp_path):
    download = paddle.utils.download
    url = "https://example.org/files/weights.pdparams"
    with pytest.raises(FileNotFoundError, match="Fetch https://example.org"):
        download.get_path_from_url(url, str(tmp_path))
    path = tmp_path / "weights.pdparams"
    path.write_bytes(b"abc")
    assert download.get_path_from_url(url, str(tmp_path)) == str(path)
    assert download.get_path_from_url(url, str(tmp_path), hashlib.md5(b"abc").hexdigest()) == str(path)
    with pytest.raises(ValueError, match="MD5"):
        download.get_path_from_url(url, str(tmp_path), "0" * 32)
    with pytest.raises(ValueError, match="http"):
        download.get_path_from_url("weights", str(tmp_path))
    for name in ("", "..", "..\\weights"):
        with pytest.raises(ValueError, match="a file's name"):
            download.get_path_from_url(f"https://example.org/{name}", str(tmp_path))
    assert paddle.dataset.common.md5file(str(path)) == hashlib.md5(b"abc").hexdigest()


def test_archive_that_would_be_downloaded(tmp_path):
    download, url = paddle.utils.download, "https://example.org/data.tar.gz"
    (tmp_path / "data.tar.gz").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match="Unpack it"):
        download.get_path_from_url(url, str(tmp_path))
    assert download.get_path_from_url(url, str(tmp_path), decompress=False).endswith("data.tar.gz")
    (tmp_path / "data").mkdir()
    assert download.get_path_from_url(url, str(tmp_path)) == str(tmp_path / "data")


def test_older_places():
    from proa.common_ops_import import Variable, convert_dtype, convert_np_dtype_to_dtype_
    from proa.framework.io import EagerParamBase

    assert issubclass(EagerParamBase, paddle.Tensor) and issubclass(Variable, paddle.static.Variable)
    assert convert_dtype(np.float32) == "float32" and convert_np_dtype_to_dtype_("int64") is paddle.int64
    with paddle.framework._no_check_dy2st_diff():
        assert paddle.framework.io.load is paddle.load
    assert not (paddle.is_compiled_with_xpu() or paddle.is_compiled_with_rocm() or paddle.is_compiled_with_cinn())


def test_module_of_an_absent_subject_says_so():
    code = """
import proa
proa.compat.install("paddle")
for statement, what in (("import paddle.strings", "paddle.strings"),
                        ("from paddle import cost_model", "paddle.cost_model"),
                        ("import paddle.cost_model.a", "paddle.cost_model"), ("import paddle.nothing", "No module")):
    try:
        exec(statement)
    except ModuleNotFoundError as error:
        assert what in str(error) and ("not supported" in str(error)) == (what != "No module"), error
    else:
        raise AssertionError(statement)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["acosh", "asin", "asinh", "atanh", "cosh", "log1p"])
def test_functions_in_place(name):
    x = paddle.to_tensor([0.25 if name in ("asin", "atanh") else 1.25])
    expected = getattr(paddle, name)(x)
    assert getattr(paddle, name + "_")(x) is x and x.tolist() == expected.tolist()


def test_comparisons_in_place():
    x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 0.0])
    assert paddle.not_equal_(x, y) is x and x.tolist() == [False, True]
    assert paddle.logical_xor_(x, y) is x and x.tolist() == [True, True]
    assert paddle.tensor.exp_ is paddle.Tensor.exp_ and paddle.tensor.stft is paddle.signal.stft


def test_places_and_vision_under_their_other_paths():
    from proa.framework import CustomPlace, IPUPlace, XPUPlace

    assert (CustomPlace, IPUPlace, XPUPlace) == (paddle.CustomPlace, paddle.IPUPlace, paddle.device.XPUPlace)
    assert paddle.vision.Compose is paddle.vision.transforms.Compose
    assert paddle.vision.vgg16 is paddle.vision.models.vgg16


def test_names_of_the_modules_below():
    from proa.base.dygraph.base import switch_to_static_graph
    from proa.base.framework import unique_name
    from proa.jit.translated_layer import INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX

    assert (INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX) == (".pdmodel", ".pdiparams")
    assert unique_name is paddle.utils.unique_name
    assert isinstance(paddle.ones([1]), paddle.base.core.eager.Tensor)
    assert paddle.ones([1]).place._equals(paddle.ones([1]).place)

    @switch_to_static_graph
    def failing():
        assert not paddle.in_dynamic_mode()
        raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert paddle.in_dynamic_mode()
    switch_to_static_graph(paddle.disable_static)()
    assert paddle.in_dynamic_mode()


def test_setuptools_behind_pip(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of setuptools, where something has imported distutils
        found = importlib.util.find_spec("pip") and importlib.util.find_spec("setuptools")
    if not found:
        pytest.skip("pip or setuptools is not installed")
    code = "import proa; proa.compat.install('paddle'); import pip, setuptools"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, cwd=tmp_path)


def test_indices_of_a_program_as_functions():
    from proa.base.variable_index import _getitem_static, _setitem_static

    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.ones([3, 4, 5])
            index = ([0, 1], slice(None), [1, 2])
            y = _setitem_static(x, index, 10.0)
            expected = np.ones((3, 4, 5), "float32")
            expected[index] = 10.0
            run = paddle.static.Executor().run(fetch_list=[y.name, x, _getitem_static(y, index)])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(run[0], expected)
    assert (run[1] == 1).all() and (run[2] == 10).all() and run[2].shape == (2, 4)


def test_a_cell_through_a_sequence_by_a_function():
    from proa.nn.layer.rnn import birnn, rnn

    cells, x = (nn.GRUCell(3, 4), nn.GRUCell(3, 4)), paddle.rand([2, 5, 3])
    outputs, state = rnn(cells[0], x, sequence_length=paddle.to_tensor([5, 3]))
    np.testing.assert_array_equal(outputs.numpy(), nn.RNN(cells[0])(x, None, paddle.to_tensor([5, 3]))[0].numpy())
    assert state.shape == [2, 4]
    both, (forward, _) = birnn(*cells, x)
    assert both.shape == [2, 5, 8] and forward.shape == [2, 4]
    np.testing.assert_array_equal(both[..., 4:].numpy(), rnn(cells[1], x, is_reverse=True)[0].numpy())


def test_rules_of_divergences_by_their_classes():
    from proa.distribution import Normal, kl

    assert (Normal, Normal) in kl._REGISTER_TABLE
    rule = kl._dispatch(Normal, Normal)
    assert float(rule(Normal(1.0, 1.0), Normal(0.0, 1.0))) == 0.5
    with pytest.raises(NotImplementedError, match="no rule for int and Normal"):
        kl._dispatch(int, Normal)


def test_options_of_a_function_that_is_not_converted():
    from proa.jit.dy2static.convert_call_func import CONVERSION_OPTIONS

    class Net(nn.Layer):
        def forward(self, x):
            return x

    net = Net()
    paddle.jit.not_to_static(net.forward)
    assert getattr(net.forward, CONVERSION_OPTIONS).not_convert


def test_names_that_stand_elsewhere():
    from proa.hapi.model import Input
    from proa.jit.translated_layer import INFER_PARAMS_INFO_SUFFIX
    from proa.tensor.creation import create_global_var, create_tensor, fill_constant

    assert Input is paddle.static.InputSpec and INFER_PARAMS_INFO_SUFFIX == ".pdiparams.info"
    assert fill_constant([1], "int64", 3).item() == 3 and create_tensor("float32").dtype == paddle.float32
    assert create_global_var([], 0.5, "float32").item() == 0.5
    assert paddle.static.log_helper.get_logger is paddle.base.log_helper.get_logger
    assert paddle.utils.layers_utils.convert_to_list(3, 2, "stride") == [3, 3]
