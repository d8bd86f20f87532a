"""Sequences: masks, beams, the best path."""
