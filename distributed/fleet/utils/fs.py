"""File systems under one set of methods: this machine's, and HDFS by the command `hadoop`.

`paddle.distributed.fleet.utils.LocalFS` and `HDFSClient`; 1.x's client of HDFS, in `fluid`, has other methods.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..base.role_maker import file_shard
from .hadoop import ExecuteError, FSShellCmdAborted, FSTimeOut, Hadoop

__all__ = ["FS", "AFSClient", "ExecuteError", "FSFileExistsError", "FSFileNotExistsError", "FSShellCmdAborted",
           "FSTimeOut", "HDFSClient", "LocalFS"]


class FSFileExistsError(Exception):
    """There is something at this path."""


class FSFileNotExistsError(Exception):
    """There is nothing at this path."""


class FS:
    """What file systems have; each says what it has not."""

    def ls_dir(self, fs_path: str) -> Any:
        """The names of a folder's folders, and of its files."""
        raise self._refusal("ls_dir")

    def list_dirs(self, fs_path: str) -> list[str]:
        """The names of a folder's folders."""
        folders: list[str] = self.ls_dir(fs_path)[0]
        return folders

    def is_file(self, fs_path: str) -> bool:
        """Whether there is a file."""
        raise self._refusal("is_file")

    def is_dir(self, fs_path: str) -> bool:
        """Whether there is a folder."""
        raise self._refusal("is_dir")

    def is_exist(self, fs_path: str) -> bool:
        """Whether there is something."""
        raise self._refusal("is_exist")

    def mkdirs(self, fs_path: str) -> None:
        """Makes a folder, and those that it is to be in; one that is there stays."""
        raise self._refusal("mkdirs")

    def delete(self, fs_path: str) -> None:
        """Deletes a file, or a folder with all that is in it, where there is one."""
        raise self._refusal("delete")

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Gives a file or folder another path."""
        raise self._refusal("rename")

    def mv(self, fs_src_path: str, fs_dst_path: str, overwrite: bool = False, test_exists: bool = False) -> None:
        """Gives a file or folder another path; what is there already is deleted with `overwrite`.

        Raises FSFileNotExistsError where there is nothing to move, FSFileExistsError where something is there.
        """
        raise self._refusal("mv")

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Makes an empty file; one that is there stays, or without `exist_ok` is an FSFileExistsError."""
        raise self._refusal("touch")

    def upload(self, local_path: str, fs_path: str) -> None:
        """Copies a file or folder of this machine there."""
        raise self._refusal("upload")

    def upload_dir(self, local_dir: str, dest_dir: str) -> None:
        """Copies a folder of this machine into one there."""
        raise self._refusal("upload_dir")

    def download(self, fs_path: str, local_path: str) -> None:
        """Copies a file or folder to this machine."""
        raise self._refusal("download")

    def cat(self, fs_path: str | None = None) -> str:
        """A file's text; empty where there is none."""
        raise self._refusal("cat")

    def need_upload_download(self) -> bool:
        """Whether files are on other machines."""
        raise self._refusal("need_upload_download")

    def _refusal(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}.{method}: is not there. LocalFS is the file system of this "
                                   "machine; HDFSClient has all methods.")


