"""Operators against PaddlePaddle 1.8.5's answers: results, their offsets, and gradients."""

import numpy as np
import proa as paddle
import pytest
from fluid_calls import cases
from proa.ops.core.operator import find
from proa.ops.core.trace import apply

TOLERANCES = {"float32": {"rtol": 1e-5, "atol": 2e-6}, "float64": {"rtol": 1e-10, "atol": 1e-11}}


def tensors(call):
    """The inputs by the operator's slots; those in `wanted` want gradients."""
    op, found = find(call.type), {}
    for slot in op.inputs:
        if slot.offsets_of:
            found[slot.name] = [paddle.to_tensor(level) for key, levels in sorted(call.lods.items())
                                if key.partition("#")[0] == slot.offsets_of for level in levels]
        elif slot.name in call.inputs:
            found[slot.name] = paddle.to_tensor(call.inputs[slot.name], stop_gradient=slot.name not in call.wanted)
        elif slot.many:
            found[slot.name] = [paddle.to_tensor(value, stop_gradient=slot.name not in call.wanted)
                                for key, value in sorted(call.inputs.items()) if key.startswith(slot.name + "#")]
        else:
            found[slot.name] = None
    return found


def check(call, left_out=()):
    """Applies the operator eagerly, and compares all that 1.8.5 said."""
    op, given = find(call.type), tensors(call)
    results = apply(op, *given.values(), **call.attrs)
    by_slot = dict(zip((slot.name for slot in op.results), [results] if op.is_single else results, strict=True))
    for slot, wanted in call.outputs.items():
        if slot in left_out:
            continue
        found = by_slot[slot].numpy()
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), slot
        np.testing.assert_allclose(found, wanted, **TOLERANCES.get(wanted.dtype.name, {}), err_msg=slot)
    for made, of in op.made_offsets:
        wanted = call.output_lods.get(op.results[of].name, [])
        assert [v.tolist() for v in by_slot[op.results[made].name]] == [v.tolist() for v in wanted]
    if call.sources:
        sum((by_slot[slot] * paddle.to_tensor(call.weights[slot])).sum() for slot in call.sources).backward()
    for slot, wanted in call.grads.items():
        np.testing.assert_allclose(given[slot].grad.numpy(), wanted, **TOLERANCES[wanted.dtype.name], err_msg=slot)


@pytest.mark.parametrize("call", cases("recurrent_sequences"), ids=str)
def test_recurrent_sequences(call):
    check(call, left_out=("Gate", "ResetHiddenPrev") if call.type == "gru_unit" else ())


@pytest.mark.parametrize("call", cases("tagging"), ids=str)
def test_tagging(call):
    check(call, left_out=("Alpha", "EmissionExps", "TransitionExps"))


@pytest.mark.parametrize("call", cases("decoding"), ids=str)
def test_decoding(call):
    check(call, left_out=("WarpCTCGrad", "LogitsDim", "LabelsDim"))


@pytest.mark.parametrize("call", cases("beam_search"), ids=str)
def test_beam_search(call):
    check(call)
