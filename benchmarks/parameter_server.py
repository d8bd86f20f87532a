"""What a parameter server carries: rows of a large sparse table, and dense values, for one trainer and for two.

    python -m benchmarks.parameter_server [--rows 10000000] [--width 16] [--batch 100000] [--rule sgd] [--servers 1]

Servers and trainers are processes of this machine, for Linux. The first part fills the table in one process, without
messages; then servers hold it. Memory is the largest that a process had, cores is the processor time of all processes
by the time that rows were updated for.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
from proa.distributed import ps

BLOCK = 1 << 20  # elements of a dense value
SPREAD = 7919  # row numbers lie so far apart


def megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def processor_seconds(processes):
    """What these have used so far."""
    ticks = 0
    for process in processes:
        with open(f"/proc/{process.pid}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def table_of(wanted):
    return ps.SparseTable(wanted.width, rule=ps.RowRule(wanted.rule, 0.01))


def rows_of(generator, wanted):
    return np.unique(generator.integers(0, wanted.rows, wanted.batch)) * SPREAD


def timed(count, do):
    begun = time.perf_counter()
    done = sum(do() for _ in range(count))
    return done / (time.perf_counter() - begun)


def fill(table, wanted):
    """Every row, of the first server's residue in a round of servers."""
    gradients = np.ones((wanted.batch, wanted.width), "float32")
    for first in range(0, wanted.rows, wanted.batch):
        ids = np.arange(first, min(first + wanted.batch, wanted.rows)) * SPREAD
        ids = ids[ids % wanted.servers == wanted.index]
        table.push(ids, gradients[:len(ids)])


def alone(wanted):
    """The table in this process."""
    wanted = argparse.Namespace(**{**vars(wanted), "servers": 1})
    table, generator, base = table_of(wanted), np.random.default_rng(0), megabytes()
    gradients = np.ones((wanted.batch, wanted.width), "float32")
    begun = time.perf_counter()
    fill(table, wanted)
    made = len(table) / (time.perf_counter() - begun)
    batches = iter([rows_of(generator, wanted) for _ in range(40)])

    def push():
        ids = next(batches)
        table.push(ids, gradients[:len(ids)])
        return len(ids)

    def look_up():
        return len(table.look_up(next(batches)))

    print(f"| made, {len(table):,} rows | {made:,.0f} | {megabytes() - base:,.0f} MB |")
    print(f"| looked up | {timed(20, look_up):,.0f} | |")
    print(f"| updated | {timed(20, push):,.0f} | |", flush=True)


def serve(wanted):
    """A server: says its port, and at the end its memory and processor time."""
    value = {"w": np.zeros(BLOCK, "float32")}

    def update(values):
        np.subtract(value["w"], next(iter(values.values())), out=value["w"])

    table = table_of(wanted)
    fill(table, wanted)
    server = ps.Server("127.0.0.1:0", wanted.trainers, "async", value, {"w@GRAD": ps.Update("w", update)},
                       {"t": table})
    print(server.start(), flush=True)
    server.serve()
    print(megabytes())


def train(wanted):
    """A trainer: rows a second, looked up and updated, and megabytes a second, sent and received."""
    client, endpoints = ps.Client(wanted.trainer), wanted.endpoints.split(",")
    generator = np.random.default_rng(wanted.trainer)
    batches = [rows_of(generator, wanted) for _ in range(8)]
    gradients = np.ones((wanted.batch, wanted.width), "float32")
    dense = np.ones(BLOCK, "float32")

    def look_up():
        return len(client.look_up(endpoints, "t", batches[generator.integers(8)]))

    def push():
        ids = batches[generator.integers(8)]
        client.push_rows(endpoints, "t", ids, gradients[:len(ids)]).result()
        return len(ids)

    def exchange():
        for future in [client.send(endpoint, "w@GRAD", dense) for endpoint in endpoints]:
            future.result()
        return sum(client.receive(endpoint, "w").nbytes * 2 for endpoint in endpoints) / 1e6

    push()
    print("ready", flush=True)
    for do, count in ((look_up, 20), (push, 20), (exchange, 40)):
        sys.stdin.readline()
        print(timed(count, do), flush=True)
    client.complete(endpoints)
    client.close()


def started(role, wanted, *more):
    arguments = [f"--{name}={getattr(wanted, name)}" for name in ("rows", "width", "batch", "rule", "servers")]
    return subprocess.Popen([sys.executable, "-m", "benchmarks.parameter_server", role, *arguments, *more],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def by_messages(wanted, trainers):
    """Servers and trainers as processes."""
    servers = [started("serve", wanted, f"--trainers={trainers}", f"--index={index}")
               for index in range(wanted.servers)]
    endpoints = ",".join(f"127.0.0.1:{int(server.stdout.readline())}" for server in servers)
    processes = [started("train", wanted, f"--trainer={number}", f"--endpoints={endpoints}")
                 for number in range(trainers)]
    for process in processes:
        process.stdout.readline()
    found, cores = [], []
    for _ in range(3):
        begun, used = time.perf_counter(), processor_seconds(servers + processes)
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        found.append(sum(float(process.stdout.readline()) for process in processes))
        cores.append((processor_seconds(servers + processes) - used) / (time.perf_counter() - begun))
    for process in processes:
        process.wait()
    memory = max(float(server.communicate()[0]) for server in servers)
    print(f"| {trainers} | {found[0]:,.0f} | {found[1]:,.0f} | {cores[1]:.1f} | {found[2]:,.0f} | {memory:,.0f} MB |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", nargs="?", default="all", choices=["all", "serve", "train"])
    for name, default in (("rows", 10_000_000), ("width", 16), ("batch", 100_000), ("servers", 1), ("trainers", 1),
                          ("trainer", 0), ("index", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rule", default="sgd")
    parser.add_argument("--endpoints", default="")
    wanted = parser.parse_args()
    if wanted.role != "all":
        {"serve": serve, "train": train}[wanted.role](wanted)
        return
    print("| the table alone | rows a second | memory |\n|---|--:|--:|")
    alone(wanted)
    print("\n| trainers | looked up, rows/s | updated, rows/s | cores | dense, sent and received, MB/s | "
          "largest server |\n|--:|--:|--:|--:|--:|--:|")
    for trainers in (1, 2):
        by_messages(wanted, trainers)


if __name__ == "__main__":
    main()
