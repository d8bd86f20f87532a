"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.io`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.io.batch_sampler import BatchSampler as BatchSampler, DistributedBatchSampler as DistributedBatchSampler
from proa.io.combine import ChainDataset as ChainDataset, ComposeDataset as ComposeDataset, ConcatDataset as ConcatDataset
from proa.io.dataloader.collate import default_collate_fn as default_collate_fn, default_convert_fn as default_convert_fn
from proa.io.dataloader.loader import DataLoader as DataLoader
from proa.io.dataloader.worker import get_worker_info as get_worker_info
from proa.io.dataset import Dataset as Dataset, IterableDataset as IterableDataset, TensorDataset as TensorDataset
from proa.io.sampler import RandomSampler as RandomSampler, Sampler as Sampler, SequenceSampler as SequenceSampler, SubsetRandomSampler as SubsetRandomSampler, WeightedRandomSampler as WeightedRandomSampler
from proa.io.subset import Subset as Subset, random_split as random_split

