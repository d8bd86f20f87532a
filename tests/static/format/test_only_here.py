"""Files whose operators PaddlePaddle has not say so when they are written."""

import pathlib
import warnings

import proa as paddle
import pytest
from proa.ops import catalogue  # noqa: F401 - declares every operator
from proa.ops.core.operator import all_operators

_LISTS = pathlib.Path(__file__).parents[2] / "fixtures" / "static"
#: What PaddlePaddle 2.6.2 has, and what 1.8.5 has besides.
THEIRS = [name for which in ("paddle_operators.txt", "paddle_1_operators.txt")
          for name in (_LISTS / which).read_text().split()]
SPECS = [paddle.static.InputSpec([None, 3], "float32")]


class Divisors(paddle.nn.Layer):
    """Weights by what two numbers share, which PaddlePaddle computes by a loop."""

    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x) * paddle.gcd(paddle.to_tensor([4, 6, 9]), paddle.to_tensor([6])).astype("float32")


#: Operators that PaddlePaddle lists, but cannot run in a Program: what it calls sparse_matmul takes sparse tensors.
WITHOUT_KERNEL = {"view_dtype", "sparse_matmul"}


#: Operators of PaddlePaddle's builds for GPUs alone.
OF_GPUS = {"c_gen_nccl_id", "gen_nccl_id"}


def test_declarations_say_what_paddle_has_not():
    own = {op.type for op in all_operators() if op.only_here}
    assert own & set(THEIRS) == WITHOUT_KERNEL
    in_files = {op.file_type for op in all_operators() if op._declared_kernel.__module__.startswith("proa.ops.")
                and op.composed is None}
    assert in_files - set(THEIRS) - OF_GPUS == own - WITHOUT_KERNEL


def test_a_model_that_only_proa_runs_says_so(tmp_path):
    with pytest.warns(UserWarning, match=r"divisors\.pdmodel.*gcd.*PaddlePaddle does not run it"):
        paddle.jit.save(Divisors(), str(tmp_path / "divisors"), input_spec=SPECS)
    x = paddle.rand([4, 3])
    layer = Divisors()
    layer.set_state_dict(paddle.jit.load(str(tmp_path / "divisors")).state_dict())
    found = paddle.jit.load(str(tmp_path / "divisors"))(x)
    assert (found - layer(x)).abs().max() < 1e-6


def test_others_are_written_without_a_word(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.jit.save(paddle.nn.Linear(3, 1), str(tmp_path / "linear"), input_spec=SPECS)
