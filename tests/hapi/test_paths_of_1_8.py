"""`incubate.hapi`, where 1.8 has what later stands in `io` and `vision`."""

import numpy as np
import proa as paddle
import pytest
from proa.incubate import hapi
from proa.incubate.hapi.distributed import DistributedBatchSampler


def test_the_sampler_is_that_of_io():
    assert DistributedBatchSampler is paddle.io.DistributedBatchSampler
    assert list(DistributedBatchSampler(range(5), batch_size=2)) == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("name", hapi.vision.transforms.__all__)
def test_colours_of_arrays_of_bytes(name):
    image = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype("uint8")
    changed = getattr(hapi.vision.transforms, name)(0.4)(image)
    assert changed.shape == image.shape and changed.dtype == image.dtype
