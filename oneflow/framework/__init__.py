"""Paths within OneFlow that published scripts import: `oneflow.python.framework`, later `…single_client.framework`."""
