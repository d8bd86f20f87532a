"""Imports every module and trains, where what only Linux has is taken away: `python elsewhere.py win32|darwin FOLDER`.

What other systems lack is removed from Python's modules after the standard library and the packages that are needed
have been imported, for these know where they run. It says what a module asks for; how another system behaves it cannot.
"""

import ctypes
import importlib
import mmap
import multiprocessing.pool
import multiprocessing.shared_memory
import multiprocessing.spawn
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import traceback

import click  # noqa: F401
import gast  # noqa: F401
import google.protobuf.descriptor_pool
import google.protobuf.message
import numpy as np
import numpy.testing

try:
    import llvmlite.binding  # noqa: F401
except ImportError:  # the base install
    pass

NOT_ON_WINDOWS = {
    os: """fork forkpty register_at_fork getuid geteuid getgid getegid getpgid killpg setsid setpgid fchmod fchown chown
        lchown mkfifo nice sched_getaffinity sched_setaffinity getloadavg uname wait3 wait4 WNOHANG posix_spawn
        O_CLOEXEC O_NOFOLLOW O_DIRECTORY O_NONBLOCK pread pwrite posix_fadvise sync statvfs pidfd_open memfd_create
        sendfile setuid setgid openpty ttyname sysconf""".split(),
    signal: """SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGCHLD SIGKILL SIGALRM SIGPIPE SIGCONT SIGSTOP SIGTSTP SIGBUS alarm pause
        pthread_sigmask pthread_kill sigwait sigwaitinfo sigtimedwait setitimer SIG_BLOCK SIG_UNBLOCK SIG_SETMASK
        """.split(),
    mmap: "PROT_READ PROT_WRITE PROT_EXEC MAP_PRIVATE MAP_SHARED MAP_ANONYMOUS MAP_ANON MAP_POPULATE".split(),
}
NOT_ON_MACOS = {
    os: """sched_getaffinity sched_setaffinity memfd_create pidfd_open posix_fadvise setns unshare eventfd splice
        getrandom""".split(),
    signal: ["sigwaitinfo", "sigtimedwait", "SIGPWR", "SIGPOLL", "SIGSTKFLT"],
    mmap: ["MAP_POPULATE", "MAP_STACK"],
}
UNIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix", "crypt", "nis", "spwd")
NOT_PACKAGED = {"tests", "docs", "benchmarks", "examples", "build", "dist", "setup", "__main__", "hook-proa"}


def take_away(platform):
    """Leaves what the other system has."""
    for module, names in (NOT_ON_WINDOWS if platform == "win32" else NOT_ON_MACOS).items():
        for name in names:
            vars(module).pop(name, None)
    sys.platform = platform
    if platform == "darwin":
        return
    for name in UNIX_MODULES:
        sys.modules[name] = None  # an import of it fails
    opened = ctypes.CDLL.__init__

    def opens(self, name, *args, **kwargs):
        if name is None:
            raise TypeError("argument of type 'NoneType' is not iterable")  # as Python says there
        opened(self, name, *args, **kwargs)

    ctypes.CDLL.__init__ = opens


def import_all():
    """Every module of the package; those that fail, with their tracebacks."""
    import proa

    failed = []
    for found in pkgutil.walk_packages(proa.__path__, "proa.", onerror=failed.append):
        parts = found.name.split(".")
        if parts[1] in NOT_PACKAGED or parts[-1] in NOT_PACKAGED:
            continue
        try:
            importlib.import_module(found.name)
        except BaseException:
            text = traceback.format_exc()
            if not any(f"No module named '{extra}'" in text for extra in ("cupy", "grpc", "mpi4py", "PIL", "matplotlib",
                                                                         "mlxtend", "tqdm", "paddle2onnx", "netron")):
                failed.append(f"{found.name}:\n{text}")
    return failed


def train(folder):
    """A converted network, trained with what a worker thread reads, saved and loaded."""
    import proa as paddle

    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.fc = paddle.nn.Conv2D(1, 4, 3), paddle.nn.Linear(144, 3)

        @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([None, 1, 8, 8])])
        def forward(self, x):
            y = self.fc(paddle.flatten(paddle.nn.functional.gelu(self.conv(x)), 1))
            if y.mean() > 0:
                y = y * 2
            return y

    net = Net()
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    data = paddle.io.TensorDataset([paddle.randn([12, 1, 8, 8]), paddle.randint(0, 3, [12])])
    for images, labels in paddle.io.DataLoader(data, batch_size=4):
        loss = paddle.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
    path = os.path.join(folder, "net")
    paddle.jit.save(net, path)
    paddle.save(net.state_dict(), path + ".pdparams")
    images = paddle.randn([2, 1, 8, 8])
    np.testing.assert_allclose(paddle.jit.load(path)(images).numpy(), net(images).numpy(), atol=1e-5)


if __name__ == "__main__":
    assert multiprocessing and subprocess and tempfile and google
    take_away(sys.argv[1])
    problems = import_all()
    print(*problems, sep="\n")
    train(sys.argv[2])
    print(f"{len(problems)} modules failed")
    sys.exit(bool(problems))
