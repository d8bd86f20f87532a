"""Run by OneFlow's Python: reads a snapshot and a file of records that proa wrote, and writes such itself."""

import struct
import sys

import numpy as np
from oneflow.framework.check_point_v2 import _save_tensor_to_disk

import oneflow as flow
import oneflow.core.record.record_pb2 as ofrecord


def records(path):
    with open(path, "rb") as file:
        while head := file.read(8):
            yield ofrecord.OFRecord.FromString(file.read(struct.unpack("q", head)[0]))


def main(folder):
    found = {name: value.numpy() for name, value in flow.load(f"{folder}/ours").items()}
    np.savez(f"{folder}/found.npz", **found)
    for name, value in found.items():
        _save_tensor_to_disk(flow.tensor(value), f"{folder}/theirs/{name}")
    read = list(records(f"{folder}/part-0"))
    np.savez(f"{folder}/records.npz", **{
        kind: np.array([list(getattr(record.feature[kind], f"{kind}_list").value) for record in read])
        for kind in ("float", "double", "int32", "int64", "bytes")})
    with open(f"{folder}/part-1", "wb") as file:
        for record in read:
            data = record.SerializeToString()
            file.write(struct.pack("q", len(data)) + data)


main(sys.argv[1])
