"""The Programs of a fleet, as `minimize` has prepared them."""

from __future__ import annotations

from typing import Any


class Prepared:
    """The startup Program, what an Executor is to run, and the main Program before and after it was changed."""

    startup_program: Any = None
    main_program: Any = None
    origin: Any = None
    transpiled: Any = None


prepared = Prepared()
