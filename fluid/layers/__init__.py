"""The layers of Paddle 1.x: functions that append operators to the default Program; under `dygraph.guard`, compute."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import io, nn, rnn
    from .io import data
    from .nn import bilinear_tensor_product, chunk_eval, crf_decoding, embedding, fc, linear_chain_crf
    from .readers import create_py_reader_by_data, double_buffer, open_files, py_reader, read_file
    from .rnn import dynamic_gru, dynamic_lstm, dynamic_lstmp, gru_unit, lstm_unit
else:
    __getattr__, __dir__ = attach(__name__)
