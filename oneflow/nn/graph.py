"""Graph: modules, a loss and optimizers as one compiled Program."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...amp import auto_cast
from ...core import nest
from ...core.unique_name import generate
from ...jit.static_function import StaticFunction
from ...nn import Layer
from ...ops.array.full import is_value
from ...ops.core.trace import grad_mode
from ..charge import flow_in_charge
from ..optim.optimizer import Optimizer

_SETTINGS = frozenset("""
    allow_fuse_add_to_output allow_fuse_cast_scale allow_fuse_model_update_ops enable_fuse_add_to_output
    enable_fuse_cast_scale enable_fuse_model_update_ops enable_cudnn_conv_heuristic_search_algo
    enable_cudnn_fused_normalization_add_relu enable_auto_parallel enable_straighten_algorithm
    enable_compress_memory enable_zero set_zero_redundancy_optimizer_mode
    set_zero_redundancy_optimizer_min_size_after_split set_outputs_buffer_size enable_xla_jit enable_tensorrt
    enable_openvino enable_mlir_inference_opt enable_choose_best_memory_allocation disable_straighten_algorithm
    proto training""".split())


class GraphConfig:
    """What may be said of how a Graph is compiled. Settings of devices and of OneFlow's compiler change nothing."""

    def __init__(self) -> None:
        self._amp = False
        self._dtype = "float16"
        self.said: dict[str, tuple] = {}

    def enable_amp(self, mode: bool = True, *, dtype: Any = "float16") -> None:
        """Computes products and convolutions in 16 bits."""
        self._amp, self._dtype = bool(mode), getattr(dtype, "name", dtype)

    amp = enable_amp

    def set_gradient_accumulation_steps(self, value: int) -> None:
        """NotImplementedError, unless it is 1."""
        if value != 1:
            raise NotImplementedError(f"config.set_gradient_accumulation_steps({value}): a Graph is run on a whole "
                                      "batch. Give it larger ones, or accumulate gradients without a Graph.")

    def __getattr__(self, name: str) -> Any:
        if name not in _SETTINGS:
            raise AttributeError(f"GraphConfig has no setting {name!r}. It has enable_amp, "
                                 f"set_gradient_accumulation_steps, and without effect {', '.join(sorted(_SETTINGS))}.")
        return lambda *values, **named: self.said.__setitem__(name, values)


class Graph:
    """A computation that is compiled: `build` is run once, with the shapes that it is called with, and written down.

    Its modules and optimizers are set in `__init__`. With optimizers it is a training step: `build` calls `backward()`,
    and each call of the graph updates the parameters and moves the schedules on.

    >>> import proa.oneflow as flow
    >>> class Step(flow.nn.Graph):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.model = flow.nn.Linear(2, 1)
    ...         self.add_optimizer(flow.optim.SGD(self.model.parameters(), lr=0.1))
    ...     def build(self, x, y):
    ...         loss = ((self.model(x) - y) ** 2).mean()
    ...         loss.backward()
    ...         return loss
    >>> step = Step()
    >>> losses = [step(flow.ones(4, 2), flow.zeros(4, 1)).item() for _ in range(20)]
    >>> losses[-1] < losses[0] * 0.01
    True
    """

    def __init__(self) -> None:
        self.config = GraphConfig()
        self._name = f"{type(self).__name__}_{generate('graph')}"
        self._optimizers: list[tuple[Optimizer, Any]] = []
        self._compiled: StaticFunction | None = None

    def build(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define build(self, ...).")

    def add_optimizer(self, optim: Optimizer, *, lr_sch: Any = None, is_sparse: bool = False) -> None:
        """Makes the graph a training step: each call updates the optimizer's parameters, and moves a schedule on."""
        if not isinstance(optim, Optimizer):
            raise TypeError(f"add_optimizer(optim): must be an optimizer of flow.optim. Received "
                            f"{type(optim).__name__}.")
        if lr_sch is not None and getattr(lr_sch, "optimizer", None) is not optim:
            raise ValueError("add_optimizer(lr_sch): must be a schedule of the same optimizer.")
        self._optimizers.append((optim, lr_sch))
        self._compiled = None

    def set_grad_scaler(self, grad_scaler: Any = None) -> None:
        """Nothing: gradients are computed in float32 here, which need no scaling."""

    def debug(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: `graph.main_program` shows what was compiled."""

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def training(self) -> bool:
        """Whether it has optimizers."""
        return bool(self._optimizers)

    @property
    def main_program(self) -> Any:
        """The Program of the last call."""
        if self._compiled is None or not self._compiled.get_traced_count():
            raise RuntimeError(f"{type(self).__name__} has not been compiled. Call it first.")
        return self._compiled.program_cache.last()[1][0].main_program

    def _whole(self, *args: Any, **kwargs: Any) -> Any:
        for optimizer, _ in self._optimizers:
            optimizer.zero_grad(set_to_none=True)
        with auto_cast(self.config._amp, dtype=self.config._dtype):
            results = self.build(*args, **kwargs)
        for optimizer, _ in self._optimizers:
            optimizer.clip_grad()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        return results

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs what was compiled, with the updates if there are optimizers."""
        if self._compiled is None:
            self._compiled = StaticFunction(type(self)._whole, None, self, True)
        with flow_in_charge(), grad_mode(self.training):
            results = self._compiled(*args, **kwargs)
        for optimizer, schedule in self._optimizers:
            optimizer.steps += 1
            if schedule is not None:
                schedule.step()
        return nest.map_structure(lambda leaf: leaf.detach() if is_value(leaf) else leaf, results)

    # State

    def _modules(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self.__dict__.items() if isinstance(value, Layer)]

    def state_dict(self, destination: Any = None) -> Any:
        """The parameters and buffers of its modules, under the modules' names."""
        state = OrderedDict() if destination is None else destination
        for name, module in self._modules():
            state[name] = module.state_dict()
        return state

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> None:
        """Takes over what `state_dict` gave."""
        for name, module in self._modules():
            if name in state_dict:
                module.load_state_dict(state_dict[name], strict)
            elif strict:
                raise RuntimeError(f"{type(self).__name__}.load_state_dict: there is nothing for the module {name!r}.")

    def __repr__(self) -> str:
        inner = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules()]
        return f"{type(self).__name__}(\n  " + "\n  ".join(inner) + "\n)" if inner else f"{type(self).__name__}()"
