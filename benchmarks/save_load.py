"""Saving and loading a state of 400 MB, here and in peers, rounds alternating.

    python benchmarks/save_load.py --paddle PYTHON --torch PYTHON

Each side writes and reads the same number of bytes in the same folder; prints the median of the rounds in MB a second.
proa's figure contains the flush to the disk that makes its files whole or absent.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

WORKER = """
import json, sys, time
import numpy as np
name, path, megabytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
arrays = {f"w{n}": np.random.rand(megabytes * 1000 * 1000 // 4 // 10).astype("float32") for n in range(10)}
if name == "torch":
    import torch
    state, save, load = {k: torch.from_numpy(v) for k, v in arrays.items()}, torch.save, torch.load
else:
    if name == "proa":
        import proa as paddle
    else:
        import paddle
    state, save, load = {k: paddle.to_tensor(v) for k, v in arrays.items()}, paddle.save, paddle.load
print("ready", flush=True)
for _ in sys.stdin:
    begin = time.perf_counter()
    save(state, path)
    middle = time.perf_counter()
    load(path)
    print(json.dumps([middle - begin, time.perf_counter() - middle]), flush=True)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--paddle", metavar="PYTHON")
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    sides = [("proa", sys.executable), ("paddle", options.paddle), ("torch", options.torch)]
    with tempfile.TemporaryDirectory() as folder:
        processes = {}
        for name, python in sides:
            if python:
                command = [python, "-c", WORKER, name, os.path.join(folder, name), str(options.megabytes)]
                processes[name] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                                   stderr=subprocess.DEVNULL)
                while (line := processes[name].stdout.readline()).strip() != "ready":
                    if not line:
                        raise SystemExit(f"{name} did not start.")
        times = {name: [] for name in processes}
        for _ in range(options.rounds):
            for name, process in processes.items():
                process.stdin.write("go\n")
                process.stdin.flush()
                times[name].append(json.loads(process.stdout.readline()))
        for process in processes.values():
            process.stdin.close()
            process.wait()
    print(f"{'':<8}{'save MB/s':>12}{'load MB/s':>12}")
    for name, found in times.items():
        save, load = (options.megabytes / statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:<8}{save:>12.0f}{load:>12.0f}")


if __name__ == "__main__":
    main()
