"""Every operation in place in converted functions: values, shapes and gradients are those without conversion.

The cases are generated: each form of the method table, on an argument, on a value made inside, on a buffer, in a branch
and in a loop that a tensor decides.
"""

import warnings

import numpy as np
import proa as paddle
import pytest
from proa.ops.methods import METHODS

RANDOM = {"uniform_", "normal_", "exponential_", "cauchy_", "geometric_"}
NAMES = sorted(name for name in METHODS if name.endswith("_") and not name.startswith("_") and name not in RANDOM)
FUNCTIONS = ["elu_", "hardtanh_", "leaky_relu_", "relu_", "softmax_", "tanh_", "thresholded_relu_"]


def tensor(values, dtype="float32"):
    return paddle.to_tensor(np.array(values, dtype))


OTHER = [[0.3, 0.7, 0.2], [0.4, 0.6, 0.9], [0.8, 0.25, 0.35]]
MASK = [[True, False, True], [False, True, False], [True, True, False]]
_BINARY = ("add subtract multiply divide floor_divide floor_mod mod remainder pow equal not_equal less_than less_equal "
           "greater_than greater_equal hypot")
ARGUMENTS = {
    **{f"{name}_": lambda: (tensor(OTHER),) for name in _BINARY.split()},
    **{f"{name}_": lambda: (tensor(MASK, "bool"),) for name in ("logical_and", "logical_or", "logical_xor")},
    **{f"{name}_": lambda: (tensor([[3, 5, 6]] * 3, "int64"),)
       for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm")},
    "addmm_": lambda: (tensor(OTHER), tensor(OTHER)), "cast_": lambda: ("float64",), "clip_": lambda: (0.3, 0.6),
    "copy_": lambda: (tensor(OTHER), True), "cumprod_": lambda: (1,), "cumsum_": lambda: (0,), "fill_": lambda: (2.0,),
    "fill_diagonal_": lambda: (2.0,), "fill_diagonal_tensor_": lambda: (tensor([1.0, 2.0, 3.0]),),
    "index_add_": lambda: (tensor([0, 2], "int64"), 0, tensor(OTHER[:2])),
    "index_fill_": lambda: (tensor([0, 2], "int64"), 0, 5.0),
    "index_put_": lambda: ((tensor([0, 2], "int64"),), tensor(OTHER[:2])),
    "ldexp_": lambda: (tensor([[1, 2, 1]] * 3, "int32"),),
    "lerp_": lambda: (tensor(OTHER), 0.3), "masked_fill_": lambda: (tensor(MASK, "bool"), 2.0),
    "multigammaln_": lambda: (1,), "polygamma_": lambda: (1,),
    "put_along_axis_": lambda: (tensor([[0], [1], [2]], "int64"), 2.0, 1), "renorm_": lambda: (2.0, 0, 0.5),
    "reshape_": lambda: ([9],), "scale_": lambda: (2.0, 1.0),
    "scatter_": lambda: (tensor([0, 2], "int64"), tensor(OTHER[:2])), "transpose_": lambda: ([1, 0],),
    "unsqueeze_": lambda: (0,), "where_": lambda: None,
}
OF_INTEGERS = {"bitwise_and_", "bitwise_or_", "bitwise_xor_", "bitwise_not_", "gcd_", "lcm_"}
OF_BOOLS = {"logical_and_", "logical_or_", "logical_xor_", "logical_not_"}
TO_BOOLS = {"equal_", "not_equal_", "less_than_", "less_equal_", "greater_than_", "greater_equal_"}
RESHAPING = {"reshape_", "squeeze_", "unsqueeze_", "flatten_", "transpose_", "t_"}
BEYOND_ONE = {"acosh_", "multigammaln_"}


def changed(name, h):
    """`h` changed in place by the operation of that name."""
    if name in FUNCTIONS:
        return getattr(paddle.nn.functional, name)(h)
    if name == "where_":
        return paddle.where_(tensor(MASK, "bool"), h, tensor(OTHER))
    return getattr(h, name)(*ARGUMENTS.get(name, tuple)())


def of_kind(name, h):
    """Values like `h`, of a dtype and in a range that the operation takes."""
    if name in OF_INTEGERS:
        return (h.detach() * 10.0).astype("int64")
    if name in OF_BOOLS:
        return h > 0.5
    return h + 1.5 if name in BEYOND_ONE else h * 1.0


class Changing(paddle.nn.Layer):
    """Changes something in place; `where` says what."""

    def __init__(self, name, where):
        super().__init__()
        self.name, self.where = name, where
        self.register_buffer("state", of_kind(name, tensor(OTHER)))

    def forward(self, x):
        return getattr(self, self.where)(x)

    def argument(self, x):
        changed(self.name, x)
        return x.astype("float32") * 2.0

    def inside(self, x):
        h = of_kind(self.name, x)
        before = h.astype("float32") + 1.0
        same = changed(self.name, h)
        return h.astype("float32").reshape([-1]) * before.reshape([-1]) + same.astype("float32").reshape([-1])

    def view(self, x):
        h = of_kind(self.name, x)
        flat = h.flatten()
        changed(self.name, h)
        return flat.astype("float32") + h.astype("float32").flatten()

    def buffer(self, x):
        changed(self.name, self.state)
        return x.astype("float32").sum() * self.state.astype("float32") + x.astype("float32").mean()

    def branch(self, x):
        h = of_kind(self.name, x)
        before = h.astype("float32") * 2.0
        if x.astype("float32").sum() > 4.5:
            changed(self.name, h)
        else:
            before = before * 3.0
        return h.astype("float32").flatten() * before.flatten()

    def loop(self, x):
        h = of_kind(self.name, x)
        turn = paddle.zeros([], "int64")
        while turn < 2:
            changed(self.name, h)
            turn.add_(paddle.ones([], "int64"))
        return h.astype("float32").flatten() + x.astype("float32").flatten()

    def recorded_before(self, x):
        h = of_kind(self.name, x)
        if self.name not in TO_BOOLS | RESHAPING:  # of these the gradient would be of the former dtype, or shape
            with paddle.no_grad():
                changed(self.name, h)
        return (h.astype("float32").flatten() + x.flatten()).reshape(x.shape)


def run(name, where, shift, **options):
    """Values, the argument afterwards, the buffer, and the gradient, of two calls."""
    layer = Changing(name, where)
    call = paddle.jit.to_static(layer, **options) if options else layer
    found = []
    for turn in range(2):
        x = paddle.to_tensor(np.array(OTHER, "float32") + shift * (turn + 1), stop_gradient=False)
        given = of_kind(name, x) if where == "argument" else x * 1.0
        y = call(given)
        found += [y.numpy(), given.numpy(), layer.state.numpy(), str(y.dtype), str(given.dtype)]
        if not y.stop_gradient:
            y.sum().backward()
            found.append(None if x.grad is None else x.grad.numpy())
    return found


def outcome(*args, **options):
    try:
        return run(*args, **options)
    except (RuntimeError, ValueError, TypeError) as error:
        return error


@pytest.mark.parametrize("where", ["argument", "inside", "view", "buffer", "branch", "loop", "recorded_before"])
@pytest.mark.parametrize("name", [*NAMES, *FUNCTIONS])
def test_as_without_conversion(name, where):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shift in (0.0, 0.05) if where == "branch" else (0.0,):
            expected = outcome(name, where, shift)
            found = outcome(name, where, shift, full_graph=True)
            if isinstance(found, Exception) and not isinstance(expected, Exception):
                assert "must keep" in str(found), found
                found = outcome(name, where, shift, full_graph=False)
            if not isinstance(expected, Exception):  # what eager code refuses, a Program may do
                assert_alike(found, expected)


def assert_alike(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        if isinstance(b, str) or b is None:
            assert a == b
        else:
            assert a is not None and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def gradient(function, values):
    x = paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)
    y = function(x)
    y.backward()
    return [y.numpy(), x.grad.numpy()]


def assert_as_written(function):
    for values in (OTHER, -np.array(OTHER)):
        assert_alike(gradient(paddle.jit.to_static(function, full_graph=True), values), gradient(function, values))


def test_shape_of_a_value_changes():
    def function(x):
        y = x.sum(0)
        y.unsqueeze_(-1)
        z = y.transpose([1, 0])
        z.squeeze_(0)
        z.reshape_([3, 1]).flatten_()
        return (y * x).sum() + (z * x[0]).sum()

    assert_as_written(function)


def test_what_was_read_before_stays():
    def function(x):
        y = x * 2.0
        product = y + y
        y.add_(x).multiply_(x)
        y[0] = product[1]
        return (y * product).sum()

    assert_as_written(function)


def test_a_loop_that_changes_in_place_and_nothing_else():
    def function(x):
        turn, y = paddle.zeros([]), x * 1.0
        while turn < 3:
            y.multiply_(x)
            turn.add_(paddle.ones([]))
        return y.sum()

    assert_as_written(function)


def test_a_branch_that_cuts_the_gradient_leaves_it_where_it_does_not_run():
    def function(x):
        y = x * 2.0
        if x.sum() > 0:
            y.fill_(3.0)
        return (y * x).sum()

    assert_as_written(function)


def test_a_statement_that_is_traced_again():
    def function(x):
        y, kept = x * 2.0, []
        for row in x:
            if y.add_(paddle.ones([3])).sum() > 0:
                kept.append(row * y[0])
        y.unsqueeze_(0)
        return paddle.stack(kept).sum() + y.sum() if kept else y.sum()

    assert_as_written(function)


def test_detached_from_here_on():
    def function(x):
        y = x * 2.0
        z = y * 3.0
        y.detach_()
        return (y * x + z).sum()

    assert_as_written(function)


def test_state_that_is_read_changed_and_differentiated_inside():
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", paddle.full([3], 2.0))

        def halve(self):
            self.scale = self.scale * 0.5

        def forward(self, x):
            y = x * self.scale
            self.halve()
            [slope] = paddle.grad((y * y).sum(), x, create_graph=True)
            return (slope * x * self.scale).sum()

    class InPlace(Net):
        def halve(self):
            self.scale.multiply_(paddle.full([3], 0.5))

    written, converted = Net(), paddle.jit.to_static(InPlace(), full_graph=True)
    for _ in range(2):
        assert_alike(gradient(converted, OTHER), gradient(written, OTHER))
    np.testing.assert_allclose(converted.scale.numpy(), written.scale.numpy())


def test_another_shape_in_a_branch_is_refused():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        y = x * 2.0
        if x.sum() > 0:
            y.unsqueeze_(0)
        return y

    with pytest.raises(RuntimeError, match="must keep its shape"):
        function(tensor(OTHER))


def test_statistics_that_are_computed_stay_readable_behind_a_batch_norm():
    def normed(x, mean):
        mean = mean * 1.0
        y = paddle.nn.functional.batch_norm(x, mean, paddle.ones([3]), training=False)
        return (y * y).sum() + (mean * x).sum()

    found = []
    for function in (normed, paddle.jit.to_static(normed, full_graph=True)):
        x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(4, 3) / 5, stop_gradient=False)
        mean = paddle.to_tensor(np.ones(3, "float32"), stop_gradient=False)
        function(x, mean).backward()
        found.append((x.grad.numpy(), mean.grad.numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, 1e-5)


def counted_by_what_it_changes(x, n):
    total = 0
    for k in range(n):
        paddle.increment(n)
        total = total + k
    return total * x, n


def from_what_it_changes(x, n):
    total = x.sum()
    for k in range(n, n + 2):
        n.add_(paddle.ones([], "int64"))
        total = total + k
    return total, n


def ended_by_what_it_changes(x, n):
    total = x.sum()
    for count, k in enumerate(range(n)):
        if k > 0:
            n.zero_()
        total = total + count
    return total, n


@pytest.mark.parametrize("function", [counted_by_what_it_changes, from_what_it_changes, ended_by_what_it_changes])
def test_a_range_keeps_its_bounds_where_the_loop_changes_the_tensor_that_gave_them(function):
    wanted = function(paddle.ones([2]), paddle.to_tensor(3))
    found = paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]), paddle.to_tensor(3))
    assert [value.tolist() for value in found] == [value.tolist() for value in wanted]


