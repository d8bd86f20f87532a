"""The collector rests within the block, and works again after it."""

import gc

import pytest
from proa.core.collection import resting


def test_it_rests_and_works_again():
    assert gc.isenabled()
    with pytest.raises(KeyError), resting():
        with resting():
            assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_one_that_was_stopped_stays_so():
    gc.disable()
    try:
        with resting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
