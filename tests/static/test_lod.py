"""LoD in Programs: offsets are values beside the rows, fed, carried, made, fetched, and left out of files."""

import numpy as np
import proa as paddle
import pytest
from proa import backend, static
from proa.core.dtype import int64
from proa.ops.core import operator as declarations
from proa.ops.core.operator import find, operator
from proa.ops.core.spec import Spec
from proa.ops.core.trace import apply
from proa.static.ir.frame import fetch_names
from proa.static.run.lod_tensor import LoDTensor

BATCH = np.arange(10, dtype="float32").reshape(5, 2)


def _sums(xp, x, lod):
    if int(lod[-1][-1]) != len(x):
        raise ValueError("offsets do not fit")
    padded = xp.concatenate([xp.zeros_like(x[:1]), xp.cumsum(x, axis=0)])
    return padded[lod[-1][1:]] - padded[lod[-1][:-1]]


def _infer_sums(x, lod):
    if not lod:
        raise ValueError("test_sequence_sums: X has no LoD.")
    return Spec((-1, *x.shape[1:]), x.dtype)


def _repeated(xp, g, lod):
    return xp.repeat(g, xp.diff(lod[-1]), axis=0)


@pytest.fixture(scope="module", autouse=True)
def declared():
    """The operators of these tests, which are nobody else's."""
    repeat = operator("test_sequence_repeat", "X, lod^X -> Out", kernel=_repeated, lod="drop",
                      infer=lambda x, lod: Spec((-1, *x.shape[1:]), x.dtype))
    operator("test_sequence_sums", "X, lod^X -> Out", kernel=_sums, infer=_infer_sums,
             lod=lambda lods, attrs: lods[0][:-1], grad={"X": lambda g, lod: apply(repeat, g, lod)})
    operator("test_halves", "X, lod^X -> Out, out_lod^Out",
             kernel=lambda xp, x, lod: (x, [xp.unique(xp.concatenate([lod[-1], (lod[-1][1:] + lod[-1][:-1]) // 2]))]),
             infer=lambda x, lod: (x, [Spec((-1,), int64)]))
    yield
    for type in ("test_sequence_repeat", "test_sequence_sums", "test_halves"):
        del declarations._registry[type]


def sums(x):
    return apply(find("test_sequence_sums"), x, None)


def halves_of(x):
    """Every sequence becomes two."""
    return apply(find("test_halves"), x, None)[0]


def lod_tensor(array, lod):
    tensor = LoDTensor(array)
    tensor.set_lod(lod)
    return tensor


@pytest.fixture
def main():
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
        yield static.default_main_program()


def run(main, feed, *fetches, **options):
    return static.Executor().run(main, feed=feed, fetch_list=list(fetches), **options)


def test_offsets_are_fed_and_taken(main):
    x = static.data("x", [None, 2], lod_level=1)
    total = sums(x * 2)
    (found,) = run(main, {"x": lod_tensor(BATCH, [[0, 2, 2, 5]])}, total)
    np.testing.assert_allclose(found, [[4, 8], [0, 0], [36, 42]])
    assert [v.name for v in main.list_vars() if "LOD" in v.name] == []


def test_fetched_values_have_their_lod(main):
    x = static.data("x", [None, 2], lod_level=2)
    results = x + 1, sums(x), x.reshape([-1, 1]), paddle.sum(x)
    fed = lod_tensor(BATCH, [[0, 1, 2], [0, 2, 5]])
    same, summed, reshaped, total = run(main, {"x": fed}, *results, return_numpy=False)
    assert same.lod() == [[0, 1, 2], [0, 2, 5]] and summed.lod() == [[0, 1, 2]]
    assert reshaped.lod() == total.lod() == []
    assert same.recursive_sequence_lengths() == [[1, 1], [2, 3]]


def test_of_what_is_fetched_offsets_alone_become_lists(main, monkeypatch):
    x, read = static.data("x", [None, 2], lod_level=1), []
    to_numpy = backend.to_numpy
    monkeypatch.setattr(backend, "to_numpy", lambda array: read.append(array) or to_numpy(array))
    run(main, {"x": lod_tensor(BATCH, [[0, 2, 5]])}, x * 2, return_numpy=False)
    assert read and not any(np.array_equal(array, BATCH * 2) for array in read)


def test_an_operator_makes_offsets(main):
    x = static.data("x", [None, 2], lod_level=1)
    halves = halves_of(x) * 1
    found, summed = run(main, {"x": lod_tensor(BATCH, [[0, 2, 5]])}, halves, sums(halves),
                      return_numpy=False)
    assert found.lod() == [[0, 1, 2, 3, 5]] and summed.shape() == [4, 2]


def test_gradients_flow_through_sequences(main):
    x = static.data("x", [None, 2], lod_level=1)
    x.stop_gradient = False
    total = sums(x)
    (gradient,) = static.gradients(paddle.sum(total * total), x)
    (found,) = run(main, {"x": lod_tensor(BATCH, [[0, 2, 5]])}, gradient)
    np.testing.assert_allclose(found, np.repeat(2 * np.array([[2, 4], [18, 21]]), [2, 3], axis=0))


def test_rows_without_offsets_can_be_fed_where_nobody_takes_these(main):
    x = static.data("x", [None, 2], lod_level=1)
    doubled, total = x * 2, sums(x)
    (found,) = run(main, {"x": BATCH}, doubled, return_numpy=False)
    assert found.lod() == []
    with pytest.raises(ValueError, match=r"'x' is used as sequences, and was fed without an LoD"):
        run(main, {"x": BATCH}, total)


def test_what_does_not_add_up_is_refused(main):
    x = static.data("x", [None, 2], lod_level=1)
    y = x * 2
    fed = LoDTensor()
    fed.set_lod([[0, 2, 6]])
    fed.set(BATCH)
    with pytest.raises(ValueError, match=r"'x': its LoD does not add up: level 0 ends at 6, and there are 5 rows"):
        run(main, {"x": fed}, y)
    compiled = static.CompiledProgram(main).with_data_parallel(places=static.cpu_places(1))
    with pytest.raises(ValueError, match="declare it with lod_level=2"):
        run(compiled, {"x": lod_tensor(BATCH, [[0, 2], [0, 2, 5]])}, y)
    with pytest.raises(ValueError, match="X has no LoD"):
        sums(static.data("plain", [None, 2]))


def test_copies_and_pruned_programs_have_it(main):
    x = static.data("x", [None, 2], lod_level=1)
    total = sums(x)
    feed = {"x": lod_tensor(BATCH, [[0, 2, 5]])}
    copy = main.clone(for_test=True)
    assert copy.global_block().var("x").lod[0] is copy.global_block().var("x@LOD0")
    kept = static.normalize_program(main, [x], [total])
    for program in (copy, kept):
        np.testing.assert_allclose(run(program, feed, total.name)[0], [[2, 4], [18, 21]])


def test_files_hold_no_offsets_and_get_them_back(main, tmp_path):
    x = static.data("x", [None, 2], lod_level=1)
    y = static.data("y", [None, 2], lod_level=1)
    halves = halves_of(x) * 1
    y = y * 1
    paddle.assign(halves, y)
    total = sums(y)
    feed = {"x": lod_tensor(BATCH, [[0, 2, 5]]), "y": lod_tensor(BATCH, [[0, 3, 5]])}
    expected = run(main, feed, total)
    data = static.serialize_program([x, static.default_main_program().global_block().var("y")], [total])
    assert b"LOD0" not in data and b"lod_0" not in data and b"out_lod" not in data
    loaded = static.deserialize_program(data)
    np.testing.assert_allclose(run(loaded, feed, total.name), expected)
    (fetched,) = run(loaded, feed, y.name, return_numpy=False)
    assert fetched.lod() == [[0, 1, 2, 3, 5]]


def test_a_branch_changes_the_lod_of_what_it_assigns(main):
    x = static.data("x", [None, 2], lod_level=1)
    y, wanted = x * 1, static.data("wanted", [1], "bool")

    def halve():
        paddle.assign(halves_of(x), y)

    static.nn.cond(wanted, halve, None)
    for flag, lod in ((True, [[0, 1, 2, 3, 5]]), (False, [[0, 2, 5]])):
        feed = {"x": lod_tensor(BATCH, [[0, 2, 5]]), "wanted": np.array([flag])}
        (found,) = run(main, feed, y, return_numpy=False)
        assert found.lod() == lod


def test_a_branch_gives_its_lod(main):
    x, wanted = static.data("x", [None, 2], lod_level=1), static.data("wanted", [1], "bool")
    chosen = static.nn.cond(wanted, lambda: halves_of(x) * 2, lambda: x * 3)
    loaded = static.deserialize_program(static.serialize_program([x, wanted], [sums(chosen)]))
    for flag, lod in ((True, [[0, 1, 2, 3, 5]]), (False, [[0, 2, 5]])):
        feed = {"x": lod_tensor(BATCH, [[0, 2, 5]]), "wanted": np.array([flag])}
        found, summed = run(main, feed, chosen, sums(chosen), return_numpy=False)
        assert found.lod() == lod and summed.shape() == [len(lod[0]) - 1, 2]
        (again,) = run(loaded, feed, fetch_names(loaded)[0])
        np.testing.assert_allclose(again, np.array(summed))


def test_a_loop_changes_lod_from_round_to_round(main):
    x = static.data("x", [None, 2], lod_level=1)
    i, last = static.nn.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, halves_of(y * 1)],
                                   [paddle.zeros([1], "int64"), x * 1])
    found, same, summed = run(main, {"x": lod_tensor(BATCH, [[0, 5]])}, last, x, sums(last), return_numpy=False)
    assert found.lod() == [[0, 1, 2, 3, 5]] and same.lod() == [[0, 5]] and summed.shape() == [4, 2]
    loaded = static.deserialize_program(static.serialize_program([x], [sums(last)]))
    (again,) = run(loaded, {"x": lod_tensor(BATCH, [[0, 5]])}, fetch_names(loaded)[0])
    np.testing.assert_allclose(again, np.array(summed))


def test_a_loop_that_would_read_stale_offsets_is_refused(main):
    x = static.data("x", [None, 2], lod_level=1)
    y, i = x * 1, paddle.zeros([1], "int64")

    def body(i):
        sums(y)
        paddle.assign(halves_of(y), y)
        return [i + 1]

    with pytest.raises(NotImplementedError, match="Keep it in an array"):
        static.nn.while_loop(lambda i: i < 2, body, [i])


def test_operations_that_code_appends_itself(main):
    x = static.data("x", [None, 2], lod_level=1)
    block = main.global_block()
    halves, total = block.create_var(name="halves"), block.create_var(name="total")
    block.append_op(type="test_halves", inputs={"X": x}, outputs={"Out": halves})
    block.append_op(type="test_sequence_sums", inputs={"X": ["halves"]}, outputs={"Out": total})
    feed = {"x": lod_tensor(BATCH, [[0, 2, 5]])}
    found, summed = run(main, feed, halves, "total", return_numpy=False)
    assert found.lod() == [[0, 1, 2, 3, 5]] and summed.shape() == [4, 2]


class TestLoDTensor:
    def test_offsets_and_lengths(self):
        tensor = LoDTensor(BATCH)
        tensor.set_recursive_sequence_lengths([[1, 1], [2, 3]])
        assert tensor.lod() == [[0, 1, 2], [0, 2, 5]] and tensor.has_valid_recursive_sequence_lengths()
        tensor.set(np.zeros((3, 1)))
        assert tensor.shape() == [3, 1] and not tensor.has_valid_recursive_sequence_lengths()

    @pytest.mark.parametrize("lod", [[[0, 2, 6]], [[0, 3, 2, 5]], [[1, 5]], [[]], [[0, 1], [0, 2, 5]], [[0]]])
    def test_bad_offsets_are_refused(self, lod):
        tensor = LoDTensor(BATCH)
        tensor.set_lod([[0, 5]])
        with pytest.raises(ValueError, match=r"set_lod\(lod\): "):
            tensor.set_lod(lod)
        assert tensor.lod() == [[0, 5]]

    def test_without_an_array(self):
        tensor = LoDTensor()
        tensor.set_lod([[0, 2]])
        assert tensor.shape() == [0] and not tensor._is_initialized() and "uninited" in str(tensor)
        assert np.array(tensor).shape == (0,)  # as in Paddle: tools that copy a scope's variables meet such
        with pytest.raises(RuntimeError, match="has no value yet"):
            tensor[0]

    def test_print_shows_what_paddle_shows(self):
        tensor = LoDTensor(np.array([[1.5], [1 / 3], [3e8]], "float32"), [[0, 2, 3]])
        assert str(tensor).splitlines() == ["  - lod: {{0, 2, 3}}", "  - shape: [3, 1]", "  - layout: NCHW",
                                            "  - place: Place(cpu)", "  - dtype: float32",
                                            "  - data: [1.5 0.333333 3e+08]"]

    def test_parts_and_copies(self):
        tensor = LoDTensor(BATCH, [[0, 2, 5]])
        assert np.array(tensor[1:3]).tolist() == BATCH[1:3].tolist() and len(tensor) == 5
        copy = tensor._copy(paddle.CPUPlace())
        assert copy.lod() == tensor.lod() and copy._dtype() == paddle.float32 and copy._place() == paddle.CPUPlace()
        shared = LoDTensor()
        shared._share_data_with(tensor)
        assert np.array(shared).tolist() == BATCH.tolist()


def test_an_input_that_turns_out_to_be_sequences(main):
    x = static.data("x", [None, 2])
    total = static.nn.sequence_lod.sequence_pool(x * 2 + 1, "sum")
    assert x.lod_level == 1
    (found,) = run(main, {"x": lod_tensor(BATCH, [[0, 2, 5]])}, total)
    np.testing.assert_allclose(found, [[6, 10], [39, 45]])
    with pytest.raises(ValueError, match="fed without an LoD"):
        run(main, {"x": BATCH}, total)
    with pytest.raises(ValueError, match="must be sequences"):
        static.nn.sequence_lod.sequence_pool(paddle.ones([3, 2]), "sum")


def test_only_what_must_be_sequences_becomes_so(main):
    x, y = static.data("x", [None, 2]), static.data("y", [None, 2])
    static.nn.sequence_lod.sequence_expand(x, y)
    assert (x.lod_level, y.lod_level) == (0, 1)


def test_a_converted_function_is_told_that_tensors_have_no_lod():
    function = paddle.jit.to_static(lambda x: static.nn.sequence_lod.sequence_pool(x, "sum"), full_graph=True)
    with pytest.raises(ValueError, match=r"sequence_pool\(input\): must be sequences"):
        function(paddle.ones([3, 2]))


def test_an_integer_drops_no_dimension():
    """As in PaddlePaddle 1.8.5 and 2.6.2."""
    tensor = lod_tensor(np.arange(12, dtype="float32").reshape(3, 4), [[0, 3]])
    shapes = [tensor[key].shape() for key in (1, -1, (0, -1), (slice(None), 1), slice(1, 3))]
    assert shapes == [[1, 4], [1, 4], [1, 1], [3, 1], [2, 4]]
    assert np.array(tensor[-1]).tolist() == [[8, 9, 10, 11]] and len(list(tensor)) == 3
    with pytest.raises(IndexError):
        tensor[3]


def test_a_scope_holds_a_number():
    variable = paddle.framework.core.Scope().var("number")
    variable.set_int(10)
    assert variable.get_int() == 10
