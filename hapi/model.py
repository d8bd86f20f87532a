"""Model: a network with what it takes to train, evaluate and use it, without a loop of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core import nest
from ..core.errors import NotYetError, WrongKindError
from ..core.lazy import require
from ..core.signatures import signature_of
from ..dygraph.tensor import Tensor
from ..io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from ..metric import Metric
from ..nn import Layer
from ..ops.core.trace import grad_mode, state
from ..optimizer import Optimizer
from ..static.ir.input_spec import InputSpec
from ..static.ir.input_spec import InputSpec as Input  # noqa: F401 - asked for here
from .callbacks import CallbackList, config_callbacks
from .files import load_model, save_model
from .history import History
from .precision import AmpSettings
from .summary import summary
from .together import Together, _all_gather, prepare_distributed_context, tells  # noqa: F401 - two are asked for here


def as_list(value: Any) -> list[Any]:
    """A value as a list: None is an empty one."""
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def specs_of(what: str, given: Any) -> list[InputSpec] | None:
    """InputSpecs as a list; None where none are given."""
    if given is None:
        return None
    specs = list(given.values()) if isinstance(given, dict) else as_list(given)
    for spec in specs:
        if not isinstance(spec, InputSpec) and not hasattr(spec, "shape"):
            raise TypeError(f"Model({what}): must be InputSpecs. Received {type(spec).__name__}.")
    return specs


def inputs_of_forward(network: Any, parts: int, labels: int, is_prediction: bool) -> int:
    """How many of a sample's parts the network's `forward` takes, where nobody has said so."""
    function = getattr(network.forward, "dygraph_function", network.forward)
    parameters = signature_of(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return parts - labels
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in positional)
    if is_prediction:
        return min(parts, max(needed, 1))
    return min(len(positional), max(needed, parts - labels))


class Model:
    """A network with an optimizer, a loss and metrics: `prepare`, then `fit`, `evaluate`, `predict`, `save`.

    `network`: a Layer. `inputs`, `labels`: InputSpecs (one, a list, or a dict by name), which say how many parts of a
    sample the network takes, and which `save(training=False)` needs where no batch has been seen; without them the
    network takes as many as its `forward` has arguments, and the last part of a sample is the label.

    In several processes that a launcher has started each works on its part of a data set: gradients are the means of
    all, `evaluate` and `predict` give in each what all have found, and the first process prints and saves.

    A network wrapped by `jit.to_static` is trained as a Program; so is one that was made in static mode, which needs
    `inputs` (`program_model.py`). `paddle.Model`.

    >>> import proa as paddle
    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    >>> model.prepare(sgd, paddle.nn.MSELoss())
    >>> x, y = paddle.ones([8, 2]), paddle.ones([8, 1])
    >>> model.fit(paddle.io.TensorDataset([x, y]), batch_size=4, epochs=2, verbose=0)
    History(4 steps: train loss)
    >>> [part.shape for part in model.predict_batch([x])]
    [(8, 1)]
    """

    _of_programs: type[Model] | None = None  # the one for static mode, once it is loaded

    def __new__(cls, *args: Any, **kwargs: Any) -> Model:  # noqa: D102
        if cls is Model and not state.trace.computes:
            require("models of Programs")
            assert Model._of_programs is not None
            cls = Model._of_programs
        return super().__new__(cls)

    def __init__(self, network: Layer, inputs: Any = None, labels: Any = None):
        if not isinstance(network, Layer):
            raise TypeError(f"Model(network): must be a Layer. Received {type(network).__name__}.")
        self.network, self.mode, self.stop_training = network, "train", False
        self._inputs, self._labels = specs_of("inputs", inputs), specs_of("labels", labels)
        self._seen: list[InputSpec] | None = None
        self._optimizer: Optimizer | None = None
        self._loss: Callable[..., Any] | None = None
        self._metrics: list[Metric] = []
        self._amp, self._together = AmpSettings(None), Together(network)

    def prepare(self, optimizer: Any = None, loss: Any = None, metrics: Any = None, amp_configs: Any = None) -> None:
        """Says how to train and judge: an Optimizer; a loss, called with outputs and labels; Metrics.

        `amp_configs`: a level of mixed precision ("O1", "O2"), or a dict with 'level', 'dtype', 'use_promote', the
        lists of `amp.auto_cast`, and what `amp.GradScaler` takes.
        """
        if optimizer is not None and not isinstance(optimizer, Optimizer):
            raise TypeError(f"prepare(optimizer): must be an Optimizer. Received {type(optimizer).__name__}.")
        if loss is not None and not callable(loss):
            raise TypeError(f"prepare(loss): must be callable, such as nn.CrossEntropyLoss(). "
                            f"Received {type(loss).__name__}.")
        for metric in as_list(metrics):
            if not isinstance(metric, Metric):
                raise WrongKindError(f"prepare(metrics): must be Metrics. Received {type(metric).__name__}.")
        self._optimizer, self._loss, self._metrics = optimizer, loss, as_list(metrics)
        self._amp = AmpSettings(amp_configs)
        self._amp.decorate(self.network, optimizer)

    # Single batches

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """One training step: the losses, as a list of arrays, and with metrics ([losses], [values]).

        With `update=False` gradients are added up for a later step.
        """
        if self._optimizer is None or self._loss is None:
            raise NotYetError("train_batch: there is nothing to train by. Call prepare(optimizer, loss) before.")
        self._set_mode("train")
        with self._amp.casting():
            outputs, losses, labels = self._judged(inputs, labels)
            total = losses[0] if len(losses) == 1 else sum(losses[1:], losses[0])
        with self._together.alone(update):
            self._amp.scaler.scale(total).backward()
        if update:
            self._amp.scaler.step(self._optimizer)
            self._amp.scaler.update()
            self._optimizer.clear_grad()
        return self._result(losses, self._measured(outputs, labels))

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """As `train_batch`, without training; without a loss, the metrics' values alone."""
        self._set_mode("eval")
        with grad_mode(False), self._amp.casting():
            outputs, losses, labels = self._judged(inputs, labels)
            whole = self._together.gathered([*outputs, *labels])
            return self._result(self._together.mean(losses),
                                self._measured(whole[:len(outputs)], whole[len(outputs):]))

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """The network's outputs for a batch, as arrays."""
        self._set_mode("predict")
        with grad_mode(False), self._amp.casting():
            return [_array(v) for v in self._together.gathered(self._outputs(inputs))]

    def _set_mode(self, mode: str) -> None:
        self.mode = mode
        if self.network.training != (mode == "train"):
            self.network.train() if mode == "train" else self.network.eval()

    def _outputs(self, inputs: Any) -> list[Any]:
        tensors = [_tensor(v) for v in nest.leaves(as_list(inputs))]
        self._seen = [InputSpec([None, *t.shape[1:]], t.dtype.name) for t in tensors]
        return list(nest.leaves(self._together.network()(*tensors)))

    def _judged(self, inputs: Any, labels: Any) -> tuple[list[Any], list[Any], list[Any]]:
        outputs, labels = self._outputs(inputs), [_tensor(v) for v in as_list(labels)]
        return outputs, [] if self._loss is None else as_list(self._loss(*outputs, *labels)), labels

    def _measured(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        with grad_mode(False):
            return [metric.update(*as_list(metric.compute(*outputs, *labels))) for metric in self._metrics]

    def _result(self, losses: list[Any], measured: list[Any]) -> Any:
        arrays = [_array(loss) for loss in losses]
        if not self._metrics:
            return arrays
        return (arrays, measured) if self._loss is not None else measured

    # Whole data sets

    def fit(self, train_data: Any = None, eval_data: Any = None, batch_size: Any = 1, epochs: int = 1,
            eval_freq: int = 1, log_freq: int = 10, save_dir: str | None = None, save_freq: int = 1, verbose: int = 2,
            drop_last: bool = False, shuffle: bool = True, num_workers: int = 0, callbacks: Any = None,
            accumulate_grad_batches: int = 1, num_iters: int | None = None) -> History:
        """Trains, and evaluates after every `eval_freq` epochs where there is `eval_data`; gives losses and metrics.

        - `train_data`, `eval_data`: Datasets, which `batch_size`, `drop_last`, `shuffle` and `num_workers` are for, or
          DataLoaders, or anything that gives batches each time it is iterated over. Shuffled samples have an order
          that the number of the epoch decides. A pair as `batch_size`: that of the training, that of evaluations.
        - `log_freq`, `verbose`: see `callbacks.ProgBarLogger`. `save_dir`, `save_freq`: see `ModelCheckpoint`.
        - `accumulate_grad_batches`: the gradients of so many batches are added up for one step.
        - `num_iters`: training ends after so many batches; `epochs` says nothing then.
        """
        if train_data is None:
            raise ValueError("fit(train_data): there is nothing to train on.")
        train_size, eval_size = batch_size if isinstance(batch_size, (tuple, list)) else (batch_size, batch_size)
        train = self._loader(train_data, train_size, shuffle, num_workers, drop_last)
        evaluation = None if eval_data is None else self._loader(eval_data, eval_size, False, num_workers, False)
        steps = _length(train)
        if num_iters is not None and num_iters <= 0:
            raise ValueError(f"fit(num_iters): must be over 0. Received {num_iters}.")
        if num_iters is not None and steps:
            epochs, steps = num_iters // steps + 1, min(num_iters, steps)
        told = self._callbacks(callbacks, "train", batch_size=batch_size, epochs=epochs, steps=steps, verbose=verbose,
                               log_freq=log_freq, save_freq=save_freq, save_dir=save_dir)
        self.stop_training, left = False, num_iters
        history = History()
        told.callbacks.append(history)
        logs: dict[str, Any] = {}
        told.tell("train_begin", None)
        for epoch in range(epochs):
            told.tell("epoch_begin", epoch, None)
            logs, left = self._run("train", train, told, left, accumulate_grad_batches)
            told.tell("epoch_end", epoch, logs)
            if evaluation is not None and epoch % eval_freq == 0:
                logs = self._evaluate(evaluation, told, None)
            if self.stop_training or left == 0:
                break
        told.tell("train_end", logs)
        return history

    def evaluate(self, eval_data: Any, batch_size: int = 1, log_freq: int = 10, verbose: int = 2, num_workers: int = 0,
                 callbacks: Any = None, num_iters: int | None = None) -> dict[str, Any]:
        """The loss of the last batch (a list, 'loss') and the metrics over all, by name. Arguments as in `fit`."""
        loader = self._loader(eval_data, batch_size, False, num_workers, False)
        told = self._callbacks(callbacks, "eval", batch_size=batch_size, steps=_length(loader), verbose=verbose,
                               log_freq=log_freq)
        logs = self._evaluate(loader, told, num_iters)
        return {k: v for k, v in logs.items() if k not in ("step", "batch_size")}

    def _evaluate(self, loader: Any, told: CallbackList, num_iters: int | None) -> dict[str, Any]:
        steps = _length(loader)
        if num_iters is not None:
            steps = num_iters if steps is None else min(num_iters, steps)
        told.tell("eval_begin", {"steps": steps, "metrics": self._metrics_name()})
        logs, _ = self._run("eval", loader, told, num_iters)
        told.tell("eval_end", logs)
        return logs

    def predict(self, test_data: Any, batch_size: int = 1, num_workers: int = 0, stack_outputs: bool = False,
                verbose: int = 1, callbacks: Any = None) -> list[Any]:
        """The network's outputs for a data set: for each output a tuple of arrays, one a batch.

        With `stack_outputs` these are joined to one array. Of samples that have labels only the inputs are used.
        """
        loader = self._loader(test_data, batch_size, False, num_workers, False)
        told = self._callbacks(callbacks, "predict", batch_size=batch_size, steps=_length(loader), verbose=verbose)
        told.tell("predict_begin", {"steps": _length(loader)})
        batches: list[Any] = []
        logs: dict[str, Any] = {}
        self._together.begin(loader)
        for step, batch in enumerate(loader):
            inputs = self._parts(batch, "predict")[0]
            told.tell("predict_batch_begin", step, logs)
            batches.append(self.predict_batch(inputs))
            logs = {"step": step, "batch_size": _batch_size(batches[-1])}
            told.tell("predict_batch_end", step, logs)
        told.tell("predict_end", logs)
        outputs = list(zip(*batches, strict=True))
        return [np.concatenate(output) for output in outputs] if stack_outputs else outputs

    def _run(self, mode: str, loader: Any, told: CallbackList, left: int | None,
             accumulated: int = 1) -> tuple[dict[str, Any], int | None]:
        """One pass over the data, of at most `left` batches: the last logs, and how many batches are still left."""
        for metric in self._metrics:
            metric.reset()
        steps = _length(loader)
        logs: dict[str, Any] = {}
        self._together.begin(loader)
        for step, batch in enumerate(_at_most(loader, left)):
            inputs, labels = self._parts(batch, mode)
            told.tell(f"{mode}_batch_begin", step, logs)
            left = None if left is None else left - 1
            if mode == "train":
                last = step + 1 == steps or left == 0
                result = self.train_batch(inputs, labels, update=last or (step + 1) % accumulated == 0)
            else:
                result = self.eval_batch(inputs, labels)
            size = self._together.taken or _batch_size(inputs) * self._together.size
            logs = {**self._logged(result), "step": step, "batch_size": size}
            told.tell(f"{mode}_batch_end", step, logs)
        return logs, left

    def _logged(self, result: Any) -> dict[str, Any]:
        logs: dict[str, Any] = {}
        if self._loss is not None:
            losses = result[0] if self._metrics else result
            logs["loss"] = [float(loss.reshape(-1)[0]) for loss in losses]
        for metric in self._metrics:
            names, values = as_list(metric.name()), as_list(metric.accumulate())
            logs.update(zip(names, values, strict=True))
        return logs

    def _parts(self, batch: Any, mode: str) -> tuple[list[Any], list[Any]]:
        """A batch as what the network takes, and the labels."""
        parts = list(nest.leaves(batch))
        labels = len(self._labels) if self._labels is not None else 0 if mode == "predict" or self._loss is None else 1
        if self._inputs is not None:
            count = len(self._inputs)
        else:
            count = inputs_of_forward(self.network, len(parts), labels, mode == "predict")
        return parts[:count], parts[count:]

    def _metrics_name(self) -> list[str]:
        names = ["loss"] if self._loss is not None else []
        return names + [name for metric in self._metrics for name in as_list(metric.name())]

    def _loader(self, data: Any, batch_size: int, shuffle: bool, num_workers: int, drop_last: bool) -> Any:
        if isinstance(data, IterableDataset):
            return DataLoader(data, batch_size=batch_size, num_workers=num_workers, drop_last=drop_last)
        if not isinstance(data, Dataset):
            return data
        sampler = DistributedBatchSampler(data, batch_size, shuffle=shuffle, drop_last=drop_last)
        return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)

    def _callbacks(self, callbacks: Any, mode: str, **settings: Any) -> CallbackList:
        return config_callbacks(callbacks, self, mode=mode, metrics=self._metrics_name(), **settings)

    # The rest

    def parameters(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The network's parameters."""
        return self.network.parameters(*args, **kwargs)

    def save(self, path: str, training: bool = True) -> None:
        """Writes `path.pdparams` and, of an optimizer with a state, `path.pdopt`; with `training=False` a model to run.

        The latter is what `jit.save` writes; without `inputs` it takes what the last batch looked like.
        """
        if tells():
            save_model(self, path, training)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Reads what `save(training=True)` wrote, here or in PaddlePaddle.

        `skip_mismatch` leaves out parameters that are missing or of another shape (with a warning), where otherwise
        ValueError is raised; `reset_optimizer` leaves out the optimizer's state.
        """
        load_model(self, path, skip_mismatch, reset_optimizer)

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Prints a table of the layers and gives the numbers of parameters: see `paddle.summary`."""
        size = input_size if input_size is not None else self._inputs or self._seen
        if size is None:
            raise ValueError("summary(input_size): is needed, unless the Model has `inputs` or has seen a batch.")
        return summary(self.network, size, dtype)


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(value)


def _array(value: Any) -> np.ndarray:
    return value.astype("float32").numpy() if value.dtype.name == "bfloat16" else value.numpy()


def _length(loader: Any) -> int | None:
    try:
        return len(loader)
    except TypeError:
        return None


def _at_most(batches: Any, count: int | None) -> Iterator[Any]:
    for n, batch in enumerate(batches):
        if n == count:
            return
        yield batch
        if count is not None and n + 1 == count:
            return


def _batch_size(inputs: list[Any]) -> int:
    return int(inputs[0].shape[0]) if inputs and len(inputs[0].shape) else 1
