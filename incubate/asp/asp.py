"""Training with n zeros in every m of the weights (automatic sparsity): masks, and optimizers that keep to them."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

import numpy as np

from ...core.param_attr import ParamAttr
from ...dygraph.guards import no_grad
from ...nn.initializer import Constant
from ...nn.layer.layers import Layer
from ...static.building.data import create_parameter
from ...static.building.mode import (
    default_main_program,
    default_startup_program,
    in_dynamic_mode,
    program_guard,
)
from ...static.ir.program import Program
from ...static.run.scope import global_scope
from .supported_layer_list import _default_pruning, supported_layers_and_prune_func_map
from .utils import MaskAlgo

_ALGORITHMS = {"mask_1d": MaskAlgo.MASK_1D, "mask_2d_greedy": MaskAlgo.MASK_2D_GREEDY,
               "mask_2d_best": MaskAlgo.MASK_2D_BEST}


def set_excluded_layers(param_names: list[str], main_program: Any = None) -> None:
    """Leaves layers out whose weights' names contain one of these; to be said before `decorate` and `minimize`.

    Of Tensors, and of the default main Program without `main_program`.

    >>> import proa as paddle
    >>> from proa.incubate import asp
    >>> net = paddle.nn.Linear(8, 8)
    >>> asp.set_excluded_layers([net.full_name()])
    >>> masks = asp.prune_model(net, with_mask=False)
    >>> asp.reset_excluded_layers()
    >>> float(asp.calculate_density(net.weight.numpy()))
    1.0
    """
    ASPHelper.set_excluded_layers(param_names, main_program or default_main_program())


def reset_excluded_layers(main_program: Any = None) -> None:
    """Forgets what `set_excluded_layers` said of a Program, or without one of all.

    >>> from proa.incubate import asp
    >>> asp.reset_excluded_layers()
    """
    ASPHelper.reset_excluded_layers(main_program)


def decorate(optimizer: Any) -> OptimizerWithSparsityGuarantee:
    """An optimizer whose steps leave zeros where the masks of `prune_model` have them.

    >>> import proa as paddle
    >>> from proa.incubate import asp
    >>> net = paddle.nn.Linear(8, 4)
    >>> sgd = asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    >>> masks = asp.prune_model(net)
    >>> net(paddle.ones([2, 8])).sum().backward()
    >>> sgd.step()
    >>> asp.calculate_density(net.weight.numpy())
    0.5
    """
    return ASPHelper.decorate(optimizer)


def prune_model(model: Any, n: int = 2, m: int = 4, mask_algo: str = "mask_1d",
                with_mask: bool = True) -> dict[str, np.ndarray]:
    """Sets n of every m weights of the supported layers to zero; gives the masks by the names of the weights.

    `model`: a Layer or a Program, whose startup Program has run. `mask_algo`: 'mask_1d' leaves out the smallest of
    every m along the dimension that a product adds over; 'mask_2d_greedy' and 'mask_2d_best' do so in both directions.
    `with_mask`: the optimizer that was decorated, or has minimized, keeps to the masks; False for what is not trained.

    `AssertionError` for another `mask_algo`, and where no optimizer was decorated before; `TypeError` for what is
    neither Layer nor Program. Weights are those of layers 'fc', 'linear', 'conv2d' and of `add_supported_layer`.

    >>> import proa as paddle
    >>> from proa.incubate import asp
    >>> net = paddle.nn.Linear(8, 4)
    >>> masks = asp.prune_model(net, with_mask=False)
    >>> masks[net.weight.name].sum(axis=0).tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    if mask_algo not in _ALGORITHMS:
        raise AssertionError(f"prune_model(mask_algo): must be one of {sorted(_ALGORITHMS)}. Received {mask_algo!r}.")
    if isinstance(model, Layer):
        prune: Any = ASPHelper.prune_model_by_layer
    elif isinstance(model, Program):
        prune = ASPHelper.prune_model_by_program
    else:
        raise TypeError(f"prune_model(model): must be a paddle.nn.Layer or a paddle.static.Program. Received "
                        f"{type(model).__name__}.")
    return prune(None, model, n=n, m=m, mask_algo=_ALGORITHMS[mask_algo], with_mask=with_mask)


