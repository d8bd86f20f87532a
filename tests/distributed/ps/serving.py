"""A parameter server in a thread of the test's process, and trainers in others."""

import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
from proa.distributed.ps import Options, Server, Update

OPTIONS = Options(deadline=20, poll=0.2, attempt=5)


class Serving:
    """A server in a thread of this process."""

    def __init__(self, *arguments, restored=False, **named):
        self.server = Server(named.pop("endpoint", "127.0.0.1:0"), *arguments, options=named.pop("options", OPTIONS),
                             **named)
        self.restored = self.server.restore() if restored else None
        self.endpoint = f"127.0.0.1:{self.server.start()}"
        self.error = None
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self):
        try:
            self.server.serve()
        except Exception as error:
            self.error = error

    def ended(self):
        self.thread.join(120)
        assert not self.thread.is_alive()
        return self.error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()
        self.ended()


def descent(variables, name, rate=0.5):
    """param -= rate * mean of what trainers sent."""
    def run(values):
        total = sum(np.asarray(value) for value in values.values())
        variables[name] = variables[name] - np.float32(rate) * total / len(values)
    return Update(name, run)


def in_threads(*functions, timeout=120):
    results = [None] * len(functions)

    def call(i):
        try:
            results[i] = functions[i]()
        except Exception as error:
            results[i] = error
    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout)
        assert not thread.is_alive()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


PROGRAM = pathlib.Path(__file__).parent / "programs" / "serve.py"


class Process:
    """A server that is a process of its own, to be killed and started again at the same port."""

    def __init__(self, mode, trainers, folder="", *numbers, environment=None):
        self._arguments = [mode, str(trainers), str(folder), *map(str, numbers)]
        self._environment = {**os.environ, **(environment or {})}
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(PROGRAM), str(self.port), *self._arguments],
                                        env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        for line in self.process.stdout:
            if line.startswith("restored"):
                self.restored = line.split()[1]
            if line.startswith("port"):
                self.port = int(line.split()[1])
                self.endpoint = f"127.0.0.1:{self.port}"
                return
        raise AssertionError(f"exit code {self.process.wait(20)}: {self.process.stderr.read()}")

    def kill(self):
        self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()

    def ended(self):
        """Its exit code, what it wrote, and its errors."""
        said, errors = self.process.communicate(timeout=120)
        return self.process.returncode, said, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.process.stdout.close()
        self.process.stderr.close()
