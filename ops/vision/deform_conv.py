"""Convolution of windows whose pixels are moved by offsets: deformable_conv and deformable_conv_v1.

After "Deformable Convolutional Networks" (Dai et al., 2017), with factors for the places after "Deformable ConvNets v2"
(Zhu et al., 2018). An image's channels are in `deformable_groups`, each with places of its own: what follows works on
[N * deformable_groups, C / deformable_groups, H, W] with places [N * deformable_groups, kernel, H', W'].
"""

from typing import Any

from ...backend import products
from ..array.concat_split import stack
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape, shape_handle, transpose, unsqueeze
from ..core.infer import promoting
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul
from ..math.casting import cast, dtype_of
from ..math.comparison import greater_than
from ..math.elementwise import multiply, scale
from ..math.reduce import sum
from ..nn.windows import Geometry, geometry
from .sample_at_places import sample_images, sample_op, slopes_op, spread_op

# the places


def _geometry(sizes: Any, kernel: Any, strides: Any, paddings: Any, dilations: Any) -> Geometry:
    return geometry("deform_conv2d", sizes, kernel, strides, paddings, dilations)


def _line(xp: Any, rank: int, kernel: Any, out: Any, stride: int, padding: int, dilation: int, dtype: Any) -> Any:
    """The unmoved coordinate of each place of a window [1, kernel, H', W'], along dimension `rank` of the two."""
    within = xp.arange(kernel[rank], dtype=dtype) * dilation - padding
    within = xp.broadcast_to(within[:, None] if rank == 0 else within[None], tuple(kernel)).reshape(1, -1, 1, 1)
    start = xp.arange(out[rank], dtype=dtype) * stride
    return within + (start[:, None] if rank == 0 else start[None])


def _places(xp, offset, *, kernel: Ints, deformable_groups: int = 1, strides: Ints = (1, 1), paddings: Ints = (0, 0),
            dilations: Ints = (1, 1)):
    out = offset.shape[2:]
    moved = offset.reshape(-1, kernel[0] * kernel[1], 2, *out)
    return tuple(moved[:, :, n] + _line(xp, n, kernel, out, strides[n], paddings[n], dilations[n], offset.dtype)
                 for n in range(2))


def _infer_places(offset, *, kernel, deformable_groups=1, **_):
    samples = offset.shape[0] * deformable_groups if offset.shape[0] >= 0 else -1
    spec = Spec((samples, kernel[0] * kernel[1], *offset.shape[2:]), offset.dtype)
    return spec, spec


places_op = operator("deformable_places", "Offset -> Y, X", kernel=_places, infer=_infer_places, grad={
    "Offset": lambda d_Y, d_X, Offset_shape: reshape_to(stack([d_Y, d_X], 2), Offset_shape)}, only_here=True)


# the operators

def _grouped(w: Any, groups: int) -> Any:
    return w.reshape(groups, w.shape[0] // groups, -1)


def _deformed(xp, x, offset, mask, w, *, strides: Ints = (1, 1), paddings: Ints = (0, 0), dilations: Ints = (1, 1),
              deformable_groups: int = 1, groups: int = 1, im2col_step: int = 1):
    out = _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations).out
    if tuple(out) != offset.shape[2:] or mask is not None and offset.shape[2:] != mask.shape[2:]:
        raise ValueError(f"deform_conv2d(offset, mask): their last sizes must be those of the result, {list(out)}. "
                         f"Received offset.shape={list(offset.shape)}, "
                         f"mask.shape={None if mask is None else list(mask.shape)}.")
    down, along = _places(xp, offset, kernel=w.shape[2:], deformable_groups=deformable_groups, strides=strides,
                          paddings=paddings, dilations=dilations)
    split = x.reshape(-1, x.shape[1] // deformable_groups, *x.shape[2:])
    columns = sample_images(xp, split, down, along)
    if mask is not None:
        columns = columns * mask.reshape(len(columns), 1, *columns.shape[2:])
    columns = columns.reshape(len(x), groups, -1, columns.shape[-2] * columns.shape[-1])
    return products.matmul(xp, _grouped(w, groups), columns).reshape(len(x), len(w), *offset.shape[2:])


def _deformed_v1(xp, x, offset, w, *, strides: Ints = (1, 1), paddings: Ints = (0, 0), dilations: Ints = (1, 1),
                 deformable_groups: int = 1, groups: int = 1, im2col_step: int = 1):
    return _deformed(xp, x, offset, None, w, strides=strides, paddings=paddings, dilations=dilations,
                     deformable_groups=deformable_groups, groups=groups)


def _infer(x, offset, mask, w, *, strides=(1, 1), paddings=(0, 0), dilations=(1, 1), deformable_groups=1, groups=1,
           im2col_step=1):
    received = f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}, groups={groups}, " \
               f"deformable_groups={deformable_groups}"
    if x.shape[1] >= 0 and (x.shape[1] != w.shape[1] * groups or x.shape[1] % deformable_groups
                            or w.shape[0] % groups):
        raise ValueError(f"deform_conv2d(x, weight): x must have weight.shape[1] * groups channels, and groups of "
                         f"equal size. {received}.")
    out = _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations).out
    count = deformable_groups * w.shape[2] * w.shape[3]
    for name, value, channels in (("offset", offset, 2 * count), ("mask", mask, count)):
        if value is not None and any(-1 not in (a, b) and a != b for a, b in zip(
                value.shape[1:], (channels, *out), strict=True)):
            raise ValueError(f"deform_conv2d({name}): must have the shape [N, {channels}, {out[0]}, {out[1]}]. "
                             f"Received {list(value.shape)}. {received}.")
    return Spec((x.shape[0], w.shape[0], *out), x.dtype)


