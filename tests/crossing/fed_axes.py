"""A model with fed axes, written and run by Paddle or proa: `python fed_axes.py write|run FOLDER`."""

import bz2  # noqa: F401  (before paddle, whose libraries bring others)
import lzma  # noqa: F401
import os
import sys

import numpy as np

VALUES = {"x": (np.arange(24).reshape(2, 3, 4) * 7 % 11).astype("float32"), "a": np.array([1]), "b": np.array([0])}


def build(paddle):
    static = paddle.static
    x, a, b = static.data("x", [2, 3, 4]), static.data("a", [1], "int64"), static.data("b", [1], "int64")
    results = [paddle.argmax(x, a), paddle.argmin(x, b, keepdim=True), paddle.cumsum(x, a), paddle.sum(x, a),
               paddle.sum(x, [a, b]), paddle.mean(x, a, keepdim=True), paddle.max(x, b), paddle.prod(x, [a, 2]),
               paddle.std(x, a), paddle.squeeze(x[:1], b), paddle.crop(x, [1, 2, 3], paddle.concat([b, a, b])),
               paddle.bincount(paddle.cast(paddle.flatten(x), "int64"), minlength=a + 12),
               paddle.concat([x, x], a), paddle.topk(x, a)[0], paddle.eye(a + 2)]
    return [x, a, b], [paddle.assign(result) for result in results]


def write(paddle, folder):
    paddle.enable_static()
    try:
        main, exe = paddle.static.Program(), paddle.static.Executor()
        with paddle.static.program_guard(main, paddle.static.Program()):
            inputs, results = build(paddle)
            found = exe.run(main, feed=VALUES, fetch_list=results)
            paddle.static.save_inference_model(os.path.join(folder, "m"), inputs, results, exe)
        np.savez(os.path.join(folder, "written.npz"), *found)
    finally:
        paddle.disable_static()


def run(paddle, folder):
    paddle.enable_static()
    try:
        exe = paddle.static.Executor()
        program, _, fetches = paddle.static.load_inference_model(os.path.join(folder, "m"), exe)
        np.savez(os.path.join(folder, "run.npz"), *exe.run(program, feed=VALUES, fetch_list=fetches))
    finally:
        paddle.disable_static()


if __name__ == "__main__":
    import paddle as there

    {"write": write, "run": run}[sys.argv[1]](there, sys.argv[2])
