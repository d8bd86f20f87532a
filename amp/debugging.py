"""What mixed precision does to numbers: which operators ran in which dtype, and where a NaN or infinity comes from."""

from __future__ import annotations

import contextlib
import functools
import os
import random
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from .. import backend
from ..core import nest
from ..core.dtype import DType, bfloat16, float16, float32, from_numpy_dtype, int64
from ..core.errors import NotFiniteError
from ..core.lazy import listed
from ..core.random import default_generator, seed
from ..ops.amp.counting import latest, print_counts
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value
from ..ops.core.operator import Operator
from ..ops.core.spec import Spec
from ..ops.core.trace import Trace, apply, state
from ..ops.core.trace_around import TraceAround
from ..ops.program.py_func import py_func_op, register
from .amp_lists import types_of

_W = TypeVar("_W", bound="Watching")


class Watching(TraceAround):
    """Does what `inner` does, and tells `seen` of it."""

    def apply(self, op: Operator, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Applies the operator and looks at the results."""
        results = self.inner.apply(op, inputs, attrs)
        self.seen(op, results)
        return results

    def seen(self, op: Operator, results: Any) -> None:
        """What an operator gave."""
        raise NotImplementedError


def start_watching(make: Callable[[Trace], Watching]) -> None:
    """Puts a trace around the one that does the work, beneath one that casts."""
    state.trace = state.trace.watched(make)


def stop_watching(kind: type[_W]) -> _W | None:
    """Takes the outermost trace of this kind away and gives it; None where there is none."""
    found = state.trace.find(kind)
    if found is not None:
        state.trace = state.trace.without(found)
    return found


__all__ = [
    "DebugMode", "TensorCheckerConfig", "check_layer_numerics", "check_numerics", "collect_operator_stats",
    "compare_accuracy", "disable_operator_stats_collection", "disable_tensor_checker",
    "enable_operator_stats_collection", "enable_tensor_checker",
]
__dir__ = listed(__name__)


class DebugMode(Enum):
    """What a check does: stop at a NaN or infinity, print it, print what float16 cannot hold, or print all.

    >>> import proa as paddle
    >>> [mode.name for mode in paddle.amp.debugging.DebugMode][:2]
    ['CHECK_NAN_INF_AND_ABORT', 'CHECK_NAN_INF']
    """

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


# How operators ran


class _Counting(Watching):
    """Counts the operators applied by the dtype of their first floating result."""

    def __init__(self, inner: Trace):
        super().__init__(inner)
        self.counts: dict[str, list[int]] = {}

    def seen(self, op: Operator, results: Any) -> None:
        """Counts one."""
        dtypes = [r.dtype for r in nest.leaves(results) if is_value(r)]
        kinds = [_COLUMNS.index(d) for d in dtypes if d in _COLUMNS]
        self.counts.setdefault(op.type, [0, 0, 0, 0])[kinds[0] if kinds else 3] += 1


_COLUMNS = (float16, bfloat16, float32)


def enable_operator_stats_collection() -> None:
    """From now on operators that this thread applies are counted, by type and dtype.

    >>> import proa as paddle
    >>> x = paddle.ones([2, 2])
    >>> paddle.amp.debugging.enable_operator_stats_collection()
    >>> with paddle.amp.auto_cast():
    ...     y = (x @ x).exp()
    >>> paddle.amp.debugging.disable_operator_stats_collection()
    <...
    <...Op Name...FP16 Calls...BF16 Calls...FP32 Calls...Other Calls...
      cast ...|  2 ...|  0 ...|  1 ...|  0...
      exp ...|  0 ...|  0 ...|  1 ...|  0...
      matmul_v2 ...|  1 ...|  0 ...|  0 ...|  0...
    <...op count: 3...
    """
    start_watching(_Counting)


def disable_operator_stats_collection() -> None:
    """Ends the counting, and prints the table: a line for each type of operator, a column for each dtype.

    >>> import proa as paddle
    >>> paddle.amp.debugging.enable_operator_stats_collection()
    >>> y = paddle.to_tensor([1.0]).exp()
    >>> paddle.amp.debugging.disable_operator_stats_collection()
    <...
    <...Op Name...FP16 Calls...BF16 Calls...FP32 Calls...Other Calls...
      exp ...|  0 ...|  0 ...|  1 ...|  0...
    <...op count: 1...
    """
    counting = stop_watching(_Counting)
    if counting is not None:
        latest.clear()
        latest.update(counting.counts)
        print_counts(counting.counts)


@contextlib.contextmanager
def collect_operator_stats() -> Iterator[None]:
    """Prints, after the block, how often each operator ran in it in float16, bfloat16, float32 and other dtypes.

    >>> import proa as paddle
    >>> x = paddle.ones([2, 2])
    >>> with paddle.amp.debugging.collect_operator_stats(), paddle.amp.auto_cast():
    ...     y = (x @ x).exp()
    <...
    <...Op Name...FP16 Calls...BF16 Calls...FP32 Calls...Other Calls...
      cast ...|  2 ...|  0 ...|  1 ...|  0...
      exp ...|  0 ...|  0 ...|  1 ...|  0...
      matmul_v2 ...|  1 ...|  0 ...|  0 ...|  0...
    <...op count: 3...
    """
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


# NaNs and infinities


def check_numerics(tensor: Any, op_type: str, var_name: str,
                   debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT) -> tuple[Any, Any]:
    """The numbers of NaNs, infinities and zeros (int64 [3]), and maximum, minimum and mean (float32 [3]) of a Tensor.

    A NaN or infinity is printed, and with CHECK_NAN_INF_AND_ABORT raises FloatingPointError. CHECK_ALL prints always,
    CHECK_ALL_FOR_OVERFLOW where a value is beyond float16. A Program does so at each run; its files cannot hold it.

    >>> import proa as paddle
    >>> counts, values = paddle.amp.debugging.check_numerics(paddle.to_tensor([1.0, 0.0, 2.0]), "pow", "x")
    >>> counts.tolist(), values.tolist()
    ([0, 0, 1], [2.0, 0.0, 1.0])
    """
    if not state.trace.computes:
        return _checked_by_runs(tensor, op_type, var_name, debug_mode)
    counts, values = _check(tensor, op_type, var_name, debug_mode)
    return to_tensor(np.array(counts, "int64")), to_tensor(np.array(values, "float32"))


def _checked_by_runs(tensor: Any, op_type: str, var_name: str, debug_mode: DebugMode) -> tuple[Any, Any]:
    def check(array: np.ndarray) -> list[np.ndarray]:
        wide = array.astype("float32") if array.dtype.itemsize == 2 else array
        counts, values = _told(wide, "cpu", from_numpy_dtype(array.dtype), op_type, var_name, debug_mode)
        return [np.array(counts, "int64"), np.array(values, "float32")]

    number = register(check, [Spec((3,), int64), Spec((3,), float32)])
    counts, values = apply(py_func_op, [tensor], forward_callable_id=number)
    counts.stop_gradient = values.stop_gradient = True
    return counts, values


def _check(tensor: Any, op_type: str, var_name: str, debug_mode: DebugMode,
           folder: str | None = None) -> tuple[list[int], list[float]]:
    array = tensor.astype("float32").numpy() if tensor.dtype.itemsize == 2 else tensor.numpy()
    return _told(array, "cpu" if "cpu" in str(tensor.place) else "gpu", tensor.dtype, op_type, var_name, debug_mode,
                 folder)


_SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
_LARGEST_FLOAT16 = 65504.0


def _range_and_mean(array: np.ndarray) -> list[float]:
    """The largest and the smallest of what is not NaN, and the mean of all."""
    if not array.size:
        return [0.0] * 3
    return [float(np.fmax.reduce(array, None)), float(np.fmin.reduce(array, None)), float(array.mean())]


def _told(array: np.ndarray, device: str, dtype: DType, op_type: str, var_name: str,
          debug_mode: DebugMode, folder: str | None = None) -> tuple[list[int], list[float]]:
    """Says what is in an array as `debug_mode` asks: its counts, and its maximum, minimum and mean.

    It is printed, or written behind what a file of `folder` has.
    """
    with np.errstate(all="ignore"):
        counts = [int(np.isnan(array).sum()), int(np.isinf(array).sum()), int((array == 0).sum())]
        values = _range_and_mean(array)
    line = (f"[device={device}, op={op_type}, tensor={var_name}, "
            f"dtype={_SHORT.get(dtype.name, dtype.name)}], numel={array.size}, num_nan={counts[0]}, "
            f"num_inf={counts[1]}, num_zero={counts[2]}, max={values[0]:e}, min={values[1]:e}, mean={values[2]:e}")
    bad = counts[0] + counts[1] > 0
    beyond = debug_mode is DebugMode.CHECK_ALL_FOR_OVERFLOW and max(map(abs, values[:2])) > _LARGEST_FLOAT16
    if bad or beyond or debug_mode is DebugMode.CHECK_ALL:
        _say(f"[PRECISION] {'[ERROR] ' if bad else ''}in {line}", folder, device)
    if bad and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        raise NotFiniteError(f"There are NaNs or infinities in {line}.")
    return counts, values


def _say(line: str, folder: str | None, device: str) -> None:
    if folder is None:
        print(line)
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"worker_{device}"), "a", encoding="utf-8") as file:
        file.write(line + "\n")


class TensorCheckerConfig:
    """What `enable_tensor_checker` checks: `debug_mode`, and the operators that it looks at or passes over, by type
    ("elementwise_div") or as Paddle's functions are called ("divide").

    `debug_step=(first, end)` checks only these steps; every `enable_tensor_checker` begins one. `stack_height_limit`
    is accepted; an error's own traceback tells where it was. With `output_dir` the lines are not printed but written
    to files of that folder, `worker_cpu` and `worker_gpu`, behind what they have; CHECK_NAN_INF_AND_ABORT raises all
    the same.

    So that runs can be compared, Python's, NumPy's and this library's generators begin anew with `seed`: the one that
    was given to `paddle.seed`, or 123.

    >>> import proa as paddle
    >>> debugging = paddle.amp.debugging
    >>> config = debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_ALL, skipped_op_list=["dropout"])
    >>> config.looks_at("exp"), config.looks_at("dropout")
    (True, False)
    """

    def __init__(self, enable: bool, debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
                 output_dir: str | None = None, checked_op_list: Sequence[str] | None = None,
                 skipped_op_list: Sequence[str] | None = None, debug_step: Sequence[int] | None = None,
                 stack_height_limit: int = 1):
        if debug_step is not None and (not isinstance(debug_step, (list, tuple)) or len(debug_step) != 2
                                       or not debug_step[0] < debug_step[1]):
            raise ValueError(f"TensorCheckerConfig(debug_step): must be (first, end). Received {debug_step!r}.")
        self.output_dir = None if output_dir is None else os.fspath(output_dir)
        self.enable, self.debug_mode, self.stack_height_limit = bool(enable), debug_mode, stack_height_limit
        self.checked_op_list = types_of(frozenset(checked_op_list or ()))
        self.skipped_op_list = types_of(frozenset(skipped_op_list or ()))
        self.debug_step = None if debug_step is None else tuple(debug_step)
        self.current_step_id = -1
        self.initial_seed = default_generator().initial_seed()
        self.seed = self.initial_seed if 0 <= self.initial_seed < 2 ** 32 else 123
        random.seed(self.seed)
        np.random.seed(self.seed)
        seed(self.seed)

    def begin_step(self) -> bool:
        """Counts a step; whether it is to be checked."""
        self.current_step_id += 1
        first, end = self.debug_step or (0, self.current_step_id + 1)
        return self.enable and first <= self.current_step_id < end

    def looks_at(self, type: str) -> bool:
        """Whether results of this operator are checked."""
        return type not in self.skipped_op_list and (not self.checked_op_list or type in self.checked_op_list)


class _Checking(Watching):
    """Checks the floating results of operators as a config says."""

    def __init__(self, inner: Trace, config: TensorCheckerConfig):
        super().__init__(inner)
        self.config = config

    def seen(self, op: Operator, results: Any) -> None:
        """Checks the results of one."""
        if not self.computes or not self.config.looks_at(op.type):
            return
        for result in nest.leaves(results):
            if is_value(result) and result.dtype.is_floating:
                _check(result, op.type, result.name, self.config.debug_mode, self.config.output_dir)


def _checked_arrays(config: TensorCheckerConfig, type: str, results: Any) -> None:
    """Checks the floating arrays that an operator of a Program, or a gradient, gives."""
    if not config.looks_at(type):
        return
    for array in nest.leaves(results):
        if getattr(getattr(array, "dtype", None), "kind", "") == "f":
            host = backend.to_numpy(array)
            dtype = from_numpy_dtype(host.dtype)
            device = "cpu" if backend.namespace_of([array]) is np else "gpu"
            _told(host.astype("float32") if host.dtype.itemsize == 2 else host, device, dtype, type, "",
                  config.debug_mode, config.output_dir)


def enable_tensor_checker(checker_config: TensorCheckerConfig) -> None:
    """From now on what this thread's operators give is checked, gradients (`sqrt_grad`) and Programs too.

    Call it at the start of each step.

    >>> import proa as paddle
    >>> debugging = paddle.amp.debugging
    >>> debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_NAN_INF))
    >>> y = paddle.to_tensor([1.0, float("inf")]).abs()
    [PRECISION] [ERROR] in [device=cpu, op=abs, ..., dtype=fp32], numel=2, num_nan=0, num_inf=1, num_zero=0, ...
    >>> debugging.disable_tensor_checker()
    """
    stop_watching(_Checking)
    state.check = None
    if checker_config.begin_step():
        start_watching(functools.partial(_Checking, config=checker_config))
        state.check = functools.partial(_checked_arrays, checker_config)


def disable_tensor_checker() -> None:
    """Ends the checking.

    >>> import proa as paddle
    >>> debugging = paddle.amp.debugging
    >>> debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True))
    >>> debugging.disable_tensor_checker()
    >>> paddle.to_tensor([float("inf")]).abs().tolist()  # nobody looks
    [inf]
    """
    stop_watching(_Checking)
    state.check = None


def check_layer_numerics(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of `forward`: FloatingPointError where an input or result holds a NaN or infinity.

    >>> import proa as paddle
    >>> class Doubled(paddle.nn.Layer):
    ...     @paddle.amp.debugging.check_layer_numerics
    ...     def forward(self, x):
    ...         return x * 2
    >>> Doubled()(paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    @functools.wraps(func)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        _check_all(self, "input", (args, kwargs))
        result = func(self, *args, **kwargs)
        _check_all(self, "output", result)
        return result

    return checked


def _check_all(layer: Any, what: str, values: Any) -> None:
    if state.trace.computes:
        for n, value in enumerate(v for v in nest.leaves(values) if is_value(v) and v.dtype.is_floating):
            check_numerics(value, type(layer).__name__, f"{what}{n}")


def compare_accuracy(dump_path: str, another_dump_path: str, output_filename: str, loss_scale: float = 1,
                     dump_all_tensors: bool = False) -> None:
    """Raises NotImplementedError: two folders of TensorCheckerConfig's `output_dir` are compared line by line.

    >>> import proa as paddle
    >>> paddle.amp.debugging.compare_accuracy("one", "another", "result.xlsx")
    Traceback (most recent call last):
        ...
    NotImplementedError: compare_accuracy: comparing dumps of two runs is not supported. Run each with...
    """
    raise NotImplementedError(
        "compare_accuracy: comparing dumps of two runs is not supported. Run each with enable_tensor_checker, "
        "DebugMode.CHECK_ALL and an output_dir of its own, and compare the files there line by line."
    )
