"""Globals are told from attributes, keywords, locals and names of classes; each that is read is read again."""

import os
import subprocess
import sys
import textwrap
import types
import warnings

import proa as paddle
import pytest
from proa import nn
from proa.jit import FallbackWarning
from proa.jit.footprint.global_names import global_names

step = val = total = SCALE = None  # what the functions below have names like


class Methods(nn.Layer):
    def step(self, x):
        return x * 2

    def forward(self, x):
        return self.step(x)


class Keywords(nn.Layer):
    def forward(self, x):
        return dict(step=x, val=2)["step"]


class Locals(nn.Layer):
    def forward(self, x, step=3):
        def inner(val):
            total = val * 2
            return total

        return inner(x) * sum([val for val in range(step)]) + (lambda total: total)(1)


class Bodies(nn.Layer):
    def forward(self, x):
        class Numbers:
            step = 3
            val = step * 2

        return x * Numbers.step * Numbers.val


class Bound(nn.Layer):
    def forward(self, x):
        from math import e as val
        from math import pi as step
        if (total := step * val) > 2:
            x = x * total
        del step
        return x


class Changed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.val = {"total": 2}

    def forward(self, x):
        self.step += 1
        total = 0

        def more():
            nonlocal total
            total = total + self.val["total"]

        more()
        return x * total


class Chains(nn.Layer):
    def forward(self, x):
        setattr(self.space, "val", 2)
        value = getattr(self.space, "step", 3) * self.space.val
        del self.space.val
        return x * value

    space = types.SimpleNamespace()


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("kind", [Methods, Keywords, Locals, Bodies, Bound, Changed, Chains])
def test_one_program_whatever_a_global_of_that_name_does(kind, full_graph):
    global step, val, total
    net, eager, x = paddle.jit.to_static(kind(), full_graph=full_graph), kind(), paddle.ones([2])
    with warnings.catch_warnings():
        warnings.simplefilter("error", FallbackWarning)
        for step in range(12):
            val, total = [step], f"{step}"
            assert net(x).tolist() == eager(x).tolist()
    assert net.forward.get_traced_count() == 1


def test_names_of_code():
    def function(self, x, given):
        global total
        total = x

        class Inner(Base):  # noqa: F821
            attribute = step
            own = 1
            if given:
                perhaps = 1
            taken = own
            read = perhaps

        return [y.val for y in self.step if y is not SCALE], Inner, lambda v: v.total + unknown  # noqa: F821

    named = {"total", "Base", "step", "SCALE", "unknown", "perhaps"}
    assert global_names(function.__code__) - {"__name__"} == named


def test_long_code_has_indices_over_a_byte():
    scope = {}
    names = [f"name_{i}" for i in range(700)]
    read = ", ".join([*names, *(f"self.attribute_{i}" for i in range(700))])
    exec(f"def long(self):\n    return [{read}]", scope)
    assert global_names(scope["long"].__code__) == set(names)


def helper(x):
    return x * SCALE


def never(x):
    return helper(x) - SCALE


def also_never(x):
    return never(x) + SCALE


def test_a_global_that_several_functions_name_is_read_again():
    """Which of them was looked at first depended on the hashes of names: whether it showed, on the process."""
    program = textwrap.dedent("""
        import importlib, proa as paddle
        names = importlib.import_module("proa.tests.jit.test_global_names")

        def with_scale(scale):
            names.SCALE = scale
            return names.choose(paddle.ones([1])).item()

        print([with_scale(scale) for scale in (2.0, 5.0)])
    """)
    for seed in "123":
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONHASHSEED": seed})
        assert done.stdout.strip() == "[2.0, 5.0]", seed


@paddle.jit.to_static
def choose(x, way=1):
    if way == 0:
        return never(x) + also_never(x)
    return helper(x)


def test_a_global_that_the_function_makes():
    @paddle.jit.to_static(full_graph=True)
    def make(x):
        global made_here
        made_here = x * 2
        return x

    make(paddle.ones([1]))
    del globals()["made_here"]
    make(paddle.full([1], 3.0))
    assert globals()["made_here"].item() == 6.0


def test_a_global_number_that_goes_on_runs_as_written_after_two_programs():
    global total
    total = 0

    def count(x):
        global total
        total += 1
        return x * total

    converted = paddle.jit.to_static(count)
    with pytest.warns(FallbackWarning, match=r"`total`.*another value in call after call") as given:
        assert [converted(paddle.ones([1])).item() for _ in range(5)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert len(given) == 1 and converted.get_traced_count() == 2
