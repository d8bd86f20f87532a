"""Compiled functions that the next process finds on disk: they do the same, and nothing is compiled for them."""

import numpy as np
import proa as paddle
import pytest
from proa import nn, static
from proa.jit.tracing import program_function
from proa.static.compiler import kept_plans


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """How many plans have been compiled since, in a list; they are kept in a folder of the test's own."""
    found = []
    compile_plan = program_function.compile_plan

    def counted(*arguments, **more):
        found.append(arguments)
        return compile_plan(*arguments, **more)

    monkeypatch.setattr(program_function, "compile_plan", counted)
    monkeypatch.setattr(kept_plans, "_LEAST", 1)
    flags = {"FLAGS_keep_plans": True, "FLAGS_kernel_cache_dir": str(tmp_path)}
    before = paddle.get_flags(list(flags))
    paddle.set_flags(flags)
    yield found
    paddle.set_flags(before)


class Net(nn.Layer):
    def __init__(self, form="plain"):
        super().__init__()
        self.form, self.fc, self.out = form, nn.Linear(3, 8), nn.Linear(8, 2)
        self.norm, self.cell = nn.BatchNorm1D(8) if form == "plain" else nn.LayerNorm(8), nn.LSTMCell(8, 8)

    def forward(self, x):
        h = self.norm(nn.functional.gelu(self.fc(x)))
        if self.form == "steps":
            state = None
            for _ in range(3):
                h, state = self.cell(h, state)
        if self.form == "views":
            h = h.reshape([-1, 2, 4]).transpose([0, 2, 1])
            h[:, 0] = h[:, 1] * 2.0
            h = h.flatten(1)
        if self.form == "branches" and h.mean() > -1.0:
            h = h * 2.0
        if self.form == "loop":
            while h.abs().sum() > 1.0:
                h = h * 0.5
        return nn.functional.softmax(self.out(h), -1)


def steps(form, count=3, train=True):
    """What a net of this form gives in some steps, and what is left of it."""
    paddle.seed(7)
    with paddle.utils.unique_name.guard():
        net = Net(form)
        if not train:
            net.eval()
        fast = paddle.jit.to_static(net)
        rule = paddle.optimizer.Adam(0.05, parameters=net.parameters())
        found = []
        for n in range(count):
            x = paddle.to_tensor(np.random.RandomState(n).rand(4, 3).astype("float32"), stop_gradient=False)
            y = fast(x)
            loss = (y[:, 0] ** 2).sum()
            if train:
                if form != "plain":  # which has running means
                    grad, = paddle.grad(loss, x, create_graph=True)
                    loss = loss + (grad * grad).sum()
                loss.backward()
                rule.step()
                rule.clear_grad()
            found += [y.numpy(), x.grad.numpy() if train else y.numpy()]
    return found + [value.numpy() for value in net.state_dict().values()]


@pytest.mark.parametrize("form", ["plain", "steps", "branches", "loop", "views"])
@pytest.mark.parametrize("train", [True, False])
def test_the_next_process_compiles_nothing(compiled, form, train):
    first = steps(form, train=train)
    assert compiled
    del compiled[:]
    for one, other in zip(steps(form, train=train), first, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not compiled


def test_what_differs_is_compiled(compiled):
    for changed, make in enumerate((lambda x: x * 2.0 + 1.0, lambda x: x * 3.0 + 1.0, lambda x: 2.0 + x * 3.0)):
        function = paddle.jit.to_static(make)
        np.testing.assert_array_equal(function(paddle.ones([2])).numpy(), make(paddle.ones([2])).numpy())
        function(paddle.ones([2]))
        assert len(compiled) == changed + 1
    paddle.jit.to_static(lambda x: 2.0 + x * 3.0)(paddle.ones([3]))  # of another shape
    assert len(compiled) == 4
    paddle.set_flags({"FLAGS_verify_passes": not paddle.get_flags("FLAGS_verify_passes")["FLAGS_verify_passes"]})
    try:
        paddle.jit.to_static(lambda x: 2.0 + x * 3.0)(paddle.ones([3]))
    finally:
        paddle.set_flags({"FLAGS_verify_passes": True})
    assert len(compiled) == 5


class Doubled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(context, x):
        return x * 2.0

    @staticmethod
    def backward(context, g):
        return g * 2.0


def test_what_holds_functions_is_compiled_anew(compiled):
    for _ in range(2):
        x = paddle.ones([2])
        x.stop_gradient = False
        paddle.jit.to_static(lambda x: Doubled.apply(x).sum())(x).backward()
        assert x.grad.tolist() == [2.0, 2.0]
    assert len(compiled) == 4


def test_an_error_still_names_the_operation_and_the_line(compiled):
    def picked(x, index):
        return paddle.gather(x * 2.0, index) + 1.0

    x = paddle.ones([3])
    for _ in range(2):
        function = paddle.jit.to_static(picked, full_graph=True)
        assert function(x, paddle.to_tensor([1])).tolist() == [3.0]
        with pytest.raises(IndexError, match=r"in the operation 'gather' appended at .*test_kept_plans\.py"):
            function(x, paddle.to_tensor([7]))


def test_a_plan_shows_what_it_was_made_of(compiled):
    for _ in range(2):
        function = program_function.ProgramFunction(*_product())
        function([paddle.ones([2, 2])])
        assert "matmul_v2" in str(function.plan()) and "exp" in str(function.plan())
        assert any(op is not None and op.type == "matmul_v2" for op in map(function.plan().operation_at, range(9)))


def _product():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2, 2])
        y = paddle.matmul(paddle.exp(x), x)
    return main, ["x"], [y.name]


def test_nothing_is_kept_where_nothing_is_wanted(compiled, tmp_path):
    paddle.set_flags({"FLAGS_keep_plans": False})
    steps("plain", 1)
    assert not list(tmp_path.glob("*.plan"))


def test_a_large_constant_is_not_kept(compiled, tmp_path):
    large = np.ones(1 << 21, "float32")
    paddle.jit.to_static(lambda x: x + paddle.to_tensor(large))(paddle.ones([1]))
    assert not list(tmp_path.glob("*.plan"))
