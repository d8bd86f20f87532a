"""`auto_cast` and `decorate`: the public face of the trace that casts, and models in 16 bits with master weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from ..core.dtype import bfloat16, convert_dtype, float32
from ..core.place import parse_place
from ..nn import Layer
from ..nn.layers.batch_norm import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, SyncBatchNorm
from ..nn.layers.norm import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D, LayerNorm
from ..ops.amp.autocast import LEVELS, Precision, autocast, precision
from ..ops.core.trace import current_trace
from ..optimizer import Optimizer
from .amp_lists import types_of

_DTYPES = ("float16", "bfloat16")
_BATCH_NORMS = (BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, SyncBatchNorm)
_FLOAT16_NORMS = (LayerNorm, InstanceNorm1D, InstanceNorm2D, InstanceNorm3D)


def auto_cast(enable: bool = True, custom_white_list: Iterable[str] | None = None,
              custom_black_list: Iterable[str] | None = None, level: str = "O1", dtype: str = "float16",
              use_promote: bool = True) -> AbstractContextManager[None]:
    """Within the block operators compute in 16 bits where that is worth it and safe, and in float32 elsewhere.

    - `level` "O1": operators of the white list (products, convolutions) compute in `dtype`, those of the black list
      (sums, exponentials, losses) in float32, others in the wider dtype of their inputs. "O2", for models that
      `decorate` has cast: as O1, with a short black list; `use_promote=False` takes all that is not on it to `dtype`.
      "OD": the white list in `dtype`, all others in float32. "O0": no change.
    - `custom_white_list`, `custom_black_list`: operators that change sides, by their types as files have them
      ("elementwise_add"), or as Paddle's functions are called ("add").
    - `dtype`: "float16" or "bfloat16" (which needs the package ml_dtypes).

    float64 and integers stay what they are. It works on Tensors, within converted functions and around them, and where
    a Program is built. On a CPU 16-bit operators compute in float32 and round their results: this saves no time there,
    and shows what a model loses. Raises ValueError for an unknown level or dtype, or for overlapping lists.
    `paddle.amp.auto_cast`.

    >>> import proa as paddle
    >>> x = paddle.ones([2, 2])
    >>> with paddle.amp.auto_cast():
    ...     product = paddle.matmul(x, x)
    ...     total = product.sum()
    >>> product.dtype, total.dtype
    (paddle.float16, paddle.float32)
    """
    level, dtype = str(level).upper(), getattr(dtype, "name", dtype).lower()
    if level not in LEVELS:
        raise ValueError(f"auto_cast(level): must be one of {', '.join(LEVELS)}. Received {level!r}.")
    if not enable or level == "O0":
        return autocast(None)
    if dtype not in _DTYPES:
        raise ValueError(f"auto_cast(dtype): must be 'float16' or 'bfloat16'. Received {dtype!r}.")
    white, black = types_of(frozenset(custom_white_list or ())), types_of(frozenset(custom_black_list or ()))
    if white & black:
        raise ValueError(f"auto_cast(custom_white_list, custom_black_list): {sorted(white & black)} stand on both.")
    return autocast(precision(dtype, level, white, black, bool(use_promote)))


amp_guard = auto_cast


def amp_state() -> Precision | None:
    """How operators compute here: what is true within `auto_cast`, None outside.

    >>> import proa as paddle
    >>> from proa.amp.auto_cast import amp_state
    >>> with paddle.amp.auto_cast():
    ...     amp_state() is None
    False
    """
    return current_trace().precision


def is_float16_supported(device: Any = None) -> bool:
    """Whether float16 can be computed with at a place: always, on a CPU by way of float32.

    >>> import proa as paddle
    >>> isinstance(paddle.amp.is_float16_supported(), bool)
    True
    """
    _check_device(device)
    return True


def is_bfloat16_supported(device: Any = None) -> bool:
    """Whether bfloat16 can be computed with at a place: on a CPU, by way of float32, where ml_dtypes is installed.

    >>> import proa as paddle
    >>> isinstance(paddle.amp.is_bfloat16_supported(), bool)
    True
    """
    if _check_device(device) != "cpu":
        return False
    try:
        bfloat16.dtype  # noqa: B018 - asks for ml_dtypes
    except ImportError:
        return False
    return True


def _check_device(device: Any) -> str:
    from ..device import get_device

    place = parse_place(get_device() if device is None else device)
    return "cpu" if "CPU" in type(place).__name__ else "gpu"


def decorate(models: Any, optimizers: Any = None, level: str = "O1", dtype: str = "float16",
             master_weight: bool | None = None, save_dtype: str | None = None, master_grad: bool = False,
             excluded_layers: Any = None) -> Any:
    """Models and optimizers made ready for `auto_cast` at a level: at O2 parameters are cast to 16 bits.

    - `models`, `optimizers`: one or a list; given back in the same form, the objects themselves.
    - Batch norms keep float32; with float16 so do layer norms and instance norms, and `excluded_layers` (layers, or
      types of layers) always.
    - `master_weight`: optimizers update float32 copies of 16-bit parameters, and round these; None means yes.
    - `save_dtype`: `state_dict()` gives parameters in this dtype.
    - `master_grad`: gradients of 16-bit parameters become float32 before they are clipped and used.

    Raises ValueError for an unknown level or dtype, TypeError for what is no Layer or Optimizer. `paddle.amp.decorate`.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 2)
    >>> adam = paddle.optimizer.Adam(parameters=layer.parameters())
    >>> layer, adam = paddle.amp.decorate(layer, adam, level="O2")
    >>> layer.weight.dtype
    paddle.float16
    """
    if level not in ("O1", "O2"):
        raise ValueError(f"decorate(level): must be 'O1' or 'O2'. Received {level!r}.")
    if dtype not in _DTYPES:
        raise ValueError(f"decorate(dtype): must be 'float16' or 'bfloat16'. Received {dtype!r}.")
    given = models if optimizers is None else (models, optimizers)
    layers = _all_of(Layer, models, "models")
    updaters = [] if optimizers is None else _all_of(Optimizer, optimizers, "optimizers")
    if level == "O1":
        return given
    _cast_parameters(layers, dtype, excluded_layers)
    for optimizer in updaters:
        optimizer._multi_precision = master_weight is not False
    if master_grad and updaters:
        for layer in layers:
            _give_master_gradients(layer)
    if save_dtype is not None:
        for layer in layers:
            _save_in(layer, save_dtype)
    return given


amp_decorate = decorate


def _all_of(kind: type, value: Any, what: str) -> list[Any]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    for item in values:
        if not isinstance(item, kind):
            raise TypeError(f"decorate({what}): must be a {kind.__name__} or a list of these. "
                            f"Received {type(item).__name__}.")
    return values


def _cast_parameters(models: list[Layer], dtype: str, excluded: Any) -> None:
    excluded = list(excluded) if isinstance(excluded, (list, tuple)) else [] if excluded is None else [excluded]
    types = tuple(item for item in excluded if isinstance(item, type))
    kept = {id(layer) for item in excluded if isinstance(item, Layer) for layer in item.sublayers(include_self=True)}
    if any(not isinstance(item, (Layer, type)) for item in excluded):
        raise TypeError("decorate(excluded_layers): must be a Layer, a type of layers, or a list of these.")
    types += _BATCH_NORMS + (_FLOAT16_NORMS if dtype == "float16" else ())
    wanted = convert_dtype(dtype)
    for model in models:
        for layer in model.sublayers(include_self=True):
            if isinstance(layer, types) or id(layer) in kept:
                continue
            for value in [*layer.parameters(include_sublayers=False), *layer.buffers(include_sublayers=False)]:
                if value.dtype is float32:
                    value._replace(value._array.astype(wanted.dtype))


def _give_master_gradients(layer: Layer) -> None:
    for parameter in layer.parameters():
        if parameter.dtype.itemsize == 2:
            parameter.register_hook(lambda gradient: gradient.astype("float32"))


def _save_in(layer: Layer, dtype: str) -> None:
    wanted = convert_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"decorate(save_dtype): must be a floating dtype. Received {dtype!r}.")

    def cast_all(state: dict[str, Any]) -> dict[str, Any]:
        for key, value in state.items():
            if value.dtype.is_floating and value.dtype is not wanted:
                cast = value.detach().astype(wanted)
                cast.name = value.name
                state[key] = cast
        return state

    hook: Callable[[dict[str, Any]], Any] = cast_all
    layer.register_state_dict_hook(hook)
