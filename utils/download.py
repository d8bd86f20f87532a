"""`paddle.utils.download`: where a file that Paddle would download is looked for. Nothing is fetched.

A file is found by the last part of its address in the folder that it would be downloaded to.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tarfile
import zipfile

from ..core.lazy import listed

__all__ = ["WEIGHTS_HOME", "get_path_from_url", "get_weights_path_from_url", "is_url", "md5file"]
__dir__ = listed(__name__)

logger = logging.getLogger(__name__)  # nothing is written to it here; packages put their own in its place

#: The folder of downloaded weights.
WEIGHTS_HOME = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "hapi", "weights")
_MOST_TIMES, _ALWAYS_UNPACKED = 200, 1 << 30  # of an archive's size, and in bytes
_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")


def is_url(path: str) -> bool:
    """Whether `path` is an address that begins with http:// or https://.

    >>> import proa as paddle
    >>> paddle.utils.download.is_url("https://example.org/weights.pdparams")
    True
    """
    return path.startswith(("http://", "https://"))


def _get_unique_endpoints(trainer_endpoints: list[str]) -> set[str]:
    """The first address on each machine, which fetches files for the others: packages of Paddle's import it."""
    first: dict[str, str] = {}
    for endpoint in sorted(trainer_endpoints):
        first.setdefault(endpoint.partition(":")[0], endpoint)
    return set(first.values())


def md5file(fname: str) -> str:
    """The MD5 sum of a file, in hexadecimal digits.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "a")
    >>> with open(file, "wb") as to:
    ...     _ = to.write(b"a")
    >>> paddle.dataset.common.md5file(file)
    '0cc175b9c0f1b6a831c399e269772661'
    """
    digest = hashlib.md5(usedforsecurity=False)
    with open(fname, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """The path of weights in WEIGHTS_HOME; see `get_path_from_url`.

    >>> import proa as paddle
    >>> folder, paddle.utils.download.WEIGHTS_HOME = paddle.utils.download.WEIGHTS_HOME, "no-such-folder"
    >>> paddle.utils.download.get_weights_path_from_url("https://example.com/net.pdparams")
    Traceback (most recent call last):
        ...
    FileNotFoundError: Nothing is downloaded, and no-such-folder/net.pdparams is not there. Fetch...
    >>> paddle.utils.download.WEIGHTS_HOME = folder
    """
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def get_path_from_url(url: str, root_dir: str, md5sum: str | None = None, check_exist: bool = True,
                      decompress: bool = True, method: str = "get") -> str:
    """The path in `root_dir` of the file that `url` names: of an archive that of its unpacked folder or file.

    `check_exist` and `method` change nothing. Raises FileNotFoundError where it is not there, ValueError for what is
    no address and for a file whose MD5 sum is not `md5sum`.
    """
    if not is_url(url):
        raise ValueError(f"get_path_from_url(url): must begin with http:// or https://. Received {url!r}.")
    name = url.rsplit("/", 1)[1]
    if name in ("", ".", "..") or "\\" in name:
        raise ValueError(f"get_path_from_url(url): must end with a file's name. Received {url!r}.")
    place = os.path.join(root_dir, name)
    unpacked = _without_ending(place)
    if decompress and unpacked != place and os.path.exists(unpacked):
        return unpacked
    if not os.path.exists(place):
        raise FileNotFoundError(f"Nothing is downloaded, and {place} is not there. Fetch {url} and put it there.")
    if md5sum is not None and os.path.isfile(place) and md5file(place) != md5sum:
        raise ValueError(f"get_path_from_url(md5sum): {place} has the MD5 sum {md5file(place)}. Expected {md5sum}. "
                         f"Fetch {url} anew.")
    if decompress and unpacked != place:
        raise FileNotFoundError(f"Archives are not unpacked: {place} is there, and {unpacked} is not. Unpack it there.")
    return place


def _decompress(fname: str) -> str:
    """Unpacks a zip or tar file beside it, and returns the path of its file or folder: packages of Paddle's import it.

    An archive of several files and folders gets a folder with its own name. Raises TypeError for another kind of file,
    and ValueError for names that lead out of the folder and for sizes that make no sense, before anything is written.
    """
    folder = os.path.dirname(os.path.abspath(fname))
    if tarfile.is_tarfile(fname):
        with tarfile.open(fname) as archive:
            place, inside = _place_of(fname, folder, archive.getnames())
            _check_size(fname, folder, sum(member.size for member in archive.getmembers()))
            _extract_tar(archive, place)
    elif zipfile.is_zipfile(fname):
        with zipfile.ZipFile(fname) as zipped:
            place, inside = _place_of(fname, folder, zipped.namelist())
            _check_size(fname, folder, sum(member.file_size for member in zipped.infolist()))
            zipped.extractall(place)
    else:
        raise TypeError(f"_decompress(fname): must be a zip or tar file. Received {fname!r}.")
    return os.path.join(place, inside) if inside else place


def _check_size(archive: str, folder: str, size: int) -> None:
    """ValueError for what the disk cannot hold, and for what only a file that is meant to fill it unpacks to."""
    most, free = max(_MOST_TIMES * os.path.getsize(archive), _ALWAYS_UNPACKED), shutil.disk_usage(folder).free
    if size > min(most, free):
        raise ValueError(f"{archive}: would unpack to {size} bytes, more than the {min(most, free)} that the disk has "
                         f"room for, or than {_MOST_TIMES} times its own size. Nothing was unpacked.")


def _place_of(archive: str, folder: str, names: list[str]) -> tuple[str, str]:
    """The folder to unpack to, and the only thing that the archive holds at its top, if it is one."""
    for name in names:
        if os.path.isabs(name) or ".." in name.replace(os.sep, "/").split("/"):
            raise ValueError(f"{archive}: holds {name!r}, which leads out of its folder. Nothing was unpacked.")
    tops = {top for name in names if (top := os.path.normpath(name).split(os.sep)[0]) != "."}
    if len(tops) == 1:
        return folder, tops.pop()
    return os.path.join(folder, os.path.splitext(os.path.basename(archive))[0]), ""


def _extract_tar(archive: tarfile.TarFile, place: str) -> None:
    if hasattr(tarfile, "data_filter"):
        archive.extractall(place, filter="data")  # refuses links out of the folder and devices
    else:
        files = [member for member in archive.getmembers() if member.isfile() or member.isdir()]
        archive.extractall(place, files)


def _without_ending(place: str) -> str:
    return next((place[:-len(end)] for end in _ARCHIVES if place.endswith(end)), place)
