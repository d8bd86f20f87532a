"""Lists: of fixed length, and those that grow and shrink in loops whose length a tensor decides."""

from framework import case, paddle

X = [1.0, 2.0, 3.0]
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def append_and_stack(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return paddle.stack(out)


case(append_and_stack, (X, 1), (X, 4), specs=[[3], []])


def append_in_a_while(x, n):
    out = []
    i = paddle.zeros([], "int64")
    while i < n:
        x = x * 1.5
        out.append(x)
        i = i + 1
    return paddle.concat(out, axis=0)


case(append_in_a_while, (X, 1), (X, 4), specs=[[3], []])


def recurrence(rows):
    h = paddle.zeros([2])
    states = []
    for row in rows:
        h = paddle.tanh(row * 0.1 + h)
        states.append(h)
    return paddle.stack(states, axis=1), h


case(recurrence, ROWS, specs=[[-1, 2]])


def length_and_index(x, n):
    out = [x]
    for i in range(n):
        out.append(out[i] * 2)
    return out[0] + out[-1] + out[n], len(out)


case(length_and_index, (X, 4), specs=[[3], []])


def pop_in_a_loop(x, n):
    out = [x]
    last = x
    for i in range(n):
        out.append(x * i)
        if i > 2:
            last = out.pop()
    return paddle.stack(out) + last, len(out)


case(pop_in_a_loop, (X, 3), (X, 4), (X, 6), specs=[[3], []])


def pop_behind_a_loop(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    a = out.pop()
    b = out.pop(0)
    return paddle.stack(out), a, b


case(pop_behind_a_loop, (X, 5), specs=[[3], []])


def assign_an_item(x, n):
    out = []
    for i in range(n):
        out.append(x)
    out[1] = x * 5
    for i in range(n - 1):
        out[i] = out[i] + out[i + 1]
    return paddle.stack(out)


case(assign_an_item, (X, 4), specs=[[3], []])


def loop_over_a_grown_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    total = x
    for v in out:
        total = total * 0.5 + v
    for i, v in enumerate(out):
        total = total + v * i
    return total


case(loop_over_a_grown_list, (X, 3), specs=[[3], []])


def append_under_a_condition(x, n):
    out = [x]
    for i in range(n):
        if i % 2 == 0:
            out.append(x * i)
    return paddle.stack(out), len(out)


case(append_under_a_condition, (X, 0), (X, 5), specs=[[3], []])


def append_in_one_branch(x, n):
    out = [x]
    if n > 3:
        out.append(x * 2)
    if len(out) > 1:
        x = x + 100
    return paddle.concat(out), x


case(append_in_one_branch, (X, 1), (X, 5), specs=[[3], []])


def two_lists_and_a_dict(x, n):
    a, held = [], {"b": [], "k": 2.0}
    for i in range(n):
        a.append(x * i)
        if i > 1:
            held["b"].append(a[-1] * held["k"])
    return paddle.stack(a), paddle.stack(held["b"])


case(two_lists_and_a_dict, (X, 4), specs=[[3], []])


def nested_growing(x, n):
    out = []
    for i in range(n):
        for j in range(i):
            out.append(x * j + i)
    return paddle.stack(out), len(out)


case(nested_growing, (X, 3), specs=[[3], []])


def rebuilt_by_addition(x, n):
    out = [x]
    for i in range(n):
        out = out + [x * i]
        out += [x - i]
    return paddle.stack(out)


case(rebuilt_by_addition, (X, 3), specs=[[3], []])


def break_from_a_growing_loop(x, n):
    out = []
    for i in range(n):
        x = x * 2
        out.append(x)
        if x.sum() > 100:
            break
    return paddle.stack(out).sum(0), len(out)


case(break_from_a_growing_loop, (X, 6), (X, 9), specs=[[3], []])


def sizes_that_differ(x, n):
    out = []
    piece = x
    for i in range(n):
        out.append(piece)
        piece = paddle.concat([piece, x])
    return paddle.concat(out)


case(sizes_that_differ, (X, 3), specs=[[3], []])


def numbers(x, n):
    seen = []
    for i in range(n):
        seen.append(i * 2)
    return x + paddle.stack(seen).sum()


case(numbers, (X, 3), specs=[[3], []])


def fixed_length(x, n):
    out = []
    for i in range(3):
        out.append(x * i)
    out.pop()
    out.extend([x, x + n])
    out.insert(0, x * 7)
    return paddle.stack(out), len(out)


case(fixed_length, (X, 0), specs=[[3], []])


def slices(x, n):
    y = x * 1.0
    y[0] = y[1] * 2
    y[1:, 0] = 5.0
    for i in range(n):
        y[i] = y[i] + 1
    return y[1:], y[:, 1], y[n], y[..., -1]


case(slices, (ROWS, 2), (ROWS, 0), specs=[[3, 2], []])


def slices_by_tensors(x, n):
    return x[:n], x[n:], x[n - 1]


case(slices_by_tensors, (ROWS, 2), (ROWS, 1), specs=[[-1, 2], []])


def parts_of_a_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    head, tail, last = out[:2], out[2:], out[-2:]
    out.insert(1, x * 10)
    out.extend(tail)
    return paddle.stack(head), paddle.stack(last), paddle.stack(out), len(tail)


case(parts_of_a_list, (X, 3), (X, 5), specs=[[3], []])


def emptied(x, n):
    stack = [x]
    for i in range(n):
        stack.append(x * i)
    total = x * 0
    while stack:
        total = total * 2 + stack.pop()
    if not stack:
        total = total + 1
    return total


case(emptied, (X, 0), (X, 3), specs=[[3], []])


def index_of_a_fixed_list(x, n):
    table = [x, x * 2, x * 3]
    scales = (1.0, 0.5, 0.25)
    return table[n] * scales[n]


case(index_of_a_fixed_list, (X, 0), (X, 2), specs=[[3], []])


def copies(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    other = list(out)
    other.append(x * 100)
    return paddle.stack(out), paddle.stack(other), isinstance(out, list)


case(copies, (X, 2), specs=[[3], []])


def backwards(x):
    steps = []
    for row in x:
        steps.append(row * 2)
    best = steps[-1]
    path = [best]
    for step in reversed(steps):
        best = best * 0.5 + step
        path.append(best)
    return paddle.stack(path[::-1]), paddle.stack(path[::2])


case(backwards, [[1.0, 2.0, 3.0], [0.5, 0.25, -1.0]])
