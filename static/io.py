"""`paddle.static.io`: Programs, models and values in files and bytes, under Paddle's path."""

from .building.mode import default_main_program, program_guard
from .files.inference_model import (
    deserialize_program,
    load_inference_model,
    normalize_program,
    save_inference_model,
    serialize_program,
)
from .files.persistence import (
    deserialize_persistables,
    load,
    load_from_file,
    load_program_state,
    save,
    save_to_file,
    serialize_persistables,
    set_program_state,
)
from .files.save_vars import (
    get_program_persistable_vars,
    is_belong_to_optimizer,
    is_parameter,
    is_persistable,
    load_vars,
    save_vars,
)
from .ir.frame import append_fetch_ops, prepend_feed_ops
from .ir.variable import ParameterVariable as Parameter
from .ir.variable import Variable
from .program import Program
from .run.compiled_program import CompiledProgram
from .run.executor import Executor
from .run.scope import global_scope

__all__ = [
    "CompiledProgram", "Executor", "Parameter", "Program", "Variable", "append_fetch_ops", "default_main_program",
    "deserialize_persistables", "deserialize_program", "get_program_persistable_vars", "global_scope",
    "is_belong_to_optimizer", "is_parameter", "is_persistable", "load", "load_from_file", "load_inference_model",
    "load_program_state", "load_vars", "normalize_program", "prepend_feed_ops", "program_guard", "save",
    "save_inference_model", "save_to_file", "save_vars", "serialize_persistables", "serialize_program",
    "set_program_state",
]
