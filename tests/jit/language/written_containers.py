"""Scopes, generators, closures, layers, and containers of all kinds, as branches and loops change them."""

import collections
import dataclasses
import functools
import typing

from written_exits import ROWS, ROWS2, F, N, P, nn

from framework import case, paddle

COUNTER = 0.0


def global_in_branch(x):
    global COUNTER
    COUNTER = 0.0
    if x.sum() > 0:
        COUNTER = 2.0
    return x * COUNTER


case(global_in_branch, P, N)


def nonlocal_in_branch(x):
    scale = 1.0
    def bump():
        nonlocal scale
        if x.sum() > 0:
            scale = scale * 3
        else:
            scale = scale + 1
    bump()
    bump()
    return x * scale


case(nonlocal_in_branch, P, N)


def nonlocal_tensor(x):
    total = paddle.zeros([])
    def add(v):
        nonlocal total
        total = total + v.sum()
        return v
    for i in range(3):
        x = add(x * 2)
        if total > 20:
            x = add(x)
    return x, total


case(nonlocal_tensor, P, N)


def nonlocal_in_staged_loop(x, n):
    total = paddle.zeros([])
    def add(v):
        nonlocal total
        total = total + v.sum()
    for i in range(n):
        add(x * i)
    return total


case(nonlocal_in_staged_loop, (P, 4), specs=[[3], []])


def generator_of_tensors(x):
    def scaled():
        for i in range(3):
            yield x * i
    return sum(scaled())


case(generator_of_tensors, P)


def yield_from(x):
    def inner():
        yield x
        yield x * 2
    def outer():
        yield from inner()
        yield x * 3
    return paddle.stack(list(outer()))


case(yield_from, P)


def closure_changed(x):
    scale = 2
    def f(v):
        return v * scale
    a = f(x)
    scale = 5
    b = f(x)
    if x.sum() > 0:
        scale = 7
    return a, b, f(x)


case(closure_changed, P, N)


def closures_in_a_loop(x):
    fs = []
    for i in range(3):
        fs.append(lambda v, i=i: v * i)
    return sum(f(x) for f in fs)


case(closures_in_a_loop, P)


def lambda_with_branch(x):
    act = lambda v: v * 2 if v.sum() > 0 else v - 1
    return act(x) + act(-x)


case(lambda_with_branch, P, N)


def times(k):
    def deco(f):
        @functools.wraps(f)
        def inner(*a, **kw):
            out = f(*a, **kw)
            if out.sum() > 0:
                return out * k
            return out
        return inner
    return deco


@times(3)
def decorated_function(x):
    if x.max() > 2:
        x = x + 1
    return x


def calls_decorated(x):
    return decorated_function(x)


case(calls_decorated, P, N)


class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([3], default_initializer=nn.initializer.Constant(0.5))
    def forward(self, x, scale=1.0):
        if x.sum() > 0:
            return x * self.w * scale
        return x - self.w
    @property
    def norm(self):
        return (self.w * self.w).sum()
    @staticmethod
    def act(x):
        return F.relu(x) if x.sum() > 0 else x
    @classmethod
    def make(cls, x):
        return x * 2 if x.max() > 1 else x


class SuperCalls(Base):
    def forward(self, x):
        y = super().forward(x, scale=2.0)
        z = super().forward(y)
        if self.norm > 0.1:
            z = z * self.norm
        return self.act(z) + self.make(z)


case(SuperCalls, P, N)


class PropertyOverTensor(Base):
    @property
    def sign(self):
        if self.w.sum() > 0:
            return 1.0
        return -1.0
    def forward(self, x):
        return x * self.sign


case(PropertyOverTensor, P, N)


class CallOverride(Base):
    def __call__(self, x):
        y = super().__call__(x)
        if y.sum() > 0:
            y = y + 1
        return y
    def forward(self, x):
        return x * self.w


