"""A module of the user's own, whose functions are converted when converted code calls them."""

from framework import paddle


def helper_of_another_module(v):
    """Converted on the way."""
    while v.sum() > 1:
        v = v * 0.5
    return deeper(v)


def deeper(v):
    """Called by the function above."""
    if v.max() > 0:
        return v - 1
    return v + 1


@paddle.jit.not_to_static
def held_back(v):
    """Called as it is."""
    while v.ndim > 5:
        v = v[0]
    return v * 3
