"""Servers and trainers as threads of one process, each with its Programs and its scope."""

import contextlib
import socket
import threading

import numpy as np
import proa.fluid as fluid
from proa.distributed.ps import Options, engine

OPTIONS = Options(deadline=30, poll=0.2, attempt=5)


def free_endpoints(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]


class Built:
    """A network in Programs of its own: `network()` gives the loss, behind `minimize`."""

    def __init__(self, network, seed=0):
        self.main, self.startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        self.main.random_seed = self.startup.random_seed = seed
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.loss = network()


class Cluster:
    """`servers` and `trainers` of a network; `values` are what parameters begin with, by name, where they are given.

    `results[i]` are the losses of trainer i, `scopes` the servers' scopes by endpoint.
    """

    def __init__(self, network, servers=2, trainers=2, config=None, values=None, transpiler=None, **transpile):
        engine.connect(OPTIONS)
        self.endpoints, self.values = free_endpoints(servers), values or {}
        self.scopes, self.startups, self.programs, self.errors = {}, {}, {}, []
        self.trainers, self.transpilers = [], []
        for number in range(trainers):
            built = Built(network)
            t = (transpiler or fluid.DistributeTranspiler)(config and config())
            t.transpile(number, built.main, ",".join(self.endpoints), trainers, startup_program=built.startup,
                        **{"current_endpoint": self.endpoints[0], **transpile})
            self.trainers.append(built)
            self.transpilers.append(t)
        for endpoint in self.endpoints:
            self.programs[endpoint], self.startups[endpoint] = self.transpilers[0].get_pserver_programs(endpoint)
            self.scopes[endpoint] = fluid.Scope()
        self.mains = [t.get_trainer_program(wait_port=False) for t in self.transpilers]
        self.results = [[] for _ in range(trainers)]

    def begin(self, endpoint):
        """What a server does before it serves."""
        scope = self.scopes[endpoint]
        fluid.Executor(fluid.CPUPlace()).run(self.startups[endpoint], scope=scope)
        for part in self.transpilers[0]._placed:
            if part.endpoint == endpoint and part.parameter in self.values:
                whole = self.values[part.parameter]
                scope.set_array(part.name, whole[part.begin:part.begin + part.shape[0]].copy())

    def run(self, feeds, before=None, after=None, leaving=()):
        """Trains on feeds[i], a list for each trainer; `after(cluster)` is called before the servers end.

        Trainers that are `leaving` say that they are done when they are.
        """
        def serve(endpoint):
            fluid.Executor(fluid.CPUPlace()).run(self.programs[endpoint], scope=self.scopes[endpoint])

        def train(number):
            built, exe = self.trainers[number], fluid.Executor(fluid.CPUPlace())
            exe.run(built.startup, scope=built.scope)
            for feed in feeds[number]:
                loss = exe.run(self.mains[number], feed, [built.loss], scope=built.scope)[0]
                self.results[number].append(float(loss[0]))
            if number in leaving:
                engine.client(number, self.endpoints).complete(self.endpoints)

        for endpoint in self.endpoints:
            self.begin(endpoint)
        if before is not None:
            before(self)
        serving = [self._thread(serve, endpoint) for endpoint in self.endpoints]
        working = [self._thread(train, number) for number in range(len(self.trainers))]
        for thread in working:
            thread.join(60)
        try:
            if after is not None and not self.errors:
                after(self)
        finally:
            fluid.Executor(fluid.CPUPlace()).close()
            for thread in serving:
                thread.join(60)
        assert not self.errors, self.errors
        assert not any(thread.is_alive() for thread in serving + working)
        return self

    def _thread(self, function, *arguments):
        def call():
            try:
                function(*arguments)
            except Exception as error:
                self.errors.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        return thread

    def parameter(self, name):
        """The parameter as it lies on the servers."""
        parts = self.transpilers[0]._parts[name]
        return np.concatenate([self.scopes[part.endpoint].array(part.name) for part in parts])


def alone(network, feeds, values=None):
    """The losses of one process, and its scope afterwards."""
    built, exe, losses = Built(network), fluid.Executor(fluid.CPUPlace()), []
    exe.run(built.startup, scope=built.scope)
    for name, value in (values or {}).items():
        built.scope.set_array(name, value.copy())
    for feed in feeds:
        losses.append(float(exe.run(built.main, feed, [built.loss], scope=built.scope)[0][0]))
    return losses, built.scope


def divided(feeds, count):
    """The feeds of each of so many trainers: equal parts of the rows."""
    return [[{name: np.split(value, count)[number] for name, value in feed.items()} for feed in feeds]
            for number in range(count)]
