"""The device that a worker's framework computes on, where it is not the processor: chosen, waited for, its memory."""


class Accelerator:
    """A framework's CUDA device: what is measured there is waited for, and memory is the device's."""

    def __init__(self, framework, name):
        self._cuda = framework.cuda if name == "torch" else framework.device.cuda
        if name == "torch":
            framework.set_default_device("cuda")
        else:
            framework.set_device("gpu")

    def wait(self):
        """Until everything is done that was asked of the device."""
        self._cuda.synchronize()

    def peak(self):
        """The most bytes that the framework held there, for tensors and for reuse."""
        return self._cuda.max_memory_reserved()


class Processor:
    """There is nothing to wait for."""

    def wait(self):
        """Everything is done when a call returns."""
