"""Operators that files have and nothing here computes, each by what it is made of (`ops/core/decomposition.py`)."""
