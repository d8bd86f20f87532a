"""`flow.data.ofrecord_reader` and what decodes its records: blobs of a job that each call fills from files."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.dtype import DType
from ..dtypes import to_dtype
from ..job.current import current
from .records import Record, endless_records, part_files, shuffled


class RecordReader:
    """A batch of records of OFRecord files for each call of a job, which decoders make blobs of."""

    def __init__(self, paths: Callable[[], list[str]], batch_size: int, buffer_size: int, shuffle_files: bool):
        self.batch_size = batch_size
        self.names: list[str] = []  # of the blobs that are filled
        self._decoders: list[Callable[[list[Record]], np.ndarray]] = []
        self._paths, self._buffer_size, self._shuffle_files = paths, buffer_size, shuffle_files
        self._records: Iterator[Record] | None = None

    def blob(self, shape: tuple[int, ...], dtype: DType, decode: Callable[[list[Record]], np.ndarray]) -> Any:
        """A blob of the job that is being traced, which `decode` makes of each batch."""
        blob = current("a decoder of records").source_blob((self.batch_size, *shape), dtype)
        self.names.append(blob.name)
        self._decoders.append(decode)
        return blob

    def next_values(self) -> list[np.ndarray]:
        """The values of the blobs for the next call. Files are looked for at the first."""
        if self._records is None:
            records = endless_records(self._paths(), self._shuffle_files)
            self._records = shuffled(records, self._buffer_size) if self._buffer_size else records
        batch = list(itertools.islice(self._records, self.batch_size))
        return [decode(batch) for decode in self._decoders]


def ofrecord_reader(ofrecord_dir: str | os.PathLike[str], batch_size: int = 1, data_part_num: int = 1,
                    part_name_prefix: str = "part-", part_name_suffix_length: int = -1, random_shuffle: bool = False,
                    shuffle_buffer_size: int = 1024, shuffle_after_epoch: bool = False,
                    name: str | None = None) -> RecordReader:
    """The records of OFRecord files, `batch_size` of them for each call of the global function, again and again.

    The files are `part-0`, `part-1`, … in `ofrecord_dir`, as many as `data_part_num` says; `part_name_suffix_length`
    fills the number up with zeros. `random_shuffle` lets a buffer of `shuffle_buffer_size` records give them in random
    order; `shuffle_after_epoch` takes the files in another order each time. Decoders make blobs of what this gives:
    `OFRecordRawDecoder`. FileNotFoundError, at the first call, names files that are not there.

    >>> import os, struct, tempfile, proa.oneflow as flow, proa.oneflow.typing as tp
    >>> import proa.oneflow.core.record.record_pb2 as ofrecord
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "part-0"), "wb") as file:
    ...     for n in range(4):
    ...         feature = ofrecord.Feature(int32_list=ofrecord.Int32List(value=[n, n + 1]))
    ...         data = ofrecord.OFRecord(feature={"x": feature}).SerializeToString()
    ...         _ = file.write(struct.pack("<q", len(data)) + data)
    >>> @flow.global_function()
    ... def job() -> tp.Numpy:
    ...     records = flow.data.ofrecord_reader(folder, batch_size=3)
    ...     return flow.data.OFRecordRawDecoder(records, "x", shape=(2,), dtype=flow.int32)
    >>> job().tolist(), job().tolist()
    ([[0, 1], [1, 2], [2, 3]], [[3, 4], [0, 1], [1, 2]])
    """
    job = current("ofrecord_reader")
    if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
        raise ValueError(f"ofrecord_reader(batch_size): a number from 1 on. Received {batch_size!r}.")
    reader = RecordReader(lambda: part_files(ofrecord_dir, data_part_num, part_name_prefix, part_name_suffix_length),
                          int(batch_size), int(shuffle_buffer_size) if random_shuffle else 0, bool(shuffle_after_epoch))
    job.sources.append(reader)
    return reader


def OFRecordRawDecoder(input_blob: RecordReader, blob_name: str, shape: Sequence[int], dtype: Any,
                       dim1_varying_length: bool = False, truncate: bool = False, auto_zero_padding: bool = False,
                       name: str | None = None) -> Any:
    """A blob (batch_size, *shape) of the numbers that the records have under `blob_name`.

    `truncate` cuts longer lists of numbers, and fills shorter ones up with zeros; without it they must have as many as
    `shape` says, and ValueError names the record. Bytes are numbers from -128 to 127, and may be more than are used.

    See `ofrecord_reader` for an example.
    """
    reader = checked_reader(input_blob, "OFRecordRawDecoder")
    if dim1_varying_length:
        raise ValueError("OFRecordRawDecoder(dim1_varying_length): blobs have one size. Give shape=(the longest,) and "
                         "truncate=True, which fills up with zeros.")
    sizes = tuple(int(size) for size in shape)
    kind = to_dtype("OFRecordRawDecoder(dtype)", dtype)
    cut = truncate or auto_zero_padding

    def decode(batch: list[Record]) -> np.ndarray:
        values = np.zeros((len(batch), int(np.prod(sizes))), kind.dtype)
        for row, record in zip(values, batch, strict=True):
            numbers = _numbers(record, blob_name)
            longer_bytes = numbers.dtype == np.int8 and len(numbers) > len(row)
            if len(numbers) != len(row) and not cut and not longer_bytes:
                raise ValueError(f"OFRecordRawDecoder({blob_name!r}): {record.file}: the record at byte "
                                 f"{record.place} has {len(numbers)} numbers, and shape={sizes} takes "
                                 f"{len(row)}. truncate=True cuts and fills up.")
            used = numbers[:len(row)]
            row[:len(used)] = used
        return values.reshape(len(batch), *sizes)

    return reader.blob(sizes, kind, decode)


ofrecord_raw_decoder = OFRecordRawDecoder


def checked_reader(value: Any, caller: str) -> RecordReader:
    """The reader that an argument is; TypeError for anything else."""
    if not isinstance(value, RecordReader):
        raise TypeError(f"{caller}(input_blob): what ofrecord_reader gives is expected. Received {value!r}.")
    return value


def _numbers(record: Record, name: str) -> np.ndarray:
    feature = record.feature(name)
    kind = feature.WhichOneof("kind")
    if kind is None:
        raise ValueError(f"{record.file}: the record at byte {record.place} has nothing under {name!r}.")
    values = getattr(feature, kind).value
    if kind != "bytes_list":
        return np.array(values, kind.removesuffix("_list").replace("float", "float32").replace("double", "float64"))
    if len(values) != 1:
        raise ValueError(f"{record.file}: the record at byte {record.place} has {len(values)} texts of bytes under "
                         f"{name!r}, and one is decoded.")
    return np.frombuffer(values[0], np.int8)


class RawCodec:
    """How `decode_ofrecord` decodes numbers: as `OFRecordRawDecoder`, with its `truncate`."""

    def __init__(self, truncate: bool = False, auto_zero_padding: bool = False):
        self.truncate = bool(truncate or auto_zero_padding)


class BlobConf:
    """A blob of `decode_ofrecord`: the feature `name` as numbers of a shape and dtype."""

    def __init__(self, name: str, shape: Sequence[int], dtype: Any, codec: RawCodec, preprocessors: Any = None):
        if not isinstance(codec, RawCodec) or preprocessors:
            raise TypeError(f"BlobConf({name!r}): numbers are decoded, by flow.data.RawCodec(). Received {codec=}, "
                            f"{preprocessors=}. Decode images in Python and feed arrays.")
        self.name, self.shape, self.dtype, self.codec = name, shape, dtype, codec


def ofrecord_loader(ofrecord_dir: str | os.PathLike[str], batch_size: int = 1, data_part_num: int = 1,
                    part_name_prefix: str = "part-", part_name_suffix_length: int = -1, shuffle: bool = False,
                    shuffle_buffer_size: int = 1024, name: str | None = None) -> RecordReader:
    """An older name of `ofrecord_reader`."""
    return ofrecord_reader(ofrecord_dir, batch_size, data_part_num, part_name_prefix, part_name_suffix_length, shuffle,
                           shuffle_buffer_size, name=name)


def decode_ofrecord(ofrecord_dir: str | os.PathLike[str], blobs: Sequence[BlobConf], batch_size: int = 1,
                    data_part_num: int = 1, part_name_prefix: str = "part-", part_name_suffix_length: int = -1,
                    shuffle: bool = False, buffer_size: int = 1024, name: str | None = None) -> tuple[Any, ...]:
    """An older way to write `ofrecord_reader` and a decoder for each of `blobs`: a tuple of blobs."""
    reader = ofrecord_loader(ofrecord_dir, batch_size, data_part_num, part_name_prefix, part_name_suffix_length,
                             shuffle, buffer_size, name)
    return tuple(OFRecordRawDecoder(reader, conf.name, conf.shape, conf.dtype, truncate=conf.codec.truncate)
                 for conf in blobs)
