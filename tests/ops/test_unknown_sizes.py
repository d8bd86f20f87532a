"""Every record with each size unknown in turn, and with none known: the eager values, or an error with the way out.

A size of -1 that counts as a number somewhere gives other values, or an error about something else.
"""

import itertools
import re

import checks
import numpy as np
import proa as paddle
import pytest
import variants
from proa.ops.core.operator import find
from proa.ops.core.trace import apply, using
from proa.static.run.executor import Executor
from records import all_records

RECORDS = {name: record for name, record in variants.keyed(all_records()).items()
           if record.static and not find(record.type).random}
WAY_OUT = re.compile(r"known|[Dd]eclare|Give it in the InputSpec")

#: Records for which a size cannot be left open, by why.
LEFT_OUT = {
    "the record's own function makes something of x.shape": {
        "cholesky", "cholesky-upper", "cholesky-complex", "cholesky-complex upper", "pinv-hermitian"},
    "a size that is not known may be 1, and counts as another": {"squeeze2-all"},
    "an empty result where there are fewer rows than columns": {"lstsq", "lstsq-gels", "lstsq-wide"},
    "of gradients: the shape that it gives back is known": {"affine_grid_grad"},
}


def places_of(record):
    """The (input, dimension)s of a try: each by itself, then all of them."""
    every = [(n, axis) for n, array in enumerate(record.inputs) for axis in range(array.ndim)]
    return [{place} for place in every] + ([set(every)] if len(every) > 1 else [])


def built(record, unknown, wanted=()):
    """The Program and its results, or None where it is refused with the way out."""
    shapes = [[-1 if (n, axis) in unknown else size for axis, size in enumerate(array.shape)]
              for n, array in enumerate(record.inputs)]
    try:
        return checks.build_of_shapes(record, shapes, wanted)
    except (ValueError, TypeError, NotImplementedError) as error:
        assert WAY_OUT.search(str(error)), f"{record}: {unknown} unknown: {error}"
        return None


def fits(variable, array):
    return len(variable.shape) == array.ndim and all(a in (b, -1) for a, b in zip(variable.shape, array.shape))


@pytest.mark.parametrize("name", sorted(set(RECORDS) - set(itertools.chain(*LEFT_OUT.values()))))
def test_unknown(name):
    record = RECORDS[name]
    eager = [t.numpy() for t in checks.as_list(record.function(*checks.tensors(record.inputs)))]
    feed = {f"input{n}": array for n, array in enumerate(record.inputs)}
    for unknown in places_of(record):
        found = built(record, unknown)
        if found is None:
            continue
        program, _, _, results = found
        values = Executor().run(program, feed=feed, fetch_list=results)
        for variable, value, expected in zip(results, values, eager, strict=True):
            assert fits(variable, expected), f"{record}: {unknown} unknown: {variable.shape} for {expected.shape}"
            checks.close(value, expected, 1e-9, f"{record}: {unknown} unknown")


def test_what_is_left_out_are_records():
    assert set(itertools.chain(*LEFT_OUT.values())) <= set(RECORDS)


#: Records whose gradients are none of a Program's, by why.
LEFT_OUT_OF_GRADIENTS = {
    "of gradients: the sizes that they pool to are known": {"prroi_back", "psroi_back", "roi_align_back"},
    "of gradients: the channels of what they are of are known": {"match_products", "match_right"},
}


def loss_of(results, chosen):
    return sum((results[n] * (results[n] + 1.0)).sum() for n in chosen)


def with_gradients(record):
    """The inputs that are differentiated, the results that have gradients, and the eager gradients."""
    wanted = checks.differentiable(record)
    tensors = [paddle.to_tensor(array, stop_gradient=n not in wanted) for n, array in enumerate(record.inputs)]
    results = checks.as_list(record.function(*tensors))
    chosen = [n for n, r in enumerate(results) if not r.stop_gradient and r.dtype.is_floating]
    if not chosen:
        return wanted, chosen, []
    return wanted, chosen, paddle.grad(loss_of(results, chosen), [tensors[n] for n in wanted], allow_unused=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(
    name for name in set(RECORDS) - set(itertools.chain(*LEFT_OUT.values(), *LEFT_OUT_OF_GRADIENTS.values()))
    if find(RECORDS[name].type).gradient is not None))
