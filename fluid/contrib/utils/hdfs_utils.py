"""`fluid.contrib.utils.hdfs_utils`: an older client of HDFS, and folders copied by several trainers."""

from __future__ import annotations

import os
from typing import Any

from ...incubate.fleet.utils import hdfs

__all__ = ["HDFSClient", "multi_download", "multi_upload"]


class HDFSClient(hdfs.HDFSClient):
    """Files of HDFS, by `hadoop_home/bin/hadoop fs`. `paddle.fluid.contrib.utils.HDFSClient`.

    >>> from proa.fluid.contrib.utils import HDFSClient
    >>> HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://namenode:9000"}).pre_commands
    ['/opt/hadoop/bin/hadoop', 'fs', '-Dfs.default.name=hdfs://namenode:9000']
    """

    def lsr(self, hdfs_path: str, only_file: bool = True, sort: bool = True) -> list[str]:  # type: ignore[override]
        """The files in a folder and in its folders, by whole paths; without `only_file` its folders too."""
        if not self.is_exist(hdfs_path):
            return []
        found = [one.path for one in self._hadoop.listed(hdfs_path, recursively=True)
                 if not (only_file and one.is_dir)]
        return sorted(found) if sort else found

    def download(self, hdfs_path: str, local_path: str, overwrite: bool = False,  # type: ignore[override]
                 unzip: bool = False) -> bool:
        """Copies a file or folder to this machine; `overwrite` writes over what is here. `unzip` changes nothing."""
        if not self.is_exist(hdfs_path):
            return False
        return self._done(self._hadoop.run, "-get", *(["-f"] if overwrite else []), hdfs_path, local_path)

    def upload(self, hdfs_path: str, local_path: str, overwrite: bool = False,  # type: ignore[override]
               retry_times: int = 5) -> bool:
        """Copies a file or folder of this machine there; `overwrite` deletes what is there first."""
        if overwrite and not self.delete(hdfs_path):
            return False
        return self._done(self._hadoop.run, "-put", local_path, hdfs_path, retries=retry_times)


def multi_download(client: HDFSClient, hdfs_path: str, local_path: str, trainer_id: int, trainers: int,
                   multi_processes: int = 5) -> list[str]:
    """Copies this trainer's share of a folder's files to this machine, as they lie in its folders; gives their paths.

    `multi_processes` of them are copied at once. Raises RuntimeError where some cannot be copied.
    """
    files = client.lsr(hdfs_path, sort=True)
    share = hdfs.HDFSClient.split_files(files, trainer_id, trainers)
    targets = [os.path.join(local_path, os.path.relpath(file, _start(files, hdfs_path))) for file in share]
    for target in targets:
        client.make_local_dirs(os.path.dirname(target))
    if not client._all(multi_processes, [("-get", file, target) for file, target in zip(share, targets, strict=True)],
                       retries=5):
        raise RuntimeError(f"multi_download(hdfs_path): not all files of {hdfs_path!r} could be copied; the log "
                           "'FLEET' says why.")
    return targets


def getfilelist(path: str) -> list[str]:
    """The files in a folder of this machine and in its folders."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]


def multi_upload(client: HDFSClient, hdfs_path: str, local_path: str, multi_processes: int = 5,
                 overwrite: bool = False, sync: bool = True) -> None:
    """Copies a folder of this machine there, with its folders, `multi_processes` files at once.

    `overwrite` deletes what is there first. `sync` changes nothing. Raises RuntimeError where some cannot be copied.
    """
    if overwrite and not client.delete(hdfs_path):
        raise RuntimeError(f"multi_upload(hdfs_path): {hdfs_path!r} could not be deleted; the log 'FLEET' says why.")
    commands: list[Any] = []
    for file in getfilelist(local_path):
        folder = os.path.dirname(os.path.relpath(file, local_path)).replace(os.sep, "/")
        into = f"{hdfs_path.rstrip('/')}/{folder}".rstrip("/")
        client.makedirs(into)
        commands.append(("-put", file, into))
    if not client._all(multi_processes, commands, retries=5):
        raise RuntimeError(f"multi_upload(local_path): not all files of {local_path!r} could be copied; the log "
                           "'FLEET' says why.")


def _start(files: list[str], hdfs_path: str) -> str:
    """The folder as listings write it: with the file system's name, where they do."""
    tail = hdfs_path.rstrip("/")
    first = files[0] if files else tail
    return first[:first.index(tail) + len(tail)] if tail in first else tail
