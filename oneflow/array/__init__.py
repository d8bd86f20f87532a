"""The functions on arrays that stand at the top level: made, reshaped, joined, sliced, gathered, sorted, padded."""
