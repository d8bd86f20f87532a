"""Building a Program: the program trace, default Programs, control flow, lists, data, forms in place."""
