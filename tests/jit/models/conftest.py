"""What the models' tests share: a loss curve as written and converted."""

import numpy as np
import proa as paddle
import pytest


@pytest.fixture
def same_curve():
    """Checks that `train(convert)`, which gives the numbers of a training, comes to the same converted."""

    def check(train, rtol=2e-3, atol=1e-4):
        found = []
        for convert in (lambda made: made, lambda made: paddle.jit.to_static(made, full_graph=True)):
            paddle.seed(7)
            np.random.seed(7)
            found.append(np.asarray(train(convert), "float64"))
        written, converted = found
        assert np.isfinite(written).all()
        np.testing.assert_allclose(converted, written, rtol=rtol, atol=atol)
        return written

    return check
