"""The messages of operators: `op_conf_pb2`."""
