"""A process is killed before each system call of a save, or the disk is full: each file is the older or the new one.

What a file holds comes as one list of arrays; where a save writes several, they come as lists.
"""

import errno
import functools
import itertools
import os
import warnings

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.backend.loops import cache
from proa.command_line import conversion
from proa.core.files import is_temporary
from proa.core.safe_pickle import dump_state, split_big_parameters
from proa.distributed.ps import part_files
from proa.static import InputSpec

from tests.oneflow.system_calls import can_trace, killed_at


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


@functools.cache
def network(value):
    """A Program with a parameter and an optimizer's state that are `value` everywhere, in the scope that is given."""
    main, startup, exe, scope = (getattr(paddle.static, name)() for name in ("Program", "Program", "Executor", "Scope"))
    with paddle.static.scope_guard(scope), paddle.static.program_guard(main, startup), \
            paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [None, 3])
        y = paddle.static.nn.fc(x, 2)
        paddle.optimizer.Momentum(0.1).minimize(y.mean())
        exe.run(startup)
        for name, held in main.state_dict().items():
            scope.var(name).get_tensor().set(np.full(np.array(held).shape, value, "float32"), paddle.CPUPlace())
    return main, exe, x, y, scope


def in_a_program(function):
    """`function(folder, main, exe, x, y)` of the network that holds a value; what only reads gets a new scope."""
    def inside(folder, value=None):
        paddle.enable_static()
        try:
            *held, scope = network(value) if value is not None else [paddle.static.Scope()]
            with paddle.static.scope_guard(scope):
                return function(folder, *held)
        finally:
            paddle.disable_static()

    return inside


@in_a_program
def saved_program(folder, main, *_):
    paddle.static.save(main, f"{folder}/net")


def loaded_program(folder):
    parts = [paddle.load(f"{folder}/net{suffix}", return_numpy=True) for suffix in (".pdparams", ".pdopt")]
    return [[array for name, array in part.items() if "learning_rate" not in name] for part in parts]


@in_a_program
def saved_inference_model(folder, main, exe, x, y):
    paddle.static.save_inference_model(f"{folder}/net", [x], [y], exe, program=main)


@in_a_program
def loaded_inference_model(folder):
    program, _, _ = paddle.static.load_inference_model(f"{folder}/net", paddle.static.Executor())
    return [np.array(value) for value in program.state_dict().values()]


@in_a_program
def saved_in_a_file_each(folder, main, exe, *_):
    fluid.io.save_persistables(exe, folder, main)


@in_a_program
def loaded_from_a_file_each(folder):
    state = paddle.static.load_program_state(folder)
    return [[array] for name, array in state.items() if "learning_rate" not in name]


