"""`paddle.save` and `paddle.load`: state dicts, Tensors, nested objects and Programs as single files.

Older code reaches them, and classes beside them, by this path.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend import as_place
from ..core import nest
from ..core.byte_reader import source_name
from ..core.dtype import bfloat16
from ..core.files import MissingFileError, atomic_write
from ..core.place import expected_place
from ..core.safe_pickle import NotPlainError, dump_state, join_big_parameters, load_state, split_big_parameters
from ..dygraph.parameter import EagerParamBase
from ..dygraph.tensor import Tensor, new_tensor
from ..interchange.pytorch import is_pytorch_file, load_pytorch
from ..interchange.safetensors import SUFFIX, load_safetensors, save_safetensors
from ..jit.files.plain_state import NAME_TABLE, array_of, is_state_dict, plain_state
from ..jit.translated_layer import method_files
from ..nn import Layer
from ..static.files.inference_model import program_bytes, program_of, read_parameters, read_program
from ..static.files.model_files import (
    INFO_SUFFIX,
    JSON_SUFFIX,
    MODEL_SUFFIX,
    OLDER_MODEL,
    folder_state,
    older_files,
    program_file,
)
from ..static.format.params_info import read_params_info
from ..static.ir.program import Program
from ..static.ir.variable import Variable

__all__ = ["EagerParamBase", "Program", "Variable", "load", "save"]


def save(obj: Any, path: Any, protocol: int = 4, **configs: Any) -> None:
    """Writes an object: a state dict, a Tensor, lists, tuples and dicts of these, numbers and text, or a Program.

    `path`: a file's path (folders on the way are made) or a binary file; a path that ends in `.safetensors` makes such
    a file of a dict of tensors. `protocol`: 2, 3 or 4. PaddlePaddle reads the file. It is written whole or not at all.
    With objects of other classes in it the file is a pickle that code has to be run for: it is written with a warning,
    since `load` refuses it. Raises ValueError for a Layer, also in a list or dict, and TypeError for what cannot be
    pickled, saying what to save instead.

    >>> import tempfile, proa as paddle
    >>> path = tempfile.mkdtemp() + "/linear.pdparams"
    >>> layer = paddle.nn.Linear(2, 3)
    >>> paddle.save(layer.state_dict(), path)
    >>> sorted(paddle.load(path))
    ['bias', 'weight']
    """
    protocol = _protocol(protocol, configs)
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "write"):
        raise ValueError(f"save(path): a file's path, or a file that is open for writing bytes. Received {path!r}.")
    if isinstance(path, (str, os.PathLike)) and not os.path.basename(os.fspath(path)):
        raise ValueError(f"save(path): a path ends in a file's name, FOLDER/FILE. Received {path!r}.")
    if isinstance(obj, Program):
        _write_bytes(program_bytes(obj), path)
        return
    if isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith(SUFFIX):
        save_safetensors(obj, path)
        return
    if any(isinstance(leaf, Layer) for leaf in nest.leaves(obj)):
        raise ValueError("save(obj): a Layer is saved by its state: paddle.save(layer.state_dict(), path), or with its "
                         "computation by paddle.jit.save(layer, path).")
    plain = plain_state(obj)
    file = path if isinstance(path, (str, os.PathLike)) else io.BytesIO()
    try:
        dump_state(plain, file, protocol)
    except NotPlainError as error:
        data = _pickled(plain, protocol, error)
        warnings.warn(f"{error} It was pickled nevertheless: paddle.load refuses the file, and Python's pickle.load "
                      "reads it, running what it asks for.", stacklevel=2)
        _write_bytes(data, path)
        return
    if isinstance(file, io.BytesIO):
        path.write(file.getbuffer())


def _protocol(protocol: Any, configs: dict[str, Any]) -> int:
    """The pickle protocol that is asked for; errors for options that are none."""
    unknown = sorted(set(configs) - {"pickle_protocol", "use_binary_format"})
    if unknown:
        raise ValueError(f"save: unknown options {unknown}.")
    protocol = configs.get("pickle_protocol", protocol)
    if protocol not in (2, 3, 4) or not isinstance(protocol, int):
        raise ValueError(f"save(protocol): must be 2, 3 or 4. Received {protocol!r}.")
    if not isinstance(configs.get("use_binary_format", False), bool):
        raise TypeError(f"save(use_binary_format): must be a bool. Received {configs['use_binary_format']!r}.")
    return protocol


def _pickled(plain: Any, protocol: int, cause: NotPlainError) -> bytes:
    """A pickle of anything; Tensors within objects are tuples of name and array, as in all of Paddle's files."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, protocol)
    pickler.dispatch_table = {**copyreg.dispatch_table, **dict.fromkeys(
        (Tensor, EagerParamBase), lambda value: (tuple, ((value.name, array_of(value)),)))}
    try:
        pickler.dump(plain)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"{cause} Nor can it be pickled: {error}.") from error
    return file.getvalue()


