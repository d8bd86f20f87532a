"""`random_seed` and the seeds of initializers and layers under `--api 1.8`: what 1.8.5 draws of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import proa
import pytest
from proa.core.minimal_standard import MinimalStandard

EXPECTED = {
    "fc_0": [-0.338554, -0.502239, 0.928628],
    "fc_1": [-1.998013, -0.180023, -0.45941],
    "fc_2": [-0.704246, 0.216262, 0.458437],
    "losses": [51.754883, 30.109158, 19.925097],
    "linear_0": [-0.922074, 0.283154, -0.120183],
    "conv2d_0": [-0.112851, -0.167413, -0.180606],
    "embedding_0": [-0.922074, 0.283154, -0.120183],
    "dropout": [8.0, 1.0],
}
SCRIPT = """
import numpy as np
import paddle.fluid as fluid

layers = fluid.layers
found = {}


def shown(value):
    return np.array(value).ravel()[[0, 1, -1]]


fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 90
x = fluid.data("x", [None, 4])
y = layers.fc(x, 3, param_attr=fluid.initializer.Normal(0.0, 1.0))
y = layers.fc(y, 3, param_attr=fluid.initializer.TruncatedNormal(0.0, 1.0, seed=5))
y = layers.dropout(layers.fc(y, 9, bias_attr=False), 0.5)
loss = layers.mean(y * y)
fluid.optimizer.SGD(0.001).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
for i in range(3):
    found["fc_%d" % i] = shown(fluid.global_scope().find_var("fc_%d.w_0" % i).get_tensor())
feed = {"x": np.arange(8.0).reshape(2, 4).astype("float32")}
found["losses"] = np.ravel([exe.run(feed=feed, fetch_list=[loss])[0] for _ in range(3)])
with fluid.dygraph.guard():
    fluid.default_main_program().random_seed = 90
    dygraph = fluid.dygraph
    for made in (dygraph.Linear(4, 3), dygraph.Conv2D(2, 3, 3), dygraph.Embedding([4, 3])):
        found[made.full_name()] = shown(made.weight.numpy())
    dropped = layers.dropout(dygraph.to_variable(np.ones(20, "float32")), 0.5).numpy()
    found["dropout"] = np.array([dropped.sum(), dropped[:5].sum()])
import json
print(json.dumps({name: [float(n) for n in values] for name, values in found.items()}))
"""


DRAWN = {
    "normal": [0.685056, -0.979472, 2.299541, 4.724019, 1.604637],
    "xavier": [-0.76837, 0.725123, -0.574583, -0.188852],
    "randint": [0, 8, 60, 89, 96],
    "randint32": [17, 85046, 601483, 891807],
    "randperm": [4, 3, 7, 8, 0, 5, 2, 1, 6, 9],
    "shuffled": [6, 4, 0, 5, 2, 3, 1, 0, 4, 2, 6, 1, 3, 5],
    "sampled": [0, 1, 3, 5, 5, 2, 3, 2, 2],
    "softmax": [3.543226, 4.458766, 4.21343, 2.46215],
    "classes": [1, 4, 9, 3, 2, 1, 6, 5, 1, 2, 1, 1, 6, 4, 1, 7, 9, 0],
}
OTHER_SCRIPT = """
import numpy as np
import paddle.fluid as fluid

layers = fluid.layers
found = {
    "normal": layers.gaussian_random([5], 1.5, 2.0, seed=1, dtype="float64"),
    "xavier": layers.create_parameter([4, 3], "float64", default_initializer=fluid.initializer.Xavier(seed=1)),
    "randint": layers.randint(0, 100, [5], seed=1),
    "randint32": layers.randint(-5, 1000000, [4], dtype="int32", seed=1),
    "randperm": layers.randperm(10, seed=1),
    "shuffled": fluid.contrib.layers.shuffle_batch(fluid.data("rows", [7, 1]), seed=1),
    "sampled": layers.sampling_id(fluid.data("shares", [9, 6]), seed=1),
    "softmax": layers.sampled_softmax_with_cross_entropy(fluid.data("logits", [4, 50]),
                                                         fluid.data("label", [4, 1], "int64"), 7, seed=1),
}
layers.nce(fluid.data("x", [2, 6]), fluid.data("y", [2, 1], "int64"), 10, num_neg_samples=8, seed=1,
           sampler="custom_dist", custom_dist=[.1, .3, .05, .05, .1, .1, .1, .1, .05, .05])
nce = [op for op in fluid.default_main_program().global_block().ops if op.type == "nce"][0]
found["classes"] = nce.output("SampleLabels")[0]
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
shares = np.random.RandomState(1).rand(9, 6).astype("float32")
feed = {
    "rows": np.arange(7.0).reshape(7, 1).astype("float32"), "shares": shares / shares.sum(1, keepdims=True),
    "logits": np.random.RandomState(1).randn(4, 50).astype("float32"), "label": np.array([[1], [2], [0], [5]]),
    "x": np.ones((2, 6), "float32"), "y": np.array([[1], [2]])}
runs = [dict(zip(found, exe.run(feed=feed, fetch_list=list(found.values())))) for _ in range(2)]
runs[0]["xavier"] = runs[0]["xavier"].ravel()[:4]
runs[0]["shuffled"] = np.concatenate([run["shuffled"] for run in runs])
import json
print(json.dumps({name: [float(n) for n in np.ravel(values)] for name, values in runs[0].items()}))
"""


@pytest.mark.parametrize("text, expected", [(SCRIPT, EXPECTED), (OTHER_SCRIPT, DRAWN)], ids=["training", "layers"])
def test_what_seeds_draw_is_what_they_draw_in_1_8(tmp_path, text, expected):
    script = tmp_path / "script.py"
    script.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(Path(proa.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-m", "proa", "run", "--api", "1.8", str(script)], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-5, atol=1e-6, err_msg=name)


def test_the_generator_is_that_of_c():
    """The 10,000th number of minstd_rand begun with 1 is 399268537, says the standard (rand.predef)."""
    engine = MinimalStandard(1)
    taken = [engine.words(count) for count in (1, 7, 3000, 6992)]
    assert int(taken[-1][-1] >> np.uint64(33)) + 1 == 399268537
    again = MinimalStandard(2**31)  # 1, where the modulus is taken away
    np.testing.assert_array_equal(np.concatenate(taken), again.words(10_000))
    assert MinimalStandard(2**31 - 1).words(1)[0] == taken[0][0]  # 0 would stay 0: it is 1
