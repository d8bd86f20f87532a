"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.incubate.fleet.base`."""

from . import fleet_base, mode, role_maker

__all__ = ['fleet_base', 'mode', 'role_maker']
