"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow.utils.data`."""

from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .loader import DataLoader, default_collate, get_worker_info
from .sampler import BatchSampler, DistributedSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = ['BatchSampler', 'ConcatDataset', 'DataLoader', 'Dataset', 'DistributedSampler', 'IterableDataset', 'RandomSampler', 'Sampler', 'SequentialSampler', 'Subset', 'SubsetRandomSampler', 'TensorDataset', 'WeightedRandomSampler', 'default_collate', 'get_worker_info', 'random_split']
