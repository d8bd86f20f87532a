"""Every format that is read: good files of it in a folder of their own, and what reads the folder.

A mutant is one of these files, changed. What is a model is run, in one of the ways there are, which the case draws.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shutil
import struct
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import proa as paddle
import proa.fluid as fluid
from proa.static.files.model_files import program_file

from . import corpus

READ, RAN = "loaded", "ran"
FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures")
MEGABYTES, ROUNDS = 512, 10_000
"""What a loaded model may take."""


class Format(NamedTuple):
    """`make(folder)` writes good files; `read(folder, draw)` reads them, and says whether something ran."""

    make: Callable[[str], None]
    read: Callable[[str, np.random.Generator], str]
    is_model: bool = False


# Models

def _saved_layer(name: str) -> Callable[[str], None]:
    def make(folder: str) -> None:
        net, specs = corpus.models()[name]
        net.eval()
        paddle.jit.save(net, os.path.join(folder, "net"), input_spec=specs)

    return make


def _run_layer(folder: str, draw: np.random.Generator) -> str:
    prefix = os.path.join(folder, "net")
    _WAYS[int(draw.integers(len(_WAYS)))](prefix)
    return RAN


def _translated(prefix: str) -> None:
    layer = paddle.jit.load(prefix, memory_limit_mb=MEGABYTES, loop_limit=ROUNDS)
    layer(*_tensors(layer))


def _trained(prefix: str) -> None:
    """One step of training."""
    layer = paddle.jit.load(prefix, memory_limit_mb=MEGABYTES, loop_limit=ROUNDS)
    layer.train()
    results = layer(*_tensors(layer))
    losses = [result.mean() for result in (results if isinstance(results, list) else [results])
              if not result.stop_gradient]
    if losses:
        sum(losses[1:], losses[0]).backward()


def _predicted(prefix: str) -> None:
    config = paddle.inference.Config(program_file(prefix), prefix + ".pdiparams")
    config.set_memory_limit_mb(MEGABYTES)
    config.set_loop_limit(ROUNDS)
    predictor = paddle.inference.create_predictor(config)
    variables = predictor._model.variables
    predictor.run([_values(variables[name].spec) for name in predictor.get_input_names()])


def _executed(prefix: str) -> None:
    exe = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(
            prefix, exe, memory_limit_mb=MEGABYTES, loop_limit=ROUNDS)
        exe.run(program, {name: _values(program.global_block().var(name).spec) for name in feeds}, fetches)


_WAYS = (_translated, _trained, _predicted, _executed)


def _tensors(layer: Any) -> list[Any]:
    return [paddle.to_tensor(_values(spec)) for spec in layer._input_spec()]


def _values(spec: Any) -> np.ndarray:
    """What a model is run on: of the shape that it declares."""
    shape = [size if 0 <= size <= 1000 else 2 for size in spec.shape][:8]
    draw = np.random.default_rng(0)
    kind = np.dtype(spec.dtype.name if hasattr(spec.dtype, "name") else str(spec.dtype))
    if kind.kind in "iub":
        return draw.integers(0, 4, shape).astype(kind)
    return (draw.standard_normal(shape) * 3).astype(kind)


def _saved_fluid(build: Callable[[], tuple[list[str], list[Any]]], params: str | None) -> Callable[[str], None]:
    def make(folder: str) -> None:
        main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup), fluid.unique_name.guard():
            feeds, fetches = build()
            exe.run(startup)
            fluid.io.save_inference_model(folder, feeds, fetches, exe, main, params_filename=params)

    return make


def _run_fluid(params: str | None, lod: bool) -> Callable[[str, np.random.Generator], str]:
    def run(folder: str, draw: np.random.Generator) -> str:
        exe = fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(fluid.Scope()):
            program, feeds, fetches = fluid.io.load_inference_model(
                folder, exe, params_filename=params, memory_limit_mb=MEGABYTES, loop_limit=ROUNDS)
            given = {name: _values(program.global_block().var(name).spec) for name in feeds}
            if lod:
                given = {name: fluid.create_lod_tensor(value, [[1] * (len(value) - 1) + [1]], fluid.CPUPlace())
                         if value.ndim and len(value) else value for name, value in given.items()}
            exe.run(program, given, fetches, return_numpy=not lod)
        return RAN

    return run


def _dense() -> tuple[list[str], list[Any]]:
    x = fluid.data("x", [None, 4])
    hidden = fluid.layers.fc(x, 3, act="relu")
    image = fluid.layers.reshape(hidden, [-1, 1, 3, 1])
    image = fluid.layers.conv2d(image, 2, [2, 1])
    return ["x"], [fluid.layers.softmax(fluid.layers.fc(image, 2))]


def _words() -> tuple[list[str], list[Any]]:
    """Sequences: their places are beside the values."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    rows = fluid.layers.embedding(words, [20, 4])
    states, _ = fluid.layers.dynamic_lstm(fluid.layers.fc(rows, 12), 12, use_peepholes=False)
    conv = fluid.layers.sequence_conv(rows, 3)
    return ["words"], [fluid.layers.sequence_pool(states, "max"), fluid.layers.sequence_softmax(
        fluid.layers.fc(conv, 1)), fluid.layers.sequence_expand(rows, conv)]


