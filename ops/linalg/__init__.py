"""Linear algebra: products, equations, decompositions."""
