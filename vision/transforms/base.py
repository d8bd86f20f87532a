"""What every transform is, and transforms in sequence. Knows nothing of what is done to an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...static.ir.variable import Variable


class Compose:
    """Transforms applied one after the other. `paddle.vision.transforms.Compose`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Compose, Resize, ToTensor
    >>> Compose([Resize(4), ToTensor()])(np.zeros((8, 8, 3), np.uint8)).shape
    [3, 4, 4]
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]):
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """What the last transform gives."""
        for transform in self.transforms:
            data = transform(data)
        return data

    def __repr__(self) -> str:
        return "\n".join([f"{type(self).__name__}(", *[f"    {transform}" for transform in self.transforms], ")"])


class BaseTransform:
    """Derive from it and define `_apply_image(image)`, and `_apply_KEY` for other kinds of input.

    Called with one input or a tuple of them. `keys` says what they are, ("image",) by default: an input of kind KEY
    goes through `_apply_KEY`; one more than there are keys stays as it is. `_get_params(inputs)` is called first with
    the tuple: what it returns is in `self.params`, so that an image and its boxes can share what is drawn at random.
    NotImplementedError for a key without a method. `paddle.vision.transforms.BaseTransform`.

    >>> import numpy as np
    >>> from proa.vision.transforms import BaseTransform
    >>> class Negative(BaseTransform):
    ...     def _apply_image(self, image):
    ...         return 255 - image
    >>> Negative()((np.zeros(1), "a label"))
    (array([255.]), 'a label')
    """

    def __init__(self, keys: Sequence[str] | None = None):
        keys = ("image",) if keys is None else keys
        if not isinstance(keys, Sequence):
            raise ValueError(f"{type(self).__name__}(keys): must be a sequence of names. Received {keys!r}.")
        for key in keys:
            if self._get_apply(key) is None:
                raise NotImplementedError(f"{type(self).__name__}(keys): there is no method _apply_{key}. Define it.")
        self.keys = keys
        self.params: Any = None

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        """What the inputs share; for derived classes."""
        return None

    def __call__(self, inputs: Any) -> Any:
        """The inputs, transformed: one, or a tuple of them."""
        if not isinstance(inputs, tuple):
            inputs = (inputs,)
        self.params = self._get_params(inputs)
        done = [self._applied(key, value) for key, value in zip(self.keys, inputs, strict=False)]
        done.extend(inputs[len(self.keys) :])
        return done[0] if len(done) == 1 else tuple(done)

    def _applied(self, key: str, value: Any) -> Any:
        apply = self._get_apply(key)
        return value if apply is None else apply(value)

    def _get_apply(self, key: str) -> Callable[[Any], Any] | None:
        return getattr(self, f"_apply_{key}", None)

    def _apply_image(self, image: Any) -> Any:
        raise self._missing("image")

    def _apply_boxes(self, boxes: Any) -> Any:
        raise self._missing("boxes")

    def _apply_mask(self, mask: Any) -> Any:
        raise self._missing("mask")

    def _missing(self, key: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has nothing for {key}. Define _apply_{key} in a subclass.")


class RandomTransform(BaseTransform):
    """A transform that draws anew for every image. For samples: a Program would repeat what was drawn once."""

    def _applied(self, key: str, value: Any) -> Any:
        if isinstance(value, Variable):
            raise NotImplementedError(
                f"{type(self).__name__} draws while it is called, so a Program would repeat one draw. Apply it to "
                "the samples, in a Dataset."
            )
        return super()._applied(key, value)
