"""Random functions of plain Python around tensors, each run as it is written and converted: both must give the same.

`writing.py` and `expressions.py` write a function as source, with what `held.py` defines; `running.py` runs it as it
is written, converted with `full_graph=True` and by default. `python -m tests.search.functions --help` says how to call
it.
"""
