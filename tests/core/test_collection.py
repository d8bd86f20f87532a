"""The collector rests within the block, and works again after it."""

import gc
import weakref

import pytest
from proa.core.collection import resting, staying


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


class _Made:
    """Something that may be in a circle."""


def _generation(made):
    return next(n for n in range(3) if any(found is made for found in gc.get_objects(n)))


def test_what_stays_is_old_and_may_still_be_collected():
    with staying():
        with staying():
            made = _Made()
        assert not gc.isenabled()
    assert gc.isenabled() and gc.get_freeze_count() == 0
    assert _generation(made) == 2
    made.itself, gone = made, weakref.ref(made)
    del made
    gc.collect(1)
    assert gone() is not None
    gc.collect()
    assert gone() is None


def test_what_the_user_has_frozen_stays_frozen():
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        with staying():
            made = _Made()
        assert gc.get_freeze_count() == count and _generation(made) == 0
    finally:
        gc.unfreeze()
