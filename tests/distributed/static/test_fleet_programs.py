"""fleet puts the operators into Programs that PaddlePaddle 2.6.2 puts there; what it cannot do it refuses by name."""

import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from proa.distributed import fleet, program_exchanges
from proa.distributed.fleet.meta_optimizers.static_optimizer import StaticOptimizer

ANSWERS = json.loads((pathlib.Path(__file__).parents[2] / "fixtures" / "static" / "fleet_programs.json").read_text())


@pytest.fixture
def static_mode():
    """Programs are built within the test."""
    paddle.enable_static()
    yield
    paddle.disable_static()


def network(minimized):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x, y = paddle.static.data("x", [None, 4]), paddle.static.data("y", [None, 1])
        predicted = paddle.static.nn.fc(paddle.static.nn.fc(x, 3, activation="relu"), 1)
        loss = paddle.mean(paddle.nn.functional.square_error_cost(predicted, y))
        minimized(paddle.optimizer.Momentum(0.1, 0.9)).minimize(loss)
    return main, startup, loss


def inserted(program):
    found = []
    for op in program.global_block().ops:
        if op.type in ("c_allreduce_sum", "coalesce_tensor", "depend") or (
                op.type == "scale" and op.input("X") == op.output("Out")):
            attrs = {name: op.attr(name) for name in ("ring_id", "scale", "use_calc_stream", "copy_data", "use_align")
                     if op.has_attr(name)}
            found.append([op.type, {slot: names for slot, names in op.inputs.items() if names}, op.outputs, attrs])
        elif op.type not in ("momentum", "merged_momentum"):
            found += [[f"gives {name}"] for name in op.attr("op_role_var")[1::2]]
    return found


@pytest.mark.parametrize(("name", "insert"), [
    ("fused", program_exchanges.insert_fused_exchanges),
    ("by threes", lambda main: program_exchanges.insert_fused_exchanges(main, most=3)),
    ("each", program_exchanges.insert_exchanges)], ids=["fused", "by threes", "each"])
def test_as_paddle_writes_them(static_mode, name, insert):
    main, _, loss = network(lambda one: one)
    with paddle.utils.unique_name.guard():
        program_exchanges.scale_loss_gradient(main, 2)
        insert(main)
    found = json.dumps(inserted(main)).replace(loss.name, "mean_0.tmp_0")  # Paddle calls the mean so
    assert json.loads(found) == ANSWERS[name]


def test_a_startup_program_connects_and_gives_the_first_values(static_mode):
    _, startup, _ = network(lambda one: one)
    program_exchanges.append_met_ring(startup, 1, ["127.0.0.1:1", "127.0.0.1:2"])
    program_exchanges.append_broadcasts(startup)
    types = [op.type for op in startup.global_block().ops]
    assert types[-10:] == ["c_gen_nccl_id", "c_comm_init", "fill_constant", "c_allreduce_sum", "c_sync_calc_stream",
                           *["c_broadcast"] * 4, "c_sync_comm_stream"]
    with pytest.raises(RuntimeError, match="2 processes are not connected"):
        paddle.static.Executor().run(startup)


def test_of_one_process(static_mode):
    paddle.seed(5)
    strategy = fleet.DistributedStrategy()
    strategy.gradient_merge, strategy.gradient_merge_configs = True, {"k_steps": 2, "avg": True}
    main, startup, loss = network(lambda one: StaticOptimizer(one, strategy))
    assert not inserted(main)[0][0].startswith("c_")
    exe, feed = paddle.static.Executor(), {"x": np.ones((2, 4), "float32"), "y": np.full((2, 1), 3.0, "float32")}
    with paddle.static.scope_guard(paddle.static.Scope()):
        exe.run(startup)
        losses = [exe.run(main, feed, [loss])[0].item() for _ in range(4)]
    assert losses[0] == losses[1] > losses[2] == losses[3]


@pytest.mark.parametrize("name", ["dgc", "pipeline", "sharding", "tensor_parallel", "fp16_allreduce"])
def test_what_is_not_there_is_refused_by_name(static_mode, name):
    strategy = fleet.DistributedStrategy()
    setattr(strategy, name, True)
    with pytest.raises(NotImplementedError, match=rf"DistributedStrategy\.{name}.* Use "):
        fleet.distributed_optimizer(paddle.optimizer.SGD(0.1), strategy)


def test_rules_that_do_not_fit(static_mode):
    for name, wanted in (("lars", "Momentum"), ("lamb", "Adam")):
        strategy = fleet.DistributedStrategy()
        setattr(strategy, name, True)
        rule = paddle.optimizer.SGD(0.1)
        with pytest.raises(ValueError, match=f"takes the place of {wanted}. Received SGD"):
            network(lambda _, rule=rule, strategy=strategy: StaticOptimizer(rule, strategy))
    strategy = fleet.DistributedStrategy()
    strategy.recompute = True
    with pytest.raises(ValueError, match="needs checkpoints"):
        network(lambda one: StaticOptimizer(one, strategy))
