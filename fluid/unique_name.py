"""`fluid.unique_name`: as `paddle.utils.unique_name`, with what 1.x gives and takes."""

from typing import Any

from ..core import unique_name as _names
from ..core.lazy import listed
from ..core.unique_name import UniqueNameGenerator, generate, guard


class DygraphParameterNameChecker:
    """What 1.x hands on beside a generator: names of parameters are checked where they are made."""


def generate_with_ignorable_key(key: str) -> str:
    """A name for what nobody asks for by name: as `generate`."""
    return generate(key)


def switch(new_generator: UniqueNameGenerator | None = None,
           new_para_name_checker: Any = None) -> tuple[UniqueNameGenerator, DygraphParameterNameChecker]:
    """Puts another generator (a fresh one by default) in charge; gives the one that it replaces, and its checker.

    >>> import proa.fluid as fluid
    >>> before, checker = fluid.unique_name.switch()
    >>> fluid.unique_name.generate("fc"), fluid.unique_name.switch(before)[0] is before
    ('fc_0', False)
    """
    return _names.switch(new_generator)[0], new_para_name_checker or DygraphParameterNameChecker()


def __getattr__(name: str) -> Any:
    if name == "generator":
        return _names.generator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["DygraphParameterNameChecker", "UniqueNameGenerator", "generate", "generate_with_ignorable_key", "guard",
           "switch"]
__dir__ = listed(__name__)
