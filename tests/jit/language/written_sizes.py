"""Sizes that only a run knows, loops that decode, and what is neither tensor nor number."""

import collections
import contextlib
import functools
import itertools
import math

import numpy as np
from written_exits import ROWS, ROWS2, F, L, M, N, P, nn

from framework import case, paddle


def zip_tensor_list(rows):
    total = paddle.zeros([2])
    for row, w in zip(rows, [1.0, 2.0, 3.0]):
        total = total + row * w
    return total


case(zip_tensor_list, ROWS, ROWS2, specs=[[-1, 2]])


def zip_tensor_range(rows):
    total = paddle.zeros([2])
    for row, i in zip(rows, range(10)):
        total = total + row * i
    return total


case(zip_tensor_range, ROWS, ROWS2, specs=[[-1, 2]])


def zip_tensor_count(rows):
    total = paddle.zeros([2])
    for i, row in zip(itertools.count(), rows):
        total = total + row * i
    return total


case(zip_tensor_count, ROWS, specs=[[-1, 2]])


def reversed_tensor(rows):
    h = paddle.zeros([2])
    for row in reversed(rows):
        h = paddle.tanh(h + row)
    return h


case(reversed_tensor, ROWS, ROWS2, specs=[[-1, 2]])


def reversed_range(rows):
    h = paddle.zeros([2])
    for t in reversed(range(rows.shape[0])):
        h = paddle.tanh(h + rows[t])
    return h


case(reversed_range, ROWS, ROWS2, specs=[[-1, 2]])


def range_down(rows):
    h = paddle.zeros([2])
    out = []
    for t in range(rows.shape[0] - 1, -1, -1):
        h = paddle.tanh(h + rows[t])
        out.insert(0, h)
    return paddle.stack(out)


case(range_down, ROWS, ROWS2, specs=[[-1, 2]])


def range_down_reverse(rows):
    h = paddle.zeros([2])
    out = []
    for t in range(rows.shape[0] - 1, -1, -1):
        h = paddle.tanh(h + rows[t])
        out.append(h)
    out.reverse()
    return paddle.stack(out)


case(range_down_reverse, ROWS, ROWS2, specs=[[-1, 2]])


def range_down_slice(rows):
    h = paddle.zeros([2])
    out = []
    for t in range(rows.shape[0] - 1, -1, -1):
        h = paddle.tanh(h + rows[t])
        out.append(h)
    return paddle.stack(out[::-1])


case(range_down_slice, ROWS, ROWS2, specs=[[-1, 2]])


def enumerate_start(rows):
    total = paddle.zeros([2])
    for i, row in enumerate(rows, 1):
        total = total + row / i
    return total


case(enumerate_start, ROWS, ROWS2, specs=[[-1, 2]])


def enumerate_zip(rows):
    total = paddle.zeros([2])
    for i, (a, b) in enumerate(zip(rows, rows * 2)):
        total = total + a * b * i
    return total


case(enumerate_zip, ROWS, ROWS2, specs=[[-1, 2]])


def list_of_tensor(rows):
    items = list(rows)
    return paddle.stack(items[::-1])


case(list_of_tensor, ROWS, ROWS2, specs=[[-1, 2]])


def pairs_of_rows(rows):
    total = 0
    for a, b in zip(rows[:-1], rows[1:]):
        total = total + (a * b).sum()
    return total


case(pairs_of_rows, ROWS, ROWS2, specs=[[-1, 2]])


def unpack_star_shape(rows):
    b, *rest = rows.shape
    return rows.reshape([b, -1]).sum() + len(rest)


case(unpack_star_shape, ROWS, ROWS2, specs=[[-1, 2]])


def shape_arith(rows):
    b, d = rows.shape
    pad = paddle.zeros([5 - b, d])
    out = paddle.concat([rows, pad])
    mask = paddle.arange(5) < b
    return out, mask.astype("int64")


case(shape_arith, ROWS, ROWS2, specs=[[-1, 2]])


def shape_if(rows):
    if rows.shape[0] > 3:
        return rows[:3]
    return rows * 2


case(shape_if, ROWS, ROWS2, specs=[[-1, 2]])