class ProgramASPInfo:
    """What is known of a Program's masks, or of those of Tensors: variables, arrays, layers that are left out."""

    def __init__(self) -> None:
        self.mask_vars: dict[str, Any] = {}
        self.masks: dict[str, np.ndarray] = {}
        self.excluded_layers: list[str] = []
        self._masked: dict[str, ref[Any]] = {}

    def has_mask_of(self, param: Any) -> bool:
        """Whether there is a mask of this parameter, and not of an earlier one of its name."""
        return param.name in self._masked and self._masked[param.name]() is param

    def add_mask(self, param: Any, mask: Any) -> None:
        """The variable of a parameter's mask, as long as the parameter is this one."""
        self._masked[param.name] = ref(param)
        self.update_mask_vars(param.name, mask)

    def update_mask_vars(self, param_name: str, var: Any) -> None:
        """The variable of a parameter's mask."""
        self.mask_vars[param_name] = var

    def update_masks(self, param_name: str, var: np.ndarray) -> None:
        """A parameter's mask as an array."""
        self.masks[param_name] = var

    def update_excluded_layers(self, param_names: list[str]) -> None:
        """More layers that are left out."""
        self.excluded_layers.extend(copy.deepcopy(param_names))

    def reset_excluded_layers(self) -> None:
        """None are left out."""
        self.excluded_layers = []


