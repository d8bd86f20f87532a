"""`paddle.onnx.export`: a model as an ONNX file, by the converter paddle2onnx (extra `onnx`).

The converter ends the process in which it meets an operator that it has nothing for. It works in a process of its own,
on the files that `jit.save` writes, and what it says becomes an error here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

from ..core import child_processes
from ..core.files import MissingFileError, atomic_write
from ..core.lazy import listed
from ..jit.files.save_load import load as load_model
from ..jit.files.save_load import save as save_model
from ..ops.program.print_assert import assert_op
from ..static.files.inference_model import program_bytes, program_desc, program_of, save_inference_model
from ..static.files.model_files import JSON_SUFFIX, MODEL_SUFFIX, PARAMS_SUFFIX, QUANTIZED_WEIGHTS, program_file
from ..static.format.program_file import serialize_program_desc
from ..static.ir.frame import feed_names, fetch_names
from ..static.ir.program import Program
from ..static.run.executor import Executor
from .onnx_control_flow import prepare_blocks
from .onnx_crashes import crashes_at
from .onnx_graph import finished
from .onnx_layout import may_have_channels_last, put_channels_first
from .onnx_misread import READ_WITH_CARE, check, divide_layers
from .onnx_operators import REWRITTEN, least_version, rewrite
from .onnx_padding import may_pad_the_same, settle_padding

__all__ = ["export"]
__dir__ = listed(__name__)

_PACKAGE = __name__.partition(".")[0]
_CONVERT = "import json, sys, paddle2onnx; paddle2onnx.export(**json.loads(sys.argv[1]))"
_SECONDS = 1800
_TOO_NEW_PYTHON = (3, 13)  # as the marker of the extra "onnx" in pyproject.toml
_BACKENDS = ("onnxruntime", "rknn", "tensorrt", "other")  # that quantized models are written for
_CONVERTER_OPTIONS = ("auto_upgrade_opset", "enable_onnx_checker", "deploy_backend", "export_fp16_model")
_SAVE_OPTIONS = ("output_spec",)
_CHECK = assert_op.type
_UNDEFINED = re.compile(r"Input (\S+) is undefined")
_TOO_NEW = re.compile(r"Due to the operator: (\w+), requires opset_version >= (\d+)")
_REFUSED = re.compile(r"\[ERROR\]\[Paddle2ONNX\] \[(\w+): (\S+)\] (.+)")
_UNSUPPORTED = re.compile(r"operators not supported yet, including (.*)")


def export(layer: Any, path: str, input_spec: Sequence[Any] | None = None, opset_version: int = 9,
           **configs: Any) -> None:
    """Writes `PATH.onnx`: a model for ONNX Runtime and other engines.

    `layer`: a Layer or function, of which `jit.save` would make a model with this `input_spec`; a Program, with
    `feed_vars=` and `fetch_vars=` unless it was loaded; or the path of a model, `FILE.pdmodel` or its prefix.
    `opset_version`: the least version of ONNX's operators; control flow takes 11 or 13 instead, `roi_align` 16.
    `output_spec=` as `jit.save` has it; `auto_upgrade_opset=`, `enable_onnx_checker=`, `deploy_backend=` and
    `export_fp16_model=` as `paddle2onnx.export`. The file is written whole or not at all. Raises NotImplementedError,
    naming the operators that the converter does not know, RuntimeError with what it said otherwise, and ImportError
    without paddle2onnx.

        net = paddle.nn.Linear(2, 3)
        paddle.onnx.export(net, "linear", input_spec=[paddle.static.InputSpec([None, 2])])

    >>> import proa as paddle
    >>> from proa.static import InputSpec
    >>> import importlib.util, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "linear")
    >>> if importlib.util.find_spec("paddle2onnx"):  # the extra "onnx"
    ...     paddle.onnx.export(paddle.nn.Linear(2, 3), path, input_spec=[InputSpec([None, 2])], opset_version=13)
    """
    path = os.fspath(path)
    if not os.path.basename(path):
        raise ValueError(f"onnx.export(path): a path ends in the file's name, FOLDER/NAME. Received {path!r}.")
    if isinstance(opset_version, bool) or not isinstance(opset_version, int) or opset_version < 7:
        raise ValueError(f"onnx.export(opset_version): must be a number of 7 or more. Received {opset_version!r}.")
    unknown = sorted(set(configs) - {*_CONVERTER_OPTIONS, *_SAVE_OPTIONS, "feed_vars", "fetch_vars"})
    if unknown:
        raise ValueError(f"onnx.export: unknown options {unknown}.")
    backend = configs.get("deploy_backend", _BACKENDS[0])
    if backend not in _BACKENDS:
        raise ValueError(f"onnx.export(deploy_backend): must be one of {list(_BACKENDS)}. Received {backend!r}.")
    if importlib.util.find_spec("paddle2onnx") is None:
        raise ImportError(f"onnx.export needs the converter paddle2onnx{_way_to_converter(sys.version_info[:2])}")
    options = {key: value for key, value in configs.items() if key in _CONVERTER_OPTIONS}
    with tempfile.TemporaryDirectory(prefix="onnx-export-") as folder:
        model, params = _model_files(layer, os.path.join(folder, "model"), input_spec, configs)
        model = _without_checks(model, os.path.join(folder, "unchecked.pdmodel"))
        model, least = _as_read(model, os.path.join(folder, "rewritten.pdmodel"))
        converted = _converted(model, params, os.path.join(folder, "model.onnx"), max(opset_version, least), options)
    with atomic_write(path if path.endswith(".onnx") else path + ".onnx") as file:
        file.write(converted)


def _way_to_converter(version: tuple[int, int]) -> str:
    """How somebody with a Python of this version comes by the converter, which the extra "onnx" names up to 3.12."""
    install = f"pip install '{_PACKAGE}[onnx]'"
    if version < _TOO_NEW_PYTHON:
        return f": {install}."
    return (f", which is used up to Python 3.12, and this is {version[0]}.{version[1]}. Write the model with jit.save, "
            f"and convert the files with a Python 3.12: {install}, then `{_PACKAGE} convert PREFIX --to onnx`.")


def _model_files(layer: Any, prefix: str, input_spec: Any, configs: dict[str, Any]) -> tuple[str, str]:
    """The files of a model, written to `prefix` unless the model is files."""
    if isinstance(layer, (str, os.PathLike)):
        given = os.fspath(layer).removesuffix(MODEL_SUFFIX).removesuffix(JSON_SUFFIX)
        if not os.path.isfile(program_file(given)):
            raise MissingFileError(f"onnx.export(layer): there is no model {program_file(given)!r}.")
        with open(program_file(given), "rb") as file:
            content = file.read()
        if program_file(given).endswith(JSON_SUFFIX) or QUANTIZED_WEIGHTS in content:
            save_model(load_model(given), prefix)  # as .pdmodel, and with weights that are floats
        else:
            program_desc(content, program_file(given))  # says what is wrong, which the converter does not
            prefix = given
    elif isinstance(layer, Program):
        _save_program(layer, prefix, configs)
    else:
        save_model(layer, prefix, input_spec, **{k: v for k, v in configs.items() if k in _SAVE_OPTIONS})
    params = prefix + PARAMS_SUFFIX
    return prefix + MODEL_SUFFIX, params if os.path.exists(params) else ""


def _without_checks(model: str, target: str) -> str:
    """A model without operators that check values, which ONNX lacks: the file itself, or `target`, after a warning."""
    with open(model, "rb") as file:
        desc = program_desc(file.read(), model, is_written=True)
    checks = [(block, op) for block in desc.blocks for op in block.ops if op.type == _CHECK]
    if not checks:
        return model
    for block, op in checks:
        block.ops.remove(op)
    said = sorted({attr.s for _, op in checks for attr in op.attrs if attr.name == "message" and attr.s})
    warnings.warn(f"onnx.export: ONNX has no checks of values, and the file goes on where the model raises: {said}",
                  stacklevel=3)
    with open(target, "wb") as file:
        file.write(serialize_program_desc(desc))
    return target


def _as_read(model: str, target: str) -> tuple[str, int]:
    """A model in a form that the converter does not misread, the file itself or `target`, and the version it needs."""
    with open(model, "rb") as file:
        data = file.read()
    blocks = program_desc(data, model).blocks
    known = {op.type for op in blocks[0].ops}
    if len(blocks) == 1 and not known & (READ_WITH_CARE | REWRITTEN) and not (
            may_have_channels_last(data) or may_pad_the_same(data)):
        return model, 0
    program = program_of(data, model)
    check(program)
    changes = put_channels_first, settle_padding, divide_layers, rewrite, prepare_blocks
    if any([change(program) for change in changes]):
        with open(target, "wb") as file:
            file.write(program_bytes(program))
        model = target
    return model, least_version(program)


def _save_program(program: Program, prefix: str, configs: dict[str, Any]) -> None:
    block = program.global_block()
    feeds = configs.get("feed_vars") or [block.var(name) for name in feed_names(program)]
    fetches = configs.get("fetch_vars") or [block.var(name) for name in fetch_names(program)]
    if not fetches:
        raise ValueError("onnx.export(layer): of a Program that was not loaded, say what goes in and what comes out: "
                         "onnx.export(program, path, feed_vars=[x], fetch_vars=[y]).")
    save_inference_model(prefix, feeds, fetches, Executor(), program=program)


def _converted(model: str, params: str, target: str, opset: int, options: dict[str, Any]) -> bytes:
    """The bytes of the ONNX file, from a process in which `import paddle` gives this package."""
    run = _run({"model_filename": model, "params_filename": params, "save_file": target, "opset_version": opset,
                "verbose": True, **options})
    unsupported = _UNSUPPORTED.search(run.stdout)
    if unsupported:
        names = ", ".join(filter(None, (name.strip() for name in unsupported[1].split(","))))
        raise NotImplementedError(f"onnx.export: the converter paddle2onnx has nothing for the operators {names}. "
                                  "Write what they compute with other operators, or keep them out of what is exported.")
    undefined = _UNDEFINED.search(run.stdout)
    if undefined:
        raise NotImplementedError(f"onnx.export: the converter paddle2onnx left out {_maker(model, undefined[1])}: it "
                                  "has nothing for it with these attributes. Write what it computes with others.")
    needed = max(_TOO_NEW.findall(run.stdout), key=lambda pair: int(pair[1]), default=None)
    if run.returncode and needed and "Due to opset version" in run.stdout:
        raise NotImplementedError(f"onnx.export: the operator {needed[0]} needs version {needed[1]} of ONNX's "
                                  "operators, which the converter paddle2onnx does not write. Keep it out of what is "
                                  "exported.")
    refused = _REFUSED.search(run.stdout)
    if run.returncode and refused:
        raise NotImplementedError(f"onnx.export: the converter paddle2onnx does not write the operator {refused[1]} as "
                                  f"it is here, where it makes {refused[2]!r}. It says: {refused[3].strip()} Write "
                                  "what it computes with others, or keep it out of what is exported.")
    if run.returncode < 0 and (place := _crash(model, params, opset, options, run.returncode)) is not None:
        raise NotImplementedError(f"onnx.export: the converter paddle2onnx ends without a word (signal "
                                  f"{-run.returncode}) at {place}. Write what it computes with others, or keep it out "
                                  "of what is exported.")
    if run.returncode or not os.path.isfile(target) or not os.path.getsize(target):
        raise RuntimeError(f"onnx.export: the converter paddle2onnx ended with {run.returncode} and wrote nothing. It "
                           f"said:\n{run.stdout[-2000:].strip()}")
    with open(target, "rb") as file:
        return finished(file.read(), lambda name: _maker(model, name))


def _run(call: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """The converter's end, in a process of its own, and what it said."""
    environment = child_processes.environment()
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [*_module_folders(), environment.get("PYTHONPATH")]))
    return subprocess.run([sys.executable, "-m", _PACKAGE, "run", "-c", _CONVERT, json.dumps(call)], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=_SECONDS, check=False)


def _crash(model: str, params: str, opset: int, options: dict[str, Any], code: int) -> str | None:
    """Where the converter ends with this code, for people; None where that is at no operator."""
    with tempfile.TemporaryDirectory(prefix="onnx-export-") as folder:
        part = os.path.join(folder, "part.pdmodel")

        def ends(data: bytes) -> bool:
            with open(part, "wb") as file:
                file.write(data)
            return _run({"model_filename": part, "params_filename": params, "save_file": part + ".onnx",
                         "opset_version": opset, **options}).returncode == code

        return crashes_at(model, ends)


def _maker(model: str, name: str) -> str:
    """The operator that makes a value, for people."""
    with open(model, "rb") as file:
        blocks = program_desc(file.read(), model).blocks
    types = [op.type for block in blocks for op in block.ops for slot in op.outputs if name in slot.arguments]
    return f"the operator {types[0]}, which makes {name!r}" if types else f"what makes {name!r}"


def _module_folders() -> list[str]:
    """Where this process finds this package and the converter, for a child that may look elsewhere."""
    specs = (importlib.util.find_spec(name) for name in (_PACKAGE, "paddle2onnx"))
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))
                              for spec in specs if spec is not None and spec.origin))
