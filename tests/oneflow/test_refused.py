"""OneFlow's names that are not here say so, and why."""

import proa.oneflow as flow
import pytest


@pytest.mark.parametrize("module, name, words", [
    (flow, "image_decode", "oneflow.image_decode is not supported: proa has nothing for images and boxes"),
    (flow, "detection", "oneflow.detection is not supported"), (flow, "acc", "feed larger batches"),
    (flow.image, "random_crop", "oneflow.image.random_crop is not supported"),
    (flow, "uint64", "elements of this type"),
    (flow.experimental, "unique_with_counts", "numpy.unique"),
])
def test_a_name_says_why_it_is_not_here(module, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(module, name)


def test_what_is_no_name_of_oneflow_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="module 'proa.oneflow' has no attribute 'nothing_like_it'"):
        flow.nothing_like_it
    with pytest.raises(AttributeError, match="module 'proa.oneflow.image' has no attribute 'nothing'"):
        flow.image.nothing
