"""Files of PaddlePaddle 2.6.2 that are modules there, by the module that has their names here.

`from paddle.optimizer.adamw import AdamW` says where a name stands there. Here files are divided otherwise, and what
such a file has is found in a package. `tests/compat/test_run.py` asks each of the table for a name of its own.
`import` finds them under the name `paddle` (`compat/alias.py`), as an attribute of its package each is found here.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from .forks import unforked

_FILES = {
    "audio.backends": "backend init_backend",
    "audio.functional": "functional",
    "autograd": "autograd backward_mode ir_backward py_layer",
    "framework": "framework",
    "hapi": "dynamic_flops model_summary static_flops",
    "geometric": "math message_passing message_passing.send_recv reindex sampling sampling.neighbors",
    "incubate": "operators operators.graph_khop_sampler operators.graph_reindex operators.graph_sample_neighbors "
                "operators.graph_send_recv operators.softmax_mask_fuse operators.softmax_mask_fuse_upper_triangle "
                "tensor tensor.math",
    "incubate.autograd": "functional primapi",
    "incubate.nn.functional": "fused_transformer",
    "incubate.optimizer": "gradient_merge lbfgs lookahead modelaverage",
    "incubate.optimizer.functional": "bfgs lbfgs",
    "io": "dataloader.batch_sampler dataloader.dataset dataloader.sampler",
    "metric": "metrics",
    "nn.functional": "extension",
    "nn.initializer": "constant dirac kaiming normal uniform xavier",
    "nn.quant": "quantized_linear",
    "nn.utils": "spectral_norm_hook transform_parameters weight_norm_hook",
    "pir": "core",
    "optimizer": "adadelta adagrad adamax adamw rmsprop",
    "sparse": "binary creation multiary unary",
    "sparse.nn": "layer layer.activation layer.conv layer.norm layer.pooling",
    "sparse.nn.functional": "activation conv pooling transformer",
    "static": "input",
    "static.amp.bf16": "amp_lists amp_utils decorator",
    "tensor": "array",
    "utils": "install_check lazy_import",
    "vision.transforms": "functional_cv2 functional_pil functional_tensor",
}
#: Files of `paddle.distribution` by those that hold the same here.
_DISTRIBUTIONS = {"base": "distribution exponential_family", "bernoulli": "geometric", "categorical": "multinomial",
                  "dirichlet": "beta", "location": "cauchy gumbel laplace", "normal": "lognormal",
                  "transformed": "independent transformed_distribution"}
#: The modules that have a file's names, both with the dot that stands behind the root.
PLACES = {f".distribution.{name}": f".distribution.{file}"
          for file, names in _DISTRIBUTIONS.items() for name in names.split()}
PLACES |= {f".{package}.{file}": f".{package}" for package, files in _FILES.items() for file in files.split()}

#: Modules that stand in another package here.
PLACES |= {
    ".decomposition": ".pir",
    ".incubate.layers": ".fluid.contrib.layers",
    ".incubate.layers.nn": ".fluid.contrib.layers.nn",
    ".nn.initializer.lazy_init": ".dygraph.lazy",
    ".static.log_helper": ".base.log_helper",
    ".utils.layers_utils": ".fluid.layers.utils",
}
#: Modules that stand where they do there, and are loaded when their package is asked for them.
_ASKED_FOR = {".hapi.hub", ".io.reader", ".incubate.multiprocessing", ".incubate.nn.loss", ".vision.models._utils"}

#: Files under `paddle.fluid` that Paddle 2.0 to 2.4 had and 1.8 had not, which packages of those years import.
PLACES |= {
    ".fluid.core_avx": ".fluid.core",
    ".fluid.dataloader": ".io.dataloader",
    ".fluid.dataloader.batch_sampler": ".io.batch_sampler",
    ".fluid.dataloader.collate": ".io.dataloader.collate",
    ".fluid.dataloader.dataloader_iter": ".io.dataloader.dataloader_iter",
    ".fluid.dataloader.dataset": ".io.dataset",
    ".fluid.dataloader.sampler": ".io.sampler",
    ".fluid.dataloader.worker": ".io.dataloader.worker",
    ".fluid.dygraph.amp": ".amp",
    ".fluid.dygraph.amp.auto_cast": ".amp.auto_cast",
    ".fluid.dygraph.amp.loss_scaler": ".amp.grad_scaler",
}

_NAMED_LIKE_A_FUNCTION = {
    "autograd": "saved_tensors_hooks",
    "distributed.fleet.recompute": "recompute recompute_hybrid",
    "incubate.nn.functional": "block_multihead_attention fused_dropout_add fused_ec_moe fused_layer_norm "
                              "fused_matmul_bias fused_rms_norm fused_rotary_position_embedding "
                              "masked_multihead_attention variable_length_memory_efficient_attention",
    "nn.functional": "sparse_attention",
    "nn.utils": "clip_grad_norm_ clip_grad_value_",
    "static.nn": "static_pylayer",
    "tensor": "einsum",
    "text": "viterbi_decode",
    "utils": "deprecated",
}
#: The same of files whose package has a function of that name, which importing the file must leave there.
BESIDE_FUNCTIONS = {f".{package}.{file}": f".{package}"
                    for package, files in _NAMED_LIKE_A_FUNCTION.items() for file in files.split()}

_ROOT = __name__.partition(".")[0]


def module_of(package: str, name: str) -> ModuleType | None:
    """The module that has the names of a package's file, as `paddle.optimizer.adamw.AdamW` asks for one."""
    asked = f"{package.removeprefix(_ROOT)}.{name}"
    place = asked if asked in _ASKED_FOR else PLACES.get(asked)
    if place is None:
        return None
    with unforked():
        return importlib.import_module(_ROOT + place)