@in_a_program
def saved_older_model(folder, main, exe, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an operator that 1.8 does not have
        fluid.io.save_inference_model(folder, ["x"], [y], exe, main, params_filename="all")


@in_a_program
def loaded_older_model(folder):
    program, _, _ = fluid.io.load_inference_model(folder, fluid.Executor(), params_filename="all")
    return [np.array(value) for value in program.state_dict().values()]


def saved_in_parts(folder, value):
    """A state whose arrays are too large for one piece in a pickle of protocol 2."""
    parts = split_big_parameters({"w": np.full([3, 2], value, "float32")}, limit=16)
    dump_state(parts, f"{folder}/state.pdparams", 2)


def saved_model(folder, value):
    net = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.Momentum(0.1, parameters=net.parameters())
    model = paddle.Model(net)
    model.prepare(optimizer, paddle.nn.MSELoss())
    model.train_batch([paddle.ones([1, 2])], [paddle.ones([1, 2])])
    for held in (*net.state_dict().values(), *optimizer.state_dict().values()):
        if isinstance(held, paddle.Tensor):
            held.set_value(np.full(held.shape, value, "float32"))
    model.save(f"{folder}/model")


def loaded_model(folder):
    parts = [paddle.load(f"{folder}/model{suffix}", return_numpy=True) for suffix in (".pdparams", ".pdopt")]
    return [[value for value in part.values() if isinstance(value, np.ndarray)] for part in parts]


def saved_part_of_a_server(folder, value):
    part_files.write(f"{folder}/7/part-0-of-1", lambda writer: {
        "w": writer.array([np.full([3, 2], value, "float32")])})


def loaded_part_of_a_server(folder):
    """There may be none for a moment: the checkpoint before it is there."""
    place = f"{folder}/7/part-0-of-1"
    return [part_files.array_of(place, part_files.read(place)["w"])] if os.path.isdir(place) else []


def kept_plan(folder, value):
    with paddle.core.flags.flags_guard({"FLAGS_kernel_cache_dir": folder}):
        cache.write("aa", np.full(5000, value).tobytes(), cache.PLAN)


def read_plan(folder):
    with paddle.core.flags.flags_guard({"FLAGS_kernel_cache_dir": folder}):
        found = cache.read("aa", cache.PLAN)
    return [] if found is None else [np.frombuffer(found)]


def converted(folder, value):
    """`proa convert`, of a file that is not there otherwise."""
    given = f"{folder}/given.npz"
    np.savez(given, w=np.full([3, 2], value, "float32"))
    conversion._write(conversion._state(given), "safetensors", f"{folder}/state.safetensors")


SAVES = {
    "save": (saved, loaded), "safetensors": (saved_safetensors, loaded_safetensors),
    "distributed": (saved_distributed, loaded_distributed), "jit.save": (saved_layer, loaded_layer),
    "one file of persistables": (saved_persistables, loaded_persistables),
    "static.save": (saved_program, loaded_program),
    "save_inference_model": (saved_inference_model, loaded_inference_model),
    "a file each": (saved_in_a_file_each, loaded_from_a_file_each),
    "save_inference_model of 1.x": (saved_older_model, loaded_older_model),
    "in parts": (saved_in_parts, loaded), "Model.save": (saved_model, loaded_model),
    "a server's part": (saved_part_of_a_server, loaded_part_of_a_server), "a plan": (kept_plan, read_plan),
    "convert": (converted, loaded_safetensors),
}
ABSENT_FOR_A_MOMENT = ("a server's part",)


def values_of(load, folder):
    """What the files hold, each file one number; all of them together."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = load(folder)
    files = found if found and isinstance(found[0], list) else [found]
    values = [{float(x) for array in arrays for x in array.ravel()} for arrays in files]
    assert all(len(of_file) == 1 for of_file in values if of_file), values
    return set().union(*values)


@pytest.mark.slow
@pytest.mark.skipif(not can_trace(), reason="a child process cannot be traced here")
@pytest.mark.parametrize("name", SAVES)
def test_the_older_or_the_new_one(tmp_path, name):
    save, load = SAVES[name]
    folder = str(tmp_path)
    save(folder, 1.0)
    seen = set()
    for count in itertools.count(1):
        killed = killed_at(count, lambda: save(folder, 2.0))
        values = values_of(load, folder)
        assert values <= {1.0, 2.0} and (values or name in ABSENT_FOR_A_MOMENT)
        seen |= values
        if values != {1.0}:
            save(folder, 1.0)
            assert values_of(load, folder) == {1.0}
        if not killed:
            break
    assert seen == {1.0, 2.0} and count > 5
    save(folder, 3.0)  # what was left does not stand in the way
    assert values_of(load, folder) == {3.0}


def limited_to(most, function):
    """What becomes of a function in a child process whose files may take so many bytes: 0, or the error's number."""
    resource = pytest.importorskip("resource")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child runs no code of other threads
        child = os.fork()
    if child == 0:
        status = 255
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            function()
            status = 0
        except OSError as error:
            status = error.errno
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process")
@pytest.mark.parametrize("name", [name for name in SAVES if name != "convert"])  # the child makes its input too
def test_a_full_disk_leaves_the_older_one(tmp_path, name):
    save, load = SAVES[name]
    folder = str(tmp_path)
    save(folder, 1.0)
    before = sorted(os.listdir(folder))
    for most in (0, 20):
        found = limited_to(most, lambda: save(folder, 2.0))
        assert found == (0 if name == "a plan" else errno.EFBIG)  # what is not kept is made again
        assert values_of(load, folder) == {1.0} and sorted(os.listdir(folder)) == before
        assert not any(is_temporary(entry) for _, folders, files in os.walk(folder) for entry in (*folders, *files))
