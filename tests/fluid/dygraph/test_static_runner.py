"""StaticModelRunner: models that a Program saved, run and trained in dynamic mode."""

import numpy as np
import proa.fluid as fluid
import pytest

IMAGES = np.random.RandomState(1).uniform(-1, 1, (4, 6)).astype("float32")
LABELS = np.array([[0], [1], [2], [1]])


def network():
    hidden = fluid.layers.batch_norm(fluid.layers.fc(fluid.data("img", [None, 6]), 5, act="tanh"))
    return fluid.layers.fc(hidden, 3, act="softmax")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Folder, what the saved model predicts, and the losses of two more steps of training as a Program."""
    folder, exe = str(tmp_path_factory.mktemp("model")), fluid.Executor()
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        predicted = network()
        test = main.clone(for_test=True)
        loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, fluid.data("label", [None, 1], "int64")))
        fluid.optimizer.SGD(0.1).minimize(loss)
        exe.run(startup)
        random = np.random.RandomState(0)
        for parameter in main.all_parameters():
            value = random.uniform(0.1, 0.5, parameter.shape).astype("float32")
            fluid.global_scope().find_var(parameter.name).get_tensor().set(value, fluid.CPUPlace())
        fluid.io.save_inference_model(folder, ["img"], [predicted], exe, main)
        fluid.io.save_inference_model(folder, ["img"], [predicted], exe, main, "model", "params")
        (found,) = exe.run(test, feed={"img": IMAGES}, fetch_list=[predicted])
        losses = [exe.run(main, feed={"img": IMAGES, "label": LABELS}, fetch_list=[loss])[0] for _ in range(2)]
    return folder, found, losses


@pytest.mark.parametrize("files", [(), ("model", "params")])
def test_as_the_program(trained, files):
    folder, found, losses = trained
    with fluid.dygraph.guard():
        runner = fluid.dygraph.static_runner.StaticModelRunner(folder, *files)
        assert isinstance(runner, fluid.dygraph.Layer)
        names = ["batch_norm_0.b_0", "batch_norm_0.w_0", "batch_norm_0.w_1", "batch_norm_0.w_2", "fc_0.b_0", "fc_0.w_0",
                 "fc_1.b_0", "fc_1.w_0"]
        assert sorted(runner.state_dict()) == [f"{name}@LOADED" for name in names]
        assert [p.name for p in runner.parameters() if p.stop_gradient] == [f"{n}@LOADED" for n in names[2:4]]
        runner.eval()
        np.testing.assert_allclose(runner(IMAGES).numpy(), found, 1e-6)
        runner.train()
        sgd = fluid.optimizer.SGD(0.1, parameter_list=runner.parameters())
        for expected in losses:
            loss = fluid.layers.mean(fluid.layers.cross_entropy(runner(IMAGES), fluid.dygraph.to_variable(LABELS)))
            loss.backward()
            sgd.minimize(loss)
            runner.clear_gradients()
            np.testing.assert_allclose(loss.numpy(), expected, 1e-6)


def test_what_does_not_fit(trained, tmp_path):
    with fluid.dygraph.guard():
        with pytest.raises(ValueError, match=r"StaticModelRunner\(model_dir\): there is no folder"):
            fluid.dygraph.static_runner.StaticModelRunner(str(tmp_path / "nothing"))
        runner = fluid.dygraph.static_runner.StaticModelRunner(trained[0])
        with pytest.raises(TypeError, match=r"takes 1 inputs, \['img'\]. Received 2"):
            runner(IMAGES, IMAGES)
    with pytest.raises(NotImplementedError, match=r"get_func\(function\).program_cache"):
        fluid.dygraph.ProgramTranslator().get_program_cache()
