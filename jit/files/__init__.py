"""Functions and Layers saved as files and loaded."""
