"""Training with a divided state is that with the whole state in each process; so is what is saved of it."""

import io
import pathlib
import sys
import time
import weakref

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.nn import functional as F
from proa.distributed.sharding import group_sharded_parallel
from proa.distributed.sharding import optimizer as sharded_optimizer

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
nn, optimizers = paddle.nn, paddle.optimizer


def network():
    paddle.seed(5)
    return nn.Sequential(nn.Embedding(60, 16, sparse=True), nn.Flatten(), nn.Linear(64, 48, bias_attr=False),
                         nn.BatchNorm1D(48), nn.Tanh(), *(nn.Linear(48, 48) for _ in range(6)), nn.ReLU(),
                         nn.Linear(48, 7))


def sgd(net):
    return optimizers.SGD(0.1, parameters=net.parameters(), weight_decay=0.01)


def momentum(net):
    head, rest = net[-1].parameters(), [p for p in net.parameters() if not any(p is q for q in net[-1].parameters())]
    return optimizers.Momentum(0.05, 0.9, parameters=[
        {"params": rest, "grad_clip": nn.ClipGradByGlobalNorm(0.02)},
        {"params": head, "learning_rate": 0.5, "weight_decay": 0.1}], grad_clip=nn.ClipGradByGlobalNorm(0.01))


def adamw(net):
    schedule = optimizers.lr.CosineAnnealingDecay(0.01, 10)
    return optimizers.AdamW(schedule, parameters=net.parameters(), weight_decay=0.1, epsilon=1e-3,
                            apply_decay_param_fun=lambda name: "w" in name, grad_clip=nn.ClipGradByGlobalNorm(0.05))


def lamb(net):
    return optimizers.Lamb(0.01, epsilon=1e-3, parameters=net.parameters(), grad_clip=nn.ClipGradByNorm(0.1))


def lookahead(net):
    return paddle.incubate.LookAhead(optimizers.Adam(0.01, epsilon=1e-3, parameters=net.parameters()), 0.5, 3)


def data(step):
    random = np.random.default_rng(step)
    x, y = random.integers(0, 60, (4 * size, 4)), random.integers(0, 7, 4 * size)
    part = slice(rank * 4, rank * 4 + 4)
    return paddle.to_tensor(x[part]), paddle.to_tensor(y[part])


@paddle.utils.unique_name.guard()
def train(make, level, steps=12, scaler=None, accumulated=False, narrow=False, state=None):
    """The parameters and the whole state behind some steps; state: model's, optimizer's and step to go on from."""
    net = network()
    optimizer = make(net)
    if narrow:
        net, optimizer = paddle.amp.decorate(net, optimizer, level="O2", dtype="bfloat16")
    if level is None:
        model = paddle.DataParallel(net, find_unused_parameters=True)
    else:
        model, optimizer, scaler = group_sharded_parallel(net, optimizer, level, scaler, buffer_max_size=1500)
    first = 0
    if state is not None:
        model.set_state_dict(state[0])
        optimizer.set_state_dict(state[1])
        first = state[2]
    for step in range(first, first + steps):
        passes = 3 if accumulated else 1
        for number in range(passes):
            x, y = data(10 * step + number)
            with paddle.amp.auto_cast(narrow, level="O2", dtype="bfloat16"):
                loss = F.cross_entropy(model(x).astype("float32"), y) / passes
            loss = loss if scaler is None else scaler.scale(loss)
            if accumulated == "local" and number < 2:
                with model.no_sync():
                    loss.backward()
            else:
                loss.backward()
        if level == "os_g":
            for parameter in (p for p in optimizer._parameter_list if not p.stop_gradient):
                assert (parameter.grad is None) == (not optimizer.is_ours(parameter)), parameter.name
        if scaler is not None and step == 4:  # as rounding may do in one process alone
            for parameter in optimizer._parameter_list:
                if parameter.grad is not None and parameter.name == "linear_3.w_0":
                    parameter.grad = parameter.grad * float("inf")
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        if isinstance(optimizer._learning_rate, optimizers.lr.LRScheduler):
            optimizer._learning_rate.step()
        optimizer.clear_grad(set_to_zero=False)
    return ({name: value.numpy() for name, value in model.state_dict().items()}, optimizer.state_dict(), model,
            optimizer, scaler)


