"""Forks wait for blocks that they must not cut in two, and are not held up for ever."""

import os
import threading
import time
import warnings

import pytest
from proa.core import forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def fork(in_child=lambda: None):
    """Forks; when the parent was on again, and what the child's work came to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a process with several threads, which this is about
        child = os.fork()
    if child == 0:
        try:
            in_child()
        except BaseException:
            os._exit(1)
        os._exit(0)
    forked = time.monotonic()
    return forked, os.waitpid(child, 0)[1]


def enter_and_leave():
    with forks.unforked():
        pass


def test_a_fork_waits_for_blocks_of_other_threads():
    entered, ended = threading.Event(), []

    def work():
        with forks.unforked(), forks.unforked():
            entered.set()
            time.sleep(0.2)
            ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait()
    forked, status = fork(enter_and_leave)
    thread.join()
    assert ended[0] <= forked and status == 0


def test_a_fork_does_not_wait_for_its_own_thread():
    begin = time.monotonic()
    with forks.unforked():
        forked, status = fork(enter_and_leave)
    assert forked - begin < forks.PATIENCE / 2 and status == 0
    assert not forks._inside


def test_a_fork_waits_no_longer_than_its_patience(monkeypatch):
    monkeypatch.setattr(forks, "PATIENCE", 0.1)
    entered, leave = threading.Event(), threading.Event()

    def work():
        with forks.unforked():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait()
    _, status = fork(enter_and_leave)
    leave.set()
    thread.join()
    assert status == 0 and not forks._inside
