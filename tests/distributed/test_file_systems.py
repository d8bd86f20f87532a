"""File systems of 2.x: this machine's, and HDFS by a program that answers as Hadoop's."""

import json

import fake_hadoop
import pytest
from proa.distributed.fleet.utils import HDFSClient, LocalFS, fs


@pytest.fixture
def client(tmp_path):
    return HDFSClient(fake_hadoop.install(tmp_path), {"fs.default.name": "hdfs://here:1"}, 20000, 1)


def both(tmp_path, client):
    return [(LocalFS(), f"{tmp_path}/local"), (client, "/user")]


def test_both_do_the_same(tmp_path, client):
    for files, root in both(tmp_path, client):
        files.mkdirs(f"{root}/a/b")
        files.mkdirs(f"{root}/a/b")
        files.touch(f"{root}/a/x y; rm -rf $HOME")  # a name like any other
        files.touch(f"{root}/a/z")
        files.touch(f"{root}/a/z")
        with pytest.raises(fs.FSFileExistsError, match="is there already"):
            files.touch(f"{root}/a/z", exist_ok=False)
        assert files.ls_dir(f"{root}/a") == (["b"], ["x y; rm -rf $HOME", "z"])
        assert files.list_dirs(f"{root}/a") == ["b"] and files.ls_dir(f"{root}/none") == ([], [])
        assert files.is_file(f"{root}/a/z") and files.is_dir(f"{root}/a") and not files.is_file(f"{root}/a")
        with pytest.raises(fs.FSFileExistsError):
            files.mv(f"{root}/a/z", f"{root}/a/b")
        files.mv(f"{root}/a/z", f"{root}/a/b", overwrite=True)
        assert files.is_file(f"{root}/a/b") and not files.is_exist(f"{root}/a/z")
        with pytest.raises(fs.FSFileNotExistsError):
            files.mv(f"{root}/none", f"{root}/a/c")
        files.rename(f"{root}/a", f"{root}/c")
        files.delete(f"{root}/c")
        files.delete(f"{root}/c")
        assert not files.is_exist(f"{root}/c") and files.is_exist(root)
    assert not LocalFS().need_upload_download() and client.need_upload_download()
    with pytest.raises(AssertionError, match="is a file"):
        LocalFS().mkdirs(__file__)


def test_what_is_copied(tmp_path, client):
    local = tmp_path / "local"
    (local / "part").mkdir(parents=True)
    for name in ("a", "b", "part/c"):
        (local / name).write_text(name + "\n")
    client.upload(str(local), "/data")
    assert client.ls_dir("/data") == (["part"], ["a", "b"]) and client.cat("/data/a") == "a"
    assert client.cat("/data/none") == ""
    client.upload(str(local / "a"), "/data/a", overwrite=True)
    with pytest.raises(fs.ExecuteError, match="File exists"):
        client.upload(str(local / "a"), "/data/a")
    client.upload_dir(str(local / "part"), "/more/")
    client.upload_dir(str(local / "part"), "/more/", overwrite=True)
    assert client.cat("/more/part/c") == "part/c"
    client.download("/data", str(tmp_path / "back"))
    assert (tmp_path / "back" / "part" / "c").read_text() == "part/c\n"
    client.download("/data/a", str(tmp_path / "back"), overwrite=True)
    assert (tmp_path / "back").read_text() == "a\n"
    assert client.list_files_info(["/data", "/more/part/c"]) == [
        {"path": "/data/a", "size": 2}, {"path": "/data/b", "size": 2}, {"path": "/more/part/c", "size": 7}]
    for call in (lambda: client.upload(str(tmp_path / "none"), "/x"), lambda: client.download("/none", "x")):
        with pytest.raises(fs.FSFileNotExistsError):
            call()


def test_what_fails_is_tried_again_and_told(tmp_path, client):
    (tmp_path / "failures").write_text("1")
    assert client.is_exist("/")  # the answer of a Hadoop that could not ask is none
    (tmp_path / "failures").write_text("4")
    client.upload(__file__, "/a")
    (tmp_path / "failures").write_text("99")
    with pytest.raises(fs.ExecuteError, match="connection exception"):
        client.is_exist("/a")
    with pytest.raises(fs.FSTimeOut, match="did not end in|failed for"):
        HDFSClient(str(tmp_path / "home"), {}, time_out=10, sleep_inter=1000)._hadoop.run("-ls", "/")
    with pytest.raises(ValueError, match="does not begin with '-'"):
        client.delete("-rf")
    with pytest.raises(FileNotFoundError, match="There is no Hadoop"):
        HDFSClient(str(tmp_path / "none"), None).is_exist("/")
    with pytest.raises(NotImplementedError, match="not published"):
        fs.AFSClient()
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert calls[0] == ["-test", "-e", "/"]