def _write_bytes(data: bytes, path: Any) -> None:
    if hasattr(path, "write"):
        path.write(data)
        return
    with atomic_write(path) as file:
        file.write(data)


def load(path: Any, **configs: Any) -> Any:
    """Reads what `save` wrote, here or in PaddlePaddle 2.x; no code in the file is run.

    `path`: a file, also one that is open for reading bytes, or the prefix of what `jit.save` or
    `static.save_inference_model` wrote, of which the parameters are read as a dict of arrays; or a folder of Paddle
    1.x's, with a file for each value or with a model (`model_filename=`, `params_filename=`); or a file of safetensors
    (`.safetensors`) or of PyTorch (`.pt`, `.pth`), whose values `paddle.interchange.from_pytorch` fits to a Layer.
    `return_numpy=True` gives arrays where otherwise Tensors would be. `keep_name_table=True` keeps the table of
    parameters' names. Raises FileNotFoundError, CorruptFileError and UnsafePickleError, naming the file.

    >>> import proa as paddle
    >>> import tempfile
    >>> file = tempfile.mkdtemp() + "/values.pdparams"
    >>> paddle.save({"w": paddle.ones([2]), "step": 3}, file)
    >>> found = paddle.load(file)
    >>> found["w"].tolist(), found["step"]
    ([1.0, 1.0], 3)
    """
    unknown = sorted(set(configs) - {"return_numpy", "keep_name_table", "model_filename", "params_filename"})
    if unknown:
        raise ValueError(f"load: unknown options {unknown}.")
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "read"):
        raise TypeError("load(path): must be a path, or a file that is open for reading. "
                        f"Received {type(path).__name__}.")
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path) and not os.path.isfile(f"{path}{MODEL_SUFFIX}"):
        return _values_in_folder(os.fspath(path), configs.get("model_filename"), configs.get("params_filename"))
    if isinstance(path, (str, os.PathLike)) and not os.path.isfile(path):
        return _parameters_of_model(os.fspath(path))
    if isinstance(path, (str, os.PathLike)) and _holds_program(path):
        return read_program(os.fspath(path))
    if not isinstance(path, (str, os.PathLike)) and _stands_at_program(path):
        return program_of(path.read(), source_name(path))
    return _restored(_plain_value(path), bool(configs.get("return_numpy")), bool(configs.get("keep_name_table")))


def _plain_value(path: Any) -> Any:
    """The containers and arrays of a file: Paddle's own, one of safetensors, or one of PyTorch's."""
    if not isinstance(path, (str, os.PathLike)):
        return load_state(path)
    if os.fspath(path).endswith(SUFFIX):
        return load_safetensors(path)
    with open(path, "rb") as file:
        start = file.read(16)
    return load_pytorch(path) if is_pytorch_file(start) else load_state(path)


def _holds_program(path: Any) -> bool:
    """True for a file that begins as a model (with field 1 of a ProgramDesc), or is named as one and is no pickle.

    One of safetensors begins with the length of what follows: with any byte.
    """
    if os.fspath(path).endswith(SUFFIX):
        return False
    with open(path, "rb") as file:
        first = file.read(1)
    return first == b"\n" or os.fspath(path).endswith((MODEL_SUFFIX, JSON_SUFFIX)) and first != b"\x80"


def _stands_at_program(file: Any) -> bool:
    """True where an open file goes on as a model."""
    if not (hasattr(file, "seekable") and file.seekable()):
        return False
    place = file.tell()
    first = file.read(1)
    file.seek(place)
    return bool(first == b"\n")


def _tensor_there() -> Callable[[np.ndarray], Tensor]:
    """What makes a Tensor of an array, on the place in use."""
    place = expected_place()
    return lambda array: new_tensor(as_place(array, place))


