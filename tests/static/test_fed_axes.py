"""Axes and counts that are fed: what 2.6.2 takes as a variable in the place of an attribute."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.flags import flags_guard
from proa.static.files.program_codec import to_desc

X = (np.arange(24).reshape(2, 3, 4) * 7 % 11).astype("float32")


def run(function, value, x=X, gradient=False):
    """What a Program computes of x and a fed value, and the gradient of its squares' sum."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            given, axis = static.data("x", x.shape, str(x.dtype)), static.data("a", value.shape, str(value.dtype))
            given.stop_gradient = False
            result = function(given, axis)
            wanted = [result]
            if gradient:
                wanted += static.gradients([(result * result).sum()], [given])
                wanted += static.gradients([(wanted[1] * wanted[1]).sum()], [given])
            found = static.Executor().run(main, {"x": x, "a": value}, wanted)
            assert [len(v.shape) for v in wanted] == [r.ndim for r in found]
            return found
    finally:
        paddle.disable_static()


def eager(function, value, x=X, gradient=False):
    given = paddle.to_tensor(x, stop_gradient=False)
    result = function(given, value)
    if not gradient:
        return [result.numpy()]
    first = paddle.grad((result * result).sum(), given, create_graph=True)[0]
    return [result.numpy(), first.numpy(), paddle.grad((first * first).sum(), given)[0].numpy()]


REDUCTIONS = ("sum", "mean", "max", "min", "prod", "var", "std", "cumsum")


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axes", [[1], [-1], [0, 2], [2, 0], 1])
def test_reductions_and_their_gradients(name, axes):
    if name == "cumsum" and np.size(axes) > 1:
        pytest.skip("one axis")
    function = getattr(paddle, name)
    x = X + np.linspace(0, 1, 24).reshape(X.shape)  # no two elements alike
    for options in ({}, {"keepdim": True}) if name != "cumsum" else ({},):
        found = run(lambda x, a, o=options: function(x, a, **o), np.array(axes), x, gradient=True)
        known = axes if np.size(axes) > 1 else int(np.ravel(axes)[0])
        wanted = eager(lambda x, a, o=options: function(x, a, **o), known, x, gradient=True)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("function", "value", "known"), [
    (paddle.argmax, [1], 1), (paddle.argmin, [-1], -1), (paddle.argmax, 0, 0),
    (lambda x, a: paddle.argmax(x, a, keepdim=True), [1], 1),
    (lambda x, a: paddle.sum(x, [a, 2]), [0], 0), (lambda x, a: paddle.sum(x, a, "float64"), [0], 0),
    (lambda x, a: paddle.count_nonzero(x, a), [0, 1], [0, 1]), (lambda x, a: paddle.nanmean(x, a), [1], 1),
    (lambda x, a: paddle.squeeze(x[:1], a), [0], 0), (lambda x, a: paddle.squeeze(x[:1, :, :1], [a, 2]), [0], 0),
    (lambda x, a: paddle.bincount(x.flatten().astype("int64"), minlength=a), 20, 20),
    (lambda x, a: paddle.multinomial(x[0], a, replacement=True).shape[0] + paddle.zeros([2]), [5], 5),
    (lambda x, a: paddle.crop(x, a, [0, 1, 0]), [2, 1, -1], [2, 1, -1]),
    (lambda x, a: paddle.crop(x, [1, 2, 3], a), [1, 0, 1], [1, 0, 1]),
    (lambda x, a: paddle.crop(x, [1, a, 3], [0, a, 0]), [1], 1),
    (lambda x, a: paddle.unflatten(x, 2, a), [2, -1], [2, -1]),
    (lambda x, a: paddle.concat([x, x], a), [1], 1),
])
def test_as_with_numbers(function, value, known):
    [found] = run(function, np.array(value))
    np.testing.assert_allclose(found, eager(function, known)[0], rtol=1e-5)


def test_a_converted_function_takes_an_axis_as_a_tensor():
    @paddle.jit.to_static(full_graph=True)
    def spread(x, axis):
        return paddle.max(x, axis) - paddle.min(x, axis)

    for axis in (0, 1, -1):
        x = paddle.to_tensor(X, stop_gradient=False)
        found = spread(x, paddle.to_tensor([axis]))
        np.testing.assert_allclose(found.numpy(), np.ptp(X, axis))
        found.sum().backward()
        other = paddle.to_tensor(X, stop_gradient=False)
        (other.max(axis) - other.min(axis)).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), other.grad.numpy())


def test_a_file_of_many_operations_is_loaded_as_a_function(tmp_path):
    @paddle.jit.to_static(full_graph=True, input_spec=[static.InputSpec([2, 3, 4], name="x"),
                                                      static.InputSpec([1], "int64", "axis")])
    def farthest(x, axis):
        for _ in range(40):  # plans of large Programs are kept, by all that stands in them
            x = x + 1.0
        return paddle.argmax(x, axis)

    paddle.jit.save(farthest, str(tmp_path / "farthest"))
    loaded = paddle.jit.load(str(tmp_path / "farthest"))
    with flags_guard({"FLAGS_keep_plans": True, "FLAGS_kernel_cache_dir": str(tmp_path / "kept")}):
        np.testing.assert_array_equal(loaded(paddle.to_tensor(X), paddle.to_tensor([1])).numpy(), X.argmax(1))


def test_files_hold_names_of_variables_in_the_places_of_attributes(tmp_path):
    paddle.enable_static()
    try:
        main, exe = static.Program(), static.Executor()
        with static.program_guard(main, static.Program()):
            x, a, b = static.data("x", [2, 3, 4]), static.data("a", [1], "int64"), static.data("b", [1], "int64")
            results = [paddle.argmax(x, a), paddle.sum(x, [a, b]), paddle.cumsum(x, a), paddle.squeeze(x, b)]
            values = {"x": X, "a": np.array([1]), "b": np.array([0])}
            wanted = exe.run(main, values, results)
            static.save_inference_model(str(tmp_path / "m"), [x, a, b], results, exe)
        held = {op.type: {attr.name: attr.var_name or list(attr.vars_name) for attr in op.attrs
                          if attr.var_name or attr.vars_name} for op in to_desc(main).blocks[0].ops}
        assert held == {"arg_max": {"axis": "a"}, "reduce_sum": {"dim": ["a", "b"]}, "cumsum": {"axis": "a"},
                        "squeeze2": {"axes": "b"}}
        program, _, fetches = static.load_inference_model(str(tmp_path / "m"), exe)
        for one, other in zip(exe.run(program, values, fetches), wanted, strict=True):
            np.testing.assert_array_equal(one, other)
    finally:
        paddle.disable_static()


def test_what_the_result_is_must_follow():
    with pytest.raises(ValueError, match=r"reduce_sum\(x, axis\): the number of axes must be known.*\[-1\]"):
        _built(lambda x, a: paddle.sum(x, a), [None])
    with pytest.raises(ValueError, match="there are 4 axes"):
        _built(lambda x, a: paddle.sum(x, a), [4])
    with pytest.raises(ValueError, match=r"arg_max\(x, axis\): must be one number. Received a tensor of shape \[2\]"):
        _built(lambda x, a: paddle.argmax(x, a), [2])


def _built(function, shape):
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            return function(static.data("x", [2, 3, 4]), static.data("a", shape, "int64"))
    finally:
        paddle.disable_static()
