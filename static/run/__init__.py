"""Running a Program: the Executor, scopes, places, strategies."""
