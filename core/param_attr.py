"""ParamAttr: what a user says of a parameter when a layer makes it."""

from __future__ import annotations

from typing import Any


class ParamAttr:
    """What is otherwise of a parameter that a layer makes, as its `weight_attr` or `bias_attr`.

    `name`: its name in files and Programs. `initializer`: its first values (`paddle.nn.initializer`). `learning_rate`:
    a factor of the optimizer's. `regularizer`: in place of the optimizer's `weight_decay`. `trainable=False`: no
    gradient and no update. `need_clip=False`: `grad_clip` leaves it out. `do_model_average=False`: a Program's
    `ModelAverage` leaves it out.

    >>> import proa as paddle
    >>> attr = paddle.ParamAttr(name="w", initializer=paddle.nn.initializer.Constant(0.5), trainable=False)
    >>> layer = paddle.nn.Linear(2, 2, weight_attr=attr)
    >>> layer.weight.name, layer.weight.stop_gradient, layer.weight.tolist()
    ('w', True, [[0.5, 0.5], [0.5, 0.5]])
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
        """What a layer's `weight_attr` means, by the name under which code asks Paddle for it: False stays False.

        Of several, a list.
        """
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(one) for one in arg]
        return False if arg is False else to_param_attr(arg)

    def _to_kwargs(self, with_initializer: bool = False) -> dict[str, Any]:
        """What a Program's `create_parameter` is given of it, by the name under which code asks Paddle for it."""
        said = {"name": self.name, "optimize_attr": {"learning_rate": self.learning_rate},
                "regularizer": self.regularizer, "trainable": self.trainable,
                "do_model_average": self.do_model_average, "need_clip": self.need_clip}
        return {**said, "initializer": self.initializer} if with_initializer else said

    def __repr__(self) -> str:
        return f"ParamAttr(name={self.name!r}, learning_rate={self.learning_rate}, trainable={self.trainable})"


def to_param_attr(value: Any) -> ParamAttr | None:
    """What a layer's `weight_attr` means: a ParamAttr, None (defaults), a name, an initializer, a regularizer or False.

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
    if getattr(type(value), "is_penalty", False):
        return ParamAttr(regularizer=value)
    if callable(value):
        return ParamAttr(initializer=value)
    raise TypeError(
        f"A parameter's attr must be a ParamAttr, a name, an initializer, a regularizer, None or False. "
        f"Received {value!r}."
    )
