"""Records of the operators that divide and join values, and numbers of rows, as parameter servers hold them."""

import numpy as np
from proa.core.dtype import float64
from proa.ops.core.trace import apply
from proa.ops.parameter_server import row_numbers as numbers
from proa.ops.parameter_server import row_parts as parts
from records import Record, floats, ints

NUMBERS = [np.array([[3], [4], [3], [7]]), np.array([[4], [0]])]
ROWS = [np.array([[0], [4]]), np.array([[3], [7]])]

RECORDS = [
    Record("split_byref", lambda x: apply(parts.split_op, x, sections=[2, 1]), [floats(3, 2)],
           lambda x: (x[:2], x[2:]), batched=[]),
    Record("split_selected_rows", lambda x: apply(parts.split_rows_op, x, height_sections=[2, 3]), [floats(5, 2)],
           lambda x: (x[:2], x[2:]), batched=[]),
    Record("fake_init", lambda x: x + apply(parts.fake_init_op, shape=[3, 2], dtype=float64), [floats(3, 2)],
           lambda x: x, batched=[], differentiable=[], float32=False),
    Record("ref_by_trainer_id", lambda x, y, n: apply(parts.of_trainer_op, [x, y], n),
           [floats(3, 2), floats(3, 2, seed=1), ints(1, low=1, high=2)], lambda x, y, n: (x, y)[n.item()], batched=[]),
    Record("split_ids", lambda a, b: apply(numbers.split_ids_op, [a, b], parts=["even", "odd"]), NUMBERS,
           lambda a, b: tuple(ROWS), data_dependent=True),
    Record("merge_ids", lambda a, b, c, d, x, y: apply(numbers.merge_ids_op, [a, b], [c, d], [x, y]),
           [*NUMBERS, *ROWS, floats(2, 3), floats(2, 3, seed=1)],
           lambda a, b, c, d, x, y: (np.stack([y[0], x[1], y[0], y[1]]), np.stack([x[1], x[0]])), batched=[0, 1]),
    Record("lookup_sparse_table", lambda w, ids: apply(numbers.lookup_sparse_table_op, w, ids),
           [floats(5, 3), ints(4, 1, high=5)], lambda w, ids: w[ids.reshape(-1)], batched=[1]),
    Record("lookup_sparse_table", lambda w, ids: apply(numbers.lookup_sparse_table_op, w, ids, is_test=True),
           [floats(2, 3), np.array([[1], [7], [-1]])], lambda w, ids: np.stack([w[1], 0 * w[1], 0 * w[1]]),
           label="rows that are not there", batched=[1]),
]
