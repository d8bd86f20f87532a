"""Attributes that code which names an operator by its type does not give are what PaddlePaddle 2.6.2 takes then."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa.core.dtype import DType
from proa.ops.core.operator import all_operators

THERE = json.loads((Path(__file__).parents[1] / "fixtures" / "operators" / "defaults.json").read_text("utf-8"))

#: Attributes with another default that means the same, or nothing to anybody.
_WINDOWS = "nothing given is one a dimension, and no padding"
_SAME = {
    "strides": _WINDOWS, "paddings": _WINDOWS, "dilations": _WINDOWS,
    "data_format": "NCHW stands for any number of dimensions", "im2col_step": "how much is computed at once",
    "rtol": "a number's text", "atol": "a number's text", "output_size": "follows from the input",
    "endpoint": "addresses", "endpoints": "addresses", "pserver_id": "addresses",
    "use_calc_stream": "of devices", "use_model_parallel": "of devices", "nranks": "of several processes",
    "is_sorted": "given where older calls do not know it", "Repeats": "0 is refused", "lars_weight_decay": "one a row",
}
_OTHERWISE = {
    ("set_value", "dtype"), ("unique_consecutive", "dtype"),  # theirs is a dtype that the operator refuses
    ("match_matrix_tensor", "dim_t"), ("var_conv_2d", "InputChannel"), ("var_conv_2d", "OutputChannel"),  # to be given
    ("py_func", "forward_callable_id"), ("recv_v2", "dtype"),
}


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, DType):
        return value.number
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _nothing(value):
    return value is None or value == "" or value == [] or value == -1


def test_defaults_are_theirs():
    differing = []
    for op in all_operators():
        ours = op.defaults | op.unsaid
        for name, there in THERE.get(op.type, {}).items():
            if name not in op.attributes or name in _SAME or (op.type, name) in _OTHERWISE:
                continue
            here = ours.get(name)
            if _plain(here) != _plain(there) and not (_nothing(here) and _nothing(there)):
                differing.append(f"{op.type}: {name} is {here}, and {there} there; say it by unsaid={{…}}")
    assert not differing, "\n".join(differing)


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("type, expected", [
    ("reduce_sum", X.sum(0)), ("reduce_max", X.max(0)), ("logsumexp", np.log(np.exp(X).sum(0))),
    ("frobenius_norm", np.sqrt((X * X).sum(0))), ("tril_triu", np.triu(X)), ("fill_any_like", np.zeros((2, 3)))])
def test_what_is_not_said_is_as_there(type, expected):
    """In a Program, and applied to a Tensor."""
    program = paddle.static.Program()
    block = program.global_block()
    x = block.create_var(name="x", shape=[2, 3], dtype="float64")
    y = block.create_var(name="y", dtype="float64")
    block.append_op(type, {"X": x}, {"Out": y})
    found, = paddle.static.Executor().run(program, feed={"x": X}, fetch_list=["y"])
    np.testing.assert_allclose(found, expected)
    with paddle.base.dygraph.base.guard(paddle.CPUPlace()):
        block = paddle.base.default_main_program().global_block()
        out = block.create_var(dtype="float64", persistable=False)
        block.append_op(type, {"X": [paddle.to_tensor(X)]}, {"Out": [out]})
    np.testing.assert_allclose(out.numpy(), expected)


def test_constants_need_a_shape_alone():
    program = paddle.static.Program()
    block = program.global_block()
    block.create_var(name="sizes", shape=[2], dtype="int32")
    block.create_var(name="y")
    block.append_op("fill_constant", {"ShapeTensor": "sizes"}, {"Out": "y"}, {"value": 2.0})
    found, = paddle.static.Executor().run(program, feed={"sizes": np.int32([1, 2])}, fetch_list=["y"])
    assert found.dtype == np.float32 and found.tolist() == [[2, 2]]
