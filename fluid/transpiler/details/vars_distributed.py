"""VarsDistributed: which part of which variable lies on which parameter server."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any


@dataclasses.dataclass(eq=True)
class VarStruct:
    """What a variable is, apart from its value."""

    name: str
    shape: tuple[int, ...]
    dtype: Any
    type: Any
    lod_level: int
    persistable: bool

    @classmethod
    def of(cls, var: Any) -> VarStruct:
        """That of a Variable, or of another one of these."""
        return cls(var.name, tuple(var.shape), var.dtype, var.type, var.lod_level, var.persistable)


class VarDistributed:
    """A variable, and the part of it that a server holds.

    `offset`: how many elements lie before the part; `vtype`: "Param", "Optimizer" or "RemotePrefetch".
    """

    def __init__(self, origin_var: Any, slice_var: Any, is_slice: bool | None = None, block_id: int | None = None,
                 offset: int | None = None, vtype: str | None = None, endpoint: str | None = None):
        self.origin, self.slice = VarStruct.of(origin_var), VarStruct.of(slice_var)
        self.is_slice = self.origin != self.slice if is_slice is None else is_slice
        self.block_id, self.offset = block_id or 0, offset or 0
        self.vtype, self.endpoint = vtype, endpoint

    @staticmethod
    def equal(var1: Any, var2: Any) -> bool:
        """Whether two variables are alike in all but their values."""
        return VarStruct.of(var1) == VarStruct.of(var2)

    def __str__(self) -> str:
        def told(var: VarStruct) -> str:
            return f"{var.name} : fluid.{var.type}.shape{var.shape}.astype({var.dtype})"

        return (f"var owned: {self.vtype}, origin var: ( {told(self.origin)} ), slice var: ( {told(self.slice)}"
                f".slice({self.is_slice}).block({self.block_id}).offset({self.offset}) ), endpoint: {self.endpoint} ")


class VarsDistributed:
    """All parts, and who asks for them.

    >>> from proa.fluid.transpiler.details import VarsDistributed
    >>> VarsDistributed().overview()
    ''
    """

    equal = staticmethod(VarDistributed.equal)

    def __init__(self) -> None:
        self.distributed_vars: list[VarDistributed] = []

    def add_distributed_var(self, origin_var: Any, slice_var: Any, is_slice: bool | None = None,
                            block_id: int | None = None, offset: int | None = None, vtype: str | None = None,
                            endpoint: str | None = None) -> None:
        """Notes where a part lies."""
        self.distributed_vars.append(VarDistributed(origin_var, slice_var, is_slice, block_id, offset, vtype, endpoint))

    def get_distributed_var_by_slice(self, var_name: str) -> VarDistributed | None:
        """The part of this name."""
        return next((var for var in self.distributed_vars if var.slice.name == var_name), None)

    def get_distributed_var_by_origin_and_ep(self, origin_var_name: str, endpoint: str) -> VarDistributed | None:
        """The part that a server has of a variable."""
        return next((var for var in self.distributed_vars
                     if var.origin.name == origin_var_name and var.endpoint == endpoint), None)

    def get_distributed_vars_by_vtypes(self, vtypes: Collection[str], groupby: bool = False) -> Any:
        """The parts of these kinds; with `groupby` lists of them by the names of the variables."""
        found = [var for var in self.distributed_vars if var.vtype in vtypes]
        if not groupby:
            return found
        groups: dict[str, list[VarDistributed]] = {}
        for var in found:
            groups.setdefault(var.origin.name, []).append(var)
        return groups

    def get_distributed_vars_by_ep(self, endpoint: str, vtype: str | None = None) -> list[VarDistributed]:
        """The parts that a server has, or those of a kind."""
        return [var for var in self.distributed_vars
                if var.endpoint == endpoint and (not vtype or var.vtype == vtype)]

    def overview(self) -> str:
        """A line for each part."""
        return "\n".join(str(var) for var in self.distributed_vars)


__all__ = ["VarDistributed", "VarStruct", "VarsDistributed"]
