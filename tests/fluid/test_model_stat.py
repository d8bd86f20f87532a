"""fluid.contrib.model_stat.summary: 1.8.5's table, but for activations (of one sample) and groups (divided by once)."""

import pytest
from proa import fluid
from proa.fluid.contrib.model_stat import summary

layers = fluid.layers


def test_rows_are_those_of_1_8(capsys):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = layers.conv2d(fluid.data("x", [None, 3, 8, 8]), 4, 3, padding=1, act="relu")
        x = layers.conv2d(layers.pool2d(layers.batch_norm(x), 2, "max", 2), 4, 3, groups=2, bias_attr=False)
        x = layers.prelu(layers.fc(x, 5, act="softmax"), "all")
        layers.matmul(x, x, transpose_y=True)
    summary(main)
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in capsys.readouterr().out.splitlines()]
    assert [row for row in rows if row][1:] == [
        ["conv2d", "(3, 8, 8)", "(4, 8, 8)", "108", "13824"],
        ["relu", "(4, 8, 8)", "(4, 8, 8)", "0", "256"],
        ["batch_norm", "(4, 8, 8)", "(4, 8, 8)", "8", "512"],
        ["pool2d", "(4, 8, 8)", "(4, 4, 4)", "0", "256"],
        ["conv2d", "(4, 4, 4)", "(4, 2, 2)", "72", "576"],
        ["mul", "(4, 2, 2)", "(5,)", "81", "80"],
        ["prelu", "(5,)", "(5,)", "1", "5"],
    ]
    with pytest.raises(TypeError, match=r"summary\(main_prog\): must be a Program"):
        summary(x)
