"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.contrib.utils`."""

from . import hdfs_utils, lookup_table_utils
from .hdfs_utils import HDFSClient, multi_download, multi_upload
from .lookup_table_utils import convert_dist_to_sparse_program, load_persistables_for_increment, load_persistables_for_inference

__all__ = ['HDFSClient', 'convert_dist_to_sparse_program', 'hdfs_utils', 'load_persistables_for_increment', 'load_persistables_for_inference', 'lookup_table_utils', 'multi_download', 'multi_upload']
