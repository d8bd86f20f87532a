"""`random_seed` and the seeds of initializers and dropout under `--api 1.8`: what 1.8.5 draws of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import proa
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


def test_initial_values_masks_and_losses_are_those_of_1_8(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(Path(proa.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-m", "proa", "run", "--api", "1.8", str(script)], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == EXPECTED.keys()
    for name, values in EXPECTED.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-5, atol=1e-6, err_msg=name)


def test_the_generator_is_that_of_c():
    """The 10,000th number of minstd_rand begun with 1 is 399268537, says the standard (rand.predef)."""
    engine = MinimalStandard(1)
    taken = [engine.words(count) for count in (1, 7, 3000, 6992)]
    assert int(taken[-1][-1] >> np.uint64(33)) + 1 == 399268537
    again = MinimalStandard(2**31)  # 1, where the modulus is taken away
    np.testing.assert_array_equal(np.concatenate(taken), again.words(10_000))
    assert MinimalStandard(2**31 - 1).words(1)[0] == taken[0][0]  # 0 would stay 0: it is 1
