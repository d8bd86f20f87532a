"""What is cast and what is not; eager, converted and in Programs; gradients to second order; training."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa.ops.amp.lists import black_list, white_list

FACTS = json.loads((Path(__file__).parents[1] / "fixtures/amp/answers.json").read_text())
#: Operators of Paddle 1.x, which stand in lists here as their successors do.
OF_1 = {"bicubic_interp", "bilinear_interp", "nearest_interp", "trilinear_interp", "sequence_softmax",
        "fused_embedding_seq_pool", "distributed_lookup_table"}
F, nn = paddle.nn.functional, paddle.nn
DTYPES = ("float16", "bfloat16")


@pytest.mark.parametrize("key", FACTS["white"])
def test_the_lists_are_paddles(key):
    dtype, level = key.split("-")
    assert set(white_list(dtype, level)) == set(FACTS["white"][key])
    assert set(black_list(dtype, level)) - OF_1 == set(FACTS["black"][key]) - OF_1


def dtypes(x):
    """The dtypes of a product, a sum, an exponential, an addition of both widths, and a reshaped product."""
    product = paddle.matmul(x, x)
    values = product, product.sum(), paddle.exp(product), product + x, product.reshape([-1]), F.softmax(product)
    return [v.dtype.name for v in values]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("settings", "narrow"), [
    ({}, [1, 0, 0, 0, 1, 0]),
    ({"level": "O0"}, [0, 0, 0, 0, 0, 0]),
    ({"enable": False}, [0, 0, 0, 0, 0, 0]),
    ({"level": "OD"}, [1, 0, 0, 0, 0, 0]),
    ({"level": "O2"}, [1, 1, 1, 0, 1, 1]),
    ({"level": "O2", "use_promote": False}, [1, 1, 1, 1, 1, 1]),
    ({"custom_white_list": {"exp"}}, [1, 0, 1, 0, 1, 0]),
    ({"custom_black_list": ["matmul_v2"]}, [0, 0, 0, 0, 0, 0]),
    ({"custom_black_list": ["reshape2"]}, [1, 0, 0, 0, 0, 0]),
    ({"custom_black_list": ["matmul"]}, [0, 0, 0, 0, 0, 0]),  # as PaddlePaddle's functions are called
    ({"custom_black_list": ["reshape"], "custom_white_list": ["sum", "add"]}, [1, 1, 0, 1, 0, 0]),
])
def test_dtypes(settings, narrow, dtype):
    x = paddle.ones([2, 2])
    expected = [dtype if n else "float32" for n in narrow]
    with paddle.amp.auto_cast(dtype=dtype, **settings):
        assert dtypes(x) == expected
        assert dtypes(x.astype("float64")) == ["float64"] * 6
        assert (paddle.to_tensor([1, 2]) + paddle.to_tensor([3, 4])).dtype == "int64"
    assert dtypes(x) == ["float32"] * 6

    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()), paddle.amp.auto_cast(dtype=dtype, **settings):
        assert dtypes(paddle.static.data("x", [-1, 2])) == expected


def test_blocks_in_blocks_and_what_goes_wrong():
    x = paddle.ones([2, 2])
    with paddle.amp.auto_cast():
        with paddle.amp.auto_cast(enable=False):
            assert paddle.matmul(x, x).dtype == "float32"
            with paddle.amp.auto_cast(dtype="bfloat16"):
                assert paddle.matmul(x, x).dtype == "bfloat16"
        assert paddle.matmul(x, x).dtype == "float16"
        with pytest.raises(ZeroDivisionError), paddle.amp.auto_cast(enable=False):
            1 / 0
        assert paddle.matmul(x, x).dtype == "float16"
        assert nn.Linear(2, 2).weight.dtype == "float32"
    for settings, match in (({"level": "O3"}, "level"), ({"dtype": "float32"}, "dtype"),
                            ({"custom_white_list": {"exp"}, "custom_black_list": {"exp"}}, "both"),
                            ({"custom_white_list": {"add"}, "custom_black_list": {"elementwise_add"}}, "both")):
        with pytest.raises(ValueError, match=match):
            paddle.amp.auto_cast(**settings)


def test_a_converted_function_has_a_program_for_each_precision():
    function = paddle.jit.to_static(lambda x: paddle.matmul(x, x).exp())
    x = paddle.rand([3, 3])
    program = function.get_concrete_program(x)[0].main_program
    assert [op.type for op in program.global_block().ops] == ["matmul_v2", "exp"]
    for dtype in DTYPES:
        for _ in range(2):
            with paddle.amp.auto_cast(dtype=dtype, custom_white_list={"exp"}):
                assert function(x).dtype == dtype
                eager = paddle.matmul(x, x).exp()
                np.testing.assert_array_equal(function(x).astype("float32").numpy(), eager.astype("float32").numpy())
            assert function(x).dtype == "float32"
    assert len(function.program_cache) == 3

    @paddle.jit.to_static
    def inside(x):
        with paddle.amp.auto_cast():
            y = paddle.matmul(x, x)
        return paddle.matmul(x, x), y

    assert [y.dtype.name for y in inside(x)] == ["float32", "float16"]


def test_conditions_and_loops_of_converted_functions():
    @paddle.jit.to_static
    def function(x):
        total = paddle.zeros([2, 2])
        n = paddle.zeros([1], "int32")
        while n < 3:
            if x.sum() > 0:
                total = total + paddle.matmul(x, x).astype("float32")
            else:
                total = total - 1.0
            n = n + 1
        return total

    for x in (paddle.ones([2, 2]) * 0.1, paddle.ones([2, 2]) * -0.1):
        wide = function(x).numpy()
        with paddle.amp.auto_cast():
            found = function(x)
        assert found.dtype == "float32" and (np.abs(found.numpy() - wide) < 1e-4).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_go_through_casts_to_second_order(dtype):
    x = paddle.rand([3, 3])
    x.stop_gradient = False
    weights = paddle.rand([3, 3])

    def gradients(cast):
        with paddle.amp.auto_cast(enable=cast, dtype=dtype):
            loss = (paddle.matmul(x, weights) ** 3).sum()
        first, = paddle.grad(loss, x, create_graph=True)
        return first, paddle.grad((first * first).sum(), x)[0]

    for narrow, wide in zip(gradients(True), gradients(False), strict=True):
        assert narrow.dtype == "float32"
        np.testing.assert_allclose(narrow.numpy(), wide.numpy(), rtol=0.05 if dtype == "bfloat16" else 5e-3)
    with paddle.amp.auto_cast(dtype=dtype):
        paddle.matmul(x, weights).sum().backward()
    assert x.grad.dtype == "float32"


def test_recomputed_parts_are_cast_alike():
    layer, x = nn.Linear(4, 4), paddle.rand([2, 4])
    x.stop_gradient = False
    found = []
    for recomputed in (False, True):
        with paddle.amp.auto_cast():
            y = paddle.distributed.fleet.utils.recompute(layer, x) if recomputed else layer(x)
            loss = (y * y).mean()
        loss.backward()
        found.append([p.grad.numpy().copy() for p in (x, layer.weight)])
        layer.clear_gradients()
        x.clear_gradient()
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(36, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.0), nn.Linear(16, 4))

    def forward(self, x):
        return self.head(self.features(x))


RNG = np.random.default_rng(0)
IMAGES, LABELS = RNG.normal(size=(16, 1, 8, 8)).astype("float32"), RNG.integers(0, 4, 16)


def curve(level, dtype, convert, kind=paddle.optimizer.Adam, steps=20, **decoration):
    """The losses of some steps."""
    paddle.seed(3)
    net = Net()
    optimizer = kind(0.01, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0))
    if level == "O2":
        net, optimizer = paddle.amp.decorate(net, optimizer, level="O2", dtype=dtype, **decoration)
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024)
    forward = paddle.jit.to_static(net) if convert else net
    losses = []
    for _ in range(steps):
        with paddle.amp.auto_cast(enable=level != "O0", level=level, dtype=dtype):
            loss = F.cross_entropy(forward(paddle.to_tensor(IMAGES)), paddle.to_tensor(LABELS))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(float(loss))
    return np.array(losses)


@pytest.fixture(scope="module")
def wide():
    return curve("O0", "float16", False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", ["O1", "O2"])
def test_training(wide, level, dtype):
    eager, converted = curve(level, dtype, False), curve(level, dtype, True)
    np.testing.assert_allclose(eager, converted, rtol=1e-4)  # forms and kernels round float32 sums each in its way
    assert wide[-1] < wide[0] - 0.5
    np.testing.assert_allclose(eager, wide, atol=0.03 if dtype == "bfloat16" else 5e-3)


def test_master_gradients_and_no_master_weights(wide):
    np.testing.assert_allclose(curve("O2", "bfloat16", False, master_grad=True), wide, atol=0.03)
    np.testing.assert_allclose(curve("O2", "float16", False, master_weight=False, steps=5), wide[:5], atol=0.02)


def test_decorate():
    net = Net()
    sgd = paddle.optimizer.SGD(parameters=net.parameters())
    assert paddle.amp.decorate(net, sgd) == (net, sgd) and net.head[0].weight.dtype == "float32"
    assert paddle.amp.decorate([net], [sgd], level="O2", save_dtype="float32") == ([net], [sgd])
    found = {name: p.dtype.name for name, p in net.named_parameters()}
    assert found["features.0.weight"] == found["head.0.bias"] == "float16"
    assert found["features.1.weight"] == found["head.1.weight"] == "float32"
    assert {v.dtype.name for v in net.state_dict().values()} == {"float32"}
    net.set_state_dict(net.state_dict())
    assert net.head[0].weight.dtype == "float16"
    other = paddle.amp.decorate(Net(), level="O2", dtype="bfloat16", excluded_layers=[nn.Conv2D])
    assert (other.features[0].weight.dtype, other.head[1].weight.dtype) == ("float32", "bfloat16")
    assert other.features[1].weight.dtype == "float32"
    for arguments, error in (((net, None, "O3"), ValueError), ((net, None, "O2", "float32"), ValueError),
                             (("net", None, "O2"), TypeError), ((net, "sgd", "O2"), TypeError)):
        with pytest.raises(error, match="decorate"):
            paddle.amp.decorate(*arguments)


def test_what_is_supported():
    assert paddle.amp.is_float16_supported() and paddle.amp.is_bfloat16_supported("cpu")
