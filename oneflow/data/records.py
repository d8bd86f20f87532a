"""Records of OFRecord files, one after the other without an end, in order or shuffled. Knows nothing of jobs."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...core.random import default_generator
from ..core.record.record_pb2 import OFRecord

_LENGTH = struct.Struct("<q")
_LONGEST = 1 << 30  # bytes of one record
_SEED_OF_FILES = 524287


@dataclass
class Record:
    """A record, and where it was read."""

    message: Any
    file: str
    place: int

    def feature(self, name: str) -> Any:
        """The feature of this name; KeyError, with the names that there are, for another."""
        if name not in self.message.feature:
            there = ", ".join(map(repr, sorted(self.message.feature))) or "none"
            raise KeyError(f"{self.file}: the record at byte {self.place} has no feature {name!r}. It has {there}.")
        return self.message.feature[name]


def part_files(folder: str | os.PathLike[str], count: int, prefix: str, suffix_length: int) -> list[str]:
    """The files of a data set in `count` parts; FileNotFoundError names those that are not there."""
    if count < 1:
        raise ValueError(f"ofrecord_reader(data_part_num): at least 1. Received {count}.")
    paths = [os.path.join(os.fspath(folder), f"{prefix}{str(n).rjust(suffix_length, '0')}") for n in range(count)]
    missing = [path for path in paths if not os.path.isfile(path)]
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise FileNotFoundError(f"ofrecord_reader: of {count} files these are missing: {shown}. The names are made of "
                                f"ofrecord_dir, part_name_prefix={prefix!r} and a number, which "
                                f"part_name_suffix_length={suffix_length} fills up with zeros to that many digits.")
    return paths


def read_records(path: str) -> Iterator[Record]:
    """The records of a file; CorruptFileError says where it is damaged."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        place = 0
        while place < size:
            head = file.read(_LENGTH.size)
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
            if not 0 < length <= min(_LONGEST, size - place - _LENGTH.size):
                raise CorruptFileError(path, place, "no record of an OFRecord file begins here: its length would be "
                                       f"{length}, and {size - place} bytes are left")
            message = OFRecord()
            try:
                message.ParseFromString(file.read(length))
            except Exception as error:  # DecodeError, whose module differs between versions of protobuf
                raise CorruptFileError(path, place, f"the record of {length} bytes cannot be decoded: {error}") \
                    from error
            yield Record(message, path, place)
            place += _LENGTH.size + length


def endless_records(paths: Sequence[str], shuffle_files: bool) -> Iterator[Record]:
    """The records of all files again and again; `shuffle_files`: from the second time on in another order of files."""
    order = list(paths)
    epoch = 0
    while True:
        count = 0
        for path in order:
            for record in read_records(path):
                count += 1
                yield record
        if not count:
            raise CorruptFileError(order[0], 0, "there is no record in the files of this data set")
        epoch += 1
        if shuffle_files:
            order = list(paths)
            np.random.default_rng(_SEED_OF_FILES + epoch).shuffle(order)


def shuffled(records: Iterator[Record], buffer_size: int) -> Iterator[Record]:
    """The records in the order that a buffer of so many gives, which random ones leave. Draws from `paddle.seed`'s."""
    if buffer_size < 1:
        raise ValueError(f"ofrecord_reader(shuffle_buffer_size): at least 1. Received {buffer_size}.")
    draw = np.random.default_rng(default_generator().next_seed())
    buffer = [next(records) for _ in range(buffer_size)]
    for record in records:
        n = int(draw.integers(len(buffer)))
        record, buffer[n] = buffer[n], record
        yield record
