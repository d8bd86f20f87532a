"""GeoSgdTranspiler: trainers update by themselves, and exchange with servers every so many steps."""

from __future__ import annotations

from typing import Any

from ..framework import default_main_program
from .distribute_transpiler import DistributeTranspiler
from .server import GEO, Server
from .trainer import RPC, Trainer
from .updates import readers_of


class GeoSgdTranspiler(DistributeTranspiler):
    """As DistributeTranspiler, for GEO-SGD: asynchronous, with `config.geo_sgd_need_push_nums` steps in between.

    What a trainer has changed, divided by the number of trainers, is added to the servers' parameters, and it goes on
    with these. Of tables that are looked up with `is_sparse` the rows go that were looked up. A table that is looked up
    with `is_distributed` is a whole one in each trainer, which updates it by itself.

    >>> import proa.fluid as fluid
    >>> config = fluid.DistributeTranspilerConfig()
    >>> config.geo_sgd_mode, config.geo_sgd_need_push_nums = True, 5
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup), fluid.unique_name.guard():
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 4]), 1))
    ...     _ = fluid.optimizer.SGD(0.1).minimize(loss)
    >>> t = fluid.transpiler.GeoSgdTranspiler(config)
    >>> t.transpile(0, main, trainers=2, startup_program=startup)
    >>> [op.type for op in t.get_trainer_program(wait_port=False).global_block().ops][-3:]
    ['sgd', 'sgd', 'geo_sgd']
    """

    def transpile(self, trainer_id: int, program: Any = None, pservers: str = "127.0.0.1:6174", trainers: Any = 1,
                  sync_mode: bool = False, startup_program: Any = None,
                  current_endpoint: str = "127.0.0.1:6174", **older: Any) -> None:
        """As DistributeTranspiler's; `sync_mode` changes nothing."""
        _keep_tables(default_main_program() if program is None else program)
        super().transpile(trainer_id, program, pservers, trainers, False, startup_program, current_endpoint,
                          **older)

    def _mode(self) -> int:
        return GEO

    def _rewrite(self) -> None:
        self._prefetched = []
        for update in self._updates:
            for op in readers_of(self.origin_program, update.parameter):
                if op.attrs.get("remote_prefetch"):
                    op.set_attr("remote_prefetch", False)
        made = self._trainer = Trainer(self.origin_program, self.startup_program, self.trainer_id,
                                       self.pserver_endpoints)
        made.start_with_servers(list(self._parts.values()))
        self._exchange(self.startup_program.global_block(), 0)
        self._exchange(self.origin_program.global_block(), self.config.geo_sgd_need_push_nums)
        self._note_endpoints()

    def _exchange(self, block: Any, steps: int) -> None:
        """Appends the operation that exchanges after so many steps; that of 0 notes what is begun with."""
        names, ids, tables = list(self._parts), [], []
        for name in names if steps else ():
            readers = readers_of(self.origin_program, name)
            if self._of_rows[name] and all(op.block is block for op in readers):
                ids += [op.input("Ids")[0] for op in readers]
                tables += [name] * len(readers)
        block.append_op(type="geo_sgd", inputs={"Param": names, "Ids": ids}, outputs={"ParamOut": names}, attrs={
            "parameter_names": names, "ids_of": tables, "push_nums": steps, "trainers": self.trainer_num,
            "blocks": [f"{part.parameter}:{part.name}:{part.shape[0]}:{part.endpoint}" for part in self._placed],
            "trainer_id": self.trainer_id, "op_role": RPC})

    def get_trainer_program(self, wait_port: bool = True) -> Any:
        """The trainer's Program, which updates the parameters by itself. Waits until servers listen."""
        self._deleted = True
        return super().get_trainer_program(wait_port)

    def _server(self, endpoint: str) -> Server:
        made = self._empty_server(endpoint)
        for part in self._placed:
            if part.endpoint == endpoint:
                made.add_delta(part, self._of_rows[part.parameter])
        return made

    def _get_vars_info(self) -> dict[str, dict[str, list[str]]]:
        """By parameters: the names, rows and servers of their parts, and whether their gradients are sparse."""
        return {name: {"var_names": [part.name for part in parts], "sections": [str(part.shape[0]) for part in parts],
                       "epmap": [part.endpoint for part in parts], "is_sparse": [str(self._of_rows[name])]}
                for name, parts in self._parts.items()}


def _keep_tables(program: Any) -> None:
    """Has trainers keep whole tables, which they update by themselves: changed rows go to servers."""
    for op in (op for block in program.blocks for op in block.ops if op.attrs.get("is_distributed")):
        op._set_attr("is_distributed", False)
        op._set_attr("remote_prefetch", False)


__all__ = ["GeoSgdTranspiler"]
