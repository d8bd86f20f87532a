"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.dygraph`."""

from . import backward_strategy, base, checkpoint, container, dygraph_to_static, jit, layer_object_helper, layers, learning_rate_scheduler, nn, parallel, parallel_helper, static_runner, tracer, varbase
from .backward_strategy import BackwardStrategy
from .base import disable_dygraph, disable_imperative, enable_dygraph, enable_imperative, enabled, grad, guard, no_grad, to_variable
from .checkpoint import load_dygraph, save_dygraph
from .container import LayerList, ParameterList, Sequential
from .dygraph_to_static import ProgramTranslator
from .jit import TracedLayer, declarative, dygraph_to_static_func
from .layers import Layer
from .learning_rate_scheduler import CosineDecay, ExponentialDecay, InverseTimeDecay, LambdaDecay, LinearLrWarmup, MultiStepDecay, NaturalExpDecay, NoamDecay, PiecewiseDecay, PolynomialDecay, ReduceLROnPlateau, StepDecay
from .nn import FC, NCE, BatchNorm, BCELoss, BilinearTensorProduct, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, Dropout, Embedding, GroupNorm, GRUUnit, InstanceNorm, L1Loss, LayerNorm, Linear, MSELoss, NLLLoss, Pool2D, PRelu, RowConv, SequenceConv, SpectralNorm, TreeConv
from .parallel import DataParallel, ParallelEnv, prepare_context
from .static_runner import StaticModelRunner
from .tracer import Tracer

__all__ = ['BCELoss', 'BackwardStrategy', 'BatchNorm', 'BilinearTensorProduct', 'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'CosineDecay', 'DataParallel', 'Dropout', 'Embedding', 'ExponentialDecay', 'FC', 'GRUUnit', 'GroupNorm', 'InstanceNorm', 'InverseTimeDecay', 'L1Loss', 'LambdaDecay', 'Layer', 'LayerList', 'LayerNorm', 'Linear', 'LinearLrWarmup', 'MSELoss', 'MultiStepDecay', 'NCE', 'NLLLoss', 'NaturalExpDecay', 'NoamDecay', 'PRelu', 'ParallelEnv', 'ParameterList', 'PiecewiseDecay', 'PolynomialDecay', 'Pool2D', 'ProgramTranslator', 'ReduceLROnPlateau', 'RowConv', 'SequenceConv', 'Sequential', 'SpectralNorm', 'StaticModelRunner', 'StepDecay', 'TracedLayer', 'Tracer', 'TreeConv', 'backward_strategy', 'base', 'checkpoint', 'container', 'declarative', 'disable_dygraph', 'disable_imperative', 'dygraph_to_static', 'dygraph_to_static_func', 'enable_dygraph', 'enable_imperative', 'enabled', 'grad', 'guard', 'jit', 'layer_object_helper', 'layers', 'learning_rate_scheduler', 'load_dygraph', 'nn', 'no_grad', 'parallel', 'parallel_helper', 'prepare_context', 'save_dygraph', 'static_runner', 'to_variable', 'tracer', 'varbase']
