"""What the generated functions have beside tensors: objects with attributes, helpers that change their arguments."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import proa as paddle

Pair = namedtuple("Pair", "a b")


class Box:
    """An object with attributes, and methods that change them."""

    def __init__(self, t: Any, n: Any = 0):
        self.t, self.n, self.l = t, n, [t, t * 0.5]

    def bump(self, value: Any) -> None:
        self.t = self.t + value
        self.n += 1

    def put(self, value: Any) -> None:
        self.l[0] = value

    @property
    def doubled(self) -> Any:
        return self.t * 2

    def __enter__(self) -> Any:
        self.n += 1
        return self.t

    def __exit__(self, *_: Any) -> None:
        self.n -= 1


class Slim:
    """The same with slots."""

    __slots__ = ("t", "n", "l")

    def __init__(self, t: Any, n: Any = 0):
        self.t, self.n, self.l = t, n, [t, t * 0.5]

    bump, put = Box.bump, Box.put
    doubled = Box.doubled
    __enter__, __exit__ = Box.__enter__, Box.__exit__


@dataclass
class Data:
    """The same as a dataclass."""

    t: Any
    n: Any = 0

    def __post_init__(self) -> None:
        self.l = [self.t, self.t * 0.5]

    bump, put = Box.bump, Box.put
    doubled = Box.doubled
    __enter__, __exit__ = Box.__enter__, Box.__exit__


class Keeper:
    """Who holds a list under another name."""

    def __init__(self, items: Any):
        self.items = items

    def kept(self) -> Any:
        return self.items


def same(value: Any) -> Any:
    return value


def each_half(items: Any) -> Any:
    for item in items:
        yield item * 0.5


def set_first(items: Any, value: Any) -> None:
    items[0] = value


def set_key(mapping: Any, key: Any, value: Any) -> None:
    mapping[key] = value


def set_t(owner: Any, value: Any) -> Any:
    owner.t = value
    return owner


def grow(items: Any, value: Any) -> Any:
    items.append(value)
    return items


def halve_(tensor: Any) -> Any:
    tensor.scale_(0.5)
    return tensor


def first_of(items: Any, otherwise: Any) -> Any:
    for item in items:
        if item.sum() > 0:
            return item
    return otherwise


def relu_or_none(tensor: Any) -> Any:
    if tensor.sum() > 0.5:
        return tensor
    return None


def clipped(tensor: Any, least: Any = None) -> Any:
    if least is not None:
        tensor = paddle.maximum(tensor, least)
    return tensor.clip(-2.0, 2.0)


def need(holds: Any) -> None:
    if not holds:
        raise ValueError("needed")
