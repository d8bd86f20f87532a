"""Every operator on a device's arrays, where there is no device: the records under CuPy's stand-in.

What a kernel does that CuPy cannot (`tests/backend/cupy_stand_in`) fails here: forward, backward, eager and in
Programs.
"""

import checks
import pytest
from cupy_stand_in import on_stand_in
from records import all_records

RECORDS = all_records()

#: Records that no device can compute yet. The list only shrinks.
KNOWN_FAILURES = {
    "celu0",
    "celu1",
    "data_norm",
    "data_norm-scaled",
    "deformable_conv",
    "deformable_conv_v1",
    "deformable_places",
    "elementwise_fmax",
    "elementwise_fmin",
    "elu0",
    "elu1",
    "erf",
    "erfinv",
    "gelu0",
    "gelu1",
    "gelu_grad0",
    "gelu_grad1",
    "graph_send_recv-max None",
    "graph_send_recv-min 9",
    "graph_send_ue_recv-max sub (7, 1)",
    "graph_send_ue_recv-max sub (7, 3)",
    "graph_send_ue_recv-min div (7, 1)",
    "graph_send_ue_recv-min div (7, 3)",
    "grid_sampler-border-False",
    "grid_sampler-border-True",
    "grid_sampler-border-True-nearest",
    "grid_sampler-reflection-False",
    "grid_sampler-reflection-True",
    "grid_sampler-volume",
    "grid_sampler-zeros-False",
    "grid_sampler-zeros-True",
    "logcumsumexp",
    "lu-3 5",
    "lu-5 3",
    "lu-complex tall",
    "nce",
    "nce-drawn",
    "nce-log_uniform",
    "nll_loss-mean",
    "nll_loss-mean weight",
    "nll_loss-none",
    "nll_loss-none weight",
    "nll_loss-sum",
    "nll_loss-sum weight",
    "nll_loss_backward",
    "overlap_add-istft complex",
    "p_norm-renorm",
    "prelu-channels0",
    "prelu-channels1",
    "prelu0",
    "prelu1",
    "put_along_axis-multiply",
    "qr-complete wide",
    "qr-complex 3 4",
    "qr-r wide",
    "qr-wide",
    "sample_at_places",
    "segment_pool-max",
    "segment_pool-min",
    "selu0",
    "selu1",
    "softmax_with_cross_entropy-axis",
    "spectral_norm-another dimension",
    "spectral_norm-fixed vectors",
    "where",
    "where-diagonal_scatter",
    "where_broadcast-masked_fill",
    "where_broadcast-number",
    "yolov3_loss",
    "yolov3_loss-without scores",
}


@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_record_on_device(record, check):
    if str(record) in KNOWN_FAILURES:
        pytest.xfail("known")
    with on_stand_in():
        checks.CHECKS[check](record)
