"""A Model's files: parameters and optimizer state to go on training, or a model to run."""

from __future__ import annotations

import os
import warnings
from typing import Any

from ..core.files import atomic_group
from ..core.safe_pickle import dump_state
from ..framework.io import load
from ..jit.files.plain_state import plain_state
from ..jit.files.save_load import save as save_to_run
from ..nn.state import NAME_TABLE
from ..static.ir.input_spec import InputSpec


def save_model(model: Any, path: str, training: bool) -> None:
    """Writes them under the prefix `path`."""
    if not os.path.basename(path):
        raise ValueError(f"save(path): a path ends in a name, FOLDER/NAME. Received {path!r}.")
    if not training:
        specs = model._inputs or model._seen
        if specs is None:
            raise RuntimeError("save(training=False): the network's inputs are not known. Give the Model its `inputs`, "
                               "InputSpecs, or let it see a batch before.")
        save_to_run(model.network, path, input_spec=[InputSpec(s.shape, s.dtype, s.name) for s in specs])
        return
    states = {".pdparams": model.network.state_dict()}
    kept = None if model._optimizer is None else model._optimizer.state_dict()
    if kept:  # plain SGD keeps nothing
        states[".pdopt"] = kept
    with atomic_group() as group:  # parameters and their optimizer's state belong together
        for suffix, state in states.items():
            with group.open(path + suffix) as file:
                dump_state(plain_state(state), file)


def load_model(model: Any, path: str, skip_mismatch: bool, reset_optimizer: bool) -> None:
    """Reads what was written for training."""
    path = path.removesuffix(".pdparams")
    values, own = load(path + ".pdparams", keep_name_table=True), model.network.state_dict()
    optimizer_file = path + ".pdopt"
    wants_optimizer = model._optimizer is not None and not reset_optimizer and os.path.exists(optimizer_file)
    optimizer_state = load(optimizer_file) if wants_optimizer else None
    fitting = {name: values[name] for name, value in own.items()
               if name in values and list(values[name].shape) == list(value.shape)}
    for name, value in own.items():
        if name not in fitting:
            text = (f"load(path): {name!r} is not in the file." if name not in values else
                    f"load(path): {name!r} has shape {list(value.shape)}, and {list(values[name].shape)} in the file.")
            if not skip_mismatch:
                raise ValueError(f"{text} With skip_mismatch=True it is left as it is.")
            warnings.warn(f"{text} It is left as it is.", stacklevel=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is missing has been told
        model.network.set_state_dict(fitting)
    if optimizer_state is not None:
        names = {saved: own[key].name for key, saved in values.get(NAME_TABLE, {}).items() if key in own}
        model._optimizer.set_state_dict(_with_names(optimizer_state, names))


def _with_names(state: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """An optimizer's state under the names that the parameters have now: a network made anew counts on from the last.

    The table of names beside the parameters says which one each of them had when it was saved.
    """
    def name_now(key: str) -> str:
        owner = max((saved for saved in names if key == saved or key.startswith(f"{saved}_")), key=len, default="")
        return names[owner] + key[len(owner):] if owner else key

    renamed = {name_now(key): value for key, value in state.items()}
    if "master_weights" in renamed:
        renamed["master_weights"] = {name_now(key): value for key, value in renamed["master_weights"].items()}
    return renamed
