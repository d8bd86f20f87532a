"""The layers of Paddle 1.x: functions that append operators to the default Program; under `dygraph.guard`, compute."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import control_flow, io, nn, rnn, sequence_lod
    from .control_flow import reorder_lod_tensor_by_rank
    from .decoding import edit_distance, warpctc
    from .io import data
    from .nn import (
        bilinear_tensor_product,
        chunk_eval,
        crf_decoding,
        embedding,
        fc,
        linear_chain_crf,
        lod_append,
        lod_reset,
    )
    from .readers import create_py_reader_by_data, double_buffer, open_files, py_reader, read_file
    from .rnn import (
        beam_search,
        beam_search_decode,
        dynamic_gru,
        dynamic_lstm,
        dynamic_lstmp,
        gru_unit,
        lstm_unit,
    )
    from .sequence_lod import (
        sequence_concat,
        sequence_conv,
        sequence_enumerate,
        sequence_expand,
        sequence_expand_as,
        sequence_first_step,
        sequence_last_step,
        sequence_mask,
        sequence_pad,
        sequence_pool,
        sequence_reshape,
        sequence_reverse,
        sequence_scatter,
        sequence_slice,
        sequence_softmax,
        sequence_unpad,
    )
else:
    __getattr__, __dir__ = attach(__name__)
