"""What a test record is put through; each check raises AssertionError with what differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import proa as paddle
from proa.backend import namespace_at
from proa.core.dtype import from_numpy_dtype
from proa.core.place import expected_place
from proa.dygraph.tensor import new_tensor
from proa.ops.core.operator import find
from proa.ops.core.trace import using
from proa.static.backward import gradients
from proa.static.building.trace import ProgramTrace
from proa.static.ir.program import Program
from proa.static.run.executor import Executor
from records import Record


def as_list(value: Any) -> list:
    """One or several results as a flat list."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in as_list(part)]
    return [value]


def differentiable(record: Record) -> list[int]:
    """The positions of the inputs whose gradient is checked."""
    if record.differentiable is not None:
        return list(record.differentiable)
    if find(record.type).gradient is None:
        return []
    return [n for n, array in enumerate(record.inputs) if array.dtype.kind == "f"]


def batched(record: Record) -> list[int]:
    """The positions of the inputs whose first size a Program is not told."""
    if record.batched is not None:
        return list(record.batched)
    first = record.inputs[0].shape if record.inputs else ()
    return [n for n, array in enumerate(record.inputs) if array.ndim and array.shape == first]


def tensors(arrays: Any, wanted: Any = ()) -> list:
    """Tensors of the arrays; those at the wanted positions ask for a gradient."""
    return [paddle.to_tensor(a, stop_gradient=n not in wanted) for n, a in enumerate(arrays)]


def close(actual: Any, expected: Any, tolerance: float, what: str) -> None:
    """Raises AssertionError unless shapes agree and values are close."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=what)


# Forward


def check_forward(record: Record) -> None:
    """The result against NumPy, in float64 and in float32; the inputs stay as they were."""
    if record.reference is None:
        return
    expected = as_list(record.reference(*[a.copy() for a in record.inputs]))
    given = tensors([a.copy() for a in record.inputs])
    actual = as_list(record.function(*given))
    assert len(actual) == len(expected), f"{record}: {len(actual)} results, expected {len(expected)}"
    for a, e in zip(actual, expected, strict=True):
        close(a.numpy(), e, record.tolerance, f"{record}: forward")
    if not find(record.type).aliases:
        for tensor, array in zip(given, record.inputs, strict=True):
            close(tensor.numpy(), array, 0, f"{record}: an input was changed")
    if record.float32:
        check_float32(record, expected)


def check_float32(record: Record, expected: list) -> None:
    """float32 inputs give float32 results, close to those of float64."""
    short = [a.astype("float32") if a.dtype == np.float64 else a for a in record.inputs]
    if not any(a.dtype == np.float32 for a in short):
        return
    for a, e in zip(as_list(record.function(*tensors(short))), expected, strict=True):
        if a.dtype.is_floating:
            assert a.dtype == "float32", f"{record}: float32 in, {a.dtype} out"
            close(a.numpy(), e, 1e-4, f"{record}: forward in float32")


def strided(arrays: Any) -> list:
    """Tensors of the arrays, in the place in use, whose elements do not lie one behind the other."""
    xp = namespace_at(expected_place())
    apart = [xp.repeat(xp.asarray(a), 2, -1)[..., ::2] if a.ndim else xp.asarray(a) for a in arrays]
    for n, array in enumerate(apart):
        if array.ndim > 1:
            apart[n] = xp.ascontiguousarray(xp.repeat(array, 2, 0).swapaxes(0, 1)).swapaxes(0, 1)[::2]
    return [new_tensor(a) for a in apart]


def check_strided(record: Record) -> None:
    """Inputs that are views of larger arrays give what whole ones give, in float64 and in float32."""
    if find(record.type).random:
        return
    narrow = [a.astype("float32") if a.dtype == np.float64 else a for a in record.inputs]
    for arrays, tolerance in ((record.inputs, 1e-9), (narrow, 1e-4)) if record.float32 else ((record.inputs, 1e-9),):
        given = strided(arrays)
        before = [t.numpy().copy() for t in given]
        found, whole = (as_list(record.function(*inputs)) for inputs in (given, tensors(arrays)))
        for a, b in zip(found, whole, strict=True):
            assert a.dtype is b.dtype, f"{record}: {a.dtype} of strided inputs, {b.dtype} of whole ones"
            close(a.numpy(), b.numpy(), tolerance, f"{record}: strided inputs")
        if not find(record.type).aliases:
            for tensor, array in zip(given, before, strict=True):
                close(tensor.numpy(), array, 0, f"{record}: a strided input was changed")


# Gradients, eager


def weights_for(results: list) -> list[np.ndarray]:
    """Fixed random weights for the sum of all floating results."""
    rng = np.random.default_rng(7)
    return [rng.uniform(0.5, 1.5, tuple(r.shape)) * rng.choice([-1.0, 1.0], tuple(r.shape)) for r in results]


def real_results(value: Any) -> list:
    """The results that a gradient can start from, complex ones as real pairs."""
    found = [r for r in as_list(value) if r.dtype.is_differentiable]
    return [r.as_real() if r.dtype.is_complex else r for r in found]


def weighted_sum(results: list, weights: list) -> Any:
    """The sum of all results times their weights: what is differentiated."""
    total = None
    for result, weight in zip(results, weights, strict=True):
        part = (result * weight).sum()
        total = part if total is None else total + part
    return total


def loss_of(record: Record, arrays: Any, wanted: Any, weights: list | None = None,
            squared: bool = False) -> tuple[Any, list, list]:
    """The eager loss, its inputs that want a gradient, and the weights; of squares, of which also what is linear has
    a second derivative.
    """
    given = tensors(arrays, wanted)
    results = real_results(record.function(*given))
    if squared:
        results = [result * result for result in results]
    weights = weights if weights is not None else weights_for(results)
    loss = weighted_sum(results, [paddle.to_tensor(w) for w in weights])
    return loss, [given[n] for n in wanted], weights


def directions(record: Record, wanted: list[int], seed: int) -> list[np.ndarray]:
    """A random direction in the space of the inputs that want a gradient."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, record.inputs[n].shape) for n in wanted]


