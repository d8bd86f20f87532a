"""`paddle.distributed.fs_wrapper`: file systems as 1.8's checkpoints ask for them."""

from __future__ import annotations

import os
from typing import Any

from .fleet.utils import fs

__all__ = ["BDFS", "LocalFS"]


class LocalFS(fs.LocalFS):
    """This machine's files, by 1.8's names.

    >>> from proa.distributed.fs_wrapper import LocalFS
    >>> LocalFS().stat("/nowhere")
    False
    """

    def ls_dir(self, fs_path: str) -> Any:
        """The names in a folder."""
        return os.listdir(fs_path)

    def list_dirs(self, fs_path: str) -> list[str]:
        """The names of the folders in a folder; none where there is no such folder."""
        if not self.stat(fs_path):
            return []
        return [name for name in os.listdir(fs_path) if os.path.isdir(os.path.join(fs_path, name))]

    def stat(self, fs_path: str) -> bool:
        """Whether there is something of this name."""
        return os.path.exists(fs_path)

    def mkdir(self, fs_path: str) -> None:
        """Makes a folder, and those around it."""
        os.makedirs(fs_path, exist_ok=True)

    def mv(self, src_path: str, dst_path: str, overwrite: bool = False, test_exists: bool = False) -> None:
        """Gives a file or a folder another name."""
        os.rename(src_path, dst_path)

    def rm(self, fs_path: str) -> None:
        """Removes a file."""
        os.remove(fs_path)

    def rmr(self, fs_path: str) -> None:
        """Removes a folder with what is in it."""
        self.delete(fs_path)


class BDFS(fs.HDFSClient):
    """A file system of Hadoop, which the command `hadoop` asks, by 1.8's names."""

    def __init__(self, hdfs_name: str, hdfs_ugi: str, time_out: float = 20 * 60 * 1000, sleep_inter: float = 1000):
        configs = {"fs.default.name": hdfs_name, "hadoop.job.ugi": hdfs_ugi}
        super().__init__(os.environ.get("HADOOP_HOME", ""), configs, time_out, sleep_inter)

    def stat(self, fs_path: str) -> bool:
        """Whether there is something of this name."""
        return self.is_exist(fs_path)

    def mkdir(self, fs_path: str) -> None:
        """Makes a folder, and those around it."""
        self.mkdirs(fs_path)

    def rm(self, fs_path: str) -> None:
        """Removes a file."""
        self.delete(fs_path)

    rmr = rm
