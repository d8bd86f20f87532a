"""Run by PaddlePaddle's own Python: writes its public names and their parameters to `paddle_names.json`.

A parameter is written as in a `def`: `x`, `axis=-1`, `*shape`; a default that is not a plain value is `...`.

    python tests/api/paddle_names.py
"""

import bz2  # noqa: F401 - before paddle, as the next three, or some of its builds crash
import gzip  # noqa: F401
import inspect
import json
import lzma  # noqa: F401
import os
import zlib  # noqa: F401

import paddle

NAMESPACES = [
    "", "amp", "amp.debugging", "audio", "audio.backends", "audio.datasets", "audio.features", "audio.functional",
    "autograd", "callbacks", "dataset", "dataset.cifar", "dataset.common", "dataset.conll05", "dataset.flowers",
    "dataset.image", "dataset.imdb", "dataset.imikolov", "dataset.mnist", "dataset.movielens", "dataset.uci_housing",
    "dataset.voc2012", "dataset.wmt14", "dataset.wmt16", "device", "device.cuda", "distributed",
    "distributed.checkpoint", "distributed.communication", "distributed.communication.stream", "distributed.fleet",
    "distributed.fleet.meta_parallel", "distributed.fleet.utils", "distributed.passes",
    "distributed.rpc", "distributed.sharding", "distribution", "distribution.transform", "fft", "geometric", "hub",
    "incubate", "incubate.asp", "incubate.autograd", "incubate.autotune", "incubate.nn", "incubate.nn.functional",
    "incubate.nn.layer", "incubate.nn.loss", "incubate.optimizer", "incubate.optimizer.functional", "inference", "io",
    "jit", "linalg", "metric", "nn", "nn.functional", "nn.initializer", "nn.quant", "nn.utils", "onnx", "optimizer",
    "optimizer.lr", "profiler", "quantization", "quantization.observers", "quantization.quanters", "reader",
    "regularizer", "signal", "sparse", "sparse.nn", "sparse.nn.functional", "static", "static.nn", "sysconfig", "text",
    "utils", "utils.cpp_extension", "utils.dlpack", "utils.download", "utils.unique_name", "version", "vision",
    "vision.datasets", "vision.models", "vision.ops", "vision.transforms",
]
#: What scripts call though the module does not announce it.
UNANNOUNCED = {"paddle.distributed.fleet": ["distributed_model", "distributed_optimizer", "distributed_scaler"]}


def parameters(value):
    """The parameters as they are written, or None where the signature is not to be seen."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    return [written(parameter) for parameter in signature.parameters.values()]


def written(parameter):
    name = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
    if parameter.default is parameter.empty:
        return name
    plain = parameter.default is None or isinstance(parameter.default, (bool, int, float, str, list, tuple))
    return f"{name}={parameter.default!r}" if plain else f"{name}=..."


def kind_of(value):
    if inspect.ismodule(value):
        return "module"
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "value"


def described(holder, names):
    found = {}
    for name in names:
        value = inspect.getattr_static(holder, name) if inspect.isclass(holder) else getattr(holder, name)
        if isinstance(value, property) or inspect.isgetsetdescriptor(value):
            found[name] = {"kind": "property"}
            continue
        value = getattr(holder, name)
        found[name] = {"kind": kind_of(value)}
        if kind_of(value) in ("class", "function"):
            found[name]["parameters"] = parameters(value)
    return found


def public(module):
    """What a module announces, or else what it holds; of another module it holds only what is of its own package."""
    announced = getattr(module, "__all__", None)
    held = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    if announced:
        # the calls of an object that the module stands for, as paddle.distributed.fleet's, are announced by it
        names = {*announced, *(name for name, value in held.items() if inspect.ismethod(value)),
                 *UNANNOUNCED.get(module.__name__, ())}
    else:
        names = {name for name, value in held.items() if belongs(value, module)}
    return sorted(name for name in names if hasattr(module, name))


def belongs(value, module):
    """Whether a value of a module without announced names is its own; of values that do not say it, all are."""
    if inspect.ismodule(value):
        return value.__name__.startswith(f"{module.__name__}.")
    return getattr(value, "__module__", module.__name__).startswith(module.__name__)


def main():
    answer = {"version": paddle.__version__, "namespaces": {}}
    for name in NAMESPACES:
        module = paddle
        for part in filter(None, name.split(".")):
            module = getattr(module, part, None) or __import__(f"paddle.{name}", fromlist=["_"])
        answer["namespaces"][name] = described(module, public(module))
    tensor = type(paddle.to_tensor(0.0))
    answer["namespaces"]["Tensor"] = described(tensor, sorted(n for n in dir(tensor) if not n.startswith("_")))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "paddle_names.json")
    with open(path, "w") as file:
        json.dump(answer, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


main()
