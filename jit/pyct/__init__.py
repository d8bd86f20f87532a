"""Python code as data: reading a function's source, analysing it, building new code and loading it back.

Knows Python alone: nothing here may know tensors, operators or what the new code is for.
"""
