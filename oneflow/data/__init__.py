"""`flow.data`: sets of data for job functions."""

from ..refused import explaining
from .mnist import load_mnist
from .ofrecord import OFRecordRawDecoder, ofrecord_raw_decoder, ofrecord_reader

__all__ = ["OFRecordRawDecoder", "load_mnist", "ofrecord_raw_decoder", "ofrecord_reader"]
__getattr__ = explaining(__name__)
