"""A parameter server in a thread of the test's process, and trainers in others."""

import threading

import numpy as np
from proa.distributed.ps import Options, Server, Update

OPTIONS = Options(deadline=20, poll=0.2, attempt=5)


class Serving:
    """A server in a thread of this process."""

    def __init__(self, *arguments, **named):
        self.server = Server(named.pop("endpoint", "127.0.0.1:0"), *arguments, options=named.pop("options", OPTIONS),
                             **named)
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
        self.thread.join(20)
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


def in_threads(*functions):
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
        thread.join(30)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results
