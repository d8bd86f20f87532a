"""`python -m proa run`, `info`, and `compat.install`: unmodified programs."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys, os
import paddle, paddle.nn as nn
import paddle.nn.functional as F
from paddle.static import InputSpec
from paddle.version import full_version
import paddle.optimizer.lr as lr

class Net(nn.Layer):
    def forward(self, x):
        return F.relu(x)

import pickle
print(__name__, sys.argv[1:], os.path.basename(__file__), os.path.basename(sys.path[0]))
print(paddle.__version__, full_version, paddle.version.major)
print(paddle.Tensor is type(Net()(paddle.ones([1]))), sys.modules["paddle.nn"].Layer is nn.Layer)
print(paddle.paddle is paddle)
print(pickle.loads(pickle.dumps(Net)).__module__)
import helper
print(helper.value)
print(nn.__name__, nn.__spec__.name)
sys.exit(7)
"""


def run(*arguments, cwd=None):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120)


def test_script_runs_as_python_would_run_it(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.py").write_text(SCRIPT)
    (folder / "helper.py").write_text("import paddle\nvalue = paddle.ones([2]).tolist()\n")
    done = run("-m", "proa", "run", str(folder / "main.py"), "--flag", "-m", "3", cwd=tmp_path)
    assert done.returncode == 7, done.stderr
    assert done.stdout.split("\n") == [
        "__main__ ['--flag', '-m', '3'] main.py project", "2.6.2 2.6.2 2", "True True", "True", "__main__",
        "[1.0, 1.0]", "proa.nn proa.nn", ""]
    assert done.stderr == ""


DECIDES = """import paddle

class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = paddle.to_tensor(1.0)

    def forward(self, x):
        self.scale = self.scale * 0.5 if x.sum() > 3 else self.scale * 2
        return x

net = paddle.jit.to_static(Net(), full_graph=True)
for value in (1.0, 1.0, 5.0):
    net(paddle.full([2], value))
    print(net.scale.item())
"""


def test_tensors_of_a_script_are_no_objects_of_the_users(tmp_path):
    """Their class says that it is of `paddle`, and has attributes of this package's own."""
    (tmp_path / "main.py").write_text(DECIDES)
    done = run("-m", "proa", "run", str(tmp_path / "main.py"))
    assert done.stdout == "2.0\n4.0\n2.0\n", done.stderr


READ_ONCE = """
import paddle, sys

@paddle.jit.to_static
def doubled(x):
    if x.sum() > 0:
        x = x * 2
    return x

print(doubled(paddle.ones([1])).item(), sys.argv, __name__)
"""


@pytest.mark.parametrize("named", ["/dev/stdin", "-"])
def test_a_script_that_can_be_read_once_only(named):
    command = [sys.executable, "-m", "proa", "run", named, "a"]
    done = subprocess.run(command, input=READ_ONCE, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, f"2.0 {[named, 'a']} __main__\n"), done.stderr


def test_errors_of_what_comes_by_standard_input_begin_with_its_lines():
    done = subprocess.run([sys.executable, "-m", "proa", "run", "-"], input="import paddle\n1 / 0\n",
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == [
        "Traceback (most recent call last):", '  File "<stdin>", line 2, in <module>']


def test_module_runs_too(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "tool.py").write_text(
        "import sys, paddle\nprint(__name__, sys.argv[1:], paddle.ones([1]).item())\n")
    done = run("-m", "proa", "run", "-m", "package.tool", "a", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "__main__ ['a'] 1.0\n"), done.stderr


_STARTS = """
import multiprocessing, os, subprocess, sys
import paddle

class Numbers:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return float(index), paddle.__version__

def version(queue):
    queue.put(paddle.__version__)

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=version, args=(queue,))
    process.start()
    print("process:", queue.get(timeout=100))
    process.join()
    if paddle.in_dynamic_mode():
        print("workers:", [version for _, version in paddle.io.DataLoader(Numbers(), batch_size=4, num_workers=1)])
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "import paddle; print('program:', paddle.__version__)"], check=True)
    os.system(f"cd / && {sys.executable} -c 'import paddle; print(paddle.nn.Linear.__module__)'")
"""


@pytest.mark.parametrize(("api", "version", "workers"), [
    ("2.6", "2.6.2", ["workers: [['2.6.2', '2.6.2', '2.6.2', '2.6.2']]"]), ("1.8", "1.8.5", [])])
def test_processes_that_a_script_starts_find_paddle_too(tmp_path, api, version, workers):
    (tmp_path / "main.py").write_text(_STARTS)
    done = run("-m", "proa", "run", "--api", api, "main.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"process: {version}", *workers, f"program: {version}", "proa.nn.layers.common"]


def test_errors_show_the_scripts_own_lines(tmp_path):
    (tmp_path / "bad.py").write_text("import paddle\n\npaddle.ones([2]) + paddle.ones([3])\n")
    done = run("-m", "proa", "run", str(tmp_path / "bad.py"))
    assert done.returncode == 1
    assert 'bad.py", line 3' in done.stderr and "broadcast" in done.stderr
    assert run("-m", "proa", "run", str(tmp_path / "missing.py")).returncode != 0
    assert run("-m", "proa", "run").returncode == 2


def test_workers_of_a_script_find_their_classes(tmp_path):
    (tmp_path / "load.py").write_text("""
import numpy as np, paddle
class Data(paddle.io.Dataset):
    def __getitem__(self, i): return np.full(2, i, "float32"), i
    def __len__(self): return 8
total = sum(float(x.sum()) for x, _ in paddle.io.DataLoader(Data(), batch_size=4, num_workers=2))
print(total)
""")
    done = run("-m", "proa", "run", str(tmp_path / "load.py"))
    assert (done.stdout, done.stderr) == ("56.0\n", "")


def test_install_asks_before_it_is_too_late():
    code = ("import sys, types; sys.modules['paddle'] = types.ModuleType('paddle')\nimport proa\n"
            "proa.compat.install('paddle')")
    done = run("-c", code)
    assert "imported already" in done.stderr
    done = run("-c", "import proa; proa.compat.install('paddle'); proa.compat.install('paddle'); import paddle.nothing")
    assert "No module named 'paddle.nothing'" in done.stderr
    assert proa_keeps_its_version()


def proa_keeps_its_version():
    done = run("-c", "import proa; proa.compat.install(); import paddle; print(proa.__version__ != paddle.__version__)")
    return done.stdout == "True\n"


def test_info():
    done = run("-m", "proa", "info")
    assert done.returncode == 0
    rows = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    assert "API of Paddle 2.6.2" in rows["proa"]
    assert {"numpy", "oneDNN", "generated loops", "OpenMP", "threads", "kernel cache", "CUDA"} <= rows.keys()


def test_info_says_why_an_engine_is_not_in_use(monkeypatch):
    monkeypatch.setenv("FLAGS_cpu_engines", "")
    monkeypatch.setenv("FLAGS_kernel_cache_megabytes", "0")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    done = run("-m", "proa", "info")
    assert done.stdout.count("off: FLAGS_cpu_engines does not name") == 3
    assert "off: FLAGS_kernel_cache_megabytes is 0" in done.stdout
    assert "3 (" in done.stdout and "OMP_NUM_THREADS is 3" in done.stdout


HEAVY = [
    "cupy", "ml_dtypes", "matplotlib", "tqdm", "gast", "llvmlite", "google.protobuf", "multiprocessing",
    "subprocess", "urllib.parse", "importlib.metadata", "numpy.random", "proa.jit", "proa.static", "proa.io", "proa.nn",
]


@pytest.mark.parametrize("code", ["import proa", "import proa as paddle; paddle.to_tensor([1.0]) + 1"])
def test_import_and_first_use_leave_heavy_modules_alone(code):
    before = "import sys; before = set(sys.modules)"  # an editable installation loads some for itself
    done = run("-c", f"{before}\n{code}\nprint([m for m in {HEAVY} if m in sys.modules and m not in before])")
    assert done.stdout == "[]\n", done.stdout + done.stderr


TRAINS = """import proa as paddle
net = paddle.vision.models.LeNet()
adam = paddle.optimizer.Adam(parameters=net.parameters())
net(paddle.ones([2, 1, 28, 28])).sum().backward()
adam.step()
"""
OF_OTHERS = ["google.protobuf", "llvmlite", "multiprocessing", "proa.io", "proa.jit", "proa.static.compiler",
             "proa.static.program", "proa.vision.datasets", "proa.vision.transforms"]


def test_training_step_by_step_leaves_programs_and_datasets_alone():
    before = "import sys; before = set(sys.modules)"
    done = run("-c", f"{before}\n{TRAINS}\nprint([m for m in {OF_OTHERS} if m in sys.modules and m not in before])")
    assert done.stdout == "[]\n", done.stdout + done.stderr


CONVERTED = """import sys, warnings, numpy
before = "numpy.random" in sys.modules
import proa as paddle
warnings.simplefilter("error")
double = paddle.jit.to_static(lambda x: x * 2)
print(double(paddle.ones([1])).tolist(), ("numpy.random" in sys.modules) == before)
noisy = paddle.jit.to_static(lambda x: x + numpy.random.rand(), full_graph=True)
try:
    noisy(paddle.ones([1]))
except UserWarning as warning:
    print("draws random numbers" in str(warning))
"""


def test_converting_a_function_leaves_numpys_generators_alone(tmp_path):
    """NumPy loads them when they are named first: in some milliseconds, which most first calls would wait for."""
    (tmp_path / "main.py").write_text(CONVERTED)
    done = run(str(tmp_path / "main.py"))
    assert done.stdout == "[2.0] True\nTrue\n", done.stdout + done.stderr


def test_import_needs_no_numpy():
    done = run("-c", "import sys, proa; print('numpy' in sys.modules, proa.__version__)")
    assert done.stdout.startswith("False "), done.stderr


@pytest.mark.parametrize("code", [
    "from proa.nn import Linear; print(Linear(2, 2)(__import__('proa').ones([1, 2])).shape)",
    "import proa.optimizer.lr as lr; print(lr.NoamDecay(64, 10).get_lr() > 0)",
    "from proa.vision.models import LeNet; print(len(LeNet().parameters()))",
    "import proa; proa.enable_static(); x = proa.static.data('x', [2]); print((x + 1).shape, proa.in_dynamic_mode()); "
    "proa.disable_static(); print(proa.ones([1]).item())",
    "import threading, proa; t = threading.Thread(target=lambda: print(proa.ones([1]).item())); t.start(); t.join()",
    "import proa; proa.set_flags({'FLAGS_cpu_engines': ''}); print(proa.ones([1]).item())",
    "from proa import *; print(float32, abs(to_tensor([-1.0])).item())",
    "import proa, pickle; print(pickle.loads(pickle.dumps([proa.float32, proa.abs, proa.nn.Linear]))[1] is proa.abs)",
    "import proa; from proa.ops.core.operator import find; proa.static; print(find('merged_adam'))",
])
def test_any_room_may_be_entered_first(code):
    done = run("-W", "error", "-c", code)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_what_follows_the_module_is_its_own(tmp_path):
    (tmp_path / "shown.py").write_text("import sys, paddle\nprint(sys.argv[1:], __name__)\n")
    for given in (["-m", "shown", "-q", "--version", "-m", "3"], ["-mshown", "-q", "--version", "-m", "3"]):
        done = run("-m", "proa", "run", *given, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "['-q', '--version', '-m', '3'] __main__\n"), done.stderr
    done = run("-m", "proa", "run", "-c", "import sys, paddle; print(sys.argv, paddle.ones([1]).item())", "-q")
    assert done.stdout == "['-c', '-q'] 1.0\n", done.stderr


def test_builtins_are_a_module_as_in_any_script(tmp_path):
    (tmp_path / "main.py").write_text("print(type(__builtins__).__name__, __builtins__.len is len)\n")
    assert run("-m", "proa", "run", str(tmp_path / "main.py")).stdout == "module True\n"


@pytest.mark.parametrize("given, told", [
    (["absent.py"], "there is no file 'absent.py'"), (["-m", "absent"], "there is no module 'absent'"),
    (["-m", "json.absent"], "there is no module 'json.absent'"), ([], "give a script"), (["-m"], "give a script"),
    (["--ap", "1.8"], "there is no option '--ap'; give a script")])
def test_what_is_not_there_is_told_without_a_traceback(given, told, tmp_path):
    done = run("-m", "proa", "run", *given, cwd=tmp_path)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr


def test_what_the_script_misses_has_a_traceback(tmp_path):
    (tmp_path / "main.py").write_text("import absent_package\n")
    for given in ([str(tmp_path / "main.py")], ["-m", "main"]):
        done = run("-m", "proa", "run", *given, cwd=tmp_path)
        assert done.returncode == 1 and "ModuleNotFoundError: No module named 'absent_package'" in done.stderr


def test_version_and_help():
    assert run("-m", "proa", "--version").stdout.startswith("proa 0.")
    assert "numpy-1-names" in run("-m", "proa", "run", "--help").stdout


def test_names_of_numpy_1(tmp_path):
    (tmp_path / "main.py").write_text(
        "import numpy as np\n"
        "print(np.product([2, 3]), np.bool8 is np.bool_, np.float_(1), np.in1d([1, 2], [2]).tolist(),"
        " np.NINF, np.alltrue([1]), np.msort([2, 1]).tolist(), np.asfarray([1]).dtype, np.mat([[1]]).shape)\n")
    done = run("-m", "proa", "run", "--numpy-1-names", str(tmp_path / "main.py"))
    assert done.stdout == "6 True 1.0 [False, True] -inf True [1, 2] float64 (1, 1)\n", done.stderr


def test_distributions_by_the_files_that_paddle_has_them_in(tmp_path):
    (tmp_path / "main.py").write_text(
        "import importlib\nimport paddle\nfrom paddle.distribution.gumbel import Gumbel\n"
        "assert Gumbel is paddle.distribution.Gumbel\n"
        "for file, name in (('beta', 'Beta'), ('cauchy', 'Cauchy'), ('distribution', 'Distribution'),\n"
        "                   ('exponential_family', 'ExponentialFamily'), ('geometric', 'Geometric'),\n"
        "                   ('independent', 'Independent'), ('kl', 'kl_divergence'), ('laplace', 'Laplace'),\n"
        "                   ('lognormal', 'LogNormal'), ('multinomial', 'Multinomial'),\n"
        "                   ('transformed_distribution', 'TransformedDistribution')):\n"
        "    module = importlib.import_module('paddle.distribution.' + file)\n"
        "    assert getattr(module, name) is getattr(paddle.distribution, name), file\n")
    done = run("-m", "proa", "run", str(tmp_path / "main.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_serves_several_frameworks_knows_a_tensor_by_its_module(tmp_path):
    (tmp_path / "main.py").write_text(
        "import pickle\nimport sys\nimport paddle\n"
        "x, weight = paddle.ones([2]), paddle.nn.Linear(2, 2).weight\n"
        "print(type(x).__module__.split('.')[0], type(weight).__module__, type(weight).__name__)\n"
        "print(pickle.loads(pickle.dumps(paddle.Tensor)) is paddle.Tensor,"
        " pickle.loads(pickle.dumps(type(weight))) is type(weight))\n"
        "with open(sys.argv[1], 'wb') as file:\n    pickle.dump([x, weight], file)\n")
    done = run("-m", "proa", "run", str(tmp_path / "main.py"), str(tmp_path / "values"))
    assert done.stdout == "paddle paddle.base.framework EagerParamBase\nTrue True\n", done.stderr
    again = run("-c", "import pickle, sys; x, weight = pickle.load(open(sys.argv[1], 'rb'));"
                "print(x.tolist(), weight.shape, weight.stop_gradient)", str(tmp_path / "values"))
    assert again.stdout == "[1.0, 1.0] [2, 2] False\n", again.stderr


def test_what_paddle_loads_itself_is_found_in_its_package(tmp_path):
    (tmp_path / "main.py").write_text("import paddle\nimport PIL\nimport importlib.resources\n"
                                      "print(PIL.Image.new('L', (2, 3)).size, type(PIL.__loader__).__name__)\n"
                                      "import urllib\n"
                                      "print(urllib.request.Request('http://a/b').host, paddle.version.cinn())\n")
    done = run("-m", "proa", "run", str(tmp_path / "main.py"), cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("(2, 3) SourceFileLoader\na False\n", "")


def test_names_by_the_files_that_paddle_has_them_in(tmp_path):
    """Whether a file is imported before or behind the package that it is in; functions of a file's name stay there."""
    (tmp_path / "main.py").write_text(
        "import importlib\nimport paddle\nfrom paddle.nn.utils.clip_grad_norm_ import clip_grad_norm_\n"
        "from paddle.optimizer.adamw import AdamW\nimport paddle.nn.initializer.kaiming\n"
        "assert AdamW is paddle.optimizer.AdamW and clip_grad_norm_ is paddle.nn.utils.clip_grad_norm_\n"
        "assert paddle.nn.initializer.kaiming.KaimingNormal is paddle.nn.initializer.KaimingNormal\n"
        "from proa.core.module_files import BESIDE_FUNCTIONS, PLACES\n"
        "for file, place in PLACES.items():\n"
        "    assert importlib.import_module('paddle' + file) is importlib.import_module('proa' + place), file\n"
        "for file, place in BESIDE_FUNCTIONS.items():\n"
        "    name = file.rpartition('.')[2]\n"
        "    function = getattr(importlib.import_module('paddle' + place), name)\n"
        "    assert callable(function) and getattr(importlib.import_module('paddle' + file), name) is function, file\n"
        "for file, name in (('.geometric.math', 'segment_sum'), ('.sparse.nn.layer.conv', 'Conv3D'),\n"
        "                   ('.autograd.py_layer', 'PyLayer'), ('.hapi.model_summary', 'summary'),\n"
        "                   ('.utils.layers_utils', 'flatten'), ('.io.dataloader.sampler', 'RandomSampler'),\n"
        "                   ('.metric.metrics', 'Accuracy'), ('.sparse.unary', 'sin'),\n"
        "                   ('.incubate.optimizer.modelaverage', 'ModelAverage'), ('.tensor.array', 'array_read'),\n"
        "                   ('.static.input', 'InputSpec'), ('.vision.transforms.functional_cv2', 'resize')):\n"
        "    assert hasattr(importlib.import_module('paddle' + file), name), file\n"
        "for file in ('.optimizer.adamax', '.geometric.reindex', '.distribution.independent', '.metric.metrics',\n"
        "             '.nn.functional.extension', '.nn.initializer.lazy_init', '.autograd.backward_mode'):\n"
        "    package, _, name = file.rpartition('.')\n"
        "    given = {}\n"
        "    exec(f'from paddle{package} import {name}', given)\n"
        "    assert given[name] is importlib.import_module('paddle' + file), file\n"
        "from paddle.distributed.fleet.recompute.recompute import recompute\n"
        "from paddle.fluid.dygraph.amp import AmpScaler, OptimizerState\n"
        "from paddle.fluid.dataloader.collate import default_collate_fn\n"
        "from paddle.fluid.framework import EagerParamBase\n"
        "assert recompute is paddle.distributed.fleet.utils.recompute and AmpScaler is paddle.amp.GradScaler\n"
        "assert default_collate_fn is paddle.io.default_collate_fn\n")
    done = run("-m", "proa", "run", str(tmp_path / "main.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
