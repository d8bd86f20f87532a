"""Calls of OneFlow's eager API that run in OneFlow and here: each gives arrays, with gradients where there are any.

`results(flow)` runs them; `fixtures/oneflow/eager.npz` holds OneFlow 0.9's answers.
"""

import numpy as np

R = np.random.RandomState


def arr(*shape, seed=0, low=-2.0, high=2.0, dtype="float32"):
    return (R(seed).rand(*shape) * (high - low) + low).astype(dtype)


def ints(*shape, seed=0, high=5):
    return R(seed).randint(0, high, shape).astype("int64")


X, Y, P = arr(2, 3, 4, seed=1), arr(2, 3, 4, seed=2), arr(2, 3, 4, seed=3, low=0.2)
M, V, IMG = arr(3, 4, seed=4), arr(4, seed=5), arr(2, 4, 6, 5, seed=6)
ROWS, LOGITS, CLASSES = arr(5, 3, seed=7), arr(4, 5, seed=8), ints(4, seed=9)
SEQ, VOL = arr(2, 4, 7, seed=10), arr(1, 2, 4, 5, 3, seed=11)
I32 = np.array([[-7, 7, 3], [5, -2, 9]], "int32")

# name: (function of flow and tensors, arrays); gradients of floating ones, or of the first so many, are compared too
CALLS = {
    "arithmetic": (lambda f, x, y: (x + y * 2 - 1) / (y * y + 1), [X, Y]),
    "numbers before": (lambda f, x: (3 - x) * 2 + 2 / (x * x + 1), [X]),
    "pow": (lambda f, x: x ** 2 + 2 ** x, [P]),
    "pow of two": (lambda f, x, y: f.pow(x, y), [P, Y]),
    "integer division": (lambda f, x: x // 2, [I32]),
    "integer remainder": (lambda f, x: x % 4, [I32]),
    "floor division": (lambda f, x: x // 0.7, [X], 0),
    "remainder": (lambda f, x: x % 0.7, [X]),
    "fmod": (lambda f, x: f.fmod(x, 0.7), [X]),
    "true division of integers": (lambda f, x: x / 2, [I32]),
    "mixed dtypes": (lambda f, x, y: x + y[0, :2, :3], [I32, X]),
    "round": (lambda f, x: f.round(x), [np.array([-2.5, -0.5, 0.5, 1.5, 2.4], "float32")]),
    "comparisons": (lambda f, x, y: ((x > y).float(), (x <= 0).int(), x.eq(x), f.ne(x, y)), [X, Y]),
    "logical": (lambda f, x: (f.logical_and(x > 0, x < 1), ~(x > 0), f.logical_or(x > 1, x < -1)), [X]),
    "unary": (lambda f, x: x.exp() + x.log() + x.sqrt() + x.rsqrt() + x.sin() * x.cos() + x.tanh() + x.erf(), [P]),
    "more unary": (lambda f, x: f.expm1(x) + f.log1p(x) + f.atan(x) + f.sinh(x) + f.reciprocal(x) + x.square(), [P]),
    "sign, floor, ceil, abs": (lambda f, x: (x.sign(), x.floor(), x.ceil(), x.abs()), [X]),
    "clamp": (lambda f, x: (x.clamp(-1, 1), f.clamp(x, min=0.5), x.clip(max=0.0)), [X]),
    "addcmul": (lambda f, x, y: f.addcmul(x, x, y, value=0.5), [X, Y]),
    "maximum": (lambda f, x, y: f.maximum(x, y) + f.minimum(x, y) * 2, [X, Y]),
    "sum": (lambda f, x: (x.sum(), x.sum(1), f.sum(x, dim=(0, 2), keepdim=True)), [X]),
    "sum of integers": (lambda f, x: x.sum(0), [I32]),
    "mean": (lambda f, x: (x.mean(), f.mean(x, dim=-1, keepdim=True)), [X]),
    "prod": (lambda f, x: x.prod(dim=1), [P]),
    "max": (lambda f, x: (*x.max(1), *f.min(x, dim=2, keepdim=True)), [X]),
    "max of all": (lambda f, x: (x.max(), x.min()), [X]),
    "amax": (lambda f, x: x.amax(1), [X]),
    "argmax": (lambda f, x: (x.argmax(1), f.argmin(x, dim=-1)), [X]),
    "var, std": (lambda f, x: (x.var(1), f.std(x, dim=2, unbiased=False), x.var()), [X]),
    "norm": (lambda f, x: (x.norm(), x.norm(1, 1)), [X]),
    "sort": (lambda f, x: (*f.sort(x, dim=1, descending=True), f.argsort(x, dim=2)), [X]),
    "topk": (lambda f, x: f.topk(x, 2, dim=1), [X]),
    "cumsum": (lambda f, x: (f.cumsum(x, 1), f.cumprod(x, 2)), [P]),
    "softmax": (lambda f, x: (f.softmax(x, 1), x.log_softmax(-1)), [X]),
    "logsumexp": (lambda f, x: f.logsumexp(x, 1), [X]),
    "any, all": (lambda f, x: ((x > 0).any(1), (x > -3).all()), [X]),
    "reshape": (lambda f, x: x.reshape(4, -1) + x.view(4, 6) + f.flatten(x, 0, 1).reshape((4, 6)), [X]),
    "transpose": (lambda f, x: (x.transpose(0, 2), x.permute(2, 0, 1), x[0].t()), [X]),
    "squeeze": (lambda f, x: x.unsqueeze(1).squeeze(1).unsqueeze(-1), [X]),
    "expand": (lambda f, x: x.expand(2, 3, 4) + x.unsqueeze(0).expand(2, -1, -1), [M]),
    "repeat": (lambda f, x: (x.repeat(2, 1), x.tile(1, 2)), [M]),
    "flip, roll": (lambda f, x: (x.flip([0, 1]), x.roll(1, 2), f.flip(x, [2])), [X]),
    "tril": (lambda f, x: (f.tril(x, 1), x.triu(-1)), [M]),
    "cat, stack": (lambda f, x, y: (f.cat([x, y], dim=1), f.stack([x, y], dim=2)), [X, Y]),
    "split": (lambda f, x: (*x.split(2, 2), *f.split(x, [1, 2], dim=1), *x.chunk(2, dim=2)), [X]),
    "narrow": (lambda f, x: f.narrow(x, 2, 1, 2), [X]),
    "indexing": (lambda f, x: (x[0], x[:, 1], x[..., ::2], x[:, [0, 2]], x[x > 0]), [X]),
    "gather": (lambda f, x, i: f.gather(x, 1, i), [M, np.array([[0, 1], [2, 3], [1, 0]])]),
    "scatter": (lambda f, x, i, s: f.scatter_add(x, 1, i, s), [M, np.array([[0, 1], [2, 3], [1, 0]]), arr(3, 2)]),
    "index_select": (lambda f, x, i: f.index_select(x, 1, i), [M, np.array([0, 2, 2])]),
    "gather_nd": (lambda f, x, i: f.gather_nd(x, i), [M, np.array([[0, 1], [2, 3]])]),
    "masked_fill": (lambda f, x: x.masked_fill(x > 0, 0.5), [X]),
    "masked_select": (lambda f, x: x.masked_select(x > 0), [X]),
    "where": (lambda f, x, y: f.where(x > y, x, y), [X, Y]),
    "nonzero": (lambda f, x: (x > 0).nonzero(), [X]),
    "matmul": (lambda f, x, m: f.matmul(x, m.t()) @ m, [X, M]),
    "bmm": (lambda f, x, y: f.bmm(x, y.transpose(1, 2)), [X, Y]),
    "einsum": (lambda f, x, y: f.einsum("bij,bkj->bik", x, y), [X, Y]),
    "addmm": (lambda f, x, y: f.addmm(x[:, :3], x, y.t(), beta=0.5, alpha=2.0), [M, arr(3, 4, seed=12)]),
    "to": (lambda f, x: (x.to(f.int32), x.long(), x.double(), x.bool()), [X]),
    "creation": (lambda f, x: (f.arange(5), f.arange(1, 2, 0.25), f.linspace(0, 1, 5), f.eye(3), f.full((2,), 3),
                               f.ones(2, 3), f.zeros((2,), dtype=f.int32), f.zeros_like(x), x.new_ones(2),
                               f.tensor([1, 2]), f.tensor([True]), f.tensor([1.5])), [X]),
    "meshgrid": (lambda f, x, y: f.meshgrid(x, y), [V, arr(3)]),
    "one_hot": (lambda f, x: f.nn.functional.one_hot(x, 6), [CLASSES]),
    "in place": (lambda f, x: (x * 1).add_(1).mul_(2).clamp_(-1, 3), [X]),
    "relu family": (lambda f, x: tuple(g(x) for g in (
        f.relu, f.nn.functional.gelu, f.nn.functional.silu, f.nn.functional.mish, f.nn.functional.softplus,
        f.nn.functional.softsign, f.nn.functional.hardswish, f.nn.functional.hardsigmoid, f.nn.functional.logsigmoid,
        f.nn.functional.selu, f.nn.functional.relu6)), [X]),
    "leaky_relu": (lambda f, x: (f.nn.functional.leaky_relu(x, 0.2), f.nn.functional.elu(x, alpha=0.7),
                                 f.nn.functional.hardtanh(x, -0.5, 0.7), f.nn.functional.celu(x, alpha=1.3)), [X]),
    "glu": (lambda f, x: f.nn.functional.glu(x, -1), [X]),
    "linear": (lambda f, x, w, b: f.nn.functional.linear(x, w, b), [X, arr(5, 4, seed=13), arr(5, seed=14)]),
    "conv1d": (lambda f, x, w, b: f.nn.functional.conv1d(x, w, b, stride=2, padding=1),
               [SEQ, arr(6, 4, 3, seed=15), arr(6, seed=16)]),
    "conv2d": (lambda f, x, w, b: f.nn.functional.conv2d(x, w, b, stride=(2, 1), padding=(1, 0), dilation=1, groups=2),
               [IMG, arr(6, 2, 3, 2, seed=17), arr(6, seed=18)]),
    "conv3d": (lambda f, x, w: f.nn.functional.conv3d(x, w, padding=1), [VOL, arr(3, 2, 3, 3, 3, seed=19)]),
    "conv_transpose2d": (lambda f, x, w, b: f.nn.functional.conv_transpose2d(
        x, w, b, stride=2, padding=1, output_padding=1), [IMG, arr(4, 3, 3, 3, seed=20), arr(3, seed=21)]),
    "max_pool2d": (lambda f, x: f.nn.functional.max_pool2d(x, 3, 2, 1), [IMG]),
    "max_pool2d with gaps": (lambda f, x: f.nn.functional.max_pool2d(x, 2, 1, 0, dilation=2), [IMG]),
    "max_pool1d": (lambda f, x: f.nn.functional.max_pool1d(x, 2, 2, ceil_mode=True), [SEQ]),
    "avg_pool2d": (lambda f, x: (f.nn.functional.avg_pool2d(x, 3, 2, 1),
                                 f.nn.functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False)), [IMG]),
    "adaptive_avg_pool2d": (lambda f, x: f.nn.functional.adaptive_avg_pool2d(x, (3, 2)), [IMG]),
    "layer_norm": (lambda f, x, w, b: f.nn.functional.layer_norm(x, (4,), w, b), [X, V, arr(4, seed=22)]),
    "normalize": (lambda f, x: f.nn.functional.normalize(x, dim=1), [M]),
    "pad": (lambda f, x: (f.nn.functional.pad(x, (1, 2, 0, 1)), f.nn.functional.pad(x, (1, 1, 2, 1), "reflect"),
                          f.nn.functional.pad(x, (1, 1, 2, 1), "replicate")), [IMG]),
    "interpolate": (lambda f, x: (f.nn.functional.interpolate(x, scale_factor=2.0, mode="nearest"),
                                  f.nn.functional.interpolate(x, size=(4, 9), mode="bilinear", align_corners=False),
                                  f.nn.functional.interpolate(x, size=(4, 9), mode="bilinear", align_corners=True)),
                    [IMG]),
    "embedding": (lambda f, i, w: f.nn.functional.embedding(i, w), [ints(2, 3, high=3), M]),
    "unfold": (lambda f, x: f.nn.functional.unfold(x, 2, padding=1), [IMG]),
    "cosine_similarity": (lambda f, x, y: f.nn.functional.cosine_similarity(x, y, dim=1), [X, Y]),
    "cross_entropy": (lambda f, x, y: (f.nn.functional.cross_entropy(x, y),
                                       f.nn.functional.cross_entropy(x, y, reduction="none"),
                                       f.nn.functional.cross_entropy(x, y, ignore_index=3, reduction="sum"),
                                       f.nn.functional.cross_entropy(x, y, label_smoothing=0.1)), [LOGITS, CLASSES]),
    "weighted cross_entropy": (lambda f, x, y, w: (f.nn.functional.cross_entropy(x, y, w),
                                                   f.nn.functional.cross_entropy(x, y, w, reduction="sum")),
                               [LOGITS, CLASSES, arr(5, seed=23, low=0.5)], 2),
    "cross_entropy of images": (lambda f, x, y: f.nn.functional.cross_entropy(x, y), [IMG, ints(2, 6, 5, high=4)]),
    "losses": (lambda f, x, y: (f.nn.functional.mse_loss(x, y), f.nn.functional.l1_loss(x, y, reduction="sum"),
                                f.nn.functional.smooth_l1_loss(x, y, beta=0.5, reduction="mean")), [X, Y]),
    "kl_div": (lambda f, x, y: (f.nn.functional.kl_div(x, y.softmax(1)),
                                f.nn.functional.kl_div(x, y, log_target=True, reduction="sum")), [X, Y]),
    "bce": (lambda f, x, y: (f.nn.functional.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
                             f.nn.functional.binary_cross_entropy_with_logits(x, y.sigmoid(), reduction="sum")),
            [X, Y]),
    "triplet": (lambda f, x, y, z: f.nn.functional.triplet_margin_loss(
        x, y, z, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"), [ROWS, arr(5, 3), arr(5, 3, seed=24)]),
    "grid_sample": (lambda f, x, g: f.nn.functional.grid_sample(x, g, align_corners=False),
                    [IMG, arr(2, 3, 3, 2, low=-0.9, high=0.9)]),
}

# name: (module of nn, input arrays, training)
MODULES = {
    "Linear": (lambda nn: nn.Linear(4, 3), [X]),
    "Linear without bias": (lambda nn: nn.Linear(4, 3, bias=False), [X]),
    "Conv2d": (lambda nn: nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), [IMG]),
    "Conv1d": (lambda nn: nn.Conv1d(4, 5, 3, padding=2, dilation=2), [SEQ]),
    "ConvTranspose2d": (lambda nn: nn.ConvTranspose2d(4, 3, 4, 2, 1, bias=False), [IMG]),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(4), [IMG]),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(3, momentum=0.3, eps=1e-3), [ROWS]),
    "BatchNorm1d of sequences": (lambda nn: nn.BatchNorm1d(4, affine=False), [SEQ]),
    "LayerNorm": (lambda nn: nn.LayerNorm((3, 4)), [X]),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), [IMG]),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(4, affine=True), [IMG]),
    "Embedding": (lambda nn: nn.Embedding(5, 3), [ints(2, 3)]),
    "PReLU": (lambda nn: nn.PReLU(4), [IMG]),
    "Sequential": (lambda nn: nn.Sequential(nn.Conv2d(4, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                            nn.Linear(6, 2), nn.LogSoftmax(dim=1)), [IMG]),
    "LSTM": (lambda nn: nn.LSTM(4, 3, num_layers=2, bidirectional=True), [X]),
    "LSTM, batch first": (lambda nn: nn.LSTM(4, 3, batch_first=True), [X]),
    "GRU": (lambda nn: nn.GRU(4, 3), [X]),
    "RNN": (lambda nn: nn.RNN(4, 3, nonlinearity="relu", bias=False), [X]),
    "Upsample": (lambda nn: nn.Upsample(scale_factor=2, mode="bilinear"), [IMG]),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), [IMG]),
    "ZeroPad2d": (lambda nn: nn.ZeroPad2d((1, 2, 0, 1)), [IMG]),
}

