"""Kernels of what Programs exchange beside plain collectives: begun exchanges, rings, and whether Programs agree."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import backend
from ..backend.comm import exchanges
from ..backend.comm.communicator import AVG, MAX, MIN, PROD, SUM, Communicator
from ..backend.selected_rows import SelectedRows
from ..core import launched
from ..ops.collective import exchanges as moves
from ..ops.collective import reductions, rings, streams
from ..ops.core.kernels import register_kernel

Find = Callable[..., Communicator]
_OPERATIONS = {"sum": SUM, "max": MAX, "min": MIN, "prod": PROD, "avg": AVG}
_begun: dict[int, tuple[Any, Any]] = {}  # by the id of what is filled, which is held: with the exchange
_agreed: set[tuple[int, tuple[str, ...]]] = set()
_SHOWN = 8  # ranks in an error


def register(name: str, find: Find, host: Callable[[int], Communicator], known: dict[int, Communicator]) -> None:
    """Registers the kernels of an engine: `find(number, *inputs)` gives a group's communicator for inputs.

    `host(number)`: that for arrays of the host; `known`: those by their numbers, which rings join.
    """
    for kind, operation in _OPERATIONS.items():
        begin = _beginning(find, lambda group, x, out, _op=operation, **_: all_reduced(group, x, _op, out))
        register_kernel(streams.begun_forms[reductions.all_reduce_ops[kind].type], name, begin)
    register_kernel(streams.begun_forms[moves.broadcast_op.type], name, _beginning(find, _broadcast_into))
    register_kernel(streams.finish_op, name, _finish)
    register_kernel(streams.agree_op, name, lambda ring_id=0, exchanges=(): _agree(host(ring_id), ring_id, exchanges))
    register_kernel(rings.find_ring_op, name, lambda rank=0, endpoint="", other_endpoints=(), **_: _ranks_of(
        host(0), "c_gen_nccl_id", [*other_endpoints[:rank], endpoint, *other_endpoints[rank:]], rank))
    register_kernel(rings.find_trainers_op, name, lambda trainers=(), trainer_id=0, **_: _ranks_of(
        host(0), "gen_nccl_id", list(trainers), trainer_id))

    def connect(x: Any, ring_id: int = 0, **_: Any) -> tuple[()]:
        ranks = backend.to_numpy(x).tolist()
        if ring_id not in known:
            made = exchanges.do(lambda: host(0).subgroup(ranks))
            assert made is not None  # this process belongs to it
            known[ring_id] = made
        elif list(known[ring_id].ranks) != ranks:
            raise RuntimeError(f"c_comm_init: the number {ring_id} belongs to a group of {list(known[ring_id].ranks)} "
                               f"already. The Program wants one of {ranks}: write it with another ring_id.")
        return ()

    register_kernel(rings.connect_ring_op, name, connect)


def all_reduced(group: Communicator, x: Any, operation: int, out: Any = None) -> Any:
    """The reduction; the sum of rows are the rows of all processes, each once."""
    if not isinstance(x, SelectedRows) or not x.on_host:
        return group.all_reduce(x.to_dense() if isinstance(x, SelectedRows) else x, operation, out)
    if operation != SUM:
        found = group.all_reduce(np.asarray(x), operation)
        summed = SelectedRows(np.arange(x.height), found, x.height, merged=True)
    else:
        own = x.merge()
        counts = group.all_gather(np.array(len(own.rows), np.int64)).tolist()
        rows = group.all_gather_rows(own.rows.astype(np.int64, copy=False), counts)
        values = group.all_gather_rows(own.values, counts)
        wide = values.astype(np.float32) if values.dtype.itemsize == 2 else values
        merged = SelectedRows(rows, wide, x.height).merge()
        summed = merged.with_values(merged.values.astype(values.dtype, copy=False))
    if out is None:
        return summed
    out.rows, out.values = summed.rows, summed.values
    return out


def _beginning(find: Find, do: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that begins an exchange; its result is filled later."""
    def kernel(x: Any, ring_id: int = 0, what: str = "", **attrs: Any) -> Any:
        x = x.to_dense() if isinstance(x, SelectedRows) and not x.on_host else x
        group = find(ring_id, x)
        out = x.with_values(x.values) if isinstance(x, SelectedRows) else group.empty(x.shape, x.dtype)

        def exchanged() -> None:
            try:
                do(group, x, out, **attrs)
            except RuntimeError as error:
                raise type(error)(f"{what}: {error}") from error

        _begun[id(out)] = out, group.begin(exchanged)
        return out

    return kernel


def _broadcast_into(group: Communicator, x: Any, out: Any, root: int = 0, **_: Any) -> None:
    out[...] = group.broadcast(x, root)


def _finish(x: list[Any], ring_id: int = 0) -> list[Any]:
    """Waits for the exchanges that fill these."""
    for each in x:
        _begun.pop(id(each))[1].wait()
    return [each.with_values(each.values) if isinstance(each, SelectedRows) else each.view() for each in x]


def _agree(group: Communicator, number: int, texts: Sequence[str]) -> tuple[()]:
    """Compares the exchanges of a Program with those of the ring's other processes, the first time that it runs."""
    listed = (number, tuple(texts))
    if listed not in _agreed:
        kinds = [text.partition(" of ")[0] for text in texts]
        digest = hashlib.sha256("\n".join(kinds).encode()).digest()
        found = exchanges.do(lambda: group.compare(digest))
        if any(other != found[0] for other in found):
            whole = exchanges.do(lambda: group.compare("\n".join(texts).encode()))
            raise RuntimeError(_disagreement(group, [text.decode().split("\n") for text in whole]))
        _agreed.add(listed)
    return ()


def _disagreement(group: Communicator, lists: list[list[str]]) -> str:
    """What is said of Programs that differ: the first exchange that is another one than in the first process."""
    lines = []
    for place, other in enumerate(lists[1:], 1):
        pairs = itertools.zip_longest(lists[0], other, fillvalue="nothing more")
        for number, (first, second) in enumerate(pairs):
            if first.partition(" of ")[0] != second.partition(" of ")[0]:
                lines.append(f"exchange {number} is {first} in rank {group.ranks[0]}, and {second} in rank "
                             f"{group.ranks[place]}")
                break
    more = f"; and {len(lines) - _SHOWN} ranks more" if len(lines) > _SHOWN else ""
    return (f"The processes' Programs exchange different things: {'; '.join(lines[:_SHOWN])}{more}. Build the same "
            f"Program in each process: they would wait for each other for ever.")


def _ranks_of(world: Communicator, what: str, addresses: list[str], own: int) -> np.ndarray:
    """The ranks of the processes with these addresses; this one is number `own` of them."""
    known = launched.endpoints()
    if len(addresses) == world.size:
        ranks = list(range(world.size))
    elif set(addresses) <= set(known):
        ranks = [known.index(address) for address in addresses]
    else:
        raise RuntimeError(f"{what}: the Program was made for {len(addresses)} processes, {', '.join(addresses)}, and "
                           f"{world.size} are connected. Make it again: transpile(trainers=…) takes an address each.")
    if ranks[own] != world.rank:
        raise RuntimeError(f"{what}: the Program was made for the process {own}, and this one has rank {world.rank}. "
                           f"Give transpile(trainer_id) the rank: paddle.distributed.get_rank().")
    return np.array(ranks, np.int64)
