"""Batches for Programs: samples become arrays or LoD tensors by the names of variables, ahead of the runs."""
