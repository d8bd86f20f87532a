"""Building a Program: the program trace, default Programs, control flow, lists, state, and checks of arguments."""
