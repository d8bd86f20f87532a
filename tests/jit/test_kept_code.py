"""Converted functions on disk: found again by another process, by nothing but the same code, and read as source."""

import os
import subprocess
import sys

import pytest
from proa.core.flags import flags_guard
from proa.jit.convert import kept_code
from proa.jit.convert.functions import convert, generated_source
from proa.jit.converters import OPERATORS
from proa.jit.operators import NAME

PROGRAM = """
import sys
import numpy as np
import proa as paddle
from module import net
print(net(paddle.to_tensor([3.0])).tolist(), net(paddle.to_tensor([-3.0])).tolist(), "gast" in sys.modules)
print("return" in net.code)
"""
MODULE = """
import proa as paddle

def scaled(x):
    while x.sum() < 10:
        x = x * 2 + 1
    return x

@paddle.jit.to_static
def net(x):
    if x.sum() > 0:
        return scaled(x)
    return -x
"""


@pytest.fixture
def folder(tmp_path):
    with flags_guard({"FLAGS_kernel_cache_dir": str(tmp_path / "kernels")}):
        yield tmp_path / "kernels"


def test_the_name_in_generated_code_is_known_on_both_sides():
    assert NAME == OPERATORS


def test_a_second_process_converts_nothing(tmp_path):
    (tmp_path / "module.py").write_text(MODULE, encoding="utf-8")
    environment = {**os.environ, "FLAGS_kernel_cache_dir": str(tmp_path / "kernels"),
                   "PYTHONPATH": os.pathsep.join(p for p in [str(tmp_path), *sys.path] if p)}
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True,
                           cwd=tmp_path).stdout.splitlines() for _ in range(2)]
    assert runs == [["[15.0] [3.0] True", "True"], ["[15.0] [3.0] False", "True"]]


def test_only_the_same_code_is_found(folder):
    def first(x):
        return x + 1

    def second(x):
        return x + 1

    assert kept_code.read(first.__code__) is None
    convert(first)
    kept = kept_code.read(first.__code__)
    assert kept is not None and kept.co_firstlineno == first.__code__.co_firstlineno
    assert kept_code.read(second.__code__) is None
    assert kept_code.read(first.__code__.replace(co_consts=(None, 2))) is None


def test_constants_of_equal_value_are_told_apart(folder):
    codes = [compile(text, "f", "eval") for text in ("x + 1", "x + 1.0", "x + True", "x in {'a', 'b'}", "x in {'a'}")]
    assert len({kept_code._key(code) for code in codes}) == len(codes)


def test_source_is_read_of_what_was_kept(folder):
    def function(x):
        if x > 0:
            return 1
        return 2

    text = generated_source(function)
    assert "if_stmt" in text and generated_source(convert(function)) == text
