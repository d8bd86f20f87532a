"""What a call's arguments are drawn with: tensors, shapes, axes in every form; and the table of functions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Shape = list[int]
FUNCTIONS: dict[str, Callable[[Call], str]] = {}


def function(name: str) -> Callable[[Callable[[Call], str]], Callable[[Call], str]]:
    """Declares what writes a random call of a function."""
    def declared(write: Callable[[Call], str]) -> Callable[[Call], str]:
        FUNCTIONS[name] = write
        return write
    return declared


class Call:
    """The tensors that a call is given, as source, and the random numbers that its arguments come of."""

    def __init__(self, random: Random):
        self.random, self.given = random, list[str]()

    def x(self, shape: Shape, like: str = "drawn({n}, {shape})") -> str:
        """A tensor of floats that wants a gradient."""
        made = like.format(n=len(self.given), shape=shape)
        return self._held(f"paddle.to_tensor(({made}).astype(D), stop_gradient=False)")

    def positive(self, shape: Shape) -> str:
        return self.x(shape, "abs(drawn({n}, {shape})) + 0.3")

    def matrix(self, shape: Shape) -> str:
        """Square matrices that are far from singular."""
        return self.x(shape, "drawn({n}, {shape}) * 0.4 + 3.0 * np.eye(" + str(shape[-1]) + ")")

    def ints(self, shape: Shape, below: int, dtype: str = "int64") -> str:
        numbers = [self.random.randrange(below) for _ in range(_product(shape))]
        return self._held(f"paddle.to_tensor(np.array({numbers}, {dtype!r}).reshape({shape}))")

    def bools(self, shape: Shape) -> str:
        return self._held(f"paddle.to_tensor(np.asarray(drawn({len(self.given)}, {shape}) > 0.0))")

    def _held(self, made: str) -> str:
        self.given.append(made)
        return f"x{len(self.given) - 1}"

    def choice(self, *values: object) -> str:
        return str(self.random.choice(values))

    def below(self, *bounds: int) -> int:
        return self.random.randrange(*bounds)

    def shape(self, least: int = 0, most: int = 4) -> Shape:
        return [self.random.choice((1, 2, 2, 3, 4)) for _ in range(self.below(least, most + 1))]

    def axis(self, rank: int) -> int:
        return self.below(-rank, rank) if rank else 0

    def axes(self, rank: int) -> list[int]:
        """Some different axes, of which some count from the end."""
        chosen = self.random.sample(range(rank), self.below(1, rank + 1))
        return [n - rank if self.random.random() < 0.3 else n for n in chosen]

    def over(self, rank: int) -> str:
        """What is reduced: all, an axis, or a list or tuple of them."""
        if rank == 0 or self.random.random() < 0.2:
            return "None"
        chosen = self.axes(rank)
        return self.choice(self.axis(rank), chosen, tuple(chosen))

    def pair(self, least: int = 0, most: int = 3) -> tuple[Shape, Shape]:
        """Two shapes that broadcast."""
        shape = self.shape(least, most)
        one, other = ([self.random.choice((1, n, n)) for n in shape] for _ in range(2))
        return one, other[self.below(0, len(other) + 1):] if least == 0 else other


def _product(shape: Shape) -> int:
    total = 1
    for size in shape:
        total *= size
    return total