class HoldsCallOverride(nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = CallOverride()
    def forward(self, x):
        return self.inner(x)


case(HoldsCallOverride, P, N)


class LayerListLoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([Base() for _ in range(3)])
    def forward(self, x):
        hidden = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            hidden.append(x)
            if x.sum() > 5:
                x = x * 0.5
        return x, tuple(hidden)


case(LayerListLoop, P, N)


class EarlyExitLayers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([Base() for _ in range(4)])
    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if x.max() < 1:
                return x * 10
        return x


case(EarlyExitLayers, P, N, [9., 9., 9.])


class EarlyExitBreak(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([Base() for _ in range(4)])
    def forward(self, x):
        used = 0
        for layer in self.layers:
            x = layer(x)
            used += 1
            if x.max() < 1:
                break
        return x, used


case(EarlyExitBreak, P, N, [9., 9., 9.])


def star_args(x, n):
    def f(*args, **kwargs):
        y = args[0] * kwargs["k"]
        if y.sum() > 0:
            return y
        return -y
    args = [x]
    kw = {"k": n}
    return f(*args, **kw) + f(x, k=2)


case(star_args, (P, 4), (N, 3), specs=[[3], []])


Output = collections.namedtuple("Output", ["logits", "loss"])


def named_result(x):
    if x.sum() > 0:
        out = Output(x, x.sum())
    else:
        out = Output(x * 2, x.max())
    return out.logits * out.loss


case(named_result, P, N)


def named_returned(x):
    if x.sum() > 0:
        return Output(x, x.sum())
    return Output(logits=x * 2, loss=x.max())


case(named_returned, P, N)


class NT(typing.NamedTuple):
    a: object
    b: object = None


def typed_named(x):
    o = NT(x)
    if x.sum() > 0:
        o = o._replace(a=x * 2)
    return o.a


case(typed_named, P, N)


@dataclasses.dataclass
class Out:
    hidden: object
    mask: object = None


def dataclass_result(x):
    o = Out(x)
    if x.sum() > 0:
        o.hidden = o.hidden * 2
    return o.hidden


case(dataclass_result, P, N)


def ordered_dict(x):
    out = collections.OrderedDict()
    out["a"] = x
    if x.sum() > 0:
        out["a"] = x * 2
    out["b"] = x + 1
    return out["a"] * out["b"]


case(ordered_dict, P, N)


def default_dict(x):
    d = collections.defaultdict(list)
    for i in range(4):
        d[i % 2].append(x * i)
    if x.sum() > 0:
        d[0].append(x)
    else:
        d[0].append(x * 2)
    return sum(d[0]) - sum(d[1])


case(default_dict, P, N)


def dict_items_loop(x):
    feats = {"a": x, "b": x * 2, "c": x * 3}
    total = 0
    for k, v in feats.items():
        if v.sum() > 10:
            v = v * 0.1
        feats[k] = v
        total = total + v
    return total, feats


case(dict_items_loop, P, N)


def dict_get_pop(x):
    d = dict(q=x, k=x * 2)
    q = d.pop("q")
    k = d.get("k", None)
    v = d.get("v", None)
    if v is None:
        v = q
    if q.sum() > 0:
        d["k"] = v
    d.update(z=q)
    return d["k"] + d["z"] + k


case(dict_get_pop, P, N)


def dict_comp(x):
    d = {i: x * i for i in range(3)}
    if x.sum() > 0:
        d = {k: v + 1 for k, v in d.items()}
    return d[0] + d[2]


case(dict_comp, P, N)


def dict_per_branch(x):
    kw = {"a": x}
    if x.sum() > 0:
        kw["b"] = x * 2
    else:
        kw["b"] = x * 3
    return kw["a"] + kw["b"]


case(dict_per_branch, P, N)


def dict_more_in_one(x):
    kw = {"a": x}
    if x.sum() > 0:
        kw["b"] = x * 2
    if "b" in kw:
        return kw["b"]
    return kw["a"]


case(dict_more_in_one, P, N)


def list_slices(x):
    parts = [x * i for i in range(5)]
    if x.sum() > 0:
        parts = parts[::-1]
    return parts[0] + parts[1:][0]


case(list_slices, P, N)


def list_comp_if(x):
    parts = [x * i for i in range(5) if i % 2 == 0]
    return paddle.stack(parts).sum(0)


case(list_comp_if, P, N)


def list_comp_tensor_if(rows):
    kept = [r for r in rows if r.sum() > 3]
    return paddle.stack(kept)


case(list_comp_tensor_if, ROWS, ROWS2, specs=[[-1, 2]])


def list_comp_over_program_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    doubled = [v * 2 for v in out]
    return paddle.stack(doubled)


case(list_comp_over_program_list, (P, 1), (P, 4), specs=[[3], []])


def sum_of_program_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return sum(out)


case(sum_of_program_list, (P, 1), (P, 4), specs=[[3], []])


def sum_gen_of_program_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return sum(v.sum() for v in out)


case(sum_gen_of_program_list, (P, 1), (P, 4), specs=[[3], []])
