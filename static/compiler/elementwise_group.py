"""The operator that stands for a group of elementwise operators in a compiled Program: one loop, nothing in between.

It never gets into a file: only compiled plans hold it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backend.engines import LOOPS
from ...backend.loops.elementwise import ElementwiseLoop, is_known
from ...backend.threads import place_of_count
from ...core.dtype import from_numpy_dtype
from ...ops.core import native
from ...ops.core.kernels import by
from ...ops.core.operator import Operator, operator
from ...ops.core.spec import Spec


class Part(NamedTuple):
    """One operator of a group: its inputs by slot and its output, as numbers of the group's values."""

    operator: Operator
    inputs: tuple[Any, ...]
    output: int
    attrs: dict[str, Any]
    formula: str


class Group:
    """Elementwise operators run as one; values 0, 1, … are its inputs, then what its parts make.

    `outputs` are the values that leave the group, `specs` what is known of them.
    """

    def __init__(self, parts: Sequence[Part], outputs: Sequence[int], specs: Sequence[Spec]):
        self.parts, self.outputs, self.specs = tuple(parts), tuple(outputs), tuple(specs)
        self._loop: ElementwiseLoop | None = None
        self._line: Any = None  # what lines of plans call, where the compiled form is there

    def __reduce__(self) -> tuple:
        return Group, (self.parts, self.outputs, self.specs)  # a loop is made anew

    def __repr__(self) -> str:
        return " + ".join(part.operator.type for part in self.parts)

    def body(self) -> list[str]:
        """The group as statements of the language of loops."""
        numbers = {value: f"r{index}" for index, value in enumerate(self.outputs)}
        lines = [f"t{part.output} = {part.formula}" for part in self.parts]
        return [*lines, *(f"{name} = t{value}" for value, name in numbers.items())]

    def loop(self) -> ElementwiseLoop:
        """The group as a loop."""
        loop = self._loop
        if loop is None:
            loop = self._loop = ElementwiseLoop(self.body(), [spec.dtype.name for spec in self.specs], self._fits)
        return loop

    def by_loop(self, arrays: Sequence[Any]) -> Any:
        """The outputs by one loop; NotImplemented where it does not fit the arrays."""
        arrays = [a if type(a) is np.ndarray else np.asarray(a) for a in arrays]  # NumPy's numbers are none
        launch = self.loop().known(arrays)
        results = None if launch is None else launch(arrays)
        if results is None:
            return NotImplemented
        if self._line is not None and launch is not None and (code := launch.line(arrays)) is not None:
            self._line.add(arrays, results, code, launch.numbers)
        return results

    def line(self) -> Callable[..., Any] | None:
        """`by_loop`, by the compiled form for arrays that lie as some did before; None without that."""
        if self._line is None and native.module is not None:
            self._line = native.module.line_of_loops(self.by_loop, place_of_count())
        return self._line

    def _fits(self, arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> bool:
        """Whether each part gives a result of `shape` from these arrays: sizes not known before may say otherwise."""
        specs: list[Any] = [Spec(a.shape, from_numpy_dtype(a.dtype)) for a in arrays]
        for part in self.parts:
            inputs = tuple([specs[i] for i in slot] if type(slot) is tuple else None if slot is None else specs[slot]
                           for slot in part.inputs)
            specs.append(part.operator.infer_specs(inputs, part.attrs)[0])
        outputs = [specs[index] for index in self.outputs]
        return (all(is_known(a) for a in arrays) and all(s.shape == shape for s in specs[len(arrays):])
                and [s.dtype for s in outputs] == [s.dtype for s in self.specs])

    def one_by_one(self, xp: Any, arrays: Sequence[Any]) -> list[Any]:
        """The outputs by one operator after the other."""
        values: list[Any] = [*arrays, *[None] * len(self.parts)]
        for part in self.parts:
            inputs = [[values[i] for i in slot] if type(slot) is tuple else None if slot is None else values[slot]
                      for slot in part.inputs]
            values[part.output] = part.operator.kernel_for(xp)(xp, *inputs, **part.attrs)
        return [values[index] for index in self.outputs]


def _fused_elementwise(xp, x, *, group: Any):
    return group.one_by_one(xp, x)


def _by_loop(x, *, group):
    return group.by_loop(x)


def _taped(tape, x, *, group):
    return tape.elementwise(group.loop(), x)


fused_elementwise_op = operator("fused_elementwise", "X* -> Out*", kernel=_fused_elementwise,
                                engines=[by(LOOPS, _by_loop, line=lambda attrs: attrs["group"].line())], taped=_taped,
                                infer=lambda x, *, group: (list(group.specs),),
                                cost=lambda inputs, outputs, attrs: len(attrs["group"].parts) * math.prod(
                                    next((s for s in outputs[0]), ())))
