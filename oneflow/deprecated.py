"""`flow.deprecated`: an older name of `flow.scope.namespace`."""

from .refused import explaining
from .scope import namespace as variable_scope

__getattr__ = explaining(__name__)
__all__ = ["variable_scope"]
