"""Programs with their values as files, written and read by either side.

`PYTHON programs.py write FOLDER` and `… read FOLDER` do it with PaddlePaddle; `found.npz` in the folder holds what the
network gave (write), what it gives with the values that were read in each way (read), or what layers give (layers).
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np

X = np.random.RandomState(5).rand(3, 4).astype("float32")


def build(paddle):
    """A network with batch norm and momentum: Program, startup Program, input and output."""
    static = paddle.static
    main, startup = static.Program(), static.Program()
    with paddle.utils.unique_name.guard(), static.program_guard(main, startup):
        x = static.data("x", [None, 4])
        h = static.nn.fc(x, 3, activation="relu")
        out = static.nn.fc(static.nn.batch_norm(h), 2)
        paddle.optimizer.Momentum(0.1).minimize(out.mean())
    return main, startup, x, out


def output(paddle, main, x, out):
    """What the network gives in evaluation, with the values of the global scope."""
    program = paddle.static.normalize_program(main, [x], [out])
    exe = paddle.static.Executor(paddle.CPUPlace())
    return exe.run(program, feed={"x": X}, fetch_list=[out.name])[0]


def write(paddle, folder):
    """Trains for some steps and writes files and bytes; what the network gives, and the velocity of a weight."""
    static, folder = paddle.static, Path(folder)
    main, startup, x, out = build(paddle)
    exe = static.Executor(paddle.CPUPlace())
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        exe.run(startup)
        for _ in range(3):
            exe.run(main, feed={"x": X})
        static.save(main, str(folder / "model"))
        static.save_to_file(str(folder / "bytes.pdmodel"), static.serialize_program([x], [out]))
        static.save_to_file(str(folder / "bytes.pdiparams"), static.serialize_persistables([x], [out], exe))
        velocity = np.array(static.global_scope().find_var("fc_0.w_0_velocity_0").get_tensor())
        return {"out": output(paddle, main, x, out), "velocity": velocity}


def read(paddle, folder):
    """The same from the files, by `load`, by the state, and from the bytes."""
    static, folder, found = paddle.static, Path(folder), {}
    main, startup, x, out = build(paddle)
    exe = static.Executor(paddle.CPUPlace())
    for way in ("load", "state"):
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            exe.run(startup)
            if way == "load":
                static.load(main, str(folder / "model"), exe)
            else:
                static.set_program_state(main, static.load_program_state(str(folder / "model")))
            velocity = np.array(static.global_scope().find_var("fc_0.w_0_velocity_0").get_tensor())
            found.update({f"{way}.out": output(paddle, main, x, out), f"{way}.velocity": velocity})
    with static.scope_guard(static.Scope()):
        program = static.deserialize_program(static.load_from_file(str(folder / "bytes.pdmodel")))
        static.deserialize_persistables(program, static.load_from_file(str(folder / "bytes.pdiparams")), exe)
        fetch = [op.input("X")[0] for op in program.global_block().ops if op.type == "fetch"]
        found["bytes.out"] = exe.run(program, feed={"x": X}, fetch_list=fetch)[0]
    return found


def layer_cases():
    """The cases of tests/fixtures/static."""
    path = Path(__file__).parent.parent / "fixtures" / "static" / "cases.py"
    spec = importlib.util.spec_from_file_location("static_layer_cases", path)
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    return cases


def write_layers(paddle, folder):
    """Each layer of `static.nn` as an inference model; what it gives."""
    cases, static, found = layer_cases(), paddle.static, {}
    exe = static.Executor(paddle.CPUPlace())
    for name, (layer, inputs) in cases.LAYERS.items():
        main, startup = static.Program(), static.Program()
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            feeds = [static.data(f"x{n}", a.shape, str(a.dtype)) for n, a in enumerate(inputs)]
            out = layer(paddle, *feeds)
            exe.run(startup)
            static.save_inference_model(str(Path(folder) / name), feeds, [out], exe)
            found[name] = exe.run(main.clone(for_test=True), feed={f"x{n}": a for n, a in enumerate(inputs)},
                                  fetch_list=[out.name])[0]
    return found


def layers(paddle, folder):
    """What the inference models give that `write_layers` wrote."""
    cases, static, found = layer_cases(), paddle.static, {}
    exe = static.Executor(paddle.CPUPlace())
    for name, (_, inputs) in cases.LAYERS.items():
        with static.scope_guard(static.Scope()):
            program, feeds, fetches = static.load_inference_model(str(Path(folder) / name), exe)
            found[name] = exe.run(program, feed=dict(zip(feeds, inputs)), fetch_list=fetches)[0]
    return found


def _without_scale(paddle, x):
    mean, variance = (paddle.static.create_global_var([4], value, "float32", persistable=True) for value in (0.0, 1.0))
    return paddle.nn.functional.batch_norm(x, mean, variance, training=True)


NORMALIZED = {
    "batch_norm": lambda paddle, x: paddle.static.nn.batch_norm(x),
    "channels_last": lambda paddle, x: paddle.static.nn.batch_norm(
        paddle.transpose(x, [0, 2, 3, 1]), data_layout="NHWC"),
    "global_stats": lambda paddle, x: paddle.static.nn.batch_norm(x, use_global_stats=True),
    "layer": lambda paddle, x: paddle.nn.BatchNorm2D(4)(x), "without_scale": _without_scale,
    "instance_norm": lambda paddle, x: paddle.nn.InstanceNorm2D(4)(x),
    "group_norm": lambda paddle, x: paddle.nn.GroupNorm(2, 4)(x),
}
IMAGES = np.random.RandomState(6).rand(4, 3, 6, 6).astype("float32")


def write_training(paddle, folder):
    """Programs that train, their backward passes too, as files with their values; the losses of some steps."""
    static, exe, found = paddle.static, paddle.static.Executor(paddle.CPUPlace()), {}
    for name, normalized in NORMALIZED.items():
        main, startup = static.Program(), static.Program()
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            y = normalized(paddle, static.nn.conv2d(static.data("x", [None, 3, 6, 6]), 4, 3))
            loss = (y * y * y).mean()
            paddle.optimizer.Momentum(0.1).minimize(loss)
            exe.run(startup)
            (Path(folder) / name).write_bytes(main.desc.serialize_to_string())
            values = {v.name: np.array(static.global_scope().find_var(v.name).get_tensor())
                      for v in main.list_vars() if v.persistable}
            np.savez(Path(folder) / f"{name}.npz", **values, loss=loss.name)
            found[name] = _losses(exe, main, loss.name)
    return found


def training(paddle, folder):
    """The losses of the Programs that `write_training` wrote."""
    static, exe, found = paddle.static, paddle.static.Executor(paddle.CPUPlace()), {}
    for name in NORMALIZED:
        values = dict(np.load(Path(folder) / f"{name}.npz"))
        loss = str(values.pop("loss"))
        with static.scope_guard(static.Scope()):
            for each, value in values.items():
                static.global_scope().var(each).get_tensor().set(value, paddle.CPUPlace())
            found[name] = _losses(exe, static.Program.parse_from_string((Path(folder) / name).read_bytes()), loss)
    return found


def _losses(exe, program, loss):
    return np.array([exe.run(program, feed={"x": IMAGES}, fetch_list=[loss])[0].reshape(()) for _ in range(4)])


if __name__ == "__main__":
    import bz2  # noqa: F401 - before paddle, as the next three, or some of its builds crash
    import gzip  # noqa: F401
    import lzma  # noqa: F401
    import zlib  # noqa: F401

    import paddle as real

    real.enable_static()
    asked = {"write": write, "read": read, "layers": layers, "training": training}[sys.argv[1]]
    np.savez(Path(sys.argv[2]) / "found.npz", **asked(real, sys.argv[2]))
