"""Threads of the user's, forks, and how many threads compute: each in a fresh process, where kernels are new."""

import os
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from proa.backend import blas, threads
from proa.backend.onednn.library import is_ready as onednn_is_ready
from proa.backend.onednn.routine import forget as onednn_forget
from proa.core.flags import flags_guard

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

#: What every process below starts with: a net that uses products, convolutions, pooling, norms and elementwise loops.
PREAMBLE = """
import os, sys, threading
import numpy as np
import proa as paddle
from proa import nn
from proa.nn import functional as F
paddle.set_flags({"FLAGS_kernel_cache_megabytes": 0})  # every kernel is compiled here

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.linear = nn.Conv2D(3, 8, 3, padding=1), nn.LayerNorm(512), nn.Linear(512, 300)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = self.norm(paddle.flatten(x, 1))
        return F.softmax(F.gelu(self.linear(x)) * 2 + 1)

paddle.seed(1)
net = Net()
net.eval()
images = [np.random.default_rng(n).normal(size=(64, 3, 16, 16)).astype("float32") for n in range(4)]

def same(result, expected):
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-4, atol=1e-6)

def at_once(work):
    # Runs work(0) … work(3) in four threads that begin together; raises what one of them raised.
    barrier, failures = threading.Barrier(4), []
    def run(n):
        try:
            barrier.wait()
            work(n)
        except BaseException as error:
            failures.append(error)
    running = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in running: thread.start()
    for thread in running: thread.join()
    if failures: raise failures[0]

def expected():
    # What NumPy's kernels give, one operator after the other.
    paddle.set_flags({"FLAGS_cpu_engines": ""})
    values = [net(paddle.to_tensor(x)).numpy() for x in images]
    paddle.set_flags({"FLAGS_cpu_engines": "onednn,loops,panels"})
    return values
"""


@pytest.fixture
def run(tmp_path):
    def run(code, **environment):
        kept = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        script = tmp_path / "script.py"  # a file, since conversion reads the source
        script.write_text(PREAMBLE + code)
        done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", str(script)], capture_output=True,
                              text=True, timeout=240, env={**kept, **environment})
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout

    return run


def test_the_number_can_be_set():
    before = paddle.get_num_threads()
    try:
        paddle.set_num_threads(1)
        assert paddle.get_num_threads() == 1 and blas.get_num_threads() in (1, None)
        for wrong in (0, -1, 1.5, "2", True):
            with pytest.raises(ValueError, match="positive int"):
                paddle.set_num_threads(wrong)
    finally:
        paddle.set_num_threads(before)
    assert blas.get_num_threads() in (before, None)


@pytest.mark.parametrize("text, count", [("3", 3), ("2,1", 2), ("", None), ("0", None), ("many", None)])
def test_the_number_comes_from_the_environment(monkeypatch, text, count):
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert threads._available() == (count or available)


STEP = """
def steps():
    mlp = nn.Sequential(nn.Linear(784, 300), nn.ReLU(), nn.Linear(300, 10))
    adam = paddle.optimizer.Adam(parameters=[*mlp.parameters(), *net.parameters()])
    for _ in range(2):
        loss = mlp(paddle.rand([64, 784])).mean() + net(paddle.to_tensor(images[0])).square().mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
def pools():
    from threadpoolctl import threadpool_info
    return {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
def all_threads():
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
"""


@pytest.mark.parametrize("count", [1, 2])
def test_no_pool_is_larger_than_the_environment_says(run, count):
    pytest.importorskip("threadpoolctl")
    out = run(STEP + "steps()\nprint(paddle.get_num_threads(), max(pools().values(), default=0), all_threads())",
              OMP_NUM_THREADS=str(count))
    number, largest, alive = map(int, out.split())
    assert number == count and largest <= count
    assert alive <= 1 + 2 * (count - 1)  # the caller, and the others of NumPy's pool and of the kernels' own


def test_no_pool_is_larger_than_was_set(run):
    pytest.importorskip("threadpoolctl")
    out = run(STEP + "paddle.set_num_threads(1)\nsteps()\nprint(max(pools().values(), default=0))", OMP_NUM_THREADS="2")
    assert int(out) <= 1


def test_a_converted_function_in_four_threads(run):
    run("""
wanted = expected()
static = paddle.jit.to_static(net)
def work(n):
    for _ in range(5):
        same(static(paddle.to_tensor(images[n])), wanted[n])
at_once(work)
""")


def test_gradients_of_a_converted_function_in_four_threads(run):
    run("""
def gradient(function, n):
    x = paddle.to_tensor(images[n], stop_gradient=False)
    return paddle.grad((function(x) * paddle.arange(300, dtype="float32")).sum(), x)[0].numpy()
paddle.set_flags({"FLAGS_cpu_engines": ""})
wanted = [gradient(net, n) for n in range(4)]
paddle.set_flags({"FLAGS_cpu_engines": "onednn,loops,panels"})
static = paddle.jit.to_static(net)
def work(n):
    for _ in range(5):
        np.testing.assert_allclose(gradient(static, n), wanted[n], rtol=2e-3, atol=2e-3 * np.abs(wanted[n]).max())
at_once(work)
""")


def test_a_program_in_four_threads(run):
    run("""
wanted = expected()
paddle.enable_static()
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [None, 3, 16, 16])
    paddle.seed(1)
    same_net = Net()
    same_net.eval()
    y = same_net(x)
executor = paddle.static.Executor(paddle.CPUPlace())
executor.run(startup)
for ours, theirs in zip(same_net.parameters(), net.parameters()):
    paddle.static.global_scope().find_var(ours.name).get_tensor().set(theirs.numpy(), paddle.CPUPlace())
def work(n):
    for _ in range(5):
        same(executor.run(main, feed={"x": images[n]}, fetch_list=[y])[0], wanted[n])
at_once(work)
""")


