"""1.x's clients of HDFS, by a program that answers as Hadoop's."""

import pathlib
import sys

import pytest
from proa.fluid.contrib.utils import hdfs_utils
from proa.fluid.incubate.fleet.utils import hdfs

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "distributed"))

import fake_hadoop


@pytest.fixture
def local(tmp_path):
    folder = tmp_path / "local"
    (folder / "part").mkdir(parents=True)
    for name in ("a", "b", "part/c"):
        (folder / name).write_text(name + "\n")
    return folder


def test_the_client_of_fleet(tmp_path, local, monkeypatch, caplog):
    monkeypatch.setattr(hdfs, "_PAUSE_S", 0.001)
    client = hdfs.HDFSClient(fake_hadoop.install(tmp_path), {"fs.default.name": "hdfs://here:1"})
    assert client.upload("/data", str(local)) and client.upload("/data", str(local), overwrite=True)
    assert client.ls("/data") == ["/data/a", "/data/b", "/data/part"] and client.ls("/none") == []
    assert client.lsr("/data", excludes=["/data/b"]) == ["/data/a", "/data/part/c"]
    assert client.is_dir("/data") and client.is_file("/data/a") and not client.is_exist("/none")
    assert client.cat("/data/a") == "a" and client.cat("/data") == ""
    assert client.makedirs("/x/y") and client.makedirs("/x/y")
    assert client.rename("/data/a", "/x/a") and not client.rename("/data/b", "/x/a")
    assert client.rename("/data/b", "/x/a", overwrite=True) and client.cat("/x/a") == "b"
    assert client.download("/data", str(tmp_path / "back")) and (tmp_path / "back/part/c").exists()
    assert not client.download("/data", str(tmp_path / "back"), retry_times=0) and "File exists" in caplog.text
    assert client.upload_dir("/more", str(local)) and client.upload_dir("/more", str(local), overwrite=True)
    assert client.delete("/more") and client.delete("/more") and not client.is_exist("/more")


def test_the_client_of_contrib_and_folders_of_several_trainers(tmp_path, local, monkeypatch):
    monkeypatch.setattr(hdfs, "_PAUSE_S", 0.001)
    client = hdfs_utils.HDFSClient(fake_hadoop.install(tmp_path), {})
    hdfs_utils.multi_upload(client, "/data", str(local))
    hdfs_utils.multi_upload(client, "/data", str(local), overwrite=True)
    assert client.lsr("/data") == ["/data/a", "/data/b", "/data/part/c"]
    assert client.lsr("/data", only_file=False) == ["/data/a", "/data/b", "/data/part", "/data/part/c"]
    one = hdfs_utils.multi_download(client, "/data", str(tmp_path / "one"), 0, 2)
    other = hdfs_utils.multi_download(client, "/data", str(tmp_path / "other"), 1, 2)
    assert [pathlib.Path(path).relative_to(tmp_path).as_posix() for path in one + other] == [
        "one/a", "one/b", "other/part/c"]
    assert (tmp_path / "other/part/c").read_text() == "part/c\n"
    assert client.upload("/a", str(local / "a")) and client.download("/a", str(tmp_path / "a"))
    assert client.upload("/a", str(local / "b"), overwrite=True) and client.cat("/a") == "b"
    assert client.download("/a", str(tmp_path / "a"), overwrite=True) and (tmp_path / "a").read_text() == "b\n"
    assert not client.download("/none", str(tmp_path / "a"))
    with pytest.raises(RuntimeError, match="multi_upload"):
        hdfs_utils.multi_upload(client, "/data", str(local), multi_processes=1)
