"""Images: resized, sampled, rearranged, unfolded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.full import is_value, shape_inputs
from ...ops.nn.window_arguments import repeated
from ..layer_helper import LayerHelper, need_format, need_one_of
from ..mode import face
from .random import kept_seed

_METHODS = {"BILINEAR": "bilinear", "TRILINEAR": "trilinear", "NEAREST": "nearest", "BICUBIC": "bicubic"}


@face
def image_resize(input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
                 resample: str = "BILINEAR", actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
                 data_format: str = "NCHW") -> Any:
    """Images or volumes of other sizes: `out_shape`, or theirs times `scale`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.image_resize(fluid.data("x", [None, 3, 4, 4]), out_shape=[8, 6]).shape
    (-1, 3, 8, 6)
    """
    if resample not in _METHODS:
        raise ValueError(f"image_resize(resample): must be one of {', '.join(_METHODS)}. Received {resample!r}.")
    if out_shape is None and scale is None:
        raise ValueError("image_resize: give out_shape or scale.")
    need_one_of("image_resize(align_mode)", align_mode, 0, 1)
    rank, type = len(input.shape) - 2, f"{_METHODS[resample]}_interp"
    need_format("image_resize(data_format)", data_format, rank)
    sizes, tensor, parts = shape_inputs([-1] * rank if out_shape is None else out_shape)
    factor = scale if is_value(scale) and out_shape is None else None
    known = dict(zip(("out_d", "out_h", "out_w"), [-1] * (3 - rank) + (list(sizes) or [-1] * rank), strict=True))
    return LayerHelper(type, name=name).apply(
        type, input, tensor if actual_shape is None else actual_shape, parts, factor, interp_method=_METHODS[resample],
        align_corners=align_corners, align_mode=align_mode, data_layout="NHWC" if data_format[-1] == "C" else "NCHW",
        scale=0.0 if out_shape is not None or factor is not None else float(scale), **known)


@face
def interpolate(input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
                resample: str = "BILINEAR", actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
                data_format: str = "NCHW") -> Any:
    """As `image_resize`."""
    return image_resize(input, out_shape, scale, name, resample, actual_shape, align_corners, align_mode, data_format)


@face
def resize_bilinear(input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
                    actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
                    data_format: str = "NCHW") -> Any:
    """Images of other sizes, interpolated linearly."""
    return image_resize(input, out_shape, scale, name, "BILINEAR", actual_shape, align_corners, align_mode,
                        data_format)


@face
def resize_trilinear(input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
                     actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
                     data_format: str = "NCDHW") -> Any:
    """Volumes of other sizes, interpolated linearly."""
    return image_resize(input, out_shape, scale, name, "TRILINEAR", actual_shape, align_corners, align_mode,
                        data_format)


@face
def resize_nearest(input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
                   actual_shape: Any = None, align_corners: bool = True, data_format: str = "NCHW") -> Any:
    """Images of other sizes, of the nearest elements."""
    return image_resize(input, out_shape, scale, name, "NEAREST", actual_shape, align_corners, 1, data_format)


@face
def image_resize_short(input: Any, out_short_len: int, resample: str = "BILINEAR") -> Any:
    """Images whose shorter side has a length, and the other one in proportion."""
    sizes = list(input.shape[2:4])
    short = sizes.index(min(sizes))
    wanted = list(sizes)
    wanted[short] = out_short_len
    wanted[1 - short] = int(float(sizes[1 - short]) * (float(out_short_len) / float(sizes[short])) + 0.5)
    return image_resize(input, wanted, resample=resample)


@face
def space_to_depth(x: Any, blocksize: int, name: str | None = None) -> Any:
    """Blocks of images as channels."""
    return LayerHelper("space_to_depth", name=name).apply("space_to_depth", x, blocksize=blocksize)


@face
def shuffle_channel(x: Any, group: int, name: str | None = None) -> Any:
    """Channels of the groups in turn (Zhang et al., ShuffleNet, 2017)."""
    return LayerHelper("shuffle_channel", name=name).apply("shuffle_channel", x, group=group)


@face
def pixel_shuffle(x: Any, upscale_factor: int) -> Any:
    """Channels as blocks of larger images."""
    return LayerHelper("pixel_shuffle").apply("pixel_shuffle", x, upscale_factor=upscale_factor)


@face
def temporal_shift(x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None) -> Any:
    """A share of the channels from the image before, and one from the image behind."""
    return LayerHelper("temporal_shift", name=name).apply("temporal_shift", x, seg_num=seg_num,
                                                          shift_ratio=shift_ratio)


@face
def unfold(x: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1,
           name: str | None = None) -> Any:
    """The windows of images as columns."""
    around = [paddings] * 4 if isinstance(paddings, int) else list(paddings) * (2 if len(paddings) == 2 else 1)
    return LayerHelper("unfold", name=name).apply(
        "unfold", x, kernel_sizes=repeated("unfold", "kernel_sizes", kernel_sizes, 2),
        strides=repeated("unfold", "strides", strides, 2), paddings=around,
        dilations=repeated("unfold", "dilations", dilations, 2))


@face
def grid_sampler(x: Any, grid: Any, name: str | None = None) -> Any:
    """The elements of images at places between -1 and 1, interpolated linearly."""
    return LayerHelper("grid_sampler", name=name).apply("grid_sampler", x, grid)


@face
def affine_grid(theta: Any, out_shape: Any, name: str | None = None) -> Any:
    """The places that an affine map gives each element of images of a shape."""
    tensor, sizes = (out_shape, []) if is_value(out_shape) else (None, list(out_shape))
    return LayerHelper("affine_grid", name=name).apply("affine_grid", theta, tensor, output_shape=sizes)


@face
def fsp_matrix(x: Any, y: Any) -> Any:
    """Products of two layers' channels, summed over the image (Yim et al., 2017)."""
    return LayerHelper("fsp_matrix").apply("fsp", x, y)


@face
def random_crop(x: Any, shape: Sequence[int], seed: Any = None) -> Any:
    """A part of each sample, of a shape, at a random place: dimensions that `shape` leaves out stay whole.

    `seed`: a number, by default one of NumPy's, that the startup Program sets; or a variable int64 [1]. Each run
    changes it.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.random_crop(fluid.data("x", [None, 3, 32, 32]), [28, 28]).shape
    (-1, 3, 28, 28)
    """
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"random_crop(shape): must be a list of ints. Received {type(shape).__name__}.")
    helper = LayerHelper("random_crop")
    seed, start = kept_seed(helper, seed)
    return helper.apply("random_crop", x, seed, out={"SeedOut": seed}, shape=list(shape), startup_seed=start)[0]


@face
def similarity_focus(input: Any, axis: int, indexes: Sequence[int], name: str | None = None) -> Any:
    """1 at the largest elements of planes of the input, one in each row and column of them; 0 elsewhere.

    A plane is what lies at one of `indexes` along `axis` (1, 2 or 3); what is found in it holds all along `axis`, and
    what is found in any of them counts. He and Lin, Pairwise Word Interaction Modeling, 2016.
    """
    return LayerHelper("similarity_focus", name=name).apply("similarity_focus", input, axis=axis,
                                                            indexes=list(indexes))


__all__ = ["affine_grid", "fsp_matrix", "grid_sampler", "image_resize", "image_resize_short", "interpolate",
           "pixel_shuffle", "random_crop", "resize_bilinear", "resize_nearest", "resize_trilinear", "shuffle_channel",
           "similarity_focus", "space_to_depth", "temporal_shift", "unfold"]
