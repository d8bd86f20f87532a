"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.vision.datasets`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.vision.datasets.cifar import Cifar10 as Cifar10, Cifar100 as Cifar100
from proa.vision.datasets.flowers import Flowers as Flowers
from proa.vision.datasets.folder import DatasetFolder as DatasetFolder, ImageFolder as ImageFolder
from proa.vision.datasets.mnist import FashionMNIST as FashionMNIST, MNIST as MNIST
from proa.vision.datasets.voc2012 import VOC2012 as VOC2012

