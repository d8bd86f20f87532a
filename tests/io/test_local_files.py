"""Archives of strangers: sizes that cannot be, and more members than anybody publishes."""

import io
import tarfile

import pytest
from proa.core.files import CorruptFileError
from proa.io import local_files
from proa.io.local_files import Archive


def written(path, members):
    """A tar archive of empty members (name, kind)."""
    with tarfile.open(path, "w") as tar:
        for name, kind in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            tar.addfile(member, io.BytesIO())
    return str(path)


@pytest.mark.parametrize("size", [b"\xff" * 12, b"\xff" * 10 + b"\xfe\x00", b"77777777777\0"],
                         ids=["-1", "a block back", "8 GiB"])
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, b"?"])
def test_a_size_that_cannot_be(tmp_path, size, kind):
    path = tmp_path / "archive.tar"
    written(path, [("a", tarfile.REGTYPE)])
    header = bytearray(path.read_bytes())
    header[124:136], header[156:157], header[148:156] = size, kind, b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    path.write_bytes(header)
    with pytest.raises(CorruptFileError):
        Archive(str(path))


@pytest.mark.parametrize("members", [
    [("same", tarfile.REGTYPE)] * 4, [(f"folder{n}", tarfile.DIRTYPE) for n in range(4)],
], ids=["of one name", "folders"])
def test_every_member_counts(tmp_path, monkeypatch, members):
    path = written(tmp_path / "archive.tar", members)
    monkeypatch.setattr(local_files, "_MAXIMUM_MEMBERS", 4)
    Archive(path)
    monkeypatch.setattr(local_files, "_MAXIMUM_MEMBERS", 3)
    with pytest.raises(CorruptFileError, match="more than 3 members"):
        Archive(path)
