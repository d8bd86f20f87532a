"""Numbers of few bits: rounding values to them and back, for training and in files, and products of such weights."""
