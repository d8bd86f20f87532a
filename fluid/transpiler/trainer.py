"""A trainer's Programs: what sends gradients, receives parameters and looks rows up, in place of the updates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from .blocks import Part
from .details import delete_ops, find_op_by_output_arg
from .updates import Update, readers_of

FORWARD, RPC, DIST = 0, 4, 8  # of the attribute op_role in files


def control_variable(block: Any) -> Any:
    """A variable that orders operations, and has no value of use."""
    return block.new_var(name=f"__control_var@{random.random()}", stop_gradient=True)


class Trainer:
    """Rewrites the Programs of a trainer.

    `runtime_split`: gradients go to `send` as they are, which cuts them, and `recv` joins parameters.
    """

    def __init__(self, program: Any, startup: Any, trainer_id: int, endpoints: Sequence[str], suffix: str = "",
                 runtime_split: bool = False):
        self.program, self.block, self.startup = program, program.global_block(), startup
        self.trainer_id, self.endpoints, self.suffix = trainer_id, list(endpoints), suffix
        self.runtime_split = runtime_split
        self.sent: dict[str, Any] = {}  # by gradients: the control variables of what sends them

    # Gradients

    def send_gradient(self, update: Update, parts: Sequence[Part], holds_rows: bool) -> None:
        """Has the blocks of a gradient sent, behind the operation that makes it."""
        name = update.gradient
        place = find_op_by_output_arg(self.block, name, reverse=True) + 1
        sections = [part.shape[0] if part.shape else 1 for part in parts]
        names = [part.gradient for part in parts]
        control = self.sent[name] = control_variable(self.block)
        if self.runtime_split:
            given, cut = [name], sections
        elif len(parts) == 1:
            given, cut = [self._renamed(name)], []
        else:
            given, cut = self._cut(place, name, parts, sections, holds_rows), []
            place += 1
        role_of = given[0] if len(parts) == 1 else name
        self._insert(place, "send", {"X": given}, {"Out": control}, RPC, epmap=[part.endpoint for part in parts],
                     sections=cut, send_varnames=names, trainer_id=self.trainer_id,
                     op_role_var=[update.parameter, role_of])

    def _renamed(self, name: str) -> str:
        if self.suffix:
            self.block._rename_var(name, name + self.suffix)
        return name + self.suffix

    def _cut(self, place: int, name: str, parts: Sequence[Part], sections: list[int], holds_rows: bool) -> list[str]:
        whole = self.block.var(name)
        made = [self.block.new_var(name=part.gradient + self.suffix, shape=part.shape, dtype=whole.dtype,
                                   type=whole.type, stop_gradient=True) for part in parts]
        if holds_rows:
            self._insert(place, "split_selected_rows", {"X": whole}, {"Out": made}, DIST, height_sections=sections)
        else:
            self._insert(place, "split_byref", {"X": whole}, {"Out": made}, DIST, sections=sections)
        return [var.name for var in made]

    def send_counter(self, counter: Any) -> None:
        """Has servers told, by all trainers, that a step is over: what schedules of learning rates count."""
        control = self.sent[counter.name] = control_variable(self.block)
        self._insert(0, "send", {"X": counter}, {"Out": control}, RPC, epmap=self.endpoints, merge_add=True,
                     send_varnames=[counter.name] * len(self.endpoints), use_send_handler=False,
                     trainer_id=self.trainer_id, op_role_var=[counter.name, counter.name])

    def send_barrier(self, half_async: bool = False) -> Any:
        """The control variable of an operation that waits until servers have made their updates."""
        control = control_variable(self.block)
        self._append("send_barrier", {"X": list(self.sent.values())}, {"Out": control}, RPC,
                     endpoints=self.endpoints, trainer_id=self.trainer_id, half_async=half_async)
        return control

    # Parameters

    def receive(self, update: Update, parts: Sequence[Part], behind: Any) -> list[Any]:
        """Has the blocks of a parameter received; the variables that hold them."""
        variables = self._holders(self.block, parts)
        role_of = update.gradient + (self.suffix if len(parts) == 1 and not self.runtime_split else "")
        roles = {"op_role_var": [update.parameter, role_of]}
        self._receive(self.block, parts, variables, [behind], **roles)
        return variables

    def _holders(self, block: Any, parts: Sequence[Part]) -> list[Any]:
        if self.runtime_split or len(parts) == 1:
            return [block.var(parts[0].parameter)]
        whole = self.block.var(parts[0].parameter)
        return [block.vars[part.name] if block.has_var(part.name) else block.new_var(
            name=part.name, shape=part.shape, dtype=whole.dtype, persistable=False, stop_gradient=True)
            for part in parts]

    def _receive(self, block: Any, parts: Sequence[Part], variables: list[Any], behind: list[Any],
                 **attrs: Any) -> None:
        names = [part.name for part in parts]
        joined = self.runtime_split or len(variables) < len(parts)
        block.append_op(type="recv", inputs={"X": behind}, outputs={"Out": variables}, attrs={
            "epmap": [part.endpoint for part in parts], "recv_varnames": names if joined else [],
            "varnames": [] if joined else names, "trainer_id": self.trainer_id, "op_role": RPC, **attrs})

    def fetch_barrier(self, behind: Any) -> None:
        """Tells servers that all parameters are received."""
        self._append("fetch_barrier", {"X": behind}, {"Out": control_variable(self.block)}, RPC,
                     endpoints=self.endpoints, trainer_id=self.trainer_id)

    def join(self, parts: Sequence[Part]) -> None:
        """Joins the blocks of a parameter."""
        if len(parts) > 1 and not self.runtime_split:
            self._append("concat", {"X": [part.name for part in parts]}, {"Out": parts[0].parameter}, DIST, axis=0)

    def start_with_servers(self, received: Sequence[Sequence[Part]]) -> None:
        """Has the startup Program receive these parameters, each as its blocks."""
        block = self.startup.global_block()
        kept, self.runtime_split = self.runtime_split, False
        for parts in received:
            self._receive(block, parts, self._holders(block, parts), [])
        self.runtime_split = kept
        block.append_op(type="fetch_barrier", inputs={}, outputs={"Out": control_variable(block)}, attrs={
            "endpoints": self.endpoints, "trainer_id": self.trainer_id, "op_role": RPC})
        for parts in received:
            if len(parts) > 1:
                block.append_op(type="concat", inputs={"X": [part.name for part in parts]},
                                outputs={"Out": parts[0].parameter}, attrs={"axis": 0})

    # Tables

    def look_up(self, parameter: str, parts: Sequence[Part]) -> None:
        """Has the rows of a table looked up on the servers, where the first operation took it."""
        readers = readers_of(self.program, parameter)
        self._replace_readers(parameter, readers, table_names=[part.name for part in parts],
                              height_sections=[part.shape[0] for part in parts],
                              endpoints=[part.endpoint for part in parts])

    def look_up_distributed(self, table: str) -> None:
        """The same for a table whose rows are divided among all servers by their numbers."""
        self._replace_readers(table, readers_of(self.program, table), table_names=[table] * len(self.endpoints),
                              endpoints=self.endpoints, is_distributed=True)

    def _replace_readers(self, table: str, readers: Sequence[Any], **attrs: Any) -> None:
        """One operation in place of those that take a table of the outermost block: behind what makes all numbers."""
        if any(op.block is not self.block for op in readers):
            raise NotImplementedError(f"DistributeTranspiler: {table!r} is looked up inside of a loop or a branch. "
                                      "Look it up before, or with is_sparse=False.")
        for group in self._together(readers):
            place = next(n for n, op in enumerate(self.block.ops) if op is group[0])
            delete_ops(self.block, group)
            self._insert(place, "distributed_lookup_table", {"Ids": [op.input("Ids")[0] for op in group], "W": table},
                         {"Outputs": [op.output("Out")[0] for op in group]}, FORWARD,
                         padding_idx=group[0].attrs.get("padding_idx", -1), trainer_id=self.trainer_id,
                         lookup_table_version=group[0].type, **attrs)

    def _together(self, readers: Sequence[Any]) -> list[list[Any]]:
        """Which look-ups can be one: at the place of the first, where the numbers of all are there."""
        places = {id(op): place for place, op in enumerate(self.block.ops)}
        groups: list[list[Any]] = []
        for op in readers:
            kind = op.type, op.attrs.get("padding_idx", -1)
            made_at = find_op_by_output_arg(self.block, op.input("Ids")[0], reverse=True)
            for group in groups:
                first = group[0]
                if made_at < places[id(first)] and kind == (first.type, first.attrs.get("padding_idx", -1)):
                    group.append(op)
                    break
            else:
                groups.append([op])
        return groups

    def send_rows(self, update: Update, table: str) -> None:
        """Has the gradient of a distributed table sent to the servers that have its rows."""
        place = find_op_by_output_arg(self.block, update.gradient, reverse=True) + 1
        control = self.sent[update.gradient] = control_variable(self.block)
        self._insert(place, "send", {"X": update.gradient}, {"Out": control}, RPC, epmap=self.endpoints, table=table,
                     send_varnames=[update.gradient], trainer_id=self.trainer_id,
                     op_role_var=[table, update.gradient])

    # The rest

    def without(self, ops: Sequence[Any], startup: bool) -> None:
        """Takes updates out of the Program, with the state that they alone have, and its beginnings."""
        used = {name for op in ops for name in (*op.input_arg_names, *op.output_arg_names)}
        delete_ops(self.block, ops)
        others = {name for block in self.program.blocks for op in block.ops
                  for name in (*op.input_arg_names, *op.output_arg_names)}
        kept = others | {var.name for var in self.program.all_parameters()}
        home = self.startup.global_block()
        for name in sorted(used - kept):
            if self.block.has_var(name):
                self.block._remove_var(name)
            if startup:
                delete_ops(home, [op for op in home.ops if op.output_arg_names == [name]])
                if home.has_var(name):
                    home._remove_var(name)

    def without_value(self, table: str) -> None:
        """Has the startup Program make nothing of a table that lives on servers."""
        home = self.startup.global_block()
        var = home.var(table)
        makers = [op for op in home.ops if table in op.output_arg_names]
        if [op.type for op in makers] == ["fake_init"]:
            return
        delete_ops(home, makers)
        home.append_op(type="fake_init", inputs={}, outputs={"Out": var},
                       attrs={"shape": list(var.shape), "dtype": var.dtype})

    def _insert(self, place: int, type: str, inputs: Any, outputs: Any, role: int, **attrs: Any) -> None:
        self.block._insert_op(place, type=type, inputs=inputs, outputs=outputs, attrs={**attrs, "op_role": role})

    def _append(self, type: str, inputs: Any, outputs: Any, role: int, **attrs: Any) -> None:
        self._insert(len(self.block.ops), type, inputs, outputs, role, **attrs)
