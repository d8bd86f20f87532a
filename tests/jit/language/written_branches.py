"""`if`, conditional expressions, logic, comparisons, early returns and what branches leave behind."""

from framework import case, paddle

POSITIVE, NEGATIVE, MIXED, LARGE = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 4.0], [11.0, 12.0, 13.0]


def if_elif_else(x):
    if x.mean() > 10:
        y = x * 3
    elif x.mean() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


case(if_elif_else, POSITIVE, NEGATIVE, LARGE)


def ternary(x):
    scale = 2.0 if x.sum() > 0 else -0.5
    return (x * scale) if x.max() > -5 else x


case(ternary, POSITIVE, NEGATIVE)


def logic(x):
    if x.mean() > 0 and x.max() < 10 and not x.min() < 0:
        return x * 2
    if x.min() < -2.5 or x.max() > 12:
        return x * x
    return x


case(logic, POSITIVE, NEGATIVE, MIXED, LARGE)


def chained_comparison(x):
    if 0 < x.mean() < 5:
        return x * 4
    return x if -5 <= x.sum() else x / 2


case(chained_comparison, POSITIVE, NEGATIVE, LARGE)


def returns_at_any_depth(x):
    if x.sum() > 0:
        if x.min() > 0:
            if x.max() > 10:
                return x - 10, x.max()
            return x, x.max()
        x = x * 2
    elif x.max() < 0:
        return -x, x.min()
    y = x + 1
    return y, y.sum()


case(returns_at_any_depth, POSITIVE, MIXED, NEGATIVE, LARGE)


def created_in_both_branches(x):
    if x.sum() > 0:
        y = x * 2
        z = y + 1
    else:
        y = x - 1
        z = y * y
    return y + z


case(created_in_both_branches, POSITIVE, NEGATIVE)


def used_in_the_branch_alone(x):
    if x.sum() > 0:
        only_here = x * 5
        x = only_here - 1
    return x


case(used_in_the_branch_alone, POSITIVE, NEGATIVE)


def used_under_the_same_condition(x):
    positive = x.sum() > 0
    if positive:
        factor = x * 5
    if positive:
        x = factor - 1
    return x


case(used_under_the_same_condition, POSITIVE, NEGATIVE)


def plain_conditions(x):
    mode = "train"
    if mode == "train" and isinstance(x, paddle.Tensor):
        x = x + 1
    return x if mode is not None else None


case(plain_conditions, POSITIVE, NEGATIVE)


def dict_entry_in_one_branch(x):
    held = {"y": x, "z": 1.0}
    if x.sum() > 0:
        held["y"] = x * 3
        held["z"] = 2.0
    return held["y"] * held["z"]


case(dict_entry_in_one_branch, POSITIVE, NEGATIVE)


def new_dict_entry(x):
    held = {}
    if x.sum() > 0:
        held["y"] = x * 3
    else:
        held["y"] = x - 3
    return held["y"]


case(new_dict_entry, POSITIVE, NEGATIVE)


def tuple_and_swap(x):
    a, b = x, x * 2
    if x.sum() > 0:
        a, b = b, a
    pair = (a, b)
    return pair[0] - 3 * pair[1]


case(tuple_and_swap, POSITIVE, NEGATIVE)


def walrus_in_a_test(x):
    if (s := x.sum()) > 0:
        return x * s
    return x - s


case(walrus_in_a_test, POSITIVE, NEGATIVE)


def walrus_in_logic(x):
    if x.max() > -2 and (m := x.mean()) < 3:
        return x * m
    return x


case(walrus_in_logic, POSITIVE, NEGATIVE)


def boolean_values(x):
    flag = x.sum() > 0
    other = not flag
    both = flag and x.min() > 0
    if both or other:
        x = x * 2
    return x, flag, both


case(boolean_values, POSITIVE, NEGATIVE, MIXED)


def nested_branches(x):
    y = x
    if x.sum() > 0:
        if x.max() > 2.5:
            y = y * 2
        else:
            y = y * 3
        z = y + 1
    else:
        z = y - 1
        if x.min() < -2.5:
            z = z * z
    return z


case(nested_branches, POSITIVE, NEGATIVE)


def matching(x):
    for mode in ("double", ("shift", 2.0), {"scale": 3.0}, None):
        match mode:
            case "double":
                if x.sum() > 0:
                    x = x * 2
            case (_, by):
                x = x + by
            case {"scale": by}:
                x = x * by
            case _:
                x = x - 1
    return x


case(matching, POSITIVE, NEGATIVE)


def matching_a_tensor(x):
    match x.sum() > 0:
        case True:
            return x * 2
        case _:
            return x - 1


case(matching_a_tensor, POSITIVE, NEGATIVE)


def builtins_of_tensors(x):
    a, b = x.sum(), x.max()
    largest, smallest = max(a, b), min(a, b, 0.5)
    positive = any([a > 0, b > 3]), all([a > 0, b > 0])
    total = sum([a, b, 1.0])
    y = x * largest + smallest + total
    if positive[0]:
        y = y + 1
    if positive[1]:
        y = y + 2
    return y, round(2.6)


def absolute(x):
    return x * abs(x.sum()) if abs(x.min()) > 1.5 else x


case(absolute, POSITIVE, NEGATIVE, MIXED)
case(builtins_of_tensors, POSITIVE, NEGATIVE, MIXED)


def only_some_paths_of_a_with_return(x):
    with paddle.no_grad():
        s = x.sum()
        if s > 0:
            return x * 2
    return x - 1


case(only_some_paths_of_a_with_return, POSITIVE, NEGATIVE)


def only_some_paths_of_a_try_return(x):
    try:
        if x.sum() > 0:
            return x * 2
        y = x - 1
    finally:
        z = x * 0
    return y + z


case(only_some_paths_of_a_try_return, POSITIVE, NEGATIVE)


def assertion(x):
    assert x.sum() < 1000, "too large"
    return x * 2


case(assertion, POSITIVE, NEGATIVE)


def conversions(x):
    n = int(x.sum())
    f = float(n) * 2.0
    return x * f, n, bool(n > 0)


case(conversions, POSITIVE, NEGATIVE)
