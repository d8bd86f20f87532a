"""Records of the operators that make parts of values as parameter servers hold them."""

from proa.core.dtype import float64
from proa.ops.core.trace import apply
from proa.ops.parameter_server import row_parts as parts
from records import Record, floats, ints

RECORDS = [
    Record("split_byref", lambda x: apply(parts.split_op, x, sections=[2, 1]), [floats(3, 2)],
           lambda x: (x[:2], x[2:]), batched=[]),
    Record("split_selected_rows", lambda x: apply(parts.split_rows_op, x, height_sections=[2, 3]), [floats(5, 2)],
           lambda x: (x[:2], x[2:]), batched=[]),
    Record("fake_init", lambda x: x + apply(parts.fake_init_op, shape=[3, 2], dtype=float64), [floats(3, 2)],
           lambda x: x, batched=[], differentiable=[], float32=False),
    Record("ref_by_trainer_id", lambda x, y, n: apply(parts.of_trainer_op, [x, y], n),
           [floats(3, 2), floats(3, 2, seed=1), ints(1, low=1, high=2)], lambda x, y, n: (x, y)[n.item()], batched=[]),
]