class LocalFS(FS):
    """This machine's files. `paddle.distributed.fleet.utils.LocalFS`.

    >>> import os, tempfile
    >>> from proa.distributed.fleet.utils import LocalFS
    >>> files, folder = LocalFS(), tempfile.mkdtemp()
    >>> files.mkdirs(os.path.join(folder, "a"))
    >>> files.touch(os.path.join(folder, "b"))
    >>> files.ls_dir(folder)
    (['a'], ['b'])
    """

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:
        """The names of a folder's folders, and of its files."""
        if not self.is_exist(fs_path):
            return [], []
        names = sorted(os.listdir(fs_path))
        folders = [name for name in names if os.path.isdir(os.path.join(fs_path, name))]
        return folders, [name for name in names if name not in set(folders)]

    def is_file(self, fs_path: str) -> bool:
        """Whether there is a file."""
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Whether there is a folder."""
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path: str) -> bool:
        """Whether there is something."""
        return os.path.exists(fs_path)

    def mkdirs(self, fs_path: str) -> None:
        """Makes a folder, and those that it is to be in; one that is there stays."""
        if os.path.isfile(fs_path):
            raise AssertionError(f"mkdirs(fs_path): {fs_path!r} is a file.")
        os.makedirs(fs_path, exist_ok=True)

    def delete(self, fs_path: str) -> None:
        """Deletes a file, or a folder with all that is in it, where there is one."""
        if os.path.isdir(fs_path) and not os.path.islink(fs_path):
            shutil.rmtree(fs_path)
        elif os.path.lexists(fs_path):
            os.remove(fs_path)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Gives a file or folder another path."""
        os.rename(fs_src_path, fs_dst_path)

    def mv(self, src_path: str, dst_path: str, overwrite: bool = False, test_exists: bool = False) -> None:
        """As FS.mv."""
        _check_move(self, src_path, dst_path, overwrite)
        self.rename(src_path, dst_path)

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Makes an empty file; one that is there stays, or without `exist_ok` is an FSFileExistsError."""
        if _may_touch(self, fs_path, exist_ok):
            with open(fs_path, "a", encoding="utf-8"):
                pass

    def need_upload_download(self) -> bool:
        """Whether files are on other machines."""
        return False


class HDFSClient(FS):
    """Files of HDFS, by `hadoop_home/bin/hadoop fs`. `paddle.distributed.fleet.utils.HDFSClient`.

    `configs`: Hadoop's settings, `fs.default.name` and `hadoop.job.ugi` as a rule; `time_out`, `sleep_inter`: for how
    many milliseconds a command that fails is tried again, and after which pauses. Raises ExecuteError with what Hadoop
    said, FSTimeOut, and FileNotFoundError where there is no Hadoop. `multi_processes`: how many files are copied at
    once.

    >>> from proa.distributed.fleet.utils import HDFSClient
    >>> client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://namenode:9000", "hadoop.job.ugi": "me,mine"})
    >>> client.need_upload_download()
    True
    """

    def __init__(self, hadoop_home: str, configs: Mapping[str, str] | None, time_out: float = 5 * 60 * 1000,
                 sleep_inter: float = 1000):
        self._hadoop = Hadoop(hadoop_home, configs, time_out / 1000, sleep_inter / 1000)

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:
        """The names of a folder's folders, and of its files."""
        if not self.is_exist(fs_path):
            return [], []
        found = self._hadoop.listed(fs_path)
        return ([os.path.basename(one.path) for one in found if one.is_dir],
                [os.path.basename(one.path) for one in found if not one.is_dir])

    def is_file(self, fs_path: str) -> bool:
        """Whether there is a file."""
        return self._hadoop.test("-f", fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Whether there is a folder."""
        return self._hadoop.test("-d", fs_path)

    def is_exist(self, fs_path: str) -> bool:
        """Whether there is something."""
        return self._hadoop.test("-e", fs_path)

    def mkdirs(self, fs_path: str) -> None:
        """Makes a folder, and those that it is to be in; one that is there stays."""
        if not self.is_exist(fs_path):
            self._hadoop.run("-mkdir", "-p", fs_path)

    def delete(self, fs_path: str) -> None:
        """Deletes a file, or a folder with all that is in it, where there is one."""
        if self.is_exist(fs_path):
            self._hadoop.delete(fs_path)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Gives a file or folder another path."""
        self._hadoop.run("-mv", fs_src_path, fs_dst_path, retries=1)

    def mv(self, fs_src_path: str, fs_dst_path: str, overwrite: bool = False, test_exists: bool = True) -> None:
        """Gives a file or folder another path; what is there already is deleted with `overwrite`."""
        if test_exists or overwrite:
            _check_move(self, fs_src_path, fs_dst_path, overwrite)
        self.rename(fs_src_path, fs_dst_path)

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Makes an empty file; one that is there stays, or without `exist_ok` is an FSFileExistsError."""
        if _may_touch(self, fs_path, exist_ok):
            self._hadoop.run("-touchz", fs_path)

    def upload(self, local_path: str, fs_path: str, multi_processes: int = 5, overwrite: bool = False) -> None:
        """Copies a file there, or a folder's files and folders into one there; `overwrite` deletes what is there."""
        if not os.path.exists(local_path):
            raise FSFileNotExistsError(f"upload(local_path): there is no {local_path!r} on this machine.")
        if not os.path.isdir(local_path):
            if overwrite:
                self.delete(fs_path)
            return self._put(local_path, fs_path)
        if overwrite:
            self.delete(fs_path)
        self.mkdirs(fs_path)
        return _at_once(multi_processes, [(self._put, os.path.join(local_path, name), fs_path)
                                          for name in sorted(os.listdir(local_path))])

    def upload_dir(self, local_dir: str, dest_dir: str, overwrite: bool = False) -> None:
        """Copies a folder into one there; `overwrite` deletes one of its name that is there."""
        local, into = local_dir.rstrip("/"), dest_dir.rstrip("/")
        if overwrite:
            self.delete(f"{into}/{os.path.basename(local)}")
        self.mkdirs(into)
        self._put(local, into)

    def _put(self, local_path: str, fs_path: str) -> None:
        self._hadoop.run("-put", local_path, fs_path)

    def _get(self, fs_path: str, local_path: str) -> None:
        self._hadoop.run("-get", fs_path, local_path)

    def download(self, fs_path: str, local_path: str, multi_processes: int = 5, overwrite: bool = False) -> None:
        """Copies a file to this machine, or a folder's files and folders into one; `overwrite` deletes what is here."""
        if not self.is_exist(fs_path):
            raise FSFileNotExistsError(f"download(fs_path): there is no {fs_path!r} in HDFS.")
        if overwrite:
            LocalFS().delete(local_path)
        if self.is_file(fs_path):
            return self._get(fs_path, local_path)
        os.makedirs(local_path, exist_ok=True)
        return _at_once(multi_processes, [(self._get, one.path, local_path) for one in self._hadoop.listed(fs_path)])

    def cat(self, fs_path: str | None = None) -> str:
        """A file's text; empty where there is none."""
        return "\n".join(self._hadoop.run("-cat", fs_path, retries=1).splitlines()) \
            if fs_path and self.is_file(fs_path) else ""

    def list_files_info(self, path_list: Sequence[str]) -> list[dict[str, Any]]:
        """The paths and sizes of files, and of folders' files: `{"path": …, "size": …}`."""
        return [{"path": one.path, "size": one.size} for path in path_list for one in self._hadoop.listed(path)
                if not one.is_dir]

    def need_upload_download(self) -> bool:
        """Whether files are on other machines."""
        return True

    def _split_files(self, files: list[str], trainer_id: int, trainers: int) -> list[str]:
        return file_shard(files, trainer_id, trainers, "HDFSClient._split_files")


class AFSClient(FS):
    """Raises NotImplementedError: AFS is reached by a library that is closed. HDFSClient is by Hadoop's command."""

    def __init__(self, time_out: float = 5 * 60 * 1000, sleep_inter: float = 1000):
        raise NotImplementedError("AFSClient: AFS is reached by a library of Baidu's that is not published. Use "
                                  "HDFSClient, or LocalFS on a folder that AFS is mounted on.")


def _check_move(files: FS, source: str, target: str, overwrite: bool) -> None:
    if not files.is_exist(source):
        raise FSFileNotExistsError(f"mv: there is no {source!r} to move.")
    if overwrite:
        files.delete(target)
    elif files.is_exist(target):
        raise FSFileExistsError(f"mv: {target!r} is there already. overwrite=True deletes it first.")


def _may_touch(files: FS, path: str, exist_ok: bool) -> bool:
    if not files.is_exist(path):
        return True
    if not exist_ok:
        raise FSFileExistsError(f"touch: {path!r} is there already.")
    return False


def _at_once(count: int, calls: Sequence[Any]) -> None:
    """Does the calls, `count` at once; raises what the first that fails raises."""
    with ThreadPoolExecutor(max(1, int(count))) as threads:
        for done in [threads.submit(function, *arguments) for function, *arguments in calls]:
            done.result()
