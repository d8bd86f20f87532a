"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.incubate.fleet.parameter_server`."""

from . import distribute_transpiler, pslib, version

__all__ = ['distribute_transpiler', 'pslib', 'version']
