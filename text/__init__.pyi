"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.text`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.dygraph.tensor import Tensor as Tensor
from . import datasets as datasets
from proa.text.datasets.conll05 import Conll05st as Conll05st
from proa.text.datasets.imdb import Imdb as Imdb
from proa.text.datasets.imikolov import Imikolov as Imikolov
from proa.text.datasets.movielens import Movielens as Movielens
from proa.text.datasets.uci_housing import UCIHousing as UCIHousing
from proa.text.datasets.wmt14 import WMT14 as WMT14
from proa.text.datasets.wmt16 import WMT16 as WMT16
from proa.text.decoder import ViterbiDecoder as ViterbiDecoder

def viterbi_decode(potentials: Any, transition_params: Any, lengths: Any, include_bos_eos_tag: bool = True, name: str | None = None) -> tuple[Tensor, Tensor]: ...
