"""Building a Program: the program trace, default Programs, control flow, lists, state and what else is written into one."""
