"""What programs for images need: models so far. Knows layers and operators."""

from . import models
from .models import LeNet, ResNet
