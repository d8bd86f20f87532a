"""What `import paddle` finds in a process that a script under `proa run` has started: proa, as in that script."""

import os
import sys

if __name__ == "paddle":
    del sys.modules[__name__]
    from proa.compat import install

    install(__name__, os.environ.get("PROA_API", "2.6"))
    __import__(__name__)
