"""`fluid.unique_name`: as `paddle.utils.unique_name`."""

from typing import Any

from ..core import unique_name as _names
from ..core.unique_name import UniqueNameGenerator, generate, guard, switch


def generate_with_ignorable_key(key: str) -> str:
    """A name for what nobody asks for by name: as `generate`."""
    return generate(key)


def __getattr__(name: str) -> Any:
    if name == "generator":
        return _names.generator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["UniqueNameGenerator", "generate", "generate_with_ignorable_key", "guard", "switch"]
