"""Programs that make lines of the MultiSlot format out of raw ones: what a dataset's pipe command runs."""

from __future__ import annotations

import itertools
import numbers
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Sample = Sequence[tuple[str, Sequence[Any]]]


class DataGenerator:
    """Makes samples of lines, in batches, and writes them to the standard output. A subclass says how.

    `generate_sample(line)` gives a function, whose generator gives the samples of a line: `[(name, values), …]`, or
    None for a line without one. `generate_batch(samples)` may change what is in a batch of `set_batch` samples.
    """

    def __init__(self) -> None:
        self.batch_size_ = 32
        self._proto_info: list[tuple[str, str]] | None = None

    def set_batch(self, batch_size: int) -> None:
        """How many samples `generate_batch` is given, 32 unless this is called."""
        self.batch_size_ = batch_size

    def _set_line_limit(self, line_limit: int) -> None:
        if not isinstance(line_limit, int) or line_limit < 1:
            raise ValueError(f"_set_line_limit(line_limit): an int of at least 1. Received {line_limit!r}.")
        self._line_limit = line_limit

    def run_from_stdin(self) -> None:
        """Writes the samples of each line of the standard input."""
        self._write(sys.stdin)

    def run_from_memory(self) -> None:
        """Writes the samples that `generate_sample(None)` gives."""
        self._write([None])

    def run_from_files(self, filelist: Iterable[str], batch_size: int) -> Iterator[str]:
        """The lines of the samples of each line of the files."""
        self.set_batch(batch_size)
        for path in filelist:
            with open(path) as file:
                yield from self._lines(file)

    def _write(self, raw: Iterable[Any]) -> None:
        for line in self._lines(raw):
            sys.stdout.write(line)

    def _lines(self, raw: Iterable[Any]) -> Iterator[str]:
        samples = (sample for line in raw for sample in self.generate_sample(line)() if sample is not None)
        while batch := list(itertools.islice(samples, self.batch_size_)):
            yield from map(self._gen_str, self.generate_batch(batch)())

    def _gen_str(self, line: Any) -> str:
        raise NotImplementedError(f"{type(self).__name__}: derive it from MultiSlotDataGenerator or "
                                  "MultiSlotStringDataGenerator, which know how a sample is written.")

    def generate_sample(self, line: Any) -> Callable[[], Iterable[Any]]:
        """To be given by the subclass: a function whose generator gives the samples of a line."""
        raise NotImplementedError(f"{type(self).__name__}.generate_sample(line): write it. It gives a function whose "
                                  "generator gives samples: [(name, [value, …]), …].")

    def generate_batch(self, samples: list[Any]) -> Callable[[], Iterable[Any]]:
        """A function whose generator gives the samples of a batch: as they are, unless the subclass says otherwise."""
        return lambda: iter(samples)


def _slots(line: Any) -> list[tuple[str, Any]]:
    if not isinstance(line, (list, tuple)):
        raise ValueError(f"generate_sample: a sample is a list or tuple of slots, [('words', [1926, 8, 17]), ('label', "
                         f"[1])]. Received {line!r}.")
    return list(line)


class MultiSlotStringDataGenerator(DataGenerator):
    """Writes samples whose values are text already.

    >>> from proa.io.multi_slot.data_generator import MultiSlotStringDataGenerator
    >>> class Words(MultiSlotStringDataGenerator):
    ...     def generate_sample(self, line):
    ...         return lambda: iter([[("words", ["1926", "08"]), ("label", ["1"])]])
    >>> Words().run_from_memory()
    2 1926 08 1 1
    """

    def _gen_str(self, line: Any) -> str:
        return " ".join(" ".join([str(len(values)), *values]) for _, values in _slots(line)) + "\n"


class MultiSlotDataGenerator(DataGenerator):
    """Writes samples of ints and floats. All have the same slots; raises ValueError for one that differs.

    >>> from proa.io.multi_slot.data_generator import MultiSlotDataGenerator
    >>> class Words(MultiSlotDataGenerator):
    ...     def generate_sample(self, line):
    ...         return lambda: iter([[("words", [1926, 8]), ("score", [0.5])]])
    >>> Words().run_from_memory()
    2 1926 8 1 0.5
    """

    def _gen_str(self, line: Any) -> str:
        slots = _slots(line)
        kinds = [(name, self._kind(name, values)) for name, values in slots]
        if self._proto_info is None:
            self._proto_info = kinds
        names, before = [name for name, _ in slots], [name for name, _ in self._proto_info]
        if names != before:
            raise ValueError(f"generate_sample: every sample has the same slots, in one order. The first has {before}; "
                             f"received {names}.")
        self._proto_info = [new if new[1] == "float" else old for old, new in zip(self._proto_info, kinds, strict=True)]
        return " ".join(" ".join(map(str, [len(values), *values])) for _, values in slots) + "\n"

    def _kind(self, name: Any, values: Any) -> str:
        if not isinstance(name, str):
            raise ValueError(f"generate_sample: a slot's name is a str. Received {name!r}.")
        if not isinstance(values, list):
            raise ValueError(f"generate_sample: the values of the slot {name!r} are a list. Received "
                             f"{type(values).__name__}.")
        if not values:
            raise ValueError(f"generate_sample: the slot {name!r} has no values, and no line can say that. Give it one "
                             "that stands for padding.")
        wrong = [value for value in values if not isinstance(value, numbers.Real)]
        if wrong:
            raise ValueError(f"generate_sample: the values of the slot {name!r} are ints or floats. Received "
                             f"{wrong[0]!r}.")
        return "float" if not all(isinstance(value, numbers.Integral) for value in values) else "uint64"
