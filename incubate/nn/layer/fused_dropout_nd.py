"""FusedDropout: dropout in one kernel, which `nn.Dropout` is here."""

from ....nn import Dropout

__all__ = ["FusedDropout"]


class FusedDropout(Dropout):
    """`nn.Dropout` under the name of the kernel that Paddle has for a GPU.

    >>> import proa as paddle
    >>> layer = paddle.incubate.nn.FusedDropout(0.5, axis=0)
    >>> layer.eval()
    >>> layer(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """
