"""Readers over the published data sets, and helpers for images, as in Paddle 1.x: `paddle.dataset`.

New code has the Dataset classes of `paddle.vision.datasets` and `paddle.text`. Nothing is downloaded.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from . import (
        cifar,
        common,
        conll05,
        flowers,
        image,
        imdb,
        imikolov,
        mnist,
        movielens,
        sentiment,
        uci_housing,
        voc2012,
        wmt14,
        wmt16,
    )
else:
    __getattr__, __dir__ = attach(__name__)
