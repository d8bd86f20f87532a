"""`paddle.base.unique_name`: names that are not taken, by the path of older code; `generator` is the one in charge."""

from typing import Any

from ..utils import unique_name as _names
from ..utils.unique_name import UniqueNameGenerator, generate, generate_with_ignorable_key, guard, switch


def __getattr__(name: str) -> Any:
    return getattr(_names, name)


__all__ = ["UniqueNameGenerator", "generate", "generate_with_ignorable_key", "guard", "switch"]
