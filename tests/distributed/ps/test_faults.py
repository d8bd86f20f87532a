"""What happens when a trainer, a server or the way between them fails: waiting that is said, errors in time."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("grpc")

from jobs import wait_for
from proa.distributed.ps import (
    Client,
    Options,
    RefusedError,
    SilentServerError,
    SparseTable,
    UpdateError,
    WaitedTooLongError,
    calls,
)
from proa.distributed.ps import messages_pb2 as pb
from proa.distributed.ps.calls import Connection
from serving import OPTIONS, Process, Serving, descent, in_threads

ONE = np.ones([2], "float32")


def served(mode, trainers=2, **named):
    variables = {"w": np.zeros([2], "float32")}
    return Serving(trainers, mode, variables, {"w@GRAD": descent(variables, "w")}, **named)


def test_a_round_waits_for_a_trainer_that_is_started_again(caplog, monkeypatch):
    monkeypatch.setattr(calls, "_SAYS_AFTER_S", 0.1)
    with served("sync") as serving:
        first, lost = Client(0, OPTIONS), Client(1, OPTIONS)
        lost.send(serving.endpoint, "w@GRAD", 100 * ONE).result()
        first.send(serving.endpoint, "w@GRAD", ONE)
        waiting = threading.Thread(target=first.send_barrier, args=([serving.endpoint],))
        waiting.start()
        assert wait_for(lambda: "has been waiting for" in caplog.text) and waiting.is_alive()
        again = Client(1, OPTIONS)
        assert again.receive(serving.endpoint, "w").tolist() == [0, 0]
        again.send(serving.endpoint, "w@GRAD", 3 * ONE)
        again.send_barrier([serving.endpoint])
        waiting.join(100)
        assert not waiting.is_alive()
        assert first.receive(serving.endpoint, "w").tolist() == [-1, -1]  # without what the lost one had sent
        with pytest.raises(RefusedError, match="Another process has begun as trainer 1"):
            lost.receive(serving.endpoint, "w")
        for client in (first, lost, again):
            client.close()
    assert "has been waiting for" in caplog.text and "s for trainer 1 (last heard of" in caplog.text
    assert "trainer 0 (" not in caplog.text


def test_a_round_ends_by_the_deadline():
    options = dataclasses.replace(OPTIONS, deadline=1)
    with served("sync", options=options) as serving:
        client = Client(0, OPTIONS)
        client.send(serving.endpoint, "w@GRAD", ONE)
        with pytest.raises(WaitedTooLongError, match=r"s for trainer 1 \(never heard of\), longer than 1 s"):
            client.send_barrier([serving.endpoint])
        assert isinstance(serving.ended(), WaitedTooLongError)
        client.close()


def test_the_others_go_on_without_rounds_and_the_server_ends_at_last():
    options = dataclasses.replace(OPTIONS, deadline=1)
    with served("async", options=options) as serving:
        lost, client = Client(1, OPTIONS), Client(0, OPTIONS)
        lost.receive(serving.endpoint, "w")
        for _ in range(3):
            client.send(serving.endpoint, "w@GRAD", ONE).result()
        assert client.receive(serving.endpoint, "w").tolist() == [-1.5, -1.5]
        client.complete([serving.endpoint])
        assert "has not heard of trainer 1 (last heard of" in str(serving.ended())
        lost.close()
        client.close()


def test_a_trainer_that_has_completed_is_not_waited_for():
    with served("sync") as serving:
        first, second = Client(0, OPTIONS), Client(1, OPTIONS)
        first.send(serving.endpoint, "w@GRAD", ONE)
        waiting = threading.Thread(target=first.send_barrier, args=([serving.endpoint],))
        waiting.start()
        second.complete([serving.endpoint])
        waiting.join(100)
        assert not waiting.is_alive() and first.receive(serving.endpoint, "w").tolist() == [-0.5, -0.5]
        first.complete([serving.endpoint])
        assert serving.ended() is None
        first.close()
        second.close()


def test_who_begins_again_takes_nothing_out_of_a_round_that_is_over():
    """Where all have come, and the updates, which wait for other work, are not made yet."""
    with served("sync") as serving:
        first, second, gate = Client(0, OPTIONS), Client(1, OPTIONS), threading.Event()
        serving.server._state.work.do(lambda: gate.wait(100))
        first.send(serving.endpoint, "w@GRAD", ONE)
        second.send(serving.endpoint, "w@GRAD", 3 * ONE)
        barrier = threading.Thread(target=first.send_barrier, args=([serving.endpoint],))
        barrier.start()
        request = pb.Request(round=0, total=1)
        request.caller.trainer, request.caller.process = 1, second._process
        while not serving.server._state.round.is_closing:
            serving.server._handlers["SendBarrier"](request)
        again = Client(1, OPTIONS)
        again._server(serving.endpoint)
        gate.set()
        barrier.join(100)
        assert not barrier.is_alive() and first.receive(serving.endpoint, "w").tolist() == [-1, -1]
        for client in (first, second, again):
            client.close()


def test_trainers_that_send_different_things_are_told():
    variables = {"w": np.zeros([2], "float32")}
    with Serving(2, "sync", variables, {"w@GRAD": descent(variables, "w")}) as serving:
        first, second = Client(0, OPTIONS), Client(1, OPTIONS)
        first.send(serving.endpoint, "w@GRAD", ONE)
        with pytest.raises(WaitedTooLongError, match=r"trainers \[0\] sent 'w@GRAD', and trainers \[1\] ended"):
            in_threads(*[lambda each=each: each.send_barrier([serving.endpoint]) for each in (first, second)])
        first.close()
        second.close()


def test_a_message_that_comes_twice_is_done_once():
    with served("async", 1) as serving:
        connection = Connection(serving.endpoint, OPTIONS)
        request = pb.Request(name="w@GRAD", total=8)
        request.caller.process, request.caller.sequence = 9, 1
        request.value.dtype, request.value.data = "float32", ONE.tobytes()
        request.value.shape.append(2)
        in_threads(*[lambda: connection.call("Send", request) for _ in range(6)])
        request.caller.sequence, request.caller.finished = 2, 1
        connection.call("Send", request)
        request.caller.sequence = 1
        connection.call("Send", request)
        read = pb.Request(name="w")
        read.caller.process = 9
        assert np.frombuffer(connection.call("Receive", read).value.data, "float32").tolist() == [-1, -1]
        connection.close()


def test_a_server_that_is_not_there_is_named():
    client = Client(0, Options(deadline=0.5, attempt=1))
    begun = time.monotonic()
    with pytest.raises(SilentServerError, match=r"parameter server 127.0.0.1:9 has been silent for \d+ s, which is "
                                                r"more than 0.5 s"):
        client.receive("127.0.0.1:9", "w")
    assert time.monotonic() - begun < 100
    client.close()


def test_an_endpoint_that_is_taken_or_none_is_an_error():
    with served("async") as serving:
        with pytest.raises(OSError, match=f"cannot listen on {serving.endpoint}"):
            Serving(1, "sync", {}, endpoint=serving.endpoint)
    with pytest.raises(ValueError, match="HOST:PORT"):
        Serving(1, "sync", {}, endpoint="127.0.0.1")


def test_a_stopped_server_says_so():
    with served("sync") as serving:
        client = Client(0, dataclasses.replace(OPTIONS, deadline=3))
        client.send(serving.endpoint, "w@GRAD", ONE).result()
        threading.Timer(0.5, serving.server.stop).start()
        with pytest.raises((UpdateError, SilentServerError), match=f"server {serving.endpoint} "):
            client.send_barrier([serving.endpoint])
        client.close()


ENDING = """
import sys
import numpy as np
from proa.distributed import ps
client = ps.Client(0, ps.Options(attempt=2))
client.send(sys.argv[1], "w@GRAD", np.ones(2, "float32")).result()
print("answered", flush=True)
sys.stdin.readline()
client.send(sys.argv[1], "w@GRAD", np.ones(2, "float32"))
raise ValueError("the batch is empty")
"""


def test_a_trainer_that_fails_does_not_wait_for_messages_under_way():
    with served("async") as serving:
        trainer = subprocess.Popen([sys.executable, "-c", ENDING, serving.endpoint], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert trainer.stdout.readline() == "answered\n"  # the server stops after its answer, not amid it
    _, errors = trainer.communicate("\n", timeout=120)
    assert trainer.returncode == 1 and "ValueError: the batch is empty" in errors


# Servers as processes

SHAPE = (3, 2)


def step(client, endpoint, number, seed):
    generator = np.random.default_rng([seed, number])
    client.look_up([endpoint], "t", np.arange(5))
    client.send(endpoint, "w@GRAD", generator.standard_normal(SHAPE).astype("float32"))
    client.push_rows([endpoint], "t", generator.integers(0, 9, 4), np.ones([4, 2], "float32"))


def values(client, endpoint):
    return client.receive(endpoint, "w"), client.look_up([endpoint], "t", np.arange(9))


def without_faults(mode, steps, tmp_path):
    with Process(mode, 2) as server:
        clients = [Client(number, OPTIONS) for number in range(2)]
        for seed in range(steps):
            for number, client in enumerate(clients):
                step(client, server.endpoint, number, seed)
                for future in client._servers[server.endpoint].under_way:
                    future.result()
            in_threads(*[lambda client=client: client.send_barrier([server.endpoint]) for client in clients])
        found = values(clients[0], server.endpoint)
        for client in clients:
            client.complete([server.endpoint])
            client.close()
        assert server.ended()[0] == 0
    return found


def test_a_server_that_is_killed_goes_on_from_its_checkpoint(tmp_path, caplog):
    expected = without_faults("sync", 4, tmp_path)
    with Process("sync", 2, tmp_path) as server:
        clients = [Client(number, OPTIONS) for number in range(2)]

        def train(number):
            for seed in range(4):
                step(clients[number], server.endpoint, number, seed)
                if number == 0 and seed in (1, 3):  # one gradient of the round is lost with the server
                    for future in clients[0]._servers[server.endpoint].under_way:
                        future.result()
                    server.kill()
                    server.start()
                clients[number].send_barrier([server.endpoint])

        in_threads(lambda: train(0), lambda: train(1))
        assert server.restored == "3"
        for one, other in zip(expected, values(clients[1], server.endpoint), strict=True):
            np.testing.assert_array_equal(one, other)
        for client in clients:
            client.complete([server.endpoint])
            client.close()
        code, said, errors = server.ended()
        assert code == 0 and "done" in said, errors
    assert "was started again" in caplog.text


def test_async_training_loses_nothing_that_was_answered(tmp_path):
    with Process("async", 1, tmp_path) as server:
        client = Client(0, OPTIONS)
        for number in range(6):
            client.send(server.endpoint, "w@GRAD", np.ones(SHAPE, "float32")).result()
            if number % 2:
                server.kill()
                server.start()
        np.testing.assert_array_equal(client.receive(server.endpoint, "w"), np.full(SHAPE, -3))
        client.close()


def test_a_cut_of_seconds_is_bridged_and_nothing_is_done_twice():
    options = Options(deadline=30, poll=0.2, attempt=0.5)
    with Process("async", 1) as server:
        client = Client(0, options)
        for _ in range(3):
            os.kill(server.process.pid, signal.SIGSTOP)
            threading.Timer(1.2, os.kill, (server.process.pid, signal.SIGCONT)).start()
            client.send(server.endpoint, "w@GRAD", np.ones(SHAPE, "float32")).result()
            client.push_rows([server.endpoint], "t", np.array([3]), np.ones([1, 2], "float32")).result()
        np.testing.assert_array_equal(client.receive(server.endpoint, "w"), np.full(SHAPE, -1.5))
        client.complete([server.endpoint])
        client.close()
        assert server.ended()[0] == 0


def test_a_table_that_is_full():
    with Serving(1, "sync", {}, tables={"t": SparseTable(1, most_rows=2)}) as serving:
        client = Client(0, OPTIONS)
        client.push_rows([serving.endpoint], "t", np.arange(3), np.ones([3, 1], "float32")).result()
        with pytest.raises(UpdateError, match="may hold 2"):
            client.send_barrier([serving.endpoint])
        client.close()
        assert isinstance(serving.ended(), UpdateError)
    with Serving(1, "async", {}, tables={"t": SparseTable(1, most_rows=2)}) as serving:
        client = Client(0, OPTIONS)
        with pytest.raises(RefusedError, match="may hold 2"):
            client.push_rows([serving.endpoint], "t", np.arange(3), np.ones([3, 1], "float32")).result()
        client.push_rows([serving.endpoint], "t", np.arange(2), np.ones([2, 1], "float32")).result()
        client.close()
