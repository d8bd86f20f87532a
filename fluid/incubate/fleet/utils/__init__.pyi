"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.incubate.fleet.utils`."""

from . import fleet_barrier_util, fleet_util, hdfs, utils

__all__ = ['fleet_barrier_util', 'fleet_util', 'hdfs', 'utils']
