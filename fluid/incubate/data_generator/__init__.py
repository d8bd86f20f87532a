"""`fluid.incubate.data_generator`: programs that write samples as lines of the MultiSlot text format."""

from ....io.multi_slot.data_generator import DataGenerator, MultiSlotDataGenerator, MultiSlotStringDataGenerator

__all__ = ["DataGenerator", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]
