"""No operator ends the process, takes seconds or a gigabyte, or fails without its name, whatever it is given."""

import pytest

pytest.importorskip("resource")

from extreme_calls import looked_at

#: What was found so, before it was looked at.
FOUND = ("^(diagonal|trace|diag_v2|polygamma|frame|hash|density_prior_box|detection_map|distribute_fpn|rnn-gru"
         "|split_like|power_iteration|multiplex|conv2d-pads|group_norm|temporal_shift|roi_pool|adaptive)")


def wrong(found):
    return [each for each in found if each[2] not in ("ok", "told")]


def test_calls_that_were_not_told():
    found = list(looked_at(FOUND, share=7))
    assert len(found) > 100 and wrong(found) == []


@pytest.mark.slow
def test_extreme_calls():
    found = list(looked_at(share=16))
    assert len(found) > 2000 and wrong(found) == []
