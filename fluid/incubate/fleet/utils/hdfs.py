"""`fleet.utils.hdfs`: 1.x's client of HDFS, by the command `hadoop`. Its methods say by True or False how it went."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .....distributed.fleet.base.role_maker import file_shard
from .....distributed.fleet.utils.hadoop import ExecuteError, FSTimeOut, Hadoop

__all__ = ["HDFSClient"]

_logger = logging.getLogger("FLEET")
_PAUSE_S = 3.0


class HDFSClient:
    """Files of HDFS, by `hadoop_home/bin/hadoop fs`. `paddle.fluid.incubate.fleet.utils.hdfs.HDFSClient`.

    `configs`: Hadoop's settings, `fs.default.name` and `hadoop.job.ugi` as a rule. What fails is logged with what
    Hadoop said, and answered by False. Raises FileNotFoundError where there is no Hadoop.

    >>> from proa.fluid.incubate.fleet.utils.hdfs import HDFSClient
    >>> client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://namenode:9000", "hadoop.job.ugi": "me,mine"})
    >>> HDFSClient.split_files(["a", "b", "c"], 0, 2)
    ['a', 'b']
    """

    def __init__(self, hadoop_home: str, configs: Mapping[str, str]):
        self._hadoop = Hadoop(hadoop_home, configs, pause=_PAUSE_S)
        self.pre_commands = self._hadoop.command

    def _done(self, call: Callable[..., Any], *arguments: Any, **settings: Any) -> bool:
        """Whether a call went well; what Hadoop said of it otherwise is logged."""
        try:
            call(*arguments, **settings)
        except (ExecuteError, FSTimeOut) as error:
            _logger.error("%s", error)
            return False
        return True

    def cat(self, hdfs_path: str) -> str:
        """A file's text, without white space at its ends; empty where there is no file."""
        return self._hadoop.run("-cat", hdfs_path, retries=1).strip() if self.is_file(hdfs_path) else ""

    def is_exist(self, hdfs_path: str) -> bool:
        """Whether there is something."""
        return self._hadoop.test("-e", hdfs_path)

    def is_dir(self, hdfs_path: str) -> bool:
        """Whether there is a folder."""
        return self._hadoop.test("-d", hdfs_path)

    def is_file(self, hdfs_path: str) -> bool:
        """Whether there is a file."""
        return self._hadoop.test("-f", hdfs_path)

    def delete(self, hdfs_path: str) -> bool:
        """Deletes a file, or a folder with all that is in it; True where nothing is there afterwards."""
        return not self.is_exist(hdfs_path) or self._done(self._hadoop.delete, hdfs_path)

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = False) -> bool:
        """Gives a file or folder another path; what is there already is deleted with `overwrite`."""
        if self.is_exist(hdfs_dst_path):
            if not overwrite:
                _logger.error("HDFSClient.rename: %s is there already. overwrite=True deletes it.", hdfs_dst_path)
                return False
            if not self.delete(hdfs_dst_path):
                return False
        return self._done(self._hadoop.run, "-mv", hdfs_src_path, hdfs_dst_path, retries=1)

    @staticmethod
    def make_local_dirs(local_path: str) -> None:
        """Makes a folder on this machine, and those that it is to be in."""
        os.makedirs(local_path, exist_ok=True)

    def makedirs(self, hdfs_path: str) -> bool:
        """Makes a folder, and those that it is to be in; one that is there stays."""
        return self.is_exist(hdfs_path) or self._done(self._hadoop.run, "-mkdir", "-p", hdfs_path)

    def ls(self, hdfs_path: str) -> list[str]:
        """What is in a folder, by whole paths; nothing where it is not there."""
        return [one.path for one in self._hadoop.listed(hdfs_path)] if self.is_exist(hdfs_path) else []

    def lsr(self, hdfs_path: str, excludes: Sequence[str] = ()) -> list[str]:
        """The files in a folder and in its folders, by whole paths, but for `excludes`."""
        if not self.is_exist(hdfs_path):
            return []
        return [one.path for one in self._hadoop.listed(hdfs_path, recursively=True)
                if not one.is_dir and one.path not in set(excludes)]

    @staticmethod
    def split_files(files: list[str], trainer_id: int, trainers: int) -> list[str]:
        """The files of one of several trainers: neighbours, as many for each, the first ones having one more."""
        return file_shard(files, trainer_id, trainers, "HDFSClient.split_files")

    def download(self, hdfs_path: str, local_path: str, multi_processes: int = 5, overwrite: bool = False,
                 retry_times: int = 5) -> bool:
        """Copies a folder's files and folders, or a file, into a folder of this machine, several at once."""
        self.make_local_dirs(local_path)
        options = ["-f"] if overwrite else []
        return self._all(multi_processes, [
            ("-get", *options, path, local_path) for path in self.ls(hdfs_path)], retry_times)

    def upload(self, hdfs_path: str, local_path: str, multi_processes: int = 5, overwrite: bool = False,
               retry_times: int = 5) -> bool:
        """Copies a folder's files and folders, or a file, into a folder there, several at once; None where none are.

        `overwrite` deletes the folder there first.
        """
        paths = [os.path.join(local_path, name) for name in sorted(os.listdir(local_path))] \
            if os.path.isdir(local_path) else [local_path]
        if not paths:
            return True
        if overwrite and not self.delete(hdfs_path) or not self.makedirs(hdfs_path):
            return False
        return self._all(multi_processes, [("-put", path, hdfs_path) for path in paths], retry_times)

    def upload_dir(self, dest_dir: str, local_dir: str, overwrite: bool = False) -> bool:
        """Copies a folder into one there; `overwrite` deletes one of its name that is there."""
        local, into = local_dir.rstrip("/"), dest_dir.rstrip("/")
        if overwrite and not self.delete(f"{into}/{os.path.basename(local)}") or not self.makedirs(into):
            return False
        return self._done(self._hadoop.run, "-put", local, into)

    def _all(self, count: int, commands: Sequence[tuple[str, ...]], retries: int) -> bool:
        with ThreadPoolExecutor(max(1, int(count))) as threads:
            return all(list(threads.map(lambda words: self._done(self._hadoop.run, *words, retries=retries), commands)))
