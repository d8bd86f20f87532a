"""What a call comes to: its result, or the type of its error and the line of the test's file where it arose."""

import copy
import traceback


def outcome(function, arguments):
    """The result of a call with copies of the arguments, or its error."""
    try:
        return "result", function(*copy.deepcopy(arguments))
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
                 if frame.filename == function.__code__.co_filename]
        if isinstance(error, UnboundLocalError):  # Python 3.11 names the line before, once a function is warm
            lines = []
        return "error", type(error), lines[-1:]


def assert_same(new, old, argument_sets):
    """Both functions come to the same with each set of arguments."""
    for arguments in argument_sets:
        got, wanted = outcome(new, arguments), outcome(old, arguments)
        assert got == wanted, f"{old.__name__}{arguments}: {got} instead of {wanted}"
