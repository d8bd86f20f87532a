"""Snapshots and records both ways with a live OneFlow 0.9: set PROA_ONEFLOW_ORACLE_PYTHON to its Python."""

import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import proa.oneflow as flow
import proa.oneflow.core.record.record_pb2 as ofrecord
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard

PYTHON = os.environ.get("PROA_ONEFLOW_ORACLE_PYTHON")
KINDS = ("float32", "float64", "float16", "int8", "uint8", "int32", "int64", "bool")
SHAPES = ((2, 3), (4,), (), (0, 3))


def values():
    return {f"{kind}-{'x'.join(map(str, shape))}": (np.arange(int(np.prod(shape))) % 3).astype(kind).reshape(shape)
            for kind in KINDS for shape in SHAPES}


def record(n):
    made = {kind: ofrecord.Feature(**{f"{kind}_list": getattr(ofrecord, f"{kind.capitalize()}List")(value=[n, n + 1])})
            for kind in ("float", "double", "int32", "int64")}
    made["bytes"] = ofrecord.Feature(bytes_list=ofrecord.BytesList(value=[bytes([n, n + 1])]))
    return ofrecord.OFRecord(feature=made).SerializeToString()


@pytest.mark.skipif(not PYTHON, reason="PROA_ONEFLOW_ORACLE_PYTHON is not set")
def test_there_and_back(tmp_path):
    flow.checkpoint.save(tmp_path / "ours", values())
    (tmp_path / "part-0").write_bytes(b"".join(struct.pack("<q", len(record(n))) + record(n) for n in range(4)))
    done = subprocess.run([PYTHON, str(Path(__file__).parent / "oneflow_files.py"), str(tmp_path)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found, back = np.load(tmp_path / "found.npz"), flow.checkpoint.get(tmp_path / "theirs")
    assert sorted(found.files) == sorted(back) == sorted(values())
    for name, value in values().items():
        for theirs in (found[name], back[name].numpy()):
            assert theirs.dtype == value.dtype and theirs.shape == value.shape and np.array_equal(theirs, value), name
        for file in ("out", "meta"):
            assert (tmp_path / "theirs" / name / file).read_bytes() == (tmp_path / "ours" / name / file).read_bytes()
    read = np.load(tmp_path / "records.npz")
    for kind in ("float", "double", "int32", "int64"):
        assert read[kind].tolist() == [[n, n + 1] for n in range(4)]
    os.rename(tmp_path / "part-1", tmp_path / "part-0")
    with session_guard():
        @flow.global_function()
        def job() -> tuple[tp.Numpy, ...]:
            records = flow.data.ofrecord_reader(tmp_path, 4)
            return tuple(flow.data.OFRecordRawDecoder(records, kind, (2,), flow.float) for kind in
                         ("float", "double", "int32", "int64", "bytes"))

        for found in job():
            assert found.tolist() == [[n, n + 1] for n in range(4)]
