"""`flow.unittest`: the test case that OneFlow's tests derive from, and the decorators that say what they need."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

from .env import eager_execution_enabled
from .job.session import clear_default_session
from .refused import explaining

__all__ = ["TestCase", "env", "num_nodes_required", "skip_unless", "skip_unless_1n1d", "skip_unless_1n2d",
           "skip_unless_1n4d", "skip_unless_2n1d", "skip_unless_2n2d", "skip_unless_2n4d"]


class _Environment:
    """What tests ask of the surroundings."""

    @staticmethod
    def device_num() -> int:
        """1: the devices a machine."""
        return 1

    @staticmethod
    def node_size() -> int:
        """1: the machines."""
        return 1

    world_size = node_size

    @staticmethod
    def eager_execution_enabled() -> bool:
        """What `flow.enable_eager_execution` was told."""
        return eager_execution_enabled()

    @staticmethod
    def typing_check_enabled() -> bool:
        """False: parameters may go without annotations where their defaults say what they take."""
        return False


env = _Environment()


class TestCase(unittest.TestCase):
    """A test case each test of which begins with a session of its own."""

    def setUp(self) -> None:
        """Begins a session."""
        clear_default_session()


def skip_unless(n: int, d: int) -> Callable[[Any], Any]:
    """A decorator: the test runs where `n` machines with `d` devices each are wanted, which is one of each."""
    wanted = n == d == 1
    return unittest.skipUnless(wanted, f"only runs on {n} machines with {d} devices each")


def skip_unless_1n1d() -> Callable[[Any], Any]:
    """A decorator of tests for one device: they run."""
    return skip_unless(1, 1)


def skip_unless_1n2d() -> Callable[[Any], Any]:
    """A decorator of tests for two devices: they are skipped."""
    return skip_unless(1, 2)


def skip_unless_1n4d() -> Callable[[Any], Any]:
    """A decorator of tests for four devices: they are skipped."""
    return skip_unless(1, 4)


def skip_unless_2n1d() -> Callable[[Any], Any]:
    """A decorator of tests for two machines: they are skipped."""
    return skip_unless(2, 1)


def skip_unless_2n2d() -> Callable[[Any], Any]:
    """A decorator of tests for two machines with two devices each: they are skipped."""
    return skip_unless(2, 2)


def skip_unless_2n4d() -> Callable[[Any], Any]:
    """A decorator of tests for two machines with four devices each: they are skipped."""
    return skip_unless(2, 4)


def num_nodes_required(num_nodes: int) -> Callable[[Any], Any]:
    """A decorator: the test runs where that many machines are there: one."""
    return unittest.skipUnless(num_nodes == 1, f"only runs on {num_nodes} machines")


__getattr__ = explaining(__name__)
