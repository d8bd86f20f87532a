"""What the spatial layers and nn.utils do beside computing: errors, replaced sublayers, hooks, randomness, names."""

import importlib

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.nn import functional as F

ones = paddle.ones


def test_layers_follow_the_default_dtype():
    paddle.set_default_dtype("float64")
    try:
        assert nn.Conv1D(2, 2, 1).weight.dtype == nn.GroupNorm(1, 2).bias.dtype == paddle.float64
        assert nn.BatchNorm(2).weight.dtype == nn.SpectralNorm([2, 2]).weight_u.dtype == paddle.float32
        assert nn.BatchNorm(2, dtype="float64")._mean.dtype == nn.BatchNorm2D(2)._mean.dtype == paddle.float64
    finally:
        paddle.set_default_dtype("float32")


def test_what_follows_a_batch_norm_is_an_operator_with_its_own_constants():
    x = paddle.to_tensor([[-4.0], [0.5], [2.0]])
    expected = {"leaky_relu": [-0.08, 0.5, 2.0], "hard_sigmoid": [0.0, 0.6, 0.9], "brelu": [0.0, 0.5, 2.0],
                "hard_swish": [0.0, 0.5 * 3.5 / 6, 2.0 * 5 / 6], "square": [16.0, 0.25, 4.0]}
    for act, values in expected.items():
        layer = nn.BatchNorm(1, act=act, epsilon=0.0)
        layer.eval()
        np.testing.assert_allclose(layer(x).numpy()[:, 0], values, 1e-6, err_msg=act)
    with pytest.raises(ValueError, match=r"'hard_swish'.*Received 'hardswish'"):
        nn.BatchNorm(1, act="hardswish")


