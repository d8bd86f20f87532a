"""`oneflow.compatible`: from OneFlow 0.4 on `single_client` in it is the API of job functions: all of this face."""

import sys

single_client = sys.modules[__name__.rpartition(".")[0]]
