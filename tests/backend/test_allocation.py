"""NumPy asks before it allocates, in one thread and as long as a block lasts."""

import threading

import numpy as np
import pytest
from proa.backend.allocation import asking


@pytest.mark.parametrize("make", [
    lambda: np.empty(2000), lambda: np.zeros(2000), lambda: np.arange(2**40), lambda: np.repeat(np.ones(3), 2**40),
    lambda: np.pad(np.ones(3), (0, 2**40)), lambda: np.tile(np.ones(3), 2**35),
    lambda: np.ones(60)[:, None] + np.ones(60),
])
def test_what_is_refused_is_a_memory_error(make):
    with asking(lambda size: size < 10_000), pytest.raises(MemoryError):
        make()
    np.empty(2000)


def test_arrays_outlive_the_block_and_grow_behind_it():
    with asking(lambda size: True):
        kept = np.arange(10)
    kept.resize(100_000, refcheck=False)
    assert kept[:10].tolist() == list(range(10)) and not kept[10:].any()


def test_blocks_in_blocks_and_other_threads():
    asked = []

    def other():
        asked.append(np.empty(5000).size)

    with asking(lambda size: size < 20_000):
        with asking(lambda size: size < 1000), pytest.raises(MemoryError):
            np.empty(2000)
        np.empty(2000)
        thread = threading.Thread(target=lambda: other())
        thread.start()
        thread.join()
        with pytest.raises(MemoryError):
            np.empty(5000)
    assert asked == [5000]


def test_an_error_in_the_block_ends_it():
    with pytest.raises(KeyError), asking(lambda size: False):
        raise KeyError
    np.empty(1000)
