"""Limits as numbers: what is given, what flags say, which of two is the tighter one."""

import proa as paddle
import pytest
from proa.core.limits import Limits, limits_of, tighter


def test_no_limit_unless_somebody_sets_one():
    assert limits_of("load", None, None) is None and limits_of("load", 0, 0) is None
    with paddle.core.flags.flags_guard({"FLAGS_loaded_memory_limit_mb": 64, "FLAGS_loaded_loop_limit": 7}):
        assert limits_of("load", None, None) == Limits(64, 7)
        assert limits_of("load", 0, 9) == Limits(0, 9)
        assert limits_of("load", 0, 0) is None


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_what_is_no_limit(wrong):
    with pytest.raises(ValueError, match=r"load\(memory_limit_mb\): must be an int of 0, for no limit, or more"):
        limits_of("load", wrong, None)
    with pytest.raises(ValueError, match=r"Config.set_loop_limit\(loop_limit\)"):
        paddle.inference.Config().set_loop_limit(wrong)


def test_the_tighter_of_two():
    assert tighter(None, Limits(3, 4)) == Limits(3, 4) == tighter(Limits(3, 4), None)
    assert tighter(Limits(3, 0), Limits(5, 4)) == Limits(3, 4) and tighter(None, None) is None
