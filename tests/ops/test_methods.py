"""Methods of Tensors and variables: their families are imported when they are looked up, and no sooner."""

import inspect
import subprocess
import sys

import proa as paddle
import pytest
from proa.core.absent import absent_methods
from proa.ops.methods import METHODS, Later, method
from proa.static.ir.variable import Variable

FIRST_TENSOR = """
import sys
import proa as paddle

def is_there(name):
    return "proa.ops." + name in sys.modules

x = paddle.ones([2, 2])
before = [is_there(name) for name in ("linalg.eigen", "sparse.methods", "random.sampling", "array.sorting")]
print(before, x.sort().shape, is_there("array.sorting"), paddle.Tensor.eigvals.__name__, is_there("linalg.eigen"))
"""


def test_a_first_tensor_imports_no_families_of_methods(tmp_path):
    done = subprocess.run([sys.executable, "-c", FIRST_TENSOR], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "[False, False, False, False] [2, 2] True eigvals True", done.stderr


@pytest.mark.parametrize("owner", [paddle.Tensor, Variable])
def test_a_method_is_a_function_of_its_class_once_it_was_looked_up(owner):
    for name in METHODS.keys() - absent_methods().keys():
        found = getattr(owner, name)
        assert not isinstance(found, Later) and found is getattr(owner, name), name
        held = next(vars(each)[name] for each in owner.__mro__ if name in vars(each))
        assert not isinstance(held, Later), name
        assert found.__doc__ or name.startswith("__"), name


def test_classes_that_are_derived_and_values_find_the_same():
    class Derived(paddle.Tensor):
        pass

    assert Derived.lerp is paddle.Tensor.lerp
    x = paddle.ones([2, 3])
    assert x.lerp.__func__ is paddle.Tensor.lerp and x.T.shape == [3, 2]
    assert list(inspect.signature(paddle.Tensor.topk).parameters)[:2] == ["x", "k"]
    assert method("lerp") is paddle.lerp and method("add_").__name__ == "add_"


def test_methods_of_variables_go_to_their_own_program():
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        paddle.enable_static()
        x = paddle.static.data("x", [3, 3])
        paddle.disable_static()
    found = [x.cov(), x.T, x.inverse(), x.sum()]
    assert all(isinstance(each, Variable) for each in found)
    assert {each.block.program for each in found} == {main}
