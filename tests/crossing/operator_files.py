"""Files of single operators: the calls of the records of tests/ops, written down and run."""

import sys
from pathlib import Path

from proa.core.dtype import from_numpy_dtype
from proa.ops.core.operator import find, unknown_to_paddle
from proa.ops.core.trace import using
from proa.static import Executor
from proa.static.building.trace import ProgramTrace
from proa.static.io import deserialize_program, serialize_program
from proa.static.ir.frame import fetch_names
from proa.static.ir.program import Program

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))

import checks
import records
import variants

#: What PaddlePaddle 1.8.5 has and 2.6.2 has not; operators on sequences are tested in whole Programs, which have a LoD.
OF_1 = set((Path(__file__).parents[1] / "fixtures/static/paddle_1_operators.txt").read_text().split())
RECORDS = {name: record for name, record in variants.keyed(records.all_records()).items()
           if record.static and not find(record.type).random and record.type not in OF_1
           and not find(record.type)._declared_kernel.__module__.startswith("proa.ops.fluid.")
           and not find(record.type).given_offsets and not find(record.type).made_offsets}


def written(record, inputs, unknown=()):
    """The bytes of the call's Program; None where it holds operators that are proa's alone: `jit.save` says so."""
    program = Program()
    block, given = program.global_block(), []
    for n, array in enumerate(inputs):
        shape = [-1 if (n, axis) in unknown else size for axis, size in enumerate(array.shape)]
        given.append(block.create_var(f"input{n}", shape, from_numpy_dtype(array.dtype), is_data=True))
    with using(ProgramTrace(program, Program())):
        results = checks.as_list(record.function(*given))
    if unknown_to_paddle(op.type for one in program.blocks for op in one.ops):
        return None
    return serialize_program(given, results, program=program)


def run_here(program, inputs):
    """What the file gives here."""
    read = deserialize_program(program)
    return Executor().run(read, feed=inputs, fetch_list=fetch_names(read))
