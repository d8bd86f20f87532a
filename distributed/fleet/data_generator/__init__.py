"""`paddle.distributed.fleet.data_generator`: programs that write samples as slots, by their older path."""

from ....io.multi_slot.data_generator import DataGenerator, MultiSlotDataGenerator, MultiSlotStringDataGenerator

__all__ = ["DataGenerator", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]
