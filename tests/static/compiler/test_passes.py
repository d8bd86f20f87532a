"""Each pass alone on small Programs: what it makes of the operations, and that the values stay what they were."""

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.core.flags import flags_guard
from proa.ops.core.trace import apply
from proa.ops.linalg.products import mul_op
from proa.ops.math.elementwise import add_op
from proa.static.compiler.epilogues import Packed
from proa.static.compiler.passes.align import align_operands
from proa.static.compiler.passes.elementwise import fuse_elementwise
from proa.static.compiler.passes.eliminate import merge_common, remove_dead
from proa.static.compiler.passes.hoist import hoist_frozen
from proa.static.compiler.verify import verify
from proa.static.ir.operation import Operation
from programs import Residual, build, unit_for


def types(unit):
    return [op.type for op in unit.ops]


def run(function, *arrays):
    main, inputs, results = build(function, *[[None, *a.shape[1:]] for a in arrays])
    return paddle.static.Executor().run(main, feed=dict(zip(inputs, arrays)), fetch_list=results)


def same_with_and_without_loops(function, *arrays):
    fused = run(function, *arrays)
    with flags_guard({"FLAGS_cpu_engines": ""}):
        plain = run(function, *arrays)
    for a, b in zip(fused, plain, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-6)


X = np.random.default_rng(0).normal(size=(5, 4)).astype("float32")
Y = np.random.default_rng(1).normal(size=(4,)).astype("float32")


def test_equal_operations_are_merged():
    unit = unit_for(lambda x: paddle.exp(x) * paddle.exp(x), [3])
    merge_common(unit)
    verify(unit, "merge_common")
    assert types(unit) == ["exp", "elementwise_mul"]


def test_operations_that_differ_in_an_attribute_are_not_merged():
    unit = unit_for(lambda x: paddle.scale(x, 2.0) * paddle.scale(x, 3.0), [3])
    merge_common(unit)
    assert len(unit.ops) == 3


def test_random_operations_are_not_merged():
    unit = unit_for(lambda x: paddle.nn.functional.dropout(x) * paddle.nn.functional.dropout(x), [3])
    merge_common(unit)
    assert types(unit).count("dropout") == 2


def test_copies_are_passed_through_but_results_stay():
    unit = unit_for(lambda x: [paddle.assign(paddle.exp(x)) * 2, paddle.assign(x)], [3])
    merge_common(unit)
    remove_dead(unit)
    verify(unit, "merge_common")
    assert types(unit) == ["exp", "scale", "assign"]


def test_what_nothing_needs_goes():
    unit = unit_for(lambda x: (paddle.exp(x), x * 2)[1], [3])
    remove_dead(unit)
    assert types(unit) == ["scale"]


def test_what_depends_on_frozen_inputs_alone_is_prepared():
    unit = unit_for(lambda x, w: x * paddle.exp(w) + paddle.ones([3]), [2, 3], [3], frozen=["x1"])
    hoist_frozen(unit)
    verify(unit, "hoist_frozen")
    assert [op.type for op in unit.prepared] == ["exp", "fill_constant"]
    assert types(unit) == ["elementwise_mul", "elementwise_add"]


def test_a_result_is_not_prepared():
    unit = unit_for(lambda x, w: [x * w, paddle.exp(w)], [2, 3], [3], frozen=["x1"])
    hoist_frozen(unit)
    assert not unit.prepared


def test_what_a_result_may_share_memory_with_is_not_prepared():
    unit = unit_for(lambda x, w: [x * w, paddle.reshape(paddle.exp(w), [1, 3])], [2, 3], [3], frozen=["x1"])
    hoist_frozen(unit)
    assert not unit.prepared


def test_a_chain_becomes_one_operation():
    unit = unit_for(lambda x, y: paddle.tanh(paddle.nn.functional.relu(x * y) + 1.0), [-1, 4], [4])
    fuse_elementwise(unit)
    verify(unit, "fuse_elementwise")
    assert types(unit) == ["fused_elementwise"]
    assert repr(unit.ops[0].attrs["group"]) == "elementwise_mul + relu + scale + tanh"