def plain(state):
    """Arrays by their places, with what is no array beside them."""
    found = {}
    for key, value in state.items():
        if isinstance(value, dict):
            found.update({f"{key}/{name}": item for name, item in plain(value).items()})
        else:
            found[key] = value.numpy() if hasattr(value, "numpy") else value
    return found


def held_bytes(optimizer):
    return sum(value.numpy().nbytes for held in optimizer._accumulators.values() for value in held.values())


def compare(kind, ours, theirs):
    assert sorted(ours) == sorted(theirs), (kind, sorted(set(ours) ^ set(theirs)))
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=1e-5, atol=1e-6, err_msg=f"{kind} {name}")


scalers = {"init_loss_scaling": 1024.0, "incr_every_n_steps": 3}
kinds = {
    "sgd": {"make": sgd}, "momentum": {"make": momentum}, "adamw": {"make": adamw}, "lamb": {"make": lamb},
    "lookahead": {"make": lookahead}, "accumulated": {"make": adamw, "accumulated": True},
    "no_sync": {"make": momentum, "accumulated": "local"}, "scaled": {"make": adamw, "scaler": True},
    "narrow": {"make": adamw, "narrow": True}}
for kind in sys.argv[1:] or kinds:
    settings = dict(kinds[kind])
    has_scaler = settings.pop("scaler", False)
    make = (lambda: paddle.amp.GradScaler(**scalers)) if has_scaler else lambda: None
    wanted, whole_state, _, whole_optimizer, whole_scaler = train(level=None, scaler=make(), **settings)
    for level in ("os", "os_g"):
        found, state, model, optimizer, scaler = train(level=level, scaler=make(), **settings)
        compare(f"{kind} {level}", found, wanted)
        compare(f"{kind} {level}", plain(state), plain(whole_state))
        if has_scaler:
            assert scaler.state_dict()["scale"] == whole_scaler.state_dict()["scale"] != 1024.0
        if kind == "narrow":
            assert len(state["master_weights"]) == sum(p.dtype == paddle.bfloat16 for p in model.parameters()) > 10
        if kind in ("adamw", "narrow"):
            sizes = []
            dist.all_gather_object(sizes, held_bytes(optimizer))
            whole = held_bytes(whole_optimizer)
            assert abs(sum(sizes) - whole) < 64 and max(sizes) < 1.1 * whole / size + 64, (sizes, whole)
            print("bytes of state", whole, sizes)
            # A state that is divided goes on whole, and a whole one divided
            states = [(found, state, 12), (wanted, whole_state, 12)]
            ends = [train(level=to, state=one, steps=4, **settings)[0] for one, to in zip(states, (None, level))]
            compare("taken up", ends[0], ends[1])
for level in (None, "os_g"):  # nothing holds gradients that were cleared
    net = network()
    model = paddle.DataParallel(net) if level is None else group_sharded_parallel(net, sgd(net), level)[0]
    F.cross_entropy(model(data(0)[0]), data(0)[1]).backward()
    held = [weakref.ref(p.grad) for p in net.parameters() if p.grad is not None]
    for parameter in net.parameters():
        parameter.clear_gradient()
    assert held and not any(one() for one in held)
told = pathlib.Path("told")


class Said(io.StringIO):
    def write(self, text):
        super().write(text)
        told.touch()


_, optimizer, _ = group_sharded_parallel(net := network(), sgd(net), "os")
said, sys.stderr = sys.stderr, Said()
if rank == 0:
    sharded_optimizer._TOLD_AFTER_S = 0.3
while rank and not told.exists():
    time.sleep(0.01)
optimizer.state_dict()
said, sys.stderr = sys.stderr.getvalue(), said
assert ("process 0 has waited 0.3 s in state_dict()" in said) == (rank == 0), said
print("passed", rank)
