"""ShardedOptimizer: an optimizer of which each process keeps the state of some parameters, and updates these.

The parameters are then given to all. What an optimizer keeps comes about in its first step, for what has a gradient
then; so it is enough that each process's optimizer sees the gradients of its own parameters.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...backend.comm import exchanges
from ...backend.comm.communicator import MAX, SUM, Communicator
from ...ops.core.trace import current_trace
from ...optimizer import LBFGS, Optimizer
from ...optimizer.groups import Pairs
from .. import engine
from ..groups import Group
from .clip import ClipOverShards, over_shards
from .gathering import gathered_state, own_state
from .partition import Partition

_MEGABYTE = 1 << 20
_PACKED = 25 * _MEGABYTE  # how much of the parameters is sent at once
_TOLD_AFTER_S = 20.0


class ShardedOptimizer(Optimizer):
    """The optimizer `inner`, whose state is divided among the processes of `group` by parameters.

    A step updates this process's parameters and then exchanges them, so that all have all. Its gradients must be the
    means of all processes' gradients, at least of its own parameters. `replicas`: the processes that have the same
    part in other groups, where there are several. Whatever is asked of it is `inner`'s but for this. `state_dict()` and
    `set_state_dict()` are those of the optimizer when it is not divided, and every process calls the first.

    Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, 2020, stages 1 and 2.
    """

    _inner_opt: Optimizer
    _group: Communicator
    _number: int
    _replicas: Communicator | None
    _states: Communicator  # for what is exchanged when a user asks, which may be at another time in each process
    partition: Partition

    def __init__(self, inner: Optimizer, group: Group, replicas: Group | None = None):
        if isinstance(inner, ShardedOptimizer):
            raise TypeError("group_sharded_parallel(optimizer): its state is divided already. Call it once.")
        if not isinstance(inner, Optimizer) or isinstance(inner, LBFGS):
            raise TypeError(f"group_sharded_parallel(optimizer): must be one of paddle.optimizer's that keeps its "
                            f"state by parameters. Received {type(inner).__name__}.")
        if inner._parameter_list is None:
            raise ValueError("group_sharded_parallel(optimizer): must know its parameters: give it "
                             "parameters=model.parameters().")
        if any(inner._accumulators.values()):
            raise ValueError("group_sharded_parallel(optimizer): has taken steps, and has state for all parameters. "
                             "Divide it first; then set_state_dict(state) gives each process its part.")
        connected: Communicator = group.process_group
        vars(self).update(
            _inner_opt=inner, _number=group.id, _group=connected,
            _replicas=None if replicas is None else replicas.process_group,
            _states=exchanges.do(lambda: connected.subgroup(connected.ranks)),
            partition=Partition(inner._parameter_list, connected.size))
        for share in inner._groups.groups:
            share["grad_clip"] = over_shards(share.get("grad_clip", inner._grad_clip))
        inner._grad_clip = over_shards(inner._grad_clip)

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._inner_opt, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner_opt, name, value)

    def is_ours(self, parameter: Any) -> bool:
        """Whether this process keeps the state of a parameter."""
        return self.partition.owners.get(id(parameter)) == self._group.rank

    # A step

    def step(self) -> None:
        """Updates this process's parameters, and exchanges all."""
        if not current_trace().computes:
            raise NotImplementedError("group_sharded_parallel: a Program keeps the state of all parameters. Call "
                                      "step() in eager code; the model's forward may be converted.")
        with self._only_own():
            self._agree_on_norms(current_trace().gradients(None, self._parameter_list))
            self._inner_opt.step()
        self._exchange()

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """As `step`, after `loss.backward()`."""
        pairs = current_trace().gradients(loss, parameters or self._parameter_list, no_grad_set)
        self.step()
        return [], pairs

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> list[Any]:
        """A step by the given gradients."""
        pairs = [(parameter, gradient) for parameter, gradient in params_grads if self.is_ours(parameter)]
        self._agree_on_norms(pairs)
        self._inner_opt.apply_gradients(pairs)
        self._exchange()
        return []

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of all parameters to zeros, or forgets them."""
        self._inner_opt.clear_grad(set_to_zero)

    clear_gradients = clear_grad

    @contextlib.contextmanager
    def _only_own(self) -> Iterator[None]:
        """Within the block the parameters of other processes have no gradients."""
        others = [parameter for parameter in self._parameter_list or () if not self.is_ours(parameter)]
        held = [(leaf, leaf.grad, leaf.cleared) for leaf in (p._holder() for p in others) if leaf is not None]
        for leaf, _, _ in held:
            leaf.grad, leaf.cleared = None, False
        try:
            yield
        finally:
            for leaf, gradient, cleared in held:
                leaf.grad, leaf.cleared = gradient, cleared

    def _agree_on_norms(self, pairs: Pairs) -> None:
        """Tells the clippers the norms of all processes' gradients, a group of parameters at a time."""
        inner = self._inner_opt
        shares = {id(group): share for group, share in inner._groups.shares(inner._widened(pairs))}
        found = []
        for group, clip in [(None, inner._grad_clip), *((each, each["grad_clip"]) for each in inner._groups.groups)]:
            if isinstance(clip, ClipOverShards):
                square = clip.clip.square(shares.get(id(group), []))
                found.append((clip, np.zeros((), "float32") if square is None else square.numpy()))
        if found:
            squares = np.array([float(square) for _, square in found])
            whole = exchanges.do(lambda: self._group.all_reduce(squares, SUM))
            for (clip, own), square in zip(found, whole, strict=True):
                clip.agree(np.array(square, own.dtype))

    def _agreed(self, found: bool) -> bool:
        """Whether any process has found something: with different gradients they must leave out the same steps."""
        for group in (self._group, self._replicas):
            if group is not None:
                one = np.array(found, np.uint8)
                found = bool(exchanges.do(functools.partial(group.all_reduce, one, MAX)))
        return found

    def _exchange(self) -> None:
        """Gives all processes the parameters that each has updated."""
        for owner in range(self._group.size):
            for packed in _packs([p for p in self.partition.of(owner) if not p.stop_gradient]):
                self._send(packed, owner)

    def _send(self, parameters: list[Any], owner: int) -> None:
        ends = np.cumsum([0, *(int(np.prod(parameter.shape, dtype=int)) for parameter in parameters)]).tolist()
        group = engine.communicator(self._number, parameters[0]._array)
        whole = group.empty([ends[-1]], parameters[0]._array.dtype)
        if owner == group.rank:
            for place, parameter in enumerate(parameters):
                whole[ends[place]:ends[place + 1]] = parameter._array.reshape(-1)
        found = group.do(functools.partial(group.broadcast, whole, owner))
        if owner != group.rank:
            for place, parameter in enumerate(parameters):
                part = found[ends[place]:ends[place + 1]].reshape(tuple(parameter.shape))
                current_trace().store(parameter, parameter._eager.new(part.copy()))

    # State

    def state_dict(self) -> dict[str, Any]:
        """The whole state, as the optimizer has it when it is not divided. Every process of the group calls it."""
        with _told_when_alone(self._states):
            return gathered_state(self._inner_opt.state_dict(), self._states)

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over its part of what `state_dict` gave, here or of an optimizer that is not divided."""
        self._inner_opt.set_state_dict(own_state(self._inner_opt, state_dict, self._is_own_name))

    set_dict = set_state_dict

    def _is_own_name(self, name: str) -> bool:
        return self.partition.owner(name) == self._group.rank

    def local_state_dict(self) -> dict[str, Any]:
        """What this process keeps of the state."""
        return self._inner_opt.state_dict()

    def _add_param_group(self, param_group: dict[str, Any]) -> None:
        raise NotImplementedError("group_sharded_parallel(optimizer): its parameters are divided already. Give it all "
                                  "groups before that.")

    # Inner's, which the base class has too

    def get_lr(self) -> float:
        """The learning rate of the next step."""
        return self._inner_opt.get_lr()

    def set_lr(self, value: float) -> None:
        """Sets a constant learning rate; RuntimeError where a scheduler decides it."""
        self._inner_opt.set_lr(value)

    def set_lr_scheduler(self, scheduler: Any) -> None:
        """Lets a scheduler decide the learning rate from now on."""
        self._inner_opt.set_lr_scheduler(scheduler)

    def kept_values(self) -> list[dict[Any, Any]]:
        """The dicts of what it keeps for parameters."""
        return self._inner_opt.kept_values()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner_opt!r})"


@contextlib.contextmanager
def _told_when_alone(group: Communicator) -> Iterator[None]:
    """Has the user told what is waited for where the block takes long: a script may run it in one process only."""
    text = (f"proa: process {group.ranks[group.rank]} has waited {_TOLD_AFTER_S:g} s in state_dict() of an optimizer "
            f"whose state is divided. Every process of {list(group.ranks)} must call it; what it gives may then be "
            f"saved in one: state = optimizer.state_dict(); if get_rank() == 0: paddle.save(state, path).\n")
    timer = threading.Timer(_TOLD_AFTER_S, sys.stderr.write, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _packs(parameters: Sequence[Any]) -> Iterator[list[Any]]:
    """Parameters of one dtype together, up to a size."""
    by_dtype: dict[Any, list[Any]] = {}
    for parameter in parameters:
        by_dtype.setdefault(parameter.dtype, []).append(parameter)
    for alike in by_dtype.values():
        pack: list[Any] = []
        size = 0
        for parameter in alike:
            bytes_ = int(np.prod(parameter.shape, dtype=int)) * parameter.dtype.itemsize
            if pack and size + bytes_ > _PACKED:
                yield pack
                pack, size = [], 0
            pack.append(parameter)
            size += bytes_
        if pack:
            yield pack