def test_gradients(name):
    record = RECORDS[name]
    wanted, chosen, eager = with_gradients(record)
    feed = {f"input{n}": array for n, array in enumerate(record.inputs)}
    for unknown in places_of(record) if chosen else ():
        found = built(record, unknown, wanted)
        if found is None:
            continue
        program, trace, given, results = found
        try:
            with using(trace):
                slopes = paddle.static.gradients(loss_of(results, chosen), [given[n] for n in wanted])
        except (ValueError, TypeError, NotImplementedError) as error:
            assert WAY_OUT.search(str(error)) and "has no value" not in str(error), f"{unknown} unknown: {error}"
            continue
        values = iter(Executor().run(program, feed=feed, fetch_list=[slope for slope in slopes if slope is not None]))
        for slope, expected, n in zip(slopes, eager, wanted, strict=True):
            value = np.zeros(1) if slope is None else next(values)
            right = np.zeros(value.shape) if expected is None else expected.numpy()
            assert slope is None or fits(slope, right), f"{unknown} unknown: {slope.shape} for {right.shape}"
            np.testing.assert_allclose(value if slope is not None else 0, right, 1e-6, 1e-7, err_msg=f"{n}, {unknown}")


def of_static(function, *shapes):
    """What a function gives in a Program of inputs of these shapes, for inputs whose open sizes are 3."""
    arrays = [np.random.default_rng(n).standard_normal([size if size > 0 else 3 for size in shape]).astype("float32")
              for n, shape in enumerate(shapes)]
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            given = [paddle.static.data(f"x{n}", shape, "float32") for n, shape in enumerate(shapes)]
            result = function(*given)
        [found] = Executor().run(program, feed={f"x{n}": a for n, a in enumerate(arrays)}, fetch_list=[result])
    finally:
        paddle.disable_static()
    return found, function(*map(paddle.to_tensor, arrays)).numpy()


F = paddle.nn.functional


@pytest.mark.parametrize("function, shapes", [
    (lambda x: x * x.size, [[-1, 4]]),
    (lambda x: paddle.median(x), [[-1, 4]]),
    (lambda x: paddle.median(x, 0, keepdim=True), [[-1, 4]]),
    (lambda x: paddle.quantile(x, [0.3, 0.7], 1), [[2, -1]]),
    (lambda x: paddle.nanmedian(x, 1), [[-1, -1]]),
    (lambda x: F.dice_loss(F.softmax(x), paddle.argmax(x, 1, keepdim=True)), [[-1, -1]]),
    (lambda x: F.dice_loss(F.softmax(x), paddle.cast(x[:, 2:] * 0, "int64")), [[-1, -1]]),
    (lambda x: F.local_response_norm(x, 3, data_format="NCL"), [[-1, -1, -1]]),
    (lambda x: F.local_response_norm(x, 3, data_format="NLC"), [[-1, -1, -1]]),
    (lambda x: F.multi_margin_loss(x, paddle.argmax(x, 1)), [[-1, -1]]),
    (lambda x: F.cross_entropy(x, paddle.argmax(x, 1), label_smoothing=0.1), [[-1, -1]]),
    (lambda x: F.cross_entropy(x, paddle.cast(x[:, 2:] * 0, "int64"), label_smoothing=0.1), [[-1, -1]]),
    (lambda x: F.cross_entropy(x, paddle.argmax(x, 1), paddle.to_tensor([1.0, 2.0, 3.0]), axis=1), [[-1, -1, -1]]),
    (lambda x, y: F.npair_loss(x, y, x[:, 0] * 0), [[-1, -1], [-1, 3]]),
    (lambda x: F.scaled_dot_product_attention(x, x, x), [[2, 4, 1, -1]]),
    (lambda x: paddle.std(x, 0), [[-1, 4]]),
], ids=["size", "median", "median over rows", "quantile", "nanmedian", "dice_loss", "dice_loss of open labels",
        "local_response_norm", "local_response_norm of channels last", "multi_margin_loss",
        "label_smoothing", "label_smoothing of open labels", "weights of classes along an axis",
        "npair_loss", "attention", "std"])
def test_functions_that_need_a_size(function, shapes):
    found, expected = of_static(function, *shapes)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_the_columns_of_vander_must_be_known():
    with pytest.raises(ValueError, match="Give n, or declare the size of x"):
        of_static(paddle.vander, [-1])


