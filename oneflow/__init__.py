"""OneFlow: `import proa.oneflow as flow`, or `import oneflow as flow` under `python -m proa run`.

A face: it translates OneFlow's names, arguments, shapes and defaults to the operators that are there, and computes
nothing of its own. `flow.global_function` makes jobs of functions (`job/`); their variables are `flow.get_variable`'s.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    # Element types
    from ..core.dtype import (
        bfloat16,
        complex64,
        complex128,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
    )
    from ..core.dtype import bool_ as bool
    from .dtypes import char, convert_oneflow_dtype_to_numpy_dtype, double, dtype, half, long
    from .dtypes import float_ as float
    from .dtypes import int_ as int

    # isort: split
    # Jobs and what is around them
    from . import advanced, config, distribute, env, job, losses, scope, typing, unittest
    from .distribute import cast_to_current_logical_view, hierarchical_parallel_cast, parallel_cast
    from .env import current_machine_id, current_resource, eager_execution_enabled, enable_eager_execution
    from .job.arguments import FixedTensorDef, MirroredTensorDef
    from .job.function_config import FunctionConfig
    from .job.function_config import FunctionConfig as ExecutionConfig
    from .job.function_config import FunctionConfig as function_config
    from .job.global_function import current_global_function_desc, global_function
    from .job.placement import Placement as device_prior_placement
    from .job.placement import Placement as fixed_placement
    from .job.session import clear_default_session, sync_default_session
    from .job.watch import watch, watch_diff
    from .scope import namespace as name_scope
    from .variables import get_variable

    # isort: split
    # Values of variables, and data
    from . import checkpoint, data, snapshot, train
    from .checkpoint import load_variables
    from .variable_values import get_all_variables
else:
    __getattr__, __dir__ = attach(__name__)
    from .dtypes import dtypes  # at once: loading the module of that name would put it in the function's place

__version__ = "0.6.0"
