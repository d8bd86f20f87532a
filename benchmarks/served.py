"""Saved models, opened in one framework as its users open them, for the worker: `opened(framework, ...)`.

What is opened takes a list of arrays and gives one of arrays. PaddlePaddle and proa have one API for it; ONNX Runtime's
is its own.
"""

import os
import sys

ONNX = "onnxruntime"


def opened(framework, name, files, threads):
    """A function from input arrays to output arrays, of the model with these files."""
    if name == ONNX:
        return _in_onnxruntime(framework, files, threads)
    config = framework.inference.Config(files + ".pdmodel", files + ".pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.switch_ir_optim(True)
    config.enable_memory_optim()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(threads)
    predictor = framework.inference.create_predictor(config)
    inputs = [predictor.get_input_handle(each) for each in predictor.get_input_names()]
    outputs = [predictor.get_output_handle(each) for each in predictor.get_output_names()]

    def run(arrays):
        for handle, array in zip(inputs, arrays):
            handle.copy_from_cpu(array)
        predictor.run()
        return [handle.copy_to_cpu() for handle in outputs]

    return run


def _in_onnxruntime(onnxruntime, files, threads):
    if not os.path.exists(files + ".onnx"):
        raise FileNotFoundError("there is no ONNX file of the model: the Python of proa has no paddle2onnx")
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(files + ".onnx", settings, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return lambda arrays: session.run(None, dict(zip(names, arrays)))


def reader(framework, name, packages, threads, with_onednn):
    """What reads a page: rapidocr-paddle as it comes, a function from a picture to its texts.

    It asks Paddle for no oneDNN; `with_onednn` has the Config that it makes ask for it.
    """
    sys.path.append(packages)
    if name == "proa":
        framework.compat.install("paddle")
    import paddle

    class Asking(paddle.inference.Config):
        def __init__(self, *files):
            super().__init__(*files)
            self.enable_mkldnn()

    if with_onednn:
        paddle.inference.Config = Asking
    from rapidocr_paddle import RapidOCR

    engine = RapidOCR(cpu_math_library_num_threads=threads)

    def read(picture):
        found, _ = engine(picture)
        return [text for _, text, _ in found or ()]

    return read
