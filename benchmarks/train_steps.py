"""Training steps of an MLP and LeNet, eager and to_static, here and in PaddlePaddle, side by side in one run.

    python benchmarks/train_steps.py --paddle /path/to/venv-with-paddlepaddle/bin/python

Every side is a process of its own that is kept alive; rounds alternate between them, so that what else the machine does
meets them alike. Prints the median of the rounds in milliseconds, the spread (median absolute deviation), and the
ratio.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def start(python, framework, workload, mode, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
                       MKL_NUM_THREADS=str(threads), GLOG_minloglevel="2")
    process = subprocess.Popen([python, os.path.join(HERE, "worker.py"), framework, workload, mode], env=environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if line.strip() == "ready":
            return process
    raise SystemExit(f"{framework} {workload} {mode} did not start: run worker.py by hand to see why.")


def measure(process, steps):
    process.stdin.write(f"{steps}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--paddle", metavar="PYTHON", help="a Python that has paddlepaddle 2.6.2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=10, help="steps a round")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    sides = [("proa", sys.executable)] + ([("paddle", options.paddle)] if options.paddle else [])
    print(f"{'workload':<16}" + "".join(f"{name + ' ms':>12}{'±':>8}" for name, _ in sides) + f"{'ratio':>8}")
    for workload in ("mlp", "lenet"):
        for mode in ("eager", "static"):
            processes = [start(python, name, workload, mode, options.threads) for name, python in sides]
            times = [[] for _ in sides]
            for _ in range(options.rounds):
                for process, found in zip(processes, times):
                    found.append(measure(process, options.steps) * 1000)
            for process in processes:
                process.stdin.close()
                process.wait()
            medians = [statistics.median(found) for found in times]
            spreads = [statistics.median(abs(t - m) for t in found) for found, m in zip(times, medians)]
            cells = "".join(f"{m:>12.2f}{s:>8.2f}" for m, s in zip(medians, spreads))
            ratio = f"{medians[0] / medians[1]:>8.2f}" if len(medians) > 1 else ""
            print(f"{workload + ' ' + mode:<16}{cells}{ratio}", flush=True)


if __name__ == "__main__":
    main()
