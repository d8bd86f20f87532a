"""The operation that `flatten` writes counts its dimensions from the front, as those who read a Program expect."""

import proa as paddle


def test_axes_from_the_front():
    main = paddle.static.Program()
    paddle.enable_static()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [None, 3, 2, 2])
        shapes = [paddle.flatten(x, 1).shape, paddle.nn.Flatten(-2)(x).shape, paddle.flatten(x, 0, -3).shape]
    paddle.disable_static()
    assert shapes == [(-1, 12), (-1, 3, 4), (-1, 2, 2)]
    written = [(op.attr("start_axis"), op.attr("stop_axis")) for op in main.global_block().ops]
    assert written == [(1, 3), (2, 3), (0, 1)]
