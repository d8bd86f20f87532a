"""What `fleet.distributed_optimizer` gives for Programs: `minimize` has processes exchange, as a strategy says."""

from __future__ import annotations

from typing import Any

from ....core.dtype import int32
from ....ops.collective.reductions import all_reduce_ops
from ....ops.core.trace import apply, current_trace
from ....ops.fluid.older_updates import lars_momentum_op
from ....ops.math.comparison import equal, less_than, logical_or
from ....ops.math.elementwise import remainder
from ....ops.nn.norm import batch_norm_op, sync_batch_norm_op
from ....optimizer import Adam, Lamb, Momentum
from ....optimizer.gradient_merge import GradientMergeOptimizer
from ....optimizer.optimizer import Optimizer
from ....optimizer.options import Check, Options, number
from ....static import amp
from ....static.backward import append_backward, checkpoint_names
from ....static.building.control_flow import cond
from ... import program_exchanges
from ...environment import get_rank, get_world_size
from ..base.distributed_strategy import DistributedStrategy

SNAPSHOT = "@SNAPSHOT"
_REFUSED = {
    "adaptive_localsgd": "localsgd, with a number of steps", "asp": "no pruning", "auto": "the settings themselves",
    "auto_search": "the settings themselves", "dgc": "fuse_all_reduce_ops, which compresses nothing",
    "fp16_allreduce": "amp", "heter_ccl_mode": "processes of one kind", "is_fl_ps_mode": "collectives",
    "pipeline": "the batch, divided among all processes", "qat": "paddle.quantization", "semi_auto":
    "the batch, divided among all processes", "sharding": "group_sharded_parallel, in eager code",
    "tensor_parallel": "the batch, divided among all processes"}


class StaticOptimizer:
    """An optimizer around another one, for Programs of as many processes as there are.

    `minimize` appends the backward pass, the exchange of gradients, whose sum is the mean of all processes', and the
    updates; the startup Program connects the processes and gives all the first one's parameters. What the strategy
    asks for besides: `amp`, `recompute`, `gradient_merge`, `localsgd`, `lars`, `lamb`, `sync_batch_norm`,
    `fuse_all_reduce_ops` with `fuse_grad_size_in_num`. Raises NotImplementedError, naming it, for what is not there.
    Else it is the optimizer that it is given.
    """

    def __init__(self, optimizer: Any, strategy: DistributedStrategy):
        asked = [name for name in _REFUSED if getattr(strategy, name)]
        if asked:
            raise NotImplementedError(f"DistributedStrategy.{asked[0]}: is not supported in Programs. Use "
                                      f"{_REFUSED[asked[0]]} instead.")
        self._optimizer, self._strategy = optimizer, strategy

    def __getattr__(self, name: str) -> Any:
        if name == "_optimizer":  # it is not there yet
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """Appends what one process does, and what all exchange; gives the parameters with their gradients."""
        strategy, count, main = self._strategy, get_world_size(), loss.block.program
        begin = len(main.global_block().ops)  # another optimizer may have exchanged what is there
        with current_trace().training(loss, startup_program):
            startup = current_trace().startup
            made = len(startup.global_block().ops)
            rule = self._rule(count)
            pairs = rule.backward(loss, startup_program, parameter_list, no_grad_set)
            if strategy.sync_batch_norm or getattr(strategy.build_strategy, "sync_batch_norm", False):
                synchronize_norms(main)
            rule.apply_gradients(pairs)
            averages = strategy.localsgd and count > 1
            if averages:
                settings = strategy.localsgd_configs
                average_parameters([p for p, _ in pairs], count, settings.k_steps, settings.begin_step)
        if count > 1:
            if not averages:
                self._exchange(main, count, begin)
            self._begin_together(startup, count, made)
        return [], pairs

    def _rule(self, count: int) -> Any:
        """The optimizer, or another one in its place, with what is to be around it."""
        strategy = self._strategy
        found = _replaced(self._optimizer, strategy)
        if strategy.recompute:
            if not strategy.recompute_configs.checkpoints:
                raise ValueError("DistributedStrategy.recompute_configs: needs checkpoints, the variables between "
                                 "which the forward pass is computed again.")
            found = _Recomputing(found, strategy.recompute_configs.checkpoints)
        if strategy.amp:
            found = _mixed(found, strategy.amp_configs)
        if strategy.gradient_merge:
            settings = strategy.gradient_merge_configs
            if count > 1:
                found = _Summing(found)
            found = GradientMergeOptimizer(found, settings.k_steps, settings.avg)
        return found

    def _exchange(self, main: Any, count: int, begin: int) -> None:
        strategy = self._strategy
        program_exchanges.scale_loss_gradient(main, count, begin)
        if strategy.gradient_merge:
            return
        if strategy.fuse_all_reduce_ops and strategy.fuse_grad_size_in_num > 1:
            program_exchanges.insert_fused_exchanges(main, most=strategy.fuse_grad_size_in_num,
                                                     begin=begin)
        else:
            program_exchanges.insert_exchanges(main, begin=begin)

    def _begin_together(self, startup: Any, count: int, made: int) -> None:
        """The first process's values for all: ahead of what is made from them, snapshots say."""
        program_exchanges.append_met_ring(startup, get_rank(), program_exchanges.addresses(count))
        program_exchanges.append_broadcasts(startup)
        block = startup.global_block()
        kept = [op for op in block.ops[made:] if any(name.endswith(SNAPSHOT) for name in op.output_arg_names)]
        block.ops = [op for op in block.ops if op not in kept] + kept
        startup.version += 1