def shape_max(rows):
    n = max(rows.shape[0], 4)
    out = paddle.zeros([n])
    return out.shape[0] + rows.sum()


case(shape_max, ROWS, ROWS2, specs=[[-1, 2]])


def shape_product(rows):
    n = math.prod(rows.shape)
    m = functools.reduce(lambda a, b: a * b, rows.shape, 1)
    return rows.reshape([n]) / m


case(shape_product, ROWS, ROWS2, specs=[[-1, 2]])


def shape_sqrt(rows):
    return rows / math.sqrt(rows.shape[-1])


case(shape_sqrt, ROWS, specs=[[-1, 2]])


def shape_sqrt_open(rows):
    return rows / math.sqrt(rows.shape[0])


case(shape_sqrt_open, ROWS, ROWS2, specs=[[-1, 2]])


def shape_ceil(rows):
    n = math.ceil(rows.shape[0] / 2)
    return rows[:n]


case(shape_ceil, ROWS, ROWS2, specs=[[-1, 2]])


def shape_int_div(rows):
    n = int(rows.shape[0] / 2)
    a, b = rows[:n], rows[n:]
    return a.sum() - b.sum()


case(shape_int_div, ROWS, ROWS2, specs=[[-1, 2]])


def causal_mask(rows):
    n = rows.shape[0]
    mask = paddle.tril(paddle.ones([n, n]))
    att = paddle.matmul(rows, rows.T)
    att = paddle.where(mask > 0, att, paddle.full_like(att, -1e4))
    return F.softmax(att)


case(causal_mask, ROWS, ROWS2, specs=[[-1, 2]])


def chunked(rows):
    out = []
    for start in range(0, rows.shape[0], 2):
        out.append(rows[start:start + 2].sum(0))
    return paddle.stack(out)


case(chunked, ROWS, ROWS2, specs=[[-1, 2]])


def split_sum(rows):
    a, b = paddle.split(rows, 2, axis=1)
    return sum([a, b])


case(split_sum, ROWS, ROWS2, specs=[[-1, 2]])


def size_list_comp(rows):
    return [rows[i] * i for i in range(rows.shape[1])]


case(size_list_comp, ROWS, specs=[[-1, 2]])


def size_list_comp_open(rows):
    return paddle.stack([rows[i] * i for i in range(rows.shape[0])])


case(size_list_comp_open, ROWS, ROWS2, specs=[[-1, 2]])


def size_list_comp_len(rows):
    return paddle.concat([r.unsqueeze(0) for r in rows])


case(size_list_comp_len, ROWS, ROWS2, specs=[[-1, 2]])


def gen_sum_open(rows):
    return sum(r * r for r in rows)


case(gen_sum_open, ROWS, ROWS2, specs=[[-1, 2]])


def max_of_gen(rows):
    return max(r.sum() for r in rows)


case(max_of_gen, ROWS, ROWS2, specs=[[-1, 2]])


def any_of_gen(rows):
    if any((r < 0).any() for r in rows):
        return rows * -1
    return rows


case(any_of_gen, ROWS, ROWS2, specs=[[-1, 2]])


def all_of_gen(rows):
    return rows if all(r.sum() > 0 for r in rows) else rows * 0


case(all_of_gen, ROWS, ROWS2, specs=[[-1, 2]])


def sorted_rows(rows):
    order = paddle.argsort(rows[:, 0])
    out = []
    for i in order:
        out.append(rows[i])
    return paddle.stack(out)


case(sorted_rows, ROWS, ROWS2, specs=[[-1, 2]])


def dict_over_rows(rows):
    out = {}
    for i in range(2):
        out[i] = rows[i]
        if rows[i].sum() > 2:
            out[i] = out[i] * 2
    return out


case(dict_over_rows, ROWS, ROWS2, specs=[[-1, 2]])


def while_len_list(x, n):
    out = [x]
    while len(out) < n:
        out.append(out[-1] * 2)
    return paddle.concat(out)


case(while_len_list, (P, 1), (P, 4), specs=[[3], []])


