"""Exchanges of a plan are begun, and over where somebody waits for them or reads what they give; coalesced values."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core import flags
from proa.distributed import program_exchanges
from proa.static.compiler import compile_plan
from proa.static.ir.operation import OPTIMIZE_ROLE


@pytest.fixture(autouse=True)
def verified(monkeypatch):
    """Every pass is checked."""
    monkeypatch.setitem(flags.values, "FLAGS_verify_passes", True)


def types(main, feeds, fetches):
    """The operators of a plan, in order."""
    unit = compile_plan(main, feeds, fetches)[0].origin.unit
    return [op.type for op in unit.ops if op.type != "agree_on_exchanges"]


def exchanged(block, name, **attrs):
    block.append_op(type="c_allreduce_sum", inputs={"X": name}, outputs={"Out": name},
                    attrs={"ring_id": 0, "use_calc_stream": False, **attrs})


def waited(block, name, ring=0):
    block.append_op(type="c_sync_comm_stream", inputs={"X": [name]}, outputs={"Out": [name]}, attrs={"ring_id": ring})


def program(write):
    """A Program over x [4, 4] that `write` completes, with what it gives."""
    main = static.Program()
    with static.program_guard(main):
        fetched = write(static.data("x", [4, 4]), main.global_block())
    return main, [each.name for each in fetched]


def between(x, block):
    y = x * 2.0
    exchanged(block, y)
    z = paddle.matmul(x, x)
    waited(block, y)
    return [y + 1.0, z]


def read_before_the_wait(x, block):
    y = x * 2.0
    exchanged(block, y)
    z = paddle.matmul(x, x)
    late = y + 1.0
    w = paddle.matmul(z, x)
    waited(block, y)
    return [late, w]


def never_waited_for(x, block):
    y = x * 2.0
    exchanged(block, y)
    return [paddle.matmul(x, x), y]


def nothing_between(x, block):
    y = x * 2.0
    exchanged(block, y)
    waited(block, y)
    return [y + 1.0]


def asked_to_wait(x, block):
    y = x * 2.0
    exchanged(block, y, use_calc_stream=True)
    return [paddle.matmul(x, x), y]


def of_another_ring(x, block):
    y = x * 2.0
    exchanged(block, y)
    waited(block, y, ring=3)
    z = paddle.matmul(x, x)
    waited(block, y)
    return [z, y]


BEGIN, FINISH = "begin_c_allreduce_sum", "finish_exchanges"
SHAPES = {between: [BEGIN, "matmul_v2", FINISH], read_before_the_wait: [BEGIN, "matmul_v2", FINISH, "matmul_v2"],
          never_waited_for: [BEGIN, "matmul_v2", FINISH], nothing_between: ["c_allreduce_sum"],
          asked_to_wait: ["c_allreduce_sum", "matmul_v2"], of_another_ring: [BEGIN, "matmul_v2", FINISH]}


@pytest.mark.parametrize("write", SHAPES, ids=lambda write: write.__name__)
def test_exchanges_go_on_while_something_is_computed(write):
    main, fetched = program(write)
    found = [type for type in types(main, ["x"], fetched) if type in (BEGIN, FINISH, "c_allreduce_sum", "matmul_v2")]
    assert found == SHAPES[write]
    x = np.arange(16, dtype="float32").reshape(4, 4) / 8
    first = static.Executor().run(main, {"x": x}, fetched)
    assert any(np.allclose(array, x * 2 + 1) or np.allclose(array, x * 2) for array in first)


def test_the_first_update_ends_all_exchanges():
    """Gradients that nobody waits for are all there by the first update, also those that it does not read."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x, block = static.data("x", [4, 4]), main.global_block()
        weights = [static.create_parameter([4, 4], "float32", name=f"w{number}") for number in range(2)]
        rate = static.create_global_var([1], 0.5, "float32", persistable=True)
        gradients = [x * 2.0, x * 3.0]
        for gradient in gradients:
            exchanged(block, gradient)
        fetched = paddle.matmul(x, x)
        moment = static.create_global_var([4, 4], 0.0, "float32", persistable=True)
        for type, weight, gradient, inputs, outputs in (("sgd", weights[0], gradients[0], {}, {}), (
                "adagrad", weights[1], gradients[1], {"Moment": moment}, {"MomentOut": moment})):
            block.append_op(type=type, inputs={"Param": weight, "Grad": gradient, "LearningRate": rate, **inputs},
                            outputs={"ParamOut": weight, **outputs}, attrs={"op_role": OPTIMIZE_ROLE})
    shown = (BEGIN, FINISH, "matmul_v2", "sgd", "adagrad")
    found = [type for type in types(main, ["x"], [fetched.name]) if type in shown]
    assert found == [BEGIN, BEGIN, "matmul_v2", FINISH, "sgd", "adagrad"]


