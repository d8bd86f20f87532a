"""A parameter server and two trainers between which the network is cut for some seconds: python cut_servers.py SECONDS.

Runs in a network namespace of its own. Each says what it ended with.
"""

import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "ps"))

import numpy as np
from proa.distributed.ps import Client, Options
from serving import Serving, descent, in_threads

subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
options = Options(deadline=6, poll=0.2, attempt=1)
variables = {"w": np.zeros([2], "float32")}
steps = 20


def train(serving, number):
    client = Client(number, options)
    try:
        for step in range(steps):
            client.send(serving.endpoint, "w@GRAD", np.full([2], step + number, "float32"))
            client.send_barrier([serving.endpoint])
            value = client.receive(serving.endpoint, "w")
            client.fetch_barrier([serving.endpoint])
            time.sleep(0.1)
        client.complete([serving.endpoint])
        return value.tolist()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        client.close()


def cut():
    time.sleep(1)
    subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
    time.sleep(float(sys.argv[1]))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


begun = time.monotonic()
serving = Serving(2, "sync", variables, {"w@GRAD": descent(variables, "w")}, options=options)
for said in in_threads(lambda: train(serving, 0), lambda: train(serving, 1), cut)[:2]:
    print(said)
serving.server.stop()
serving.ended()
print(f"after {time.monotonic() - begun:.0f} s")
