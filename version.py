"""proa's own version."""

full_version = "0.1.0"
major, minor, patch = full_version.split(".")
