"""Which process keeps the optimizer's state of which parameter: each has about as many elements as any other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Partition:
    """The parameters divided among `size` processes, each whole, the largest first to whoever has least.

    All processes make the same division of the same parameters. `sizes`: how many elements each has.

    >>> import proa as paddle
    >>> from proa.distributed.sharding.partition import Partition
    >>> partition = Partition([paddle.zeros([n]) for n in (3, 5, 2)], 2)
    >>> partition.sizes
    [5, 5]
    """

    def __init__(self, parameters: Sequence[Any], size: int):
        self.parameters = list(parameters)
        self.sizes = [0] * size
        self.owners: dict[int, int] = {}
        """Whose a parameter is, by its id."""
        for parameter in sorted(self.parameters, key=_elements, reverse=True):
            owner = min(range(size), key=self.sizes.__getitem__)
            self.owners[id(parameter)] = owner
            self.sizes[owner] += _elements(parameter)
        self._by_name = {parameter.name: self.owners[id(parameter)] for parameter in self.parameters}

    def owner(self, parameter: Any) -> int:
        """Whose a parameter is, by the parameter or its name."""
        return self._by_name[parameter] if isinstance(parameter, str) else self.owners[id(parameter)]

    def of(self, owner: int) -> list[Any]:
        """The parameters of one process, in the order of all."""
        return [parameter for parameter in self.parameters if self.owners[id(parameter)] == owner]


def _elements(parameter: Any) -> int:
    return math.prod(parameter.shape)