RULES = {
    "SGD": lambda o, p: o.SGD(p, lr=0.1),
    "SGD, momentum": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9),
    "SGD, decay": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.05),
    "SGD, decay, no momentum": lambda o, p: o.SGD(p, lr=0.1, weight_decay=0.05),
    "SGD, nesterov": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "SGD, dampening": lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.05),
    "Adam": lambda o, p: o.Adam(p, lr=0.05),
    "Adam, decay": lambda o, p: o.Adam(p, lr=0.05, weight_decay=0.1, betas=(0.8, 0.95), eps=1e-4),
    "Adam, amsgrad": lambda o, p: o.Adam(p, lr=0.05, amsgrad=True),
    "Adam, uncorrected": lambda o, p: o.Adam(p, lr=0.05, do_bias_correction=False),
    "AdamW": lambda o, p: o.AdamW(p, lr=0.05, weight_decay=0.1),
    "AdamW, uncorrected": lambda o, p: o.AdamW(p, lr=0.05, weight_decay=0.1, do_bias_correction=False),
    "Adagrad": lambda o, p: o.Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2, weight_decay=0.05),
    "RMSprop": lambda o, p: o.RMSprop(p, lr=0.01, weight_decay=0.05),
    "RMSprop, centered": lambda o, p: o.RMSprop(p, lr=0.01, centered=True, alpha=0.9),
    "Adadelta": lambda o, p: o.Adadelta(p, lr=0.7, weight_decay=0.05),
    "LAMB": lambda o, p: o.LAMB(p, lr=0.05, weight_decay=0.1),
    "LAMB, in the gradient": lambda o, p: o.LAMB(p, lr=0.05, weight_decay=0.1, adam_w_mode=False),
    "groups": lambda o, p: o.Adam([{"params": p[:1], "lr": 0.2}, {"params": p[1:], "betas": (0.5, 0.9)}], lr=0.05),
}

