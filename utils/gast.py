"""`paddle.utils.gast`: the package gast, syntax trees that are the same in every version of Python."""

from gast import *  # noqa: F403
