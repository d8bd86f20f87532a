"""GradAllReduce and LocalSGD put the operators into Programs that Paddle 1.8.5 puts there, in its order."""

import json
import pathlib

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid.layers import collective as layers
from proa.fluid.transpiler import collective
from proa.fluid.transpiler.details import delete_ops

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "fluid"
ANSWERS = json.loads((FIXTURES / "collective_programs.json").read_text())
ENDPOINTS = ["127.0.0.1:6170", "127.0.0.1:6171"]


def network():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 1])
        predicted = fluid.layers.fc(fluid.layers.fc(x, 3, act="relu"), 1)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(predicted, y))
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    return main, startup


def inserted(program):
    """What stands there for processes' sake, and ahead of it what gives gradients of parameters, and updates."""
    found = []
    for op in program.global_block().ops:
        is_new = op.type in ("c_allreduce_sum", "c_sync_calc_stream", "c_sync_comm_stream", "c_broadcast") or any(
            "@SNAPSHOT" in name for name in (*op.input_arg_names, *op.output_arg_names))
        if is_new or op.type == "scale" and op.input_arg_names == op.output_arg_names:
            attrs = {name: op.attr(name) for name in ("ring_id", "root", "scale", "op_role", "use_calc_stream")
                     if op.has_attr(name)}
            found.append([op.type, {s: n for s, n in op.inputs.items() if n}, dict(op.outputs), attrs])
        elif op.type == "momentum":
            found.append([f"momentum of {op.input('Param')[0]}"])
        else:
            found += [[f"gives {name}"] for name in op.attr("op_role_var")[1::2]]
    return found


def of_updates(found):
    """By parameter: what stands behind its update, in order; the order of updates among each other is not Paddle's."""
    groups, rest = {}, []
    for each in found:
        if each[0].startswith("momentum"):
            groups[each[0]] = rest = []
        else:
            rest.append(each)
    return groups


def text(each):
    """The same of what is the same."""
    return json.dumps(each, sort_keys=True)


def without_rings(found):
    """The rings aside, which take turns in the order of updates."""
    return [[*each[:3], {k: v for k, v in each[3].items() if k != "ring_id"}] if len(each) == 4 else each
            for each in found]


@pytest.mark.parametrize("rings", [1, 2])
def test_gradients_are_exchanged_where_paddle_exchanges_them(rings):
    main, startup = network()
    collective.GradAllReduce(rings).transpile(startup, main, 1, ENDPOINTS, ENDPOINTS[1])
    wanted = ANSWERS[f"GradAllReduce {rings}"]
    theirs = [each for each in wanted["main"] if not each[0].startswith("momentum")]
    assert [each for each in inserted(main) if not each[0].startswith("momentum")] == [
        each for each in theirs if each[0] != "scale" or each[1]["X"] == each[2]["Out"]]
    parameters = {each[1]["X"][0] for each in inserted(startup) if each[0] == "c_broadcast"}
    assert parameters == {each[1]["X"][0] for each in wanted["startup"] if each[0] == "c_broadcast"}
    made = [op.type for op in startup.global_block().ops if op.type.startswith("c_")]
    assert made == ["c_gen_nccl_id", "c_comm_init"] * rings + ["c_broadcast"] * 4 + ["c_sync_comm_stream"] * rings


@pytest.mark.parametrize("rings", [1, 2])
def test_parameters_are_averaged_as_paddle_averages_them(rings):
    main, startup = network()
    collective.LocalSGD(rings).transpile(startup, main, 1, ENDPOINTS, ENDPOINTS[1])
    ours = of_updates(inserted(main))
    theirs = of_updates(ANSWERS[f"LocalSGD {rings}"]["main"])
    assert ours.keys() == theirs.keys()

    def heads(groups):  # what stands between an update and the next one
        return {name: without_rings(group[:3]) for name, group in groups.items()}

    def tail(groups):
        return sorted(map(text, without_rings([each for group in groups.values() for each in group[3:]
                                               if each[0] != "c_sync_comm_stream"])))

    assert heads(ours) == heads(theirs) and tail(ours) == tail(theirs)
    assert sorted(text(each) for each in inserted(startup) if "@SNAPSHOT" in repr(each)) == sorted(
        text(each) for each in ANSWERS[f"LocalSGD {rings}"]["startup"] if "@SNAPSHOT" in repr(each))


