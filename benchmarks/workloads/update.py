"""An optimizer's step alone: Adam or SGD on `millions` of parameters in `tensors` equal tensors."""

from . import values

SIZE = {"millions": 10, "tensors": 1, "adam": 1}


def traffic(size):
    arrays = 7 if size["adam"] else 3  # Adam: parameter, gradient, two moments in; all but the gradient out
    return 4e6 * size["millions"] * arrays


def _arrays(size):
    count = int(1e6 * size["millions"]) // size["tensors"]
    return [values.random(seed, count) for seed in range(size["tensors"])]


def in_paddle(paddle, mode, size):
    class Parameters(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.items = paddle.nn.ParameterList([self.create_parameter(array.shape) for array in arrays])

    arrays = _arrays(size)
    parameters = Parameters().parameters()
    for parameter, array in zip(parameters, arrays):
        parameter.set_value(array)
        (parameter * paddle.to_tensor(array)).sum().backward()
    rule = paddle.optimizer.Adam if size["adam"] else paddle.optimizer.SGD
    optimizer = rule(learning_rate=1e-6, parameters=parameters)

    def step():
        optimizer.step()
        return parameters[0]

    return step


def in_torch(torch, mode, size):
    arrays = _arrays(size)
    parameters = [torch.nn.Parameter(torch.as_tensor(array.copy())) for array in arrays]
    for parameter, array in zip(parameters, arrays):
        parameter.grad = torch.as_tensor(array.copy())
    rule = torch.optim.Adam if size["adam"] else torch.optim.SGD
    optimizer = rule(parameters, lr=1e-6, fused=True if mode == "fused" else None)
    update = torch.compile(optimizer.step) if mode == "compile" else optimizer.step

    def step():
        update()
        return parameters[0]

    return step
