"""The networks, inputs and training runs of these tests, written once for PaddlePaddle and for proa.

`networks(paddle)` gives the classes in terms of the module it is given. Weights and batches come from seeds, so that
both sides compute with the same numbers and no file needs to hold them.
"""

import contextlib
import inspect

import numpy as np
import rnn_nets

STEPS, RESUME_AT, TUNING_STEPS = 10, 5, 8


def networks(paddle):
    """The classes by name."""
    nn = paddle.nn  # for __init__ only: PaddlePaddle, converting a function, loses the names around it but `paddle`

    class MLP(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 8), nn.GELU())
            self.head = nn.Linear(8, 4, bias_attr=False)

        def forward(self, x):
            return self.head(self.body(x))

    class LeNet(nn.Layer):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2D(1, 3, 3, stride=1, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
                nn.Conv2D(3, 6, 5, stride=1, padding=0), nn.ReLU(), nn.MaxPool2D(2, 2))
            self.head = nn.Sequential(nn.Linear(54, 20), nn.Linear(20, 12), nn.Linear(12, 10))

        def forward(self, x):
            return self.head(paddle.flatten(self.features(x), 1))

    class ConvNet(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(1, 4, 3, stride=2, padding=1, bias_attr=False)
            self.norm = nn.BatchNorm2D(4)
            self.drop = nn.Dropout(0.0)
            self.head = nn.Linear(4 * 5 * 5, 10)

        def forward(self, x):
            return self.head(self.drop(paddle.flatten(paddle.nn.functional.relu(self.norm(self.conv(x))), 1)))

    class ResidualBlock(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2D(3, 6, 3, stride=2, padding=1, bias_attr=False)
            self.bn1 = nn.BatchNorm2D(6)
            self.conv2 = nn.Conv2D(6, 6, 3, padding=1, bias_attr=False)
            self.bn2 = nn.BatchNorm2D(6, momentum=0.8)
            self.shortcut = nn.Sequential(nn.Conv2D(3, 6, 1, stride=2, bias_attr=False), nn.BatchNorm2D(6))
            self.pool = nn.AdaptiveAvgPool2D(1)
            self.head = nn.Linear(6, 5)

        def forward(self, x):
            y = paddle.nn.functional.relu(self.bn1(self.conv1(x)))
            y = paddle.nn.functional.relu(self.bn2(self.conv2(y)) + self.shortcut(x))
            return self.head(paddle.flatten(self.pool(y), 1))

    class Words(nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 8, padding_idx=0)
            self.norm = nn.LayerNorm(8)
            self.drop = nn.Dropout(0.25)
            self.head = nn.Linear(8, 3)

        def forward(self, ids):
            return paddle.nn.functional.softmax(self.head(self.drop(self.norm(self.table(ids)).mean(axis=1))), axis=-1)

    class Encoder(nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 8)
            layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu")
            self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8))
            self.head = nn.Linear(8, 3)

        def forward(self, ids):
            seen = paddle.unsqueeze(ids != 0, [1, 2])
            return self.head(self.encoder(self.table(ids), seen).mean(axis=1))

    class TensorIf(nn.Layer):
        def __init__(self):
            super().__init__()
            self.shared, self.high, self.low = nn.Linear(4, 4), nn.Linear(4, 3), nn.Linear(4, 3)

        def forward(self, x):
            h = self.shared(x)
            if paddle.mean(x) > 0:
                y = self.high(h)
                bonus = paddle.exp(y)
            else:
                y = self.low(paddle.tanh(h)) - 1
                bonus = y * 2
            if paddle.max(x) > 3:
                bonus = bonus + paddle.sum(h)
            return y + bonus

    class TensorWhile(nn.Layer):
        def __init__(self):
            super().__init__()
            self.step = nn.Linear(4, 4)

        def forward(self, x, count):
            i = paddle.zeros([1], dtype="int64")
            total = paddle.zeros_like(x)
            while i < count:
                x = paddle.tanh(self.step(x))
                total = total + x
                i = i + 1
            return total, x

    class Stopped(nn.Layer):
        """Gradients that stop: at a detached value, in a branch, in a frozen layer."""

        def __init__(self):
            super().__init__()
            self.a, self.b, self.frozen = nn.Linear(5, 4), nn.Linear(4, 4), nn.Linear(4, 4)
            for p in self.frozen.parameters():
                p.stop_gradient = True
            self.register_buffer("scale", paddle.ones([4]))

        def forward(self, x):
            h = self.a(x)
            y = h * self.scale + self.b(h.detach())
            if paddle.sum(x) > 0:
                y = y + self.b(h).detach() * h
            else:
                y = y * 2
            return self.frozen(y)

    class TwoMethods(nn.Layer):
        def __init__(self):
            super().__init__()
            self.base, self.norm = nn.Linear(6, 4), nn.BatchNorm1D(4)

        @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 6], "float32", "x")])
        def forward(self, x):
            return self.norm(self.base(x))

        @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 6], "float32", "x")])
        def twice(self, x):  # a name before "forward" makes PaddlePaddle write forward over it
            return self.base(x) * 2

    def if_function(x):
        if paddle.sum(x) > 0:
            y = x * 2
        else:
            y = x - 1
        return y

    def while_function(x):
        turns = paddle.full([1], 0, dtype="int32")
        while paddle.sum(x) < 100:
            x = x * 2
            turns = turns + 1
        return x, turns

    return {f.__name__: f for f in (MLP, LeNet, ConvNet, ResidualBlock, Words, Encoder, TensorIf, TensorWhile,
                                    Stopped, TwoMethods, if_function, while_function)} | rnn_nets.networks(paddle)