def moved(record: Record, wanted: list[int], along: list, step: float) -> list[np.ndarray]:
    """The inputs a step along a direction."""
    arrays = list(record.inputs)
    for n, direction in zip(wanted, along, strict=True):
        arrays[n] = arrays[n] + step * direction
    return arrays


def check_gradient(record: Record) -> None:
    """The slope along a random direction against a central difference."""
    wanted = differentiable(record)
    if not wanted:
        return
    loss, inputs, weights = loss_of(record, record.inputs, wanted)
    found = paddle.grad(loss, inputs)
    along = directions(record, wanted, 1)
    slope = sum(float((g.numpy() * d).sum()) for g, d in zip(found, along, strict=True))
    for g, n in zip(found, wanted, strict=True):
        assert tuple(g.shape) == record.inputs[n].shape, f"{record}: gradient of shape {g.shape} for input {n}"
        assert g.dtype == "float64", f"{record}: gradient of dtype {g.dtype}"
    step = 1e-6
    high, low = (float(loss_of(record, moved(record, wanted, along, s), [], weights)[0]) for s in (step, -step))
    close(slope, (high - low) / (2 * step), record.gradient_tolerance, f"{record}: gradient")


def check_second_order(record: Record) -> None:
    """The slope of the gradient, itself along a random direction, against a central difference."""
    wanted = differentiable(record)
    if not wanted or not record.second:
        return
    across = directions(record, wanted, 2)

    def projected(arrays: Any, create_graph: bool) -> tuple[Any, list]:
        loss, inputs, _ = loss_of(record, arrays, wanted, weights, True)
        found = paddle.grad(loss, inputs, create_graph=create_graph)
        return weighted_sum(found, [paddle.to_tensor(d) for d in across]), inputs

    weights = loss_of(record, record.inputs, wanted)[2]
    along = directions(record, wanted, 3)
    value, inputs = projected(record.inputs, True)
    slope = 0.0
    if not value.stop_gradient:
        found = paddle.grad(value, inputs, allow_unused=True)
        slope = sum(float((g.numpy() * d).sum()) for g, d in zip(found, along, strict=True) if g is not None)
    step = 1e-6
    high, low = (float(projected(moved(record, wanted, along, s), False)[0]) for s in (step, -step))
    close(slope, (high - low) / (2 * step), record.gradient_tolerance * 10, f"{record}: second order")


