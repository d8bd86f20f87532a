"""Layers of fluid.contrib on tables and trees: PaddlePaddle 1.8.5's results, and the table after a step."""

import numpy as np
import pytest
from proa import fluid


@pytest.fixture(autouse=True)
def programs():
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()), \
            fluid.unique_name.guard():
        yield


def given(values, dtype="float32"):
    return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(np.array(values, dtype)))


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("padding, pooled, third", [
    (None, [[18, 21], [6, 7]], [4.8, 5.6]), (3, [[12, 14], [0, 0]], [6, 7]), (-1, [[18, 21], [6, 7]], [4.8, 5.6])])
def test_fused_embedding_seq_pool(is_sparse, padding, pooled, third):
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    out = fluid.contrib.layers.fused_embedding_seq_pool(
        ids, [20, 2], is_sparse, padding, param_attr=given(np.arange(40).reshape(20, 2)))
    assert out.shape == (-1, 2)
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(out * out))
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fed = fluid.create_lod_tensor(np.array([[1], [3], [5], [3]]), [[3, 1]], fluid.CPUPlace())
    [found] = exe.run(feed={"ids": fed}, fetch_list=[out])
    assert found.tolist() == pooled
    table = np.array(fluid.global_scope().find_var("fused_embedding_seq_pool_0.w_0").get_tensor())
    np.testing.assert_allclose(table[3], third, rtol=1e-6)


def test_tdm_child():
    x = fluid.data("x", [None, 1], dtype="int32", lod_level=1)
    tree = [[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 6], [0, 2, 1, 0, 0], [1, 2, 1, 0, 0], [2, 2, 2, 0, 0],
            [3, 2, 2, 0, 0]]
    child, mask = fluid.contrib.layers.tdm_child(x, 7, 2, given(tree, "int32"))
    assert child.shape == mask.shape == (-1, 1, 2)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    found = exe.run(feed={"x": np.array([[0], [1], [2], [3]], "int32")}, fetch_list=[child, mask])
    assert [value.dtype for value in found] == ["int32", "int32"]
    assert found[0].tolist() == [[[0, 0]], [[3, 4]], [[5, 6]], [[0, 0]]]
    assert found[1].tolist() == [[[0, 0]], [[0, 1]], [[1, 1]], [[0, 0]]]
    with pytest.raises(ValueError, match=r"tdm_child\(x\): must lie in \[0, 7\)"):
        exe.run(feed={"x": np.array([[7]], "int32")}, fetch_list=[child])


def test_contrib_has_the_layers_too():
    for name in ("BasicGRUUnit", "basic_lstm", "fused_embedding_seq_pool", "tdm_child", "var_conv_2d"):
        assert getattr(fluid.contrib, name) is getattr(fluid.contrib.layers, name)


@pytest.mark.parametrize(("nodes", "bias"), [(5, (5, 3, 2)), (None, (2,))])
def test_the_bias_of_a_tree_convolution(nodes, bias):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        rows, edges = fluid.data("rows", [None, nodes, 4]), fluid.data("edges", [None, 4, 2], "int32")
        made = fluid.contrib.layers.tree_conv(rows, edges, 3, 2, 2)
    assert made.shape[2:] == (3, 2)
    assert [(p.name, p.shape) for p in main.all_parameters()] == [("tree_conv_0.w_0", (4, 3, 3, 2)),
                                                                  ("tree_conv_0.b_0", bias)]
