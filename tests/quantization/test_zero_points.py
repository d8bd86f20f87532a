"""Zero points that observers give as numbers, as PaddleSlim's do."""

import numpy as np
import proa as paddle
from proa.nn.quant.format import LinearDequanter, LinearQuanter


def test_numbers_for_tensors():
    x = paddle.to_tensor([[0.5, -1.0]])
    for zero in (None, 0, 0.0, np.float64(0.0), np.zeros(1), paddle.zeros([1])):
        whole = LinearQuanter(np.float32(1.0), zero_point=zero)(x)
        assert whole.tolist() == [[64.0, -127.0]]
        np.testing.assert_allclose(LinearDequanter(1.0, zero_point=zero)(whole).numpy(), [[64 / 127, -1.0]], rtol=1e-6)
