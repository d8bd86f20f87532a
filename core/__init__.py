"""Facts without tensors: dtypes, places, names, flags, random generators, nested structures, files.

Nothing here knows an array library's device, an operator, a Tensor or a Program.
"""
