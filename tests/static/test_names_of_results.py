"""What variables are called that functions and layers make in a Program: the names are PaddlePaddle 2.6.2's."""

import numpy as np
import proa as paddle
import pytest
from proa import nn, static
from proa.nn import functional as F


@pytest.fixture
def x():
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()), \
            paddle.utils.unique_name.guard():
        yield static.data("x", [4, 6])
    paddle.disable_static()


def _image():
    return static.data("im", [2, 4, 8, 8])


def _labels():
    return static.data("i", [4, 1], "int64")


def _result(value):
    return [v.name for v in value] if isinstance(value, (list, tuple)) else value.name


@pytest.mark.parametrize(("function", "name"), [
    (lambda x: x + x, "tmp_0"), (lambda x: 1 - x, "tmp_0"), (lambda x: x < 0.5, "tmp_1"), (lambda x: -x * 2, "tmp_1"),
    (lambda x: x.astype("float64"), "tmp_0"), (lambda x: x.astype(dtype="float64"), "tmp_0"),
    (lambda x: x @ x.T, "tmp_0"), (lambda x: x.T, "x.tmp_0"),
    (lambda x: (x > 0) & (x < 1), "bitwise_and_0.tmp_0"),
    (lambda x: x[0], "x_slice_0"), (lambda x: x[::2], "x_strided_slice_0"), (lambda x: x[0][1:], "x_slice_0_slice_0"),
    (lambda x: x.clone(), "x_clone_0"), (lambda x: x.detach(), "detach_x_0"),
    (lambda x: paddle.add(x, x), "elementwise_add_0"), (lambda x: paddle.add(x, x, name="a"), "a"),
    (lambda x: paddle.mean(x), "mean_0.tmp_0"), (lambda x: x.sum(1), "sum_0.tmp_0"),
    (lambda x: paddle.mean(x, name="a"), "a.tmp_0"), (lambda x: paddle.prod(x), "reduce_prod_0.tmp_0"),
    (lambda x: paddle.matmul(x, x, transpose_y=True), "matmul_v2_0.tmp_0"), (lambda x: paddle.t(x), "t_0.tmp_0"),
    (lambda x: paddle.reshape(x, [6, 4]), "reshape2_0.tmp_0"), (lambda x: paddle.flatten(x), "flatten_0.tmp_0"),
    (lambda x: paddle.split(x, 2, 1), ["split_0.tmp_0", "split_0.tmp_1"]),
    (lambda x: paddle.topk(x, 2), ["top_k_v2_0.tmp_0", "top_k_v2_0.tmp_1"]), (lambda x: paddle.tril(x), "tril_0"),
    (lambda x: paddle.zeros([2]), "fill_constant_1.tmp_0"), (lambda x: paddle.ones_like(x), "full_like_0.tmp_0"),
    (lambda x: paddle.rand([2]), "uniform_0.tmp_0"), (lambda x: F.relu(x, name="a"), "a.tmp_0"),
    (lambda x: F.hardswish(x), "hardswish_0.tmp_0"), (lambda x: F.layer_norm(x, 6), "layer_norm_0.tmp_2"),
    (lambda x: F.cross_entropy(x, _labels()), "mean_0.tmp_0"), (lambda x: F.mse_loss(x, x), "mean_0.tmp_0"),
    (lambda x: F.cross_entropy(x, _labels(), reduction="none"), "softmax_with_cross_entropy_0.tmp_1"),
    (lambda x: F.square_error_cost(x, x), "square_error_cost_0.tmp_1"), (lambda x: F.dropout(x), "dropout_0.tmp_0"),
    (lambda x: nn.Linear(6, 3)(x), "linear_1.tmp_1"), (lambda x: nn.Linear(6, 3, name="a")(x), "a.tmp_1"),
    (lambda x: nn.ReLU(name="a")(x), "a.tmp_0"), (lambda x: nn.Softmax()(x), "softmax_1.tmp_0"),
    (lambda x: nn.L1Loss(name="a")(x, x), "a.tmp_0"),
    (lambda x: nn.Conv2D(4, 2, 3)(_image()), "conv2d_1.tmp_1"),
    (lambda x: nn.BatchNorm2D(4)(_image()), "batch_norm_0.tmp_2"),
    (lambda x: nn.GroupNorm(2, 4)(_image()), "group_norm_0.tmp_2"),
    (lambda x: nn.Embedding(9, 3)(_labels()), "embedding_1.tmp_0"),
    (lambda x: static.nn.fc(x, 3), "fc_0.tmp_1"), (lambda x: static.nn.fc(x, 3, activation="relu"), "fc_0.tmp_2"),
    (lambda x: static.nn.fc([x, x], 3, name="a"), "a.tmp_3"),
    (lambda x: static.nn.conv2d(_image(), 2, 3), "conv2d_0.tmp_1"),
    (lambda x: static.nn.batch_norm(_image(), act="relu"), "batch_norm_0.tmp_4"),
    (lambda x: static.nn.embedding(_labels(), [9, 3]), "embedding_0.tmp_0"),
    (lambda x: static.accuracy(x, _labels()), "accuracy_0.tmp_2"),
    (lambda x: static.nn.cond(paddle.mean(x) > 0, lambda: x + 1, lambda: x - 1), "_generated_var_4"),
    (lambda x: x.block.create_var(dtype="float32", shape=[2]), "_generated_var_0"),
])
def test_names_of_results(x, function, name):
    assert _result(function(x)) == name