WRONG = {
    "groups do not divide the channels": lambda: nn.Conv1D(3, 4, 3, groups=2),
    "unknown padding mode": lambda: nn.Conv3D(4, 4, 3, padding_mode="x"),
    "format of another rank": lambda: nn.Conv1D(3, 4, 3, data_format="NCHW"),
    "input of another rank": lambda: nn.InstanceNorm2D(3)(ones([2, 3, 4])),
    "groups of channels": lambda: F.group_norm(ones([2, 3, 4]), 2),
    "format of a group norm": lambda: nn.GroupNorm(2, 4, data_format="NCL"),
    "one of two parameters": lambda: nn.InstanceNorm1D(3, weight_attr=False),
    "two dimensions": lambda: F.local_response_norm(ones([2, 3]), 2),
    "channels to shuffle": lambda: F.pixel_shuffle(ones([2, 3, 2, 2]), 2),
    "softmax of a matrix": lambda: nn.Softmax2D()(ones([2, 3])),
    "nearest of a signal": lambda: F.interpolate(ones([2, 3, 4]), [2], data_format="NCW"),
    "too few sizes": lambda: F.interpolate(ones([2, 3, 4, 4]), [2], mode="bilinear"),
    "neither size nor factor": lambda: F.interpolate(ones([2, 3, 4, 4]), mode="bilinear"),
    "size and factor": lambda: F.interpolate(ones([2, 3, 4, 4]), [2, 2], 2, mode="bilinear"),
    "corners of nearest": lambda: F.interpolate(ones([2, 3, 4, 4]), [2, 2], align_corners=True),
    "linear of an image": lambda: F.interpolate(ones([2, 3, 4, 4]), [2, 2], mode="linear"),
    "size zero": lambda: F.interpolate(ones([2, 3, 4, 4]), [0, 3], mode="bilinear"),
    "result too small": lambda: F.interpolate(ones([2, 3, 4, 4]), scale_factor=0.1),
    "columns for other windows": lambda: F.fold(ones([2, 12, 5]), 4, 2),
    "grid of another rank": lambda: F.grid_sample(ones([1, 1, 2, 2]), ones([1, 2, 2, 3])),
    "mode of sampling": lambda: F.grid_sample(ones([1, 1, 2, 2]), ones([1, 2, 2, 2]), "cubic"),
    "size of unpooling": lambda: F.max_unpool2d(ones([1, 1, 2, 2]), paddle.zeros([1, 1, 2, 2], "int32"), 2,
                                                output_size=[9, 4]),
    "position beyond the result": lambda: F.max_unpool2d(ones([1, 1, 1, 1]), paddle.full([1, 1, 1, 1], 4, "int32"), 2),
    "features": lambda: F.bilinear(ones([1, 2]), ones([1, 3]), ones([4, 3, 3])),
    "films": lambda: F.temporal_shift(ones([5, 4, 2, 2]), 2),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused(call):
    with pytest.raises(ValueError, match="Received|must"):
        call()


def test_padding_from_a_tensor():
    widths = paddle.to_tensor([1, 2, 0, 1])
    x = paddle.randn([1, 2, 3, 4])
    for mode in ("constant", "reflect", "replicate", "circular"):
        expected = F.pad(x, [1, 2, 0, 1], mode)
        np.testing.assert_array_equal(F.pad(x, widths, mode).numpy(), expected.numpy())
    assert nn.Pad1D(paddle.to_tensor([1, 2]))(ones([1, 1, 3])).shape == [1, 1, 6]


def test_instance_norm_by_running_statistics():
    x, mean, variance = paddle.randn([2, 3, 4]), paddle.randn([3]), ones([3]) * 4
    expected = (x.numpy() - mean.numpy()[:, None]) / np.sqrt(4 + 1e-5)
    found = F.instance_norm(x, mean, variance, use_input_stats=False)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_sync_batch_norm_takes_the_place_of_others():
    norm = nn.BatchNorm2D(3, weight_attr=paddle.ParamAttr(name="kept"))
    net = nn.Sequential(nn.Conv2D(3, 3, 1), norm, nn.Sequential(nn.BatchNorm1D(2)))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert converted is net and isinstance(net[1], nn.SyncBatchNorm) and isinstance(net[2][0], nn.SyncBatchNorm)
    assert net[1].weight is norm.weight and net[1]._mean is norm._mean
    x = paddle.randn([2, 3, 4, 4])
    np.testing.assert_array_equal(net[1](x).numpy(), norm(x).numpy())


def test_weight_norm_trains_length_and_direction():
    layer = nn.Linear(3, 4)
    before = layer.weight.numpy()
    nn.utils.weight_norm(layer, dim=1)
    layer(ones([2, 3])).sum().backward()
    np.testing.assert_allclose(layer.weight.numpy(), before, rtol=1e-6)
    assert layer.weight_g.grad.shape == [4] and layer.weight_v.grad.shape == [3, 4]
    layer.weight_g.set_value(layer.weight_g * 2)
    nn.utils.remove_weight_norm(layer)
    np.testing.assert_allclose(layer.weight.numpy(), before * 2, rtol=1e-6)
    assert sorted(layer.state_dict()) == ["bias", "weight"] and not layer._forward_pre_hooks


def test_a_removed_weight_norm_leaves_a_program_that_starts():
    paddle.enable_static()
    try:
        with (
            paddle.utils.unique_name.guard(),
            paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()),
            paddle.static.scope_guard(paddle.static.Scope()),
        ):
            layer = nn.utils.weight_norm(nn.Linear(3, 4), dim=1)
            normed = paddle.matmul(ones([2, 3]), layer.weight)
            nn.utils.remove_weight_norm(layer)
            executor = paddle.static.Executor()
            executor.run(paddle.static.default_startup_program())
            plain = paddle.matmul(ones([2, 3]), layer.weight)
            found = executor.run(fetch_list=[normed, plain])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_spectral_norm_finds_the_largest_singular_value():
    paddle.seed(0)  # where two singular values are close, it takes longer
    layer = nn.utils.spectral_norm(nn.Conv2D(2, 3, 3))
    x = ones([1, 2, 4, 4])
    for _ in range(60):
        layer(x)
    assert abs(np.linalg.svd(layer.weight.numpy().reshape(3, -1))[1][0] - 1) < 1e-3
    layer.eval()
    kept = layer.weight_u.numpy()
    layer(x)
    np.testing.assert_array_equal(layer.weight_u.numpy(), kept)


