"""What third_party_models.py lets each Python do: `make` and `read` under Paddle, `check` under proa."""

import bz2  # noqa: F401  (Paddle 2.6.2 fails when these are loaded after it)
import gzip  # noqa: F401
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import lzma  # noqa: F401
import random
import sys
import time
import traceback
import zlib  # noqa: F401
from pathlib import Path
from unittest import mock

import numpy as np

KEYS = ("call", "args", "inputs", "evaluation")  # of a model's description; the others are arguments


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that are not there and that nothing needs."""

    def __init__(self, names):
        self.names = set(names)

    def find_spec(self, fullname, path, target=None):
        known = fullname.partition(".")[0] in self.names or fullname in self.names
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec):
        module = mock.MagicMock(name=spec.name)
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module):
        pass


def build(described):
    """What a description of a call, a list or a plain value stands for."""
    if isinstance(described, list):
        return [build(one) for one in described]
    if not isinstance(described, dict) or "call" not in described:
        return {key: build(one) for key, one in described.items()} if isinstance(described, dict) else described
    module, _, name = described["call"].partition(":")
    arguments = {key: build(one) for key, one in described.items() if key not in KEYS}
    return getattr(importlib.import_module(module), name)(*build(described.get("args", [])), **arguments)


def draw(described, generator):
    """An array for a described input: a shape of floats, {"shape", "below"} of int64, {"value", "dtype"}; or a dict."""
    if isinstance(described, list):
        return generator.standard_normal(described).astype("float32")
    if "below" in described:
        return generator.integers(0, described["below"], described["shape"])
    if "value" in described:
        return np.array(described["value"], described.get("dtype", "float32"))
    return {key: draw(one, generator) for key, one in described.items()}


def tensors(arrays):
    """The same arrays as Tensors."""
    return {k: tensors(a) for k, a in arrays.items()} if isinstance(arrays, dict) else paddle.to_tensor(arrays)


def specs(arrays):
    """InputSpecs of the arrays, with their own shapes."""
    if isinstance(arrays, dict):
        return {key: specs(array) for key, array in arrays.items()}
    return paddle.static.InputSpec(list(arrays.shape), str(arrays.dtype))


def flat(found):
    """The Tensors of a result, in order."""
    if isinstance(found, dict):
        return [one for key in sorted(found) for one in flat(found[key])]
    if isinstance(found, (list, tuple)):
        return [one for held in found for one in flat(held)]
    return [found] if isinstance(found, paddle.Tensor) else []


def values(found):
    """Arrays of a result's Tensors."""
    return [one.numpy() for one in flat(found)]


def seed():
    """Puts every generator at its beginning."""
    paddle.seed(1)
    np.random.seed(1)
    random.seed(1)


def shake(layer, generator):
    """Gives values to what constructors fill with a constant, so that nothing hides behind a 0 or a 1."""
    for name, value in layer.state_dict().items():
        array = value.numpy()
        if array.dtype == np.float32 and array.size > 1 and np.ptp(array) == 0:
            noise = generator.standard_normal(array.shape) * 0.05
            value.set_value((array + (np.abs(noise) if "_variance" in name else noise)).astype("float32"))


def gradients(layer, call, arrays, training=True):
    """The norms of all parameters' and inputs' gradients of a fixed mix of the outputs, without dropout."""
    layer.train() if training else layer.eval()
    for part in layer.sublayers(include_self=True):
        if "drop" in type(part).__name__.lower():
            part.eval()
    seed()
    generator, loss, given = np.random.default_rng(2), 0.0, [tensors(one) for one in arrays]
    inputs = [one for one in flat(given) if "float" in str(one.dtype)]
    for one in inputs:
        one.stop_gradient = False
    for one in flat(call(*given)):
        if "float" in str(one.dtype) and not one.stop_gradient:
            loss = loss + (one * paddle.to_tensor(generator.standard_normal(one.shape).astype("float32"))).mean()
    if isinstance(loss, float):
        return {}  # no result has a gradient
    loss.backward()
    norms = {name: 0.0 if one.grad is None else float(np.linalg.norm(one.grad.numpy()))
             for name, one in [*layer.named_parameters(), *((f"input {n}", one) for n, one in enumerate(inputs))]}
    layer.clear_gradients()
    layer.eval()
    return norms


def difference(found, expected):
    """The largest difference of arrays, relative to the largest number of each."""
    shapes = [np.shape(one) for one in found], [np.shape(one) for one in expected]
    assert shapes[0] == shapes[1], f"shapes {shapes[0]}, expected {shapes[1]}"
    return max([float(np.abs(np.float64(f) - np.float64(e)).max() / max(1e-6, np.abs(np.float64(e)).max()))
                for f, e in zip(found, expected, strict=True) if np.size(e)], default=0.0)


def attempt(answer, key, step, *arguments):
    """Keeps what a step gives, or what its error says."""
    try:
        result = step(*arguments)
        if result is not None:
            answer[key] = result
    except Exception:
        answer[key] = traceback.format_exc(limit=-12)


