"""Every operator on a device's arrays: the records under CuPy's stand-in, where there is no device.

What a kernel does that CuPy cannot (`tests/backend/cupy_stand_in`) fails here: forward, backward, eager and in
Programs. So does a kernel that reads an array on the host but by `backend.devices`' `host_values` and `on_host`.
"""

import sys
from pathlib import Path

import checks
import cupy_stand_in
import proa as paddle
import pytest
import test_narrow
from cupy_stand_in import arrays
from devices_of_tests import KIND, on_device
from proa import to_tensor
from proa.backend import engines
from proa.ops.core.kernels import register_kernel
from proa.ops.core.operator import find
from records import all_records

RECORDS = all_records()
OTHER = "gpu" if KIND == cupy_stand_in.KIND else cupy_stand_in.KIND  #: A kind that the tests are not on.
_OPS = str(Path(paddle.__file__).parent / "ops")


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """New tensors are on the stand-in, whose arrays the files of ops/ do not take to the host by themselves."""
    def declared(method):
        def read(self, *args, **kwargs):
            caller = sys._getframe(1).f_code
            assert self.size == 1 or not caller.co_filename.startswith(_OPS), (
                f"{caller.co_filename}: {caller.co_name} takes an array to the host by {method.__name__}: say so, by "
                "host_values or on_host of backend.devices")
            return method(self, *args, **kwargs)

        return read

    if KIND == cupy_stand_in.KIND:
        for name in ("get", "tolist", "tobytes"):
            monkeypatch.setattr(arrays.ndarray, name, declared(getattr(arrays.ndarray, name)))
    with on_device():
        yield


@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_record_on_device(record, check):
    checks.CHECKS[check](record)


def ones(*shape):
    return paddle.ones(shape)


#: A device's library goes round to the other end for such a place, and computes something.
OUT_OF_BOUNDS = {
    "gather": lambda: paddle.gather(ones(3, 2), to_tensor([0, 3])),
    "gather, from the end": lambda: paddle.gather(ones(3, 2), to_tensor([0, -4])),
    "gather_nd": lambda: paddle.gather_nd(ones(3, 2), to_tensor([[0, 3]])),
    "index_select": lambda: paddle.index_select(ones(3, 2), to_tensor([0, 3])),
    "index_sample": lambda: paddle.index_sample(ones(2, 3), to_tensor([[0], [3]])),
    "take_along_axis": lambda: paddle.take_along_axis(ones(3, 2), to_tensor([[5, 0]]), 0),
    "put_along_axis": lambda: paddle.put_along_axis(ones(3, 2), to_tensor([[5, 0]]), 1.0, 0),
    "put_along_axis, add": lambda: paddle.put_along_axis(ones(3, 2), to_tensor([[5, 0]]), 1.0, 0, "add"),
    "scatter": lambda: paddle.scatter(ones(3, 2), to_tensor([0, 5]), ones(2, 2)),
    "scatter_nd_add": lambda: paddle.scatter_nd_add(ones(3, 2), to_tensor([[5]]), ones(1, 2)),
    "x[places]": lambda: ones(3, 2)[to_tensor([5])],
    "x[places, places]": lambda: ones(3, 2)[to_tensor([0]), to_tensor([5])],
    "x[list]": lambda: ones(3, 2)[[0, 5]],
    "x[number]": lambda: ones(3, 2)[5],
    "x[places] = …": lambda: ones(3, 2).__setitem__(to_tensor([5]), 1.0),
    "index_add": lambda: paddle.index_add(ones(3, 2), to_tensor([5]), 0, ones(1, 2)),
    "index_put": lambda: paddle.index_put(ones(3, 2), (to_tensor([5]),), ones(1)),
    "index_put, behind a mask": lambda: paddle.index_put(
        ones(2, 2), (to_tensor([True, False]), to_tensor([5])), ones(1)),
    "index_fill": lambda: paddle.index_fill(ones(3, 2), to_tensor([5]), 0, 1.0),
    "take": lambda: paddle.take(ones(3, 2), to_tensor([9])),
    "multiplex": lambda: paddle.multiplex([ones(2, 2), ones(2, 2)], to_tensor([[0], [3]])),
    "embedding": lambda: paddle.nn.functional.embedding(to_tensor([5]), ones(3, 2)),
    "cross_entropy": lambda: paddle.nn.functional.cross_entropy(ones(2, 3), to_tensor([0, 5])),
    "nll_loss": lambda: paddle.nn.functional.nll_loss(ones(2, 3), to_tensor([0, 5])),
    "one_hot": lambda: paddle.nn.functional.one_hot(to_tensor([5]), 3),
}


@pytest.mark.parametrize("what", OUT_OF_BOUNDS)
def test_places_out_of_bounds_are_errors(what):
    with pytest.raises((IndexError, ValueError)):
        OUT_OF_BOUNDS[what]()


def test_masks_beside_places():
    mask, places = to_tensor([True, False, True]), to_tensor([1, 0])
    x = paddle.arange(6).reshape([3, 2])
    assert x[mask, places].tolist() == [1, 4]
    assert paddle.index_put(x, (mask, places), to_tensor([7, 8])).tolist() == [[0, 7], [2, 3], [8, 5]]
    x[mask, places] = to_tensor([7, 8])
    assert x.tolist() == [[0, 7], [2, 3], [8, 5]]


@pytest.mark.parametrize("record", [r for r in RECORDS if r.type.startswith("rnn_double_grad")], ids=str)
def test_16_bit_floats_stay_16_bit(record):
    inputs = checks.tensors([a.astype("float16") if a.dtype.kind == "f" else a for a in record.inputs])
    assert {result.dtype.name for result in checks.as_list(record.function(*inputs))} == {"float16"}


@pytest.mark.parametrize(("devices", "expected"), [([OTHER], 0), ([KIND], 2), ([OTHER, KIND], 2)])
def test_an_engine_computes_on_the_kinds_of_device_that_it_is_for(devices, expected):
    calls, kernels = [], find("tanh").kernels
    before = kernels.registered

    def kernel(x):
        calls.append(x)
        return NotImplemented

    engines.add("of_tests", "gpu", devices=devices)
    try:
        register_kernel(find("tanh"), "of_tests", kernel)
        paddle.tanh(paddle.ones([2]))
        function = paddle.jit.to_static(lambda x: paddle.tanh(x))
        function(paddle.ones([2]))
    finally:
        kernels.registered = before
        engines.remove("of_tests")
    assert len(calls) == expected


@pytest.mark.parametrize("record", test_narrow.RECORDS, ids=str)
def test_bfloat16_is_computed_in_float32_and_rounded(record):
    test_narrow.test_computes_in_float32_and_rounds(record, "bfloat16", 2.0**-7)


@pytest.mark.parametrize("record", [r for r in test_narrow.RECORDS if checks.differentiable(r)], ids=str)
def test_gradients_are_bfloat16(record):
    test_narrow.test_gradients_have_the_dtype_of_the_input(record, "bfloat16", 2.0**-7)


def test_programs_compute_bfloat16_in_float32():
    function = paddle.jit.to_static(lambda x: paddle.logsumexp(paddle.sort(x)))
    values = to_tensor([1.0, 3.0, 2.0]).astype("bfloat16")
    result = function(values)
    assert result.dtype == "bfloat16" and result.place.get_device_id() == 0
    assert result.item() == paddle.logsumexp(values.astype("float32")).astype("bfloat16").item()
