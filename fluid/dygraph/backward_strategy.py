"""BackwardStrategy: what `loss.backward(strategy)` is told."""

__all__ = ["BackwardStrategy"]


class BackwardStrategy:
    """`sort_sum_gradient`: whether gradients of a value that is used several times are summed in the order of its uses.

    They always are summed in one order here, so it changes nothing.

    >>> import proa.fluid as fluid
    >>> strategy = fluid.dygraph.BackwardStrategy()
    >>> strategy.sort_sum_gradient
    False
    """

    def __init__(self) -> None:
        self.sort_sum_gradient = False
