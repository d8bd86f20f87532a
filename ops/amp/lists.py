"""Mixed precision's white and black lists, as PaddlePaddle 2.6.2 has them: what the declarations of operators say.

What stands on neither list takes the dtype of its inputs, float32 where one of them is. `facts.PRECISIONS` has the
words in which a declaration says where its operator stands.
"""

from __future__ import annotations

import functools

from ..core.operator import all_operators, declared_count

ELSEWHERE = {
    "white": "matmul fused_gemm_epilogue",
    "white in float16": "fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max "
                        "fused_attention fused_feedforward",
    "black": "dist pnorm renorm softmin c_softmax_with_cross_entropy cross_entropy cross_entropy2 "
             "hsigmoid_loss triplet_margin_loss",
    "slow": "lookup_table",
}
"""The names on Paddle's lists that are no operators here: whoever reads or changes the lists finds them there."""


@functools.cache
def _listed_among(count: int, words: tuple[str, ...]) -> frozenset[str]:
    named = {name for word in words for name in ELSEWHERE.get(word, "").split()}
    return frozenset(named | {op.file_type for op in all_operators() if op.precision in words})


def _listed(*words: str) -> frozenset[str]:
    return _listed_among(declared_count(), words)


def white_list(dtype: str = "float16", level: str = "O1") -> frozenset[str]:
    """The operators that a level computes in 16 bits."""
    return _listed("white", "white in float16") if dtype == "float16" else _listed("white")


def black_list(dtype: str = "float16", level: str = "O1") -> frozenset[str]:
    """The operators that a level computes in float32."""
    return {"O1": _listed("black", "norm black", "slow"), "O2": _listed("slow")}.get(level, frozenset())
