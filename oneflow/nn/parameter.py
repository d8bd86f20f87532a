"""`flow.nn.Parameter`."""

from ..tensors import Parameter as Parameter