def _arrays() -> tuple[list[str], list[Any]]:
    """A loop that fills a list, a branch inside of it."""
    x = fluid.data("x", [2, 4])
    count, end = fluid.layers.fill_constant([1], "int64", 0), fluid.layers.fill_constant([1], "int64", 3)
    total = fluid.layers.fill_constant([2, 4], "float32", 0.0)
    array = fluid.layers.array_write(x, count)
    condition = fluid.layers.less_than(count, end)
    loop = fluid.layers.While(condition)
    with loop.block():
        value = fluid.layers.cond(fluid.layers.reduce_sum(total) > 3.0, lambda: x * 2.0, lambda: x + 1.0)
        fluid.layers.assign(fluid.layers.elementwise_add(total, value), total)
        fluid.layers.increment(count)
        fluid.layers.array_write(total, count, array)
        fluid.layers.less_than(count, end, cond=condition)
    last = fluid.layers.array_read(array, end)
    return ["x"], [total, last, fluid.layers.array_length(array)]


def _quantized(converted: bool) -> Callable[[str], None]:
    """A network that was trained with rounded values; converted, its weights are whole numbers."""
    def make(folder: str) -> None:
        from proa.quantization import QAT, QuantConfig
        from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver

        quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
        method = QAT(QuantConfig(activation=quanter, weight=quanter))
        net = method.quantize(paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.ReLU(), paddle.nn.Flatten(),
                                                   paddle.nn.Linear(8, 3)))
        net(paddle.ones([2, 1, 4, 4]))
        net.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operators that PaddlePaddle does not have
            paddle.jit.save(method.convert(net) if converted else net, os.path.join(folder, "net"),
                            input_spec=[paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")])

    return make


def _of_paddle_3(name: str) -> Callable[[str], None]:
    def make(folder: str) -> None:
        for suffix in (".json", ".pdiparams"):
            shutil.copy(os.path.join(FIXTURES, "static", "pir", name + suffix), os.path.join(folder, "net" + suffix))

    return make


def _older(folder: str) -> None:
    """Operators that have changed since."""
    shutil.copytree(os.path.join(FIXTURES, "static", "older"), folder, dirs_exist_ok=True)


def _run_operator(folder: str, draw: np.random.Generator) -> str:
    _executed(os.path.join(folder, "net"))
    return RAN


def _file(name: str, content: bytes) -> Callable[[str], None]:
    def make(folder: str) -> None:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)

    return make


def operators() -> dict[str, dict[str, Format]]:
    """A Program of one call for each record of tests/ops, as `.pdmodel` and as PaddlePaddle 3 writes it."""
    tests = os.path.dirname(FIXTURES)
    sys.path[:0] = [os.path.join(tests, folder) for folder in ("crossing", "ops")]
    import operator_files

    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, record in operator_files.RECORDS.items():
            content = operator_files.written(record, record.inputs)
            if content is not None:
                found[name.replace("/", " ")] = Format(_file("net.pdmodel", content), _run_operator, True)
    with gzip.open(os.path.join(FIXTURES, "static", "pir", "operators.json.gz"), "rb") as file:
        programs = json.load(file)
    later = {name.replace("/", " "): Format(_file("net.json", json.dumps(program).encode()), _run_operator, True)
             for name, program in programs.items()}
    return {"operator": found, "operator of Paddle 3": later}


# States

def _state() -> dict[str, Any]:
    return {"a": paddle.ones([3, 2]), "b": paddle.arange(5), "half": paddle.ones([2], "float16")}


def _pickled(protocol: int) -> Callable[[str], None]:
    def make(folder: str) -> None:
        content = {"w": np.arange(6.0).reshape(2, 3), "i": np.float32(2), "parts": [1, (2.5, "text", None, True)],
                   "b": np.arange(4, dtype="int64"), "big": 2 ** 70}
        with open(os.path.join(folder, "state.pdparams"), "wb") as file:
            pickle.dump(content, file, protocol)
        if 2 <= protocol <= 4:
            paddle.save(_state(), os.path.join(folder, "tensors.pdparams"), protocol)
            paddle.save({"epoch": 3, "parts": [paddle.ones([2]), (1, 2.5, "text", None)], "c": {"d": True}},
                        os.path.join(folder, "nested.pdparams"), protocol)

    return make


def _load_all(folder: str, draw: np.random.Generator) -> str:
    for name in sorted(os.listdir(folder)):
        paddle.load(os.path.join(folder, name))
    return READ


def _read_streams(folder: str, draw: np.random.Generator) -> str:
    from proa.static.format.tensor_stream import read_stream

    for name in sorted(os.listdir(folder)):
        read_stream(os.path.join(folder, name))
    return READ


def _copied(*paths: str) -> Callable[[str], None]:
    def make(folder: str) -> None:
        for path in paths:
            shutil.copy(os.path.join(FIXTURES, *path.split("/")), folder)

    return make


def _save_program(folder: str) -> None:
    main, startup, exe = paddle.static.Program(), paddle.static.Program(), paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, startup):
        loss = paddle.mean(paddle.static.nn.fc(paddle.static.data("x", [None, 3]), 2))
        paddle.optimizer.Adam(0.1).minimize(loss)
        exe.run(startup)
        paddle.static.save(main, os.path.join(folder, "net"))


