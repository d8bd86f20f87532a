"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.audio.features`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.audio.features.layers import LogMelSpectrogram as LogMelSpectrogram, MFCC as MFCC, MelSpectrogram as MelSpectrogram, Spectrogram as Spectrogram

