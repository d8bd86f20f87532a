"""`paddle.utils.unique_name`; its `generator` is the one in charge."""

from typing import Any

from ..core import unique_name as _names
from ..core.lazy import listed
from ..core.unique_name import UniqueNameGenerator, generate, generate_with_ignorable_key, guard, switch


def __getattr__(name: str) -> Any:
    if name == "generator":
        return _names.generator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["UniqueNameGenerator", "generate", "generate_with_ignorable_key", "guard", "switch"]
__dir__ = listed(__name__)
