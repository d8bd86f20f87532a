"""Operators that Paddle 1.x alone writes, many of them for what later Programs write by another (`matmul`, `top_k`)."""
