"""`paddle.jit.sot.opcode_translator.executor.executor_cache`: how much was translated."""

from __future__ import annotations

from ...translate import forget, translations


class OpcodeExecutorCache:
    """The Programs that `symbolic_translate` has made, all of which it keeps.

    >>> import proa as paddle
    >>> cache = paddle.jit.sot.opcode_translator.executor.executor_cache.OpcodeExecutorCache()
    >>> cache.clear()
    >>> cache.translate_count
    0
    """

    @property
    def translate_count(self) -> int:
        """How many Programs were made since `clear`."""
        return translations()

    def clear(self) -> None:
        """Has each function translated anew when it is asked for next, and counts from nothing."""
        forget()
