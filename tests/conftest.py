"""Puts the folders of helpers that several test files share on the path: tests are not part of the package."""

import os
import random
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("FLAGS_verify_passes", "1")  # every Program that a test compiles is checked after every pass
os.environ.setdefault("FLAGS_keep_plans", "0")  # tests exchange passes and rules: what comes of that is not for others
os.environ.setdefault("FLAGS_kernel_after_elements", "0")  # what has a kernel is computed by it from the first call on

for folder in ("", "aliasing", "ops", "jit", "backend", "backend/kernels", "fluid", "static", "static/compiler",
               "random_numbers", "migration", "oneflow", "distributed", "distributed/ps", "fluid/transpiler",
               "interchange"):
    sys.path.insert(0, str(Path(__file__).parent / folder))

from proa.backend.numpy_1 import IS_OLD  # noqa: E402 - behind the settings above
from proa.core import flags  # noqa: E402
from proa.core import random as drawing  # noqa: E402
from proa.core.dtype import get_default_dtype, set_default_dtype  # noqa: E402
from proa.ops.core.trace import state  # noqa: E402

if os.environ.get("PROA_TEST_EVERYTHING_THERE") == "1":  # new tensors of all tests are on the device of some tests
    import devices_of_tests

    devices_of_tests.start_there()

#: What is otherwise under NumPy 1, by a part of a test's id, and why.
OTHERWISE_WITH_NUMPY_1 = {
    "test_scatter.py::": "CuPy's stand-in follows NumPy 2",
    "test_a_plan_calls_what_was_chosen_and_nothing_around_it": "kernels are wrapped, to keep the inferred dtypes",
    "test_kernels_on_namespaces_are_with_the_declaration": "kernels are wrapped, to keep the inferred dtypes",
    "test_no_pool_is_larger_than_was_set": "NumPy 1's library of linear algebra has a pool that is not asked",
    "test_import_and_first_use_leave_heavy_modules_alone": "NumPy 1 imports its random numbers with itself",
    "test_what_refuses_values_is_declared": "NumPy 1 takes -1 beside uint8, which NumPy 2 refuses",
    "test_what_cannot_be_is_told[<lambda>-real]": "NumPy 1 warns of complex numbers made real before the error",
    "test_answers[qr-": "its LAPACK decomposes infinities otherwise",
    "[pow-{'factor': 0.5}-float32]": "NumPy 1 takes the square root for an exponent of 0.5: of -inf it is NaN",
    "[pow-{'factor': 0.5}-float64]": "NumPy 1 takes the square root for an exponent of 0.5: of -inf it is NaN",
    "test_answers[gradient(T.LogMelSpectrogram": "NumPy 1 transforms float32 in float64: small logarithms differ",
    "test_doctests[proa.compat.numpy_names]": "it shows what NumPy 2 prints",
    "test_doctests[proa.dataset.image]": "it shows what NumPy 2 prints",
    "test_doctests[proa.ops.math.gamma]": "a zero has another sign",
}


def pytest_collection_modifyitems(items):
    if not IS_OLD:
        return
    for item in items:
        for part, reason in OTHERWISE_WITH_NUMPY_1.items():
            if part in item.nodeid:
                item.add_marker(pytest.mark.skip(reason=f"NumPy 1: {reason}"))


def begin_draws(name):
    """Seeds what draws by a test's or file's name, so that neither chance nor what ran before decides how it ends.

    PROA_TEST_SEED, a whole number, gives all of them other numbers.
    """
    seed = zlib.crc32(f"{os.environ.get('PROA_TEST_SEED', '0')} {name}".encode())
    drawing.seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def pytest_collectstart(collector):
    if isinstance(collector, pytest.Module):  # which may draw while it is imported
        begin_draws(collector.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    begin_draws(item.nodeid)  # before fixtures that several tests share


@pytest.fixture
def as_around_kernels():
    """NumPy tells nothing of floating-point errors, as where operators are applied: for what calls kernels itself."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(autouse=True)
def draws_begin(request):
    """After those fixtures, whichever test asked for them first."""
    begin_draws(request.node.nodeid)


@pytest.fixture(autouse=True, scope="module")
def warnings_begin():
    """What a file's functions are warned of once is given again where the file runs again in the same process."""
    if (fallback := sys.modules.get("proa.jit.tracing.fallback")) is not None:
        fallback._warned = type(fallback._warned)()


@pytest.fixture(autouse=True)
def default_programs_of_its_own():
    """What a test appends to the default Programs is gone after it: names and shapes that others would meet."""
    if (mode := sys.modules.get("proa.static.building.mode")) is None:
        yield
        return
    programs = mode.default_program_trace()
    found = programs.main, programs.startup
    programs.main, programs.startup = mode.Program(), mode.Program()
    yield
    programs.main, programs.startup = found


@pytest.fixture(autouse=True)
def settings_stay():
    """Fails a test that leaves flags, the mode or the default dtype otherwise than it found them; puts them back."""
    found, dtype, trace = dict(flags.values), get_default_dtype(), state.trace
    unset = {name for name in found if name in flags._declared and found[name] == flags.default(name)}
    yield
    left = {name: value for name, value in flags.values.items() if name in found and value != found[name]}
    for name in unset & left.keys():
        if left[name] == flags.default(name):  # a module that was imported has added an engine
            del left[name]
    if left:
        flags.set_flags({name: found[name] for name in left})
    left_dtype = get_default_dtype()
    set_default_dtype(dtype)
    left_trace, state.trace = state.trace, trace
    assert not left, f"the test left flags behind: {left}"
    assert left_dtype == dtype, f"the test left another default dtype behind: {left_dtype}"
    assert left_trace is trace, f"the test left another mode behind: {type(left_trace).__name__}"
