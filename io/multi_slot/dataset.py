"""Datasets of text files in the MultiSlot format: read while training (QueueDataset), or into memory first."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ...core.place import Place
from ...static.ir.variable import Variable
from ...static.run.lod_tensor import LoDTensor
from ...static.run.places import as_places
from ..background import ReadAhead
from .pipe import Commands, lines_through
from .text import Record, Slot, batches, parser, without_zeros

_AHEAD = 4  # batches of each stream that a background thread has ready

Batch = dict[str, LoDTensor]
Share = Callable[[Commands], Iterable[Record]]  # the records of a stream, which commands may make


def _stream(share: Share, slots: Sequence[Slot], size: int, drop_last: bool, place: Place | None) -> Iterator[Batch]:
    """The batches of a share, made ahead by a thread of its own."""
    commands = Commands()
    ahead = ReadAhead(lambda: batches(share(commands), slots, size, drop_last, place), _AHEAD)
    try:
        for batch in ahead:  # noqa: UP028 - `yield from` would close it, and wait for the commands, first
            yield batch
    finally:
        commands.end()
        ahead.close()


def _quoted(text: str) -> str:
    """As protobuf's text form quotes a string."""
    for old, new in (("\\", "\\\\"), ("\n", "\\n"), ('"', '\\"'), ("'", "\\'")):
        text = text.replace(old, new)
    return f'"{text}"'


def in_turn(streams: Sequence[Iterator[Batch]]) -> Iterator[Batch]:
    """The batches of the streams, one of each in turn, as long as it has any."""
    left = list(streams)
    while left:
        for stream in list(left):
            batch = next(stream, None)
            if batch is None:
                left.remove(stream)
            else:
                yield batch


def refuse_page_views(what: str) -> NoReturn:
    """Raises NotImplementedError for a setting by which samples are put together to page views."""
    raise NotImplementedError(f"{what}: samples are not put together to page views. Make a sample of each page view in "
                              "a pipe command.")


