"""class_center_sample: the classes of a batch and some others, for losses over very many classes.

After "Partial FC: Training 10 Million Identities on a Single Machine" (An et al., 2021).
"""

from typing import Any

import numpy as np

from ...backend.random import integers
from ...core.mersenne_twister import Engine
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..random.draws import engine, generator


def _others(words: Engine, positive: np.ndarray, num_classes: int, count: int) -> np.ndarray:
    """Other classes in the order in which Paddle draws them: any, and those that it has are passed over."""
    found = dict.fromkeys(positive.tolist())
    while len(found) < positive.size + count:
        found.setdefault(int(integers(words, (1,), 0, num_classes)[0]))
    return np.array(list(found)[positive.size:], positive.dtype)


def _class_center_sample(xp, label, *, num_classes: int, num_samples: int, ring_id: int = 0, rank: int = 0,
                         nranks: int = 1, fix_seed: bool = False, seed: int = 0):
    if label.size and (int(label.min()) < 0 or int(label.max()) >= num_classes):
        raise ValueError(f"class_center_sample(label): labels must lie in [0, {num_classes}). "
                         f"Received labels from {int(label.min())} to {int(label.max())}.")
    positive = xp.unique(label)
    if fix_seed and seed and xp is np:
        others = _others(engine(seed), positive, num_classes, num_samples - positive.size)
    else:
        others = xp.setdiff1d(xp.arange(num_classes, dtype=label.dtype), positive)
        order = generator(xp, seed if fix_seed else 0).random(others.size).argsort()
        others = others[order[:max(num_samples - positive.size, 0)]]
    sampled = xp.concatenate([positive, others])
    return xp.searchsorted(positive, label).astype(label.dtype), sampled.astype(label.dtype)


class_center_sample_op = operator(
    "class_center_sample", "Label -> RemappedLabel, SampledLocalClassCenter", kernel=_class_center_sample,
    effects="random",
    infer=lambda label, **_: (label, Spec((-1,), label.dtype)), fails="values")


def class_center_sample(label: Any, num_classes: int, num_samples: int, group: Any = None) -> tuple[Any, Any]:
    """The labels numbered anew, and the `num_samples` classes that the new numbers stand for.

    These are the classes in `label` [N], in order, and then others drawn at random; all classes in `label` if they are
    more than `num_samples`. Raises ValueError for more samples than classes, and NotImplementedError for a `group` of
    several processes.

    >>> import proa as paddle
    >>> remapped, sampled = paddle.nn.functional.class_center_sample(paddle.to_tensor([7, 3, 7]), 10, 4)
    >>> remapped.tolist(), sampled.tolist()[:2], len(sampled)
    ([1, 0, 1], [3, 7], 4)
    """
    if group not in (None, False):
        raise NotImplementedError("class_center_sample(group): classes are not spread over processes here. Leave "
                                  "group out, or give False.")
    if not 0 < num_samples <= num_classes:
        raise ValueError(f"class_center_sample(num_classes, num_samples): num_samples must lie in [1, num_classes]. "
                         f"Received {num_samples} of {num_classes} classes.")
    if len(label.shape) != 1:
        raise ValueError(f"class_center_sample(label): must be [N]. Received {list(label.shape)}.")
    return apply(class_center_sample_op, label, num_classes=num_classes, num_samples=num_samples)
