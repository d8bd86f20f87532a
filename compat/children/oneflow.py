"""What `import oneflow` finds in a process that a script under `proa run` has started: proa, as in that script."""

import sys

if __name__ == "oneflow":
    del sys.modules[__name__]
    from proa.compat import install

    install(__name__)
    __import__(__name__)