def test_a_detour_keeps_groups_apart():
    """The sum needs exp(x) twice, once through a product of matrices: it cannot be in the group of exp."""
    def function(x):
        e = paddle.exp(x) * 2
        return paddle.matmul(e, e) + e

    unit = unit_for(function, [4, 4])
    fuse_elementwise(unit)
    verify(unit, "fuse_elementwise")
    assert types(unit) == ["fused_elementwise", "matmul_v2", "elementwise_add"]


def test_two_groups_that_need_each_other_stay_two():
    def function(x):
        a, b = paddle.exp(x), paddle.tanh(x)
        m = paddle.matmul(a + 1, a)
        n = paddle.matmul(b + 1, b)
        return [m * b, n * a, m + n]

    unit = unit_for(function, [4, 4])
    fuse_elementwise(unit)
    verify(unit, "fuse_elementwise")
    same_with_and_without_loops(function, np.eye(4, dtype="float32"))


def test_a_group_that_ends_later_is_needed_through_what_came_earlier():
    def function(x):
        a = paddle.exp(x)
        n = paddle.matmul(a, x)  # before the group of `b` begins
        b = paddle.tanh(x)
        c = paddle.matmul(b, b) * a  # now the group of `a` needs that of `b`, and whatever needs `a` does
        return [c, n * b]

    unit = unit_for(function, [4, 4])
    fuse_elementwise(unit)
    verify(unit, "fuse_elementwise")
    same_with_and_without_loops(function, np.eye(4, dtype="float32"))


@pytest.mark.parametrize("function", [
    lambda x, y: paddle.tanh(x * y + x) - y,
    lambda x, y: [(x > 0).astype("float32") * y, paddle.where(x > y, x, y * 2.0)],
    lambda x, y: paddle.add_n([x * 2, x * 3, x * 4]),
    lambda x, y: paddle.nn.functional.gelu(x + y) + x.sum(axis=0),
    lambda x, y: paddle.sum(x) * y + paddle.mean(x) * 2 + 1,
    lambda x, y: paddle.cast(x * 3, "int64") + 1,
    lambda x, y: (x * 2).astype("float64") * 3,
])
def test_fused_values_are_the_same(function):
    same_with_and_without_loops(function, X, Y)


def test_sizes_that_were_unknown_may_broadcast():
    """Where the Program knows neither size, a group runs operator by operator when they turn out to differ."""
    main, inputs, results = build(lambda x, y: [(x + 1) * y, x * 2 + 1], [-1, 4], [-1, 4])
    x, y = X[:1], X
    found = paddle.static.Executor().run(main, feed=dict(zip(inputs, (x, y))), fetch_list=results)
    np.testing.assert_allclose(found[0], (x + 1) * y, rtol=1e-6)
    np.testing.assert_allclose(found[1], x * 2 + 1, rtol=1e-6)


def test_parameters_that_change_are_prepared_again():
    layer = paddle.nn.Linear(3, 2)
    function = paddle.jit.to_static(lambda x: paddle.matmul(x, paddle.exp(layer.weight)))
    x = paddle.ones([1, 3])
    with paddle.no_grad():
        before = function(x).numpy()
        layer.weight.set_value(layer.weight.numpy() + 1)
        after = function(x).numpy()
    np.testing.assert_allclose(after, before * np.e, rtol=1e-5)


