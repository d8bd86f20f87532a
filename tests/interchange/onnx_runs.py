"""What the tests of `paddle.onnx.export` share: a function or a Layer exported once and run in ONNX Runtime."""

import numpy as np
import onnxruntime
import proa as paddle
from proa.static import InputSpec

VALUES = np.random.default_rng(0)


def values(*shape):
    return VALUES.standard_normal(shape).astype("float32")


def same(net, specs, *runs, folder):
    """`specs`: shapes with None where a size is open. Each of `runs`: the inputs of one run."""
    if isinstance(net, paddle.nn.Layer):
        net.eval()
    path = str(folder / "model.onnx")
    paddle.onnx.export(net, path, input_spec=[InputSpec(shape, str(value.dtype), f"in{n}") for n, (shape, value) in
                                              enumerate(zip(specs, runs[0], strict=True))])
    session = onnxruntime.InferenceSession(path)
    for inputs in runs:
        wanted = net(*[paddle.to_tensor(value) for value in inputs])
        wanted = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
        got = session.run(None, {slot.name: inputs[int(slot.name[2:])] for slot in session.get_inputs()})
        for one, other in zip(got, wanted, strict=True):
            other = other.numpy()
            assert one.dtype == other.dtype and one.shape == (other.shape or (1,))
            np.testing.assert_allclose(one, other.reshape(one.shape), rtol=1e-4, atol=1e-5)
