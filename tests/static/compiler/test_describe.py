"""The printed plan: names of fused operations, costs of products, what is unknown."""

import proa as paddle
from proa.static.compiler.describe import operations_of
from programs import Residual, build, unit_for


def test_a_plan_names_what_was_fused_and_what_it_costs():
    layer = Residual()
    layer.eval()
    function = paddle.jit.to_static(layer)
    with paddle.no_grad():
        function(paddle.ones([2, 16, 12, 12]))
    text = str(function.forward.concrete_program.plan())
    assert "one call: conv2d + bias + relu" in text and "one call: conv2d + bias + residual + relu" in text
    assert "prepared when a parameter changes" in text and "programs.py:" in text
    assert f"{2 * 2 * 16 * 12 * 12 * 16 * 9 / 1e6:.3g}M" in text


def test_the_source_of_a_plan_is_python():
    main, inputs, results = build(lambda x: paddle.exp(x) * 2, [3])
    plan = main.plan(inputs, results)
    compile(plan.source, "plan", "exec")
    assert "def run(xp" in plan.source


def test_costs_of_products_and_of_unknown_sizes():
    unit = unit_for(lambda x, y: paddle.matmul(x, y), [3, 4], [4, 5])
    assert operations_of(unit, unit.ops[0]) == 2 * 3 * 4 * 5
    unit = unit_for(lambda x: paddle.matmul(x, x, transpose_x=True), [-1, 4])
    assert operations_of(unit, unit.ops[0]) is None