SCHEDULES = {
    "StepLR": lambda s, o: s.StepLR(o, 3, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 5]),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8),
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda n: 1 / (n + 1)),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.5, 4),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.9, 6),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 6, 0.01, 2.0),
    "PolynomialLR, cycle": lambda s, o: s.PolynomialLR(o, 4, 0.01, 1.0, cycle=True),
    "CosineDecayLR": lambda s, o: s.CosineDecayLR(o, 7, 0.1),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 5, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 2, 0.01, 0.7),
    "restarts, limited": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 1, 0.01, 0.7, 2),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.5, 3), s.ExponentialLR(o, 0.8)], [3], True),
    "WarmupLR": lambda s, o: s.WarmUpLR(o, 0.1, 4),
    "WarmupLR, before": lambda s, o: s.WarmUpLR(s.CosineDecayLR(o, 10), 0.1, 4),
    "WarmupLR, prefix": lambda s, o: s.WarmUpLR(s.StepLR(o, 2), 0.1, 4, "constant", True),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.5, 3), s.ExponentialLR(o, 0.8)]),
}


def _flat(result):
    if isinstance(result, (tuple, list)):
        return [part for item in result for part in _flat(item)]
    return [result]


def _loss_of(flow, outputs):
    """A number that every element of the floating outputs counts in, each by another weight."""
    total = None
    for n, out in enumerate(outputs):
        if out.dtype in (flow.float32, flow.float64) and out.requires_grad:
            weights = R(100 + n).rand(*tuple(out.shape)).astype("float32") if len(out.shape) else np.float32(0.7)
            part = (out.float() * flow.tensor(np.array(weights, "float32"))).sum()
            total = part if total is None else total + part
    return total


