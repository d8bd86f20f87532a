"""Optimizers that users have written for Paddle: `_append_optimize_op`, `_create_accumulators` and what these call.

The numbers are PaddlePaddle 2.6.2's for these very classes.
"""

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.base import framework
from proa.optimizer import AdamW, Momentum, Optimizer

X = np.random.RandomState(0).rand(4, 4, 3).astype("float32")
W = np.random.RandomState(1).rand(3, 2).astype("float32")


class Own(Optimizer):
    def __init__(self, learning_rate=0.001, mu=0.9, parameters=None, weight_decay=None, grad_clip=None, name=None):
        super().__init__(learning_rate=learning_rate, parameters=parameters, weight_decay=weight_decay,
                         grad_clip=grad_clip, name=name)
        self.type = "own"
        self._mu, self._default_dict, self.log = mu, {"mu": mu}, []

    def _create_accumulators(self, block, parameters):
        assert isinstance(block, framework.Block)
        if isinstance(parameters, dict):
            parameters = self._update_param_group(parameters)
        for p in parameters:
            if p.name not in self._already_create_accumulater:
                self._add_accumulator("velocity", p)
                self._add_accumulator("half", p, fill_value=0.5, shape=[1], dtype="float32")
                self._already_create_accumulater.add(p.name)

    def _append_optimize_op(self, block, param_and_grad):
        if isinstance(param_and_grad, dict):
            param_and_grad = self._update_param_group(param_and_grad)
        p, g = param_and_grad
        velocity, half = self._get_accumulator("velocity", p), self._get_accumulator_master("half", p)
        rate = self._create_param_lr(param_and_grad)
        assert rate.shape == [] and rate.dtype == paddle.float32
        self.log.append((round(rate.item(), 6), self._mu))
        velocity.set_value(velocity * self._mu + g)
        half.set_value(half * 0.5)
        p.set_value(p - rate * velocity)

    def _update_param_group(self, parameters):
        self._mu = parameters.get("mu", self._default_dict["mu"])
        return parameters.get("params")

    def _finish_update(self, block, parameters_and_grads):
        self.log.append("finished")


class Layerwise(AdamW):
    def _append_optimize_op(self, block, param_and_grad):
        attributes = param_and_grad[0].optimize_attr
        before = attributes["learning_rate"]
        attributes["learning_rate"] = 0.5 if param_and_grad[0].name.endswith("w_0") else 1.0
        result = super()._append_optimize_op(block, param_and_grad)
        attributes["learning_rate"] = before
        return result


class Bounded(Momentum):
    def _append_optimize_op(self, block, param_and_grad):
        super()._append_optimize_op(block, param_and_grad)
        param_and_grad[0].set_value(param_and_grad[0].clip(-0.3, 0.3))


def trained(make, steps=4):
    with paddle.utils.unique_name.guard():
        net = nn.Linear(3, 2)
        net.weight.set_value(W)
        net.bias.set_value(W[0])
        net.bias.optimize_attr["learning_rate"] = 2.0
        rule = make(net)
        for x in X[:steps]:
            (net(paddle.to_tensor(x)) ** 2).mean().backward()
            rule.step()
            rule.clear_grad()
        return net, rule