def _load_program(folder: str, draw: np.random.Generator) -> str:
    prefix = os.path.join(folder, "net")
    paddle.static.load_program_state(prefix)
    with open(prefix + ".pdmodel", "rb") as file:
        paddle.static.deserialize_program(file.read())
    return READ


def _save_safetensors(folder: str) -> None:
    paddle.interchange.save_safetensors(_state(), os.path.join(folder, "state.safetensors"))


def _load_safetensors(folder: str, draw: np.random.Generator) -> str:
    paddle.interchange.load_safetensors(os.path.join(folder, "state.safetensors"))
    return READ


# Folders

def _save_distributed(folder: str) -> None:
    paddle.distributed.save_state_dict(_state(), folder)


def _load_distributed(folder: str, draw: np.random.Generator) -> str:
    paddle.distributed.load_state_dict({name: value * 0 for name, value in _state().items()}, folder)
    return READ


def _snapshot(later: bool) -> Callable[[str], None]:
    def make(folder: str) -> None:
        from proa.oneflow.snapshot.writing import write_snapshot

        values = {"weight": np.arange(6, dtype="float32").reshape(2, 3), "b": np.array([7], "int64")}
        os.rmdir(folder)
        write_snapshot(folder, list(values), values.__getitem__, "save", later)

    return make


def _load_snapshot(folder: str, draw: np.random.Generator) -> str:
    from proa.oneflow.snapshot import reading

    wanted = {"weight": ((2, 3), paddle.float32), "b": ((1,), paddle.int64)}
    for value in reading.match(folder, wanted, "load")[0].values():
        value.numpy()
    for name in reading.list_variables(folder):
        value = reading.StoredValue(os.path.join(folder, name))
        if value.has_meta_info:
            value.numpy()
    return READ


def _save_servers(folder: str) -> None:
    from proa.distributed.ps import part_files

    os.makedirs(os.path.join(folder, "1"))
    part_files.write(os.path.join(folder, "1", "part-0-of-1"), lambda writer: {
        "round": 1, "mode": "sync", "trainers": [], "tables": {},
        "variables": {"w": {"parameter": "w", "begin": 0, **writer.array([np.ones([4, 3], "float32")])}}})


def _load_servers(folder: str, draw: np.random.Generator) -> str:
    from proa.distributed.ps import Checkpoints, Server

    Server("127.0.0.1:0", 1, "sync", {"w": np.zeros([4, 3], "float32")}, checkpoints=Checkpoints(folder)).restore()
    return READ


