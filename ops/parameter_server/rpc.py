"""send, recv, send_barrier, fetch_barrier, distributed_lookup_table, …: what trainers exchange with servers.

The declared kernels are those of a process that is connected with none: they raise; `distributed/ps/engine.py`
connects. `epmap` and `endpoints` name servers as HOST:PORT. What is sent has a name there; the names are attributes.
"""

from ...core import dtype as dt
from ..core.operator import Long, Longs, operator
from ..core.spec import Spec

_CONTROL = Spec((0,), dt.float32)
"""What orders operations in files: no kernel reads it."""


def _alone(xp, what):
    raise RuntimeError(f"{what}: this process is connected with no parameter servers. fluid.DistributeTranspiler makes "
                       "the Program of a trainer and connects; a Program from a file needs "
                       "proa.distributed.ps.engine.connect() first. Values must be on the host: use CPUPlace.")


def _send(xp, x, *, epmap: list[str] = (), send_varnames: list[str] = (), sections: Longs = (), table: str = "",
          merge_add: bool = False, use_send_handler: bool = True, assigns: bool = False, trainer_id: int = 0):
    _alone(xp, "send")


def _receive(xp, x, *, epmap: list[str] = (), varnames: list[str] = (), recv_varnames: list[str] = (),
             trainer_id: int = 0, do_not_run: int = 0, with_barrier: bool = True):
    _alone(xp, "recv")


def _send_barrier(xp, x, *, endpoints: list[str] = (), trainer_id: int = 0, half_async: bool = False):
    _alone(xp, "send_barrier")


def _fetch_barrier(xp, x, *, endpoints: list[str] = (), trainer_id: int = 0):
    _alone(xp, "fetch_barrier")


def _look_up(xp, ids, w, *, table_names: list[str] = (), height_sections: Longs = (), endpoints: list[str] = (),
             padding_idx: Long = -1, trainer_id: int = 0, lookup_table_version: str = "lookup_table",
             is_distributed: bool = False):
    _alone(xp, "distributed_lookup_table")


def _rows_of_each(ids, w, *, lookup_table_version="lookup_table", **_):
    kept = slice(None) if lookup_table_version.endswith("_v2") else slice(-1)
    return [Spec((*each.shape[kept], w.shape[1]), w.dtype) for each in ids],


def _prefetch(xp, ids, *, epmap: list[str] = (), tables: list[str] = (), trainer_id: int = 0):
    _alone(xp, "prefetch")


def _checkpoint_notify(xp, *, epmap: list[str] = (), dir: str = "", lookup_table: str = ""):
    _alone(xp, "checkpoint_notify")


def _geo(xp, parameters, ids, *, parameter_names: list[str] = (), ids_of: list[str] = (), blocks: list[str] = (),
         push_nums: int = 100, trainers: int = 1, trainer_id: int = 0):
    _alone(xp, "geo_sgd")


def _serve(xp, x, *, endpoint: str = "127.0.0.1:6174", pserver_id: int = 0, Fanin: int = 1, distributed_mode: int = 0,
           grad_to_block_id: list[str] = (), sparse_grad_to_param: list[str] = (), lr_decay_block_id: int = -1,
           rpc_get_thread_num: int = 1, rpc_send_thread_num: int = 1, rpc_prefetch_thread_num: int = 1,
           dc_asgd: bool = False):
    raise RuntimeError("listen_and_serv: a server is not a part of another computation. Run its Program by "
                       "fluid.Executor(fluid.CPUPlace()).run(pserver_program).")


send_op = operator("send", "X* -> Out", kernel=_send, infer=lambda x, **_: _CONTROL, effects="communicates", lod="drop")
"""Gives servers values under the names `send_varnames`: each to the server of its place, or the rows of one, divided
into `sections`; with `table` the rows of a gradient, to the servers that have them. What it `assigns` are the values of
variables there, which go when they change."""
receive_op = operator("recv", "X* -> Out*", kernel=_receive, infer=lambda x, **_: (None,), effects="communicates",
                      lod="drop")
"""The values of `varnames`, each from the server of its place; or those of `recv_varnames`, joined to one."""
send_barrier_op = operator("send_barrier", "X* -> Out", kernel=_send_barrier, infer=lambda x, **_: _CONTROL,
                           effects="communicates", lod="drop")
fetch_barrier_op = operator("fetch_barrier", "X* -> Out", kernel=_fetch_barrier, infer=lambda x, **_: _CONTROL,
                            effects="communicates", lod="drop")
look_up_op = operator("distributed_lookup_table", "Ids*, W -> Outputs*", kernel=_look_up, infer=_rows_of_each,
                      effects="communicates", fails="values", precision="slow")
"""Rows of a table whose blocks of `height_sections` rows are the variables `table_names` of servers; or, where it
`is_distributed`, of one whose rows are made when they are first asked for."""
prefetch_op = operator("prefetch", "X* -> Out*", kernel=_prefetch, infer=lambda ids, **_: (None,), fails="values",
                       effects="communicates", lod="drop", names={"tables": "X"})
"""The rows of each of X, numbers, from the server of its place: of the table that is called `tables` there. What
`split_ids` has divided, for `merge_ids`."""
checkpoint_notify_op = operator("checkpoint_notify", "->", kernel=_checkpoint_notify, infer=lambda **_: (),
                                effects="communicates writes")
geo_op = operator("geo_sgd", "Param*, Ids* -> ParamOut*~Param", kernel=_geo, effects="communicates", only_here=True,
                  infer=lambda parameters, ids, **_: (list(parameters),))
"""Every `push_nums`-th time what has become of the parameters goes to the servers, and theirs come back. `blocks` has
NAME:BLOCK:ROWS:ENDPOINT for each block of a parameter; `ids_of` the table that each of Ids looks up in."""
serve_op = operator("listen_and_serv", "X* ->", kernel=_serve, infer=lambda x, **_: (), effects="communicates")
"""What the Program of a parameter server consists of: an Executor serves until all trainers are done."""

__all__ = ["checkpoint_notify_op", "fetch_barrier_op", "geo_op", "look_up_op", "prefetch_op", "receive_op",
           "send_barrier_op", "send_op", "serve_op"]
