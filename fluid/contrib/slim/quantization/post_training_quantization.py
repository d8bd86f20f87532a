"""Quantization of saved models: by samples from a generator, and of weights alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .....core.place import CPUPlace
from .....static.quantization import PostTrainingQuantization as _PostTraining
from .....static.quantization import WeightQuantization as _Weights
from .....static.run.executor import Executor
from .....static.run.scope import Scope, scope_guard
from ....io import load_inference_model, save_inference_model


class PostTrainingQuantization(_PostTraining):
    """Quantizes a saved model by samples, of which a generator gives one after the other, or batches.

    `sample_generator()` gives a tuple of arrays for each sample, in the order of the model's inputs;
    `batch_generator()` one for each batch. One of both is given. For the rest see
    `paddle.static.quantization.PostTrainingQuantization`.

    >>> import tempfile, numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.slim.quantization import PostTrainingQuantization
    >>> exe, folder = fluid.Executor(fluid.CPUPlace()), tempfile.mkdtemp()
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
    ...     y = fluid.layers.fc(fluid.data("x", [None, 3]), 2)
    ...     _ = exe.run(fluid.default_startup_program())
    ...     _ = fluid.io.save_inference_model(folder, ["x"], [y], exe)
    >>> samples = lambda: ((np.full(3, n, "float32"),) for n in range(8))
    >>> program = PostTrainingQuantization(exe, model_dir=folder, sample_generator=samples, batch_size=4,
    ...                                    algo="abs_max").quantize()
    >>> [op.type for op in program.global_block().ops][1:3]
    ['fake_quantize_range_abs_max', 'mul']
    """

    def __init__(self, executor: Any = None, scope: Any = None, model_dir: str | None = None,
                 model_filename: str | None = None, params_filename: str | None = None,
                 batch_generator: Callable[[], Any] | None = None, sample_generator: Callable[[], Any] | None = None,
                 batch_size: int = 10, batch_nums: int | None = None, algo: str = "KL",
                 quantizable_op_type: Any = ("conv2d", "depthwise_conv2d", "mul"), is_full_quantize: bool = False,
                 activation_bits: int = 8, weight_bits: int = 8, activation_quantize_type: str = "range_abs_max",
                 weight_quantize_type: str = "channel_wise_abs_max", is_use_cache_file: bool = False,
                 cache_dir: str = "./temp_post_training"):
        if (batch_generator is None) == (sample_generator is None):
            raise ValueError("PostTrainingQuantization(sample_generator, batch_generator): one of both gives the "
                             f"samples. Received {'neither' if batch_generator is None else 'both'}.")
        super().__init__(executor, model_dir, scope, model_filename, params_filename,
                         data_loader=_Feeds(self, batch_generator, sample_generator, batch_size),
                         batch_nums=batch_nums, algo="abs_max" if algo == "direct" else algo,
                         quantizable_op_type=quantizable_op_type, is_full_quantize=is_full_quantize,
                         activation_bits=activation_bits, weight_bits=weight_bits,
                         activation_quantize_type=activation_quantize_type, weight_quantize_type=weight_quantize_type)

    def _read(self, folder: str | None, model: str | None, parameters: str | None) -> Any:
        return load_inference_model(folder, self._executor, model, parameters)

    def _write(self, folder: str, model: str | None, parameters: str | None) -> None:
        save_inference_model(folder, list(self._feeds), self._fetches, self._executor, self._program, model, parameters)


class WeightQuantization(_Weights):
    """`paddle.static.quantization.WeightQuantization` for the folders of 1.x: `__model__`, and parameters in files of
    their own or in one.
    """

    _names: tuple[str | None, str | None] = None, None

    def quantize_weight_to_int(self, save_model_dir: str, save_model_filename: str | None = None,
                               save_params_filename: str | None = None,
                               quantizable_op_type: Any = ("conv2d", "mul"), weight_bits: int = 8,
                               weight_quantize_type: str = "channel_wise_abs_max", generate_test_model: bool = False,
                               threshold_rate: float = 0.0) -> None:
        """Writes the model with weights of 8 or 16 bits to a folder `quantized_model`, and `test_model`."""
        self._names = save_model_filename, save_params_filename
        super().quantize_weight_to_int(save_model_dir, None, None, quantizable_op_type, weight_bits,
                                       weight_quantize_type, generate_test_model, threshold_rate)

    def convert_weight_to_fp16(self, save_model_dir: str) -> None:
        """Writes the model with all its parameters in float16, under the names that it was read by."""
        self._names = self._from[1], self._from[2]
        super().convert_weight_to_fp16(save_model_dir)

    def _read(self) -> tuple[Any, list, list, Any, Scope]:
        folder, model, parameters = self._from
        if not os.path.isdir(folder):  # the prefix of later files
            return super()._read()
        executor, scope = Executor(CPUPlace()), Scope()
        with scope_guard(scope):
            program, feeds, fetches = load_inference_model(folder, executor, model, parameters)
        return program, feeds, fetches, executor, scope

    def _write(self, path: str, program: Any, feeds: list, fetches: list, executor: Any, scope: Scope) -> None:
        with scope_guard(scope):
            save_inference_model(os.path.dirname(path), feeds, fetches, executor, program, *self._names)


class _Feeds:
    """What generators give, as feeds of the model, again each time that they are gone through."""

    def __init__(self, quantizer: PostTrainingQuantization, batches: Any, samples: Any, size: int):
        self._quantizer, self._batches, self._samples, self._size = quantizer, batches, samples, size

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self._quantizer.feed_names
        for batch in self._batches() if self._batches is not None else self._stacked():
            fields = [batch] if isinstance(batch, np.ndarray) else list(batch)
            if len(fields) != len(names):
                raise ValueError(f"PostTrainingQuantization: a sample must have a value for each of the model's "
                                 f"inputs, {names}. Received {len(fields)} values.")
            yield dict(zip(names, fields, strict=True))

    def _stacked(self) -> Iterator[list[np.ndarray]]:
        waiting: list[Any] = []
        for sample in self._samples():
            waiting.append([sample] if isinstance(sample, np.ndarray) else sample)
            if len(waiting) == self._size:
                yield [np.stack(field) for field in zip(*waiting, strict=True)]
                waiting = []
        if waiting:
            yield [np.stack(field) for field in zip(*waiting, strict=True)]


__all__ = ["PostTrainingQuantization", "WeightQuantization"]
