"""A search over the arguments of single functions: `python -m tests.search.arguments --help`."""
