"""Killing a child process when it enters its n-th system call. Linux, by ptrace."""

import ctypes
import os
import signal
import sys
import warnings

_TRACEME, _SYSCALL = 0, 24


def can_trace():
    """Whether a child of this process lets itself be traced: not in every container."""
    if sys.platform != "linux":
        return False
    try:
        killed_at(1, lambda: None)
    except (OSError, AssertionError):
        return False
    return True


def killed_at(count, function):
    """Runs `function` in a forked child that is killed before its system call number `count`; whether it came to it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    libc.ptrace.restype = ctypes.c_long
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child runs no code of other threads
        child = os.fork()
    if child == 0:
        status = 99
        try:
            if libc.ptrace(_TRACEME, 0, None, None) == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
                function()
                status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if not os.WIFSTOPPED(status):
        raise OSError("no child may be traced here")
    stops = 0
    while True:
        if libc.ptrace(_SYSCALL, child, None, None) != 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise OSError(ctypes.get_errno(), "ptrace")
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, status
            return False
        assert os.WIFSTOPPED(status), status
        stops += 1
        if stops == 2 * count - 1:  # each call stops twice: when it is entered, and when it is left
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True
