"""flow.layers: the variables that they make, what these begin with, and what is computed with them."""

import inspect

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard
from still import others, stand_still

random = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def normal(*shape):
    return random.standard_normal(shape).astype("float32")


def near(value, expected, tolerance=1e-4):
    np.testing.assert_allclose(value, expected, rtol=tolerance, atol=1e-5)


def ran(build, *arrays, type="predict"):
    """What a job gives whose function is `build`, called with blobs for the arrays."""
    parameters = [inspect.Parameter(f"x{n}", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=tp.Numpy.Placeholder(
        array.shape, dtype=getattr(flow, array.dtype.name))) for n, array in enumerate(arrays)]

    def job(*blobs):
        if type == "train":
            stand_still()
        return build(*blobs)

    job.__signature__ = inspect.Signature(parameters, return_annotation=tp.Numpy)
    decorated = flow.global_function(type=type)(job)
    return decorated(*arrays), decorated


def shapes(session):
    return {name: record.shape for name, record in others(session.variables).items()}


ONES = flow.ones_initializer()


def filled(session, seed=1):
    """Random values for all variables, by name."""
    draw = np.random.default_rng(seed)
    values = {name: draw.uniform(0.5, 1.5, record.shape).astype("float32")
              for name, record in others(session.variables).items()}
    for name, value in values.items():
        session.set_value(name, value)
    return values


# dense

def test_dense_multiplies_by_the_transpose(session):
    x = normal(4, 3)
    _, job = ran(lambda x: flow.layers.dense(x, 5, activation=flow.nn.relu, name="dense1"), x)
    assert shapes(session) == {"dense1-weight": (5, 3), "dense1-bias": (5,)}
    assert not session.value("dense1-weight").any() and not session.value("dense1-bias").any()
    values = filled(session)
    near(job(x), np.maximum(x @ values["dense1-weight"].T + values["dense1-bias"], 0))


def test_dense_takes_rows_of_any_number_of_dimensions(session):
    x = normal(2, 3, 4)
    out, _ = ran(lambda x: flow.layers.dense(x, 5, use_bias=False, kernel_initializer=ONES), x)
    assert shapes(session) == {"Dense-weight": (5, 4)}
    near(out, np.repeat(x.sum(-1, keepdims=True), 5, -1))
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        ran(lambda x: flow.layers.dense(x, 5, name="other"), normal(3))


def test_what_is_given_reaches_the_variables(session):
    kernel, bias = flow.random_normal_initializer(stddev=2.0), flow.constant_initializer(3.0)
    decay, other = flow.regularizers.l2(0.1), flow.regularizers.l1(0.2)
    ran(lambda x: flow.layers.dense(x, 5, None, True, kernel, bias, decay, other, False, "d"), normal(2, 3))
    records = session.variables
    assert records["d-weight"].regularizer is decay and records["d-bias"].regularizer is other
    assert not records["d-weight"].trainable and not records["d-bias"].trainable
    assert records["d-weight"].model_name == "weight" and records["d-bias"].model_name == "bias"
    assert (session.value("d-bias") == 3).all() and abs(session.value("d-weight")).max() > 1


def test_layers_stand_in_namespaces_and_so_do_their_activations(session):
    seen = []

    def activation(x, name):
        seen.append(name)
        return flow.layers.prelu(x, name=name)

    def build(x):
        with flow.scope.namespace("block"):
            return flow.layers.dense(x, 5, activation, name="fc")

    ran(build, normal(2, 3))
    assert list(session.variables) == ["block-fc-weight", "block-fc-bias", "block-fc-activation-alpha"]
    assert seen == ["activation"]


def test_activations_are_functions(session):
    ran(lambda x: flow.layers.dense(x, 3, activation=0, name="none"), normal(2, 3))
    for given in ("relu", 3):
        with pytest.raises(TypeError, match="'fc': activation must be a function"):
            ran(lambda x, given=given: flow.layers.dense(x, 3, given, name="fc"), normal(2, 3))


def test_two_layers_of_one_name_are_refused(session):
    def build(x):
        return flow.layers.dense(flow.layers.dense(x, 3, name="fc"), 3, name="fc")

    with pytest.raises(ValueError, match="'fc-weight'.*another name"):
        ran(build, normal(2, 3))
    _, job = ran(lambda x: flow.layers.dense(flow.layers.dense(x, 3, name=None), 3, name=None), normal(2, 3))
    assert list(session.variables) == ["Dense_0-weight", "Dense_0-bias", "Dense_1-weight", "Dense_1-bias"]


def test_layers_without_a_name_are_counted_in_each_job(session):
    for _ in range(2):
        ran(lambda x: flow.layers.dense(flow.layers.dense(flow.layers.dense(x, 3), 3), 3), normal(2, 3))
        assert list(session.variables) == ["Dense-weight", "Dense-bias", "Dense_1-weight", "Dense_1-bias",
                                           "Dense_2-weight", "Dense_2-bias"]


