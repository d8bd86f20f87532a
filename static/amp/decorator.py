"""The optimizer that trains a Program in mixed precision."""

from __future__ import annotations

from typing import Any

from ...core.dtype import float32, int32
from ...core.unique_name import generate
from ...ops.amp.loss_scaling import check_finite_and_unscale, update_loss_scaling
from ...ops.core.trace import current_trace, using
from ...ops.math.casting import cast
from ...ops.math.unary import logical_not
from ..building.control_flow import cond
from ..building.trace import ProgramTrace
from ..ir.program import Program
from ..ir.variable import Variable
from .lists import AutoMixedPrecisionLists
from .rewriting import is_guarded, rewrite


class OptimizerWithMixedPrecision:
    """An optimizer whose `minimize` casts the Program's forward part, scales the loss, and leaves out bad steps.

    Everything else is the optimizer's own. Made by `decorate`.
    """

    def __init__(self, optimizer: Any, lists: AutoMixedPrecisionLists, level: str, guarded: bool, promotes: bool,
                 init_loss_scaling: float, dynamic: bool, **adapting: Any):
        self._optimizer, self._lists, self._level = optimizer, lists, level
        self._guarded, self._promotes = guarded, promotes
        self._init_loss_scaling, self._dynamic, self._adapting = float(init_loss_scaling), dynamic, adapting
        self._scale: Variable | None = None
        self._scaled_loss: Variable | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "_optimizer":  # it is not there yet
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def get_loss_scaling(self) -> Variable | None:
        """The Variable of the factor, [1]; None where the loss is not scaled."""
        return self._scale

    def get_scaled_loss(self) -> Variable | None:
        """The Variable of the scaled loss, after `backward`."""
        return self._scaled_loss

    def amp_init(self, place: Any = None, scope: Any = None, test_program: Program | None = None,
                 use_fp16_test: bool = False, rewrite_master_weight: bool = False) -> None:
        """Casts `test_program` alike with `use_fp16_test`; parameters stay in float32, so that nothing is left to do.

        `paddle.static.amp`'s optimizers want it called after the startup Program has run.
        """
        if test_program is not None and use_fp16_test:
            self._rewrite(test_program)

    def _rewrite(self, program: Program) -> None:
        chosen = is_guarded if self._guarded else lambda op: True
        rewrite(program, self._lists.precision(self._level, self._promotes), self._lists.black_varnames, chosen)

    def backward(self, loss: Variable, startup_program: Program | None = None, parameter_list: Any = None,
                 no_grad_set: Any = None, callbacks: Any = None) -> list[tuple[Any, Any]]:
        """Casts the Program and appends the gradient of the scaled loss: the parameters with scaled gradients."""
        if not isinstance(loss, Variable):
            raise TypeError(f"minimize(loss): must be a Variable of a Program. Received {type(loss).__name__}. On "
                            "Tensors use paddle.amp.auto_cast and paddle.amp.GradScaler.")
        self._rewrite(loss.program)
        with using(_trace_of(loss.program, startup_program)):
            trace = current_trace()
            wide = loss if loss.dtype.itemsize > 2 else cast(loss, float32)
            if self._dynamic or self._init_loss_scaling != 1.0:
                self._scale = trace.persistent((1,), float32, self._init_loss_scaling, generate("loss_scaling"))
                wide = wide * self._scale
            self._scaled_loss = wide
            return self._optimizer.backward(wide, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> list[Any]:
        """Divides the gradients by the factor, and updates the parameters unless one of them is not finite."""
        if self._scale is None:
            return self._optimizer.apply_gradients(params_grads)
        trace = current_trace()
        gradients = [g for _, g in params_grads if g is not None]
        with trace.updating():
            found = check_finite_and_unscale(gradients, self._scale)
            if self._dynamic:
                good, bad = (trace.persistent((1,), int32, 0, generate(f"num_{kind}_steps"))
                             for kind in ("good", "bad"))
                update_loss_scaling(gradients, found, self._scale, good, bad, **self._adapting)
            block = trace.block
            count = len(block.ops)
            cond(logical_not(found), lambda: self._apply(params_grads))
            for op in block.ops[count:]:
                op.attrs["op_role"] = 2
            return list(block.ops[count:])

    def _apply(self, params_grads: list[tuple[Any, Any]]) -> None:
        self._optimizer.apply_gradients(params_grads)

    def minimize(self, loss: Variable, startup_program: Program | None = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """`backward` and `apply_gradients`."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        with using(_trace_of(loss.program, startup_program)):
            return self.apply_gradients(pairs), pairs


def _trace_of(program: Program, startup: Program | None) -> Any:
    """The trace in charge where it appends to this Program, or one that does."""
    trace = current_trace()
    if trace.computes:
        return ProgramTrace(program, startup)
    if trace.main is program and (startup is None or trace.startup is startup):
        return trace
    return ProgramTrace(program, startup if startup is not None else trace.startup)


def decorate(optimizer: Any, amp_lists: AutoMixedPrecisionLists | None = None, *args: Any, **kwargs: Any) -> Any:
    """An optimizer whose `minimize` trains a Program in mixed precision.

    `decorate(optimizer, amp_lists, level="O1", dtype="float16", master_weight=None, master_grad=False,
    init_loss_scaling=2**16, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5,
    use_dynamic_loss_scaling=None, use_amp_guard=False, use_promote=False)`, or the older form
    `decorate(optimizer, amp_lists, init_loss_scaling=2**15, incr_every_n_steps=1000, decr_every_n_nan_or_inf=2,
    incr_ratio=2.0, decr_ratio=0.8, use_dynamic_loss_scaling=True, use_pure_fp16=False, use_fp16_guard=None,
    use_bf16=False, use_promote=False)`, told apart by their names.

    Parameters stay in float32 and are cast where they are used: at level O2 they are the master weights
    (`master_weight=False` is refused), and gradients of them are float32, so `master_grad` changes nothing.
    Losses of float16 are scaled dynamically unless told otherwise, those of bfloat16 are not.
    `paddle.static.amp.decorate`.
    """
    older = {"use_pure_fp16", "use_fp16_guard", "use_bf16"} & set(kwargs) or args and not isinstance(args[0], str)
    names, defaults = (_OLDER if older else _NEWER)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    unknown = sorted(set(given) - set(names))
    if unknown or len(args) > len(names):
        raise TypeError(f"decorate: unknown arguments {unknown}. There are {', '.join(names)}.")
    settings = {**defaults, **given}
    if older:
        settings["level"] = "O2" if settings["use_pure_fp16"] else "O1"
        settings["dtype"] = "bfloat16" if settings["use_bf16"] else "float16"
        guard = settings["use_fp16_guard"]
        settings["use_amp_guard"] = bool(guard)
    return _decorated(optimizer, amp_lists, settings)


def _decorated(optimizer: Any, lists: AutoMixedPrecisionLists | None, settings: dict[str, Any]) -> Any:
    if settings["level"] not in ("O0", "OD", "O1", "O2"):
        raise ValueError(f"decorate(level): must be 'O0', 'OD', 'O1' or 'O2'. Received {settings['level']!r}.")
    if settings["level"] == "O0":
        return optimizer
    if settings.get("master_weight") is False:
        raise NotImplementedError("decorate(master_weight=False): Programs keep their parameters in float32 and cast "
                                  "them where they are used. Leave it out.")
    lists = AutoMixedPrecisionLists(dtype=settings["dtype"]) if lists is None else lists
    dynamic = settings["use_dynamic_loss_scaling"]
    is_float16 = lists.amp_dtype == "float16"
    scaling = settings["init_loss_scaling"] if is_float16 else 1.0
    return OptimizerWithMixedPrecision(
        optimizer, lists, settings["level"], settings["use_amp_guard"], settings["use_promote"], scaling,
        is_float16 if dynamic is None else bool(dynamic and is_float16), **{name: settings[name] for name in _ADAPTING})


_ADAPTING = ("incr_every_n_steps", "decr_every_n_nan_or_inf", "incr_ratio", "decr_ratio")
_NEWER_DEFAULTS: dict[str, Any] = {
    "level": "O1", "dtype": "float16", "master_weight": None, "master_grad": False, "init_loss_scaling": 2.0**16,
    "incr_every_n_steps": 2000, "decr_every_n_nan_or_inf": 1, "incr_ratio": 2.0, "decr_ratio": 0.5,
    "use_dynamic_loss_scaling": None, "use_amp_guard": False, "use_promote": False}
_OLDER_DEFAULTS: dict[str, Any] = {
    "init_loss_scaling": 2.0**15, "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0,
    "decr_ratio": 0.8, "use_dynamic_loss_scaling": True, "use_pure_fp16": False, "use_fp16_guard": None,
    "use_bf16": False, "use_promote": False}
_NEWER = tuple(_NEWER_DEFAULTS), _NEWER_DEFAULTS
_OLDER = tuple(_OLDER_DEFAULTS), _OLDER_DEFAULTS
