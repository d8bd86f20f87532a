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

    # Jobs
    # Values of variables, and data
    from . import checkpoint, data, job, snapshot, train, typing
    from .checkpoint import load_variables
    from .dtypes import char, convert_oneflow_dtype_to_numpy_dtype, double, dtype, dtypes, half, long
    from .dtypes import float_ as float
    from .dtypes import int_ as int
    from .function_config import FunctionConfig
    from .function_config import FunctionConfig as ExecutionConfig
    from .function_config import FunctionConfig as function_config
    from .job.arguments import FixedTensorDef, MirroredTensorDef
    from .job.global_function import current_global_function_desc, global_function
    from .job.session import clear_default_session, sync_default_session
    from .variable_values import get_all_variables
    from .variables import get_variable
else:
    __getattr__, __dir__ = attach(__name__)
