"""A parameter server's Programs: `listen_and_serv` with a block for each update, and what the values begin with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...static.format.attributes import BlockList
from .. import framework
from .blocks import Part
from .updates import Update

SYNC, ASYNC, HALF_ASYNC, GEO = range(4)
"""The numbers of the modes, in the attribute `distributed_mode`."""

_PREPARED = ("recv", "fetch_barrier", "concat", "fake_init")  # of a trainer's startup Program


class Server:
    """Writes the Programs of one server out of a Program's updates.

    `mode`, `trainers`: how many send, and how; `suffixed`: whether the gradient of each trainer has a variable.
    """

    def __init__(self, origin: Any, endpoint: str, mode: int, trainers: int, suffixed: bool):
        self.origin, self.home, self.endpoint = origin, origin.global_block(), endpoint
        self.mode, self.trainers, self.suffixed = mode, trainers, suffixed
        self.program = framework.Program()
        self.program.random_seed = origin.random_seed
        self.block = self.program.global_block()
        self.blocks: list[Any] = []
        self.of_gradients: list[str] = []  # GRADIENT:BLOCK
        self.of_rows: list[str] = []  # GRADIENT:PARAMETER, of such as hold some rows alone
        self.inputs: list[Any] = []
        self.schedule = -1
        self.tables: dict[str, dict[str, Any]] = {}
        self.sliced: dict[str, Part] = {}  # by the name of a variable here: the part that it is of one there
        self.origin_of: dict[str, str] = {}
        self.places: dict[str, tuple[str, int]] = {}  # which variable each is a part of, and its first row there
        self.zeros: list[str] = []  # variables that begin with 0
        self.copies: dict[str, str] = {}  # variables that begin with the value of another one here
        self.held: dict[str, int] = {}  # how many parts of a parameter lie here

    def declare(self, parts: Sequence[Part], types: dict[str, Any]) -> None:
        """The variables of the parameters and of their gradients."""
        for part in parts:
            self.held[part.parameter] = self.held.get(part.parameter, 0) + 1
            whole = self.home.var(part.parameter)
            self._keep(part.name, whole, part.shape)
            self._slice(part.name, part.parameter, part)
            self.places[part.name] = part.parameter, part.begin
        if self.mode == GEO:
            return
        for part in parts:
            dtype, kind = self.home.var(part.parameter).dtype, types[part.parameter]
            merged = self.block.new_var(name=part.gradient, shape=part.shape, dtype=dtype, type=kind,
                                        persistable=True, stop_gradient=True)
            each = [self.block.new_var(name=name, shape=part.shape, dtype=dtype, type=kind, persistable=False,
                                       stop_gradient=True) for name in self._of_trainers(part.gradient)]
            self.inputs += each or [merged]

    def _of_trainers(self, gradient: str) -> list[str]:
        return [f"{gradient}.trainer_{number}" for number in range(self.trainers)] if self.suffixed else []

    def _keep(self, name: str, like: Any, shape: Sequence[int]) -> Any:
        return self.block.new_var(name=name, shape=tuple(shape), dtype=like.dtype, type=like.type,
                                  lod_level=like.lod_level, persistable=True, stop_gradient=True)

    def _slice(self, name: str, origin: str, part: Part) -> None:
        self.origin_of[name] = origin
        if not part.is_whole:
            self.sliced[name] = part

    # Blocks

    def add_schedules(self, ops: Sequence[Any], rates: Iterable[str], counter: tuple[str, list[str]] | None) -> None:
        """A block of the schedules of learning rates, which make `rates`.

        `counter`: a variable that counts steps, and those that trainers count in where they wait for nobody.
        """
        if not ops:
            return
        block = self._block()
        self.schedule = block.idx
        for name in rates:  # other blocks read them
            self._keep(name, self.home.var(name), self.home.var(name).shape)
        for op in ops:
            if counter is not None and counter[0] in op.output_arg_names:
                like = self.home.var(counter[0])
                self._keep(counter[0], like, like.shape)
                counts = [self._keep(name, like, like.shape) for name in counter[1]]
                self.origin_of |= {counter[0]: counter[0], counts[0].name: counter[0]}  # the others begin with 0
                self.zeros = [count.name for count in counts[1:]]
                block.append_op(type="sum", inputs={"X": counts}, outputs={"Out": counter[0]}, attrs=self._role(op))
                self.of_gradients += [f"{name}:{block.idx}" for name in counter[1]]
            else:
                self._copy(block, op, {})
                self.origin_of |= {name: name for name in op.output_arg_names if name not in rates
                                   and (var := self.home.vars.get(name)) is not None and var.persistable}

    def _role(self, op: Any) -> dict[str, Any]:
        return {"op_role": op.attr("op_role")}

    def _block(self) -> Any:
        block = self.program._create_block(self.blocks[-1].idx if self.blocks else 0)
        self.blocks.append(block)
        return block

    def add_update(self, update: Update, part: Part, holds_rows: bool, dc_asgd: bool = False) -> None:
        """A block that puts the gradients of a part together and updates it."""
        block = self._block()
        self.of_gradients.append(f"{part.gradient}:{block.idx}")
        if holds_rows:
            self.of_rows.append(f"{part.gradient}:{part.name}")
        each = self._of_trainers(part.gradient)
        if each:
            block.append_op(type="sum", inputs={"X": each}, outputs={"Out": part.gradient},
                            attrs={"op_role": update.op.attr("op_role")})
            block.append_op(type="scale", inputs={"X": part.gradient}, outputs={"Out": part.gradient},
                            attrs={"scale": 1.0 / self.trainers, "op_role": update.op.attr("op_role")})
        gradient = self._compensated(block, part) if dc_asgd else part.gradient
        names = {update.parameter: part.name, update.gradient: gradient}
        for op in update.ops:
            for name in op.input_arg_names:
                self._state(name, update, part, names)
            self._copy(block, op, names, part)

    def _state(self, name: str, update: Update, part: Part, names: dict[str, str]) -> None:
        """The variable of an accumulator, cut as its parameter is."""
        var = self.home.find_var(name)
        if name in names or var is None or not var.persistable or name in update.op.input("LearningRate"):
            return
        whole = self.home.var(update.parameter)
        cut = not part.is_whole and var.shape == whole.shape
        alone = self.held[part.parameter] == 1
        names[name] = name if alone else f"{name}.block{part.number}"
        self._keep(names[name], var, part.shape if cut else var.shape)
        self.origin_of[names[name]] = name
        self.places[names[name]] = name, part.begin if cut else 0
        if cut:
            self.sliced[names[name]] = part

    def _compensated(self, block: Any, part: Part) -> str:
        """The gradient with g·g·(w - w') added, w' being what the trainer had: delay compensation (DC-ASGD)."""
        like, var = self.block.var(part.name), block.create_var
        kept = [self._keep(f"{part.name}.trainer_{n}_bak", like, like.shape).name for n in range(self.trainers)]
        for number, name in enumerate(kept):
            self.copies[name] = part.name
            self.places[name] = f"{part.parameter}.trainer_{number}_bak", part.begin
        trainer = block.new_var(name="@TRAINER_ID@", shape=[1], dtype="int64", stop_gradient=True)
        old = var(name=f"{part.name}.local_bak", shape=like.shape, dtype=like.dtype, stop_gradient=True)
        block.append_op(type="ref_by_trainer_id", inputs={"X": kept, "TrainerId": trainer}, outputs={"Out": old})
        value = part.name
        steps = [("elementwise_sub", value, old.name), ("elementwise_mul", None, part.gradient),
                 ("elementwise_mul", None, part.gradient), ("elementwise_add", part.gradient, None)]
        for type, x, y in steps:
            made = var(name=framework.unique_name.generate("tmp_dc_output"), shape=like.shape, dtype=like.dtype,
                       stop_gradient=True)
            block.append_op(type=type, inputs={"X": x or value, "Y": y or value}, outputs={"Out": made})
            value = made.name
        return value

    def _copy(self, block: Any, op: Any, names: dict[str, str], part: Part | None = None) -> None:
        """An operation in a block, over these names; its variables are made where they are not there."""
        for name in (*op.input_arg_names, *op.output_arg_names):
            here = names.get(name, name)
            if block.find_var(here) is None:
                var = self.home.var(name)
                cut = part is not None and not part.is_whole and var.shape == self.home.var(part.parameter).shape
                if var.persistable:
                    self._keep(here, var, var.shape)
                else:
                    self.block.new_var(name=here, shape=part.shape if cut and part else var.shape, dtype=var._dtype,
                                       type=var.type, stop_gradient=True)
        sub = op.attrs.get("sub_block")
        attrs = {key: value for key, value in op.attrs.items() if key != "sub_block"}
        if sub is not None:
            attrs["sub_block"] = self._copied_block(self.origin.blocks[sub], block).idx
        block.append(op.type, {slot: [names.get(n, n) for n in given] for slot, given in op.inputs.items()},
                     {slot: [names.get(n, n) for n in given] for slot, given in op.outputs.items()}, attrs, op.source)

    def _copied_block(self, block: Any, parent: Any) -> Any:
        made = self.program._create_block(parent.idx)
        for var in block.vars.values():
            made._clone_variable(var, force_persistable=False)
        for op in block.ops:
            self._copy(made, op, {})
        return made

    def add_delta(self, part: Part, holds_rows: bool) -> None:
        """A block that adds to a part what trainers send of it."""
        block = self._block()
        like = self.block.var(part.name)
        delta = self.block.new_var(name=f"{part.name}.delta", shape=like.shape, dtype=like.dtype, stop_gradient=True)
        block.append_op(type="sum", inputs={"X": [like, delta]}, outputs={"Out": like})
        self.of_gradients.append(f"{delta.name}:{block.idx}")
        if holds_rows:
            self.of_rows.append(f"{delta.name}:{part.name}")

    def add_table(self, update: Update) -> None:
        """A table whose rows are made when they are asked for, with the rule that updates them.

        What lies between a gradient and the update is done with the rows that have one, as the update is.
        """
        var = self.home.var(update.parameter)
        before, rates = update.leading_to("Grad"), update.leading_to("LearningRate")
        powers = update.leading_to(*(slot for slot in update.op.input_names if slot.endswith("Pow")))
        known = {id(op) for op in (update.op, *before, *rates, *powers)}
        others = [op.type for op in update.ops if id(op) not in known]
        if others:
            raise NotImplementedError(f"DistributeTranspiler: the update of {update.parameter!r}, whose rows live on "
                                      f"servers alone, needs {', '.join(others)} beside {update.op.type}, which no "
                                      "server does for rows. Use another optimizer, or is_sparse=True alone.")
        made = {name for op in rates for name in op.output_arg_names}
        for rate in {*update.op.input("LearningRate"), *(name for op in rates for name in op.input_arg_names)} - made:
            if self.block.find_var(rate) is None:
                self._keep(rate, self.home.var(rate), self.home.var(rate).shape)
        self.tables[update.parameter] = {
            "shape": list(var.shape), "dtype": var.dtype.name, "rule": update.op.type,
            "attrs": {key: value for key, value in update.op.attrs.items() if not key.startswith("op_")},
            "parameter": update.parameter, "gradient": update.gradient,
            "takes": (update.op.input("Grad")[0], update.op.input("LearningRate")[0]),
            "before": [_described(op) for op in before], "rates": [_described(op) for op in rates],
            "state": {slot: names[0] for slot, names in update.op.inputs.items()
                      if names and slot not in ("Param", "Grad", "LearningRate") and not slot.endswith("Pow")}}

    def parts(self) -> dict[str, tuple[str, int]]:
        """What each variable is a part of, whatever number the part has, and which row is its first there."""
        return {name: self.places.get(name, (name, 0)) for name in self.block.vars}

    def finish(self, number: int, **attrs: Any) -> Any:
        """The Program, with the operation that serves."""
        self.program._roll_to_global_block()
        if not self.blocks:
            self._block()
            self.program._roll_to_global_block()
        self.block.append_op(type="listen_and_serv", inputs={"X": self.inputs}, outputs={}, attrs={
            "endpoint": self.endpoint, "pserver_id": number, "Fanin": self.trainers, "distributed_mode": self.mode,
            "grad_to_block_id": self.of_gradients, "sparse_grad_to_param": self.of_rows,
            "lr_decay_block_id": self.schedule, **attrs})
        self.block.ops[-1].attrs["optimize_blocks"] = BlockList(block.idx for block in self.blocks)
        return self.program

    # What the values begin with

    def startup(self, original: Any) -> Any:
        """The startup Program: of what lies here, what the original one begins with, cut as it lies here."""
        made = framework.Program()
        made.random_seed = original.random_seed
        block, source = made.global_block(), original.global_block()
        for name, var in self.block.vars.items():
            block.new_var(name=name, shape=var.shape, dtype=var._dtype, type=var.type, lod_level=var.lod_level,
                          persistable=var.persistable, stop_gradient=True)
        wanted: dict[str, list[str]] = {}
        for here, there in {**{name: name for name in self.block.vars}, **self.origin_of}.items():
            wanted.setdefault(there, []).append(here)
        for op in source.ops:
            if op.type in _PREPARED:
                continue
            for name in op.output_arg_names:
                for here in wanted.get(name, ()):
                    self._begin(block, source, op, name, here)
        for name in self.zeros:
            block.append_op(type="fill_constant", inputs={}, outputs={"Out": name}, attrs={
                "shape": list(block.var(name).shape), "dtype": block.var(name).dtype, "value": 0.0})
        for name, other in self.copies.items():
            block.append_op(type="assign", inputs={"X": other}, outputs={"Out": name})
        return made

    def _begin(self, block: Any, source: Any, op: Any, name: str, here: str) -> None:
        """What fills a variable: an operation that is told a shape alone, or the part of all that the original has."""
        part = self.sliced.get(here)
        outputs = {slot: [here] for slot, names in op.outputs.items() if name in names}
        if part is None:
            self._clone_ways(block, source, op)
            block.append(op.type, op.inputs, outputs, dict(op.attrs), op.source)
        elif "shape" in op.attrs and "values" not in op.attrs and not op.input_arg_names:
            block.append(op.type, {}, outputs, {**op.attrs, "shape": list(part.shape)}, op.source)
        else:
            self._clone_ways(block, source, op)
            like = source.var(name)
            whole = block.new_var(name=f"{here}.whole", shape=like.shape, dtype=like.dtype, stop_gradient=True)
            block.append(op.type, op.inputs, {slot: [whole.name] for slot in outputs}, dict(op.attrs), op.source)
            block.append_op(type="slice", inputs={"Input": whole}, outputs={"Out": here}, attrs={
                "axes": [0], "starts": [part.begin], "ends": [part.begin + part.shape[0]], "decrease_axis": []})

    def _clone_ways(self, block: Any, source: Any, op: Any) -> None:
        """What makes the inputs of an operation of the startup Program."""
        for name in op.input_arg_names:
            if not block.has_var(name):
                var = source.var(name)
                block.new_var(name=name, shape=var.shape, dtype=var.dtype, type=var.type, stop_gradient=True)
                for maker in source.ops:
                    if name in maker.output_arg_names:
                        self._clone_ways(block, source, maker)
                        block.append(maker.type, maker.inputs, maker.outputs, dict(maker.attrs), maker.source)


def _described(op: Any) -> tuple[str, dict[str, list[str]], dict[str, list[str]], dict[str, Any]]:
    return op.type, dict(op.inputs), dict(op.outputs), dict(op.attrs)