def test_results_are_fetched_by_these_names(x):
    hidden = static.nn.fc(x, 8, activation="relu")
    loss = paddle.mean(static.nn.fc(hidden, 1))
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    names = ["fc_0.tmp_0", "fc_0.tmp_2", "fc_1.tmp_1", "mean_0.tmp_0", "fc_1.tmp_1@GRAD", "fc_0.tmp_2@GRAD"]
    found = exe.run(feed={"x": np.ones((4, 6), "float32")}, fetch_list=names)
    assert [list(array.shape) for array in found] == [[4, 8], [4, 8], [4, 1], [], [4, 1], [4, 8]]


def test_a_function_that_is_called_again_has_another_name(x):
    layer = nn.Linear(6, 6)
    assert layer(layer(layer(x))).name == "linear_3.tmp_1"
    assert paddle.add(x, x, name="a").name != paddle.add(x, x, name="a").name
    assert nn.Linear(6, 6).weight.name == "linear_4.w_0"


def test_gradients_draw_no_names(x):
    paddle.optimizer.Adam(0.1).minimize(paddle.mean(F.softmax(static.nn.fc(x, 3) * 2)))
    assert F.softmax(x * 2).name == "softmax_1.tmp_0"


def test_running_statistics_are_named_after_the_layer(x):
    layer = nn.BatchNorm2D(4, name="a")
    assert (layer._mean.name, layer._variance.name) == ("a_mean", "a_variance")


def test_names_within_a_converted_function_begin_anew():
    layer = nn.Linear(2, 2)
    program = paddle.jit.to_static(layer.forward, input_spec=[static.InputSpec([None, 2])]).concrete_program
    for _ in range(2):
        main = program.main_program
        assert [op.output_arg_names[0] for op in main.global_block().ops][:2] == ["linear_0.tmp_0", "linear_0.tmp_1"]


def test_size_is_a_number_and_a_method(x):
    rows = static.data("rows", [-1, 3])
    found = [x.size(), rows.size(), rows.size * 2]
    assert (x.size, x.size + 1, rows.size().name) == (24, 25, "rows_size_2")
    exe, feed = static.Executor(), {"x": np.ones((4, 6), "float32"), "rows": np.ones((2, 3), "float32")}
    assert [int(v) for v in exe.run(feed=feed, fetch_list=found)] == [24, 6, 12]
    assert found[0].name == "x_size_0"


def test_areas_and_their_statistics(x):
    of_all, of_last, statistics = static.auc(F.softmax(x)[:, :2], _labels())
    assert (of_all.name, of_last.name) == ("auc_0.tmp_0", "auc_0.tmp_1")
    assert [v.name for v in statistics] == [f"_generated_var_{n}" for n in range(4)]
