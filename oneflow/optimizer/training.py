"""What a train job does behind its function: gradients of losses, updates by its optimizer, the count of its steps."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.dtype import int64
from ...ops.array.creation import full_like
from ...ops.core.spec import Spec
from ...ops.core.trace import current_trace, using
from ...ops.math.casting import cast
from ...ops.math.elementwise import scale
from ...static.autodiff.backward import named_derivatives
from ...static.building.block_builders import branch
from ...static.building.trace import GradientTrace, ProgramTrace
from ...static.ir.variable import Variable
from ..job.blob import JobTrace
from .schedules import LrScheduler
from .state import written

if TYPE_CHECKING:
    from ..job import Job
    from .optimizer import Optimizer


class Step:
    """The train step while updates are written: its value before the update, and the learning rates at it."""

    def __init__(self, job: Job, name: str | None):
        self.job = job
        self.counts = name is None
        self.value = (current_trace().persistent((1,), int64, 0, f"System-Train-TrainStep-{job.name}")
                      if name is None else blob_of(job, name, "train_step_lbn"))
        self._made: dict[Any, Any] = {}
        conf = job.config.settings.get("indexed_slices_optimizer_conf") or {}
        self.by_rows = set(conf["include_op_names"]["op_name"]) if conf.get("enable", bool(conf)) else set()

    def rate(self, schedule: LrScheduler) -> Any:
        """The learning rate of a schedule, one element of float32."""
        if schedule.lr_lbn is not None:
            return blob_of(self.job, schedule.lr_lbn, "CustomScheduler(lbn)").reshape([1])
        return self.once(schedule, lambda: schedule.rate(self.value))

    def once(self, key: Any, make: Any) -> Any:
        """What `make` gives, made the first time that this is asked for."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def count(self) -> None:
        """Appends the count."""
        if self.counts:
            written(self.value, scale, self.value, 1.0, 1)


def blob_of(job: Job, name: str, what: str) -> Variable:
    """A blob of a job by its `logical_blob_name`; ValueError where there is none."""
    found = job.program.global_block().find_var(name.removesuffix("/out"))
    if found is None:
        raise ValueError(f"{what}: the global function {job.name!r} has no blob {name!r}. Give the logical_blob_name "
                         "of one that it has computed.")
    return found


class UpdateTrace(JobTrace):
    """Appends what is not written by OneFlow's functions: values may be without dimensions, division is division."""

    least_rank = 0

    def _result(self, name: Any, spec: Spec, stop_gradient: bool) -> Variable:
        return ProgramTrace._result(self, name, spec, stop_gradient)


