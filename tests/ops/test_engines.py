"""The operator records in float32 under each combination of engines, which are made to take every size."""

import checks
import every_size
import numpy as np
import proa as paddle
import pytest
from proa.backend.engines import find as engine
from proa.core.flags import flags_guard
from proa.ops.core.operator import find
from records import all_records

READY = [name for name in ("onednn", "loops", "panels") if engine(name).is_ready()]
COMBINATIONS = [*READY, *([",".join(READY)] if len(READY) > 1 else [])]
RECORDS = [r for r in all_records() if not find(r.type).random and str(r) != "view_dtype"
           and any(a.dtype == np.float64 for a in r.inputs)]


@pytest.fixture(autouse=True)
def engines():
    with every_size.engines_take_every_size():
        yield


def strided_results(record, engines):
    """The results in float32 of inputs whose elements do not lie one behind the other."""
    arrays = [a.astype("float32") if a.dtype == np.float64 else a for a in record.inputs]
    with flags_guard({"FLAGS_cpu_engines": engines}):
        return [r.numpy() for r in checks.as_list(record.function(*checks.strided(arrays)))]


def outcome(record, engines):
    """The results and the gradients in float32."""
    arrays = [a.astype("float32") if a.dtype == np.float64 else a for a in record.inputs]
    wanted = checks.differentiable(record)
    with flags_guard({"FLAGS_cpu_engines": engines}):
        results = [r.numpy() for r in checks.as_list(record.function(*checks.tensors(arrays)))]
        if not wanted:
            return results, []
        given = checks.tensors(arrays, wanted)
        real = checks.real_results(record.function(*given))
        weights = [w.astype(str(r.dtype.name)) for w, r in zip(checks.weights_for(real), real)]
        loss = checks.weighted_sum(real, [paddle.to_tensor(w) for w in weights])
        gradients = paddle.grad(loss, [given[n] for n in wanted], allow_unused=True)
    return results, [None if g is None else g.numpy() for g in gradients]


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_engines_agree_with_numpy(record):
    results, gradients = outcome(record, "")
    for actual, expected in zip(strided_results(record, ",".join(READY)), results, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4, err_msg="strided inputs")
    for engines in COMBINATIONS:
        found, slopes = outcome(record, engines)
        for actual, expected in zip([*found, *slopes], [*results, *gradients], strict=True):
            if expected is None:
                assert actual is None
                continue
            assert actual.shape == expected.shape and actual.dtype == expected.dtype, engines
            # Sums of products in another order, and slopes in which values of either sign cancel: many roundings.
            np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4, err_msg=engines)
