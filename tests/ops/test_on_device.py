"""Every operator on a device's arrays, where there is no device: the records under CuPy's stand-in.

What a kernel does that CuPy cannot (`tests/backend/cupy_stand_in`) fails here: forward, backward, eager and in
Programs.
"""

import checks
import pytest
from cupy_stand_in import on_stand_in
from records import all_records

RECORDS = all_records()

@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_record_on_device(record, check):
    with on_stand_in():
        checks.CHECKS[check](record)