def test_what_does_not_fit_is_refused():
    main, startup = network()
    for arguments, wanted in (((0, ENDPOINTS[:1], ENDPOINTS[0]), "several processes"),
                              ((2, ENDPOINTS, ENDPOINTS[0]), "0 to 1"), ((0, ENDPOINTS, "10.0.0.1:1"), "one of")):
        with pytest.raises(ValueError, match=wanted):
            collective.GradAllReduce().transpile(startup, main, *arguments)
    config = fluid.DistributeTranspilerConfig()
    config.mode, config.collective_mode = "collective", "single_process_multi_thread"
    with pytest.raises(NotImplementedError, match="with_data_parallel"):
        fluid.DistributeTranspiler(config).transpile(0, main, trainers=",".join(ENDPOINTS), startup_program=startup,
                                                     current_endpoint=ENDPOINTS[0])
    collective.GradAllReduce(1).transpile(startup, main, 0, ENDPOINTS, ENDPOINTS[0])
    with pytest.raises(RuntimeError, match="2 processes are not connected"):
        fluid.Executor(fluid.CPUPlace()).run(startup)


def test_layers_of_exchanges_in_one_process():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [4, 2])
        summed = layers._c_allreduce(x * 1.0, reduce_type="max", use_calc_stream=True)
        older = layers._allreduce(x * 1.0, reduce_type="prod")
        rows = layers._c_reducescatter(layers._c_allgather(x * 1.0, 1), 1)
        waited = layers._c_sync_comm_stream(layers._c_sync_calc_stream(layers._c_broadcast(x * 1.0)), 0)
        layers._broadcast(waited, 0)
        with pytest.raises(TypeError, match="reduce_type.*'mean'"):
            layers._c_allreduce(x, reduce_type="mean")
    assert older.name.endswith(".allreduce_0") and summed.shape == (4, 2)
    rows_fed = np.arange(8, dtype="float32").reshape(4, 2)
    for found in fluid.Executor(fluid.CPUPlace()).run(main, {"x": rows_fed}, [summed, older, rows, waited]):
        np.testing.assert_array_equal(found, rows_fed)


@pytest.mark.parametrize("again", [False, True], ids=["once behind both", "behind each"])
@pytest.mark.parametrize("kind", [collective.GradAllReduce, collective.LocalSGD])
def test_two_losses_of_one_program(kind, again):
    """Each gradient is exchanged once, or each parameter behind its last update: as one process with the batch of all.

    Two processes with the same rows: the sum of both is twice what one has.
    """
    def trained(is_exchanged):
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        main.random_seed = startup.random_seed = 3

        def transpile():
            kind(1).transpile(startup, main, 0, ENDPOINTS, ENDPOINTS[0])

        with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
            hidden = fluid.layers.fc(fluid.data("x", [None, 4]), 3, act="tanh")
            losses = [fluid.layers.mean(fluid.layers.square(fluid.layers.fc(hidden, 2)))]
            fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.1)).minimize(losses[0])
            if again and is_exchanged:
                transpile()
            losses.append(fluid.layers.mean(fluid.layers.fc(hidden, 1)))  # its own parameters begin now
            fluid.optimizer.Momentum(0.1, 0.9).minimize(losses[1])
            if is_exchanged:
                transpile()
                block = startup.global_block()
                delete_ops(block, [op for op in block.ops if op.type in ("c_gen_nccl_id", "c_comm_init")])
                for op in (*main.global_block().ops, *startup.global_block().ops):
                    if op.type in ("c_allreduce_sum", "c_broadcast"):
                        op.type, op.attrs = "scale", {"scale": 2.0 if op.type == "c_allreduce_sum" else 1.0,
                                                      "op_role": op.attrs["op_role"]}
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            for step in range(3):
                exe.run(main, {"x": np.arange(8, dtype="float32").reshape(2, 4) / (8 + step)}, losses)
            return [np.array(scope.find_var(p.name).get_tensor()) for p in main.all_parameters()]

    for found, wanted in zip(trained(True), trained(False), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