class _Around:
    """An optimizer around another one, which does what this one does not."""

    def __init__(self, optimizer: Any):
        self._optimizer = optimizer

    def __getattr__(self, name: str) -> Any:
        if name == "_optimizer":
            raise AttributeError(name)
        return getattr(self._optimizer, name)


class _Recomputing(_Around):
    """One whose backward pass computes the forward pass again between checkpoints."""

    def __init__(self, optimizer: Any, checkpoints: Any):
        super().__init__(optimizer)
        self._checkpoints = checkpoint_names(checkpoints)

    def backward(self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> Any:
        """The parameters with their gradients."""
        with current_trace().training(loss, startup_program):
            return append_backward(loss, parameter_list or self._optimizer._parameter_list, no_grad_set, callbacks,
                                   self._checkpoints)


class _Summing(_Around):
    """One that updates by the sums of all processes' gradients."""

    def apply_gradients(self, pairs: list[tuple[Any, Any]]) -> Any:
        """Sums the gradients, and updates."""
        return self._optimizer.apply_gradients([(p, _sum_of_all(g)) for p, g in pairs])


def _sum_of_all(x: Any) -> Any:
    return apply(all_reduce_ops["sum"], x, ring_id=0)


def _mixed(optimizer: Any, settings: Any) -> Any:
    """The optimizer in mixed precision."""
    lists = amp.AutoMixedPrecisionLists(set(settings.custom_white_list), set(settings.custom_black_list),
                                        set(settings.custom_black_varnames))
    names = ("init_loss_scaling", "incr_every_n_steps", "decr_every_n_nan_or_inf", "incr_ratio", "decr_ratio",
             "use_dynamic_loss_scaling", "use_pure_fp16", "use_fp16_guard", "use_bf16")
    return amp.decorate(optimizer, lists, **{name: settings[name] for name in names})


class LarsMomentum(Optimizer):
    """Momentum whose rate is lr · coeff · ‖w‖ / (‖g‖ + λ‖w‖ + ε), with the decay λ added to the gradient.

    You et al., Large Batch Training of Convolutional Networks, 2017. λ is 0 for parameters in whose names one of
    `excluded` stands.
    """

    _kinds = ("velocity",)
    _checks: dict[str, Check] = {"mu": number, "lars_coeff": number, "lars_weight_decay": number, "epsilon": number}

    def __init__(self, learning_rate: Any, momentum: float, parameters: Any, weight_decay: Any, grad_clip: Any,
                 settings: Any):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, options={
            "mu": momentum, "lars_coeff": settings.lars_coeff, "lars_weight_decay": settings.lars_weight_decay,
            "epsilon": settings.epsilon})
        self._excluded = tuple(settings.exclude_from_weight_decay)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        if any(part in parameter.name for part in self._excluded):
            options = {**options, "lars_weight_decay": 0.0}
        apply(lars_momentum_op, parameter, gradient, self._accumulator("velocity", parameter), rate, **options)


def _replaced(optimizer: Any, strategy: DistributedStrategy) -> Any:
    """The rule for large batches that a strategy asks for in the place of the one that is given."""
    if strategy.lars and strategy.lamb:
        raise ValueError("DistributedStrategy: lars is for Momentum, lamb for Adam. Set one of them.")
    if strategy.lars:
        _check_rule("lars", optimizer, Momentum)
        return LarsMomentum(optimizer._learning_rate, optimizer._options["momentum"], optimizer._parameter_list,
                            optimizer.regularization, optimizer._grad_clip, strategy.lars_configs)
    if strategy.lamb:
        _check_rule("lamb", optimizer, Adam)
        settings, options = strategy.lamb_configs, optimizer._options
        excluded = tuple(settings.exclude_from_weight_decay)
        return Lamb(optimizer._learning_rate, settings.lamb_weight_decay, options["beta1"], options["beta2"],
                    options["epsilon"], optimizer._parameter_list, optimizer._grad_clip,
                    (lambda parameter: any(part in parameter.name for part in excluded)) if excluded else None)
    return optimizer


def _check_rule(name: str, optimizer: Any, wanted: type) -> None:
    if type(optimizer) is not wanted:
        raise ValueError(f"DistributedStrategy.{name}: takes the place of {wanted.__name__}. Received "
                         f"{type(optimizer).__name__}: leave {name} False, or give {wanted.__name__}.")


def synchronize_norms(program: Any) -> None:
    """Has each batch norm of a Program take the statistics of all processes' batches."""
    for block in program.blocks:
        for op in block.ops:
            if op.type == batch_norm_op.type and not op.attrs.get("is_test", False):
                op.type = sync_batch_norm_op.type
    program.version += 1


def average_parameters(parameters: list[Any], count: int, steps: int, begin: int) -> None:
    """Appends that, each so many runs, and each one before the run `begin`, parameters become means of all processes'.

    What each process changed them by since the last time is averaged: `NAME@SNAPSHOT` keeps what they were.
    """
    trace = current_trace()
    with trace.updating():
        step = trace.persistent((1,), int32, 0, "@LOCALSGD_STEP@")
        trace.store(step, step + 1)
        snapshots = [trace.persistent(tuple(p.shape), p.dtype, p, p.name + SNAPSHOT) for p in parameters]

        def average() -> None:
            for parameter, snapshot in zip(parameters, snapshots, strict=True):
                mean = snapshot - _sum_of_all(snapshot - parameter) * (1.0 / count)
                trace_now = current_trace()
                trace_now.store(parameter, mean)
                trace_now.store(snapshot, mean)

        cond(logical_or(equal(remainder(step, steps), 0), less_than(step, begin)), average)
