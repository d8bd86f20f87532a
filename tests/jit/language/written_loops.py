# ruff: noqa: UP028
"""`while` and `for`, jumps out of them, and variables that begin in them."""

from framework import case, paddle

X, Y = [1.0, 2.0, 3.0], [0.5, -1.0, 0.25, 4.0]
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def while_over_a_tensor(x, n):
    i = paddle.zeros([], "int64")
    while i < n:
        x = x * 1.5 + 1
        i = i + 1
    return x, i


case(while_over_a_tensor, (X, 0), (X, 3), specs=[[-1], []])


def range_of_a_tensor(x, n):
    total = paddle.zeros_like(x)
    for i in range(n):
        total = total + x * i
    return total


case(range_of_a_tensor, (X, 0), (X, 1), (Y, 4), specs=[[-1], []])


def range_with_bounds(x, a, b):
    total = x
    for i in range(a, b, 2):
        total = total + i
    return total


case(range_with_bounds, (X, 1, 9), (X, 4, 2), specs=[[-1], [], []])


def for_over_a_tensor(rows):
    total = paddle.zeros([2])
    for row in rows:
        total = total * 0.5 + row * row
    return total


case(for_over_a_tensor, ROWS, specs=[[-1, 2]])


def enumerate_a_tensor(rows):
    total = paddle.zeros([2])
    for i, row in enumerate(rows):
        total = total + row * i
    return total


case(enumerate_a_tensor, ROWS, specs=[[-1, 2]])


def zip_tensors(rows, others):
    total = paddle.zeros([2])
    for row, other in zip(rows, others):
        total = total + row * other
    return total


case(zip_tensors, (ROWS, ROWS), specs=[[-1, 2], [-1, 2]])


def lists_and_dicts(x):
    for scale in [1.0, 2.0]:
        x = x * scale
    for key, value in {"a": 1.0, "b": -2.0}.items():
        x = x + value if key == "a" else x - value
    for i, (a, b) in enumerate(zip([1, 2], [3, 4])):
        x = x + a * b + i
    return x


case(lists_and_dicts, X)


def break_and_continue(x, n):
    i = paddle.zeros([], "int64")
    while i < n:
        i = i + 1
        if i == 2:
            continue
        if i > 5:
            break
        x = x + i
    return x, i


case(break_and_continue, (X, 0), (X, 2), (X, 9), specs=[[-1], []])


def return_from_a_loop(x, n):
    for i in range(n):
        x = x * 1.5
        if x.sum() > 20:
            return x
    return x - 1


case(return_from_a_loop, (X, 2), (X, 8), specs=[[-1], []])


def return_from_two_loops(x, n):
    i = paddle.zeros([], "int64")
    while i < n:
        for j in range(i):
            x = x + j
            if x.max() > 12:
                return x * 100
        i = i + 1
    return x


case(return_from_two_loops, (X, 2), (X, 8), specs=[[-1], []])


def loop_with_else(x, n):
    for i in range(n):
        if i == 5:
            break
        x = x + 1
    else:
        x = x * 10
    return x


case(loop_with_else, (X, 0), (X, 9), specs=[[-1], []])


def first_bound_in_a_loop(x, n):
    for i in range(n):
        y = x * i
        last = y + 1
    return last, i


case(first_bound_in_a_loop, (X, 1), (X, 3), specs=[[-1], []])


def first_bound_in_a_while(x, n):
    i = paddle.zeros([], "int64")
    while i < n:
        y = x * 2
        if y.sum() > 1:
            z = y + i
        else:
            z = y - i
        i = i + 1
    return y + z


case(first_bound_in_a_while, (X, 3), specs=[[-1], []])


def temporary_in_a_loop(x, n):
    for i in range(n):
        t = x * 2
        x = t - i
    return x


case(temporary_in_a_loop, (X, 3), (X, 0), specs=[[-1], []])


def nested_loops(x, n):
    for i in range(n):
        j = paddle.zeros([], "int64")
        while j < 3:
            if j == i:
                x = x * 2
            j = j + 1
    return x


case(nested_loops, (X, 2), specs=[[-1], []])


def plain_loop_with_a_tensor_break(x):
    for k in range(5):
        if x.sum() > 10:
            break
        x = x * 2
    return x, k


case(plain_loop_with_a_tensor_break, X, Y)


def data_dependent_trip_count(x):
    n = 0
    while x.norm() < 100:
        x = x * 1.7
        n = n + 1
    return x, n


case(data_dependent_trip_count, X)


def python_number_as_state(x, n):
    count, scale = 0, 1.0
    for i in range(n):
        count += 1
        scale = scale * 0.5
    return x * scale + count


case(python_number_as_state, (X, 4), (X, 0), specs=[[-1], []])


def dict_and_tuple_state(x, n):
    state = {"h": x, "c": (x * 0, 1.0)}
    for i in range(n):
        h, (c, k) = state["h"], state["c"]
        c = c + h * k
        state["h"] = paddle.tanh(c)
        state["c"] = (c, k * 0.5)
    return state["h"], state["c"][0], state["c"][1]


case(dict_and_tuple_state, (X, 3), specs=[[-1], []])


def growing_tensor(x, n):
    out = x
    for i in range(n):
        out = paddle.concat([out, x * i])
    return out


case(growing_tensor, (X, 3), specs=[[-1], []])


def truth_of_a_tensor(x, n):
    while n:
        x = x + n
        n = n - 1
    return x


case(truth_of_a_tensor, (X, 3), specs=[[-1], []])


def walrus_in_a_loop_test(x, n):
    while (s := x.sum()) < 50:
        x = x * 2
    return x - s


case(walrus_in_a_loop_test, (X, 4), specs=[[-1], []])


def generator_over_constants(x, n):
    def scales():
        for k in (1.0, 2.0):
            yield k
        yield 3.0

    for k in scales():
        x = x * k
    return x + sum(x.mean() * k for k in (1, 2))


case(generator_over_constants, (X, 3), specs=[[-1], []])


def generator_with_a_branch(x, n):
    def steps(v):
        for k in (1.0, 2.0):
            v = v * k
            if v.sum() > 5:
                v = v - 1
            yield v

    total = x
    for v in steps(x):
        total = total + v
    return total


case(generator_with_a_branch, (X, 3), specs=[[-1], []])


def comprehension_over_rows(x, n):
    return paddle.stack([row * 2 for row in [x[0], x[1]]]) + n


case(comprehension_over_rows, ([[1.0, 2.0], [3.0, 4.0]], 0), specs=[[-1, 2], []])


def known_rows(x, n):
    parts = [v * i for i, v in enumerate(x)]
    return sum(parts) + len(x) + n


case(known_rows, (X, 3), specs=[[3], []])


def sums_by_group(x):
    total = paddle.zeros([2, 3])
    count = paddle.zeros([2])
    for i, row in enumerate(x):
        total[i % 2] = total[i % 2] + row
        count[i % 2] += 1
    return total * total / count.unsqueeze(-1).clip(min=1.0)


case(sums_by_group, [[1.0, 2.0, 3.0], [0.5, 0.25, -1.0], [2.0, 1.0, 1.0]])


def members(x):
    total = x.sum(0) * 0
    for i in range(len(x)):
        if i in (0, 2) and i not in [2]:
            total = total + x[i] * 2
        else:
            total = total + x[i]
    return total


case(members, [[1.0, 2.0, 3.0], [0.5, 0.25, -1.0], [2.0, 1.0, 1.0]])
