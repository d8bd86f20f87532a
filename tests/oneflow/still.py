"""A train job in which nothing moves, for tests of what is otherwise there in train jobs."""

import proa.oneflow as flow

NAMES = ("still", "System-Train-TrainStep-")


def stand_still():
    """Gives the train job that is being traced an optimizer, of a variable of its own."""
    still = flow.get_variable("still", (1,), initializer=flow.zeros_initializer())
    rate = flow.optimizer.PiecewiseConstantScheduler([], [0.0])
    flow.optimizer.SGD(rate, momentum=0, variables=["still"]).minimize(still * 1.0)


def others(variables):
    """Records of variables by name, without those that `stand_still` makes."""
    return {name: record for name, record in variables.items() if not name.startswith(NAMES)}
