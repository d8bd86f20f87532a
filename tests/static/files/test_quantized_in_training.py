"""Fake quantization of files whose scales follow their values in training: PaddlePaddle 2.6.2's numbers."""

import numpy as np
import proa as paddle


def test_the_scale_follows_what_is_quantized():
    program = paddle.static.Program()
    block = program.global_block()
    feed = {"X": np.float32([[1.0, -3.0], [0.5, 2.0]]), "InScale": np.float32([0.5]), "InAccum": np.float32([1.5]),
            "InState": np.float32([1.2])}
    for name, array in feed.items():
        block.create_var(name=name, shape=array.shape, dtype="float32")
    results = ["Out", "OutScale", "OutState", "OutAccum"]
    for name in results:
        block.create_var(name=name)
    block.append_op("fake_quantize_moving_average_abs_max", {name: name for name in feed},
                    {name: name for name in results}, {"bit_length": 8, "moving_rate": 0.8, "is_test": False})
    out, scale, state, accum = paddle.static.Executor().run(program, feed=feed, fetch_list=results)
    np.testing.assert_allclose([state[0], accum[0], scale[0]], [1.96, 4.2, 4.2 / 1.96], rtol=1e-6)
    assert out.tolist() == [[59, -127], [30, 119]]


def test_a_scale_in_its_own_place():
    """As training Programs have it: the new scale, state and sum are persistable, written where they stand."""
    program, scope = paddle.static.Program(), paddle.static.Scope()
    block = program.global_block()
    block.create_var(name="x", shape=[2], dtype="float32")
    block.create_var(name="y")
    for name in ("scale", "state", "accum"):
        block.create_var(name=name, shape=[1], dtype="float32", persistable=True)
        scope.var(name).get_tensor().set(np.float32([1]), paddle.CPUPlace())
    block.append_op("fake_quantize_moving_average_abs_max",
                    {"X": "x", "InScale": "scale", "InState": "state", "InAccum": "accum"},
                    {"Out": "y", "OutScale": "scale", "OutState": "state", "OutAccum": "accum"}, {"moving_rate": 0.5})
    for _ in range(2):
        y, = paddle.static.Executor().run(program, feed={"x": np.float32([4, -2])}, fetch_list=["y"], scope=scope)
    held = [float(np.array(scope.find_var(name).get_tensor())[0]) for name in ("scale", "state", "accum")]
    np.testing.assert_allclose(held, [6.25 / 1.75, 1.75, 6.25])
    assert y.tolist() == [127, -71]
