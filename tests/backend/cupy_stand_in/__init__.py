"""A stand-in for CuPy where there is no GPU: its functions with its parameters only, on arrays that NumPy computes.

`facts.json`, which `read_facts.py` reads from CuPy's wheel, says what there is. What the arrays refuse is what CuPy's
refuse: to become NumPy's unasked, to meet NumPy's in one operation, object dtypes, indices with two masks; and they
give arrays without dimensions where NumPy gives scalars. Where CuPy leaves a result open (two values written to one
place), the stand-in raises `UndefinedOnDevice`.

- `arrays`: the array class and what may index it
- `ufuncs`: elementwise functions with CuPy's loops, `ufunc.at`
- `functions`: all other functions, by binding their arguments to CuPy's parameters
- `namespace`: `cupy` itself, its `linalg`, `fft`, `random`
- `device`: the device type that `proa` knows it as
"""

from .arrays import UndefinedOnDevice, ndarray
from .device import KIND, StandIn
from .namespace import namespace, special
