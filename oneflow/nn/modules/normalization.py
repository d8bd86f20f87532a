"""Normalization as modules."""

from __future__ import annotations

from typing import Any

from ...functions import creation
from .. import functional as F
from .. import init
from .. import normalization as of_jobs
from ..job_form import also_function
from ..module import Module, Parameter


class _Norm(Module):
    _ranks: tuple[int, ...] = ()
    running_mean: Any
    running_var: Any

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = Parameter(creation.ones(num_features, dtype=dtype, device=device)) if affine else None
        self.bias = Parameter(creation.zeros(num_features, dtype=dtype, device=device)) if affine else None
        tracked = track_running_stats
        self.register_buffer("running_mean", creation.zeros(num_features, dtype=dtype, device=device) if tracked
                             else None)
        self.register_buffer("running_var", creation.ones(num_features, dtype=dtype, device=device) if tracked
                             else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0) if tracked and self._counts else None)

    _counts = True

    def reset_running_stats(self) -> None:
        """Begins the running mean and variance anew."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)

    def reset_parameters(self) -> None:
        """Begins all anew."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def _check(self, x: Any) -> None:
        if self._ranks and len(x.shape) not in self._ranks:
            wanted = " or ".join(map(str, self._ranks))
            raise ValueError(f"{type(self).__name__}: must have {wanted} dimensions. Received shape={tuple(x.shape)}.")

    def extra_repr(self) -> str:
        """Its settings."""
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"track_running_stats={self.track_running_stats}")


class _BatchNorm(_Norm):
    def forward(self, x: Any) -> Any:
        """x, normalized by channels."""
        self._check(x)
        training = self.training or self.running_mean is None
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, training, self.momentum,
                            self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalizes [N, C] or [N, C, L] by channels."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalizes [N, C, H, W] by channels; `momentum` is the batch's share of the running mean and variance.

    >>> import proa.oneflow as flow
    >>> norm = flow.nn.BatchNorm2d(3)
    >>> norm(flow.ones(2, 3, 4, 4)).shape, norm.running_mean.tolist()
    (oneflow.Size([2, 3, 4, 4]), [0.10000000149011612, 0.10000000149011612, 0.10000000149011612])
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalizes [N, C, D, H, W] by channels."""

    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """As BatchNorm of any number of dimensions: with one process the batch is all there is."""

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """The module itself: with one process BatchNorm does the same."""
        return module


class _InstanceNorm(_Norm):
    _counts = False

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
                 track_running_stats: bool = False):
        if track_running_stats:
            raise NotImplementedError(f"{type(self).__name__}(track_running_stats=True): each sample is normalized by "
                                      "itself, in evaluation too. Leave it out.")
        super().__init__(num_features, eps, momentum, affine, False)

    def forward(self, x: Any) -> Any:
        """x, each channel of each sample normalized."""
        self._check(x)
        return F.instance_norm(x, weight=self.weight, bias=self.bias, eps=self.eps)


@also_function(of_jobs.instance_normalization1d, 1)
class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample [N, C, L]."""

    _ranks = (3,)


@also_function(of_jobs.instance_normalization2d, 1)
class InstanceNorm2d(_InstanceNorm):
    """Normalizes each channel of each sample [N, C, H, W]."""

    _ranks = (4,)


@also_function(of_jobs.instance_normalization3d, 1)
class InstanceNorm3d(_InstanceNorm):
    """Normalizes each channel of each sample [N, C, D, H, W]."""

    _ranks = (5,)


class LayerNorm(Module):
    """Normalizes over the last dimensions, whose sizes are given."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, device: Any = None,
                 dtype: Any = None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.weight = Parameter(creation.ones(*shape, dtype=dtype, device=device)) if elementwise_affine else None
        self.bias = Parameter(creation.zeros(*shape, dtype=dtype, device=device)) if elementwise_affine else None

    def reset_parameters(self) -> None:
        """Begins all anew."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, x: Any) -> Any:
        """x, normalized."""
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Its settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    """Divides by the root of the mean square over the last dimensions, whose sizes are given."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, device: Any = None,
                 dtype: Any = None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.weight = Parameter(creation.ones(*shape, dtype=dtype, device=device)) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        """x, normalized."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class RMSLayerNorm(Module):
    """As RMSNorm over the last dimension."""

    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.weight, self.variance_epsilon = Parameter(creation.ones(hidden_size)), eps

    def forward(self, hidden_states: Any) -> Any:
        """The input, normalized."""
        return F.rms_norm(hidden_states, hidden_states.shape[-1], self.weight, self.variance_epsilon)


@also_function(of_jobs.group_normalization, 1)
class GroupNorm(Module):
    """Normalizes groups of channels of each sample."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"GroupNorm(num_groups): must divide num_channels. Received {num_groups} and "
                             f"{num_channels}.")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.weight = Parameter(creation.ones(num_channels)) if affine else None
        self.bias = Parameter(creation.zeros(num_channels)) if affine else None

    def reset_parameters(self) -> None:
        """Begins all anew."""
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, x: Any) -> Any:
        """x, normalized."""
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Its settings."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