class DatasetBase:
    """Files of samples, what makes lines of the MultiSlot format of them, and the Variables that these are to fill.

    `Executor.train_from_dataset` runs a Program for each batch; `DataLoader.from_dataset` gives the batches.
    """

    def __init__(self) -> None:
        self.pipe_command = "cat"
        self.batch_size = 1
        self.thread_num = 1
        self.filelist: list[str] = []
        self.use_var: list[Variable] = []

    def init(self, batch_size: int = 1, thread_num: int = 1, use_var: Sequence[Variable] = (),
             pipe_command: str = "cat", input_type: int = 0, fs_name: str = "", fs_ugi: str = "",
             download_cmd: str = "cat", **settings: Any) -> None:
        """All settings at once, as 2.x has them. What concerns a distributed file system is kept aside."""
        self.set_batch_size(batch_size)
        self.set_thread(thread_num)
        self.set_use_var(use_var)
        self.set_pipe_command(pipe_command)
        self.set_hdfs_config(fs_name, fs_ugi)

    def set_pipe_command(self, pipe_command: str) -> None:
        """The command, a shell's, that is given each file as its input and writes lines of the format; `cat`: none."""
        self.pipe_command = pipe_command

    def set_batch_size(self, batch_size: int) -> None:
        """How many samples a batch has, 1 unless this is called."""
        if int(batch_size) < 1:
            raise ValueError(f"set_batch_size(batch_size): at least 1. Received {batch_size!r}.")
        self.batch_size = int(batch_size)

    def set_thread(self, thread_num: int) -> None:
        """How many files are read at once, each by a thread of its own; batches come of them in turn."""
        self.thread_num = int(thread_num)

    def set_filelist(self, filelist: Sequence[str]) -> None:
        """The files; NotImplementedError for one of a distributed file system, `hdfs:…` or `afs:…`."""
        if isinstance(filelist, str):
            raise TypeError(f"set_filelist(filelist): a list of files. Received a str: [{filelist!r}]?")
        for path in filelist:
            if str(path).startswith(("hdfs:", "afs:")):
                raise NotImplementedError(f"set_filelist(filelist): files are read from this machine's folders. "
                                          f"Received {str(path)!r}. Copy it here, or read it with a pipe command.")
        self.filelist = [str(path) for path in filelist]

    def set_use_var(self, var_list: Sequence[Variable]) -> None:
        """The Variables that the slots of a line fill, in their order; those with lod_level=1 are sequences."""
        for variable in var_list:
            Slot.of(variable)
        self.use_var = list(var_list)

    def set_hdfs_config(self, fs_name: str, fs_ugi: str) -> None:
        """Is kept; files are read from this machine's folders."""
        self._set_file_system(fs_name)
        self.fs_ugi = fs_ugi

    def _set_file_system(self, fs_name: str) -> None:
        self.fs_name = fs_name

    def set_rank_offset(self, rank_offset: str) -> None:
        """Raises NotImplementedError: page views are not put together here."""
        refuse_page_views("set_rank_offset")

    def set_pv_batch_size(self, pv_batch_size: int) -> None:
        """Is kept: it concerns page views, which are not put together here."""
        self.pv_batch_size = pv_batch_size

    def set_download_cmd(self, download_cmd: str) -> None:
        """Is kept; files are read from this machine's folders."""
        self.download_cmd = download_cmd

    def set_fea_eval(self, record_candidate_size: int, fea_eval: bool = True) -> None:
        """Lets `slots_shuffle` shuffle."""
        self.fea_eval = fea_eval

    def desc(self) -> str:
        """The settings, as text."""
        lines = [f'name: "{self._feed_name}"', f"batch_size: {self.batch_size}", "multi_slot_desc {"]
        for slot in self._slots():
            kind = "float" if slot.dtype == "float32" else "uint64"
            sizes = [f"    shape: {size}" for size in slot.shape] if slot.is_dense else []
            dense = ["    is_dense: true"] if slot.is_dense else []
            lines += ["  slots {", f'    name: "{slot.name}"', f'    type: "{kind}"', *dense, "    is_used: true",
                      *sizes, "  }"]
        return "\n".join([*lines, "}", f"pipe_command: {_quoted(self.pipe_command)}", ""])

    _feed_name = "MultiSlotDataFeed"

    def _slots(self) -> list[Slot]:
        return [Slot.of(variable) for variable in self.use_var]

    def _records_of(self, paths: Sequence[str], commands: Commands) -> Iterator[Record]:
        slots = self._slots()
        if not slots:
            raise ValueError(f"{type(self).__name__}: no Variables to fill. Call set_use_var first.")
        parse = parser(slots, self._words_ahead())
        for path in paths:
            for number, line in enumerate(lines_through(path, self.pipe_command, commands), 1):
                yield parse(line, path, number)

    def _words_ahead(self) -> int:
        """How many words, `1 word` each, a line has before its slots."""
        return 0

    def _shares(self, count: int) -> list[Share]:
        """For each of `count` streams a function that gives its records."""
        raise NotImplementedError(type(self).__name__)

    def streams(self, places: Sequence[Place | None], drop_last: bool = False) -> list[Iterator[Batch]]:
        """For each place the batches of its share of the samples, made ahead by a thread of its own."""
        slots, size = self._slots(), self.batch_size
        shares = self._shares(len(places))
        return [_stream(share, slots, size, drop_last, place) for share, place in zip(shares, places, strict=True)]

    def batches(self, thread: int = 0) -> Iterator[Batch]:
        """The batches of an epoch, of so many streams in turn (0: as `set_thread` says)."""
        wanted = thread or self.thread_num
        yield from in_turn(self.streams([None] * max(1, min(wanted, self._most_streams()))))

    def _most_streams(self) -> int:
        return len(self.filelist)