def call(flow, name):
    function, arrays, *wanting = CALLS[name]
    count = wanting[0] if wanting else len(arrays)
    given = [flow.tensor(a, requires_grad=a.dtype == np.float32 and n < count) for n, a in enumerate(arrays)]
    outputs = _flat(function(flow, *given))
    loss = _loss_of(flow, outputs)
    if loss is not None:
        loss.backward()
    return [o.detach().numpy() for o in outputs] + [t.grad.numpy() for t in given if t.grad is not None]


def fill(flow, module):
    """Gives the parameters values that are the same everywhere."""
    for n, (_, parameter) in enumerate(sorted(module.named_parameters())):
        parameter.data.copy_(flow.tensor(arr(*parameter.shape, seed=50 + n, low=-0.5, high=0.7)))
    return module


def module(flow, name):
    make, arrays = MODULES[name]
    made = fill(flow, make(flow.nn))
    given = [flow.tensor(a, requires_grad=a.dtype == np.float32) for a in arrays]
    outputs = _flat(made(*given))
    _loss_of(flow, outputs).backward()
    found = {f"out{n}": o.detach().numpy() for n, o in enumerate(outputs)}
    found |= {f"grad of {n}": p.grad.numpy() for n, p in made.named_parameters()}
    found |= {f"grad of input {n}": t.grad.numpy() for n, t in enumerate(given) if t.grad is not None}
    found |= {f"state {n}": v.numpy() for n, v in made.state_dict().items() if "running" in n}
    found |= {f"evaluated {n}": o.numpy() for n, o in enumerate(_flat(made.eval()(*[t.detach() for t in given])))}
    return found