class OfRows(AdamW):
    """Keeps one row of moments for a matrix, and writes Adam's rule anew, by AdamW's accumulators and options."""

    def _add_accumulator(self, name, param, dtype=None, fill_value=0.0, shape=None, type=None, device=None):
        if shape is None and len(param.shape) == 2:
            shape = [1, param.shape[1]]
        return super()._add_accumulator(name=name, param=param, dtype=dtype, fill_value=fill_value, shape=shape,
                                        type=type, device=device)

    def _append_optimize_op(self, block, param_and_grad):
        if isinstance(param_and_grad, dict):
            param_and_grad = self._update_param_group(param_and_grad)
        p, g = param_and_grad
        if len(p.shape) != 2:
            return super()._append_optimize_op(block, param_and_grad)
        kept = [self._get_accumulator_master(name, p) for name in (
            self._moment1_acc_str, self._moment2_acc_str, self._beta1_pow_acc_str, self._beta2_pow_acc_str)]
        rate = self._create_param_lr(param_and_grad)
        change = paddle.zeros([1, p.shape[1]])
        assert self._lr_ratio is None and self._apply_decay_param_fun is None
        paddle._C_ops.adamw_(change, g.mean(0, keepdim=True), rate, *kept, None, None, self._beta1, self._beta2,
                             self._epsilon, 1.0, 0.0, False, self._lazy_mode, 1000, False, False)
        return p.set_value((p + change) * (1 - rate * self._weight_decay))


