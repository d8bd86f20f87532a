"""The table of workloads: names, modules, sizes, the modes they are measured in, and what is asked of them."""

import dataclasses
import importlib

TRAINING = {"proa": ("eager", "to_static"), "paddle": ("eager", "to_static"), "torch": ("eager", "compile")}
INFERENCE = {**TRAINING, "torch": ("eager", "compile", "frozen")}
UPDATE = {"proa": ("eager",), "paddle": ("eager",), "torch": ("eager", "fused", "compile")}
EAGER = {"proa": ("eager",), "paddle": ("eager",), "torch": ("eager",)}
RANKS = {"proa": ("eager", "to_static"), "torch": ("eager",)}
ALL_RANKS = {"proa": ("eager", "to_static", "program", "sharded"), "torch": ("eager",)}
RESEARCH = {**TRAINING, "jax": ("eager", "jit")}
RESEARCH_WITHOUT_JAX = {**TRAINING, "jax": ()}
PROGRAM = {"proa": ("program",), "fluid": ("program",)}
NAMES = {"proa": "proa", "paddle": "Paddle", "torch": "PyTorch"}
LABELS = {**NAMES, "jax": "JAX", "fluid": "Fluid"}


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload: `asked` are the ratios to the fastest peer that eager and compiled proa must reach."""

    name: str
    title: str
    module: str
    modes: dict = dataclasses.field(default_factory=lambda: TRAINING)
    size: dict = dataclasses.field(default_factory=dict)
    asked: tuple = (None, None)
    unit: str = ""  # of `amount(size)`, for workloads that are reported as a rate

    def module_object(self):
        return importlib.import_module(f".workloads.{self.module}", __package__)

    def sizes(self, given):
        """The module's sizes, this workload's, and those given that it knows."""
        known = {**self.module_object().SIZE, **self.size}
        return {name: given.get(name, value) for name, value in known.items()}

    def count(self, what, size):
        """`operations`, `traffic` or `amount` of a step; None where the module does not say."""
        function = getattr(self.module_object(), what, None)
        return function(size) if function else None


WORKLOADS = (
    Workload("chain", "chain of small operators, forward", "chain", asked=(0.5, 0.25)),
    Workload("chain-backward", "chain of small operators, forward and backward", "chain",
             size={"backward": 1}, asked=(0.5, 0.3)),
    Workload("mlp", "MLP 784-200-200-10, Adam, training step", "mlp", asked=(0.4, 0.35)),
    Workload("lenet", "LeNet, Adam, training step", "lenet", asked=(0.42, 0.38)),
    Workload("resnet18", "ResNet-18 at 64×64, momentum, training step", "resnet", asked=(0.45, 0.45)),
    Workload("lstm", "LSTM 128, Adam, training step", "lstm", asked=(0.65, 0.55)),
    Workload("transformer", "Transformer encoder 2×256, Adam, training step", "transformer", asked=(0.7, 0.62)),
    Workload("resnet18-inference", "ResNet-18 inference at 224×224", "resnet", INFERENCE,
             {"training": 0, "batch": 1, "side": 224}, (0.8, 0.6)),
    Workload("transformer-inference", "Transformer encoder 2×256, inference", "transformer", INFERENCE,
             {"training": 0, "batch": 1}, (0.9, 0.6)),
    Workload("adam", "Adam step of 10 M parameters, one tensor", "update", UPDATE, asked=(1.0, None)),
    Workload("adam-many", "Adam step of 10 M parameters, 100 tensors", "update", UPDATE, {"tensors": 100}, (1.0, None)),
    Workload("sgd", "SGD step of 10 M parameters, one tensor", "update", UPDATE, {"adam": 0}, (1.0, None)),
    Workload("sgd-many", "SGD step of 10 M parameters, 100 tensors", "update", UPDATE,
             {"adam": 0, "tensors": 100}, (1.0, None)),
)
DISTRIBUTED = (
    Workload("lenet-ranks", "LeNet, Adam", "lenet", RANKS),
    Workload("lenet-norm-ranks", "LeNet with SyncBatchNorm, Adam", "lenet", RANKS, {"norm": 1}),
    Workload("resnet18-ranks", "ResNet-18 at 64×64, momentum", "resnet", RANKS),
    Workload("transformer-ranks", "Transformer encoder 2×256, Adam", "transformer", RANKS),
    Workload("mlp-ranks", "MLP 784-200-200-10, Adam", "mlp", ALL_RANKS),
    Workload("mlp-wide-ranks", "MLP 784-2048-2048-10, Adam", "mlp", ALL_RANKS, {"width": 2048}),
    Workload("embedding-ranks", "embedding of 100,000 rows, sparse gradients, SGD", "embedding", RANKS),
)
FILES = (
    Workload("save", "`save` of 400 MB", "files", EAGER, asked=(0.8, None), unit="MB/s"),
    Workload("load", "`load` of 400 MB", "files", EAGER, {"load": 1}, (0.8, None), "MB/s"),
    Workload("loader", "DataLoader, images, two workers", "loader", EAGER, unit="samples/s"),
)
FLUID = (
    Workload("sentiment", "three stacked LSTM 128 over sequences, Adam, training step", "sequences", PROGRAM,
             asked=(0.7, None)),
    Workload("sentiment-512", "three stacked LSTM 512 over sequences, Adam, training step", "sequences", PROGRAM,
             {"width": 512}, (0.7, None)),
    Workload("tagger", "two bidirectional GRU 128 and a CRF over sequences, Adam, training step", "sequences", PROGRAM,
             {"tagger": 1}, (0.7, None)),
)
RESEARCH_PROGRAMS = (
    Workload("lstm-cell-64", "LSTM cell by hand, 64 wide, 50 steps, training step", "research.lstm_cell", RESEARCH),
    Workload("lstm-cell-128", "LSTM cell by hand, 128 wide, 50 steps, training step", "research.lstm_cell", RESEARCH,
             {"width": 128}),
    Workload("actor-critic", "actor and critic, 100 ticks of CartPole and an update", "research.actor_critic",
             RESEARCH_WITHOUT_JAX),
    Workload("pinn", "PINN of Burgers' equation, training step", "research.pinn", RESEARCH),
    Workload("graph", "graph network on ragged graphs, training step", "research.graph", RESEARCH),
    Workload("beam-search", "beam search, 4 beams, 30 words", "research.beam_search", RESEARCH_WITHOUT_JAX),
    Workload("maml", "MAML, 4 tasks, 5 inner steps, training step", "research.maml", RESEARCH),
    Workload("neural-ode", "neural ODE, 20 Runge-Kutta steps, training step", "research.neural_ode", RESEARCH),
)
GPU = (
    Workload("gpu-chain", "chain of small operators, forward", "chain"),
    Workload("gpu-chain-backward", "chain of small operators, forward and backward", "chain", size={"backward": 1}),
    Workload("gpu-mlp", "MLP 784-4096-4096-10, Adam, training step", "mlp", size={"batch": 4096, "width": 4096}),
    Workload("gpu-lenet", "LeNet, Adam, training step", "lenet", size={"batch": 512}),
    Workload("gpu-resnet18", "ResNet-18 at 224×224, momentum, training step", "resnet",
             size={"batch": 32, "side": 224}),
    Workload("gpu-lstm", "LSTM 512, Adam, training step", "lstm", size={"batch": 64, "width": 512}),
    Workload("gpu-transformer", "Transformer encoder 6×768, Adam, training step", "transformer",
             size={"batch": 16, "length": 512, "width": 768, "heads": 12, "hidden": 3072, "layers": 6}),
    Workload("gpu-transformer-inference", "Transformer encoder 6×768, inference", "transformer",
             size={"batch": 1, "length": 512, "width": 768, "heads": 12, "hidden": 3072, "layers": 6, "training": 0}),
    Workload("gpu-resnet18-inference", "ResNet-18 inference at 224×224", "resnet",
             size={"training": 0, "batch": 1, "side": 224}),
    Workload("gpu-adam", "Adam step of 100 M parameters, one tensor", "update", UPDATE, {"millions": 100}),
    Workload("gpu-adam-many", "Adam step of 100 M parameters, 100 tensors", "update", UPDATE,
             {"millions": 100, "tensors": 100}),
)
LIMITS = (
    Workload("product", "product 2048³", "product", EAGER),
    Workload("copy", "copy of 256 MB", "copy", EAGER),
)
ALL = {workload.name: workload for workload in (
    *WORKLOADS, *DISTRIBUTED, *FILES, *FLUID, *RESEARCH_PROGRAMS, *GPU, *LIMITS)}


def sides(workload, frameworks, modes):
    """The (framework, mode) pairs in which a workload is measured, of those wanted; no modes means all."""
    return [(framework, mode) for framework in frameworks for mode in workload.modes[framework]
            if not modes or mode in modes]


def label(side):
    """How tables call a side."""
    mode = f"`{side[1]}`" if side[1] in ("to_static", "compile", "jit") else side[1]
    return f"{LABELS[side[0]]} {mode}"
