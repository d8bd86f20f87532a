"""Dense parameters on parameter servers: rounds, updates as they come, changes that are added."""

import numpy as np
import pytest

pytest.importorskip("grpc")

from proa.backend.selected_rows import SelectedRows
from proa.distributed.ps import Client, Options, RefusedError, Update, UpdateError
from serving import OPTIONS, Serving, descent, in_threads


def test_rounds_use_the_mean_of_all_trainers():
    variables = {"w": np.zeros([2, 3], "float32")}
    rates = []
    with Serving(2, "sync", variables, {"w@GRAD": descent(variables, "w")},
                 before_updates=lambda: rates.append(len(rates))) as serving:
        def train(number):
            client = Client(number, OPTIONS)
            seen = []
            for step in range(3):
                client.send(serving.endpoint, "w@GRAD", np.full([2, 3], number + step + 1, "float32"))
                client.send_barrier([serving.endpoint])
                seen.append(client.receive(serving.endpoint, "w"))
                client.fetch_barrier([serving.endpoint])
            client.complete([serving.endpoint])
            client.close()
            return np.array(seen)

        first, second = in_threads(lambda: train(0), lambda: train(1))
        assert serving.ended() is None
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first[:, 0, 0], [-0.75, -2.0, -3.75])
    assert rates == [0, 1, 2]


def test_updates_as_they_come():
    variables = {"w": np.zeros([4, 2], "float32")}
    with Serving(2, "async", variables, {"w@GRAD": descent(variables, "w")}) as serving:
        clients = [Client(number, OPTIONS) for number in range(2)]
        clients[0].send(serving.endpoint, "w@GRAD", np.ones([4, 2], "float32")).result()
        np.testing.assert_array_equal(clients[1].receive(serving.endpoint, "w"), np.full([4, 2], -0.5))
        rows = SelectedRows(np.array([1, 1]), np.ones([2, 2], "float32"), 4)
        clients[1].send(serving.endpoint, "w@GRAD", rows).result()
        assert clients[0].receive(serving.endpoint, "w")[:, 0].tolist() == [-0.5, -1.5, -0.5, -0.5]
        for client in clients:
            client.complete([serving.endpoint])
            client.close()


def test_changes_are_added():
    variables = {"w": np.ones([2], "float32")}
    with Serving(1, "geo", variables) as serving:
        client = Client(0, OPTIONS)
        client.send(serving.endpoint, "w", np.array([1, 2], "float32")).result()
        assert client.receive(serving.endpoint, "w").tolist() == [2, 3]
        client.close()


def test_large_values_go_in_parts():
    options = Options(deadline=20, poll=0.2, message_bytes=1000)
    variables = {"w": np.zeros([700], "float32"), "t": np.zeros([500, 3], "float32")}
    with Serving(1, "async", variables, {"w@GRAD": descent(variables, "w", 1), "t@GRAD": descent(variables, "t", 1)},
                 options=options) as serving:
        client = Client(0, options)
        gradient = np.arange(700, dtype="float32")
        client.send(serving.endpoint, "w@GRAD", gradient).result()
        np.testing.assert_array_equal(client.receive(serving.endpoint, "w"), -gradient)
        rows = SelectedRows(np.arange(0, 500, 2), np.arange(750, dtype="float32").reshape(250, 3), 500)
        client.send(serving.endpoint, "t@GRAD", rows).result()
        np.testing.assert_array_equal(client.receive(serving.endpoint, "t")[::2], -rows.values)
        client.close()


def test_what_cannot_be_is_refused_and_logged(caplog):
    variables = {"w": np.zeros([2], "float32")}
    with Serving(1, "sync", variables, {"w@GRAD": descent(variables, "w")}) as serving:
        client = Client(0, OPTIONS)
        for name, value, said in [("w", np.zeros([2], "float32"), "takes nothing named 'w'"),
                                  ("w@GRAD", np.zeros([3], "float32"), r"takes float32 \[2\]. Received float32 \[3\]"),
                                  ("w@GRAD", np.zeros([2], "float64"), r"Received float64 \[2\]")]:
            with pytest.raises(RefusedError, match=said):
                client.send(serving.endpoint, name, value).result()
        with pytest.raises(RefusedError, match="no variable 'v'"):
            client.receive(serving.endpoint, "v")
        client.close()
    assert "Refused a message from ipv4:127.0.0.1" in caplog.text


def test_an_update_that_fails_ends_the_server_and_is_told():
    variables = {"w": np.zeros([2], "float32")}

    def fail(values):
        raise ZeroDivisionError("the rate is 0")

    with Serving(1, "sync", variables, {"w@GRAD": Update("w", fail)}) as serving:
        client = Client(0, OPTIONS)
        client.send(serving.endpoint, "w@GRAD", np.zeros([2], "float32"))
        with pytest.raises(UpdateError, match="ZeroDivisionError: the rate is 0"):
            client.send_barrier([serving.endpoint])
        client.close()
    assert isinstance(serving.error, ZeroDivisionError)


def test_a_number_that_is_given_has_the_shape_that_it_has_on_the_server():
    """Programs of 2.x hold a learning rate without dimensions, those of 1.x one of one element: checkpoints compare."""
    variables = {"rate": np.ones([1], "float32"), "scalar": np.ones([], "float32")}
    with Serving(1, "async", variables, {}) as serving:
        client = Client(0, OPTIONS)
        client.assign(serving.endpoint, "rate", np.float32(0.5))
        client.assign(serving.endpoint, "scalar", np.array([0.25], "float32"))
        assert (client.receive(serving.endpoint, "rate").tolist(), variables["rate"].shape) == ([0.5], (1,))
        assert (client.receive(serving.endpoint, "scalar").tolist(), variables["scalar"].shape) == (0.25, ())
        with pytest.raises(RefusedError, match="takes float32"):
            client.assign(serving.endpoint, "rate", np.zeros([2], "float32"))
        client.complete([serving.endpoint])
        client.close()
