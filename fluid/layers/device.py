"""`fluid.layers.device`: the devices of this machine."""

from __future__ import annotations

from typing import NoReturn


def get_places(device_count: int | None = None, device_type: str | None = None) -> NoReturn:
    """Raises NotImplementedError: what runs on several devices, `CompiledProgram.with_data_parallel` says."""
    raise NotImplementedError("get_places: say on which devices a Program runs by CompiledProgram.with_data_parallel.")


__all__: list[str] = []