def _image(channels, size):
    return [([None, channels, size, size], "float32", "image")]


SPECS = {  # name: the (shape, dtype, name) of each input, with an unknown batch size
    "MLP": [([None, 6], "float32", "x")],
    "LeNet": _image(1, 20),
    "ConvNet": _image(1, 10),
    "ResidualBlock": _image(3, 8),
    "Words": [([None, None], "int64", "ids")],
    "Encoder": [([None, None], "int64", "ids")],
    "TensorIf": [([None, 4], "float32", "x")],
    "TensorWhile": [([None, 4], "float32", "x"), ([1], "int64", "count")],
    "Stopped": [([None, 5], "float32", "x")],
    "if_function": [([None, 3], "float32", "x")],
    "while_function": [([None, 3], "float32", "x")],
    **rnn_nets.SPECS,
}


def _uniform(seed, *shape, shift=0.0):
    return (np.random.RandomState(seed).uniform(-1, 1, shape) + shift).astype("float32")


def inputs(name):
    """The lists of input arrays with which a network is tried."""
    if name in rnn_nets.SPECS:
        return rnn_nets.inputs(name)
    if name in ("Words", "Encoder"):
        return [[np.random.RandomState(s).randint(0, 20, (s + 1, 5 + s)).astype("int64")] for s in range(3)]
    if name == "TensorIf":
        return [[_uniform(s, s + 1, 4, shift=shift)] for s, shift in enumerate((1.0, -1.0, 4.0))]
    if name == "TensorWhile":
        return [[_uniform(s, s + 1, 4), np.array([turns], "int64")] for s, turns in enumerate((0, 1, 5))]
    if name == "Stopped":
        return [[_uniform(s, s + 1, 5, shift=shift)] for s, shift in enumerate((-0.5, 1.0, 0.5))]
    if name == "if_function":
        return [[_uniform(s, s + 1, 3, shift=shift)] for s, shift in enumerate((1.0, -1.0))]
    if name == "while_function":
        return [[_uniform(s, s + 1, 3, shift=shift)] for s, shift in enumerate((1.5, 40.0, 2.0))]
    shape = SPECS[name][0][0][1:]
    return [[_uniform(s, s + 1, *shape)] for s in range(3)]


def build(paddle, name):
    """A network with weights from a seed, or the function; names of parameters count from 0."""
    made = networks(paddle)[name]
    if not inspect.isclass(made):
        return made
    with paddle.utils.unique_name.guard():
        net = made()
    set_weights(net)
    return net


def set_weights(net):
    """Gives every parameter and buffer a value from a seed, in the order of the state dict."""
    for seed, (key, value) in enumerate(net.state_dict().items()):
        shape = [int(n) for n in value.shape]
        array = np.random.RandomState(100 + seed).uniform(-1, 1, shape)
        if key.endswith("_variance"):
            array = np.abs(array) + 0.5
        elif len(shape) > 1:
            array = array * np.sqrt(3 / np.prod(shape[1:] if len(shape) == 4 else shape[:1]))
        value.set_value(array.astype("float32"))


def names(net):
    """The state's values by name; a value with several names by its last, as files have it."""
    last = {id(value): key for key, value in net.state_dict().items()}
    return {key: value for key, value in net.state_dict().items() if last[id(value)] == key}