def test_coalesced_values_are_one():
    main = static.Program()
    with static.program_guard(main):
        a, b = static.data("a", [3]), static.data("b", [2, 2])
        first, second = a * 1.0, b * 1.0
        block = main.global_block()
        whole = block.create_var(name="whole", dtype="float32")
        block.append_op(type="coalesce_tensor", inputs={"Input": [first, second]},
                        outputs={"Output": [first, second], "FusedOutput": whole},
                        attrs={"copy_data": True, "dtype": first.dtype})
        block.append_op(type="scale", inputs={"X": first}, outputs={"Out": first}, attrs={"scale": 10.0})
        block.append_op(type="scale", inputs={"X": whole}, outputs={"Out": whole}, attrs={"scale": 2.0})
        block.append_op(type="depend", inputs={"X": second, "Dep": whole}, outputs={"Out": second})
        total = second.sum() + first.sum()
    found = static.Executor().run(main, {"a": np.ones(3, "float32"), "b": np.ones((2, 2), "float32")},
                                  [first, second, whole, total])
    assert found[0].tolist() == [20.0] * 3 and found[1].tolist() == [[2.0, 2.0]] * 2
    assert found[2].tolist() == [20.0] * 3 + [2.0] * 4 and found[3] == 68.0


def test_values_that_begin_with_a_number():
    main = static.Program()
    with static.program_guard(main):
        a, block = static.data("a", [2]), main.global_block()
        whole, part = (block.create_var(name=name, dtype="float32") for name in ("whole", "part"))
        block.append_op(type="coalesce_tensor", inputs={"Input": [a]}, outputs={"Output": [part], "FusedOutput": whole},
                        attrs={"set_constant": True, "constant": 3.0, "dtype": a.dtype})
    found = static.Executor().run(main, {"a": np.zeros(2, "float32")}, [whole, part])
    assert [array.tolist() for array in found] == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("insert", [program_exchanges.insert_exchanges, program_exchanges.insert_fused_exchanges])
def test_two_optimizers_each_exchange_their_own_gradients(insert):
    """What a second loss's backward pass appends leaves the first one's exchanges as they are, and once."""
    def trained(rate, is_exchanged):
        main, startup, scope = static.Program(), static.Program(), static.Scope()
        main.random_seed = startup.random_seed = 3
        block = main.global_block()
        with static.program_guard(main, startup), static.scope_guard(scope), paddle.utils.unique_name.guard():
            y = static.nn.fc(paddle.tanh(static.nn.fc(static.data("x", [4, 3]), 4)), 1)
            first, second = main.all_parameters()[:2], main.all_parameters()[2:]
            for loss, parameters in (((y ** 2).mean(), second), (((1 - y) ** 2).mean(), first)):
                begin = len(block.ops)
                paddle.optimizer.SGD(rate).minimize(loss, parameters=[p.name for p in parameters])
                if is_exchanged:
                    insert(main, begin=begin)
            for op in block.ops:
                if op.type == "c_allreduce_sum":  # two processes with the same rows
                    op.type, op.attrs = "scale", {"scale": 2.0, "op_role": op.attrs["op_role"]}
            exe = static.Executor()
            exe.run(startup)
            for _ in range(3):
                exe.run(main, {"x": np.arange(12, dtype="float32").reshape(4, 3) / 12}, [loss])
            return [np.array(scope.find_var(p.name).get_tensor()) for p in main.all_parameters()]

    for found, wanted in zip(trained(0.1, True), trained(0.2, False), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_files_hold_them(tmp_path):
    main, fetched = program(between)
    text = main.desc.serialize_to_string()
    again = static.Program.parse_from_string(text)
    wanted = [op.type for op in main.global_block().ops]
    assert [op.type for op in again.global_block().ops] == wanted and "c_sync_comm_stream" in wanted
    x = np.eye(4, dtype="float32")
    for one, other in zip(static.Executor().run(main, {"x": x}, fetched), static.Executor().run(
            again, {"x": x}, fetched), strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_updates_of_a_parameter_one_behind_the_other():
    """As where the gradients of two losses are there before either update: the second takes what the first gave."""
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    with static.program_guard(main, startup), static.scope_guard(scope):
        x, block = static.data("x", [2, 2]), main.global_block()
        one, other = (static.create_parameter([2, 2], "float32", name=name) for name in ("one", "other"))
        rate = static.create_global_var([1], 0.5, "float32", persistable=True)
        gradients = [x * 1.0, x * 2.0, x * 4.0]
        for weight, gradient in zip((one, other, one), gradients, strict=True):
            block.append_op(type="sgd", inputs={"Param": weight, "Grad": gradient, "LearningRate": rate},
                            outputs={"ParamOut": weight}, attrs={"op_role": OPTIMIZE_ROLE})
        exe = static.Executor()
        exe.run(startup)
        before = [np.array(scope.array(name)) for name in ("one", "other")]
        given = np.arange(4, dtype="float32").reshape(2, 2)
        exe.run(main, {"x": given}, [])
        np.testing.assert_allclose(scope.array("one"), before[0] - 2.5 * given, rtol=1e-6)
        np.testing.assert_allclose(scope.array("other"), before[1] - given, rtol=1e-6)
