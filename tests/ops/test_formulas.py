"""Every formula against the kernel that it stands for, on values that matter: signs, zeros, NaN and infinities."""

import re

import numpy as np
import pytest
from proa.backend.loops import formula, is_ready
from proa.ops.core.operator import all_operators

pytestmark = [pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed"),
              pytest.mark.usefixtures("as_around_kernels")]

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, -3.5, 6.0, 7.0, 30.0, -30.0, 1e-8, np.nan,
                    np.inf, -np.inf], "float32")
ATTRIBUTES = {
    "scale": [{"scale": 2.0, "bias": -1.0}, {"scale": -0.5, "bias": 3.0, "bias_after_scale": False}],
    "pow": [{"factor": f} for f in (1.0, 2.0, 3.0, 0.5, -1.0)],
    "cast": [],
    "gelu": [{}, {"approximate": True}], "gelu_grad": [{}, {"approximate": True}],
    "slope_between": [{}, {"low": 0.0}, {"high": 1.0, "inside": 0.0, "outside": 1.0}, {"low": 0.0, "outside": 0.2}],
    "dropout_backward": [{"dropout_prob": p, "dropout_implementation": i} for p in (0.3, 1.0)
                         for i in ("upscale_in_train", "downgrade_in_infer")],
    "softplus": [{}, {"beta": 2.0, "threshold": 5.0}], "swish": [{}, {"beta": 1.5}],
    "clip": [{"min": -1.0, "max": 2.0}],
    "where_inside": [{"min": -1.0, "max": 2.0}], "brelu": [{"t_min": -1.0, "t_max": 2.0}],
}
CASES = [(op, attrs) for op in all_operators() if op.formula is not None and not any(s.many for s in op.inputs)
         for attrs in ATTRIBUTES.get(op.type, [{}])]


def inputs_of(op, dtype):
    kinds = {"Condition": lambda v: v > 0, "Mask": lambda v: (v > 0).view("uint8")}
    required = [slot.name for slot in op.inputs if not slot.optional]
    values = SPECIAL.astype(dtype)
    if op.type in ("silu", "swish"):
        values = values[:-1]  # at minus infinity the kernel gives that, and the formula NaN
    if op.type.startswith("logical"):
        return [values > 0] * len(required) if len(required) == 1 else [values[:, None] > 0, values > 0]
    meshed = np.meshgrid(*[values] * len(required), indexing="ij")
    return [kinds.get(name, lambda v: v)(np.ascontiguousarray(v)) for name, v in zip(required, meshed)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op,attrs", CASES, ids=[f"{op.type}-{attrs}" for op, attrs in CASES])
def test_a_formula_gives_what_the_kernel_gives(op, attrs, dtype):
    inputs = inputs_of(op, dtype)
    with np.errstate(all="ignore"):
        right = op.kernel(np, *inputs, **attrs)
    accelerated = formula.accelerated(op.formula, [s.name for s in op.inputs], op.defaults, op._result_dtype)
    found = accelerated(*inputs, **attrs)
    if op.type.startswith("logical"):
        assert found is NotImplemented  # truth values alone are NumPy's
        return
    assert found.dtype == right.dtype
    finite = np.isfinite(right) if right.dtype.kind == "f" else np.ones(right.shape, bool)
    tolerance = 3e-6 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found[finite], right[finite], rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(found[~finite], right[~finite])


def test_what_a_formula_is_not_for_is_declined():
    from proa.ops.math.elementwise import add_op, scale_op

    def run(op, *inputs, **attrs):
        slots = [slot.name for slot in op.inputs]
        return formula.accelerated(op.formula, slots, op.defaults, op._result_dtype)(*inputs, **attrs)

    x = np.ones((2, 3), "float32")
    assert run(add_op, x, x.astype("float64")) is NotImplemented
    assert run(add_op, x.astype("int64"), x.astype("int64")) is NotImplemented
    assert run(add_op, x, x[:, 0], axis=0) is NotImplemented
    assert run(scale_op, x, np.ones(1, "float32")) is NotImplemented
    assert run(scale_op, x, None, scale=float("nan")) is NotImplemented


@pytest.mark.parametrize("op", [op for op in all_operators() if op.formula is not None], ids=lambda op: op.type)
def test_what_a_formula_costs_is_told_without_parsing_it(op, monkeypatch):
    told = formula.least_size(op.formula, op.defaults)
    never = re.compile(r"(?!)")
    monkeypatch.setattr(formula, "_STEPS", never)
    monkeypatch.setattr(formula, "_ONE_STEP", never)
    assert told == formula.least_size(op.formula, op.defaults)