def specs(paddle, name):
    """The InputSpecs of a network."""
    return [paddle.static.InputSpec(shape, dtype, label) for shape, dtype, label in SPECS[name]]


def outputs(paddle, net, arrays):
    """What a network gives for input arrays, as a list of arrays."""
    with paddle.no_grad():
        result = net(*[paddle.to_tensor(a) for a in arrays])
    return [r.numpy() for r in (result if isinstance(result, (list, tuple)) else [result])]


def tune(paddle, model, arrays, steps):
    """Trains a model towards outputs of 0.25, as a loaded one is fine-tuned; the losses."""
    model.train()
    adam = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
    tensors, losses = [paddle.to_tensor(a) for a in arrays], []
    for _ in range(steps):
        adam.clear_grad()
        results = model(*tensors)
        results = results if isinstance(results, (list, tuple)) else [results]
        for result in results:
            if result.stop_gradient:  # a loaded layer's output is so in PaddlePaddle, which then trains nothing
                result.stop_gradient = False
        loss = sum([((r - 0.25) ** 2).mean() for r in results], paddle.zeros([]))
        loss.backward()
        adam.step()
        losses.append(float(loss.numpy()))
    return losses


# training -------------------------------------------------------------------------------------------------------------

def _adam(paddle, parameters):
    schedule = paddle.optimizer.lr.StepDecay(0.03, step_size=3, gamma=0.5)
    return schedule, paddle.optimizer.Adam(schedule, parameters=parameters)


def _momentum(paddle, parameters):
    decay = paddle.regularizer.L2Decay(0.01)
    return 0.05, paddle.optimizer.Momentum(0.05, momentum=0.9, parameters=parameters, weight_decay=decay)


def _adamw(paddle, parameters):
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.02, T_max=20)
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    return schedule, paddle.optimizer.AdamW(schedule, parameters=parameters, weight_decay=0.1, grad_clip=clip)


def _groups(paddle, parameters):
    schedule = paddle.optimizer.lr.StepDecay(0.03, step_size=3, gamma=0.5)
    clip = paddle.nn.ClipGradByGlobalNorm(0.05)
    groups = [{"params": parameters[:2], "learning_rate": 0.1, "beta1": 0.5, "grad_clip": clip},
              {"params": parameters[2:], "weight_decay": 0.5}]
    return schedule, paddle.optimizer.AdamW(schedule, parameters=groups, weight_decay=0.0)


RUNS = {"adam": ("MLP", _adam), "momentum": ("LeNet", _momentum), "adamw": ("ConvNet", _adamw),
        "groups": ("MLP", _groups)}


def batch(name, step):
    """The images and labels of a training step."""
    random = np.random.RandomState(1000 + step)
    shape, classes = SPECS[name][0][0][1:], 4 if name == "MLP" else 10
    labels = random.randint(0, classes, 16).astype("int64")
    images = random.uniform(-1, 1, (16, *shape)) + labels.reshape(-1, *[1] * len(shape)) / classes
    return images.astype("float32"), labels


class Run:
    """A training run: a network, its optimizer and the loss of each step."""

    def __init__(self, paddle, name):
        self.paddle, (self.net_name, make) = paddle, RUNS[name]
        self.net = build(paddle, self.net_name)
        self.schedule, self.optimizer = make(paddle, self.net.parameters())
        self.losses, self.gradients = [], {}

    def steps(self, first, last):
        """Takes the steps from `first` up to and without `last`; gives their losses."""
        self.net.train()
        with self.paddle.utils.unique_name.guard():  # the names of moments count from 0 too
            self.losses += [self._step(step) for step in range(first, last)]
        return self.losses[first - last:]

    def _step(self, step):
        images, labels = (self.paddle.to_tensor(a) for a in batch(self.net_name, step))
        loss = self.paddle.nn.functional.cross_entropy(self.net(images), labels)
        loss.backward()
        if step == 0:
            self.gradients = {key: p.grad.numpy() for key, p in self.net.named_parameters() if p.grad is not None}
        self.optimizer.step()
        self.optimizer.clear_grad()
        if hasattr(self.schedule, "step"):
            self.schedule.step()
        return float(loss.numpy())

    def save(self, prefix):
        """Writes the state of network and optimizer."""
        self.paddle.save(self.net.state_dict(), prefix + ".pdparams")
        self.paddle.save(self.optimizer.state_dict(), prefix + ".pdopt")

    def load(self, prefix):
        """Takes over the state that the files hold."""
        self.net.set_state_dict(self.paddle.load(prefix + ".pdparams"))
        self.optimizer.set_state_dict(self.paddle.load(prefix + ".pdopt"))


