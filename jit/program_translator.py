"""ProgramTranslator: the switch for conversion as an object, as Paddle has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .static_function import StaticFunction, enable_to_static, is_enabled


class ProgramTranslator:
    """Turns conversion on and off, and shows what it makes of a function. There is one: each call gives the same.

    >>> import proa as paddle
    >>> translator = paddle.jit.ProgramTranslator()
    >>> translator is paddle.jit.ProgramTranslator.get_instance()
    True
    """

    _instance: ProgramTranslator | None = None

    def __new__(cls) -> ProgramTranslator:
        """The one there is."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """The one there is."""
        return cls()

    @classmethod
    def reset(cls) -> None:
        """Turns conversion on, as it is at the start."""
        enable_to_static(True)

    @property
    def enable_to_static(self) -> bool:
        """Whether decorated functions are converted."""
        return is_enabled()

    def enable(self, enable_to_static: bool) -> None:
        """Turns conversion on or off; when off, decorated functions run as they were written."""
        _enable(enable_to_static)

    def get_output(self, dygraph_func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What the converted function returns."""
        return self.get_func(dygraph_func)(*args, **kwargs)

    def get_func(self, dygraph_func: Callable[..., Any]) -> Callable[..., Any]:
        """The function as `to_static` makes it."""
        return dygraph_func if isinstance(dygraph_func, StaticFunction) else StaticFunction(dygraph_func)

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """The source that conversion makes of a function."""
        static = self.get_func(dygraph_func)
        assert isinstance(static, StaticFunction)
        return static.code


_enable = enable_to_static
