"""Every operator on 16-bit floats: it computes in float32 and rounds its results."""

import numpy as np
import proa as paddle
import pytest
import records_fft
import records_linalg_decompositions
import records_linalg_solving
from checks import as_list, differentiable
from proa.ops.core.operator import find
from records import all_records

#: Whose results on other inputs are other values, or that take no 16-bit floats: PaddlePaddle has no kernels either,
#: for complex numbers, decompositions of matrices, Fourier transforms and sums of averages.
NO_16_BITS = {"angle", "as_complex", "as_real", "complex", "conj", "imag", "real", "view_dtype", "average_accumulates",
              "deformable_conv"}
for family in (records_linalg_solving, records_linalg_decompositions, records_fft):
    NO_16_BITS |= {record.type for record in family.RECORDS}
CLIPPED = {"lstmp-reversed, clipped"}  # where 16 bits fall on the other side of a bound, gradients end or do not
RECORDS = [r for r in all_records() if r.type not in NO_16_BITS and str(r) not in CLIPPED and not find(r.type).random
           and any(a.dtype == np.float64 for a in r.inputs)]


def close(actual, wanted, tolerance):
    """Compares what float16 can hold."""
    a, w = actual.astype("float32").numpy(), wanted.astype("float32").numpy()
    held = ~(np.abs(w) > 6e4)
    a, w = a[held], w[held]
    largest = np.abs(w[np.isfinite(w)]).max(initial=1.0)
    np.testing.assert_allclose(a, w, rtol=tolerance, atol=tolerance * largest)


@pytest.mark.parametrize(("dtype", "precision"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7)])
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_computes_in_float32_and_rounds(record, dtype, precision):
    narrow = [paddle.to_tensor(a).astype(dtype) if a.dtype == np.float64 else paddle.to_tensor(a)
              for a in record.inputs]
    wide = [t.astype("float32") if t.dtype == dtype else t.clone() for t in narrow]  # some go on: a seed
    with np.errstate(all="ignore"):
        expected = as_list(record.function(*wide))
        found = as_list(record.function(*narrow))
    for actual, wanted in zip(found, expected, strict=True):
        if wanted is None or not wanted.dtype.is_floating:
            continue
        if wanted.dtype == "float32":
            assert actual.dtype in (dtype, "float32")
        close(actual, wanted, 8 * precision)


def gradients(record, dtype, wide):
    """The gradients of the sum of all results, for inputs of this dtype; in float32 where `wide`."""
    wanted, given = differentiable(record), []
    for n, array in enumerate(record.inputs):
        tensor = paddle.to_tensor(array)
        if array.dtype == np.float64:
            tensor = tensor.astype(dtype).astype("float32" if wide else dtype)
        tensor.stop_gradient = n not in wanted
        given.append(tensor)
    results = [r for r in as_list(record.function(*given)) if r is not None and not r.stop_gradient]
    total = sum((r.astype("float32") * 1.0).sum() for r in results if r.dtype.is_floating)
    return paddle.grad(total, [given[n] for n in wanted], allow_unused=True)


@pytest.mark.parametrize(("dtype", "precision"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7)])
@pytest.mark.parametrize("record", [r for r in RECORDS if differentiable(r)], ids=str)
def test_gradients_have_the_dtype_of_the_input(record, dtype, precision):
    with np.errstate(all="ignore"):
        expected, found = gradients(record, dtype, True), gradients(record, dtype, False)
    for actual, wanted in zip(found, expected, strict=True):
        if wanted is not None:
            assert actual.dtype == dtype
            close(actual, wanted, 16 * precision)