# static Programs ------------------------------------------------------------------------------------------------------

STATIC_INPUTS = [_uniform(s, s + 1, 6) for s in range(2)]


@contextlib.contextmanager
def static_mode(paddle):
    """Static mode, with Programs and names of its own."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    try:
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
            with paddle.static.scope_guard(paddle.static.Scope() if hasattr(paddle.static, "Scope")
                                           else paddle.base.core.Scope()):
                yield main, startup
    finally:
        paddle.disable_static()


def static_network(paddle):
    """A small network in the Program under construction, with constant weights: its input, its two outputs."""
    x = paddle.static.data("x", [None, 6], "float32")
    constant = paddle.nn.initializer.Assign(_uniform(7, 6, 5))
    hidden = paddle.static.nn.fc(x, 5, weight_attr=paddle.ParamAttr(initializer=constant), activation="relu")
    unused = paddle.static.data("unused", [None, 1], "float32")
    hidden_again = hidden * 2 + 1
    _ = unused + 1
    return x, [paddle.nn.functional.softmax(hidden_again), paddle.mean(hidden, axis=1)]


def save_static(paddle, prefix):
    """Writes an inference model, and gives its outputs for STATIC_INPUTS as {"input.output": array}."""
    with static_mode(paddle) as (main, startup):
        x, fetched = static_network(paddle)
        executor = paddle.static.Executor(paddle.CPUPlace())
        executor.run(startup)
        paddle.static.save_inference_model(prefix, [x], fetched, executor)
        return run_static(executor, main, ["x"], fetched, {"unused": np.zeros((1, 1), "float32")})


def save_program(paddle, prefix):
    """Writes a Program and its state by `save`, and gives its outputs for STATIC_INPUTS."""
    with static_mode(paddle) as (main, startup):
        _, fetched = static_network(paddle)
        executor = paddle.static.Executor(paddle.CPUPlace())
        executor.run(startup)
        paddle.save(main, prefix + ".pdmodel")
        paddle.save(main.state_dict(), prefix + ".pdparams")
        with open(prefix + ".names", "w") as file:
            file.write("\n".join(v.name for v in fetched))
        return run_static(executor, main, ["x"], fetched, {"unused": np.zeros((1, 1), "float32")})


def load_program(paddle, prefix, set_state=lambda program, state: program.set_state_dict(state)):
    """Loads a Program and its state by `load`, and runs it; its outputs for STATIC_INPUTS."""
    with static_mode(paddle):
        executor = paddle.static.Executor(paddle.CPUPlace())
        program = paddle.load(prefix + ".pdmodel")
        set_state(program, paddle.load(prefix + ".pdparams"))
        with open(prefix + ".names") as file:
            fetched = file.read().split()
        return run_static(executor, program, ["x"], fetched, {"unused": np.zeros((1, 1), "float32")})


def load_static(paddle, prefix):
    """Loads an inference model and runs it; its outputs for STATIC_INPUTS as {"input.output": array}."""
    with static_mode(paddle):
        executor = paddle.static.Executor(paddle.CPUPlace())
        program, feeds, fetched = paddle.static.load_inference_model(prefix, executor)
        return run_static(executor, program, feeds, fetched)


def run_static(executor, program, feeds, fetched, more=None):
    """The outputs of a Program for STATIC_INPUTS."""
    found = {}
    for number, array in enumerate(STATIC_INPUTS):
        results = executor.run(program, feed={feeds[0]: array, **(more or {})}, fetch_list=fetched)
        found.update({f"{number}.{k}": r for k, r in enumerate(results)})
    return found


def both_methods(paddle, net):
    """The outputs of both methods of TwoMethods for STATIC_INPUTS."""
    return {f"{n}.{k}": result for n, array in enumerate(STATIC_INPUTS)
            for k, method in enumerate((net, net.twice)) for result in outputs(paddle, method, [array])}


# a real model ---------------------------------------------------------------------------------------------------------

REAL_SHAPES = [(1, 3, 48, 192), (3, 3, 48, 192), (2, 3, 32, 100), (1, 3, 48, 96), (2, 3, 64, 320)]


def real_image(number):
    """The random images of the shape of that number."""
    return _uniform(500 + number, *REAL_SHAPES[number])