def rule(flow, name):
    parameters = [flow.nn.Parameter(flow.tensor(arr(3, 2, seed=60))), flow.nn.Parameter(flow.tensor(arr(4, seed=61)))]
    optimizer = RULES[name](flow.optim, parameters)
    found = []
    for n in range(4):
        loss = sum((p * flow.tensor(arr(*p.shape, seed=70 + n))).sum() + (p ** 2).sum() for p in parameters)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found += [p.detach().numpy().copy() for p in parameters]
    return found


def schedule(flow, name):
    optimizer = flow.optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=0.4)
    made = SCHEDULES[name](flow.optim.lr_scheduler, optimizer)
    found = []
    for _ in range(12):
        found.append(optimizer.param_groups[0]["lr"])
        made.step()
    return np.array(found)


def results(flow):
    """The answers by name."""
    found, failed = {}, {}

    def keep(kind, name, give):
        try:
            value = give(flow, name)
        except Exception as error:
            failed[f"{kind}/{name}"] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"
            return
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [
            ("", value)]
        found.update({f"{kind}/{name}/{key}": np.asarray(array) for key, array in items})

    for kind, table, give in (("call", CALLS, call), ("module", MODULES, module), ("rule", RULES, rule),
                              ("schedule", SCHEDULES, schedule)):
        for name in table:
            keep(kind, name, give)
    return found, failed
