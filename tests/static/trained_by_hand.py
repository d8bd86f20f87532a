"""What tests of training in Programs share: parameters that begin as numbers, and runs of the default Programs."""

import numpy as np
import proa as paddle
from proa import static


def weight(name, value, shape=(1,)):
    """A parameter that begins as a number."""
    return static.create_parameter(list(shape), "float32", name=name,
                                   default_initializer=paddle.nn.initializer.Constant(value))


def fetched(fetch_list, begins=True, **feed):
    """What a run of the default main Program gives, after one of the startup Program."""
    exe = static.Executor()
    if begins:
        exe.run(static.default_startup_program())
    return [np.asarray(array) for array in exe.run(feed=feed, fetch_list=fetch_list)]
