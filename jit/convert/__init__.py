"""From a function's source to its converted form."""
