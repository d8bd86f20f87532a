"""Values that are None at first, numbers that become tensors, and ways out of loops, `try` and `match`."""



from framework import case, paddle

nn = paddle.nn


F = paddle.nn.functional


P, N, M, L = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 4.0], [11.0, 12.0, 13.0]


ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


ROWS2 = [[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0], [0.5, 0.25]]


def maybe_mask(x, use):
    if use.sum() > 0:
        return x * 2
    return None


def none_or_tensor_helper(x):
    mask = maybe_mask(x, x)
    if mask is not None:
        x = x + mask
    return x


case(none_or_tensor_helper, P, N)


def none_before_loop(x, n):
    prev = None
    for i in range(n):
        if prev is None:
            prev = x
        else:
            prev = prev * 0.5 + x
    return prev


case(none_before_loop, (P, 1), (P, 4), specs=[[3], []])


def none_before_loop_ternary(x, n):
    h = None
    out = []
    for i in range(n):
        h = x if h is None else paddle.tanh(h + x)
        out.append(h)
    return paddle.stack(out)


case(none_before_loop_ternary, (P, 1), (P, 4), specs=[[3], []])


def none_before_while(x):
    best = None
    while x.sum() < 50:
        x = x * 2
        if best is None or x.max() > best:
            best = x.max()
    if best is not None:
        return x + best
    return x


case(none_before_while, P, [20.0, 20.0, 20.0])


def none_rows(rows):
    state = None
    for row in rows:
        if state is not None:
            row = row + state
        state = row * 0.5
    return state


case(none_rows, ROWS, ROWS2, specs=[[-1, 2]])


def none_cache_tuple(rows):
    cache = None
    for row in rows:
        if cache is None:
            k, v = row, row * 2
        else:
            k, v = cache[0] + row, cache[1] * row
        cache = (k, v)
    return cache[0], cache[1]


case(none_cache_tuple, ROWS, specs=[[-1, 2]])


def none_branch_default(x):
    bias = None
    if x.sum() > 0:
        bias = x * 0.5
    y = x * 2
    if bias is not None:
        y = y + bias
    return y


case(none_branch_default, P, N)


def none_branch_passed_on(x):
    bias = None
    if x.sum() > 0:
        bias = x * 0.5
    return add_bias(x, bias)


def add_bias(x, bias=None):
    if bias is None:
        return x
    return x + bias


case(none_branch_passed_on, P, N)


def none_not(x):
    y = None
    if x.sum() > 0:
        y = x
    if y is not None:
        x = x + y
    return x


case(none_not, P, N)


def none_in_dict(x):
    out = {"hidden": x, "mask": None}
    if x.sum() > 0:
        out["mask"] = x > 1.5
    if out["mask"] is not None:
        return out["hidden"] * out["mask"].astype("float32")
    return out["hidden"]


case(none_in_dict, P, N)


def int_or_tensor_total(rows):
    total = 0
    for row in rows:
        total = total + row.sum()
    return total / 2


case(int_or_tensor_total, ROWS, specs=[[-1, 2]])


def int_or_tensor_vector(rows):
    total = 0
    for row in rows:
        total += row
    return total


case(int_or_tensor_vector, ROWS, specs=[[-1, 2]])


def float_count(x, n):
    count = 0.0
    for i in range(n):
        if x[0] > i:
            count += 1
    return count + x


case(float_count, (P, 1), (L, 4), specs=[[3], []])


def best_so_far(rows):
    best = -1e9
    where = -1
    for i, row in enumerate(rows):
        s = row.sum()
        if s > best:
            best = s
            where = i
    return best, where


case(best_so_far, ROWS, ROWS2, specs=[[-1, 2]])


def python_min_max(rows):
    lo, hi = float("inf"), float("-inf")
    for row in rows:
        lo = min(lo, row.min())
        hi = max(hi, row.max())
    return lo, hi


case(python_min_max, ROWS, ROWS2, specs=[[-1, 2]])


def branch_dtype(x):
    if x.sum() > 0:
        y = x.astype("int64")
    else:
        y = x
    return y * 1.5


case(branch_dtype, P, N)


def branch_bool_or_int(x):
    if x.sum() > 0:
        flag = True
    else:
        flag = 3
    return x * flag


case(branch_bool_or_int, P, N)


def int_division(x, n):
    half = n // 2
    rest = n % 2
    if rest == 0:
        return x * half
    return x * (half + 1) / n


case(int_division, (P, 4), (P, 5), specs=[[3], []])


def int_call(x, n):
    k = int(n)
    return x[:k]


case(int_call, (P, 2), (P, 1), specs=[[3], []])


def float_call(x):
    scale = float(x.max())
    if scale > 2:
        return x / scale
    return x


case(float_call, P, N)


def bool_call(x):
    flag = bool((x > 0).all())
    if flag:
        return x * 2
    return x


case(bool_call, P, N)


def number_power(x, n):
    y = 1
    for _ in range(n):
        y *= x
    return y


case(number_power, (P, 1), (P, 3), specs=[[3], []])


def abs_and_round(x):
    s = x.sum()
    if abs(s) > 3:
        x = x / abs(s)
    return x + round(2.6)


case(abs_and_round, P, N)


def divmod_of(x, n):
    q, r = divmod(n, 2)
    return x * q + r


case(divmod_of, (P, 5), (P, 4), specs=[[3], []])


