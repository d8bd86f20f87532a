"""Sparse tensors, coo and csr: what `paddle.sparse` computes.

A sparse value is places (index tensors) and `values()`, a dense tensor of one row a place. Functions here compute with
these parts by ordinary operators, through which gradients flow; what those cannot do well are operators of this room:
products of patterns with matrices (`pattern_products.py`) and convolution along a rulebook (`rulebook.py`).
"""
