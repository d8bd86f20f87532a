"""Messages with arrays on their way between processes (here between two ends in one)."""

import multiprocessing
import threading

import numpy as np
import pytest
from proa.io.dataloader import transport
from proa.io.dataloader.transport import Parcel, receive, unpack


def sent(message, shared=True):
    """The message, after it went through a connection."""
    near, far = multiprocessing.Pipe(duplex=True)
    with near, far:
        sender = threading.Thread(target=Parcel("tag", message, shared).send, args=(near,))
        sender.start()
        tag, payload, buffers = receive(far)
        sender.join()
    assert tag == "tag"
    return unpack(payload, buffers)


SMALL, LARGE = 3, transport.SMALL


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_round_trip(shared, size, nothing_left):
    message = {
        "f": np.arange(size, dtype=np.float32), "text": ["a", None, 1.5], "empty": np.zeros((0, 3)),
        "scalar": np.array(7), "b": np.ones((size, 3), bool), "fortran": np.asfortranarray(np.ones((size, 2))),
        "words": np.array(["x", "yz"]), "objects": np.array([{1: 2}], dtype=object),
    }
    found = sent(message, shared)
    assert list(found) == list(message)
    for key, value in message.items():
        if isinstance(value, np.ndarray):
            assert found[key].dtype == value.dtype and found[key].shape == value.shape
            np.testing.assert_array_equal(found[key], value)
        else:
            assert found[key] == value
    found["f"][:] = 1  # arrays can be written to
    del found


def test_arrays_are_aligned():
    found = sent([np.ones(3, np.int8), np.ones(LARGE), np.ones(5)])
    assert all(array.ctypes.data % transport.ALIGNMENT == 0 for array in found)


def test_large_arrays_are_mapped_and_unmapped_with_their_last_use(nothing_left):
    before = len(transport._mappings)
    found = sent([np.ones(LARGE), np.zeros(LARGE)])
    assert len(transport._mappings) == before + 1
    view = found[1][3:]
    del found
    assert len(transport._mappings) == before + 1 and view[0] == 0
    del view
    assert len(transport._mappings) == before


def test_many_batches_hold_few_mappings(nothing_left):
    kept = [sent(np.full(LARGE, n)) for n in range(transport.MAX_MAPPINGS + 10)]
    assert len(transport._mappings) <= transport.MAX_MAPPINGS
    assert all((array == n).all() for n, array in enumerate(kept))
    kept[-1][0] = 5
    del kept


def test_what_cannot_be_pickled_fails_before_anything_is_sent(nothing_left):
    with pytest.raises((AttributeError, TypeError)) as caught:  # which of them depends on Python's version
        Parcel("tag", [np.ones(LARGE), lambda: None], True)
    del caught


def test_closed_connections_raise(nothing_left):
    near, far = multiprocessing.Pipe(duplex=True)
    far.close()
    with near, pytest.raises(OSError):
        Parcel("tag", np.ones(LARGE), True).send(near)
    near, far = multiprocessing.Pipe(duplex=True)
    near.close()
    with far, pytest.raises(EOFError):
        receive(far)
