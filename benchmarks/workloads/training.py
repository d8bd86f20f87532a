"""A training step and an inference call in each framework, which the models share."""

import os
import tempfile

from .. import ranks
from . import values


def paddle_step(paddle, mode, layer, loss_function, optimizer, inputs, targets):
    """A step of training as the guides write it; `to_static` converts the layer. Several ranks divide the batch."""
    if mode == "to_static":
        layer = paddle.jit.to_static(layer, full_graph=True)
    layer, optimizer = ranks.in_paddle(paddle, layer, optimizer, mode)
    inputs, targets = paddle.to_tensor(ranks.part(inputs)), paddle.to_tensor(ranks.part(targets))

    def step():
        loss = loss_function(layer(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def program_step(paddle, network, optimizer, inputs, targets):
    """The same with a Program: `network` of two variables gives the loss. Several ranks train it by `fleet`."""
    paddle.enable_static()
    static, fleet = paddle.static, paddle.distributed.fleet
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    inputs, targets = ranks.part(inputs), ranks.part(targets)
    with static.program_guard(main, startup):
        loss = network(*(static.data(name, list(array.shape), array.dtype.name)
                         for name, array in (("inputs", inputs), ("targets", targets))))
        if ranks.count() > 1:
            fleet.init(is_collective=True)
            optimizer = fleet.distributed_optimizer(optimizer)
        optimizer.minimize(loss)
    exe.run(startup)
    parameters = main.all_parameters()
    for parameter, value in zip(parameters, values.weights([tuple(p.shape) for p in parameters])):
        static.global_scope().find_var(parameter.name).get_tensor().set(value, paddle.CPUPlace())
    return lambda: exe.run(main, feed={"inputs": inputs, "targets": targets}, fetch_list=[loss])[0]


def torch_step(torch, mode, module, loss_function, optimizer, inputs, targets):
    """A step of training as the guides write it; `compile` compiles the module. Several ranks divide the batch."""
    if mode == "compile":
        module = torch.compile(module)
    module = ranks.in_torch(torch, module)
    inputs, targets = torch.as_tensor(ranks.part(inputs)), torch.as_tensor(ranks.part(targets))

    def step():
        optimizer.zero_grad()
        loss = loss_function(module(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


def paddle_call(paddle, mode, layer, inputs):
    """Inference: eager, or saved with `jit.save` and loaded with `jit.load`."""
    layer.eval()
    if mode == "to_static":
        specification = [paddle.static.InputSpec(list(inputs.shape), "float32")]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            paddle.jit.save(layer, path, input_spec=specification)
            layer = paddle.jit.load(path)
        layer.eval()
    inputs = paddle.to_tensor(inputs)

    def step():
        with paddle.no_grad():
            return layer(inputs)

    return step


def torch_call(torch, mode, module, inputs):
    """Inference: eager, compiled, or traced, frozen, saved and loaded."""
    module.eval()
    inputs = torch.as_tensor(inputs)
    if mode == "compile":
        module = torch.compile(module)
    elif mode == "frozen":
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.pt")
            torch.jit.freeze(torch.jit.trace(module, inputs)).save(path)
            module = torch.jit.load(path)

    def step():
        with torch.no_grad():
            return module(inputs)

    return step