def _keep(folder: str) -> None:
    from proa.backend.loops import cache

    with paddle.core.flags.flags_guard({"FLAGS_kernel_cache_dir": folder}):
        for kind in (cache.MACHINE_CODE, cache.PLAN, cache.PYTHON_CODE):
            cache.write("aa", pickle.dumps([1, "code", b"x" * 50]), kind)


def _kept(folder: str, draw: np.random.Generator) -> str:
    """What is kept is either what was written or nothing: it is run."""
    from proa.backend.loops import cache

    with paddle.core.flags.flags_guard({"FLAGS_kernel_cache_dir": folder}):
        for kind in (cache.MACHINE_CODE, cache.PLAN, cache.PYTHON_CODE):
            found = cache.read("aa", kind)
            if found is not None and found != pickle.dumps([1, "code", b"x" * 50]):
                raise AssertionError("changed code is taken")
    return READ


# Data

def _idx(folder: str) -> None:
    """Pictures and labels as MNIST has them."""
    pixels = np.random.default_rng(0).integers(0, 256, (4, 28, 28)).astype(np.uint8)
    with open(os.path.join(folder, "images.idx3.gz"), "wb") as file:
        file.write(gzip.compress(struct.pack(">IIII", 2051, 4, 28, 28) + pixels.tobytes(), mtime=0))
    with open(os.path.join(folder, "labels.idx1.gz"), "wb") as file:
        file.write(gzip.compress(struct.pack(">II", 2049, 4) + bytes([1, 2, 3, 4]), mtime=0))


def _plain_idx(folder: str) -> None:
    """The same without compression: what is changed arrives at the reader."""
    _idx(folder)
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            content = gzip.decompress(file.read())
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def _read_idx(folder: str, draw: np.random.Generator) -> str:
    images, labels = (os.path.join(folder, name) for name in ("images.idx3.gz", "labels.idx1.gz"))
    paddle.vision.datasets.MNIST(image_path=images, label_path=labels, mode="train", download=False)
    return READ


def _read_plain_idx(folder: str, draw: np.random.Generator) -> str:
    """The bytes are compressed again, as the reader takes them."""
    for name in ("images.idx3.gz", "labels.idx1.gz"):
        with open(os.path.join(folder, name), "rb") as file:
            content = gzip.compress(file.read(), 1, mtime=0)
        with open(os.path.join(folder, "again-" + name), "wb") as file:
            file.write(content)
    images, labels = (os.path.join(folder, "again-" + name) for name in ("images.idx3.gz", "labels.idx1.gz"))
    paddle.vision.datasets.MNIST(image_path=images, label_path=labels, mode="train", download=False)
    return READ


def _picture(suffix: str, kind: str) -> Callable[[str], None]:
    def make(folder: str) -> None:
        from PIL import Image

        pixels = np.random.default_rng(0).integers(0, 256, (8, 6, 3)).astype(np.uint8)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, kind)
        with open(os.path.join(folder, f"picture.{suffix}"), "wb") as file:
            file.write(buffer.getvalue())

    return make


def _read_picture(folder: str, draw: np.random.Generator) -> str:
    path = os.path.join(folder, os.listdir(folder)[0])
    paddle.vision.image_load(path, backend="pil").load()
    return READ


def _decode_picture(folder: str, draw: np.random.Generator) -> str:
    path = os.path.join(folder, os.listdir(folder)[0])
    paddle.vision.ops.decode_jpeg(paddle.vision.ops.read_file(path))
    return READ


def _save_wave(folder: str) -> None:
    samples = paddle.to_tensor(np.linspace(-1, 1, 200, dtype="float32").reshape(2, 100))
    paddle.audio.save(os.path.join(folder, "sound.wav"), samples, 8000)


def _load_wave(folder: str, draw: np.random.Generator) -> str:
    path = os.path.join(folder, "sound.wav")
    paddle.audio.info(path)
    paddle.audio.load(path)
    return READ


def _save_lines(folder: str) -> None:
    with open(os.path.join(folder, "lines.txt"), "w", encoding="ascii") as file:
        file.writelines(f"2 {n} {n + 1} 1 {n} 2 0.5 {n}e-1\n" for n in range(6))


def _read_lines(folder: str, draw: np.random.Generator) -> str:
    from proa.io.multi_slot.text import Slot, batches, parser

    slots = [Slot("words", "int64", False, (-1, 1)), Slot("label", "int64", True, (-1, 1)),
             Slot("x", "float32", True, (-1, 2))]
    parse, path = parser(slots), os.path.join(folder, "lines.txt")
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        list(batches((parse(line, path, row) for row, line in enumerate(file, 1)), slots, 4))
    return READ


