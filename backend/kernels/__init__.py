"""Accelerated kernels of operators on NumPy arrays, one file a family, as generated loops.

Each takes what its operator's kernel takes without `xp`, gives the same within rounding, and returns NotImplemented for
what it leaves to that kernel: small arrays, other dtypes, loops that are not wanted or not installed. Operators name
them with `cpu=`; nothing here knows of operators. The work of a round, as `parallel(count, work)` is told, is such that
threads share what would take one of them some 15 microseconds.
"""
