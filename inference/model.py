"""Model: what a Predictor and its clones share: a model's plans, and its parameters at a place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend
from ..backend.memory import usual_pages
from ..core.collection import staying
from ..core.forks import unforked
from ..core.place import Place
from ..ops.core.spec import Spec
from ..static.compiler.frozen_weight import FrozenWeight, array_of, may_be_frozen
from ..static.compiler.plan import Plan, kept_plan
from ..static.ir.misfits import misfits, tell
from ..static.run.lod_tensor import Lod, fitting
from .opened import Described, Opened

if TYPE_CHECKING:
    from ..static.ir.variable import Variable
    from .opening import Prepared, Source

Bound = tuple[Plan, list[Any], list[tuple[str, ...]]]
"""A plan, the parameters that it takes, and the names of its outputs' offsets."""


class UntoldSequencesError(ValueError):
    """A model uses `inputs` as sequences, and nobody has told where these begin."""

    def __init__(self, inputs: list[str]):
        super().__init__(f"The model uses its inputs {inputs} as sequences: tell with set_lod(offsets) where each "
                         "begins.")
        self.inputs = inputs


class Model:
    """A model that was opened, with its parameters at a place. `source` reads its Program, once that is needed."""

    def __init__(self, inputs: Sequence[Variable | Described], outputs: Sequence[Variable | Described],
                 parameters: dict[str, Any], place: Place, source: Callable[[], Source]):
        self.inputs, self.outputs = [v.name for v in inputs], [v.name for v in outputs]
        self.variables = {v.name: v for v in (*inputs, *outputs)}
        self.place, self.xp = place, backend.namespace_at(place)
        self._specs = {v.name: v.spec for v in inputs}
        self._values: dict[str, Any] = dict(parameters)  # with FrozenWeights where arrays wait in a file
        self._plans: dict[Any, Bound] = {}
        self._largest = 0  # of the inputs of runs, in elements
        self._source = source

    @functools.cached_property
    def source(self) -> Source:
        """The Program."""
        with unforked():
            return self._source()

    def take(self, opened: Opened) -> None:
        """Has the plan that was kept of the model run inputs of the sizes that its file says."""
        def again() -> Plan:
            return self.source.prepared(self.source.program, ()).plan

        plan = kept_plan(opened.form, again)
        self._plans[()] = plan, self._taken(plan, opened.taken), [() for _ in self.outputs]

    def prepare(self, prepared: Prepared) -> None:
        """Has a plan run inputs of the sizes that the model's file says."""
        self._plans[()] = self._bound(prepared)

    def _bound(self, prepared: Prepared) -> Bound:
        return prepared.plan, self._taken(prepared.plan, prepared.taken), prepared.lods

    def _taken(self, plan: Plan, names: Sequence[str]) -> list[Any]:
        """The parameters that a plan takes; ValueError where some are missing."""
        missing = [name for name in names if name not in self._values]
        unset = self.source.sequences_of(missing) if missing else []
        if unset:
            raise UntoldSequencesError(unset)
        if missing:
            raise ValueError(f"The model needs values for {missing}: neither inputs nor among its parameters.")
        packed = plan.form.packed if self.xp is np else ()
        return [self._placed(name, name in packed) for name in names]

    def _placed(self, name: str, is_packed: bool) -> Any:
        """A parameter as a plan takes it: of a weight that is packed at its first use no array is left then."""
        value = self._values[name]
        if type(value) is FrozenWeight and self.xp is np:
            return value if is_packed else value.array()
        value = backend.as_place(array_of(value), self.place)
        self._values[name] = value = FrozenWeight(value) if is_packed and may_be_frozen(value) else value
        return value

    def __call__(self, arrays: Sequence[Any], offsets: dict[str, Any]) -> list[tuple[Any, Lod]]:
        """The outputs' arrays, with their LoDs, of the inputs' and the offsets that are given with them.

        Other sizes than the file's, which the operators take, get a plan of their own.
        """
        given = [Spec(array.shape, spec.dtype) for array, spec in zip(arrays, self._specs.values(), strict=True)]
        others = misfits(self._specs, given)
        try:
            return self._run(arrays, offsets, given, others)
        except (ValueError, IndexError) as error:
            tell(error, "input", {name: spec.shape for name, spec in self._specs.items()},
                 {name: spec.shape for name, spec in zip(self._specs, given, strict=True) if name in others})
            raise

    def _run(self, arrays: Sequence[Any], offsets: dict[str, Any], given: list[Spec],
             others: dict[str, Spec]) -> list[tuple[Any, Lod]]:
        key = (*others.items(), *offsets)
        found = self._plans.get(key)
        if found is None:
            prepared = self.source.prepared_for(self._specs, given, [*offsets])
            found = self._plans[key] = self._bound(prepared)
        plan, parameters, lods = found
        values = [*arrays, *offsets.values(), *parameters]
        size = sum([array.size for array in arrays])
        if plan.has_run and size <= self._largest:
            results = plan(self.xp, values)
        else:
            with unforked(), staying(), usual_pages():  # routines, packed weights and memory, which stay
                results = plan(self.xp, values)
            self._largest = max(size, self._largest)
        count = len(self.outputs)
        names = dict.fromkeys(level for lod in lods for level in lod)
        made = {name: backend.to_numpy(a).tolist() for name, a in zip(names, results[count:], strict=False)}
        return [(self.xp.asarray(result), fitting([made[level] for level in lod], result))
                for result, lod in zip(results[:count], lods, strict=True)]

    def plan_for(self, shapes: Sequence[tuple[int, ...]]) -> Plan:
        """The plan of a run on inputs of these shapes."""
        given = {name: Spec(shape, spec.dtype) for shape, (name, spec) in zip(shapes, self._specs.items(), strict=True)}
        return self.source.plan_for(given)