def test_the_first_calls_of_kernels_in_four_threads(run):
    run("""
wanted = expected()
def work(n):
    for _ in range(5):
        same(net(paddle.to_tensor(images[n])), wanted[n])
at_once(work)
""")


@needs_fork
def test_workers_forked_after_kernels_ran(run):
    run("""
wanted = expected()
class Images(paddle.io.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, n):
        assert paddle.get_num_threads() == 1
        return net(paddle.to_tensor(images[n])).numpy(), n
for x, y in zip(images, wanted):
    same(net(paddle.to_tensor(x)), y)
for batch, numbers in paddle.io.DataLoader(Images(), batch_size=1, num_workers=2):
    same(batch[0], wanted[int(numbers)])
for x, y in zip(images, wanted):
    same(net(paddle.to_tensor(x)), y)
""")


@needs_fork
def test_forks_wait_for_a_thread_that_makes_a_logger(run):
    run("""
import logging, time
from proa.core.forks import unforked
inside, done = threading.Event(), []
def imports():
    with unforked():
        inside.set()
        time.sleep(0.2)
        logging.getLogger("some.module")  # takes a lock that forks take, too
        done.append(True)
thread = threading.Thread(target=imports)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    os._exit(0 if done else 1)
_, status = os.waitpid(child, 0)
thread.join()
assert status == 0
""")


@needs_fork
def test_forks_while_another_thread_computes(run):
    run("""
import faulthandler, time, traceback
wanted = expected()
stop, failures = threading.Event(), []
def busy():
    rng = np.random.default_rng(0)
    try:
        while not stop.is_set():  # new shapes and new programs: something is always being compiled
            rows = int(rng.integers(1, 40))
            x = paddle.to_tensor(rng.normal(size=(rows, 3, 16, 16)).astype("float32"))
            static = paddle.jit.to_static(Net())
            static(x)
            F.gelu(paddle.rand([rows, 1000]) * rows)
    except BaseException as error:
        failures.append(error)
thread = threading.Thread(target=busy, daemon=True)  # a failure below is not to wait for it
thread.start()
for n in range(12):
    time.sleep(0.05 * (n % 4))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            faulthandler.dump_traceback_later(60, exit=True)
            same(net(paddle.to_tensor(images[n % 4])), wanted[n % 4])
            same(paddle.jit.to_static(net)(paddle.to_tensor(images[n % 4])), wanted[n % 4])
            assert paddle.rand([2]).shape == [2]  # the generator's lock was not cut in two
            status = 0
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status == 0, (n, status)
stop.set()
thread.join()
if failures: raise failures[0]
""")


@pytest.mark.skipif(not onednn_is_ready(), reason="there is no oneDNN")
@pytest.mark.parametrize("setting", ["here", "elsewhere"])
def test_routines_run_on_as_many_threads_as_they_were_made_for(setting):
    """On another number they give wrong gradients, whoever has set it meanwhile."""
    random = np.random.default_rng(0)
    x = paddle.to_tensor(random.standard_normal((3, 3, 8, 8)).astype("float32"), stop_gradient=False)
    weights = [paddle.to_tensor(random.standard_normal(shape).astype("float32"), stop_gradient=False)
               for shape in ((6, 3, 3, 3), (6, 6, 3, 3), (6, 3, 1, 1))]
    conv2d = paddle.nn.functional.conv2d

    def gradient():
        y = conv2d(conv2d(x, weights[0], stride=2, padding=1), weights[1], padding=1) + conv2d(x, weights[2], stride=2)
        return np.concatenate([g.numpy().ravel() for g in paddle.grad((y**2).sum(), [x, *weights])])

    with flags_guard({"FLAGS_cpu_engines": ""}):
        expected = gradient()
    before = paddle.get_num_threads()
    try:
        paddle.set_num_threads(2)
        with flags_guard({"FLAGS_cpu_engines": "onednn,loops"}):
            conv2d(x[:, :, 1:], weights[0])  # on one thread, being small
        if setting == "here":
            paddle.set_num_threads(1)
            paddle.set_num_threads(2)
        else:
            threads.openmp().omp_set_num_threads(2)
        with flags_guard({"FLAGS_cpu_engines": "onednn,loops"}):
            made = gradient()
            conv2d(paddle.ones([16, 3, 64, 64]), weights[0])  # on two
            again = gradient()
        for found in made, again:
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    finally:
        paddle.set_num_threads(before)
        onednn_forget()


@pytest.mark.skipif(threads.openmp() is None, reason="there is no libgomp")
@pytest.mark.parametrize(("load", "given", "wanted"), [
    ("threads.openmp()", {}, "20000"), ("threads.openmp()", {"GOMP_SPINCOUNT": "7"}, "7"),
    pytest.param("library()", {}, "20000", marks=pytest.mark.skipif(not onednn_is_ready(), reason="needs oneDNN"))])
def test_waiting_threads_sleep_soon(load, given, wanted):
    script = ("import os; from proa.backend import threads; from proa.backend.onednn.library import library; "
              f"before = dict(os.environ); {load}; assert dict(os.environ) == before")
    unset = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run([sys.executable, "-c", script], env={**unset, "OMP_DISPLAY_ENV": "VERBOSE", **given},
                          capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"GOMP_SPINCOUNT = '{wanted}'" in done.stderr
