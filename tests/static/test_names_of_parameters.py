"""Names of parameters in Programs, which decide what files hold, and which layers share what: as in PaddlePaddle."""

import numpy as np
import proa as paddle
import pytest
from proa import static


@pytest.fixture
def names():
    """Names of the parameters that have been made."""
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()), \
            paddle.utils.unique_name.guard():
        yield lambda: sorted(p.name for p in static.default_main_program().all_parameters())


@pytest.mark.parametrize(("layer", "made"), [
    (lambda x: static.nn.fc(x, 2, name="a"), ["b_0", "b_1", "w_0", "w_1"]),
    (lambda x: static.nn.conv2d(x, 2, 3, name="a"), ["b_0", "b_1", "w_0", "w_1"]),
    (lambda x: static.nn.conv2d_transpose(x, 2, filter_size=3, name="a"), ["b_0", "b_1", "w_0", "w_1"]),
    (lambda x: static.nn.batch_norm(x, name="a"), ["b_0", "b_1", *(f"w_{n}" for n in range(6))]),
    (lambda x: static.nn.batch_norm(x, name="a", param_attr="scale"), ["b_0", "b_1", *(f"w_{n}" for n in range(4))]),
    (lambda x: static.nn.layer_norm(x, name="a"), ["b_0", "b_1", "w_0", "w_1"]),
    (lambda x: static.nn.prelu(x, "all", name="a"), ["w_0", "w_1"]),
    (lambda x: static.nn.spectral_norm(x, name="a"), ["w_0", "w_1", "w_2", "w_3"]),
])
def test_two_layers_of_one_name_share_nothing(names, layer, made):
    x = static.data("x", [2, 3, 8, 8])
    for _ in range(2):
        layer(x)
    assert [name for name in names() if name != "scale"] == [f"a.{end}" for end in made]


def test_layers_of_one_name_compute_with_their_own(names):
    x = static.data("x", [1, 2])
    both = [static.nn.fc(x, 2, name="hidden", bias_attr=False, weight_attr=paddle.nn.initializer.Constant(value))
            for value in (1.0, 3.0)]
    exe = static.Executor()
    exe.run(static.default_startup_program())
    found = exe.run(feed={"x": np.ones((1, 2), "float32")}, fetch_list=both)
    assert [array[0, 0] for array in found] == [2, 6]


def test_fc_of_several_inputs(names):
    x, y = static.data("x", [1, 2]), static.data("y", [1, 3])
    constant = paddle.nn.initializer.Constant
    apart = static.nn.fc([x, y], 1, weight_attr=[paddle.ParamAttr(initializer=constant(v)) for v in (1.0, 10.0)])
    alike = static.nn.fc((x, y), 1, weight_attr=[paddle.ParamAttr(initializer=constant(2.0))])
    assert names() == ["fc_0.b_0", "fc_0.w_0", "fc_0.w_1", "fc_1.b_0", "fc_1.w_0", "fc_1.w_1"]
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {"x": np.ones((1, 2), "float32"), "y": np.ones((1, 3), "float32")}
    assert [a.item() for a in exe.run(feed=feed, fetch_list=[apart, alike])] == [32, 10]
    with pytest.raises(ValueError, match=r"fc\(weight_attr\)"):
        static.nn.fc([x, y], 1, weight_attr=[None] * 3)