def test_spectral_norm_moves_its_vectors_in_a_program_too():
    layer = nn.utils.spectral_norm(nn.Linear(3, 4))
    before = layer.weight_u.numpy()
    paddle.jit.to_static(layer)(ones([2, 3]))
    assert np.abs(layer.weight_u.numpy() - before).max() > 0


def test_instances_without_running_statistics_are_normalized_by_their_own():
    """Layers of others call it so when they evaluate: `F.instance_norm(x, None, None, scale, bias, self.training)`."""
    x = paddle.to_tensor([[[[1.0, 3.0]]]])
    found = F.instance_norm(x, None, None, use_input_stats=False, eps=0.0)
    np.testing.assert_allclose(found.numpy(), [[[[-1.0, 1.0]]]])
    with pytest.raises(ValueError, match="both or neither. Received running_var alone"):
        F.instance_norm(x, None, paddle.ones([1]), use_input_stats=False)


def test_a_weight_is_normalized_once():
    for function in (nn.utils.weight_norm, nn.utils.spectral_norm):
        with pytest.raises(RuntimeError, match="already"):
            function(function(nn.Linear(2, 2)))
        with pytest.raises(KeyError, match="no parameter 'other'"):
            function(nn.Linear(2, 2), "other")
    with pytest.raises(ValueError, match="no weight_norm"):
        nn.utils.remove_weight_norm(nn.Linear(2, 2))
    with pytest.raises(ValueError, match="dimensions"):
        nn.utils.weight_norm(nn.Linear(2, 2), dim=5)
    with pytest.raises(ValueError, match="at least 1"):
        nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)


@pytest.mark.parametrize("eps, u, v", [
    (0.1, [0.39475232, 0.4612157, 0.52767915, 0.5941425], [0.1353881, 0.49642307, 0.857458]),
    (5.0, [0.0784, 0.0916, 0.1048, 0.118], [0.06, 0.22, 0.38])])
def test_a_length_below_the_epsilon_of_spectral_norm_counts_as_that(eps, u, v):
    """PaddlePaddle 2.6.2's numbers."""
    layer = nn.Linear(3, 4)
    layer.weight.set_value(np.arange(12, dtype="float32").reshape(3, 4) / 10)
    nn.utils.spectral_norm(layer, eps=eps)
    layer.weight_u.set_value(np.full(4, 0.5, "float32"))
    layer(paddle.ones([1, 3]))
    np.testing.assert_allclose(layer.weight_u.numpy(), u, rtol=1e-5)
    np.testing.assert_allclose(layer.weight_v.numpy(), v, rtol=1e-5)


def _with_gradients():
    parameters = [nn.Linear(2, 2, bias_attr=False).weight for _ in range(2)]
    ((parameters[0] * 3).sum() + (parameters[1] * 4).sum()).backward()
    return parameters


@pytest.mark.parametrize(("order", "norm"), [(2, 10), (1, 28), (float("inf"), 4), (0, 8)])
def test_clip_grad_norm(order, norm):
    parameters = _with_gradients()
    assert abs(nn.utils.clip_grad_norm_(parameters, 1.0, order).item() - norm) < 1e-5
    np.testing.assert_allclose(parameters[0].grad.numpy(), 3 / norm, rtol=1e-5)
    assert nn.utils.clip_grad_norm_([], 1.0).item() == 0