def _changed_where_it_was_not_differentiated(y):
    with paddle.no_grad():
        v = y * 2.0
    if y.sum() > 0:
        v[0] = y[1]
    return v * 1.0 + y


def _changed_in_a_loop(y):
    with paddle.no_grad():
        v = y * 2.0
    count = paddle.zeros([1])
    while count < 2:
        v.add_(y)
        count = count + 1
    return v * 1.0 + y


@pytest.mark.parametrize("function", [_changed_where_it_was_not_differentiated, _changed_in_a_loop])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_had_no_gradient_has_that_of_what_a_branch_or_loop_puts_into_it_alone(function, sign):
    found = []
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        y = paddle.to_tensor([sign, 2 * sign], stop_gradient=False)
        result = call(y)
        result.sum().backward()
        found.append((result.tolist(), y.grad.tolist()))
    assert found[0] == found[1]


def _detached_and_changed(y):
    h = y * 2.0
    v = h.detach()
    if y.sum() > 0:
        v[0] = y[1]
    return h * 3.0 + v


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_a_detached_view_that_a_branch_gives_a_value_with_a_gradient_runs_as_written():
    found = []
    for call in (_detached_and_changed, paddle.jit.to_static(_detached_and_changed)):
        y = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        call(y).sum().backward()
        found.append(y.grad.tolist())
    assert found[0] == found[1]
    with pytest.raises(RuntimeError, match=r"Give it a copy: y.detach\(\).clone\(\)"):
        paddle.jit.to_static(_detached_and_changed, full_graph=True)(paddle.to_tensor([1.0, 2.0], stop_gradient=False))


@pytest.mark.parametrize("sizes, options", [((4, 3), {}), ((3, 5), {"offset": 1}), ((3, 5), {"offset": -1}),
                                            ((9, 3), {"wrap": True}), ((3, 3, 3), {})])
def test_diagonals_of_open_sizes_are_filled(sizes, options):
    def function(x):
        y = x * 1
        return y.fill_diagonal_(2.0, **options)

    x = paddle.rand(sizes)
    spec = [paddle.static.InputSpec([None] * len(sizes), "float32")]
    found = paddle.jit.to_static(function, input_spec=spec, full_graph=True)(x)
    np.testing.assert_array_equal(found.numpy(), function(x).numpy())
