"""Values that trainers gather through a server."""

import threading

import numpy as np
import pytest

pytest.importorskip("grpc")

from concurrent.futures import ThreadPoolExecutor

from proa.distributed.fleet.base.meeting import ThroughServers
from proa.distributed.ps import Client, Options, RefusedError, Server, WaitedTooLongError


@pytest.fixture
def served():
    """A server for two trainers, and their clients."""
    options = Options(deadline=10.0, attempt=2.0, poll=0.05, message_bytes=4096)
    server = Server("127.0.0.1:0", 2, "async", {}, options=options)
    endpoint = f"127.0.0.1:{server.start()}"
    thread = threading.Thread(target=server.serve)
    thread.start()
    clients = [Client(number, options) for number in range(2)]
    yield server, endpoint, clients
    for client in clients:
        client.close()
    server.stop()
    thread.join()


def together(*calls):
    with ThreadPoolExecutor(len(calls)) as threads:
        return [done.exception() or done.result() for done in [threads.submit(call) for call in calls]]


def test_workers_meet_through_a_server(served):
    _, endpoint, clients = served
    meetings = [ThroughServers(client, endpoint) for client in clients]
    assert together(*(lambda n=n: meetings[n].all_gather(n + 1) for n in range(2))) == [[1, 2], [1, 2]]
    for _ in range(3):
        together(*(meeting.barrier for meeting in meetings))
    sums = together(*(lambda n=n: meetings[n].all_reduce(np.arange(3) * (n + 1.0)) for n in range(2)))
    np.testing.assert_array_equal(sums, [[0, 3, 6]] * 2)
    mixed = together(lambda: meetings[0].all_gather(1), lambda: meetings[1].all_gather(1.5))
    assert all(isinstance(error, RefusedError) and "int64 [], float64 []" in str(error) for error in mixed)
    with pytest.raises(TypeError, match="a number"):
        meetings[0].all_gather("text")
    for size, error in ((2000, ValueError), (400, RefusedError)):  # of the message, and of the answer
        with pytest.raises(error, match="bytes"):
            clients[0].gather(endpoint, np.zeros(size))
    assert together(*(lambda n=n: meetings[n].all_gather(n) for n in range(2))) == [[0, 1]] * 2


def test_one_that_does_not_come_is_told_of(served):
    server, endpoint, clients = served
    clients[1].complete([endpoint])
    with pytest.raises(WaitedTooLongError, match="completed without theirs: trainer 1"):
        clients[0].gather(endpoint, np.zeros(1))
    again = Client(0, clients[0].options)  # a trainer that was started again: what it gave before is dropped
    third = Client(1, clients[0].options)
    waiting = threading.Timer(0.2, lambda: None)  # it comes first, and finds nothing of the error before
    waiting.start()
    found = together(lambda: (waiting.join(), again.gather(endpoint, np.ones(1)))[1],
                     lambda: third.gather(endpoint, np.ones(1)))
    np.testing.assert_array_equal(found, np.ones((2, 2, 1)))
    for client in (again, third):
        client.complete([endpoint])
        client.close()


def test_the_deadline():
    options = Options(deadline=0.3, attempt=2.0, poll=0.05)
    server = Server("127.0.0.1:0", 2, "async", {}, options=options)
    endpoint = f"127.0.0.1:{server.start()}"
    thread = threading.Thread(target=server.serve)
    thread.start()
    client = Client(0, options)
    with pytest.raises(WaitedTooLongError, match="have been waited for"):
        client.gather(endpoint, np.zeros(1))
    client.close()
    server.stop()
    thread.join()
