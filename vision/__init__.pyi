"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.vision`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import datasets as datasets, image as image, models as models, ops as ops, transforms as transforms
from proa.vision.datasets.cifar import Cifar10 as Cifar10, Cifar100 as Cifar100
from proa.vision.datasets.flowers import Flowers as Flowers
from proa.vision.datasets.folder import DatasetFolder as DatasetFolder, ImageFolder as ImageFolder
from proa.vision.datasets.mnist import FashionMNIST as FashionMNIST, MNIST as MNIST
from proa.vision.datasets.voc2012 import VOC2012 as VOC2012
from proa.vision.image import get_image_backend as get_image_backend, image_load as image_load, set_image_backend as set_image_backend
from proa.vision.models.alexnet import AlexNet as AlexNet, alexnet as alexnet
from proa.vision.models.densenet import DenseNet as DenseNet, densenet121 as densenet121, densenet161 as densenet161, densenet169 as densenet169, densenet201 as densenet201, densenet264 as densenet264
from proa.vision.models.googlenet import GoogLeNet as GoogLeNet, googlenet as googlenet
from proa.vision.models.inceptionv3 import InceptionV3 as InceptionV3, inception_v3 as inception_v3
from proa.vision.models.lenet import LeNet as LeNet
from proa.vision.models.mobilenetv1 import MobileNetV1 as MobileNetV1, mobilenet_v1 as mobilenet_v1
from proa.vision.models.mobilenetv2 import MobileNetV2 as MobileNetV2, mobilenet_v2 as mobilenet_v2
from proa.vision.models.mobilenetv3 import MobileNetV3Large as MobileNetV3Large, MobileNetV3Small as MobileNetV3Small, mobilenet_v3_large as mobilenet_v3_large, mobilenet_v3_small as mobilenet_v3_small
from proa.vision.models.resnet import ResNet as ResNet, resnet101 as resnet101, resnet152 as resnet152, resnet18 as resnet18, resnet34 as resnet34, resnet50 as resnet50, resnext101_32x4d as resnext101_32x4d, resnext101_64x4d as resnext101_64x4d, resnext152_32x4d as resnext152_32x4d, resnext152_64x4d as resnext152_64x4d, resnext50_32x4d as resnext50_32x4d, resnext50_64x4d as resnext50_64x4d, wide_resnet101_2 as wide_resnet101_2, wide_resnet50_2 as wide_resnet50_2
from proa.vision.models.shufflenetv2 import ShuffleNetV2 as ShuffleNetV2, shufflenet_v2_swish as shufflenet_v2_swish, shufflenet_v2_x0_25 as shufflenet_v2_x0_25, shufflenet_v2_x0_33 as shufflenet_v2_x0_33, shufflenet_v2_x0_5 as shufflenet_v2_x0_5, shufflenet_v2_x1_0 as shufflenet_v2_x1_0, shufflenet_v2_x1_5 as shufflenet_v2_x1_5, shufflenet_v2_x2_0 as shufflenet_v2_x2_0
from proa.vision.models.squeezenet import SqueezeNet as SqueezeNet, squeezenet1_0 as squeezenet1_0, squeezenet1_1 as squeezenet1_1
from proa.vision.models.vgg import VGG as VGG, vgg11 as vgg11, vgg13 as vgg13, vgg16 as vgg16, vgg19 as vgg19
from proa.vision.transforms.base import BaseTransform as BaseTransform, Compose as Compose
from proa.vision.transforms.colours import BrightnessTransform as BrightnessTransform, ColorJitter as ColorJitter, ContrastTransform as ContrastTransform, HueTransform as HueTransform, SaturationTransform as SaturationTransform
from proa.vision.transforms.functional import adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast, adjust_hue as adjust_hue, center_crop as center_crop, crop as crop, hflip as hflip, normalize as normalize, pad as pad, resize as resize, rotate as rotate, to_grayscale as to_grayscale, to_tensor as to_tensor, vflip as vflip
from proa.vision.transforms.geometry import RandomCrop as RandomCrop, RandomHorizontalFlip as RandomHorizontalFlip, RandomResizedCrop as RandomResizedCrop, RandomRotation as RandomRotation, RandomVerticalFlip as RandomVerticalFlip
from proa.vision.transforms.plain import CenterCrop as CenterCrop, Grayscale as Grayscale, Normalize as Normalize, Pad as Pad, Resize as Resize, ToTensor as ToTensor, Transpose as Transpose