def set_item_in_loop(rows):
    out = paddle.zeros_like(rows)
    for i in range(rows.shape[0]):
        out[i] = rows[i] * i
    return out


case(set_item_in_loop, ROWS, ROWS2, specs=[[-1, 2]])


def set_item_in_branch(rows):
    out = rows * 1
    for i in range(3):
        if rows[i].sum() > 5:
            out[i] = 0.0
    return out


case(set_item_in_branch, ROWS, ROWS2, specs=[[-1, 2]])


def augmented_item(rows):
    out = paddle.zeros([2])
    for row in rows:
        out[0] += row.sum()
        out[1] = out[1] + 1
    return out


case(augmented_item, ROWS, ROWS2, specs=[[-1, 2]])


def mask_assign(x):
    y = x * 1
    y[y < 0] = 0.0
    return y


case(mask_assign, P, M)


def greedy_decode(x, n):
    token = paddle.zeros([1], "int64")
    tokens = []
    for step in range(n):
        logits = x * (token.astype("float32") + 1)
        token = paddle.argmax(logits, axis=-1, keepdim=True)
        tokens.append(token)
        if token == 0:
            break
    return paddle.concat(tokens)


case(greedy_decode, (P, 4), (N, 4), specs=[[3], []])


def decode_kwargs(x, n):
    kwargs = {"cache": None, "step": 0}
    out = x
    while kwargs["step"] < n:
        if kwargs["cache"] is None:
            kwargs["cache"] = out
        else:
            kwargs["cache"] = kwargs["cache"] + out
        out = kwargs["cache"] * 0.5
        kwargs["step"] = kwargs["step"] + 1
    return out


case(decode_kwargs, (P, 1), (P, 4), specs=[[3], []])


def decode_update_kwargs(x, n):
    def update(outputs, kw):
        if isinstance(outputs, tuple) and len(outputs) > 1:
            kw["cache"] = outputs[1]
        if "mask" in kw and kw["mask"] is not None:
            kw["mask"] = paddle.concat([kw["mask"], paddle.ones([1])])
        return kw
    kw = {"mask": paddle.ones([1])}
    tokens = x
    i = 0
    while i < n:
        outputs = (tokens * kw["mask"].sum(), tokens + 1)
        kw = update(outputs, kw)
        tokens = outputs[0]
        i += 1
    return tokens, kw["mask"]


case(decode_update_kwargs, (P, 1), (P, 4), specs=[[3], []])


def all_finished(x, n):
    cur = 0
    finished = paddle.zeros([1], "bool")
    while cur < n:
        x = x + 1
        finished = paddle.logical_or(finished, x.sum() > 15)
        cur += 1
        if paddle.all(finished):
            break
    return x, cur


case(all_finished, (P, 4), (N, 2), specs=[[3], []])


def not_any(x, n):
    cur = paddle.to_tensor(0)
    unfinished = paddle.ones([1], "int64")
    while cur < n:
        x = x + unfinished.astype("float32")
        cur = cur + 1
        unfinished = unfinished * (x.sum() < 15).astype("int64")
        if not paddle.any(unfinished.astype("bool")):
            break
    return x


case(not_any, (P, 4), (N, 2), specs=[[3], []])


def newton(x):
    y = x
    for _ in range(50):
        step = (y * y - x) / (2 * y)
        y = y - step
        if step.abs().max() < 1e-4:
            break
    return y


case(newton, P, L)


def iterate_until(x):
    prev = None
    y = x
    it = 0
    while prev is None or (y - prev).abs().sum() > 1e-2:
        prev = y
        y = y * 0.5
        it = it + 1
    return y, it


case(iterate_until, P, L)


def with_enter(x):
    class Scale:
        def __enter__(self):
            self.k = 2.0
            return self
        def __exit__(self, *a):
            return False
    with Scale() as s:
        if x.sum() > 0:
            x = x * s.k
    return x


case(with_enter, P, N)


@contextlib.contextmanager
def scaled(k):
    yield k * 2


def with_contextmanager(x):
    with scaled(3) as k:
        if x.sum() > 0:
            return x * k
    return x


case(with_contextmanager, P, N)


