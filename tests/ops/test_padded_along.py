"""Padding by the array's own elements, of any widths, against NumPy's; its transpose; and mirrors too far away."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.array.pad import MODES, _padded, _unpadded


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_any_widths(mode):
    random = np.random.default_rng(0)
    for _ in range(100):
        shape = random.integers(2, 6, 3)
        most = {"reflect": shape, "replicate": shape * 0 + 8, "circular": shape + 1}[mode]
        widths = [tuple(map(int, random.integers(0, limit, 2))) for limit in most]
        x = random.normal(size=shape)
        out = _padded(np, x, widths, mode, 0.0)
        np.testing.assert_array_equal(out, np.pad(x, widths, MODES[mode]))
        g = random.normal(size=out.shape)
        np.testing.assert_allclose((out * g).sum(), (x * _unpadded(np, g, widths, mode)).sum(), rtol=1e-9)


def _at_once(width, mode):
    return paddle.nn.functional.pad(paddle.arange(5.0).reshape([1, 1, 5]), width, mode, data_format="NCL").tolist()


def _in_a_program(width, mode, size=5):
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [1, 1, size])
            y = paddle.nn.functional.pad(x, width, mode, data_format="NCL")
        feed = {"x": np.arange(5, dtype="float32").reshape(1, 1, 5)}
        return paddle.static.Executor().run(program, feed=feed, fetch_list=[y])[0].tolist()
    finally:
        paddle.disable_static()


def _in_a_program_of_any_size(width, mode):
    return _in_a_program(width, mode, -1)


@pytest.mark.parametrize("run", [_at_once, _in_a_program, _in_a_program_of_any_size])
def test_a_mirror_image_of_more_than_there_is_is_refused(run):
    assert run([4, 1], "reflect") == [[[4.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 3.0]]]
    for width in ([5, 0], [0, 7]):
        with pytest.raises(ValueError, match="reflect.*at most 4"):
            run(width, "reflect")
    assert run([7, 0], "circular") == [[[3.0, 4.0, 0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 2.0, 3.0, 4.0]]]
