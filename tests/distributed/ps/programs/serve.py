"""One parameter server as a process: python serve.py PORT MODE TRAINERS FOLDER [INDEX SERVERS]; writes its port."""

import sys

import numpy as np
from proa.distributed import ps

port, mode, trainers, folder, index, servers = [*sys.argv[1:], "0", "1"][:6]
variables = {"w": np.zeros([3, 2], "float32")}


def update(values):
    total = sum(np.asarray(value) for value in values.values())
    variables["w"] = variables["w"] - np.float32(0.5) * total / len(values)


options = ps.Options(poll=0.2, attempt=5)
server = ps.Server(
    f"127.0.0.1:{port}", int(trainers), mode, variables, {"w@GRAD": ps.Update("w", update)},
    {"t": ps.SparseTable(2, rule=ps.RowRule("adam", 0.1), seed=1)}, options=options,
    checkpoints=ps.Checkpoints(folder, int(index), int(servers), every=1) if folder else None)
if folder:
    print("restored", server.restore(alone=True), flush=True)
print("port", server.start(), flush=True)
server.serve()
print("done", flush=True)