def nullcontext(x, train=False):
    with contextlib.nullcontext() if train else paddle.no_grad():
        y = x * 2
        if y.sum() > 0:
            y = y + 1
    return x * y


case(nullcontext, P, N)


def numpy_on_shape(x):
    k = np.prod(x.shape)
    w = np.linspace(0, 1, 3).astype("float32")
    return x * float(k) + paddle.to_tensor(w)


case(numpy_on_shape, P, specs=[[3]])


def numpy_times_tensor(x):
    return x * np.float32(2.0) + np.array([1, 2, 3], "float32")


case(numpy_times_tensor, P)


def numpy_scalar_branch(x):
    k = np.float32(3.0)
    if x.sum() > 0:
        k = np.float32(4.0)
    return x * k


case(numpy_scalar_branch, P, N)


def numpy_int_loop(x, n):
    k = np.int64(0)
    for i in range(n):
        k = k + i
    return x * k


case(numpy_int_loop, (P, 3), specs=[[3], []])


def math_functions(x):
    s = x.sum()
    if s > 0:
        return x * math.exp(1.0) + math.pi
    return x * math.log(2.0)


case(math_functions, P, N)


def math_of_tensor(x):
    return x / math.sqrt(x.abs().sum())


case(math_of_tensor, P)


def layer_choice(x):
    fns = {"relu": F.relu, "tanh": paddle.tanh}
    for name in fns:
        x = fns[name](x)
        if x.sum() > 0.5:
            x = x - 0.25
    return x


case(layer_choice, P, N)


def returns_nesting(x):
    if x.sum() > 0:
        return x, (x * 2, [x * 3])
    return x + 1, (x - 1, [x])


case(returns_nesting, P, N)


def different_rank(x):
    y = 0
    if x.sum() > 0:
        y = x * 2
    return x + y


case(different_rank, P, N)


def different_rank_tensor(x):
    bias = paddle.zeros([1])
    scale = paddle.to_tensor(1.0)
    if x.sum() > 0:
        scale = x
    return x * scale + bias


case(different_rank_tensor, P, N)


def loss_list(rows):
    losses = []
    for row in rows:
        if row.sum() > 0:
            losses.append(row.sum())
    if len(losses) > 0:
        return sum(losses) / len(losses)
    return paddle.zeros([])


case(loss_list, ROWS, ROWS2, specs=[[-1, 2]])


def loss_list_stack(rows):
    losses = []
    for row in rows:
        if row.sum() > 0:
            losses.append(row.sum())
    if not losses:
        return paddle.zeros([])
    return paddle.stack(losses).mean()


case(loss_list_stack, ROWS, ROWS2, specs=[[-1, 2]])


def inner_function_loop(x, n):
    def body(v, i):
        if i % 2 == 0:
            return v * 2
        return v + i
    for i in range(n):
        x = body(x, i)
    return x


case(inner_function_loop, (P, 4), specs=[[3], []])


def recursion_tensor(x):
    def fact(v, k):
        if k == 0:
            return v
        return fact(v * k, k - 1)
    return fact(x, 3)


case(recursion_tensor, P)


def conditional_import(x):
    import math as m
    from functools import reduce
    if x.sum() > 0:
        x = x * m.pi
    return reduce(lambda a, b: a + b, [x, x, x])


case(conditional_import, P, N)


def swap_in_loop(x, n):
    a, b = x, x * 0 + 1
    for _ in range(n):
        a, b = b, a + b
    return a


case(swap_in_loop, (P, 1), (P, 5), specs=[[3], []])


def del_in_branch(x):
    tmp = x * 2
    if x.sum() > 0:
        y = tmp + 1
        del tmp
    else:
        y = tmp
    return y


case(del_in_branch, P, N)


def chained_assign(x):
    a = b = x * 2
    if x.sum() > 0:
        a = a + 1
    return a, b


case(chained_assign, P, N)


def inplace_in_branch(x):
    y = x * 1
    if x.sum() > 0:
        y.add_(x)
    return y


case(inplace_in_branch, P, N)


def inplace_alias(x):
    y = x * 1
    z = y
    if x.sum() > 0:
        y += 1
    return y, z


