"""`fluid.data_feeder`: samples as what an Executor is fed; checks of what layers are given."""

from ..base.data_feeder import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from ..core.lazy import listed
from ..io.dataloader.feeding.data_feeder import DataFeeder, DataToLoDTensorConverter
from .later_names import later

__all__ = ["DataFeeder", "DataToLoDTensorConverter", "check_dtype", "check_type", "check_variable_and_dtype",
           "convert_dtype"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
