"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.incubate`."""

from . import data_generator, fleet

__all__ = ['data_generator', 'fleet']
