"""Every operator through every check that its records allow; and no operator without a record."""

import checks
import pytest
from proa.ops.operator import all_operators
from records import all_records

RECORDS = all_records()

#: Operators without a record, by why.
TESTED_ELSEWHERE = {
    "only in compiled plans: tests/static/compiler": {
        "fused_elementwise", "fused_conv2d", "fused_linear", "fused_linears", "batch_norm_line", "fused_attention"},
    "control flow, tests/static": {
        "while",
        "conditional_block",
        "select_input",
        "select_output",
        "print",
        "assert",
        "select_gradient",
        "conditional_block_grad",
        "while_grad",
    },
    "lists of a Program, tests/static/test_arrays.py and tests/jit/language": {
        "array_gradient_joined",
        "array_gradient_of_item",
        "array_gradient_sum",
        "array_shifted",
        "array_slice",
        "array_split",
        "array_with_only",
        "array_without",
        "empty_array",
        "lod_array_length",
        "read_from_array",
        "tensor_array_to_tensor",
        "write_to_array",
    },
    "feeding and fetching, tests/static": {"feed", "fetch"},
    "Python in a Program, and statistics that it keeps: tests/static/test_python.py and test_metrics.py": {
        "auc", "custom_gradient", "py_func"},
    "updates of parameters, tests/optimizer": {
        "sgd",
        "momentum",
        "adam",
        "adamw",
        "adamax",
        "adagrad",
        "adadelta",
        "rmsprop",
        "lamb",
        "lars_momentum",
        "merged_sgd",
        "merged_momentum",
        "merged_adam",
        "merged_adamw",
    },
    "updates by some rows, tests/dygraph/test_selected_rows.py": {
        "sgd_rows",
        "momentum_rows",
        "adam_rows",
        "adamw_rows",
    },
    "random values: test_random.py": {
        "uniform_random",
        "gaussian_random",
        "truncated_gaussian_random",
        "randint",
        "randperm",
        "bernoulli",
        "poisson",
        "standard_gamma",
        "dirichlet",
        "multinomial",
    },
}


@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_record(record, check):
    checks.CHECKS[check](record)


def test_every_operator_has_a_record():
    recorded = {record.type for record in RECORDS}.union(*TESTED_ELSEWHERE.values())
    missing = sorted(op.type for op in all_operators() if op.type not in recorded)
    assert not missing, f"operators without a record in tests/ops/records_*.py: {missing}"
