"""What a function reads, rebinds and changes beside its arguments."""
