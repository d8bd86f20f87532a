"""Readers that stand in a Program: `py_reader`, `create_py_reader_by_data`, `read_file`, `double_buffer`.

What fills them runs in a background thread (`io/dataloader/feeding/epochs.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from ...core.dtype import convert_dtype
from ...core.unique_name import generate
from ...io.dataloader.feeding.epochs import EpochReader
from ...io.dataloader.feeding.generators import fed_by_samples, require_reader
from ...io.dataloader.feeding.program_readers import append_double_buffer, append_read, append_reader
from ...static.building.mode import default_main_program, default_startup_program
from ...static.ir.lod import fed_offsets
from ...static.ir.program import Program
from ...static.ir.variable import Variable

Reader = Callable[[], Iterable[Any]]


class PyReaderVariable(Variable):
    """A variable of a Program that stands for a reader; it is filled by a function of Python's.

    `start()` begins an epoch, `reset()` ends it; `Executor.run` raises `fluid.core.EOFException` behind its last batch.

    >>> import numpy as np, proa.fluid as fluid
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup):
    ...     reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 2], [-1, 1]], dtypes=["float32", "int64"])
    ...     x, label = fluid.layers.read_file(reader)
    >>> reader.decorate_paddle_reader(fluid.io.batch(lambda: (([n, n], n) for n in range(4)), 2))
    >>> exe = fluid.Executor(fluid.CPUPlace()); reader.start()
    >>> [exe.run(main, fetch_list=[label])[0].tolist() for _ in range(2)]
    [[[0], [1]], [[2], [3]]]
    >>> reader.reset()
    """

    source: EpochReader

    def start(self) -> None:
        """Begins an epoch: a background thread reads ahead."""
        self.source.start()

    def reset(self) -> None:
        """Ends the epoch, wherever it is, and its thread."""
        self.source.reset()

    def decorate_paddle_reader(self, reader: Reader) -> None:
        """Takes lists of samples, tuples with a field a variable, from `reader()`: each list is a batch."""
        reader = require_reader("decorate_paddle_reader(reader)", reader)
        self.source.reader = fed_by_samples(self.source.variables, reader)

    def decorate_tensor_provider(self, func: Reader) -> None:
        """Takes batches, lists of arrays or LoD tensors, from `func()`."""
        self.source.reader = require_reader("decorate_tensor_provider(func)", func)

    decorate_sample_list_generator = decorate_paddle_reader
    decorate_batch_generator = decorate_tensor_provider


def py_reader(capacity: int, shapes: Sequence[Sequence[int]], dtypes: Sequence[Any],
              lod_levels: Sequence[int] | None = None, name: str | None = None,
              use_double_buffer: bool = True) -> PyReaderVariable:
    """A reader of values of these shapes, dtypes and LoD levels; `read_file` gives the variables that it fills.

    `capacity`: how many batches are read ahead. Raises ValueError for lists that are not equally long.
    """
    levels = [0] * len(shapes) if lod_levels is None else list(lod_levels)
    if not len(shapes) == len(dtypes) == len(levels):
        raise ValueError(f"py_reader(shapes, dtypes, lod_levels): one of each for every value. Received {len(shapes)} "
                         f"shapes, {len(dtypes)} dtypes and {len(levels)} lod_levels.")
    block = Program().global_block()
    values = [block.new_var(str(number), shape, convert_dtype(dtype), lod_level=level)
              for number, (shape, dtype, level) in enumerate(zip(shapes, dtypes, levels, strict=True))]
    return _reader(capacity, values, name, use_double_buffer)


def create_py_reader_by_data(capacity: int, feed_list: Sequence[Variable], name: str | None = None,
                             use_double_buffer: bool = True) -> PyReaderVariable:
    """A reader of values like these Variables; `read_file` gives the variables that it fills."""
    if not isinstance(feed_list, (list, tuple)) or not all(isinstance(v, Variable) for v in feed_list):
        raise TypeError(f"create_py_reader_by_data(feed_list): a list of Variables. Received {feed_list!r}.")
    return _reader(capacity, list(feed_list), name, use_double_buffer)


def _reader(capacity: int, values: list[Variable], name: str | None, use_double_buffer: bool) -> PyReaderVariable:
    if not capacity or int(capacity) < 1:
        raise ValueError(f"py_reader(capacity): how many batches are read ahead, at least 1. Received {capacity!r}.")
    if name is None:
        queue, reader, buffer = map(generate, ("lod_tensor_blocking_queue", "create_py_reader", "double_buffer"))
    else:
        queue, reader, buffer = f"{name}_queue", f"{name}_reader", f"{name}_double_buffer"
    made = append_reader(default_startup_program().current_block(), values, (queue, reader))
    block = default_main_program().current_block()
    underlying = _variable(block, made.name, EpochReader("py_reader", values, int(capacity)))
    return double_buffer(underlying, name=buffer) if use_double_buffer else underlying


def _variable(block: Any, name: str, source: EpochReader) -> PyReaderVariable:
    made = PyReaderVariable(block, name, persistable=True, kind="reader")
    made.source = source
    block.add_var(made)
    return made


def double_buffer(reader: PyReaderVariable, place: Any = None, name: str | None = None) -> PyReaderVariable:
    """The same reader under another name: it reads ahead, and brings values to the place, in any case."""
    block = default_main_program().current_block()
    made = append_double_buffer(block, reader, name or generate("create_double_buffer_reader"), place)
    return _variable(block, made.name, reader.source)


def read_file(reader: PyReaderVariable) -> Variable | list[Variable]:
    """The variables that each run fills with the reader's next batch; where there is one alone, it and no list."""
    if not isinstance(reader, PyReaderVariable):
        raise TypeError(f"read_file(reader): what py_reader or create_py_reader_by_data gave. Received "
                        f"{type(reader).__name__}.")
    block = default_main_program().current_block()
    name = generate("read_file")
    found = [block.new_var(generate(f"{name}.tmp"), v.shape, v.dtype, lod_level=v.lod_level)
             for v in reader.source.variables]
    for variable in found:
        variable.takes_any_size = True
        fed_offsets(variable)
    append_read(block, reader, reader.source, found)
    return found[0] if len(found) == 1 else found


def open_files(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: RecordIO files went with Paddle 1.6."""
    raise NotImplementedError(
        "open_files: RecordIO files, which Paddle 1.6 gave up, are not read. Write a generator that gives the samples "
        "of the files, and hand it to fluid.io.DataLoader.from_generator (or layers.py_reader); "
        "fluid.DatasetFactory reads text files of samples.")


__all__ = ["create_py_reader_by_data", "double_buffer", "open_files", "py_reader", "read_file"]