class QueueDataset(DatasetBase):
    """Files that are read while a Program runs, once an epoch, in their order. `paddle.distributed.QueueDataset`.

    >>> import os, tempfile, proa as paddle
    >>> path = os.path.join(tempfile.mkdtemp(), "part-0")
    >>> with open(path, "w") as file:
    ...     _ = file.write("2 7 8 1 0\\n1 9 1 1\\n")
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
    ...     label = paddle.static.data("label", [None, 1], "int64"); total = words.sum() + label.sum()
    >>> dataset = paddle.distributed.QueueDataset()
    >>> dataset.init(batch_size=2, use_var=[words, label])
    >>> dataset.set_filelist([path])
    >>> [(b["words"].lod(), b["label"].shape()) for b in dataset.batches()]
    [([[0, 2, 3]], [2, 1])]
    """

    def _shares(self, count: int) -> list[Share]:
        return [partial(self._records_of, self.filelist[n::count]) for n in range(count)]

    def local_shuffle(self) -> None:
        """Raises NotImplementedError: only what is in memory can be shuffled."""
        raise NotImplementedError("QueueDataset reads its files while training, in their order. Use InMemoryDataset to "
                                  "shuffle samples.")

    def global_shuffle(self, fleet: Any = None, thread_num: int = 12) -> None:
        """Raises NotImplementedError: only what is in memory can be shuffled."""
        self.local_shuffle()


class FileInstantDataset(QueueDataset):
    """As QueueDataset."""

    _feed_name = "MultiSlotFileInstantDataFeed"


