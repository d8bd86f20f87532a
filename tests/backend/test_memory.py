"""backend.memory: in which pages memory comes that is touched for the first time."""

import sys
import threading

import pytest
from proa.backend.memory import c_library, usual_pages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages of 2 MB are asked for on Linux alone")


def _are_without_large_pages():
    return c_library().prctl(42, 0, 0, 0, 0)


def test_large_pages_are_left_out_until_the_last_block_ends():
    before = _are_without_large_pages()
    with usual_pages():
        with usual_pages():
            assert _are_without_large_pages()
        assert _are_without_large_pages()
    assert _are_without_large_pages() == before


def test_an_error_ends_the_block():
    before = _are_without_large_pages()
    with pytest.raises(ValueError, match="example"), usual_pages():
        raise ValueError("example")
    assert _are_without_large_pages() == before


def test_blocks_of_several_threads_overlap():
    before, inside, goes_on = _are_without_large_pages(), threading.Event(), threading.Event()

    def other():
        with usual_pages():
            inside.set()
            goes_on.wait(100)

    thread = threading.Thread(target=other)
    with usual_pages():
        thread.start()
        assert inside.wait(100)
    assert _are_without_large_pages()
    goes_on.set()
    thread.join()
    assert _are_without_large_pages() == before


def test_a_process_that_does_without_stays_so():
    if _are_without_large_pages():
        pytest.skip("this one does, from the start")
    c_library().prctl(41, 1, 0, 0, 0)
    try:
        with usual_pages():
            assert _are_without_large_pages()
        assert _are_without_large_pages()
    finally:
        c_library().prctl(41, 0, 0, 0, 0)
