"""`flow.data`: sets of data for job functions."""

from ..refused import explaining
from .images import (
    ImageDecoderRandomCropResize,
    OFRecordBytesDecoder,
    OFRecordImageDecoder,
    OFRecordImageDecoderRandomCrop,
    image_decoder_random_crop_resize,
    ofrecord_bytes_decoder,
    ofrecord_image_classification_reader,
    ofrecord_image_decoder,
    ofrecord_image_decoder_random_crop,
)
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

__all__ = ["BlobConf", "ImageDecoderRandomCropResize", "OFRecordBytesDecoder", "OFRecordImageDecoder",
           "OFRecordImageDecoderRandomCrop", "OFRecordRawDecoder", "RawCodec", "decode_ofrecord", "decode_random",
           "image_decoder_random_crop_resize", "load_mnist", "ofrecord_bytes_decoder",
           "ofrecord_image_classification_reader", "ofrecord_image_decoder", "ofrecord_image_decoder_random_crop",
           "ofrecord_loader", "ofrecord_raw_decoder", "ofrecord_reader"]
__getattr__ = explaining(__name__)
