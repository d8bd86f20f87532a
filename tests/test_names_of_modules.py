"""Modules and parameters that packages know by name."""

import importlib

import numpy as np
import proa as paddle
import pytest
from proa.compat import paddle_version
from proa.distribution import transform
from proa.incubate.nn import loss


def test_transforms_by_their_module():
    assert transform.AffineTransform is paddle.distribution.AffineTransform
    assert set(transform.__all__) <= set(paddle.distribution.__all__)


def test_identity_loss():
    assert float(loss.identity_loss(paddle.to_tensor([1.0, 3.0]), "mean")) == 2.0


def test_receiving_from_nobody_in_particular():
    with pytest.raises(RuntimeError, match="irecv"):
        paddle.distributed.irecv(paddle.ones([1]))


def test_versions_of_what_is_not_there():
    assert [paddle_version.xpu(), paddle_version.xpu_xccl()] == ["False", "False"]


def test_histogram_by_numbers_in_tensors():
    rows, bins = paddle.shape(paddle.zeros([2, 4]))
    assert paddle.histogram(paddle.to_tensor([0, 1, 1, 3]), bins=bins, min=0, max=bins - 1).tolist() == [1, 2, 0, 1]


def test_guards_of_gradients_by_autograd():
    with paddle.autograd.set_grad_enabled(False):
        assert not paddle.autograd.is_grad_enabled()
        with paddle.autograd.enable_grad():
            assert paddle.autograd.is_grad_enabled()


def test_names_that_clippers_and_wrappers_of_users_import():
    from proa.distributed.parallel import sync_params_buffers

    assert paddle.nn.clip._squared_l2_norm(paddle.to_tensor([3.0, 4.0])).tolist() == [25]
    layer = paddle.nn.BatchNorm1D(2)
    sync_params_buffers(layer, src_rank=0, is_model_parallel=True)
    assert layer.weight.tolist() == [1, 1]


def test_clippers_of_users_meet_gradients_that_hold_rows():
    table = paddle.nn.Embedding(5, 2, sparse=True)
    table(paddle.to_tensor([3, 3, 1])).sum().backward()
    merged = paddle.nn.clip.merge_selected_rows(table.weight.grad)
    values = paddle.nn.clip.get_tensor_from_selected_rows(merged)
    assert merged.is_selected_rows() and sorted(values.tolist()) == [[1, 1], [2, 2]]
    assert paddle.nn.clip._squared_l2_norm(merged).tolist() == [10]
    dense = paddle.ones([2])
    assert paddle.nn.clip.get_tensor_from_selected_rows(paddle.nn.clip.merge_selected_rows(dense)) is dense


def test_names_that_transforms_and_metrics_of_users_import():
    from proa.distributed.collective import _get_default_group
    from proa.hapi.model import _all_gather
    from proa.vision.transforms import transforms

    assert transforms._check_input(0.25, "brightness") == [0.75, 1.25]
    assert transforms._check_input(0.0, "hue", 0, (-0.5, 0.5), False) is None
    with pytest.raises(ValueError, match="hue"):
        transforms._check_input((-0.7, 0.1), "hue", 0, (-0.5, 0.5), False)
    assert paddle.base.framework.get_flags is paddle.get_flags
    assert paddle.framework.core.op_proto_and_checker_maker.OpRole.Backward == 1
    assert callable(_all_gather) and callable(_get_default_group)


def test_clip_by_norm_has_a_gradient():
    x = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    y = paddle.nn.clip.clip_by_norm(x, 1.0)
    y[0].backward()
    np.testing.assert_allclose(y.numpy(), [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), [0.128, -0.096], rtol=1e-5)
    assert paddle.nn.clip.clip_by_norm(x, 6.0).tolist() == [3.0, 4.0]


def test_lists_of_operators_by_dtype_and_level():
    assert "conv2d" in paddle.amp.white_list()["float16"]["O1"] and "exp" in paddle.amp.black_list()["float16"]["O1"]
    assert not paddle.amp.black_list()["bfloat16"]["OD"]


def _doubled(queue, x):
    queue.put((x * 2.0, x.stop_gradient))


def test_tensors_go_to_processes_and_come_back():
    multiprocessing = importlib.import_module("proa.incubate.multiprocessing")

    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_doubled, args=(queue, paddle.to_tensor([1.0, 2.0], stop_gradient=False)))
    process.start()
    doubled, stopped = queue.get(timeout=120)
    process.join(120)
    assert doubled.tolist() == [2.0, 4.0] and not stopped and process.exitcode == 0


def test_layers_between():
    getter = importlib.import_module("proa.vision.models._utils").IntermediateLayerGetter
    net = paddle.nn.Sequential(("a", paddle.nn.ReLU()), ("b", paddle.nn.Tanh()), ("c", paddle.nn.Linear(4, 1)))
    features = getter(net, {"a": "low", "b": "high"})
    x = paddle.to_tensor([-1.0, 1.0])
    found = features(x)
    assert list(features) == ["a", "b"] and list(found) == ["low", "high"]
    np.testing.assert_allclose(found["high"].numpy(), np.tanh([0.0, 1.0]), rtol=1e-6)
    assert getter(net, {"c": "last"})(paddle.ones([3, 2, 2]))["last"].shape == [3, 1]
    with pytest.raises(ValueError, match="no direct sublayer"):
        getter(net, {"d": "x"})


@pytest.mark.parametrize(("package", "name", "subject"), [
    ("proa.tensor", "top_p_sampling", "sampling of tokens"), ("proa.static", "sparsity", "ASP")])
def test_what_is_not_here_is_told(package, name, subject):
    with pytest.raises(AttributeError, match=subject):
        getattr(importlib.import_module(package), name)