# convolution

@pytest.mark.parametrize(("layer", "shape", "layout", "options", "weight"), [
    ("conv1d", (2, 4, 9), "NCW", {"groups": 2, "kernel_size": 3}, (6, 2, 3)),
    ("conv1d", (2, 9, 4), "NWC", {"kernel_size": [3]}, (6, 3, 4)),
    ("conv2d", (2, 4, 7, 8), "NCHW", {"kernel_size": (3, 2), "strides": 2}, (6, 4, 3, 2)),
    ("conv2d", (2, 4, 7, 8), "NCHW", {"kernel_size": 3, "groups": 2, "dilation_rate": [2, 1]}, (6, 2, 3, 3)),
    ("conv2d", (2, 7, 8, 4), "NHWC", {"kernel_size": (3, 2)}, (6, 3, 2, 4)),
    ("conv3d", (1, 4, 5, 6, 7), "NCDHW", {"kernel_size": (1, 2, 3)}, (6, 4, 1, 2, 3)),
    ("conv3d", (1, 5, 6, 7, 4), "NDHWC", {"kernel_size": (1, 2, 3)}, (6, 4, 1, 2, 3)),
])
def test_convolutions_are_those_of_nn(session, layer, shape, layout, options, weight):
    x = normal(*shape)
    build = getattr(flow.layers, layer)
    _, job = ran(lambda x: build(x, 6, padding="SAME", data_format=layout, name="conv", **options), x)
    assert shapes(session) == {"conv-weight": weight, "conv-bias": (6,)}
    spread = session.value("conv-weight")
    assert spread.std() > 0.05 and not session.value("conv-bias").any()
    values = filled(session)
    filters = values["conv-weight"]
    if layer == "conv3d" and layout == "NDHWC":
        filters = filters.transpose(0, 2, 3, 4, 1)
    windows = {"dilations" if name == "dilation_rate" else name: value for name, value in options.items()
               if name != "kernel_size"}
    expected = getattr(flow.nn, layer)(paddle.to_tensor(x), paddle.to_tensor(np.ascontiguousarray(filters)),
                                       padding="SAME", data_format=layout, **{"strides": 1, **windows})
    near(job(x), flow.nn.bias_add(expected, paddle.to_tensor(values["conv-bias"]), layout).numpy())


def test_names_of_variables_may_be_given(session):
    def build(x):
        with flow.scope.namespace("outer"):
            return flow.layers.conv2d(x, 6, 3, name="conv", weight_name="w", bias_name="b", activation=flow.nn.relu)

    ran(build, normal(1, 3, 5, 5))
    assert list(session.variables) == ["outer-w", "outer-b"]


def test_padding_of_numbers_is_in_the_order_of_the_dimensions(session):
    x = normal(1, 5, 6, 7, 2)
    out, _ = ran(lambda x: flow.layers.conv3d(x, 3, (3, 2, 1), padding=[0, (1, 0), 1, 0, 0], data_format="NDHWC"), x)
    assert out.shape == (1, 4, 7, 7, 3)


@pytest.mark.parametrize(("build", "words"), [
    (lambda x: flow.layers.conv2d(x, 6, 3, groups=4), "must divide the 3 channels"),
    (lambda x: flow.layers.conv2d(x, 6, 3, data_format="NHWC", groups=2), "channels come last"),
    (lambda x: flow.layers.conv2d(x, 6, [3, 3, 3]), "kernel_size must be an int or 2"),
    (lambda x: flow.layers.conv2d(x, 6, 3, data_format="CNHW"), "NCHW, NHWC"),
    (lambda x: flow.layers.conv1d(x, 6, 3), "must have 3 dimensions"),
    (lambda x: flow.layers.batch_normalization(x, axis=4), "must be a dimension"),
    (lambda x: flow.layers.prelu(x, shared_axes=[0]), "from 1 to 3"),
    (lambda x: flow.layers.upsample_2d(x, interpolation="bicubic"), "'nearest', or 'bilinear'"),
    (lambda x: flow.layers.upsample_2d(x, align_corners=True), "align_corners"),
])
def test_errors_say_what_is_wrong(build, words):
    with pytest.raises(ValueError, match=words):
        ran(build, normal(1, 3, 6, 6))


# normalization

@pytest.mark.parametrize(("shape", "axis"), [((4, 3, 5, 5), 1), ((4, 5, 5, 3), -1), ((8, 3), 1), ((8, 3), -1),
                                             ((4, 3, 5), 1), ((4, 5, 3), 2), ((3, 4, 5), 0), ((2, 4, 3, 5), 2),
                                             ((2, 3, 4, 5, 3), 1)])
