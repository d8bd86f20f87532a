"""A module whose functions converted code calls, and which tests replace."""


def shift(x):
    return x + 0.5


FUNCTIONS = {"first": shift}
