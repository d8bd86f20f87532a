"""Paddle's files at the level of bytes, NumPy arrays and protobuf messages: no Tensor, no Program, no operator."""
