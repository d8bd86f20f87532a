"""Viterbi decoding: PaddlePaddle's answers, and errors. The operator itself is in tests/ops/records_text.py."""

import numpy as np
import proa as paddle
import pytest


def test_as_paddle():
    """Scores and paths that PaddlePaddle 2.6.2 gave for the same numbers."""
    random = np.random.RandomState(0)
    found = []
    for ends in (False, True):
        potentials, transitions = (paddle.to_tensor(random.randn(*s).astype("float32")) for s in ((3, 4, 4), (4, 4)))
        scores, paths = paddle.text.ViterbiDecoder(transitions, ends)(potentials, paddle.to_tensor([4, 2, 1]))
        found.append((scores.numpy(), paths.tolist()))
    np.testing.assert_allclose(found[0][0], [5.365744, 1.9349574, 0.15634897], rtol=1e-6)
    np.testing.assert_allclose(found[1][0], [8.686561, 3.5631216, 3.577639], rtol=1e-6)
    assert found[0][1] == [[3, 0, 3, 0], [0, 1, 0, 0], [3, 0, 0, 0]]
    assert found[1][1] == [[3, 3, 3, 3], [1, 0, 0, 0], [3, 0, 0, 0]]


@pytest.mark.parametrize("shapes, lengths, message", [
    ([(2, 3, 4), (4, 4)], [3, 4], "from 1 to 3"), ([(2, 3, 4), (4, 4)], [3, 0], "from 1 to 3"),
    ([(2, 3, 4), (3, 4)], [3, 3], "a row and a column"), ([(2, 3, 4), (4, 4)], [3], "one length for each"),
    ([(3, 4), (4, 4)], [3], r"\(batch, steps, tags\)"), ([(1, 3, 1), (1, 1)], [3], "two at least"),
])
def test_errors_teach(shapes, lengths, message):
    with pytest.raises(ValueError, match=message):
        paddle.text.viterbi_decode(*(paddle.zeros(shape) for shape in shapes), paddle.to_tensor(lengths))
