"""The workloads, each written once for Paddle's API and once for PyTorch's, in the plainest code a user would write.

A module has `in_paddle(paddle, mode, size)` and `in_torch(torch, mode, size)`, which return a step to call, and where
it makes sense `operations(size)` and `traffic(size)`: floating-point operations of a step, and the bytes that it must
move at least. A module imports no framework: it gets one.
"""