PLAIN = [0.2006067, 0.327946, -0.26183635, -0.19992045, -0.12694108, -0.39263394, -0.38609886, -0.7413262]
CASES = {
    "plain": (lambda n: Own(0.1, parameters=n.parameters()), PLAIN),
    "named": (lambda n: Own(0.1, parameters=n.parameters(), name="foo"), PLAIN),
    "decay, clip": (
        lambda n: Own(0.1, parameters=n.parameters(), weight_decay=0.1, grad_clip=nn.ClipGradByGlobalNorm(0.2)),
        [0.3466557, 0.59563255, -0.0338661, 0.2107707, 0.0969214, 0.01817367, 0.2260115, 0.37830687]),
    "groups": (
        lambda n: Own(0.1, parameters=[{"params": [n.weight], "mu": 0.5, "learning_rate": 0.1},
                                       {"params": [n.bias], "weight_decay": 0.01}]),
        [0.39698943, 0.6840438, -0.02063129, 0.26281896, 0.12418944, 0.05221451, -0.13796328, -0.29445308]),
    "around AdamW": (
        lambda n: Layerwise(0.1, parameters=n.parameters()),
        [0.22216038, 0.5211923, -0.18119359, 0.11255029, -0.03891289, -0.09873266, 0.03442704, 0.32518542]),
    "by AdamW's accumulators": (
        lambda n: OfRows(0.1, parameters=n.parameters(), beta2=0.99),
        [0.0989058, 0.34877098, -0.31633672, -0.06755153, -0.17028087, -0.27670681, -0.21450678, -0.0351492]),
    "by AdamW's accumulators, in groups": (
        lambda n: OfRows(0.1, beta2=0.99, parameters=[{"params": [n.weight], "beta1": 0.5, "weight_decay": 0.3},
                                                      {"params": [n.bias]}]),
        [0.09477767, 0.32055253, -0.27430773, -0.04949282, -0.14448702, -0.23539899, 0.05296166, 0.33078775]),
    "around Momentum": (
        lambda n: Bounded(0.1, parameters=n.parameters(), weight_decay=0.1),
        [0.11364692, 0.03547814, -0.24056485, -0.13333213, -0.11707181, -0.3, -0.3, -0.3]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.filterwarnings("ignore:Own\\(parameters\\). 'mu' of a group changes nothing")
def test_the_weights_are_paddles(case):
    make, wanted = case
    net, _ = trained(make)
    np.testing.assert_allclose([*net.weight.numpy().ravel(), *net.bias.numpy()], wanted, rtol=2e-5, atol=1e-6)


def test_what_is_called_and_kept():
    net, rule = trained(CASES["plain"][0], 2)
    assert rule.log == [(0.1, 0.9), (0.2, 0.9), "finished"] * 2
    assert sorted(rule.state_dict()) == [
        "linear_0.b_0_half_0", "linear_0.b_0_velocity_0", "linear_0.w_0_half_0", "linear_0.w_0_velocity_0"]
    assert rule._get_accumulator("half", net.bias).tolist() == [0.125]
    with pytest.raises(KeyError, match="no accumulator 'nothing' for the parameter 'linear_0.b_0'"):
        rule._get_accumulator("nothing", net.bias)
    rule._set_auxiliary_var("found_inf", True)
    assert rule._get_auxiliary_var("found_inf") and rule._get_auxiliary_var("other") is None


def test_a_name_is_part_of_the_accumulators_names():
    """As in Paddle, whose files have it; files that were written without it are read too."""
    net, rule = trained(lambda n: paddle.optimizer.Adam(0.1, parameters=n.parameters(), name="foo"), 1)
    state = rule.state_dict()
    assert "linear_0.w_0_foo_moment1_0" in state and "linear_0.b_0_foo_beta2_pow_acc_0" in state
    for keys in (state, {key.replace("_foo", ""): value for key, value in state.items()}):
        other = paddle.optimizer.Adam(0.1, parameters=net.parameters(), name="foo")
        other.set_state_dict(keys)
        net(paddle.to_tensor(X[0])).sum().backward()
        other.step()
        other.clear_grad()
        assert other._get_accumulator("beta1_pow_acc", net.weight).item() == pytest.approx(0.9**3)


def test_a_state_is_taken_over():
    _, rule = trained(CASES["named"][0], 3)
    state = {key: value.numpy() for key, value in rule.state_dict().items()}
    net, _ = trained(CASES["named"][0], 0)
    other = Own(0.1, parameters=net.parameters(), name="foo")
    other.set_state_dict(state)
    for p in net.parameters():
        p.grad = paddle.zeros(p.shape)
    other.step()
    np.testing.assert_allclose(
        other._get_accumulator("velocity", net.bias).numpy(), state["linear_0.b_0_foo_velocity_0"] * 0.9, rtol=1e-6)


def test_the_types():
    net = nn.Linear(1, 1)
    for name in ("SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb"):
        rule = getattr(paddle.optimizer, name)(learning_rate=0.1, parameters=net.parameters())
        assert rule.type == name.lower()


def test_sixteen_bits_go_by_their_copies():
    net = nn.Linear(3, 2).to(dtype="float16")
    rule = Bounded(0.1, parameters=net.parameters(), multi_precision=True)
    net(paddle.ones([2, 3], "float16")).sum().backward()
    rule.step()
    assert net.weight.dtype == paddle.float16 and abs(net.weight.numpy()).max() <= 0.3
    assert rule._create_master_weight(net.weight).dtype == paddle.float32


class OwnClip(nn.ClipGradByNorm):
    def _dygraph_clip(self, params_grads):
        return [(p, g * 0) for p, g in super()._dygraph_clip(params_grads)]


def test_clippers_by_their_methods():
    net = nn.Linear(1, 1)
    pairs = [(net.weight, paddle.full([1, 1], 4.0)), (net.bias, paddle.full([1], 3.0))]
    for clip, wanted in ((nn.ClipGradByGlobalNorm(1.0), [0.8, 0.6]), (nn.ClipGradByNorm(1.0), [1, 1]),
                         (nn.ClipGradByValue(2.0), [2, 2]), (OwnClip(1.0), [0, 0])):
        for found in (clip(pairs), clip._dygraph_clip(pairs), clip._static_clip(pairs)):
            np.testing.assert_allclose([g.item() for _, g in found], wanted, rtol=1e-6)


def test_a_rules_accumulators_and_options_have_paddles_names():
    net = nn.Linear(3, 2)
    wanted = {
        "SGD": {}, "Momentum": {"velocity"}, "Adam": {"moment1", "moment2", "beta1_pow", "beta2_pow"},
        "AdamW": {"moment1", "moment2", "beta1_pow", "beta2_pow"}, "Adamax": {"moment", "inf_norm", "beta1_pow"},
        "Adagrad": {"moment"}, "Adadelta": {"avg_squared_grad", "avg_squared_update"},
        "RMSProp": {"mean_grad", "mean_square", "momentum"},
        "Lamb": {"moment1", "moment2", "beta1_pow", "beta2_pow"}}
    for name, kinds in wanted.items():
        rule = getattr(paddle.optimizer, name)(learning_rate=0.1, parameters=net.parameters())
        assert {n for n in dir(rule) if n.endswith("_acc_str")} == {f"_{kind}_acc_str" for kind in kinds}
        assert not rule._accumulators["velocity"] and rule._accumulators_holder == {}
        rule._create_accumulators(None, net.parameters())
        for kind in kinds:
            assert rule._get_accumulator(getattr(rule, f"_{kind}_acc_str"), net.bias).shape in ([2], [1])
    rule = AdamW(0.1, beta1=0.8, parameters=net.parameters(), weight_decay=0.2)
    assert (rule._beta1, rule._weight_decay, rule._default_dict["beta1"]) == (0.8, 0.2, 0.8)
    rule._beta1 = 0.7
    assert rule._beta1 == 0.7 and rule._options["beta1"] == 0.7


def test_a_state_waits_for_its_accumulators():
    net, rule = trained(lambda n: paddle.optimizer.Adam(0.1, parameters=n.parameters()), 2)
    state = rule.state_dict()
    other = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    other.set_state_dict(state)
    assert other._accumulators_holder.keys() == state.keys()
    other._accumulators_holder["linear_0.b_0_moment1_0"] = np.full(2, 7.0, "float32")  # it may be changed there
    other._create_accumulators(None, net.parameters())
    assert other._accumulators_holder == {}
    assert other._get_accumulator("moment1", net.bias).tolist() == [7.0, 7.0]
    np.testing.assert_array_equal(other._get_accumulator("moment2", net.weight).numpy(),
                                  rule._get_accumulator("moment2", net.weight).numpy())


class OfOperators(Optimizer):
    """Appends its update by the operator's type, as it is written for Programs."""

    def _create_accumulators(self, block, parameters):
        for p in parameters:
            self._add_accumulator("velocity", p)

    def _append_optimize_op(self, block, param_and_grad):
        p, g = param_and_grad
        velocity = self._get_accumulator("velocity", p)
        return block.append_op(
            type="momentum", outputs={"ParamOut": p, "VelocityOut": velocity}, attrs={"mu": 0.8},
            inputs={"Param": p, "Grad": g, "Velocity": velocity, "LearningRate": self._create_param_lr(param_and_grad)})


class Cubes(paddle.regularizer.WeightDecayRegularizer):
    def __call__(self, param, grad, block):
        made = block.create_var(name=f"{param.name}_cubes", dtype=param.dtype, shape=param.shape)
        block.append_op(type="pow", inputs={"X": param}, outputs={"Out": made}, attrs={"factor": 3.0})
        return made


@pytest.mark.parametrize("rule", [OfOperators, lambda rate: paddle.optimizer.SGD(rate, weight_decay=Cubes()),
                                  lambda rate: OfOperators(rate, weight_decay=Cubes())])
def test_a_clone_for_tests_lacks_an_update_that_is_appended_by_its_type(rule):
    main, startup, exe = paddle.static.Program(), paddle.static.Program(), paddle.static.Executor()
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, startup):
        zeros = paddle.nn.initializer.Constant(0.0)
        loss = paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1, weight_attr=zeros).mean()
        rule(0.1).minimize(loss)
        test = main.clone(for_test=True)
        assert [op.type for op in test.global_block().ops] == ["mul", "elementwise_add", "reduce_mean"]
        exe.run(startup)
        feed = {"x": np.ones((1, 2), "float32")}
        before, again = (exe.run(test, feed=feed, fetch_list=[loss])[0] for _ in range(2))
        assert before == again == exe.run(main, feed=feed, fetch_list=[loss])[0]
        np.testing.assert_allclose(exe.run(test, feed=feed, fetch_list=[loss])[0], before - 0.3, rtol=1e-5)
