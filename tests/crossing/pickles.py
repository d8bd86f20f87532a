"""Pickles one after the other in a file, as two processes hand them to each other."""

import pickle


def pickles(path):
    """The objects in a file, up to the first that is not whole."""
    with open(path, "rb") as file:
        while True:
            try:
                yield pickle.load(file)
            except (EOFError, pickle.UnpicklingError):
                return
