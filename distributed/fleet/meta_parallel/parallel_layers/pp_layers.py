"""PipelineLayer: a model as a list of layers, which processes would divide among themselves; one has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from .....core.random import get_rng_state, seed, set_rng_state
from .....nn import Layer, LayerDict
from ...base.topology import CommunicateTopology
from ...recompute import recompute_hybrid

__all__ = ["LayerDesc", "PipelineLayer", "SharedLayerDesc"]


class LayerDesc:
    """A layer that is made later: its class and the arguments to make it with.

    Raises TypeError for what is no class of Layers.

    >>> import proa as paddle
    >>> desc = paddle.distributed.fleet.meta_parallel.LayerDesc(paddle.nn.Linear, 2, 3)
    >>> desc.build_layer().weight.shape
    [2, 3]
    """

    def __init__(self, layer_func: type[Layer], *inputs: Any, **kwargs: Any):
        self.layer_func, self.inputs, self.kwargs = layer_func, inputs, kwargs
        if not (isinstance(layer_func, type) and issubclass(layer_func, Layer)):
            raise TypeError(f"LayerDesc(layer_func): must be a class derived from Layer. Received {layer_func!r}.")

    def build_layer(self) -> Layer:
        """The layer."""
        return self.layer_func(*self.inputs, **self.kwargs)

    def __repr__(self) -> str:
        given = [*map(repr, self.inputs), *(f"{name}={value!r}" for name, value in self.kwargs.items())]
        return f"{self.layer_func.__name__}({', '.join(given)})"


class SharedLayerDesc(LayerDesc):
    """A layer that stands at several places of a model, which are those with the same `key`.

    At a place with a `forward_func` that is called, with the layer and the input.

    >>> import proa as paddle
    >>> from proa.distributed.fleet import meta_parallel as mp
    >>> def scores(embedding, x):  # by the same matrix, the other way
    ...     return x @ embedding.weight.t()
    >>> def table(forward=None):
    ...     return mp.SharedLayerDesc("words", paddle.nn.Embedding, forward, "weight", 10, 4)
    >>> net = mp.PipelineLayer([table(), mp.LayerDesc(paddle.nn.Linear, 4, 4), table(scores)], num_stages=1)
    >>> net(paddle.to_tensor([[1, 2]])).shape, len(net.parameters())
    ([1, 2, 10], 3)
    """

    def __init__(self, key: str, layer_func: type[Layer], forward_func: Callable[..., Any] | None = None,
                 shared_weight_attr: str = "weight", *inputs: Any, **kwargs: Any):
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name, self.forward_func, self.shared_weight_attr = key, forward_func, shared_weight_attr


class PipelineLayer(Layer):
    """A model that is a list of layers, of LayerDescs and of functions, each of which is given the last one's result.

    Parameters are drawn after `paddle.seed(1234 + place in the list)`, as each process would draw its own; the random
    state is then put back. With `recompute_interval` n parts of n layers are computed again for their gradients, with
    `recompute_ctx` as in `recompute_hybrid`. `num_stages`, `seg_method` and `num_virtual_pipeline_stages` say how
    layers are divided among processes: one stage has them all, and ValueError is raised for more.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer
    >>> net = PipelineLayer([LayerDesc(paddle.nn.Linear, 4, 8), paddle.nn.functional.relu], num_stages=1)
    >>> net(paddle.ones([2, 4])).shape, sorted(net.state_dict())
    ([2, 8], ['0.bias', '0.weight'])
    """

    def __init__(self, layers: Iterable[Any], num_stages: int | None = None,
                 topology: CommunicateTopology | None = None, loss_fn: Any = None, seg_method: str = "uniform",
                 recompute_interval: int = 0, recompute_ctx: Mapping[str, Any] | None = None,
                 num_virtual_pipeline_stages: int | None = None):
        super().__init__()
        stages = topology.get_dim("pipe") if topology is not None else num_stages
        if stages != 1 or (num_virtual_pipeline_stages or 1) != 1:
            raise ValueError(f"PipelineLayer(num_stages, topology): there is one process, so that there must be one "
                             f"stage. Received num_stages={num_stages}, topology={topology}, "
                             f"num_virtual_pipeline_stages={num_virtual_pipeline_stages}.")
        self._topo = topology or CommunicateTopology(["data", "pipe", "model"], [1, 1, 1])
        self._loss_fn, self._recompute_interval, self.recompute_ctx = loss_fn, recompute_interval, recompute_ctx or {}
        self._num_stages, self._stage_id, self._num_virtual_pipeline_stages = 1, 0, 1
        self.layers, self._layers_desc = layers, list(layers)
        self._num_layers, self._base_seed = len(self._layers_desc), 1234
        self._start_pos, self._end_pos = 0, self._num_layers
        self.segment_parts = [0, self._num_layers]
        self.shared_layers, self.shared_weight_attrs = LayerDict(), {}  # type: ignore[var-annotated]
        before = get_rng_state()
        self.run_function = [self._made(place, one) for place, one in enumerate(self._layers_desc)]
        set_rng_state(before)

    def _made(self, place: int, one: Any) -> Callable[..., Any]:
        """What runs at a place of the list."""
        seed(self._base_seed + place)
        if isinstance(one, SharedLayerDesc):
            return self._shared(one)
        if isinstance(one, LayerDesc):
            one = one.build_layer()
        if isinstance(one, Layer):
            self.add_sublayer(str(place), one)
        return one

    def _shared(self, one: SharedLayerDesc) -> Callable[..., Any]:
        if one.layer_name not in self.shared_layers:
            self.shared_layers[one.layer_name] = one.build_layer()
            self.shared_weight_attrs[one.layer_name] = one.shared_weight_attr
        layer = self.shared_layers[one.layer_name]
        return layer if one.forward_func is None else partial(one.forward_func, layer)

    def get_stage_from_index(self, layer_idx: int) -> int:
        """The stage that has the layer at a place of the list: 0."""
        if not 0 <= layer_idx < self._num_layers:
            raise IndexError(f"get_stage_from_index(layer_idx): there are {self._num_layers}. Received {layer_idx}.")
        return 0

    def get_num_virtual_stages(self) -> int:
        """The number of parts that a stage has: 1."""
        return 1

    def forward_function(self, start: int, end: int) -> Callable[..., Any]:
        """A function that runs the layers from `start` to `end`."""
        def run(*x: Any) -> Any:
            value: Any = x[0] if len(x) == 1 else x
            for function in self.run_function[start:end]:
                value = function(value)
            return value

        return run

    def forward(self, input: Any, chunk_id: int | None = None) -> Any:
        """Runs all layers; several inputs are a tuple."""
        if self._recompute_interval == 0:
            return self.forward_function(0, self._num_layers)(input)
        for start in range(0, self._num_layers, self._recompute_interval):
            part = self.forward_function(start, start + self._recompute_interval)
            given = input if isinstance(input, tuple) else (input,)
            input = recompute_hybrid(self.recompute_ctx, part, *given)
        return input