def _save_records(folder: str) -> None:
    from proa.oneflow.core.record.record_pb2 import OFRecord

    with open(os.path.join(folder, "part-0"), "wb") as file:
        for number in range(4):
            record = OFRecord()
            record.feature["x"].float_list.value.extend([number, 0.5])
            record.feature["label"].int32_list.value.append(number)
            content = record.SerializeToString()
            file.write(struct.pack("<q", len(content)) + content)


def _read_records(folder: str, draw: np.random.Generator) -> str:
    from proa.oneflow.data.records import read_records

    for record in read_records(os.path.join(folder, "part-0")):
        record.feature("x")
    return READ


def _save_cifar(folder: str) -> None:
    import tarfile

    with tarfile.open(os.path.join(folder, "cifar.tar"), "w") as archive:
        for name in ("data_batch_1", "test_batch"):
            content = pickle.dumps({b"data": np.zeros([2, 3072], "uint8"), b"labels": [1, 2]}, 2)
            entry = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def _read_cifar(folder: str, draw: np.random.Generator) -> str:
    """The archive is compressed here, so that what is changed arrives at the reader."""
    with open(os.path.join(folder, "cifar.tar"), "rb") as file:
        content = gzip.compress(file.read(), 1, mtime=0)
    with open(os.path.join(folder, "again-cifar.tar.gz"), "wb") as file:
        file.write(content)
    paddle.vision.datasets.Cifar10(os.path.join(folder, "again-cifar.tar.gz"), mode="train", download=False)
    return READ


FAMILIES: dict[str, dict[str, Format]] = {
    "model": {name: Format(_saved_layer(name), _run_layer, True) for name in (
        "lenet", "transposed", "normalized", "attention", "recurrent", "loop", "indices", "shapes", "boxes",
        "sorting")} | {name: Format(_quantized(name == "converted"), _run_layer, True) for name in (
            "rounded", "converted")},
    "Paddle 3": {name: Format(_of_paddle_3(name), _run_layer, True) for name in (
        "boxes", "flow", "images", "language", "linear", "others", "recurrent", "transformer")},
    "fluid": {"separate": Format(_saved_fluid(_dense, None), _run_fluid(None, False), True),
              "combined": Format(_saved_fluid(_dense, "params"), _run_fluid("params", False), True),
              "words": Format(_saved_fluid(_words, None), _run_fluid(None, True), True),
              "arrays": Format(_saved_fluid(_arrays, None), _run_fluid(None, False), True),
              "older": Format(_older, _run_fluid(None, False), True)},
    "pickle": {f"protocol{n}": Format(_pickled(n), _load_all) for n in (2, 3, 4, 5)},
    "tensor stream": {"streams": Format(_copied(*(f"files/{name}.stream" for name in (
        "bfloat16", "bool", "empty", "lod", "scalar"))), _read_streams),
        "LoD tensor": Format(_copied("files/lod_tensor.pdparams"), _load_all)},
    "static": {"state": Format(_save_program, _load_program)},
    "safetensors": {"state": Format(_save_safetensors, _load_safetensors)},
    "PyTorch": {name: Format(_copied(f"pytorch/{name}.pt"), _load_all) for name in ("values", "parts", "older")},
    "distributed": {"state": Format(_save_distributed, _load_distributed)},
    "snapshot": {"first": Format(_snapshot(False), _load_snapshot), "later": Format(_snapshot(True), _load_snapshot)},
    "servers": {"part": Format(_save_servers, _load_servers)},
    "kept": {"code": Format(_keep, _kept)},
    "idx": {"compressed": Format(_idx, _read_idx), "plain": Format(_plain_idx, _read_plain_idx)},
    "picture": {"png": Format(_picture("png", "PNG"), _read_picture), "jpg": Format(_picture("jpg", "JPEG"),
                _read_picture), "bmp": Format(_picture("bmp", "BMP"), _read_picture),
                "decoded": Format(_picture("jpg", "JPEG"), _decode_picture)},
    "wave": {"sound": Format(_save_wave, _load_wave)},
    "MultiSlot": {"lines": Format(_save_lines, _read_lines)},
    "records": {"part": Format(_save_records, _read_records)},
    "cifar": {"archive": Format(_save_cifar, _read_cifar)},
}
