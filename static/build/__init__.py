"""Building a Program: the program trace, default Programs, control flow, lists, state and whatever else is written in."""
