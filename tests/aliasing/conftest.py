"""Programs of their own for the tests of this folder."""

import proa as paddle
import pytest
from proa import static


@pytest.fixture
def programs():
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard(), static.program_guard(main, startup):
        yield main, startup
