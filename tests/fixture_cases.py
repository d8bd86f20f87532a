"""Loads the cases that a fixture was made from: a script that fixtures and tests share, beside the fixture."""

import importlib.util


def module_at(path):
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
