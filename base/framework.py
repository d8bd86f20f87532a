"""`paddle.base.framework`: Programs and modes by the path under which older code reaches them."""

from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..dygraph.tensor import EagerParamBase, Parameter
from ..framework import core, in_dynamic_or_pir_mode, in_pir_mode, use_pir_api
from ..static.building.mode import (
    default_main_program,
    default_startup_program,
    in_dynamic_mode,
    name_scope,
    program_guard,
)
from ..static.ir.program import Block, Program, Variable
from ..static.run.places import cpu_places, cuda_places, device_guard
from ..utils import unique_name

in_dygraph_mode = in_dynamic_mode

__all__ = [
    "Block", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EagerParamBase", "Parameter", "Program", "Variable", "core",
    "cpu_places", "cuda_places", "default_main_program", "default_startup_program", "device_guard", "in_dygraph_mode",
    "in_dynamic_mode", "in_dynamic_or_pir_mode", "in_pir_mode", "name_scope", "program_guard", "unique_name",
    "use_pir_api",
]