def test_files_of_deviations_hold_operators_that_every_reader_has(tmp_path):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.jit.save(paddle.jit.to_static(lambda x: x.std(0), [paddle.static.InputSpec([None, 4])]),
                        str(tmp_path / "deviation"))


@pytest.mark.parametrize("size", [2, 5, 8])
@pytest.mark.parametrize("transform", [
    lambda x, n: paddle.fft.fft(x, n), lambda x, n: paddle.fft.rfft(x, n, 0), lambda x, n: paddle.fft.ihfft(x, n),
    lambda x, n: paddle.fft.irfft(paddle.fft.fft(x), n), lambda x, n: paddle.fft.fft2(x, [n, 4]),
    lambda x, n: paddle.fft.hfftn(x, [4, n], [1, 0]), lambda x, n: paddle.fft.irfft2(paddle.fft.fft(x), [n, n])])
def test_transforms_of_a_given_length_take_any_sizes(transform, size):
    data = np.random.default_rng(0).random((5, 6))
    given = paddle.to_tensor(data, stop_gradient=False)
    expected = transform(given, size)
    expected.abs().sum().backward()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [-1, -1], "float64")
        x.stop_gradient = False
        result = transform(x, size)
        slopes = paddle.static.gradients(result.abs().sum(), x)
        found, slope = Executor().run(main, feed={"x": data}, fetch_list=[result, *slopes])
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)
    np.testing.assert_allclose(slope, given.grad.numpy(), atol=1e-12)


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("transform", [paddle.fft.rfft, paddle.fft.ihfft, lambda x: paddle.fft.rfft(x, axis=0),
                                       lambda x: paddle.fft.irfft(paddle.fft.fft(x)), paddle.fft.rfft2,
                                       lambda x: paddle.fft.irfft2(paddle.fft.rfft2(x, norm="ortho"), norm="ortho")])
def test_gradients_of_transforms_of_unknown_sizes(transform, size):
    array = np.sin(np.arange(3 * size, dtype="float64")).reshape(3, size)
    loss = lambda x: (transform(x).abs() ** 3).sum()
    x = paddle.to_tensor(array, stop_gradient=False)
    loss(x).backward()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        fed = paddle.static.data("x", [-1, -1], "float64")
        fed.stop_gradient = False
        gradient = paddle.static.gradients(loss(fed), fed)
    [found] = Executor().run(main, feed={"x": array}, fetch_list=gradient)
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-9, atol=1e-9)


def test_the_axis_of_cross_that_a_run_finds():
    array = np.arange(12.0).reshape(2, 3, 2)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        product = paddle.cross(paddle.static.data("x", [-1, -1, -1], "float64"), paddle.to_tensor(array[:, ::-1]))
    [found] = Executor().run(main, feed={"x": array}, fetch_list=[product])
    np.testing.assert_array_equal(found, np.cross(array, array[:, ::-1], axis=1))


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 2)])
@pytest.mark.parametrize("offset", [0, 1, -1])
def test_a_diagonal_is_put_into_a_tensor_of_unknown_sizes(axes, offset):
    x = paddle.zeros([3, 4, 2], "float64")
    y = paddle.diagonal(x, offset, *axes)
    y = y + paddle.arange(1, y.shape[-1] + 1, dtype="float64")
    expected = paddle.diagonal_scatter(x, y, offset, *axes)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        given = paddle.static.data("x", [-1, -1, 2], "float64"), paddle.static.data("y", [-1, -1], "float64")
        made = paddle.diagonal_scatter(*given, offset, *axes)
        [found] = Executor().run(main, feed={"x": x.numpy(), "y": y.numpy()}, fetch_list=[made])
    np.testing.assert_array_equal(found, expected.numpy())


TALL, WIDE = np.random.default_rng(0).random((4, 3)), np.random.default_rng(1).random((2, 5))