class Case:
    """One model in its folder."""

    def __init__(self, name, described, folder):
        self.name, self.described, self.folder = name, described, folder / name.replace("/", "-")
        self.folder.mkdir(exist_ok=True)
        self.training = not described.get("evaluation", False)  # the mode for gradients

    def layer(self):
        seed()
        with paddle.utils.unique_name.guard():
            return build(self.described)

    def load(self):
        held = np.load(self.folder / "made.npz", allow_pickle=True)
        self.arrays, self.outputs = list(held["inputs"]), list(held["outputs"])
        self.norms = held["norms"].item()

    def make(self, answer):
        """Under Paddle: builds, evaluates, takes gradients, saves."""
        layer, generator = self.layer(), np.random.default_rng(0)
        shake(layer, generator)
        layer.eval()
        arrays = [draw(one, generator) for one in self.described["inputs"]]
        paddle.save(layer.state_dict(), str(self.folder / "made.pdparams"))
        seed()
        outputs, kept = values(layer(*map(tensors, arrays))), {}
        attempt(kept, "norms", gradients, layer, layer, arrays, self.training)
        norms = kept["norms"]
        if isinstance(norms, str):
            answer["grad"], norms = norms, None
        np.savez(self.folder / "made.npz", inputs=boxed(arrays), outputs=boxed(outputs), norms=norms)
        layer.set_state_dict(paddle.load(str(self.folder / "made.pdparams")))
        attempt(answer, "saved", self.save, layer, arrays, "theirs")

    def save(self, layer, arrays, name):
        layer.eval()
        function = paddle.jit.to_static(layer, input_spec=[specs(one) for one in arrays], full_graph=True)
        paddle.jit.save(function, str(self.folder / name))

    def fresh(self):
        layer = self.layer()
        lacking, unknown = layer.set_state_dict(paddle.load(str(self.folder / "made.pdparams")))
        assert not lacking and not unknown, f"state: {lacking} {unknown}"
        layer.eval()
        return layer

    def evaluated(self, call):
        seed()
        with paddle.no_grad():
            return difference(values(call(*map(tensors, self.arrays))), self.outputs)

    def slopes(self, layer, call, expected=None):
        expected = expected or self.norms
        if not expected:
            return None
        found, size = gradients(layer, call, self.arrays, self.training), max(1e-6, *expected.values())
        return max(abs(found[name] - norm) / max(norm, 1e-3 * size) for name, norm in expected.items())

    def noise(self):
        """How far gradients go when the inputs' last bits change."""
        norms = gradients(layer := self.fresh(), layer, [changed(one) for one in self.arrays], self.training)
        return self.slopes(layer := self.fresh(), layer, norms)

    def loaded(self, name):
        layer = paddle.jit.load(str(self.folder / name))
        return self.evaluated(lambda *given: layer(*flat(given)))  # a loaded layer takes what dicts held one by one

    def check(self, answer):
        """Under proa: every way to run the model, against what Paddle computed."""
        self.load()
        attempt(answer, "eager", lambda: self.evaluated(self.fresh()))
        attempt(answer, "grad", lambda: self.slopes(layer := self.fresh(), layer))
        if isinstance(answer.get("grad"), float) and answer["grad"] > 1e-3:
            attempt(answer, "noise", self.noise)
        static = paddle.jit.to_static(self.fresh(), full_graph=True)
        attempt(answer, "static", self.evaluated, static)
        attempt(answer, "static_grad", lambda: self.slopes(static, static))
        attempt(answer, "saved", lambda: self.save(self.fresh(), self.arrays, "ours") or self.loaded("ours"))
        if (self.folder / "theirs.pdmodel").exists():
            attempt(answer, "theirs", self.loaded, "theirs")

    def read(self, answer):
        """Under Paddle: what proa saved."""
        self.load()
        attempt(answer, "ours", self.loaded, "ours")


def changed(arrays):
    """The arrays with a change in the last bits of floats."""
    if isinstance(arrays, dict):
        return {key: changed(array) for key, array in arrays.items()}
    noise = 1 + 2e-7 * np.random.default_rng(3).standard_normal(arrays.shape)
    return (arrays * noise).astype(arrays.dtype) if arrays.dtype == np.float32 else arrays


def boxed(arrays):
    """An array of objects."""
    box = np.empty(len(arrays), dtype=object)
    box[:] = arrays
    return box


def main(phase, file, packages, folder, *names):
    """Answers a line of JSON a model."""
    described, folder = json.loads(Path(file).read_text()), Path(folder)
    sys.path[0:1] = [str(Path(packages) / part) for part in described["paths"]]
    sys.meta_path.append(Absent(described["absent"]))
    build(described["setup"])
    for name in names:
        answer, start = {"name": name}, time.time()
        attempt(answer, "error", getattr(Case(name, described["models"][name], folder), phase), answer)
        answer["seconds"] = round(time.time() - start, 1)
        with (folder / f"{phase}.jsonl").open("a") as kept:
            kept.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "check":
        import proa

        proa.compat.install("paddle")
    import paddle

    main(*sys.argv[1:])