def _infer_v1(x, offset, w, **attrs):
    return _infer(x, offset, None, w, **attrs)


def _gradients(g, Input, Offset, Mask, Filter, strides, paddings, dilations, deformable_groups, groups, wants):
    kernel, channels = list(tuple(Filter.shape)[2:]), tuple(Filter.shape)[1] * groups
    windows = {"kernel": kernel, "strides": strides, "paddings": paddings, "dilations": dilations}
    down, along = apply(places_op, Offset, deformable_groups=deformable_groups, **windows)
    split = reshape(Input, [-1, channels // deformable_groups, 0, 0])
    sampled = apply(sample_op, split, down, along)
    mask = None if Mask is None else unsqueeze(reshape(Mask, [-1, kernel[0] * kernel[1], 0, 0]), 1)
    columns = sampled if mask is None else multiply(sampled, mask)
    g = reshape(g, [0, groups, tuple(Filter.shape)[0] // groups, -1])
    d_filter = None
    if wants[3]:
        rows = _as_rows(columns, channels, groups)
        d_filter = reshape_to(sum(matmul(g, rows, transpose_y=True), 0), tuple(Filter.shape))
    matrix = reshape(Filter, [groups, tuple(Filter.shape)[0] // groups, -1])
    d_columns = reshape_to(matmul(transpose(matrix, [0, 2, 1]), g), shape_handle(sampled))
    d_mask = reshape_to(sum(multiply(d_columns, sampled), 1), shape_handle(Mask)) if wants[2] else None
    if not (wants[0] or wants[1]):
        return None, None, d_mask, d_filter
    d_sampled = d_columns if mask is None else multiply(d_columns, mask)
    d_input = d_offset = None
    if wants[0]:
        d_input = reshape_to(apply(spread_op, d_sampled, split, down, along), shape_handle(Input))
    if wants[1]:
        reached = multiply(_reached(down), _reached(along))
        slopes = apply(slopes_op, d_sampled, split, down, along)
        d_offset = reshape_to(stack([multiply(slope, reached) for slope in slopes], 2), shape_handle(Offset))
    return d_input, d_offset, d_mask, d_filter


def _reached(places: Any) -> Any:
    """1 where places lie behind -1, from where on they see the image: at -1, where padding puts them, slopes are 0."""
    return cast(greater_than(places, scale(places, 0.0, -1.0)), dtype_of(places))


def _as_rows(columns: Any, channels: int, groups: int) -> Any:
    """Columns [N * deformable_groups, C', kernel, H', W'] as [N, groups, C / groups * kernel, H' * W']."""
    columns = reshape(columns, [-1, channels, 0, 0, 0])
    return reshape(columns, [0, groups, channels // groups * columns.shape[2], -1])


def _gradients_v1(g, Input, Offset, Filter, strides, paddings, dilations, deformable_groups, groups, wants):
    d_input, d_offset, _, d_filter = _gradients(g, Input, Offset, None, Filter, strides, paddings, dilations,
                                                deformable_groups, groups, (wants[0], wants[1], False, wants[2]))
    return d_input, d_offset, d_filter


deformable_conv_op = operator("deformable_conv", "Input, Offset, Mask, Filter -> Output", kernel=_deformed,
                              infer=promoting(_infer), grad={"Input, Offset, Mask, Filter": _gradients}, lod="drop")
deformable_conv_v1_op = operator("deformable_conv_v1", "Input, Offset, Filter -> Output", kernel=_deformed_v1,
                                 infer=promoting(_infer_v1), grad={"Input, Offset, Filter": _gradients_v1}, lod="drop")
