"""What programs for text need: finding the best sequence of tags, and sets of texts. `paddle.text`. Knows operators."""

from ..ops.sequence.viterbi import viterbi_decode
from . import datasets
from .datasets import WMT14, WMT16, Conll05st, Imdb, Imikolov, Movielens, UCIHousing
from .decoder import ViterbiDecoder

__all__ = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "ViterbiDecoder", "WMT14", "WMT16",
           "viterbi_decode"]
