"""The modules of `flow.nn`."""
