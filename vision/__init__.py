"""What programs for images need: models, transforms, datasets. Knows layers and operators."""

from . import datasets, image, models, ops, transforms
from .datasets import MNIST, VOC2012, Cifar10, Cifar100, DatasetFolder, FashionMNIST, Flowers, ImageFolder
from .image import get_image_backend, image_load, set_image_backend
from .models import LeNet, ResNet
