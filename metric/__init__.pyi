"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.metric`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.metric.binary import Auc as Auc, Precision as Precision, Recall as Recall
from proa.metric.metric import Accuracy as Accuracy, Metric as Metric, accuracy as accuracy

