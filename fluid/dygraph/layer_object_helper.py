"""LayerObjectHelper: what `layer._helper` gives to layers that users write, `append_op` and what belongs to it."""

from __future__ import annotations

from typing import Any

from ..layer_helper import LayerHelper


class LayerObjectHelper(LayerHelper):
    """As a LayerHelper; what it makes is named after the layer.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> class Doubled(fluid.dygraph.Layer):
    ...     def forward(self, x):
    ...         out = self._helper.create_variable_for_type_inference(x.dtype)
    ...         self._helper.append_op(type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0})
    ...         return self._helper.append_activation(out, act="relu")
    >>> with fluid.dygraph.guard():
    ...     Doubled()(fluid.dygraph.to_variable(np.array([-1.0, 2.0], "float32"))).numpy().tolist()
    [0.0, 4.0]
    """

    def __init__(self, name: str):
        super().__init__(name, name=name)

    def append_activation(self, input_var: Any, act: str | None = None,
                          use_cudnn: bool | None = None, use_mkl_dnn: bool | None = None) -> Any:
        """The variable behind the activation of this operator type; itself for None."""
        return self.activated(input_var, act)

    def input_dtype(self, inputs_in: Any) -> Any:  # type: ignore[override]
        """The dtype that variables have; ValueError where they have several."""
        given = list(inputs_in) if isinstance(inputs_in, (list, tuple)) else [inputs_in]
        dtypes = {value.dtype for value in given}
        if len(dtypes) > 1:
            raise ValueError(f"{self.layer_type}: the inputs must have one dtype. Received "
                             f"{sorted(dtype.name for dtype in dtypes)}.")
        return dtypes.pop() if dtypes else None


__all__ = ["LayerObjectHelper"]