class ASPHelper:
    """What the functions of `paddle.incubate.asp` do. What is known of Tensors is kept by the default main Program."""

    MASK_APPENDDED_NAME = "asp_mask"
    PADDLE_WEIGHT_SUFFIX = "w_"
    _infos: ClassVar[WeakKeyDictionary[Any, ProgramASPInfo]] = WeakKeyDictionary()

    @classmethod
    def set_excluded_layers(cls, param_names: list[str], main_program: Any) -> None:
        """`asp.set_excluded_layers`."""
        cls._get_program_asp_info(main_program).update_excluded_layers(param_names)

    @classmethod
    def reset_excluded_layers(cls, main_program: Any = None) -> None:
        """`asp.reset_excluded_layers`."""
        found = cls._infos.values() if main_program is None else [cls._get_program_asp_info(main_program)]
        for info in found:
            info.reset_excluded_layers()

    @classmethod
    def decorate(cls, optimizer: Any) -> OptimizerWithSparsityGuarantee:
        """`asp.decorate`."""
        if in_dynamic_mode():
            cls._create_mask_variables(default_main_program(), default_startup_program(), optimizer._parameter_list)
        return OptimizerWithSparsityGuarantee(optimizer)

    @classmethod
    def prune_model_by_program(cls, place: Any, main_program: Any = None, n: int = 2, m: int = 4,
                               mask_algo: MaskAlgo = MaskAlgo.MASK_1D, with_mask: bool = True) -> dict[str, np.ndarray]:
        """`asp.prune_model` of a Program, whose values are those of the scope."""
        main_program = main_program or default_main_program()
        info, scope = cls._get_program_asp_info(main_program), global_scope()
        for param in main_program.global_block().all_parameters():
            if not cls._is_supported_layer(main_program, param.name):
                continue
            held = scope.find_var(param.name)
            if held is None:
                raise AssertionError(f"prune_model(model): the scope has no {param.name}. Run the startup Program "
                                     f"first.")
            weight = np.array(held.get_tensor())
            pruned, mask = cls._get_prune_func_by_name(param.name)(weight, m, n, mask_algo, param.name)
            held.get_tensor().set(pruned.astype(weight.dtype), place)
            if with_mask:
                kept = scope.find_var(cls._get_mask_name(param.name))
                if kept is None:
                    raise AssertionError(f"prune_model(with_mask=True): there is no {cls._get_mask_name(param.name)}. "
                                         f"Call paddle.incubate.asp.decorate(optimizer).minimize(loss), and run the "
                                         f"startup Program, first.")
                mask = mask.astype(np.array(kept.get_tensor()).dtype)
                kept.get_tensor().set(mask, place)
            info.update_masks(param.name, mask)
        return info.masks.copy()

    @classmethod
    def prune_model_by_layer(cls, place: Any, layer: Layer, n: int = 2, m: int = 4,
                             mask_algo: MaskAlgo = MaskAlgo.MASK_1D, with_mask: bool = True) -> dict[str, np.ndarray]:
        """`asp.prune_model` of a Layer; of one whose parameters belong to a Program that Program's."""
        parameters = layer.parameters()
        if not in_dynamic_mode():
            if not parameters:
                raise AssertionError("prune_model(model): the layer has no parameters, which would say its Program.")
            return cls.prune_model_by_program(place, parameters[-1].block.program, n, m, mask_algo, with_mask)
        main = default_main_program()
        info = cls._get_program_asp_info(main)
        for param in parameters:
            if not cls._is_supported_layer(main, param.name):
                continue
            weight = param.numpy()
            pruned, mask = cls._get_prune_func_by_name(param.name)(weight, m, n, mask_algo, param.name)
            param.set_value(pruned.astype(weight.dtype))
            if with_mask:
                if not info.has_mask_of(param):
                    raise AssertionError(f"prune_model(with_mask=True): there is no {cls._get_mask_name(param.name)}. "
                                         f"Decorate the optimizer first: paddle.incubate.asp.decorate(optimizer).")
                info.mask_vars[param.name].set_value(mask.astype(weight.dtype))
            info.update_masks(param.name, mask)
        return info.masks.copy()

    @classmethod
    def _get_mask_name(cls, param_name: str) -> str:
        return f"{param_name}.{cls.MASK_APPENDDED_NAME}"

    @classmethod
    def _get_not_ASP_relevant_vars(cls, main_program: Any) -> list[Any]:
        return [p for p in main_program.global_block().all_parameters() if cls.MASK_APPENDDED_NAME not in p.name]

    @classmethod
    def _get_program_asp_info(cls, main_program: Any) -> ProgramASPInfo:
        return cls._infos.setdefault(main_program, ProgramASPInfo())

    @classmethod
    def _is_supported_layer(cls, main_program: Any, param_name: str) -> bool:
        """Whether this is a weight that is pruned: `linear_0.w_0`, or a name that `add_supported_layer` was given."""
        if cls.MASK_APPENDDED_NAME in param_name:
            return False
        if any(layer in param_name for layer in cls._get_program_asp_info(main_program).excluded_layers):
            return False
        if param_name in supported_layers_and_prune_func_map:
            return True
        layer, _, suffix = param_name.partition(".")
        if cls.PADDLE_WEIGHT_SUFFIX not in suffix.split(".")[0]:
            return False
        return not supported_layers_and_prune_func_map.keys().isdisjoint((layer, layer[:layer.rfind("_")]))

    @classmethod
    def _get_prune_func_by_name(cls, param_name: str) -> Any:
        layer = param_name.split(".")[0]
        for name in (param_name, layer, layer[:layer.rfind("_")]):
            if name in supported_layers_and_prune_func_map:
                return supported_layers_and_prune_func_map[name]
        return _default_pruning

    @classmethod
    def _minimize(cls, optimizer: Any, loss: Any, main_program: Any = None, startup_program: Any = None,
                  parameter_list: Any = None, no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """`optimizer.minimize`, and behind it the products with the masks."""
        operations, pairs = optimizer.minimize(loss, startup_program, parameter_list, no_grad_set=no_grad_set)
        if in_dynamic_mode():
            main_program, startup_program = default_main_program(), default_startup_program()
        main_program = main_program or loss.block.program
        updated = [parameter for parameter, _ in pairs]
        cls._create_mask_variables(main_program, startup_program or default_startup_program(), updated)
        cls._insert_sparse_mask_ops(main_program, updated)
        return operations, pairs

    @classmethod
    def _step(cls, optimizer: Any) -> None:
        """`optimizer.step`, and then the products with the masks."""
        optimizer.step()
        cls._insert_sparse_mask_ops(default_main_program(), optimizer._parameter_list)

    @classmethod
    def _create_mask_variables(cls, main_program: Any, startup_program: Any, params: Iterable[Any]) -> None:
        """Masks of ones for parameters that have none yet."""
        info = cls._get_program_asp_info(main_program)
        for param in params:
            if info.has_mask_of(param) or not cls._is_supported_layer(main_program, param.name):
                continue
            made = ParamAttr(cls._get_mask_name(param.name), initializer=Constant(1.0), trainable=False)
            if in_dynamic_mode():
                mask = create_parameter(param.shape, param.dtype, attr=made)
            else:
                with program_guard(main_program, startup_program):
                    mask = create_parameter(param.shape, param.dtype, attr=made)
            mask.stop_gradient = True
            info.add_mask(param, mask)

    @classmethod
    def _insert_sparse_mask_ops(cls, main_program: Any, params: Iterable[Any]) -> None:
        """Products of parameters with their masks: at once for Tensors, else at the end of the Program."""
        info = cls._get_program_asp_info(main_program)
        found = [(param, info.mask_vars[param.name]) for param in params if info.has_mask_of(param)]
        if in_dynamic_mode():
            with no_grad():
                for param, mask in found:
                    param.set_value(param * mask)
            return
        with main_program._optimized_guard([]):
            for param, mask in found:
                main_program.global_block().append_op(
                    type="elementwise_mul", inputs={"X": param, "Y": mask}, outputs={"Out": param}, attrs={"axis": -1})


class OptimizerWithSparsityGuarantee:
    """An optimizer that multiplies the parameters with their masks after each update. Made by `decorate`.

    Everything else is the optimizer's own, but for the masks of Tensors, which stand in `state_dict` too.
    """

    def __init__(self, optimizer: Any):
        self._optimizer = optimizer

    def __getattr__(self, name: str) -> Any:
        if name == "_optimizer":  # it is not there yet
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """The optimizer's `minimize`, and behind it the products with the masks."""
        return ASPHelper._minimize(self._optimizer, loss, startup_program=startup_program,
                                   parameter_list=parameter_list, no_grad_set=no_grad_set)

    def step(self) -> None:
        """The optimizer's `step`, and then the products with the masks."""
        ASPHelper._step(self._optimizer)

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state, and the masks by their names."""
        return {**self._optimizer.state_dict(),
                **{ASPHelper._get_mask_name(name): mask for name, mask in self._masks().items()}}

    def _masks(self) -> dict[str, Any]:
        info = ASPHelper._get_program_asp_info(default_main_program())
        return {p.name: info.mask_vars[p.name] for p in self._optimizer._parameter_list or () if info.has_mask_of(p)}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The optimizer's state, and the masks. `AssertionError` where one is missing."""
        info = ASPHelper._get_program_asp_info(default_main_program())
        for name, mask in self._masks().items():
            key = ASPHelper._get_mask_name(name)
            if key not in state_dict:
                raise AssertionError(f"set_state_dict(state_dict): {key} is missing.")
            mask.set_value(state_dict[key])
            info.update_masks(name, mask.numpy())
        self._optimizer.set_state_dict({key: value for key, value in state_dict.items()
                                        if not key.endswith(f".{ASPHelper.MASK_APPENDDED_NAME}")})
