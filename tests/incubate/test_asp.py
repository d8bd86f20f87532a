"""Automatic sparsity: masks are PaddlePaddle 2.6.2's, and steps, Programs and states keep to them."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.incubate import asp

# create_mask(RandomState(0).randint(-9, 10, (6, 7)), …) of PaddlePaddle 2.6.2
MASKS = {
    "MASK_1D": ["0011110", "1100110", "1100101", "0011101", "0011011", "0011110"],
    "MASK_2D_GREEDY": ["0110010", "1001110", "1100001", "0011101", "0011011", "0011110"],
    "MASK_2D_BEST": ["1100010", "1001010", "0011101", "0110101", "1100101", "0110001"],
}
OF_FOUR_DIMENSIONS = ["0110", "1001", "1100", "0011", "0000", "1100", "1111", "0011"]


def _digits(mask):
    return ["".join(str(int(one)) for one in row) for row in mask]


@pytest.mark.parametrize("algorithm", asp.MaskAlgo)
def test_masks_are_paddles(algorithm):
    x = np.random.RandomState(0).randint(-9, 10, (6, 7))
    mask = asp.create_mask(x, algorithm)
    assert mask.dtype == x.dtype and _digits(mask) == MASKS[algorithm.name]
    assert asp.check_sparsity(mask, asp.CheckMethod.get_checking_method(algorithm))
    assert not asp.check_sparsity(np.ones_like(x), asp.CheckMethod.get_checking_method(algorithm))


def test_masks_of_convolutions_lie_along_the_third_dimension():
    mask = asp.create_mask(np.random.RandomState(0).randint(-9, 10, (2, 2, 8, 4)))
    assert _digits(mask.reshape(-1, 4)[:8]) == OF_FOUR_DIMENSIONS
    with pytest.raises(ValueError, match="one to four dimensions"):
        asp.create_mask(np.ones([1] * 5))


def test_of_equal_sums_the_mask_is_paddles():
    assert _digits(asp.create_mask(np.zeros((4, 4)), asp.MaskAlgo.MASK_2D_BEST)) == ["1100", "0110", "1001", "0011"]


def _net():
    paddle.seed(0)
    return paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3), paddle.nn.Conv2D(4, 4, 3), paddle.nn.Flatten(),
                                paddle.nn.Linear(64, 8), paddle.nn.Linear(8, 3))


def _densities(net):
    return [asp.calculate_density(weight.numpy()) for weight in net.parameters() if weight.ndim > 1]


@pytest.mark.parametrize("how", ["step", "minimize", "scaler"])
def test_steps_keep_to_the_masks_and_go_on(how):
    net = _net()
    adam = asp.decorate(paddle.optimizer.Adam(0.01, parameters=net.parameters()))
    masks = asp.prune_model(net, mask_algo="mask_2d_best")
    assert _densities(net) == [1.0, 0.5, 0.5, 0.5]  # three channels are less than four
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    for _ in range(3):
        before = net[3].weight.numpy()
        loss = net(paddle.randn([2, 3, 8, 8])).sum()
        (scaler.scale(loss) if how == "scaler" else loss).backward()
        if how == "scaler":
            scaler.minimize(adam, loss)
        else:
            adam.step() if how == "step" else adam.minimize(loss)
        adam.clear_grad()
        now, mask = net[3].weight.numpy(), masks[net[3].weight.name]
        assert not now[mask == 0].any() and (now != before)[mask == 1].all()


def test_masks_stand_in_the_optimizers_state(tmp_path):
    net, other = _net(), _net()
    sgd = asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    asp.decorate(paddle.optimizer.SGD(0.1, parameters=other.parameters()))  # has masks of its own
    name = f"{net[4].weight.name}.asp_mask"
    mask = asp.prune_model(net)[net[4].weight.name]
    assert f"{other[4].weight.name}.asp_mask" not in sgd.state_dict()
    paddle.save(sgd.state_dict(), str(tmp_path / "asp.pdopt"))
    asp.ASPHelper._get_program_asp_info(static.default_main_program()).mask_vars[net[4].weight.name].fill_(1.0)
    sgd.set_state_dict(paddle.load(str(tmp_path / "asp.pdopt")))
    np.testing.assert_array_equal(sgd.state_dict()[name].numpy(), mask)
    with pytest.raises(AssertionError, match="asp_mask is missing"):
        sgd.set_state_dict({})


def test_excluded_and_added_layers():
    class Adapter(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.weight = self.create_parameter([8, 8])

    def halves(weight, m, n, mask_algo, name):
        return np.full_like(weight, 3.0), np.full_like(weight, 0.5)

    asp.add_supported_layer(Adapter, halves)
    net, adapter = _net(), Adapter()
    sgd = asp.decorate(paddle.optimizer.SGD(0.0, parameters=adapter.parameters()))
    asp.set_excluded_layers([net[3].full_name()])
    asp.prune_model(net, with_mask=False)
    asp.reset_excluded_layers()
    assert _densities(net) == [1.0, 0.5, 1.0, 0.5]
    asp.prune_model(adapter)
    assert adapter.weight.numpy().max() == 3.0
    sgd.step()
    assert adapter.weight.numpy().max() == 1.5
    with pytest.raises(AssertionError, match=r"[Dd]ecorate"):
        asp.prune_model(net)
    with pytest.raises(TypeError, match="a name, a Layer"):
        asp.add_supported_layer(3)


def test_programs_keep_to_the_masks():
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        loss = static.nn.fc(static.nn.fc(static.data("x", [None, 8]), 8, activation="relu"), 4).mean()
        weights = [p for p in main.global_block().all_parameters() if len(p.shape) == 2]
        asp.decorate(paddle.optimizer.Momentum(0.1)).minimize(loss, startup)
        assert [op.type for op in main.global_block().ops[-2:]] == ["elementwise_mul"] * 2
        exe.run(startup)
        masks = asp.prune_model(main)
        for _ in range(3):
            exe.run(main, feed={"x": np.random.default_rng(1).standard_normal((4, 8), "float32")})
        for weight in weights:
            kept = np.array(static.global_scope().find_var(weight.name).get_tensor())
            assert not kept[masks[weight.name] == 0].any() and kept.any()
        with pytest.raises(AssertionError, match="mask_algo"):
            asp.prune_model(main, mask_algo="mask_3d")


def test_a_program_without_masks_says_what_to_do():
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        static.nn.fc(static.data("x", [None, 8]), 4)
        with pytest.raises(AssertionError, match="Run the startup Program"):
            asp.prune_model(main)
        exe.run(startup)
        with pytest.raises(AssertionError, match="minimize"):
            asp.prune_model(main)
        assert len(asp.prune_model(main, with_mask=False)) == 1


def test_a_network_made_again_has_masks_of_its_own():
    for size in (8, 4):
        with paddle.utils.unique_name.guard():
            net = paddle.nn.Linear(size, 4)
        asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
        assert asp.prune_model(net)[net.weight.name].shape == (size, 4)
