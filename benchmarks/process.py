"""A worker process and the pipe to it."""

import contextlib
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "FLAGS_paddle_num_threads", "NPROC")


class Unavailable(RuntimeError):
    """A side that cannot do what was asked, with its reason."""


def environment(threads, extra=None):
    """The environment of a worker: so many threads in every library, and quiet logs."""
    counts = dict.fromkeys(THREAD_VARIABLES, str(threads))
    return {**os.environ, **counts, "GLOG_minloglevel": "2", **(extra or {})}


class Worker:
    """A process of `worker.py` under some Python. Use it in a `with` block: it ends with the block."""

    def __init__(self, python, threads, extra=None):
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        self._folder = tempfile.mkdtemp(prefix="benchmark-")
        self._process = subprocess.Popen(
            [python, os.path.join(HERE, "worker.py")], env=environment(threads, extra), cwd=self._folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        self._answers = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        with contextlib.suppress(BrokenPipeError):  # what a dead process was still to be sent is lost
            self._process.stdin.close()
        try:
            self._process.wait(20 if exception[0] is None else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(20)
        if not self._reader.is_alive():
            self._process.stdout.close()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def send(self, command, **arguments):
        """Asks without waiting; `receive` gives the answer."""
        try:
            self._process.stdin.write(json.dumps({command: arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Unavailable(self._last_words()) from None

    def receive(self, timeout=900):
        """The answer, as a dict. Raises Unavailable when the side cannot, has died, or takes too long."""
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            self._process.kill()
            raise Unavailable(f"no answer in {timeout} s") from None
        if line is None:
            raise Unavailable(self._last_words())
        answer = json.loads(line)
        if "unavailable" in answer:
            raise Unavailable(answer["unavailable"])
        return answer

    def ask(self, command, **arguments):
        """Asks and waits for the answer."""
        self.send(command, **arguments)
        return self.receive()

    def log(self):
        """What the process wrote on its standard error so far."""
        self._log.seek(0)
        return self._log.read()

    def _last_words(self):
        lines = [line for line in self.log().splitlines() if line.strip()]
        return "the process ended: " + (lines[-1] if lines else "without a word")
