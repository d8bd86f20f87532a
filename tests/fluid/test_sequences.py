"""Operators on sequences against what PaddlePaddle 1.8.5 computed: results, their LoD, gradients."""

import numpy as np
import proa as paddle
import pytest
from proa.core.dtype import DType
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from sequence_cases import ALL, ARRAYS, arrays_of, offsets_of


def _attribute(value, parameter):
    return paddle.float32 if value == 5 and parameter.annotation is DType else (
        paddle.int64 if parameter.annotation is DType else value)


def _inputs(op, case, wanted):
    """By slot Tensors of what the case gives, and the offsets of each."""
    given = {slot: [paddle.to_tensor(arrays_of(v), stop_gradient=slot not in wanted) for v in values]
             for slot, values in case["inputs"].items()}
    offsets = {slot: [level for v in values for level in offsets_of(v)] for slot, values in case["inputs"].items()}
    taken = []
    for slot in op.inputs:
        if slot.offsets_of:
            taken.append(offsets.get(slot.offsets_of, []))
        else:
            values = given.get(slot.name)
            taken.append(values if slot.many or values is None else values[0])
    return given, taken


def _lod(op, case, results, name, attrs):
    """The offsets of a result, as lists."""
    for slot in op.results:
        if slot.offsets_of == name:
            return [level.tolist() for level in results[slot.name]]
    lods = [[offsets for v in case["inputs"].get(slot.name, []) for offsets in v["lod"]] for slot in op.inputs]
    if callable(op.lod):
        return op.lod(tuple(lods), attrs) if name == op.results[0].name else []
    shares = op.lod != "drop" and results[name].shape[:1] == list(arrays_of(case["inputs"]["X"][0]).shape[:1])
    return lods[0] if shares else []


CASES = [case for case in ALL if case["label"] != "program"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results_and_gradients(case):
    op = find(case["type"])
    attrs = {name: _attribute(value, op.attributes[name]) for name, value in case["attrs"].items()}
    given, taken = _inputs(op, case, case["gradients"])
    found = apply(op, *taken, **attrs)
    results = dict(zip([slot.name for slot in op.results], found if isinstance(found, tuple) else (found,)))
    for slot, [expected] in case["results"].items():
        array = arrays_of(expected)
        assert results[slot].dtype == str(array.dtype) or not array.size
        assert results[slot].numpy().size == array.size == 0 or tuple(results[slot].shape) == array.shape
        np.testing.assert_allclose(results[slot].numpy().ravel(), array.ravel(), rtol=2e-5, atol=1e-5)
        assert _lod(op, case, results, slot, attrs) == expected["lod"]
    if case["gradients"]:
        results[case["of"]].backward(paddle.to_tensor(ARRAYS[case["weights"]]))
        for slot, names in case["gradients"].items():
            for tensor, name in zip(given[slot], names):
                np.testing.assert_allclose(tensor.grad.numpy(), ARRAYS[name], rtol=2e-5, atol=1e-5, err_msg=slot)
