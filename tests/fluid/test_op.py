"""`fluid.op.Operator`: operators by their slots' names on a scope, as tests of 1.x's operators run them."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid.op import Operator

HOST = fluid.CPUPlace()


@pytest.fixture
def scope():
    return fluid.core.Scope()


def put(scope, **arrays):
    for name, array in arrays.items():
        scope.var(name).get_tensor().set(np.array(array), HOST)


def found(scope, name):
    return np.array(scope.find_var(name).get_tensor()).tolist()


def test_rows_of_a_gradient(scope):
    put(scope, p=np.full((4, 2), 5.0, "float32"), rate=np.array([2.0], "float32"))
    gradient = scope.var("g").get_selected_rows()
    gradient.set_rows([0, 2, 2])
    gradient.set_height(4)
    gradient.get_tensor().set(np.ones((3, 2), "float32"), HOST)
    operator = Operator("sgd", Param="p", Grad="g", LearningRate="rate", ParamOut="p")
    operator.run(scope, HOST)
    assert found(scope, "p") == [[3, 3], [5, 5], [1, 1], [5, 5]]  # 1.8.5's
    assert operator.type() == "sgd" and operator.outputs() == {"ParamOut": ["p"]}


def test_several_inputs_and_attributes(scope):
    put(scope, a=np.ones((1, 2), "float32"), b=np.zeros((2, 2), "float32"), ids=np.array([[1], [0]]))
    Operator("concat", X=["a", "b"], Out="c", axis=0).run(scope, HOST)
    Operator(type="lookup_table", W="c", Ids="ids", Out="rows", padding_idx=0).run(scope, HOST)
    assert found(scope, "c") == [[1, 1], [0, 0], [0, 0]] and found(scope, "rows") == [[0, 0], [0, 0]]


def test_what_operators_take():
    assert Operator.get_op_input_names("mul") == ["X", "Y"] and Operator.get_op_outputs("split") == [("Out", True)]
    assert "x_num_col_dims" in Operator.get_op_attr_names("mul") and "sgd" in Operator.types()


@pytest.mark.parametrize(("error", "told", "call"), [
    (ValueError, "there is no operator of this type", lambda: Operator("nonsense", X="x")),
    (ValueError, "takes one name", lambda: Operator("mul", X=["x", "z"], Y="y", Out="out")),
    (ValueError, "the one argument without a keyword", lambda: Operator(X="x")),
    (TypeError, "slots nor attributes", lambda: Operator("relu", X="x", Out="y", slope=1.0)),
])
def test_what_is_refused(error, told, call):
    with pytest.raises(error, match=told):
        call()
