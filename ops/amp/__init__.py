"""Mixed precision: the trace that casts, the lists it goes by, the scaling of losses."""
