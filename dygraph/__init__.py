"""Eager execution: Tensor, Parameter, the eager trace and its engine, `no_grad`, `grad`, PyLayer, state on disk."""
