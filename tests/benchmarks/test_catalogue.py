"""The table of workloads says what is there."""

import re

import pytest

from benchmarks import catalogue
from benchmarks.__main__ import show_list
from benchmarks.workloads import resnet, transformer
from benchmarks.workloads.cases import CASES

MODULES = sorted({workload.module for workload in catalogue.ALL.values()} | {"first_call", "operator"})


@pytest.mark.parametrize("module", MODULES)
def test_every_workload_is_written_in_both_apis(module):
    found = catalogue.Workload("x", "x", module).module_object()
    of_1_x = module in {workload.module for workload in catalogue.FLUID}  # which has no PyTorch beside it
    assert callable(found.in_paddle) and (of_1_x or callable(found.in_torch))
    assert all(isinstance(value, (int, float)) for value in found.SIZE.values())


@pytest.mark.parametrize("name", catalogue.ALL)
def test_sizes_are_the_modules(name):
    workload = catalogue.ALL[name]
    assert set(workload.size) <= set(workload.module_object().SIZE)
    size = workload.sizes({"batch": 3, "unknown": 1})
    assert "unknown" not in size and size.get("batch", 3) == 3
    for what in ("operations", "traffic", "amount"):
        assert workload.count(what, size) is None or workload.count(what, size) > 0


def test_operations_of_models_are_the_known_ones():
    first, rest = resnet.multiplications(224, 1000)
    assert first + rest == pytest.approx(1.814e9, rel=0.01)  # the multiplications that ResNet-18 is known for
    size = {**transformer.SIZE, "training": 0, "batch": 1}
    assert transformer.operations(size) == pytest.approx(2 * 64 * 2 * (786_432 + 2 * 64 * 256))


def test_sides_follow_modes():
    workload = catalogue.ALL["resnet18-inference"]
    assert catalogue.sides(workload, ["torch"], None) == [("torch", "eager"), ("torch", "compile"), ("torch", "frozen")]
    assert catalogue.sides(workload, ["proa", "torch"], ["eager"]) == [("proa", "eager"), ("torch", "eager")]


def test_about_a_hundred_operators_are_compared():
    assert len(CASES) >= 100


def test_the_list_keeps_its_columns_apart(capsys):
    show_list()
    lines = capsys.readouterr().out.splitlines()
    for line, workload in zip(lines, catalogue.ALL.values(), strict=True):
        name, title, *_ = re.split("  +", line)
        assert (name, title) == (workload.name, workload.title)
