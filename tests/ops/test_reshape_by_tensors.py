"""reshape to sizes of which some are tensors."""

import numpy as np
import proa as paddle


def test_a_zero_beside_tensors_copies_a_size():
    def grown(x):
        height, width = paddle.shape(x)[2], paddle.shape(x)[3]
        return x + x.reshape([0, 3, -1]).reshape([0, 3, height, width])

    x = paddle.randn([2, 3, 4, 5])
    static = paddle.jit.to_static(grown, full_graph=True)
    np.testing.assert_allclose(static(x).numpy(), 2 * x.numpy(), rtol=1e-6)
    np.testing.assert_allclose(grown(x).numpy(), 2 * x.numpy(), rtol=1e-6)
