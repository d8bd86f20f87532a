"""Programs: built, differentiated, compiled, run, saved and loaded. The public names of `paddle.static`."""

from . import nn
from .backward import append_backward, gradients
from .data import create_global_var, create_parameter, data
from .executor import Executor
from .input_spec import InputSpec
from .io import (
    deserialize_program,
    load_inference_model,
    normalize_program,
    save_inference_model,
    serialize_program,
)
from .mode import default_main_program, default_startup_program, name_scope, program_guard
from .program import Program, Variable
from .scope import Scope, global_scope, scope_guard

__all__ = [
    "Executor", "InputSpec", "Program", "Scope", "Variable", "append_backward", "create_global_var", "create_parameter",
    "data", "default_main_program", "default_startup_program", "deserialize_program", "global_scope", "gradients",
    "load_inference_model", "name_scope", "nn", "normalize_program", "program_guard", "save_inference_model",
    "scope_guard", "serialize_program",
]
