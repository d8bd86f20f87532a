"""Exchanges of tensors between processes: collectives and messages, as operators that no pass moves or merges.

Their kernels are those of a world of one process; an engine of communication registers its own
(`distributed/engine.py`).
"""
