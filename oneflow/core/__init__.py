"""`oneflow.core`: the messages of OneFlow's files, by the path that scripts import them from."""
