"""`paddle.distribution.transform`: the transforms, under the name that packages import them by."""

from .transform_groups import IndependentTransform, ReshapeTransform, StackTransform
from .transformed import ChainTransform, Transform, Type  # noqa: F401  # of users' transforms
from .transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    TanhTransform,
)

__all__ = ["AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
           "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
           "StickBreakingTransform", "TanhTransform", "Transform"]