def _restored(value: Any, return_numpy: bool, keep_table: bool) -> Any:
    make: Callable[[np.ndarray], Any] = (lambda a: a) if return_numpy else _tensor_there()
    if isinstance(value, dict) and NAME_TABLE in value:
        table = value.pop(NAME_TABLE)
        restored = {k: _leaf(v, make, table[k]) if k in table and isinstance(v, np.ndarray) else v
                    for k, v in value.items()}
        return {**restored, NAME_TABLE: table} if keep_table else restored
    return _rebuilt(value, make, arrays=not _holds_named_array(value))


def _is_named_array(value: Any) -> bool:
    """True for a tuple of name and array, which is how a file holds a Tensor beside other things."""
    return (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
            and isinstance(value[1], np.ndarray))


def _holds_named_array(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return _is_named_array(value) or isinstance(value, (list, tuple)) and any(map(_holds_named_array, value))


def _leaf(array: np.ndarray, make: Callable[..., Any], name: str | None) -> Any:
    """One array; uint16 is how files hold bfloat16."""
    value = make(array.view(bfloat16.dtype) if array.dtype == np.uint16 else array)
    if name is not None and isinstance(value, Tensor):
        value.name = name
    return value


def _rebuilt(value: Any, make: Callable[..., Any], arrays: bool) -> Any:
    """Nested containers with Tensors again; `arrays`: bare arrays were Tensors too, as where no Tensor has a name."""
    if isinstance(value, np.ndarray):
        return _leaf(value, make, None) if arrays else value
    if _is_named_array(value):
        return _leaf(value[1], make, value[0])
    if isinstance(value, dict):
        return type(value)((k, _rebuilt(v, make, arrays)) for k, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_rebuilt(v, make, arrays) for v in value)
    return value


def _values_in_folder(folder: str, model: str | None, params: str | None) -> dict[str, np.ndarray]:
    """The values that Paddle 1.x has written into a folder, by name: those of its model, else each file's."""
    if not os.path.isfile(os.path.join(folder, model or OLDER_MODEL)):
        return folder_state(folder, None)
    program, values = older_files(folder, model, params)
    return read_parameters(values, read_program(program))


def _parameters_of_model(prefix: str) -> dict[str, np.ndarray]:
    """The parameters of a saved model as arrays, by their names in the Layer where these are known."""
    if not os.path.isfile(program_file(prefix)):
        raise MissingFileError(
            f"There is neither a file {prefix!r} nor a model {prefix + MODEL_SUFFIX!r}."
        )
    info = read_params_info(prefix + INFO_SUFFIX) if os.path.exists(prefix + INFO_SUFFIX) else {}
    values: dict[str, np.ndarray] = {}
    for model, params in method_files(prefix).values():
        for name, array in read_parameters(params, read_program(model)).items():
            values[info.get(name, {}).get("structured_name", name)] = array
    return values


# The steps of `save` and `load` by the names under which packages take single ones, to write into streams of their own.
_is_state_dict = is_state_dict
_build_saved_state_dict = plain_state
_pack_loaded_dict = join_big_parameters


def _unpack_saved_dict(saved_obj: Any, protocol: int) -> Any:
    """The same dict with arrays of more than 1 GiB in parts, which pickles below protocol 4 need."""
    return split_big_parameters(saved_obj) if protocol < 4 else saved_obj


def _pickle_save(obj: Any, f: Any, protocol: int) -> None:
    """Pickles an object into an open file, each Tensor in it as a tuple of name and array.

    >>> import io, pickle, proa as paddle
    >>> file = io.BytesIO()
    >>> _pickle_save({"w": [paddle.to_tensor([1.0, 2.0], stop_gradient=True)]}, file, 4)
    >>> pickle.loads(file.getvalue())["w"][0][1].tolist()
    [1.0, 2.0]
    """
    save(obj, f, protocol)


def _ndarray_to_tensor(obj: np.ndarray, return_numpy: bool) -> Any:
    """An array of a file as a Tensor, or as it is."""
    return obj if return_numpy else _leaf(obj, _tensor_there(), None)


def _parse_load_result(obj: Any, return_numpy: bool) -> Any:
    """What `pickle.load` gives of a file, with Tensors where `save` found them."""
    return _restored(obj, return_numpy, keep_table=True)