@pytest.mark.parametrize("array", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("function", [
    paddle.linalg.cov, paddle.linalg.corrcoef, lambda x: paddle.linalg.cov(x, rowvar=False, ddof=False),
    lambda x: paddle.linalg.svd(x, full_matrices=True)[1]], ids=["cov", "corrcoef", "of columns", "svd"])
def test_matrices_of_unknown_sizes_and_their_gradients(function, array):
    given = paddle.to_tensor(array, stop_gradient=False)
    expected = function(given)
    (expected * expected).sum().backward()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [-1, -1], "float64")
        x.stop_gradient = False
        result = function(x)
        slopes = paddle.static.gradients((result * result).sum(), x)
        found, slope = Executor().run(main, feed={"x": array}, fetch_list=[result, *slopes])
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-9)
    np.testing.assert_allclose(slope, given.grad.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("convolve", [
    paddle.nn.functional.conv2d, lambda x, w: paddle.nn.functional.conv2d(x, w, padding="SAME"),
    lambda x, w: paddle.nn.functional.conv2d_transpose(x, w, stride=2)], ids=["plain", "same", "transposed"])
def test_gradients_of_filters_of_which_the_number_is_unknown(convolve):
    image, weight = np.random.default_rng(0).random((2, 3, 5, 5)), np.random.default_rng(1).random((3, 3, 2, 2))
    given = [paddle.to_tensor(array, stop_gradient=False) for array in (image, weight)]
    (convolve(*given) ** 2).sum().backward()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        fed = paddle.static.data("x", [-1, 3, 5, 5], "float64"), paddle.static.data("w", [-1, -1, 2, 2], "float64")
        for variable in fed:
            variable.stop_gradient = False
        slopes = paddle.static.gradients((convolve(*fed) ** 2).sum(), list(fed))
        found = Executor().run(main, feed={"x": image, "w": weight}, fetch_list=slopes)
    for slope, tensor in zip(found, given):
        np.testing.assert_allclose(slope, tensor.grad.numpy(), rtol=1e-9)


def test_windows_of_unknown_sizes_have_no_gradient():
    with paddle.static.program_guard(paddle.static.Program()):
        x, w = paddle.static.data("x", [1, 3, 5, 5]), paddle.static.data("w", [2, 3, -1, 2])
        w.stop_gradient = False
        with pytest.raises(ValueError, match=r"needs the sizes of its windows.*\[2, 3, -1, 2\]"):
            paddle.static.gradients(paddle.nn.functional.conv2d(x, w), w)


@pytest.mark.parametrize("padding", [None, 1])
def test_the_gradient_of_a_table_of_which_the_rows_are_unknown(padding):
    ids, table = np.array([[0, 2], [1, 2]]), np.arange(12.0).reshape(4, 3)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        places, rows = paddle.static.data("ids", [-1, 2], "int64"), paddle.static.data("rows", [-1, -1], "float64")
        rows.stop_gradient = False
        found = paddle.nn.functional.embedding(places, rows, padding_idx=padding)
        [slope] = Executor().run(main, feed={"ids": ids, "rows": table},
                                 fetch_list=paddle.static.gradients((found * found).sum(), rows))
    counts = np.array([[1], [0 if padding else 1], [2], [0]])
    np.testing.assert_array_equal(slope, 2 * table * counts)


def test_the_size_of_images_counts_in_the_gradient_of_their_flow():
    """`fluid.layers.fsp_matrix` divides by it."""
    fsp, image = find("fsp"), np.random.default_rng(0).random((2, 3, 4, 5))
    given = paddle.to_tensor(image, stop_gradient=False)
    apply(fsp, given, given).sum().backward()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [-1, 3, -1, -1], "float64")
        x.stop_gradient = False
        [slope] = Executor().run(main, feed={"x": image}, fetch_list=paddle.static.gradients(apply(fsp, x, x).sum(), x))
    np.testing.assert_allclose(slope, given.grad.numpy(), rtol=1e-9)


@pytest.mark.parametrize("sizes", [(3, 1), (1, 3), (3, 3), (1, 1)])
def test_where_two_sizes_are_open_either_may_be_repeated(sizes):
    condition, x = np.arange(2 * sizes[0]).reshape(sizes[0], 1, 2) % 3 > 0, np.arange(4.0 * sizes[1]).reshape(-1, 2, 2)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        chosen = paddle.static.data("condition", [-1, 1, 2], "bool")
        values = paddle.static.data("x", [-1, 2, 2], "float64")
        values.stop_gradient = False
        result = paddle.where(chosen, values, paddle.full([], 7.0, "float64"))
        fetched = [result, *paddle.static.gradients(result.sum(), values)]
    found, slope = Executor().run(main, feed={"condition": condition, "x": x}, fetch_list=fetched)
    np.testing.assert_array_equal(found, np.where(condition, x, 7.0))
    wanted = np.broadcast_to(condition, found.shape).astype("float64")
    np.testing.assert_array_equal(slope, wanted if sizes[1] == len(wanted) else wanted.sum(0, keepdims=True))