class Training:
    """The losses and the optimizer of a job that is traced; called behind its function, it appends what trains."""

    def __init__(self, job: Job):
        self.job = job
        self.losses: list[Variable] = job.losses
        self.optimizer: Optimizer | None = None
        self._shares: list[tuple[Optimizer, list[str]]] = []  # each rule, and the names of the variables it updates
        self.configured: Callable[[Mapping[str, Any]], Optimizer | None] | None = None  # makes one of settings

    @classmethod
    def of(cls, job: Job, what: str) -> Training:
        """The training of a job; RuntimeError where it is no train job."""
        if not job.is_trainable:
            raise RuntimeError(f"{what}: {job.name!r} is a predict job, which trains nothing. Decorate it with "
                               "@flow.global_function(type='train').")
        if job.training is None:
            job.training = cls(job)
        return job.training

    def minimize(self, optimizer: Optimizer, losses: Sequence[Any]) -> None:
        """Notes the optimizer and its losses."""
        if self.optimizer is not None:
            raise RuntimeError(f"{self.job.name!r} has an optimizer already, {type(self.optimizer).__name__}. A job is "
                               "trained by one: minimize([loss, …]) takes several losses, "
                               "flow.optimizer.CombinedOptimizer several rules.")
        if not losses:
            raise ValueError("minimize(loss): there is none in the list.")
        if optimizer.train_step_lbn is not None:
            blob_of(self.job, optimizer.train_step_lbn, "train_step_lbn")
        for loss in losses:
            self.add_loss(loss, "minimize(loss)")
        self._use(optimizer)

    def _use(self, optimizer: Optimizer) -> None:
        self._shares = self._shared_out(optimizer)
        self.optimizer = optimizer

    def add_loss(self, loss: Any, what: str = "flow.losses.add_loss(loss)") -> None:
        """Adds a loss; TypeError for what is no blob, ValueError for a blob of another job or of integers."""
        if not isinstance(loss, Variable):
            raise TypeError(f"{what}: must be a blob of the job {self.job.name!r}. Received {type(loss).__name__}.")
        if loss.program is not self.job.program:
            raise ValueError(f"{what}: {loss.name!r} is a blob of another job than {self.job.name!r}. Minimize it "
                             "where it is computed.")
        if not loss.dtype.is_floating:
            raise ValueError(f"{what}: must be of floats. {loss.name!r} is of {loss.dtype.name}.")
        first = self.losses[0] if self.losses else loss
        if (first.shape, first.dtype) != (loss.shape, loss.dtype):
            raise ValueError(f"{what}: the losses of a job must have one shape and dtype. {first.name!r} has shape "
                             f"{list(first.shape)}, dtype {first.dtype.name}; received {loss.name!r} with shape "
                             f"{list(loss.shape)}, dtype {loss.dtype.name}. Take the mean of each.")
        self.losses.append(loss)

    def _shared_out(self, optimizer: Optimizer) -> list[tuple[Optimizer, list[str]]]:
        """Each rule with the names of the variables that it updates: of those that the job has now.

        ValueError where two rules have one variable, or where there is none; a warning for a name of no variable.
        """
        owners: dict[str, Optimizer] = {}
        for part in optimizer.parts():
            rule, names = type(part).__name__, part.Variables()
            unknown = [name for name in names if name not in self.job.variables]
            if unknown:  # OneFlow says nothing, and published scripts have such
                warnings.warn(f"{rule}(variables): the job {self.job.name!r} has no variables {unknown}. It has "
                              f"{list(self.job.variables)}.", stacklevel=5)
            twice = [name for name in names if owners.setdefault(name, part) is not part]
            if twice:
                raise ValueError(f"CombinedOptimizer: {twice} are to be updated by {type(owners[twice[0]]).__name__} "
                                 f"and by {rule}. Give each rule variables of its own.")
        if not any(v.trainable for name, v in self.job.variables.items() if name in owners):
            raise ValueError(f"{type(optimizer).__name__}.minimize: there is no trainable variable to update in "
                             f"{self.job.name!r}. Of {list(owners) or 'none'}, none is trainable.")
        return [(part, [name for name, owner in owners.items() if owner is part]) for part in optimizer.parts()]

    def __call__(self) -> None:
        """Appends gradients, updates and the count of the step to the job's Program."""
        job = self.job
        if job.config.settings.get("train.num_gradient_accumulation_steps", 1) != 1:
            raise ValueError("func_config.train.num_gradient_accumulation_steps: is not supported. Call the job with "
                             "larger batches, or with a smaller learning rate more often.")
        configured = None if self.configured is None else self.configured(job.config.settings)
        if configured is not None:
            if self.optimizer is not None:
                raise RuntimeError(f"{job.name!r} has an optimizer, {type(self.optimizer).__name__}, and another one "
                                   "by func_config.train. Leave the latter out.")
            self._use(configured)
        optimizer = self.optimizer
        if optimizer is None:
            raise RuntimeError(f"The train job {job.name!r} has losses and no optimizer: call "
                               "flow.optimizer.SGD(…).minimize(loss) in it.")
        with using(UpdateTrace(job, job.program)), current_trace().updating():
            policy = optimizer.loss_scale_policy
            step = Step(job, optimizer.train_step_lbn)
            scale = 1.0 if policy is None else policy.prepare(job.name)
            names = {name for _, share in self._shares for name in share}
            wanted = [v for name, v in job.variables.items() if name in names and v.trainable]
            found = self._gradients(wanted, scale)
            if policy is not None:
                found = {name: (v, policy.unscaled(g, scale)) for name, (v, g) in found.items()}
            usable = None if policy is None else policy.usable([g for _, g in found.values()])
            self._update(step, found, usable)
            if policy is not None:
                policy.follow(job.name, usable)

    def _gradients(self, variables: list[Any], scale: Any) -> dict[str, tuple[Any, Any]]:
        """Appends the gradients of the mean loss, times the scale; by name, the variables that have one, with it."""
        starts = [_start(loss, scale) for loss in self.losses]
        found = named_derivatives(GradientTrace(self.job.program), self.losses, variables, starts, None,
                                  inputs_only=False)
        pairs = {v.name: (v, g) for v, g in zip(variables, found, strict=True) if g is not None}
        if not pairs:
            raise ValueError(f"minimize(loss): {[loss.name for loss in self.losses]} depend on none of the variables "
                             f"that are to be updated, {[v.name for v in variables]}.")
        return pairs

    def _update(self, step: Step, found: dict[str, tuple[Any, Any]], usable: Any) -> None:
        with contextlib.nullcontext() if usable is None else branch([usable]):
            found = {name: (v, _regularized(v, g)) for name, (v, g) in found.items()}
            for part, names in self._shares:
                pairs = [found[name] for name in names if name in found]
                if pairs:
                    part.update(pairs, step)
            step.count()

    @property
    def elements(self) -> int:
        """The number of elements of a loss, by which gradients are smaller than those of the sum of them."""
        return math.prod(self.losses[0].shape)


def _start(loss: Variable, scale: Any) -> Any:
    """What the gradient of a loss begins with: the mean's is one over the number of elements."""
    count = math.prod(loss.shape)
    if isinstance(scale, float):
        return full_like(loss, scale / count)
    return full_like(loss, 1.0 / count) * cast(scale, loss.dtype)


def _regularized(variable: Any, gradient: Any) -> Any:
    """The gradient with that of the variable's regularizer added."""
    penalty = variable.regularizer
    return gradient if penalty is None else penalty.added(variable, gradient)
