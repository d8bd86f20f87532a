"""TracedLayer, declarative, ProgramTranslator: layers of dynamic mode as Programs."""

import numpy as np
import proa.fluid as fluid

IMAGES = np.random.RandomState(0).rand(2, 1, 8, 8).astype("float32")


def _net():
    D = fluid.dygraph
    return D.Sequential(D.Conv2D(1, 4, 3, act="relu"), D.Pool2D(2, "max", 2), D.BatchNorm(4),
                        D.FC("fc", 3, act="softmax"))


def test_a_traced_layer_runs_and_is_saved(tmp_path):
    with fluid.dygraph.guard():
        net = _net()
        x = fluid.dygraph.to_variable(IMAGES)
        net.eval()
        out, traced = fluid.dygraph.TracedLayer.trace(net, [x])
        [again] = traced([x])
        np.testing.assert_allclose(again, out.numpy(), rtol=1e-6)
        assert [op.type for op in traced.program.global_block().ops][:3] == ["conv2d", "elementwise_add", "relu"]
        traced.save_inference_model(dirname=str(tmp_path / "model"))
    np.testing.assert_allclose(traced([IMAGES])[0], again, rtol=1e-6)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
        [found] = exe.run(program, feed={feeds[0]: IMAGES}, fetch_list=fetches)
        [doubled] = exe.run(program, feed={feeds[0]: np.concatenate([IMAGES, IMAGES])}, fetch_list=fetches)
    np.testing.assert_allclose(found, again, rtol=1e-5)
    np.testing.assert_allclose(doubled, np.concatenate([found, found]), rtol=1e-6)  # another batch than the traced
    assert (tmp_path / "model" / "conv2d_0.w_0").exists()


def test_a_declarative_function():
    @fluid.dygraph.declarative
    def halved(x, times):
        for _ in range(times):
            if (x > 4.0).numpy().all() if hasattr(x, "_array") else x > 4.0:
                x = x * 0.5
        return x

    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([16.0], "float32"))
        x.stop_gradient = False
        y = halved(x, 3)
        y.backward()
        assert isinstance(y, fluid.core.VarBase) and y.numpy().tolist() == [4] and x.gradient().tolist() == [0.25]
        translator = fluid.dygraph.ProgramTranslator()
        translator.enable(False)
        assert not translator.enable_declarative and halved(x, 1).numpy().tolist() == [8]
        translator.enable(True)
        assert translator.get_output(lambda v: v * 2.0, x).numpy().tolist() == [32]
        assert translator is fluid.dygraph.dygraph_to_static.ProgramTranslator()


def test_a_layer_with_a_declarative_forward():
    class Net(fluid.dygraph.Layer):
        def __init__(self):
            super().__init__()
            self.linear = fluid.dygraph.Linear(3, 2)

        @fluid.dygraph.declarative
        def forward(self, x):
            return self.linear(x) * 2.0

    with fluid.dygraph.guard():
        net = Net()
        x = fluid.dygraph.to_variable(np.ones([1, 3], "float32"))
        y = net(x)
        np.testing.assert_allclose(y.numpy(), net.linear(x).numpy() * 2, rtol=1e-6)
        y.backward()
        assert net.linear.weight.gradient().tolist() == [[2, 2]] * 3


def test_what_a_loop_counts_has_a_dimension():
    """The count of a converted loop, and what is computed of it, as everything else of 1.x."""
    layers = fluid.layers

    @fluid.dygraph.declarative
    def summed(x, times):
        total, seen = layers.zeros([1], "float32"), []
        for i in range(times):
            seen.append(i.shape)
            last = layers.concat([layers.cast(i, "float32"), total])
            total = total + layers.reduce_sum(x[i]) * i
        assert all(list(shape) == [1] for shape in seen)
        return total, i, last

    with fluid.dygraph.guard():
        given = fluid.dygraph.to_variable(np.arange(6, dtype="float32").reshape(3, 2))
        total, i, last = summed(given, fluid.dygraph.to_variable(np.array([3])))
        assert (total.numpy().tolist(), i.numpy().tolist(), last.numpy().tolist()) == ([23.0], [2], [2.0, 5.0])


class _Applied(fluid.dygraph.Layer):
    """Gives its result to a variable of its own, by the operator's type."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([3, 3], default_initializer=fluid.initializer.Constant(2.0))

    def forward(self, x):
        made = self.create_variable(dtype="float32")
        self._helper.append_op(type="mul", inputs={"X": x, "Y": self.weight}, outputs={"Out": made},
                               attrs={"x_num_col_dims": 1, "y_num_col_dims": 1})
        return made


def test_gradients_pass_through_variables_that_a_layer_has_made():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [1, 3])
        made = _Applied()(x)
        [(_, gradient)] = fluid.backward.append_backward(fluid.layers.reduce_sum(made))
    assert not made.stop_gradient
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    [slope] = exe.run(main, {"x": np.array([[1, 2, 3]], "float32")}, [gradient])
    assert slope.tolist() == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
