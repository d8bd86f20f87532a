"""What a Model does about mixed precision: the settings of `prepare(amp_configs=...)`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..amp import GradScaler
from ..amp.auto_cast import auto_cast, decorate
from ..static.amp.decorator import decorate as decorate_program
from ..static.amp.lists import AutoMixedPrecisionLists

_CASTING = ("custom_white_list", "custom_black_list", "dtype", "use_promote")
_SCALING = ("init_loss_scaling", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
            "use_dynamic_loss_scaling")
_STATIC_ONLY = ("use_pure_fp16", "use_fp16_guard")


class AmpSettings:
    """The level, and what `auto_cast` and `GradScaler` take. Raises ValueError for what is unknown."""

    def __init__(self, configs: Any):
        given: dict[str, Any] = {"level": configs} if isinstance(configs, str) else dict(configs or {})
        self.level = given.pop("level", "O1" if given else "O0")
        if self.level not in ("O0", "O1", "O2"):
            raise ValueError(f"prepare(amp_configs): the level must be 'O0', 'O1' or 'O2'. Received {self.level!r}.")
        unknown = sorted(set(given) - {*_CASTING, *_SCALING, *_STATIC_ONLY})
        if unknown:
            raise ValueError(f"prepare(amp_configs): {unknown} are unknown. There are 'level', "
                             f"{', '.join(map(repr, (*_CASTING, *_SCALING)))}.")
        self._casting = {k: v for k, v in given.items() if k in _CASTING}
        self._scaling = {k: v for k, v in given.items() if k in _SCALING}
        self._uses_guard = self.level == "O2" and bool(given.get("use_fp16_guard", True))
        self.scaler = GradScaler(self.level != "O0", **self._scaling)

    def casting(self) -> AbstractContextManager[None]:
        """Within the block operators compute in the dtypes of the level."""
        return auto_cast(self.level != "O0", level=self.level, **self._casting)

    def decorate(self, network: Any, optimizer: Any) -> None:
        """Casts the parameters where the level is O2."""
        if self.level == "O2":
            decorate(network, optimizer, level="O2", dtype=self._casting.get("dtype", "float16"))

    def of_programs(self, optimizer: Any) -> Any:
        """The optimizer, or around it one whose `minimize` trains a Program in the dtypes of the level.

        At O2 these are the operators within `static.amp.fp16_guard`, or with `use_fp16_guard=False` all of them.
        """
        if self.level == "O0":
            return optimizer
        dtype = self._casting.get("dtype", "float16")
        lists = AutoMixedPrecisionLists(
            self._casting.get("custom_white_list"), self._casting.get("custom_black_list"), dtype=dtype)
        return decorate_program(
            optimizer, lists, level=self.level, dtype=dtype, use_amp_guard=self._uses_guard,
            use_promote=self._casting.get("use_promote", False), **self._scaling)
