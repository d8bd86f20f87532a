"""`oneflow.core.record`: the messages of OFRecord files."""
