"""`paddle.utils`: names that do not repeat, arrays shared with other libraries, checks of an installation."""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from . import cpp_extension, dlpack, download, gast, plot, signal, sysconfig, unique_name
    from .deprecation import deprecated
    from .installation import require_version, run_check, try_import
    from .plot import Ploter
    from .structures import assert_same_structure, flatten, is_sequence, map_structure, pack_sequence_as
else:
    __getattr__, __dir__ = attach(__name__)
