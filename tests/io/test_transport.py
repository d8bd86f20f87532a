"""Messages with arrays on their way between processes (here between two ends in one)."""

import contextlib
import errno
import mmap
import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest
from proa.io.dataloader import transport
from proa.io.dataloader.transport import Receiver, Sender, unpack

SMALL, LARGE = 3, transport.SMALL


class Line:
    """A sender and a receiver at the ends of one connection."""

    def __init__(self, shared):
        near, far = multiprocessing.Pipe(duplex=True)
        self.sender, self.receiver = Sender(near, shared), Receiver(far)
        self.close = lambda: (near.close(), far.close())

    def carry(self, message, acknowledge=True):
        """The message, after it went through the connection."""
        thread = threading.Thread(target=self.sender.send, args=(self.sender.pack("tag", message),))
        thread.start()
        tag, payload, arrays = self.receiver.receive()
        thread.join()
        assert tag == "tag"
        found = unpack(payload, arrays)
        del arrays
        if acknowledge:
            self.sender.acknowledge(self.receiver.take_freed())
        return found


@contextlib.contextmanager
def line(shared=True):
    found = Line(shared)
    try:
        yield found
    finally:
        found.close()


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_round_trip(shared, size, nothing_left):
    message = {
        "f": np.arange(size, dtype=np.float32), "text": ["a", None, 1.5], "empty": np.zeros((0, 3)),
        "scalar": np.array(7), "b": np.ones((size, 3), bool), "fortran": np.asfortranarray(np.ones((size, 2))),
        "words": np.array(["x", "yz"]), "objects": np.array([{1: 2}], dtype=object),
    }
    with line(shared) as both:
        found = both.carry(message)
        both.carry([np.ones(size)] * 5)  # over the same block
    assert list(found) == list(message)
    for key, value in message.items():
        if isinstance(value, np.ndarray):
            assert found[key].dtype == value.dtype and found[key].shape == value.shape
            np.testing.assert_array_equal(found[key], value)
        else:
            assert found[key] == value
    found["f"][:] = 1  # arrays can be written to


def test_blocks_that_nobody_uses_are_used_again(nothing_left):
    with line() as both:
        for n in range(5):
            assert both.carry(np.full(LARGE, n)).sum() == n * LARGE
            both.sender.acknowledge(both.receiver.take_freed())
        assert len(both.sender._blocks) == len(both.receiver._blocks) == 1


def test_arrays_that_are_kept_do_not_change_and_few_blocks_are_in_use(nothing_left):
    with line() as both:
        kept = [both.carry(np.full(LARGE, n)) for n in range(4 * transport.LENT)]
        assert len(both.sender._blocks) == len(both.receiver._blocks) == transport.LENT + 1
        assert all((array == n).all() for n, array in enumerate(kept))
        part = kept[0][5:9].reshape(2, 2)
        del kept
        kept = [both.carry(np.full(LARGE, -n)) for n in range(10)]
        assert part.tolist() == [[0, 0], [0, 0]]
    assert all((array == -n).all() for n, array in enumerate(kept))


def test_arrays_made_in_a_block_are_not_copied(nothing_left):
    with line() as both:
        both.carry(np.ones(3 * LARGE))
        both.sender.acknowledge(both.receiver.take_freed())
        both.sender.begin()
        made = both.sender.allocate((2, LARGE), np.float32)
        made[...] = [[1], [2]]
        other = np.full(LARGE, 3, np.float32)
        outside = both.sender.allocate((9 * LARGE,), np.float64)  # for which there is no room
        outside[:] = 4
        large = both.carry({"made": made, "other": other})
        assert [large["made"].tolist()[1][0], large["other"][0]] == [2, 3]
        made[1] = 5
        assert large["made"][1, 0] == 5  # the same memory
        assert both.sender._filling is None
        both.sender.begin()
        assert both.carry([both.sender.allocate((4,), "int8"), outside])[1][-1] == 4


def test_a_message_given_up_leaves_its_block_free(nothing_left):
    with line() as both:
        both.carry(np.ones(LARGE))
        both.sender.acknowledge(both.receiver.take_freed())
        for _ in range(3):
            both.sender.begin()
            both.sender.allocate((4,), "int8")
        assert both.carry(np.ones(LARGE)).sum() == LARGE
        assert len(both.sender._blocks) == 1


def test_a_block_that_is_too_small_is_replaced(nothing_left):
    with line() as both:
        for size in (LARGE, 3 * LARGE, LARGE, 3 * LARGE + 1):
            assert both.carry(np.ones(size)).sum() == size
            both.sender.acknowledge(both.receiver.take_freed())
        assert len(both.sender._blocks) == len(both.receiver._blocks) == 1
        assert isinstance(both.receiver._blocks[0], mmap.mmap) and len(both.receiver._blocks[0]) >= 3 * LARGE * 8


def test_what_cannot_be_pickled_fails_before_anything_is_sent(nothing_left):
    with line() as both:
        with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):  # by Python's version
            both.sender.pack("tag", [np.ones(LARGE), lambda: None])
        assert not both.receiver.connection.poll()
        assert both.carry("next") == "next"


def test_no_room_for_a_block_is_an_error(monkeypatch, nothing_left):
    def full(descriptor, offset, size):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with line() as both:
        monkeypatch.setattr(os, "posix_fallocate", full)
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            both.sender.pack("tag", np.ones(LARGE))
        monkeypatch.undo()
        assert both.carry(np.ones(LARGE)).sum() == LARGE


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_closed_connections_raise(size, nothing_left):
    with line() as both:
        both.receiver.connection.close()
        with pytest.raises(OSError):
            both.sender.send(both.sender.pack("tag", np.ones(size)))
    with line() as both:
        both.sender._connection.close()
        with pytest.raises(EOFError):
            both.receiver.receive()
