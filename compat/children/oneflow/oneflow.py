"""What `import oneflow` finds in a process that a script under `proa run` has started: proa, as in that script."""

import importlib.util
import pathlib
import sys

if __name__ == "oneflow":
    del sys.modules[__name__]
    if importlib.util.find_spec("proa") is None:  # it was imported from a folder that is on the path there alone
        sys.path.append(str(pathlib.Path(__file__).absolute().parents[4]))
    from proa.compat import install

    install(__name__)
    __import__(__name__)
