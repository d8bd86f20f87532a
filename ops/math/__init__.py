"""Mathematics element by element and over dimensions: arithmetic, comparison, reductions, statistics."""
