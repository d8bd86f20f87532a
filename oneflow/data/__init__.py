"""`flow.data`: sets of data for job functions."""

from ..refused import explaining
from .mnist import load_mnist
from .ofrecord import (
    BlobConf,
    OFRecordRawDecoder,
    RawCodec,
    decode_ofrecord,
    ofrecord_loader,
    ofrecord_raw_decoder,
    ofrecord_reader,
)
from .random import decode_random

__all__ = ["BlobConf", "OFRecordRawDecoder", "RawCodec", "decode_ofrecord", "decode_random", "load_mnist",
           "ofrecord_loader", "ofrecord_raw_decoder", "ofrecord_reader"]
__getattr__ = explaining(__name__)