def test_clip_grad_norm_of_many_kinds_of_gradients():
    def parameter(value):
        made = paddle.to_tensor(value, stop_gradient=False)
        made.grad = paddle.to_tensor(value)
        return made

    draw = np.random.RandomState(0)
    arrays = [draw.randn(*shape).astype("float32") for shape in ((3, 4), (5,), (2, 2))]
    whole = np.sqrt(sum((a.astype("float64") ** 2).sum() for a in arrays))
    for dtype in ("float32", "float64", "float16"):
        parameters = [parameter(arrays[0]), parameter(arrays[1].astype(dtype)), parameter(arrays[2])]
        kept = parameters[0].grad
        norm = nn.utils.clip_grad_norm_(parameters, 1.0)
        assert norm.dtype == (paddle.float64 if dtype == "float64" else paddle.float32) and norm.shape == []
        assert abs(norm.item() / whole - 1) < 1e-3
        for p, a in zip(parameters, arrays):
            assert p.grad.dtype == p.dtype and p.grad.stop_gradient
            assert np.allclose(p.grad.numpy(), a / whole, atol=1e-3 if dtype == "float16" else 1e-6)
        assert np.array_equal(kept.numpy(), arrays[0])  # what was the gradient stays as it was
    rows = nn.Embedding(5, 2, sparse=True)
    rows(paddle.to_tensor([1, 3])).sum().backward()
    assert abs(nn.utils.clip_grad_norm_([rows.weight, parameter(arrays[1])], 1.0).item()
               - np.sqrt(4 + (arrays[1] ** 2).sum())) < 1e-5
    single = parameter(arrays[0])
    single.grad = single * 2.0
    nn.utils.clip_grad_norm_([single], 0.5)
    assert single.grad.stop_gradient


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clip_grad_norm_of_a_parameter_listed_twice(dtype):
    shared = paddle.to_tensor(np.array([3.0], dtype), stop_gradient=False)
    (shared * 3.0).sum().backward()
    norm = nn.utils.clip_grad_norm_([shared, shared], 1.0)
    assert abs(norm.item() - 18 ** 0.5) < 1e-6  # it counts twice, and is scaled twice, as in PaddlePaddle
    assert abs(shared.grad.item() - 3 / 18) < 1e-6


def test_clip_grad_norm_of_doubles_is_one_itself():
    gradient = np.array([3.0, 1e-5, 7.0])
    single = paddle.to_tensor(np.ones(3), stop_gradient=False)
    (single * paddle.to_tensor(gradient)).sum().backward()
    whole = np.sqrt((gradient ** 2).sum())
    assert abs(nn.utils.clip_grad_norm_([single], 1.0).item() - whole) < 1e-14
    np.testing.assert_allclose(single.grad.numpy(), gradient / (whole + 1e-6), rtol=1e-14)


def test_clip_grad_norm_refuses():
    parameters = _with_gradients()
    with pytest.raises(ValueError, match="norm_type"):
        nn.utils.clip_grad_norm_(parameters, 1.0, 3)
    parameters[0].grad = parameters[0].grad * float("inf")
    with pytest.raises(RuntimeError, match="inf"):
        nn.utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)


def test_clip_grad_value():
    parameters = _with_gradients()
    nn.utils.clip_grad_value_(parameters, 3.5)
    assert parameters[0].grad.tolist() == [[3.0, 3.0]] * 2 and parameters[1].grad.tolist() == [[3.5, 3.5]] * 2


def test_random_layers_rest_in_evaluation():
    x = paddle.randn([4, 3, 2, 2, 2])
    for layer in (nn.Dropout3D(0.5), nn.AlphaDropout(0.5)):
        layer.train()
        assert np.abs(layer(x).numpy() - x.numpy()).max() > 0
        layer.eval()
        np.testing.assert_array_equal(layer(x).numpy(), x.numpy())
    slopes = nn.RReLU(0.2, 0.4)(ones([100]) * -1).numpy()
    assert -0.4 <= slopes.min() < slopes.max() <= -0.2
    channels = nn.Dropout3D(0.5)(ones([20, 3, 2, 2, 2])).numpy().reshape(20, 3, 8)
    assert set(channels.min(-1).ravel()) == set(channels.max(-1).ravel()) == {0.0, 2.0}


def test_unflatten_of_sizes_not_known():
    layer = paddle.jit.to_static(nn.Unflatten(1, [2, 3]), input_spec=[paddle.static.InputSpec([None, 6, None])])
    assert layer(ones([4, 6, 5])).shape == [4, 2, 3, 5]


@pytest.mark.parametrize("family", ["activation", "common", "container", "conv", "distance", "loss", "norm", "pooling",
                                    "rnn", "transformer", "vision"])