def test_batch_normalization_trains_by_the_batch_and_predicts_by_what_moved(session, shape, axis):
    x, count = normal(*shape) * 2 + 1, shape[axis]
    over = tuple(n for n in range(len(shape)) if n != axis % len(shape))
    wide = [1] * len(shape)
    wide[axis] = count

    def build(x):
        return flow.layers.batch_normalization(x, axis, momentum=0.9, epsilon=1e-3, name="bn")

    _, train = ran(build, x, type="train")
    assert shapes(session) == dict.fromkeys(["bn-beta", "bn-gamma", "bn-moving_mean", "bn-moving_variance"], (count,))
    assert [record.trainable for record in others(session.variables).values()] == [True, True, False, False]
    before = filled(session)

    def normalized(mean, variance):
        around = (x - mean.reshape(wide)) / np.sqrt(variance.reshape(wide) + 1e-3)
        return around * before["bn-gamma"].reshape(wide) + before["bn-beta"].reshape(wide)

    near(train(x), normalized(x.mean(over), x.var(over)), 1e-3)
    moved = {name: 0.9 * before[name] + 0.1 * batch for name, batch in (
        ("bn-moving_mean", x.mean(over)), ("bn-moving_variance", x.var(over)))}
    for name, value in moved.items():
        near(session.value(name), value)
    out, predict = ran(build, x)
    near(out, normalized(*moved.values()), 1e-3)
    predict(x)
    for name, value in moved.items():
        near(session.value(name), value)


def test_batch_normalization_begins_with_nothing_to_do(session):
    x = normal(4, 3)
    out, _ = ran(lambda x: flow.layers.batch_normalization(x, epsilon=0.0), x)
    near(out, x)
    assert list(session.variables) == ["BatchNorm-beta", "BatchNorm-gamma", "BatchNorm-moving_mean",
                                       "BatchNorm-moving_variance"]


@pytest.mark.parametrize("options", [{"training": False}, {"trainable": False}])
def test_batch_normalization_that_does_not_train_leaves_what_moves(session, options):
    x = normal(4, 3) + 5
    out, _ = ran(lambda x: flow.layers.batch_normalization(x, epsilon=0.0, name="bn", **options), x, type="train")
    near(out, x)
    assert not session.value("bn-moving_mean").any()


def test_batch_normalization_without_parameters_and_with_names(session):
    x = normal(4, 3)
    ran(lambda x: flow.layers.batch_normalization(
        x, center=False, scale=False, moving_mean_name="mean", moving_variance_name="variance",
        moving_mean_initializer=flow.constant_initializer(2.0)), x)
    assert list(session.variables) == ["mean", "variance"] and (session.value("mean") == 2).all()


def test_batch_normalization_with_a_rectifier(session):
    x, addend = normal(4, 3, 2, 2), normal(4, 3, 2, 2)
    plain, _ = ran(lambda x: flow.layers.batch_normalization(x, 1, name="a"), x, type="train")
    out, _ = ran(lambda x: flow.layers.batch_normalization_relu(x, 1, name="b"), x, type="train")
    near(out, np.maximum(plain, 0))
    out, _ = ran(lambda x, y: flow.layers.batch_normalization_add_relu(x, y, 1, name="c"), x, addend, type="train")
    near(out, np.maximum(plain + addend, 0))
    out, _ = ran(lambda x: flow.layers.batch_normalization_add_relu(x, axis=1, name="d", gamma_name="g"), x,
                 type="train")
    near(out, np.maximum(plain, 0))
    assert "g" in session.variables and "d-gamma" not in session.variables


@pytest.mark.parametrize(("begin", "parameters", "shape"), [(1, -1, (4,)), (-1, -1, (4,)), (1, 1, (3, 4)),
                                                            (2, 1, (3, 4))])
def test_layer_norm(session, begin, parameters, shape):
    x = normal(2, 3, 4)
    _, job = ran(lambda x: flow.layers.layer_norm(x, begin_norm_axis=begin, begin_params_axis=parameters, name="ln"), x)
    assert shapes(session) == {"ln-beta": shape, "ln-gamma": shape}
    assert (session.value("ln-gamma") == 1).all() and not session.value("ln-beta").any()
    values = filled(session)
    over = tuple(range(begin % 3, 3))
    around = (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + 1e-5)
    near(job(x), around * values["ln-gamma"] + values["ln-beta"], 1e-3)


def test_layer_norm_without_parameters(session):
    out, _ = ran(lambda x: flow.layers.layer_norm(x, center=False, scale=False), normal(2, 3))
    near(out.mean(-1), [0, 0])
    assert not session.variables


