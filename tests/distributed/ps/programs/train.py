"""One trainer as a process: python train.py NUMBER ROUNDS FOLDER ENDPOINT,…; goes on from where one before it came.

`FOLDER/goal` says up to which round it may go; `FOLDER/trainer-NUMBER` says how far it is. What it ends with, all that
servers have, trainer 0 leaves in `FOLDER/values.npz`.
"""

import os
import pathlib
import sys
import time

import numpy as np
from proa.distributed import ps

number, rounds = map(int, sys.argv[1:3])
folder, endpoints = pathlib.Path(sys.argv[3]), sys.argv[4].split(",")
ROWS = 40
progress = folder / f"trainer-{number}"


def read(path):
    return int(path.read_text()) if path.exists() else 0


def say(value):
    scratch = progress.with_suffix(".new")
    scratch.write_text(str(value))
    os.replace(scratch, progress)


def send(client, index, endpoint, seed, in_rounds):
    """One step's gradients, for one server: rows whose number leaves its index."""
    generator = np.random.default_rng([seed, number])
    gradient, rows = generator.standard_normal([3, 2]).astype("float32"), generator.integers(0, ROWS, 12)
    rows = rows[rows % len(endpoints) == index]
    rows = rows if rows.size else np.array([index])
    client.look_up([endpoint], "t", rows)
    sent = [client.send(endpoint, "w@GRAD", gradient if in_rounds else np.ones([3, 2], "float32")),
            client.push_rows([endpoint], "t", rows, np.ones([rows.size, 2], "float32"))]
    for each in sent:
        each.result()


client = ps.Client(number, ps.Options(deadline=60, poll=0.2, attempt=5))
servers = [client._server(endpoint) for endpoint in endpoints]
in_rounds = servers[0].mode == "sync"
done = min(server.round for server in servers) if in_rounds else read(progress)
while done < rounds:
    say(done)
    while read(folder / "goal") <= done:
        time.sleep(0.01)
    for index, (endpoint, server) in enumerate(zip(endpoints, servers, strict=True)):
        if not in_rounds:
            send(client, index, endpoint, done, in_rounds)
        elif server.round == done:  # the one before it may have ended the round on some servers only
            send(client, index, endpoint, done, in_rounds)
            client.send_barrier([endpoint])
    done += 1
say(done)
while read(folder / "goal") <= rounds:  # the others are not done yet, and may be harmed
    time.sleep(0.01)
if number == 0:
    np.savez(folder / "values.npz", t=client.look_up(endpoints, "t", np.arange(ROWS)),
             **{f"w{index}": client.receive(endpoint, "w") for index, endpoint in enumerate(endpoints)})
client.complete(endpoints)
client.close()