class InMemoryDataset(DatasetBase):
    """Files whose samples are read into memory, where they can be shuffled. `paddle.distributed.InMemoryDataset`.

    A sequence loses the zeros that it has in its file, as in Paddle; one of zeros alone keeps one.
    Which order a shuffle gives, Python's `random` says. Raises RuntimeError for an epoch before `load_into_memory`.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "part-0")
    >>> with open(path, "w") as file:  # of each sample: how many words, the words; how many labels, the label
    ...     _ = file.write("2 7 8 1 0\\n1 9 1 1\\n3 4 5 6 1 0\\n")
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
    ...     label = paddle.static.data("label", [None, 1], "int64")
    >>> dataset = paddle.distributed.InMemoryDataset()
    >>> dataset.init(batch_size=3, use_var=[words, label])
    >>> dataset.set_filelist([path])
    >>> dataset.load_into_memory()
    >>> dataset.local_shuffle()
    >>> dataset.get_memory_data_size(), [batch["label"].shape() for batch in dataset.batches()]
    (3, [[3, 1]])
    """

    _feed_name = "MultiSlotInMemoryDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self._ahead: dict[str, bool] = {}
        self._records: list[Record] | None = None
        self._loading: ReadAhead | None = None
        self._shuffled = 0
        self.queue_num: int | None = None
        self.fea_eval = False

    def _init_distributed_settings(self, **kwargs: Any) -> None:
        self._set_fields(kwargs)

    def update_settings(self, **kwargs: Any) -> None:
        """Changes some of the settings of `init`."""
        setters: dict[str, Any] = {
            "batch_size": self.set_batch_size, "thread_num": self.set_thread, "use_var": self.set_use_var,
            "pipe_command": self.set_pipe_command, "fs_name": self._set_file_system}
        for name in [name for name in kwargs if name in setters]:
            setters[name](kwargs.pop(name))
        self._set_fields(kwargs)

    def _set_fields(self, settings: dict[str, Any]) -> None:
        for name, value in settings.items():
            setattr(self, name, value)

    def set_queue_num(self, queue_num: int) -> None:
        """Is kept: the samples of one process are in one list."""
        self.queue_num = queue_num

    def set_fleet_send_batch_size(self, fleet_send_batch_size: int = 1024) -> None:
        """Is kept: it concerns several processes."""
        self.fleet_send_batch_size = fleet_send_batch_size

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds: int = 0) -> None:
        """Is kept: it concerns several processes."""
        self.fleet_send_sleep_seconds = fleet_send_sleep_seconds

    def set_parse_ins_id(self, parse_ins_id: bool) -> None:
        """Whether lines begin with an id, `1 id`. It is read and left aside."""
        self._ahead["ins_id"] = bool(parse_ins_id)

    def set_parse_content(self, parse_content: bool) -> None:
        """Whether lines have a text before their slots, `1 text`, behind the id. It is read and left aside."""
        self._ahead["content"] = bool(parse_content)

    def set_parse_logkey(self, parse_logkey: bool) -> None:
        """Whether lines have a key of the log before their slots, `1 key`. It is read and left aside."""
        self._ahead["logkey"] = bool(parse_logkey)

    def _words_ahead(self) -> int:
        return sum(self._ahead.values())

    def set_merge_by_sid(self, merge_by_sid: bool) -> None:
        """Is kept: it concerns page views, which are not put together here."""
        self.merge_by_sid = merge_by_sid

    def set_enable_pv_merge(self, enable_pv_merge: bool) -> None:
        """Raises NotImplementedError unless page views are to be left as they are."""
        if enable_pv_merge:
            refuse_page_views("set_enable_pv_merge")

    def set_merge_by_lineid(self, merge_size: int = 2) -> None:
        """Raises NotImplementedError: samples are not put together by their ids."""
        raise NotImplementedError("InMemoryDataset.set_merge_by_lineid: samples of one id are not put together. Do so "
                                  "in a pipe command.")

    def load_into_memory(self, is_shuffle: bool = False) -> None:
        """Reads all files, `thread_num` at once."""
        self.preload_into_memory()
        self.wait_preload_done()
        if is_shuffle:
            self.local_shuffle()

    def preload_into_memory(self, thread_num: int | None = None) -> None:
        """Begins to read all files, in background threads. RuntimeError where that is under way already."""
        if self._loading is not None:
            raise RuntimeError("InMemoryDataset.preload_into_memory(): the files are being read. Call "
                               "wait_preload_done() first.")
        count = max(1, min(int(thread_num or self.thread_num), len(self.filelist)))
        self._loading = ReadAhead(lambda: [self._loaded(count)], 1)

    def _loaded(self, count: int) -> list[Record]:
        """All records, in the order of the files, which `count` threads read."""
        slots = self._slots()
        readers = [ReadAhead(partial(map, self._file, self.filelist[n::count]), 1) for n in range(count)]
        files = [next(readers[n % count]) for n in range(len(self.filelist))]
        return [without_zeros(record, slots) for records in files for record in records]

    def _file(self, path: str) -> list[Record]:
        return list(self._records_of([path], Commands()))

    def wait_preload_done(self) -> None:
        """Waits till what `preload_into_memory` has begun is done. What went wrong in its thread is raised here."""
        if self._loading is None:
            raise RuntimeError("InMemoryDataset.wait_preload_done(): call preload_into_memory() first.")
        loading, self._loading = self._loading, None
        self._records = next(loading)
        loading.close()
        self._shuffled = 0

    def _held(self, what: str) -> list[Record]:
        if self._records is None:
            raise RuntimeError(f"InMemoryDataset.{what}: nothing is in memory. Call load_into_memory() first.")
        return self._records

    def local_shuffle(self) -> None:
        """Shuffles the samples."""
        random.shuffle(self._held("local_shuffle()"))
        self._shuffled = len(self._held("local_shuffle()"))

    def global_shuffle(self, fleet: Any = None, thread_num: int = 12) -> None:
        """Shuffles the samples. With a fleet of several workers each shuffles its own, with a warning."""
        if fleet is not None and fleet.worker_num() > 1:
            warnings.warn(f"InMemoryDataset.global_shuffle(fleet): each of the {fleet.worker_num()} workers shuffles "
                          "the samples of its own files. Shuffle the list of files before it is divided.", stacklevel=2)
        self.local_shuffle()

    def slots_shuffle(self, slots: Sequence[str]) -> None:
        """Shuffles the values of these slots among the samples, after `set_fea_eval`: what a slot is worth shows so."""
        if not self.fea_eval:
            warnings.warn("InMemoryDataset.slots_shuffle: call set_fea_eval first; nothing is shuffled.", stacklevel=2)
            return
        records = [list(record) for record in self._held("slots_shuffle()")]
        for number in [n for n, slot in enumerate(self._slots()) if slot.name in set(slots)]:
            values = [record[number] for record in records]
            random.shuffle(values)
            for record, value in zip(records, values, strict=True):
                record[number] = value
        self._records = [tuple(record) for record in records]

    def release_memory(self) -> None:
        """Forgets the samples."""
        self._records = None

    def get_memory_data_size(self, fleet: Any = None) -> int:
        """How many samples are in memory; with a fleet, in that of all its workers, each of which calls it."""
        return _of_all(fleet, len(self._records or ()))

    def get_shuffle_data_size(self, fleet: Any = None) -> int:
        """How many samples have been shuffled since they were read; with a fleet, by all its workers."""
        return _of_all(fleet, self._shuffled if self._records is not None else 0)

    def _shares(self, count: int) -> list[Share]:
        records, size = self._held("batches()"), self.batch_size
        groups = [records[start:start + size] for start in range(0, len(records), size)]
        return [partial(_records_in, groups[n::count]) for n in range(count)]

    def _most_streams(self) -> int:
        return max(1, -(-len(self._held("batches()")) // self.batch_size))


def _of_all(fleet: Any, count: int) -> int:
    """The sum of all workers' counts; this one's where there is no fleet."""
    if fleet is None or fleet.worker_num() == 1:
        return count
    total = np.zeros(1, "int64")
    if hasattr(fleet, "all_reduce_worker"):  # 1.x's
        fleet.all_reduce_worker(np.array([count]), total)
    else:
        total = fleet.util.all_reduce(np.array([count]))
    return int(total[0])


def _records_in(groups: Sequence[Sequence[Record]], commands: Commands) -> Iterator[Record]:
    return itertools.chain.from_iterable(groups)


class DatasetFactory:
    """Makes datasets by the names of their classes. `paddle.fluid.DatasetFactory`.

    >>> import proa.fluid as fluid
    >>> type(fluid.DatasetFactory().create_dataset("InMemoryDataset")).__name__
    'InMemoryDataset'
    """

    _classes = {cls.__name__: cls for cls in (QueueDataset, InMemoryDataset, FileInstantDataset)}

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> DatasetBase:
        """A dataset; ValueError for a name that is not known. Asked of the class, without a name, a QueueDataset."""
        known = DatasetFactory._classes
        if datafeed_class not in known:
            raise ValueError(f"create_dataset(datafeed_class): one of {', '.join(known)}. Received {datafeed_class!r}.")
        return known[datafeed_class]()


class DatasetLoader:
    """The batches of a dataset, for each place of `places` a dict of LoD tensors. `DataLoader.from_dataset`.

    With `drop_last` batches of fewer samples are left out, and so are those left over that are too few for all places.
    """

    def __init__(self, dataset: DatasetBase, places: Any, drop_last: bool = True):
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"DataLoader.from_dataset(dataset): what fluid.DatasetFactory makes. Received "
                            f"{type(dataset).__name__}.")
        self._dataset, self._places, self._drop_last = dataset, as_places(places), drop_last
        if isinstance(dataset, QueueDataset) and len(dataset.filelist) < len(self._places):
            raise ValueError(f"DataLoader.from_dataset(dataset, places): a file for each place at least. Received "
                             f"{len(dataset.filelist)} files for {len(self._places)} places.")

    def __iter__(self) -> Iterator[list[Batch]]:
        streams = self._dataset.streams(self._places, self._drop_last)
        found, count = in_turn(streams), len(streams)
        while (group := list(itertools.islice(found, count))) and (len(group) == count or not self._drop_last):
            yield group

    def __call__(self) -> Iterator[list[Batch]]:
        """As `iter(loader)`."""
        return iter(self)
