"""Runs a program itself with PaddlePaddle 2.6.2, trained as `stages.train` trains it: what `oracle_answers.py` calls.

A folder holds `program.py`, the program's text, and `given.npz`: the parameters and buffers to begin with, and each
step's arguments. What the training gives is written to `found.npz` there, under the names that `stages.train` has.
Imports nothing of proa.
"""

import json
import os

import numpy as np
import paddle


def leaves(held):
    """The leaves of a nested structure."""
    if isinstance(held, (list, tuple)):
        return [leaf for part in held for leaf in leaves(part)]
    if isinstance(held, dict):
        return [leaf for part in held.values() for leaf in leaves(part)]
    return [held]


def nested(held, flat):
    """The structure of INPUTS with leaves taken from an iterator."""
    if isinstance(held, list):
        return [nested(part, flat) for part in held]
    if isinstance(held, dict):
        return {key: nested(part, flat) for key, part in held.items()}
    return next(flat)


def loss_of(result):
    """The number that `stages.loss_of` makes of a result."""
    total = None
    for part in leaves(result):
        if part.dtype not in (paddle.float32, paddle.float64):
            continue
        places = paddle.arange(int(np.prod(part.shape)), dtype=part.dtype)
        term = (part * paddle.cos(places).reshape(part.shape)).sum()
        total = term if total is None else total + term
    return total


def without_noise(gradient, largest):
    """As `stages._without_noise`."""
    array = gradient.numpy()
    least = (1e-6 if array.dtype == np.float32 else 1e-13) * max(1.0, largest)
    return paddle.to_tensor(np.where(np.abs(array) < least, np.zeros_like(array), array))


def opened(folder, name):
    """What is said of a folder's program, and the names that it defines, run with PaddlePaddle."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        source = file.read().replace("import proa as paddle", "import paddle").replace("proa.", "paddle.")
    source = source.replace("from proa import", "from paddle import")
    with open(os.path.join(folder, "given.json"), encoding="utf-8") as file:
        said = json.load(file)
    paddle.set_default_dtype(said["dtype"])
    names = {"__name__": "program"}
    exec(compile(source, name, "exec"), names)
    return said, names


def told(folder):
    """Runs a training that tells its numbers."""
    found, counts = {}, {}

    def record(name, value):
        counts[name] = counts.get(name, -1) + 1
        found[f"{name}, {counts[name]}"] = np.zeros([]) if value is None else np.array(value)

    _, names = opened(folder, "training.py")
    with paddle.utils.unique_name.guard():
        names["f"](record, lambda net: net)
    np.savez(os.path.join(folder, "found.npz"), **found)


def trained(folder):
    """Trains the program of a folder."""
    said, names = opened(folder, "program.py")
    given = dict(np.load(os.path.join(folder, "given.npz")))
    net = names["Net"]()
    net.train() if names["TRAIN"] else net.eval()
    for name, p in [*net.named_parameters(), *net.named_buffers()]:
        if "begun " + name in given:
            p.set_value(given["begun " + name])
    optimizer = names["optimizer"](net)
    found, with_gradient = {}, {}
    for step in range(said["steps"]):
        arrays = iter([given[f"step {step} {n}"] for n in range(said["count"])])
        held = nested(names["INPUTS"], arrays)
        held = [tensors(part) for part in held]
        result = net(*held)
        found.update({f"step {step} output{n}": part.numpy() for n, part in enumerate(leaves(result))})
        loss = loss_of(result)
        if loss is not None and not loss.stop_gradient:
            loss.backward()
        for n, leaf in enumerate(leaves(held)):
            if leaf.dtype in (paddle.float32, paddle.float64):
                found[f"step {step} gradient of input {n}"] = of(leaf)
        gradients = {name: of(p) for name, p in net.named_parameters()}
        found.update({f"step {step} gradient of {name}": array for name, array in gradients.items()})
        largest = max([float(np.abs(array).max(initial=0.0)) for array in gradients.values()] or [0.0])
        for name, p in net.named_parameters():
            if p.grad is not None:
                with_gradient.setdefault(name, []).append(step)
                p.grad = without_noise(p.grad, largest)
            elif step in said["zeros"].get(name, ()):
                p.grad = paddle.zeros_like(p)
        optimizer.step()
        optimizer.clear_grad()
        next_rate(optimizer, loss)
    found.update({f"parameter {name}": p.numpy() for name, p in net.named_parameters()})
    found.update({f"buffer {name}": b.numpy() for name, b in net.named_buffers()})
    np.savez(os.path.join(folder, "found.npz"), **found)
    with open(os.path.join(folder, "with_gradient.json"), "w", encoding="utf-8") as file:
        json.dump(with_gradient, file)


def tensors(held):
    """Arrays as Tensors that want gradients."""
    if isinstance(held, list):
        return [tensors(part) for part in held]
    if isinstance(held, dict):
        return {key: tensors(part) for key, part in held.items()}
    return paddle.to_tensor(held, stop_gradient=held.dtype.kind != "f")


def of(tensor):
    """A gradient, zeros where there is none."""
    return np.zeros(tensor.shape, tensor.numpy().dtype) if tensor.grad is None else tensor.grad.numpy()


def next_rate(optimizer, loss):
    """Takes a schedule one step further."""
    rate = getattr(optimizer, "inner_optimizer", optimizer)._learning_rate
    if isinstance(rate, paddle.optimizer.lr.ReduceOnPlateau):
        rate.step(paddle.to_tensor(1.0) if loss is None else loss.detach())
    elif hasattr(rate, "step"):
        rate.step()
