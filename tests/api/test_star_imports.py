"""`from package import *` brings no modules but those of PaddlePaddle: a script's own `nn` stays what it is."""

import importlib
import types

import pytest

_BROUGHT = {"audio": {"backends", "datasets", "features", "functional"}, "distributed": {"io"}}
_PACKAGES = ("amp audio autograd base.dygraph device distributed distributed.fleet distributed.fleet.utils "
             "distribution framework hapi incubate incubate.autograd incubate.nn incubate.optimizer inference io jit "
             "linalg metric nn nn.functional nn.initializer nn.utils optimizer optimizer.lr profiler quantization "
             "reader sparse sparse.nn static static.nn text utils utils.cpp_extension vision.datasets vision.models "
             "vision.transforms").split()


@pytest.mark.parametrize("name", _PACKAGES)
def test_a_star_import_brings_no_modules(name):
    brought = {}
    exec(f"from {importlib.import_module(f'proa.{name}').__name__} import *", brought)
    modules = {one for one, value in brought.items() if isinstance(value, types.ModuleType)}
    assert modules == _BROUGHT.get(name, set())


def test_a_scripts_own_names_stay():
    kept = {"nn": "mine", "lr": 0.1, "utils": "mine"}
    for package in ("static", "optimizer", "distributed", "incubate"):
        exec(f"from proa.{package} import *", kept)
    assert (kept["nn"], kept["lr"], kept["utils"]) == ("mine", 0.1, "mine")
