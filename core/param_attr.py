"""ParamAttr: what a user says of a parameter when a layer makes it."""

from __future__ import annotations

from typing import Any


class ParamAttr:
    """The name, initializer, learning-rate factor, regularizer, trainability and clipping of a parameter to be made.

    >>> import proa as paddle
    >>> attr = paddle.ParamAttr(name="w", learning_rate=0.5)
    >>> paddle.nn.Linear(2, 2, weight_attr=attr).weight.name
    'w'
    """

    def __init__(self, name: str | None = None, initializer: Any = None, learning_rate: float = 1.0,
                 regularizer: Any = None, trainable: bool = True, do_model_average: bool = True,
                 need_clip: bool = True):
        if name is not None and not isinstance(name, str):
            raise TypeError(f"ParamAttr(name): name must be a str or None. Received {name!r}.")
        self.name = name
        self.initializer = initializer
        self.learning_rate = float(learning_rate)
        self.regularizer = regularizer
        self.trainable = bool(trainable)
        self.do_model_average = do_model_average
        self.need_clip = bool(need_clip)

    @staticmethod
    def _to_attr(arg: Any) -> Any:
        """What a layer's `weight_attr` means, by the name under which code asks Paddle for it: False stays False."""
        return False if arg is False else to_param_attr(arg)

    def __repr__(self) -> str:
        return f"ParamAttr(name={self.name!r}, learning_rate={self.learning_rate}, trainable={self.trainable})"


def to_param_attr(value: Any) -> ParamAttr | None:
    """What a layer's `weight_attr` means: a ParamAttr, None (defaults), a name, an initializer, or False.

    Returns None for False: no parameter.
    """
    if value is False:
        return None
    if value is None or value is True:
        return ParamAttr()
    if isinstance(value, ParamAttr):
        return value
    if isinstance(value, str):
        return ParamAttr(name=value)
    if callable(value):
        return ParamAttr(initializer=value)
    raise TypeError(
        f"A parameter's attr must be a ParamAttr, a name, an initializer, None or False. Received {value!r}."
    )