case(inplace_alias, P, N)


def assert_in_branch(x):
    if x.sum() > 0:
        assert x.max() < 100, f"too large {x.shape}"
        return x * 2
    return x


case(assert_in_branch, P, N)


def raise_value(x):
    if x.sum() > 1e6:
        raise ValueError("too large")
    return x * 2


case(raise_value, P)


def raise_in_else(x):
    if x.sum() > -1e6:
        y = x * 2
    else:
        raise ValueError(f"{x} is strange")
    return y


case(raise_in_else, P)


def is_tensor_checks(x, y=3):
    if paddle.is_tensor(x) and not paddle.is_tensor(y) and isinstance(y, (int, float)):
        x = x * y
    if hasattr(x, "stop_gradient") and callable(x.sum):
        x = x + 1
    return x


case(is_tensor_checks, P)


def top_k_loop(rows):
    out = []
    for row in rows:
        v, i = row.topk(1)
        out.append(v if i[0] == 0 else v * 2)
    return paddle.concat(out)


case(top_k_loop, ROWS, ROWS2, specs=[[-1, 2]])


def ragged(rows):
    out = []
    for i in range(rows.shape[0]):
        out.append(rows[:i + 1].flatten())
    return paddle.concat(out)


case(ragged, ROWS, ROWS2, specs=[[-1, 2]])


def extend_in_loop(rows):
    out = []
    for row in rows:
        out.extend([row, row * 2])
    return paddle.stack(out)


case(extend_in_loop, ROWS, ROWS2, specs=[[-1, 2]])


def list_plus_equals(rows):
    out = []
    for row in rows:
        out += [row]
    return paddle.stack(out)


case(list_plus_equals, ROWS, ROWS2, specs=[[-1, 2]])


def nested_lists_in_loop(rows):
    groups = [[], []]
    for row in rows:
        if row.sum() > 2:
            groups[0].append(row)
        else:
            groups[1].append(row)
    return len(groups[0]), len(groups[1])


case(nested_lists_in_loop, ROWS, ROWS2, specs=[[-1, 2]])


def bidirectional(rows):
    fwd, bwd = [], []
    h = paddle.zeros([2])
    for t in range(rows.shape[0]):
        h = paddle.tanh(rows[t] + h)
        fwd.append(h)
    h = paddle.zeros([2])
    for t in reversed(range(rows.shape[0])):
        h = paddle.tanh(rows[t] + h)
        bwd.append(h)
    out = [paddle.concat([f, b]) for f, b in zip(fwd, reversed(bwd))]
    return paddle.stack(out)


case(bidirectional, ROWS, ROWS2, specs=[[-1, 2]])


def list_mult(x, n):
    out = [None] * 3
    for i in range(3):
        out[i] = x * i
        if x.sum() > 0:
            out[i] = out[i] + 1
    return paddle.stack(out)


case(list_mult, (P, 1), (N, 1), specs=[[3], []])


def tuple_state_loop(rows):
    state = (paddle.zeros([2]), paddle.ones([2]))
    for row in rows:
        h, c = state
        state = (h + row, c * 0.5)
    return state


case(tuple_state_loop, ROWS, ROWS2, specs=[[-1, 2]])


def named_state_loop(rows):
    State = collections.namedtuple("State", "h c")
    s = State(paddle.zeros([2]), paddle.ones([2]))
    for row in rows:
        s = State(s.h + row, s.c * 0.5)
    return s.h + s.c


case(named_state_loop, ROWS, ROWS2, specs=[[-1, 2]])


def dict_state_loop(rows):
    s = {"h": paddle.zeros([2])}
    for row in rows:
        s["h"] = s["h"] + row
        s["last"] = row
    return s["h"] + s["last"]


case(dict_state_loop, ROWS, ROWS2, specs=[[-1, 2]])


class AttributeHistory(nn.Layer):
    def __init__(self):
        super().__init__()
        self.history = []
    def forward(self, x):
        self.history = []
        for i in range(3):
            x = x * 2
            self.history.append(x)
            if x.sum() > 10:
                x = x - 1
        return sum(self.history)


case(AttributeHistory, P, N)
