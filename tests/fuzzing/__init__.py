"""Files from strangers, by the thousand: `python -m tests.fuzzing --help`."""
