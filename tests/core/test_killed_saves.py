"""A process is killed before each system call of a save: each file is the older one or the new one, whole."""

import itertools

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.static import InputSpec

from tests.oneflow.system_calls import can_trace, killed_at

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not can_trace(), reason="a child process cannot be traced here")]


def state(value):
    return {"w": paddle.full([3, 2], value), "b": paddle.full([2], value)}


def saved(folder, value):
    paddle.save(state(value), f"{folder}/state.pdparams")


def loaded(folder):
    return [value.numpy() for value in paddle.load(f"{folder}/state.pdparams").values()]


def saved_safetensors(folder, value):
    paddle.interchange.save_safetensors(state(value), f"{folder}/state.safetensors")


def loaded_safetensors(folder):
    return list(paddle.interchange.load_safetensors(f"{folder}/state.safetensors").values())


def saved_distributed(folder, value):
    paddle.distributed.save_state_dict(state(value), folder)


def loaded_distributed(folder):
    target = state(0.0)
    paddle.distributed.load_state_dict(target, folder)
    return [value.numpy() for value in target.values()]


def saved_layer(folder, value):
    layer = paddle.nn.Linear(2, 2)
    layer.weight.set_value(np.full([2, 2], value, "float32"))
    layer.bias.set_value(np.full([2], value, "float32"))
    paddle.jit.save(layer, f"{folder}/net", input_spec=[InputSpec([1, 2], "float32", "x")])


def loaded_layer(folder):
    return [value.numpy() for value in paddle.jit.load(f"{folder}/net").parameters()]


def saved_persistables(folder, value):
    main, exe, scope = fluid.Program(), fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    main.global_block().create_var(name="w", shape=[3], dtype="float32", persistable=True)
    with fluid.scope_guard(scope):
        scope.var("w").get_tensor().set(np.full([3], value, "float32"), fluid.CPUPlace())
        fluid.io.save_persistables(exe, folder, main, "all")


def loaded_persistables(folder):
    main, exe, scope = fluid.Program(), fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    main.global_block().create_var(name="w", shape=[3], dtype="float32", persistable=True)
    with fluid.scope_guard(scope):
        fluid.io.load_persistables(exe, folder, main, "all")
        return [np.array(scope.find_var("w").get_tensor())]


@pytest.mark.parametrize("save, load", [
    (saved, loaded), (saved_safetensors, loaded_safetensors), (saved_distributed, loaded_distributed),
    (saved_layer, loaded_layer), (saved_persistables, loaded_persistables)])
def test_the_older_or_the_new_one(tmp_path, save, load):
    folder = str(tmp_path)
    save(folder, 1.0)
    seen = set()
    for count in itertools.count(1):
        killed = killed_at(count, lambda: save(folder, 2.0))
        arrays = load(folder)
        values = {float(x) for array in arrays for x in array.ravel()}
        assert len(values) == 1 and values <= {1.0, 2.0}
        seen |= values
        if values == {2.0}:
            save(folder, 1.0)
        if not killed:
            break
    assert seen == {1.0, 2.0} and count > 8
    save(folder, 3.0)  # what was left does not stand in the way
    assert {float(x) for array in load(folder) for x in array.ravel()} == {3.0}
