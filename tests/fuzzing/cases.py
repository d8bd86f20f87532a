"""One case: a mutant of a good file, read, and run where it is a model that loads."""

from __future__ import annotations

import os
import shutil
from typing import Any

import numpy as np
from proa.core.safe_pickle import UnsafePickleError

from . import mutations

READ, RAN = "loaded", "ran"
#: Errors that say what is wrong with a file, or with what a model does.
TOLD = (UnsafePickleError, ValueError, TypeError, NotImplementedError, RuntimeError, OSError, IndexError, KeyError,
        OverflowError, ZeroDivisionError, FloatingPointError, EOFError)


def sources(corpus: str, kind: str) -> list[str]:
    """The files that mutants of this kind are made of."""
    names = sorted(os.listdir(corpus))
    return [name for name in names if name.endswith(".pdmodel")] if kind == "meaning" else names


def run(corpus: str, scratch: str, kind: str, number: int) -> str:
    """Makes the case of a number and does it; what came of it: `loaded`, `ran`, or the class of an error that tells."""
    draw = np.random.default_rng([number, {"bytes": 1, "meaning": 2}[kind]])
    names = sources(corpus, kind)
    name = names[int(draw.integers(len(names)))]
    with open(os.path.join(corpus, name), "rb") as file:
        content = file.read()
    mutant = mutations.of_bytes(content, draw) if kind == "bytes" else mutations.of_meaning(content, draw)
    stem, suffix = name.split(".", 1)
    target = os.path.join(scratch, name)
    for other in names if kind == "bytes" else os.listdir(corpus):
        if other.split(".", 1)[0] == stem or suffix.startswith("idx") and ".idx" in other:
            shutil.copyfile(os.path.join(corpus, other), os.path.join(scratch, other))
    with open(target, "wb") as file:
        file.write(mutant)
    try:
        return _READERS.get(suffix, _load)(target)
    except MemoryError:
        return "MemoryError"
    except TOLD as error:
        return type(error).__name__


def _load(path: str) -> str:
    import proa as paddle

    paddle.load(path)
    return READ


def _run_model(path: str) -> str:
    """Loads a model, and runs it on inputs of the shapes that it declares, both ways."""
    import proa as paddle

    prefix = path.split(".pd")[0]
    layer = paddle.jit.load(prefix)
    layer.eval()
    inputs = [paddle.to_tensor(_values(spec)) for spec in layer._input_spec()]
    layer(*inputs)
    predictor = paddle.inference.create_predictor(paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    predictor.run([value.numpy() for value in inputs])
    return RAN


def _values(spec: Any) -> np.ndarray:
    shape = [size if 0 <= size <= 1000 else 2 for size in spec.shape][:8]
    draw = np.random.default_rng(0)
    kind = np.dtype(spec.dtype.name if hasattr(spec.dtype, "name") else str(spec.dtype))
    return (draw.standard_normal(shape) * (3 if kind.kind == "f" else 10)).astype(kind)


def _read_idx(path: str) -> str:
    import proa as paddle

    images, labels = (os.path.join(os.path.dirname(path), name) for name in ("images.idx3.gz", "labels.idx1.gz"))
    paddle.vision.datasets.MNIST(image_path=images, label_path=labels, mode="train", download=False)
    return READ


def _read_picture(path: str) -> str:
    import proa as paddle

    paddle.vision.image_load(path, backend="pil").load()
    return READ


_READERS = {"pdmodel": _run_model, "pdiparams": _run_model, "pdiparams.info": _run_model, "idx3.gz": _read_idx,
            "idx1.gz": _read_idx, "png": _read_picture, "jpg": _read_picture}
