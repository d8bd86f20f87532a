"""Arrays made, reshaped, joined, indexed, gathered and sorted."""
