"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.static.nn`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.static.building.cases import case as case, switch_case as switch_case
from proa.static.building.control_flow import cond as cond, while_loop as while_loop
from proa.static.building.data import create_parameter as create_parameter
from proa.static.building.debugging import py_func as py_func
from . import common as common, control_flow as control_flow, loss as loss, metric as metric, sequence_lod as sequence_lod
from proa.static.nn.conv import conv2d as conv2d, conv2d_transpose as conv2d_transpose, conv3d as conv3d, conv3d_transpose as conv3d_transpose, deform_conv2d as deform_conv2d
from proa.static.nn.dense import bilinear_tensor_product as bilinear_tensor_product, continuous_value_model as continuous_value_model, embedding as embedding, fc as fc, prelu as prelu, row_conv as row_conv, sparse_embedding as sparse_embedding
from proa.static.nn.norm import batch_norm as batch_norm, data_norm as data_norm, group_norm as group_norm, instance_norm as instance_norm, layer_norm as layer_norm, spectral_norm as spectral_norm
from proa.static.nn.pylayer import static_pylayer as static_pylayer
from proa.static.nn.sampled import nce as nce
from proa.static.nn.sequence_lod import sequence_concat as sequence_concat, sequence_conv as sequence_conv, sequence_enumerate as sequence_enumerate, sequence_expand as sequence_expand, sequence_expand_as as sequence_expand_as, sequence_first_step as sequence_first_step, sequence_last_step as sequence_last_step, sequence_pad as sequence_pad, sequence_pool as sequence_pool, sequence_reshape as sequence_reshape, sequence_reverse as sequence_reverse, sequence_scatter as sequence_scatter, sequence_slice as sequence_slice, sequence_softmax as sequence_softmax, sequence_unpad as sequence_unpad