# Programs


def build(record: Record, unknown: list[int], wanted: Any = ()) -> tuple[Program, ProgramTrace, list, list]:
    """A Program of the record, its trace, inputs and results."""
    shapes = [(-1, *a.shape[1:]) if n in unknown else a.shape for n, a in enumerate(record.inputs)]
    return build_of_shapes(record, shapes, wanted)


def build_of_shapes(record: Record, shapes: list, wanted: Any = ()) -> tuple[Program, ProgramTrace, list, list]:
    """The same for inputs of these shapes, in which -1 is a size that is not known."""
    program = Program()
    trace = ProgramTrace(program, Program())
    given = []
    for n, (array, shape) in enumerate(zip(record.inputs, shapes, strict=True)):
        given.append(
            program.global_block().create_var(
                f"input{n}", shape, from_numpy_dtype(array.dtype), is_data=True, stop_gradient=n not in wanted
            )
        )
    with using(trace):
        results = as_list(record.function(*given))
    return program, trace, given, results


def check_inference(record: Record) -> None:
    """Inferred shapes and dtypes against the real ones, with all sizes known and with first sizes unknown."""
    if not record.static:
        return
    real = as_list(record.function(*tensors(record.inputs)))
    for unknown in ([], batched(record)):
        program, _, _, inferred = build(record, unknown)
        types = [op.type for op in program.global_block().ops]
        composed = find(record.type).composed is not None  # written in Programs as other operators
        assert composed or record.type in types, f"{record}: the function does not use the operator but {types}"
        assert len(inferred) == len(real), f"{record}: {len(inferred)} inferred results for {len(real)}"
        for variable, tensor in zip(inferred, real, strict=True):
            may_differ = bool(unknown) or record.data_dependent
            fits = len(variable.shape) == tensor.ndim and all(
                a == b or (a == -1 and may_differ) for a, b in zip(variable.shape, tensor.shape, strict=True)
            )
            assert fits, f"{record}: inferred {variable.shape}, real {tensor.shape}, unknown first sizes {unknown}"
            assert variable.dtype is tensor.dtype, f"{record}: inferred {variable.dtype}, real {tensor.dtype}"


def check_static(record: Record) -> None:
    """A Program with unknown first sizes gives the eager results and gradients."""
    if not record.static or find(record.type).random:
        return
    wanted = differentiable(record)
    program, trace, given, results = build(record, batched(record), wanted)
    eager = as_list(record.function(*tensors(record.inputs)))
    feed = {f"input{n}": array for n, array in enumerate(record.inputs)}
    fetches = list(results)
    expected = [t.numpy() for t in eager]
    if wanted:
        loss, inputs, weights = loss_of(record, record.inputs, wanted)
        expected += [g.numpy() for g in paddle.grad(loss, inputs)]
        with using(trace):
            block = program.global_block()
            held = [block.create_var(f"weight{n}", w.shape, "float64", is_data=True) for n, w in enumerate(weights)]
            total = weighted_sum(real_results(results), held)
            fetches += gradients(total, [given[n] for n in wanted])
        feed |= {f"weight{n}": w for n, w in enumerate(weights)}
    found = Executor().run(program, feed=feed, fetch_list=fetches)
    for n, (actual, wanted_value) in enumerate(zip(found, expected, strict=True)):
        close(actual, wanted_value, 1e-9, f"{record}: result {n} of the Program")


CHECKS = {
    "forward": check_forward,
    "strided": check_strided,
    "inference": check_inference,
    "gradient": check_gradient,
    "second order": check_second_order,
    "static": check_static,
}
