"""The layers for sequences of several lengths in one tensor (LoD): their names, and what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn

_INSTEAD = {
    "sequence_concat": "paddle.concat of padded sequences",
    "sequence_conv": "paddle.nn.Conv1D on padded sequences",
    "sequence_enumerate": "paddle.nn.functional.unfold, or slices that are stacked",
    "sequence_expand": "paddle.repeat_interleave",
    "sequence_expand_as": "paddle.repeat_interleave",
    "sequence_first_step": "x[:, 0] of padded sequences",
    "sequence_last_step": "paddle.take_along_axis with the lengths",
    "sequence_pad": "padding when the data are read, in a DataLoader's collate_fn",
    "sequence_pool": "paddle.sum or paddle.max with paddle.nn.functional.sequence_mask",
    "sequence_reshape": "paddle.reshape",
    "sequence_reverse": "paddle.flip, or a recurrent layer with sequence_length",
    "sequence_scatter": "paddle.scatter",
    "sequence_slice": "paddle.slice, or paddle.take_along_axis",
    "sequence_softmax": "paddle.nn.functional.softmax with a mask",
    "sequence_unpad": "paddle.masked_select with paddle.nn.functional.sequence_mask",
}


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(f"static.nn.{name}: tensors here have no LoD, the lengths that this layer reads. "
                              f"Use {_INSTEAD[name]}.")


def sequence_concat(input: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_concat")


def sequence_conv(input: Any, num_filters: int, filter_size: int = 3, filter_stride: int = 1, padding: bool = True,
                  padding_start: int | None = None, bias_attr: Any = None, param_attr: Any = None,
                  act: str | None = None, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_conv")


def sequence_enumerate(input: Any, win_size: int, pad_value: int = 0, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_enumerate")


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_expand")


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_expand_as")


def sequence_first_step(input: Any) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_first_step")


def sequence_last_step(input: Any) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_last_step")


def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_pad")


def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_pool")


def sequence_reshape(input: Any, new_dim: int) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_reshape")


def sequence_reverse(x: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_reverse")


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_scatter")


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_slice")


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_softmax")


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> NoReturn:
    """Raises NotImplementedError, saying what to use."""
    _refused("sequence_unpad")


__all__: list[str] = sorted(_INSTEAD)
