"""What a file is by its first bytes, in words: for errors about a file that is another than somebody thought.

Models come packed, as pages of a server's that say "not found", or as what a version control keeps in the place of
large files. Knows nothing of a model's own formats.
"""

from __future__ import annotations

import codecs

LOOKED_AT = 512  # bytes: a tar archive says what it is behind the 257th
_SHOWN = 30  # characters of a text

_BEGINNINGS = (
    (b"version https://git-lfs.github.com/spec/", "a pointer of Git LFS: `git lfs pull` fetches what it points to"),
    (b"\x93NUMPY", "an array of NumPy's (.npy): numpy.load reads it"),
    (b"PK\x03\x04", "a ZIP archive, as .npz and PyTorch's .pt are"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras writes them"),
    (b"\x1f\x8b", "packed by gzip: unpack it first"),
    (b"\xfd7zXZ\x00", "packed by xz: unpack it first"),
    (b"\x89PNG\r\n", "a picture"), (b"\xff\xd8\xff", "a picture"),
    (b"\x7fELF", "a program or library"),
)
_PAGES = ("<!doctype html", "<html", "<?xml")


def kind_of(start: bytes) -> str:
    """What a file is that begins so (with its first 512 bytes): "the file is empty", …; "" where they tell nothing.

    >>> from proa.core.file_kind import kind_of
    >>> kind_of(b""), kind_of(b"hello")
    ('the file is empty', "the file is text: 'hello'")
    """
    if not start:
        return "the file is empty"
    for beginning, kind in _BEGINNINGS:
        if start.startswith(beginning):
            return f"the file is {kind}"
    if start[257:262] == b"ustar":
        return "the file is a tar archive: unpack it first"
    if start[:16] == bytes(16) and start[20:21] == b"\x08":  # the streams of tensors begin so
        return "the file holds a model's values (.pdiparams): the model beside it, or its prefix, is what is named"
    if not start.strip(b"\0"):
        return "the file's first bytes are all 0"
    text = _text(start)
    if text is None:
        return ""
    if text.lower().startswith(_PAGES):
        return "the file is a web page: what was downloaded is not what was asked for"
    return f"the file is text: {text[:_SHOWN]!r}{' …' if len(text) > _SHOWN else ''}"


def _text(start: bytes) -> str | None:
    """The first bytes as text; None where they are none."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)  # a character may be cut off at the end
    except UnicodeDecodeError:
        return None
    return text.strip() if all(char.isprintable() or char in "\t\r\n" for char in text) else None