def test_layers_by_family(family):
    module = importlib.import_module(f"proa.nn.layer.{family}")
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is getattr(nn, name)
        assert getattr(nn.layer, name) is getattr(nn, name)
    with pytest.raises(AttributeError):
        _ = module.other


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("widths", [[-1, 1, 0, -1], [1, -2, -1, 0], [-1, -1, 1, 1], [0, -4, 0, 0]])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_negative_widths_take_away(mode, widths, layout):
    """What remains is what NumPy pads, cut; so it is in PaddlePaddle."""
    image = np.arange(24, dtype="float32").reshape(1, 2, 3, 4)
    left, right, top, bottom = widths
    options = {"constant_values": -9.0} if mode == "constant" else {}
    there = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    around = [(0, 0), (0, 0), (max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0))]
    padded = np.pad(image, around, there, **options)
    wanted = padded[:, :, max(-top, 0):3 + max(top, 0) + bottom, max(-left, 0):4 + max(left, 0) + right]
    turned = image if layout == "NCHW" else image.transpose(0, 2, 3, 1)
    for function in (F.pad, paddle.jit.to_static(lambda *args, **kwargs: F.pad(*args, **kwargs))):
        x = paddle.to_tensor(turned, stop_gradient=False)
        found = function(x, widths, mode=mode, value=-9.0, data_format=layout)
        found = found if layout == "NCHW" else found.transpose([0, 3, 1, 2])
        np.testing.assert_array_equal(found, wanted)
        found.sum().backward()
        assert x.grad.sum() == (wanted != -9.0).sum()


def test_more_is_taken_away_than_there_is():
    assert F.pad(paddle.ones([2, 3]), [0, 0, -1, -1]).shape == [2, 1]
    with pytest.raises(ValueError, match="more is taken away than there is along dimension 2"):
        F.pad(paddle.ones([1, 1, 3]), [-2, -2], data_format="NCL")


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_in_a_program_trains_as_without(dim):
    """The startup Program computes length and direction from the weight that it has filled."""
    array, x = np.arange(1, 7, dtype="float32").reshape(2, 3), np.ones((2, 2), "float32")

    def layer():
        made = paddle.nn.Linear(2, 3, weight_attr=paddle.nn.initializer.Assign(array))
        return paddle.nn.utils.weight_norm(made, dim=dim)

    eager = layer()
    optimizer, losses = paddle.optimizer.SGD(0.1, parameters=eager.parameters()), []
    for _ in range(3):
        loss = (eager(paddle.to_tensor(x)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    static = paddle.static
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        loss = (layer()(static.data("x", [2, 2])) ** 2).mean()
        paddle.optimizer.SGD(0.1).minimize(loss)
        exe.run(startup)
        found = [exe.run(main, {"x": x}, [loss])[0].item() for _ in range(3)]
    np.testing.assert_allclose(found, losses, rtol=1e-5)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("bias", [False, True])
def test_a_transposed_convolution_padded_alike_has_no_dilation(rank, stride, bias):
    function = getattr(F, f"conv{rank}d_transpose")
    rng = np.random.default_rng(rank)
    given = [rng.random((1, 2, *(5, 4, 3)[:rank])), rng.random((2, 3, *(2, 3, 2)[:rank])), rng.random(3)]
    found = []
    for dilation in (1, 2):
        x, w, b = (paddle.to_tensor(one, "float32", stop_gradient=False) for one in given)
        y = function(x, w, b if bias else None, stride=stride, padding="SAME", dilation=dilation)
        (y * y).sum().backward()
        found.append([y.numpy(), x.grad.numpy(), w.grad.numpy()])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_mean_of_areas_takes_nothing_but_a_size():
    x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    found = F.interpolate(x, [2, 2], scale_factor=3, mode="area", align_corners=True, align_mode=1)
    assert found.flatten().tolist() == [2.5, 4.5, 10.5, 12.5]


@pytest.mark.parametrize("layer, shape", [(nn.Pad1D, [1, 1, 2]), (nn.Pad2D, [1, 1, 2, 2]), (nn.ZeroPad2D, [1, 1, 2, 2]),
                                          (nn.Pad3D, [1, 1, 2, 2, 2])])
def test_a_padding_that_numpy_computed(layer, shape):
    x = paddle.ones(shape)
    assert layer(np.prod([3]) // 2)(x).tolist() == layer(1)(x).tolist()
