"""Data on its way to a model: datasets, samplers, and the DataLoader with its worker processes. `paddle.io`."""

from ..core.absent import asked_of
from .batch_sampler import BatchSampler, DistributedBatchSampler
from .combine import ChainDataset, ComposeDataset, ConcatDataset
from .dataloader import DataLoader, get_worker_info
from .dataloader.collate import default_collate_fn, default_convert_fn
from .dataset import Dataset, IterableDataset, TensorDataset
from .sampler import RandomSampler, Sampler, SequenceSampler, SubsetRandomSampler, WeightedRandomSampler
from .subset import Subset, random_split

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ComposeDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedBatchSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate_fn",
    "default_convert_fn",
    "get_worker_info",
    "random_split",
]
__getattr__ = asked_of(__name__)
