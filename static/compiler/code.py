"""The compiled source of a plan; a long one is kept on disk: Python takes longer to compile it than to read the result.

It is kept as Python keeps a module's code in a `.pyc`, by a digest of the source, in the folder of
`backend/loops/cache.py`, which is this user's own.
"""

from __future__ import annotations

import importlib.util
import marshal
from types import CodeType

from ...backend.loops import cache

_KIND = ".code"
_LONG = 8192  # characters
_ANYWHERE = "<proa plan>"


def code_of(source: str, file: str) -> CodeType:
    """The code of a source, which tracebacks place in `file`."""
    if len(source) < _LONG:
        return compile(source, file, "exec")
    key = cache.key_of(f"{importlib.util.MAGIC_NUMBER.hex()} {source}")
    kept = cache.read(key, _KIND)
    if kept is not None:
        return _placed(marshal.loads(kept), file)  # the folder is this user's own
    code = compile(source, _ANYWHERE, "exec")
    cache.write(key, marshal.dumps(code), _KIND)
    return _placed(code, file)


def _placed(code: CodeType, file: str) -> CodeType:
    constants = tuple(_placed(value, file) if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)