def test_an_optimizers_update_is_seen_by_what_was_prepared():
    layer = paddle.nn.Linear(3, 2, bias_attr=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    function = paddle.jit.to_static(lambda x: paddle.matmul(x, layer.weight * 2.0))
    x = paddle.ones([1, 3])
    for _ in range(3):
        with paddle.no_grad():
            np.testing.assert_allclose(function(x).numpy(), x.numpy() @ (layer.weight.numpy() * 2), rtol=1e-5)
        layer(x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()


def test_the_verifier_sees_what_is_wrong():
    unit = unit_for(lambda x: paddle.exp(x) * 2, [3])
    unit.ops.reverse()
    with pytest.raises(RuntimeError, match="after the pass|After the pass turn: .* before it is made"):
        verify(unit, "turn")
    unit = unit_for(lambda x: paddle.exp(x) * 2, [3])
    unit.ops.append(unit.ops[0])
    with pytest.raises(RuntimeError, match="there is already"):
        verify(unit, "repeat")
    unit = unit_for(lambda x: x + x, [3])
    op = unit.ops[0]
    unit.ops = [Operation(op.block, add_op.type, {"X": op.input("X")}, op.outputs, {})]
    with pytest.raises(RuntimeError, match="gives 0 values to the slot Y"):
        verify(unit, "lose")
    unit = unit_for(lambda x: paddle.exp(x), [3])
    unit.results = ["nobody"]
    with pytest.raises(RuntimeError, match="nothing makes the result"):
        verify(unit, "ask")


def evaluated(layer, *shapes):
    """A layer in evaluation as a plan: its source, and what it gives with and without the engines."""
    layer.eval()
    function = paddle.jit.to_static(layer)
    xs = [paddle.to_tensor(np.random.default_rng(n).normal(size=shape).astype("float32"))
          for n, shape in enumerate(shapes)]
    with paddle.no_grad():
        fused = function(*xs).numpy()
        again = [function(*xs).numpy() for _ in range(3)]  # from the third on with packed weights
        with flags_guard({"FLAGS_cpu_engines": ""}):
            plain = layer.forward.dygraph_function(*xs).numpy()
    for found in again:
        np.testing.assert_array_equal(fused, found)
    # A filter that is scaled before the sums rounds otherwise than their result scaled: 144 products an element.
    np.testing.assert_allclose(fused, plain, rtol=2e-4, atol=2e-4)
    plan, _ = function.forward.concrete_program.run._plan
    return [op.type for _, op in sorted(plan.origin.operations_at.items())]


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh", "sigmoid", "silu", "hardswish"])
def test_convolution_norm_residual_and_activation_are_one(activation):
    types = evaluated(Residual(activation=activation), (2, 16, 12, 12))
    assert types[-2:] == ["fused_conv2d", "fused_conv2d"] and "batch_norm" not in types


def test_two_convolutions_that_meet_in_a_sum():
    class Meeting(Residual):
        def forward(self, x):
            return self.activation(self.first(self.a(x)) + self.second(self.b(x)))

    types = evaluated(Meeting(), (2, 16, 12, 12))
    assert types[-2:] == ["fused_conv2d", "fused_conv2d"] and "elementwise_add" not in types


def test_weights_are_packed_once_for_all_sizes(monkeypatch):
    packed = []
    for name in ("pack_weight", "pack_matrix"):
        pack = getattr(onednn, name)
        monkeypatch.setattr(onednn, name, lambda w, *rest, pack=pack: packed.append(w.shape) or pack(w, *rest))
    layer = Residual()
    layer.eval()
    wide = paddle.nn.Sequential(paddle.nn.Linear(64, 256), paddle.nn.GELU())
    convolve = paddle.jit.to_static(layer, input_spec=[paddle.static.InputSpec([None, 16, None, None])])
    multiply = paddle.jit.to_static(wide, input_spec=[paddle.static.InputSpec([None, 64])])
    generator = np.random.default_rng(0)
    with paddle.no_grad(), flags_guard({"FLAGS_cpu_engines": "onednn,loops"}):
        for size in (12, 20, 9, 14, 12, 31, 20, 16, 12):
            for function, shape in ((convolve, (2, 16, size, 12)), (multiply, (8 * size, 64))):
                x = paddle.to_tensor(generator.normal(size=shape).astype("float32"))
                found = function(x).numpy()
                with flags_guard({"FLAGS_cpu_engines": ""}):
                    plain = function.forward.dygraph_function(x).numpy()
                np.testing.assert_allclose(found, plain, rtol=2e-4, atol=2e-4)
    assert len(packed) <= (3 if onednn.is_ready() else 0), packed


def test_a_form_that_sizes_no_longer_want_gives_way():
    class Form:
        misfits = 0

    made, weight, packed = [], np.ones(3), Packed()

    def pack():
        made.append(Form())
        return made[-1]

    assert [packed.of(weight, "packed", pack) for _ in range(4)] == [None, None, made[0], made[0]]
    made[0].misfits = 3
    assert packed.of(weight, "packed", pack) is made[1] is packed.of(weight, "packed", pack)
    assert packed.of(weight, "scaled", lambda: NotImplemented, np.float64([2]).reshape(1), 1).tolist() == [2, 2, 2]


def test_a_bias_between_convolution_and_norm_stays():
    types = evaluated(Residual(bias=True), (2, 16, 12, 12))
    assert types.count("fused_conv2d") == 2


def test_a_norm_without_a_convolution_is_part_of_a_loop():
    class Before(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm, self.conv = paddle.nn.BatchNorm2D(8), paddle.nn.Conv2D(8, 8, 3)
            for parameter in (self.norm.weight, self.norm.bias, self.norm._mean, self.norm._variance):
                parameter.set_value(paddle.rand([8]) + 0.5)

        def forward(self, x):
            return self.conv(paddle.nn.functional.relu(self.norm(x)))

    assert evaluated(Before(), (2, 8, 9, 9))[-2:] == ["fused_elementwise", "fused_conv2d"]


def test_linear_layers_take_bias_activation_and_residual():
    class Block(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.up, self.down = paddle.nn.Linear(64, 256), paddle.nn.Linear(256, 64)

        def forward(self, x):
            return self.down(paddle.nn.functional.gelu(self.up(x))) + x

    assert evaluated(Block(), (2, 32, 64)) == ["fused_linear", "fused_linear"]
    assert evaluated(Block(), (1, 2, 64)) == ["fused_linear", "fused_linear"]  # too small for oneDNN


@pytest.mark.parametrize("shapes", [((2, 16, 6, 6), (2, 16, 6, 6)), ((2, 16, 6, 6), (2, 16, 1, 1)),
                                    ((2, 16, 1, 1), (2, 16, 5, 4)), ((1, 16, 6, 6), (3, 16, 6, 6))])
def test_what_is_added_to_a_convolution_may_broadcast_where_sizes_are_open(shapes):
    layer = paddle.nn.Conv2D(16, 16, 3, padding=1)
    added_to_open_sizes(layer, lambda x: paddle.nn.functional.relu(x), [None, 16, None, None], shapes)


@pytest.mark.parametrize("shapes", [((2, 32, 64), (2, 32, 64)), ((1, 64, 64), (64, 1, 64)), ((2, 32, 64), (2, 1, 64))])
def test_what_is_added_to_a_product_may_broadcast_where_sizes_are_open(shapes):
    added_to_open_sizes(paddle.nn.Linear(64, 64), paddle.nn.functional.gelu, [None, None, 64], shapes)


def added_to_open_sizes(layer, activation, declared, shapes):
    """Compares activation(layer(x) + y), fused over open sizes, with eager code: for these shapes, again and again."""
    spec = paddle.static.InputSpec
    function = paddle.jit.to_static(lambda x, y: activation(layer(x) + y), input_spec=[spec(declared), spec(declared)])
    generator = np.random.default_rng(0)
    with paddle.no_grad():
        for _ in range(5):  # packed at the third
            x, y = (paddle.to_tensor(generator.normal(size=shape).astype("float32")) for shape in shapes)
            with flags_guard({"FLAGS_cpu_engines": ""}):
                plain = activation(layer(x) + y).numpy()
            np.testing.assert_allclose(function(x, y).numpy(), plain, rtol=2e-5, atol=2e-5)
    assert "elementwise_add" not in [op.type for op in function.concrete_program.plan().origin.unit.ops]


def test_a_prepared_product_sees_other_weights_and_biases():
    layer = paddle.nn.Sequential(paddle.nn.Conv2D(4, 8, 3), paddle.nn.Flatten(), paddle.nn.Linear(8 * 36, 128))
    layer.eval()
    function = paddle.jit.to_static(lambda x: layer(x))
    x = paddle.randn([8, 4, 8, 8])
    for _ in range(3):
        for parameter in layer.parameters():
            parameter.set_value(paddle.randn(parameter.shape))
            with paddle.no_grad():
                for _ in range(5):
                    found = function(x).numpy()
                np.testing.assert_allclose(found, layer(x).numpy(), rtol=2e-4, atol=2e-4)


def test_a_dropout_in_evaluation_is_no_operation():
    class Dropping(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(64, 64)

        def forward(self, x):
            x = paddle.exp(x)
            return paddle.nn.functional.dropout(self.linear(x), 0.5, training=self.training) + x

    assert evaluated(Dropping(), (2, 32, 64)) == ["exp", "fused_linear"]


def test_products_of_older_files_take_them_too():
    class Older(paddle.nn.Layer):
        def __init__(self, columns):
            super().__init__()
            self.columns = columns
            self.weight, self.bias = self.create_parameter([64, 32]), self.create_parameter([32], is_bias=True)

        def forward(self, x):
            product = apply(mul_op, x, self.weight, x_num_col_dims=self.columns, y_num_col_dims=1)
            return paddle.nn.functional.relu(product + self.bias)

    assert evaluated(Older(1), (8, 64)) == evaluated(Older(2), (2, 8, 64)) == ["fused_linear"]
    assert "mul" in evaluated(Older(1), (8, 4, 16))  # flattened first


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh", "sigmoid", "silu", "hardswish"])
def test_a_fused_activation_keeps_nan(activation):
    linear = paddle.nn.Linear(64, 256)
    function = paddle.jit.to_static(lambda x: getattr(paddle.nn.functional, activation)(linear(x)))
    x = np.ones((64, 64), "float32")
    x[3, 3] = np.nan
    with paddle.no_grad():
        found = function(paddle.to_tensor(x)).numpy()
    assert np.isnan(found[3]).all() and not np.isnan(found[4]).any()


def test_folded_statistics_follow_the_layer():
    """Training between two evaluations changes weights and statistics: what was folded is folded anew."""
    layer = Residual()
    function = paddle.jit.to_static(layer)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    x = paddle.to_tensor(np.random.default_rng(0).normal(size=(2, 16, 12, 12)).astype("float32"))
    for _ in range(2):
        layer.eval()
        with paddle.no_grad():
            expected = layer.forward.dygraph_function(x).numpy()
            # as above; the steps between carry the difference on
            np.testing.assert_allclose(function(x).numpy(), expected, rtol=1e-3, atol=1e-4)
        layer.train()
        function(x).mean().backward()
        optimizer.step()
        optimizer.clear_grad()


def test_an_operand_that_stands_at_a_dimension_is_reshaped():
    from proa.ops.core.trace import apply
    from proa.ops.math.elementwise import add_op

    unit = unit_for(lambda x, b: paddle.nn.functional.relu(apply(add_op, x, b, axis=1)), [-1, 3, 4, 4], [3])
    align_operands(unit)
    verify(unit, "align_operands")
    assert types(unit) == ["reshape2", "elementwise_add", "relu"]
    fuse_elementwise(unit)
    assert types(unit) == ["reshape2", "fused_elementwise"]


RULES = {
    "sgd": lambda parameters: paddle.optimizer.SGD(0.1, parameters=parameters, weight_decay=0.01),
    "momentum": lambda parameters: paddle.optimizer.Momentum(0.1, parameters=parameters, weight_decay=0.01),
    "adam": lambda parameters: paddle.optimizer.Adam(0.1, parameters=parameters),
    "adamw": lambda parameters: paddle.optimizer.AdamW(0.1, parameters=parameters, weight_decay=0.1,
                                                       apply_decay_param_fun=lambda name: "w" in name),
}


@pytest.mark.parametrize("rule", RULES)
def test_updates_of_a_program_are_one_and_equal_the_eager_ones(rule):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [4, 3], "float32")
            hidden = paddle.static.nn.fc(x, 5, activation="tanh")
            loss = paddle.mean(paddle.static.nn.fc(hidden, 2) ** 2)
            RULES[rule](None).minimize(loss)
        exe = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            exe.run(startup)
            start = [np.array(v) for v in main.state_dict("param").values()]
            for _ in range(3):
                exe.run(main, feed={"x": X[:4, :3]}, fetch_list=[loss])
            found = [np.array(v) for v in main.state_dict("param").values()]
        text = str(main.plan(["x"], [loss]))
    finally:
        paddle.disable_static()
    assert f"merged_{rule}" in text

    first, second = paddle.nn.Linear(3, 5), paddle.nn.Linear(5, 2)
    parameters = [*first.parameters(), *second.parameters()]
    by_shape = {value.shape: value for value in start}
    for parameter in parameters:
        parameter.set_value(by_shape[tuple(parameter.shape)])
    optimizer = RULES[rule](parameters)
    for _ in range(3):
        (second(paddle.tanh(first(paddle.to_tensor(X[:4, :3])))) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    found_by_shape = {value.shape: value for value in found}
    for parameter in parameters:
        np.testing.assert_allclose(parameter.numpy(), found_by_shape[tuple(parameter.shape)], rtol=1e-4, atol=1e-5)


class Squeezing(paddle.nn.Layer):
    def __init__(self, channels, gate, has_bias=True):
        super().__init__()
        bias = None if has_bias else False
        self.pool = paddle.nn.AdaptiveAvgPool2D(1)
        self.expand = paddle.nn.Conv2D(3, channels, 1)
        self.squeeze = paddle.nn.Conv2D(channels, channels // 4, 1, bias_attr=bias)
        self.excite = paddle.nn.Conv2D(channels // 4, channels, 1, bias_attr=bias)
        self.gate = gate

    def forward(self, x):
        x = self.expand(x)
        return x * self.gate(self.excite(paddle.nn.functional.relu(self.squeeze(self.pool(x)))))


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("gate", [paddle.nn.functional.hardsigmoid, paddle.nn.functional.sigmoid])
@pytest.mark.parametrize("shape", [(1, 3, 1, 1), (2, 3, 7, 5), (3, 3, 48, 41)])
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_squeeze_and_excitation_is_one_operation(gate, has_bias, shape, threads):
    layer, before = Squeezing(24, gate, has_bias), paddle.get_num_threads()
    paddle.set_num_threads(threads)
    try:
        with flags_guard({"FLAGS_kernel_after_elements": 0}):
            found = [kind for kind in evaluated(layer, shape) if kind != "reshape2"]  # of biases, once
        assert found == ["fused_conv2d", "channel_gate"]
        assert "channel_gate" in evaluated(layer, shape)  # by NumPy
    finally:
        paddle.set_num_threads(before)


@pytest.mark.parametrize("shape", [(1, 3, 4, 4), (1, 3, 96, 64), (5, 3, 9, 5)])
@pytest.mark.parametrize("threads", [1, 2])
def test_gates_whose_product_is_part_of_a_loop_or_is_another_value_stay_gates(shape, threads):
    class Added(Squeezing):
        def forward(self, x):
            return paddle.tanh(super().forward(x)) * 0.5

    class Another(Squeezing):
        def forward(self, x):
            image = self.expand(x)
            return self.gate(self.excite(paddle.nn.functional.relu(self.squeeze(self.pool(image))))) * x.sum()

    class Twice(Squeezing):
        def forward(self, x):
            image = self.expand(x)
            gates = self.gate(self.excite(paddle.nn.functional.relu(self.squeeze(self.pool(image)))))
            return paddle.concat([image * gates, gates.expand_as(image)], 1)

    before = paddle.get_num_threads()
    paddle.set_num_threads(threads)
    try:
        for kind in (Added, Another, Twice):
            with flags_guard({"FLAGS_kernel_after_elements": 0}):
                found = evaluated(kind(24, paddle.nn.functional.hardsigmoid), shape)
            assert "channel_gate" in found and {"fused_elementwise", "elementwise_mul"} & set(found), (kind, found)
    finally:
        paddle.set_num_threads(before)


def test_gates_keep_nan_and_what_else_is_wanted_of_them():
    layer = Squeezing(8, paddle.nn.functional.hardsigmoid)
    layer.eval()
    function = paddle.jit.to_static(lambda x: layer(x))
    x = np.ones((2, 3, 4, 4), "float32")
    x[1, 1, 2, 2] = np.nan
    with paddle.no_grad(), flags_guard({"FLAGS_kernel_after_elements": 0}):
        found = function(paddle.to_tensor(x)).numpy()
    assert np.isnan(found[1]).all() and not np.isnan(found[0]).any()

    class Kept(Squeezing):
        def forward(self, x):
            pooled = self.pool(x)
            hidden = paddle.nn.functional.relu(self.squeeze(pooled))
            return self.gate(self.excite(hidden)) * hidden.sum()

    assert "channel_gate" not in evaluated(Kept(8, paddle.nn.functional.sigmoid), (2, 8, 4, 4))
