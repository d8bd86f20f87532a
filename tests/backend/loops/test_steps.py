"""Bodies as steps of the compiled form give the bits of NumPy's functions one after the other."""

import numpy as np
import pytest
from proa.backend.loops import steps
from proa.backend.loops.passes import passes
from proa.ops.core import native

pytestmark = [pytest.mark.skipif(native.module is None, reason="the compiled form is not in use"),
              pytest.mark.usefixtures("as_around_kernels")]

ACTIVATION = ["t5 = f32(a0 * a1)", "t6 = f32(t5 + a2)", "t7 = f32(t6 * min(max(t6 + 3.0, 0.0), 6.0) / 6.0)",
              "t8 = f32(a3 * t7)", "r0 = t8"]
BODIES = [ACTIVATION, ["r0 = max(a0, 0.0)"], ["r0 = 2.0 - a0 / 3.0"], ["r0 = min(1.5, a1) * max(a1, -0.5)"],
          ["t0 = -(a0 - a1)", "t1 = t0 ** 2 / a1", "r0 = 1.0 / t1 + t0 * t0"], ["r0 = a0 + a0 + 1e39 * a1"],
          ["t0 = a0 * a1", "t1 = a0 + a1", "t2 = a0 - a1", "t3 = a0 / a1", "r0 = (t0 * t1) - (t2 * t3) + (t0 / t3)"]]
SHAPES = [[(3, 50, 60)] * 4, [(6000,), (1,), (1,), (1,)], [(2, 40, 100), (40, 1), (), (1, 1, 1)],
          [(7, 1000), (1000,), (1000,), (1,)], [(70, 100), (70, 1), (1, 100), (70, 100)],
          [(1, 96, 40, 40), (1, 96, 1, 1), (1, 96, 1, 1), (1, 96, 40, 40)]]


def given(shapes, order):
    draw = np.random.default_rng(0).standard_normal
    found = []
    for shape in shapes:
        values = (draw(shape, dtype="float32") * 3).astype("float32")
        if values.size > 6:
            values.reshape(-1)[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0]
        last_of_four = order == "channels last" and values.ndim == 4
        found.append(np.ascontiguousarray(values.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) if last_of_four
                     else np.asfortranarray(values) if order == "F" else values)
    return found


@pytest.mark.parametrize("order", ["C", "F", "channels last"])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("body", BODIES)
def test_steps_give_the_bits_of_numpy(body, shapes, order, monkeypatch):
    arrays = given(shapes, order)
    run, shape, calls = passes(body, [a.dtype for a in arrays], ["f32*"]), np.broadcast_shapes(*shapes), []
    found = {}
    for way in (True, False):
        monkeypatch.setattr(steps, "served", [counted(calls)] if way else [])
        lies = arrays[0].transpose(0, 2, 3, 1).shape if order == "channels last" and len(shape) == 4 else shape
        out = np.empty(lies, "float32", "F" if order == "F" else "C")
        out = out.transpose(0, 3, 1, 2) if lies != shape else out
        found[way] = out
        run(arrays, [out])
    does_lie_alike = order == "C" and shapes in SHAPES[:2] or order == "channels last" and shapes == SHAPES[-1]
    assert all(calls) and calls or not does_lie_alike
    one, other = (np.where(np.isnan(out), np.float32(np.nan), out) for out in found.values())  # of two NaNs either
    np.testing.assert_array_equal(one.view("i4"), other.view("i4"))


def counted(calls):
    def run(*arguments):
        calls.append(native.module.run_passes(*arguments))
        return calls[-1]

    return run


@pytest.mark.parametrize("line", ["r0 = sqrt(a0)", "r0 = a0 if a0 > 0 else a1", "r0 = abs(a0) * 2.0"])
def test_what_steps_do_not_do_is_numpys(line):
    assert passes([line], [np.dtype("float32")] * 2, ["f32*"])._steps is None
    x, y = given([(60, 100)] * 2, "C")
    out = np.empty_like(x)
    passes([line], [np.dtype("float32")] * 2, ["f32*"])([x, y], [out])
    assert np.isfinite(out).any()


def test_several_results_and_float64_are_numpys():
    assert passes(["r0 = a0 + 1.0", "r1 = a0 * 2.0"], [np.dtype("float32")], ["f32*", "f32*"])._steps is None
    assert passes(["r0 = a0 + 1.0"], [np.dtype("float64")], ["f64*"])._steps is None


ADD, ONE, RESULT = 0, 16, 255


@pytest.mark.parametrize("text", [b"", bytes((ADD, RESULT, ONE)), bytes((9, RESULT, ONE, ONE)),
                                  bytes((ADD, 0, ONE, ONE)), bytes((ADD, RESULT, 3, ONE)),
                                  bytes((ADD, RESULT, 40, ONE)), bytes((ADD, RESULT, 65, ONE)),
                                  bytes((ADD, 9, ONE, ONE)),
                                  bytes((ADD, RESULT, RESULT, ONE)), bytes((ADD, RESULT, ONE, ONE)) * 65])
def test_steps_that_lead_elsewhere_are_not_taken(text):
    x, out = np.ones(8, "float32"), np.zeros(8, "float32")
    assert native.module.run_passes(text, b"\0\0\0\0", [x], out) is False and not out.any()


def test_arrays_that_do_not_fit_are_not_taken():
    run, text = native.module.run_passes, bytes((ADD, RESULT, ONE, ONE))
    x, out = np.ones(8, "float32"), np.zeros(8, "float32")
    fixed = out.copy()
    fixed.flags.writeable = False
    others = [(x[:4], out), (np.ones(16, "float32")[::2], out), (x.astype("float64"), out), (list(x), out),
              (x, out.astype("float64")), (x, np.zeros(16, "float32")[::2]), (x, fixed), (x, None)]
    assert not any(run(text, b"", [one], result) for one, result in others)
    assert not out.any() and run(text, b"", (x,), out) and out.tolist() == [2.0] * 8
    with pytest.raises(TypeError, match="run_passes"):
        run(text, b"", x, out)


def test_a_body_with_more_rows_than_there_are_is_numpys():
    lines = [f"t{n} = a0 * {n}.5" for n in range(10)] + ["r0 = " + " + ".join(f"t{n} * t{9 - n}" for n in range(10))]
    assert passes(lines, [np.dtype("float32")], ["f32*"])._steps is None
