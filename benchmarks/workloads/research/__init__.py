"""Whole eager programs as people write them for research, each for Paddle's API, PyTorch's, and JAX's where natural.

A module has `in_paddle`, `in_torch`, and it may have `in_jax(jax, mode, size)`. Where the first value of a step says
little, the step has an attribute `check`, a function that gives what all sides are compared by.
"""


def later(step, count=3):
    """The step, to be compared by the value of the last of `count`: then gradients and updates are compared too."""

    def run():
        return step()

    run.check = lambda: [step() for _ in range(count)][-1]
    return run


def jax_step(jax, mode, loss_function, weights, rate, batches):
    """A step of Adam on the next of the batches; `jit` compiles it whole."""
    import optax

    adam = optax.adam(rate)

    def update(weights, state, *batch):
        loss, gradients = jax.value_and_grad(loss_function)(weights, *batch)
        changes, state = adam.update(gradients, state, weights)
        return optax.apply_updates(weights, changes), state, loss

    held = {"weights": weights, "state": adam.init(weights), "count": 0}
    update = jax.jit(update) if mode == "jit" else update

    def step():
        batch = batches[held["count"] % len(batches)]
        held["count"] += 1
        held["weights"], held["state"], loss = jax.block_until_ready(update(held["weights"], held["state"], *batch))
        return loss

    return later(step)


def minimizing(loss_function, adam, clear, batches):
    """A step of an optimizer of Paddle's or PyTorch's on the next of the batches."""
    count = 0

    def step():
        nonlocal count
        batch = batches[count % len(batches)]
        count += 1
        loss = loss_function(*batch)
        loss.backward()
        adam.step()
        clear()
        return loss

    return later(step)
