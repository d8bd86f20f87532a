"""A side of several ranks: as `process.Worker`, but each rank is asked and answers, by a pair of pipes in a folder.

proa's ranks are started by its launcher, PyTorch's by the variables that `torchrun` sets. A rank that waits for the
next question sleeps, so that it takes nothing from the sides whose turn it is.
"""

import contextlib
import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from .process import HERE, Unavailable, environment
from .ranks import COUNT

WORKER = os.path.join(HERE, "worker.py")
END_S = 20


class Crew:
    """`ranks` processes of `worker.py` of a framework. Use it in a `with` block: they end with the block."""

    def __init__(self, framework, python, ranks, threads):
        self.ranks = ranks
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="benchmark-"))
        self._asked, self._answered, self._answers, self._readers = [], [], [], []
        for rank in range(ranks):
            for name, ends in (("ask", self._asked), ("answer", self._answered)):
                path = self._folder / f"{name}.{rank}"
                os.mkfifo(path)
                ends.append(os.open(path, os.O_RDWR | os.O_CLOEXEC))  # opened for both, so that neither side waits
            self._answers.append(queue.Queue())
            self._readers.append(threading.Thread(target=self._read, args=(rank,), daemon=True))
            self._readers[-1].start()
        (self._folder / "log").mkdir()
        start = _start_torch if framework == "torch" else _start_proa
        self._processes = start(python, ranks, self._folder, environment(threads, {COUNT: str(ranks)}))

    def _read(self, rank):
        with os.fdopen(os.dup(self._answered[rank]), encoding="utf-8") as lines:
            for line in lines:
                if not line.strip():
                    return
                self._answers[rank].put(line)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for end in self._asked:
            os.close(end)
        for process in self._processes:
            try:
                process.wait(END_S if exception[0] is None else 1)
            except subprocess.TimeoutExpired:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
                process.kill()
                process.wait()
        for end, reader in zip(self._answered, self._readers):
            os.write(end, b"\n")
            reader.join(END_S)
            os.close(end)
        shutil.rmtree(self._folder, ignore_errors=True)

    def send(self, command, **arguments):
        """Asks every rank without waiting."""
        for end in self._asked:
            os.write(end, (json.dumps({command: arguments}) + "\n").encode())

    def receive(self, timeout=300):
        """The ranks' answers, a list of dicts. Raises Unavailable where one cannot, has died, or takes too long."""
        found = [self._one(rank, time.monotonic() + timeout) for rank in range(self.ranks)]
        for answer in found:
            if "unavailable" in answer:
                raise Unavailable(answer["unavailable"])
        return found

    def _one(self, rank, end):
        while True:
            try:
                return json.loads(self._answers[rank].get(timeout=0.5))
            except queue.Empty:
                if any(process.poll() is not None for process in self._processes):
                    raise Unavailable(f"rank {rank} ended: {self._last_words(rank)}") from None
                if time.monotonic() > end:
                    raise Unavailable(f"rank {rank} gave no answer in time: {self._last_words(rank)}") from None

    def ask(self, command, **arguments):
        """Asks every rank and waits for the answers."""
        self.send(command, **arguments)
        return self.receive()

    def log(self):
        """What the ranks wrote so far."""
        return "".join(file.read_text(errors="replace") for file in sorted((self._folder / "log").iterdir()))

    def _last_words(self, rank):
        path = self._folder / "log" / f"workerlog.{rank}"
        text = path.read_text(errors="replace") if path.exists() else ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "without a word"


def _start_proa(python, ranks, folder, variables):
    command = [python, "-m", "proa.distributed.launch", "--nproc_per_node", str(ranks), "--log_dir",
               str(folder / "log"), WORKER, str(folder)]
    with open(folder / "launcher", "w") as log:
        return [subprocess.Popen(command, env=variables, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=subprocess.STDOUT)]


def _start_torch(python, ranks, folder, variables):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(ranks):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
        with open(folder / "log" / f"workerlog.{rank}", "w") as log:
            started.append(subprocess.Popen([python, WORKER, str(folder)], env={**variables, **own}, cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))
    return started