@pytest.mark.parametrize("begin", [1, 2, -1])
def test_gradients_of_layer_norm_by_name(begin):
    values, dy, gamma = normal(2, 3, 4), paddle.to_tensor(normal(2, 3, 4)), paddle.to_tensor(normal(4))
    x = paddle.to_tensor(values)
    x.stop_gradient = gamma.stop_gradient = False
    over = list(range(begin % 3, 3))
    norm = paddle.nn.functional.layer_norm(x, values.shape[begin:])
    norm.stop_gradient = False
    (norm * gamma).backward(dy)
    to_norm, beta, scale = flow.layers.layer_norm_param_grad(dy, norm.detach(), gamma.detach())
    near(beta.numpy(), dy.numpy().sum((0, 1)))
    near(scale.numpy(), gamma.grad.numpy())
    mean, deviation = values.mean(tuple(over)), 1 / np.sqrt(values.var(tuple(over)) + 1e-5)
    back = flow.layers.layer_norm_grad(to_norm, x.detach(), paddle.to_tensor(mean), paddle.to_tensor(deviation), begin)
    near(back.numpy(), x.grad.numpy(), 1e-3)


# what is left

def test_prelu(session):
    x = normal(2, 3, 4, 5)
    out, job = ran(lambda x: flow.layers.prelu(x, shared_axes=[2, 3], name="p"), x)
    near(out, np.maximum(x, 0))
    assert shapes(session) == {"p-alpha": (3, 1, 1)}
    alpha = filled(session)["p-alpha"]
    near(job(x), np.where(x > 0, x, alpha * x))


def test_upsample_2d(session):
    x = normal(1, 2, 3, 4)
    out, _ = ran(lambda x: flow.layers.upsample_2d(x, (2, 3)), x)
    np.testing.assert_array_equal(out, x.repeat(2, 2).repeat(3, 3))
    turned, _ = ran(lambda x: flow.layers.upsample_2d(x, (2, 3), data_format="NHWC"), x.transpose(0, 2, 3, 1))
    np.testing.assert_array_equal(turned, out.transpose(0, 2, 3, 1))
    out, _ = ran(lambda x: flow.layers.upsample_2d(x, (1.5, 2.0)), x)
    np.testing.assert_array_equal(out, x[:, :, [0, 0, 1, 2]].repeat(2, 3))
    for corners in (False, True):
        out, _ = ran(lambda x, c=corners: flow.layers.upsample_2d(x, 2, c, interpolation="bilinear"), x)
        near(out, paddle.nn.functional.interpolate(
            paddle.to_tensor(x), [6, 8], mode="bilinear", align_corners=corners).numpy())


def test_hints_of_scopes_are_taken_and_others_refused(session):
    def build(x):
        with flow.experimental.scope.config(checkpointing=True), flow.scope.config(pipeline_stage_id_hint=1):
            return flow.layers.dense(x, 3)

    ran(build, normal(2, 3))
    with pytest.raises(TypeError, match="checkpointing, pipeline_stage_id_hint. Received stage"), \
            flow.scope.config(stage=1):
        pass


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_categories_are_numbered_in_the_order_in_which_they_come(session, dtype):
    def build(x):
        return flow.layers.categorical_ordinal_encoder(x, capacity=64, name="ids")

    limits, known, job = np.iinfo(dtype), {0: 0}, None
    pool = random.integers(limits.min, limits.max, 40, dtype=dtype)
    for _ in range(5):
        hashes = random.choice(pool, (3, 6))
        hashes[0, 0] = 0
        if job is None:
            numbers, job = ran(build, hashes)
        else:
            numbers = job(hashes)
        for key in hashes.ravel().tolist():
            known.setdefault(key, len(known))
        assert numbers.dtype == dtype
        np.testing.assert_array_equal(numbers, np.vectorize(known.get)(hashes))
    assert shapes(session) == {"ids-Table": (128,), "ids-Size": (1,)}
    assert session.value("ids-Size").tolist() == [len(known) - 1]
    table = session.value("ids-Table").reshape(-1, 2)
    assert {key: value for key, value in table.tolist() if key} | {0: 0} == known


def test_a_full_table_of_categories_says_so(session):
    def build(x):
        return flow.layers.categorical_ordinal_encoder(x, capacity=4)

    numbers, job = ran(build, np.array([4, 8, 12, 3], np.int64))
    assert numbers.tolist() == [1, 2, 3, 4] and job(np.array([12, 0, 3, 4])).tolist() == [3, 0, 4, 1]
    with pytest.raises(ValueError, match="4 places are taken"):
        job(np.array([4, 5, 6, 7]))
    with pytest.raises(NotImplementedError, match="hashes already"):
        flow.categorical_ordinal_encode(None, None, None, hash_precomputed=False)
    with pytest.raises(TypeError, match="must be hashes, int32 or int64"):
        ran(build, normal(3))