@pytest.mark.parametrize(("layer", "shape", "second"), [
    (lambda: paddle.nn.Linear(4, 4), [2, 4], "linear_2"),
    (lambda: paddle.nn.Linear(4, 4, name="a"), [2, 4], "linear_1"),
    (lambda: paddle.nn.Conv1D(4, 4, 3), [2, 4, 8], "conv1d_1"),
    (lambda: paddle.nn.Conv2D(4, 4, 3), [2, 4, 8, 8], "conv2d_2"),
    (lambda: paddle.nn.Conv2D(4, 4, 3, groups=4), [2, 4, 8, 8], "conv2d_1"),
    (lambda: paddle.nn.Conv3D(4, 4, 3), [2, 4, 8, 8, 8], "conv3d_2"),
    (lambda: paddle.nn.Conv2DTranspose(4, 4, 3), [2, 4, 8, 8], "conv2d_transpose_2"),
    (lambda: paddle.nn.Conv3DTranspose(4, 4, 3), [2, 4, 8, 8, 8], "conv3d_transpose_2"),
    (lambda: paddle.nn.LayerNorm(4), [2, 4], "layer_norm_2"),
    (lambda: paddle.nn.BatchNorm(4), [2, 4, 8, 8], "batch_norm_1"),
    (lambda: paddle.nn.BatchNorm2D(4), [2, 4, 8, 8], "batch_norm2d_1"),
    (lambda: paddle.nn.GroupNorm(2, 4), [2, 4, 8, 8], "group_norm_1"),
    (lambda: paddle.nn.PReLU(), [2, 4], "p_re_lu_1"),
])
def test_functions_draw_names_too(names, layer, shape, second):
    x = static.data("x", shape)
    layer()(x)
    first = set(names())
    layer()(x)
    assert {name.partition(".")[0] for name in names() if name not in first} == {second}


def test_functions_and_static_layers_draw_from_one_count(names):
    x, i = static.data("x", [2, 4, 8, 8]), static.data("i", [2, 3], "int64")
    paddle.nn.Conv1D(4, 4, 3)(x[:, :, 0])
    static.nn.conv2d(x, 2, 3, bias_attr=False)
    paddle.nn.BatchNorm2D(4)(x)
    static.nn.batch_norm(x)
    paddle.nn.Embedding(4, 4)(i)
    static.nn.embedding(i, [4, 4])
    paddle.nn.functional.prelu(x, paddle.create_parameter([1], "float32", name="p"))
    paddle.nn.functional.prelu(x, paddle.create_parameter([1], "float32", name="q"), name="named")
    static.nn.prelu(x, "all")
    assert {"conv2d_1.w_0", "batch_norm_1.w_0", "embedding_0.w_0", "embedding_2.w_0", "prelu_1.w_0"} < set(names())


def test_functions_in_converted_and_eager_code_draw_no_names(names):
    from proa.dygraph.eager import EAGER
    from proa.ops.core.trace import using
    with using(EAGER):
        layer = paddle.nn.Linear(2, 2)
        for call in layer, paddle.jit.to_static(layer.forward):
            call(paddle.ones([1, 2]))
        assert paddle.nn.Linear(2, 2).weight.name == "linear_1.w_0"


@pytest.mark.parametrize("eager", [False, True])
def test_create_parameter(names, eager):
    from proa.dygraph.eager import EAGER
    from proa.ops.core.trace import current_trace, using

    def made(**options):
        return paddle.create_parameter([2], "float32", **options).name

    attr = paddle.ParamAttr(learning_rate=0.5)
    with using(EAGER if eager else current_trace()):
        found = [made(), made(), made(is_bias=True), made(name="one"), made(attr=attr), made(name="two", attr=attr),
                 made(attr=paddle.ParamAttr("three")), made()]
    assert found == ["create_parameter_0.w_0", "create_parameter_1.w_0", "create_parameter_2.b_0", "one",
                     "create_parameter_3.w_0", "two.w_0", "three", "create_parameter_5.w_0"]


def test_parameters_of_a_helper(names):
    helper = paddle.common_ops_import.LayerHelper("mine")
    for is_bias in (False, False, True):
        helper.create_parameter(None, [2], "float32", is_bias)
    assert names() == ["mine_0.b_0", "mine_0.w_0", "mine_0.w_1"]


def test_a_parameter_that_is_made_twice_begins_once():
    block = static.Program().global_block()
    for _ in range(2):
        block.create_parameter([2, 3], "float32", name="shared", initializer=paddle.nn.initializer.Uniform())
    assert [op.type for op in block.ops] == ["uniform_random"]
