"""`fluid.contrib.decoder`: recurrent decoders whose step is written once, for training and for a beam search."""

from .beam_search_decoder import BeamSearchDecoder, InitState, StateCell, TrainingDecoder

__all__ = ["BeamSearchDecoder", "InitState", "StateCell", "TrainingDecoder"]
