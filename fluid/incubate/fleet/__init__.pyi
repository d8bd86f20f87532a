"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.incubate.fleet`."""

from . import base, collective, parameter_server, utils

__all__ = ['base', 'collective', 'parameter_server', 'utils']
