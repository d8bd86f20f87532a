# ruff: noqa: F401
"""The framework that the functions in this folder are written for: proa, or PaddlePaddle where the oracle runs them."""

try:
    import proa as paddle
except ImportError:
    import paddle

CASES = {}


class Case:
    """A function, or a class of Layer, with the lists of arguments it is tried with."""

    def __init__(self, target, argument_sets, specs):
        self.target, self.specs = target, specs
        self.argument_sets = [a if isinstance(a, tuple) else (a,) for a in argument_sets]

    def __repr__(self):
        return self.target.__name__


def case(target, *argument_sets, specs=None):
    """Notes a function or class with the arguments to try: floats become float32 tensors, ints int64 ones.

    `specs`: the shapes with which it is saved; by default those of the first arguments, the first size unknown.
    """
    CASES[target.__name__] = Case(target, argument_sets, specs)