def pow_of(x):
    return pow(x, 2) + x ** 0.5


case(pow_of, P, L)


def return_nested_for(rows):
    for row in rows:
        for v in row:
            if v < 0:
                return v * 10
    return rows.sum()


case(return_nested_for, ROWS, ROWS2, specs=[[-1, 2]])


def return_nested_range(x, n):
    for i in range(n):
        for j in range(n):
            if x[0] * i * j > 3:
                return x + i * 10 + j
    return x


case(return_nested_range, (P, 2), (P, 5), specs=[[3], []])


def return_nested_while(x):
    i = 0
    while i < 5:
        while x.sum() < 20:
            x = x * 2
            if x.max() > 15:
                return x - 1
        x = x - 4
        i += 1
    return x


case(return_nested_while, P, [0.5, 0.25, 0.125], [6., 6., 9.])


def return_for_while_mixed(x, n):
    for i in range(n):
        y = x * i
        while y.sum() > 3:
            y = y - 1
            if y.min() < 0:
                return y, i
        x = x + y
    return x, -1


case(return_for_while_mixed, (P, 3), (N, 3), (P, 1), specs=[[3], []])


def return_tuple_in_loop(x, n):
    for i in range(n):
        x = x + 1
        if x.sum() > 10:
            return x, i
    return x, n


case(return_tuple_in_loop, (P, 3), (P, 1), specs=[[3], []])


def return_none_from_loop(x, n):
    for i in range(n):
        if x[i] < 0:
            return None
    return x


def uses_return_none(x, n):
    y = return_none_from_loop(x, n)
    return x if y is None else y * 2


case(uses_return_none, (P, 3), (M, 3), specs=[[3], []])


def break_two_levels(x, n):
    found = False
    for i in range(n):
        for j in range(3):
            if x[j] * i > 4:
                found = True
                break
            x = x + 0.1
        if found:
            break
    return x, i, j


case(break_two_levels, (P, 3), (P, 1), specs=[[3], []])


def for_else_return(x, n):
    for i in range(n):
        if x.sum() > 8:
            break
        x = x + 1
    else:
        return x * 0
    return x


case(for_else_return, (P, 3), (P, 1), specs=[[3], []])


def while_true_break(x):
    n = 0
    while True:
        x = x * 1.5
        n += 1
        if x.sum() > 30 or n > 20:
            break
    return x, n


case(while_true_break, P, [0.1, 0.2, 0.3])


def while_true_return(x):
    while True:
        x = x * 1.5
        if x.sum() > 30:
            return x


case(while_true_return, P)


def continue_in_while(x, n):
    i = 0
    total = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        total = total + x * i
    return total


case(continue_in_while, (P, 4), (P, 1), specs=[[3], []])


def loop_var_after(x, n):
    for i in range(n):
        x = x + i
    return x * i


case(loop_var_after, (P, 4), specs=[[3], []])


def try_finally(x):
    try:
        if x.sum() > 0:
            return x * 2
        y = x - 1
    finally:
        x = x + 100
    return y + x


case(try_finally, P, N)


def try_else(x):
    try:
        y = x.reshape([3, 1])
    except ValueError:
        y = x
    else:
        if x.sum() > 0:
            y = y * 3
    return y


case(try_else, P, N, specs=[[3]])


def try_loop(x, n):
    total = x
    for i in range(n):
        try:
            total = total + x * i
        finally:
            total = total * 0.5
    return total


case(try_loop, (P, 4), specs=[[3], []])


def try_return_in_loop(x, n):
    for i in range(n):
        try:
            if x.sum() > 6:
                return x * 10
            x = x + 1
        finally:
            x = x + 0.5
    return x


case(try_return_in_loop, (P, 4), (N, 2), specs=[[3], []])


def walrus_while(x):
    while (s := x.sum()) < 20:
        x = x + s
    return x, s


case(walrus_while, P, L)


def walrus_if_else(x):
    if (m := x.max()) > 2:
        return x / m
    return x + m


case(walrus_if_else, P, N)


def walrus_comprehension(x):
    parts = [y := x * 2, y + 1, y * y]
    return sum(parts)


case(walrus_comprehension, P)


def match_string(x, mode="gelu"):
    match mode:
        case "relu":
            return F.relu(x)
        case "gelu":
            return F.gelu(x)
        case _:
            return x


case(match_string, P, N)


def match_tuple(x):
    pair = (x, x + 1)
    match pair:
        case (a, b):
            if a.sum() > 0:
                return a * b
            return a - b


case(match_tuple, P, N)


def match_dict(x):
    match {"q": x, "k": x * 2}:
        case {"q": q, "k": k}:
            return q * k


case(match_dict, P, N)


def match_in_loop(x, n):
    for op in ["add", "mul", "add"]:
        match op:
            case "add":
                x = x + n
            case "mul" if n is not None:
                x = x * n
    return x


case(match_in_loop, (P, 4), specs=[[3], []])


def f_string_tensor(x):
    s = f"{x.shape[1:]} {x.dtype}"
    assert len(s) > 0
    if x.sum() > 0:
        msg = "sum"
        x = x + len(msg)
    return x


case(f_string_tensor, P, N)


def f_string_key(x):
    outs = {}
    for i in range(3):
        outs[f"layer_{i}"] = x * i
    if x.sum() > 0:
        outs["layer_1"] = x
    return outs


case(f_string_key, P, N)
